//! `benchwright data quarantine`, `release`, `take-down` and `log`.

use crate::args::{ActArguments, LogArguments};
use crate::commands::block_on;
use crate::data_place;
use crate::exit::Failure;
use crate::outputs::say;
use benchwright_store::index::quiz::quiz_entry_of;
use benchwright_store::index::{ActPlace, Index, MOST_ROWS, ModerationEntry, State, entry_of};
use benchwright_store::jobs::Queue;
use benchwright_store::quiz::{is_shared_id, moderate_shared};
use benchwright_store::{Act, Decision, Storage, StoreError, check_words, moderate};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long a worker may take to hear that its job was called off, and how often it is looked whether it has.
const PATIENCE: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(500);

pub fn act(arguments: &ActArguments, decision: Decision) -> Result<ExitCode, Failure> {
    let storage = data_place::storage(&arguments.place.data, true)?;
    let at = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let act = Act { decision, reason: arguments.reason.clone(), by: arguments.by.clone(), at };
    let state = block_on(async {
        // Before the decision is written down: it should not be, where the index cannot follow.
        let index = Arc::new(data_place::index(&arguments.place).await?);
        let queue = Queue::of(Arc::clone(&index));
        if decision == Decision::TakeDown && !is_shared_id(&arguments.run) {
            check_words(&arguments.run, &act)?;
            call_off(&queue, &arguments.run).await?;
        }
        let decide = if is_shared_id(&arguments.run) { moderate_shared } else { moderate };
        let decided = decide(&*storage, &arguments.run, act);
        // After a refusal, too: the same may have been decided before by somebody who was interrupted here.
        if matches!(decided, Ok(_) | Err(StoreError::Refused { .. })) {
            follow(&index, &storage, arguments).await?;
        }
        let state = decided?;
        if state == State::TakenDown {
            queue.forget(&arguments.run).await?;
        }
        index.close().await?;
        Ok::<_, Failure>(state)
    })??;
    let run = &arguments.run;
    match state {
        State::Shown => println!("run {run} is shown again"),
        State::Quarantined => println!("run {run} is in quarantine; `benchwright data release` shows it again"),
        State::TakenDown => println!("run {run} is taken down; its events stay, with the reason"),
    }
    Ok(ExitCode::SUCCESS)
}

/// A job that is not over would score the run again. One that runs is over when its worker has heard of it. A worker that does not hear may
/// be dead; one that is not still has the run, and the decision fails.
async fn call_off(queue: &Queue, run: &str) -> Result<(), Failure> {
    let begun = Instant::now();
    while let Some(job) = queue.cancel(run).await?
        && !job.state.is_final()
        && begun.elapsed() < PATIENCE
    {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Ok(())
}

/// Makes the index say of a run what its events say.
async fn follow(index: &Index, storage: &Arc<dyn Storage>, arguments: &ActArguments) -> Result<(), Failure> {
    let run = &arguments.run;
    if is_shared_id(run) {
        let library = data_place::library(&arguments.place.data)?;
        let entry = quiz_entry_of(&**storage, run, &library)?;
        return Ok(index.take_in_shared(entry.as_slice()).await?);
    }
    let entry = entry_of(&**storage, run, &*data_place::recorded(storage))?;
    Ok(index.take_in(entry.as_slice()).await?)
}

pub fn log(arguments: &LogArguments) -> Result<ExitCode, Failure> {
    data_place::storage(&arguments.place.data, true)?;
    let print = |entry: &ModerationEntry| {
        if arguments.json {
            say(&format!("{}\n", serde_json::to_string(entry).unwrap_or_default()));
        } else {
            let plain = |text: &str| text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
            let (by, reason) = (plain(&entry.by), plain(&entry.reason));
            say(&format!(
                "{}  {}  {}  by {by}: {reason}\n",
                entry.at,
                entry.run,
                entry.decision.key().replace('_', " ")
            ));
        }
    };
    block_on(async {
        let index = data_place::index(&arguments.place).await?;
        let mut last: Option<ActPlace> = None;
        loop {
            let page = index.moderation(last.as_ref(), MOST_ROWS).await?;
            page.iter().for_each(print);
            let Some(end) = page.last() else { break };
            last = Some(end.into());
        }
        index.close().await?;
        Ok::<_, Failure>(())
    })??;
    Ok(ExitCode::SUCCESS)
}
