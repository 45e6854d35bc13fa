//! The quiz as a part of the site: what was shared and is not in the index yet, questions, models, files, and the desk that takes runs in.

use crate::args::ServeArguments;
use crate::environment;
use crate::exit::Failure;
use benchwright_intake::quiz::{QuizDesk, QuizTerms, Rate};
use benchwright_quiz::{Catalogue, EXTRACTOR_VERSION, Library};
use benchwright_server::{Bundle, Quiz, Weights};
use benchwright_store::Storage;
use benchwright_store::index::quiz::quiz_entry_of;
use benchwright_store::index::{Index, IndexError, follow_shared_decisions};
use benchwright_store::quiz::{shared_days, shared_on};
use std::sync::Arc;

/// Runs taken in by one transaction.
const AT_ONCE: usize = 250;

/// Takes in what was shared and is not in the index yet, and reads again what another version of the extractor read.
pub async fn catch_up(
    storage: &Arc<dyn Storage>,
    index: &Arc<Index>,
    library: &Arc<Library>,
    quiet: bool,
) -> Result<(), Failure> {
    let days = {
        let storage = Arc::clone(storage);
        blocking(move || shared_days(&*storage)).await??
    };
    let mut taken = 0;
    for day in days {
        let storage_of_day = Arc::clone(storage);
        let all = blocking(move || shared_on(&*storage_of_day, &day)).await??;
        taken += take_in(storage, index, library, index.unknown_shared(&all).await?).await?;
    }
    let (mut again, mut last) = (0, String::new());
    loop {
        let some = index.shared_read_otherwise(EXTRACTOR_VERSION, &last, AT_ONCE as u32).await?;
        let Some(end) = some.last() else { break };
        last.clone_from(end);
        again += take_in(storage, index, library, some).await?;
    }
    let followed = follow_shared_decisions(storage, index, Arc::clone(library)).await?;
    for bad in &followed.bad {
        eprintln!("benchwright: left out {}: {}", bad.run, bad.reason);
    }
    if !quiet && taken > 0 {
        println!("{taken} shared runs of the quiz taken into the index");
    }
    if !quiet && again > 0 {
        println!("{again} shared runs of the quiz read again by extractor {EXTRACTOR_VERSION}");
    }
    Ok(())
}

/// Takes these runs in, and says how many. One that cannot be read is named and left out.
async fn take_in(
    storage: &Arc<dyn Storage>,
    index: &Index,
    library: &Arc<Library>,
    runs: Vec<String>,
) -> Result<usize, Failure> {
    let mut taken = 0;
    for some in runs.chunks(AT_ONCE).map(<[String]>::to_vec) {
        let (storage, library) = (Arc::clone(storage), Arc::clone(library));
        let read = move || {
            let entry = |run: String| (quiz_entry_of(&*storage, &run, &library), run);
            some.into_iter().map(entry).collect::<Vec<(Result<_, IndexError>, String)>>()
        };
        let mut entries = Vec::new();
        for (entry, run) in blocking(read).await? {
            match entry {
                Ok(entry) => entries.extend(entry),
                Err(error) => eprintln!("benchwright: left out shared run {run}: {error}"),
            }
        }
        index.take_in_shared(&entries).await?;
        taken += entries.len();
    }
    Ok(taken)
}

/// What the pages of the quiz need, and the desk that takes runs in.
pub async fn parts(
    storage: &Arc<dyn Storage>,
    index: &Arc<Index>,
    library: Arc<Library>,
    arguments: &ServeArguments,
) -> Result<(Quiz, QuizDesk), Failure> {
    let catalogue = Arc::new(Catalogue::shipped().map_err(|error| Failure::Bug(format!("failed to {error}")))?);
    let folder = environment::site_folder();
    let unreadable =
        |error: std::io::Error| Failure::Environment(format!("cannot read the files of the quiz page: {error}"));
    let bundle =
        folder.as_deref().map(|folder| Bundle::in_folder(&folder.join("dist"))).transpose().map_err(unreadable)?;
    let quiz = Quiz {
        library: Arc::clone(&library),
        catalogue: Arc::clone(&catalogue),
        bundle: bundle.flatten(),
        weights: folder.map(|folder| Weights::in_folder(folder.join("weights"))),
    };
    let shares = arguments.quiz_shares_per_hour;
    let terms = QuizTerms {
        tickets: Rate::per_hour(shares.saturating_mul(2)),
        shares: Rate::per_hour(shares),
        behind_proxy: arguments.behind_tls,
        ..QuizTerms::default()
    };
    let desk = QuizDesk::open(library, catalogue, Arc::clone(storage), Arc::clone(index), terms).await?;
    Ok((quiz, desk))
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Failure::Bug(error.to_string()))
}
