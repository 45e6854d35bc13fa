//! `benchwright data backup` and `data restore`.

use crate::args::{BackupArguments, DataPlace, RestoreArguments};
use crate::commands::{block_on, index};
use crate::data_place;
use crate::exit::{BAD_INPUT, Failure};
use crate::outputs;
use crate::progress::Counter;
use crate::quiz::banks::mmlu_file;
use benchwright_store::index::{KeptToken, Rebuilt, rebuild};
use benchwright_store::quiz::copy_shared;
use benchwright_store::{Copied, Storage, StoreError, copy_run};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Tokens cannot be made again from the runs. Their hashes go with a backup that is a folder.
const TOKENS_FILE: &str = "tokens.json";
const TOKENS_FORMAT: u32 = 1;

#[derive(Serialize, Deserialize)]
struct KeptTokens {
    format: u32,
    tokens: Vec<KeptToken>,
}

/// What backups hold: the first ones a bare list.
#[derive(Deserialize)]
#[serde(untagged)]
enum FoundTokens {
    Bare(Vec<KeptToken>),
    Versioned(KeptTokens),
}

pub fn backup(arguments: &BackupArguments) -> Result<ExitCode, Failure> {
    let from = data_place::storage(&arguments.place.data, true)?;
    let to = data_place::storage(&arguments.to, false)?;
    let code = copy_all(&*from, &*to)?;
    copy_questions(&arguments.place.data, &arguments.to)?;
    if !arguments.to.starts_with("s3://")
        && let Some(tokens) = block_on(tokens_of(&arguments.place))??
    {
        let kept = KeptTokens { format: TOKENS_FORMAT, tokens };
        let text = serde_json::to_vec_pretty(&kept).map_err(|error| Failure::Bug(error.to_string()))?;
        outputs::replace(&PathBuf::from(&arguments.to).join(TOKENS_FILE), &text)?;
    }
    Ok(code)
}

/// The tokens of a place that has an index.
async fn tokens_of(place: &DataPlace) -> Result<Option<Vec<KeptToken>>, Failure> {
    let Some(index) = data_place::index_if_any(place).await? else { return Ok(None) };
    let tokens = index.kept_tokens().await?;
    index.close().await?;
    Ok(Some(tokens))
}

pub fn restore(arguments: &RestoreArguments) -> Result<ExitCode, Failure> {
    let from = data_place::storage(&arguments.from, true)?;
    let to = data_place::storage(&arguments.place.data, false)?;
    let copied = copy_all(&*from, &*to)?;
    // What is there stays.
    if questions_of(&arguments.place.data)?.is_none() {
        copy_questions(&arguments.from, &arguments.place.data)?;
    }
    let tokens = read_tokens(&PathBuf::from(&arguments.from).join(TOKENS_FILE))?;
    let rebuilt = block_on(index_again(arguments, to, tokens))??;
    println!("{}", index::said(&rebuilt));
    for bad in &rebuilt.bad {
        eprintln!("benchwright: left out run {}: {}", bad.run, bad.reason);
    }
    Ok(if rebuilt.bad.is_empty() { copied } else { ExitCode::from(BAD_INPUT) })
}

async fn index_again(
    arguments: &RestoreArguments,
    storage: Arc<dyn Storage>,
    tokens: Vec<KeptToken>,
) -> Result<Rebuilt, Failure> {
    let index = data_place::index_or_new(&arguments.place, data_place::ONE_COMMIT).await?;
    index.restore_tokens(&tokens).await?;
    let recorded = data_place::recorded(&storage);
    let library = data_place::library(&arguments.place.data)?;
    let rebuilt = rebuild(storage, &index, recorded, library, |_, _| ()).await?;
    index.close().await?;
    Ok(rebuilt)
}

fn copy_all(from: &dyn Storage, to: &dyn Storage) -> Result<ExitCode, Failure> {
    let runs = from.runs()?;
    let counter = Counter::new("runs", false);
    let (mut copied, mut there, mut down, mut bad) = (0, 0, 0, Vec::new());
    for (number, run) in runs.iter().enumerate() {
        match copy_run(from, to, run) {
            Ok(Copied::Copied) => copied += 1,
            Ok(Copied::AlreadyThere) => there += 1,
            Ok(Copied::TakenDown) => down += 1,
            // A job that nobody has begun; there is nothing to copy yet.
            Err(StoreError::NeverStarted { .. }) => {}
            Err(error) => bad.push(format!("benchwright: run {run} was not copied: failed to {error}")),
        }
        counter.show(number + 1, runs.len());
    }
    counter.clear();
    println!("{copied} runs copied, {there} were there, {down} taken down");
    let shared = copy_shared(from, to)?;
    if shared > 0 {
        println!("{shared} shared runs of the quiz copied");
    }
    for line in &bad {
        eprintln!("{line}");
    }
    Ok(if bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

fn copy_questions(from: &str, to: &str) -> Result<(), Failure> {
    let Some(questions) = questions_of(from)?.filter(|_| !to.starts_with("s3://")) else { return Ok(()) };
    if questions_of(to)?.as_ref() != Some(&questions) {
        outputs::replace(&mmlu_file(Path::new(to)), &questions)?;
        println!("imported questions of the quiz copied");
    }
    Ok(())
}

/// The questions that were imported into a folder. They are in no run, and what was shared on them cannot be read without them.
fn questions_of(place: &str) -> Result<Option<Vec<u8>>, Failure> {
    let path = mmlu_file(Path::new(place));
    if place.starts_with("s3://") || !path.is_file() {
        return Ok(None);
    }
    let wrong = |error| Failure::Environment(format!("cannot read {}: {error}", path.display()));
    std::fs::read(&path).map(Some).map_err(wrong)
}

fn read_tokens(path: &Path) -> Result<Vec<KeptToken>, Failure> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
    let found: FoundTokens = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    match found {
        FoundTokens::Versioned(KeptTokens { format, .. }) if format > TOKENS_FORMAT => {
            Err(wrong(format!("it has format {format}; update benchwright")))
        }
        FoundTokens::Versioned(KeptTokens { tokens, .. }) | FoundTokens::Bare(tokens) => Ok(tokens),
    }
}
