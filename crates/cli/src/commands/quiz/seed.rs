//! `benchwright quiz seed`: reference runs for a board.

use crate::args::SeedArguments;
use crate::commands::block_on;
use crate::config::read_text;
use crate::data_place::{self, ONE_COMMIT};
use crate::exit::Failure;
use crate::outputs::say;
use crate::quiz::run_folder;
use benchwright_quiz::{Catalogue, Library, Submission};
use benchwright_store::index::quiz::quiz_entry_of;
use benchwright_store::quiz::{SharedRun, put_shared, reference_run};
use benchwright_store::{Put, Storage};
use std::path::Path;
use std::process::ExitCode;

/// Name and text of every run that comes with Benchwright.
const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/references.rs"));

/// Runs the command.
pub fn run(arguments: &SeedArguments) -> Result<ExitCode, Failure> {
    let library = data_place::library(&arguments.place.data)?;
    let runs = runs(arguments, &library)?;
    data_place::make(&arguments.place)?;
    let storage = data_place::storage(&arguments.place.data, false)?;
    block_on(async {
        let index = data_place::index_or_new(&arguments.place, ONE_COMMIT).await?;
        for run in &runs {
            let fresh = put(&*storage, run)?;
            // A run that is there already may be missing in an index that was made anew.
            index.take_in_shared(quiz_entry_of(&*storage, &run.id, &library)?.as_slice()).await?;
            say(&said(run, fresh));
        }
        Ok::<_, Failure>(index.close().await?)
    })??;
    Ok(ExitCode::SUCCESS)
}

/// All of them are checked before the first is put.
fn runs(arguments: &SeedArguments, library: &Library) -> Result<Vec<SharedRun>, Failure> {
    let catalogue = Catalogue::shipped().map_err(|error| Failure::Bug(format!("failed to {error}")))?;
    let reference = |name: &str, submission: Submission| {
        reference_run(submission, library, &catalogue)
            .map_err(|error| Failure::BadInput(format!("{name} cannot be a reference run: {error}")))
    };
    if arguments.runs.is_empty() {
        let shipped = |(name, text): &(&str, &str)| {
            let read = serde_json::from_str(text);
            reference(name, read.map_err(|error| Failure::Bug(format!("{name} cannot be read: {error}")))?)
        };
        return SHIPPED.iter().map(shipped).collect();
    }
    arguments.runs.iter().map(|path| reference(&path.display().to_string(), submission(path)?)).collect()
}

fn submission(path: &Path) -> Result<Submission, Failure> {
    if path.is_file() {
        let wrong = |error| Failure::BadInput(format!("{} holds no raw outputs of a run: {error}", path.display()));
        return serde_json::from_str(&read_text(path)?).map_err(wrong);
    }
    Ok(run_folder::read(&run_folder::locate(path)?)?.submission())
}

fn put(storage: &dyn Storage, run: &SharedRun) -> Result<bool, Failure> {
    let put = put_shared(storage, vec![(run.id.clone(), run.bytes())])?;
    Ok(put.first() == Some(&Put::Done))
}

fn said(run: &SharedRun, fresh: bool) -> String {
    let model = &run.submission.model;
    let name = model.catalogue_id.as_ref().or(model.custom_name.as_ref()).map_or("a model", String::as_str);
    let (right, n) = (run.first_reading.correct, run.submission.answers.len());
    let what = if fresh { "reference run" } else { "was there already:" };
    format!("{what} {}: {name}, {right} of {n} right\n", run.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_quiz::board::{QuizBoard, RunSummary};
    use benchwright_quiz::{EXTRACTOR_VERSION, Source, State, derive};

    #[test]
    fn every_run_that_comes_with_benchwright_is_a_reference_and_comes_to_the_same_again() {
        let library = data_place::library("").unwrap();
        let catalogue = Catalogue::shipped().unwrap();
        let mut summaries = Vec::new();
        for (name, text) in SHIPPED {
            let submission: Submission = serde_json::from_str(text).unwrap();
            assert_eq!(submission.ticket, "", "{name}");
            assert!((1..=EXTRACTOR_VERSION).contains(&submission.extractor), "{name}");
            let derived = derive(&submission.answers, |id| library.question(id)).unwrap();
            // What the extractor of the day read when the model wrote it is what is read now.
            assert_eq!(derived.mismatches, Vec::<String>::new(), "{name}");
            let run = reference_run(submission, &library, &catalogue).unwrap();
            assert_eq!(run.submission.model.catalogue_id.as_deref(), Some("smollm2-135m-instruct-q4_1"), "{name}");
            summaries.push(RunSummary::of(&run.id, Source::Own, &run.submission, &derived, run.verdict.state));
        }
        assert!(summaries.iter().all(|run| run.state == State::Reference));
        let board = QuizBoard::of(&summaries);
        let [table] = &board.tables[..] else { panic!("{} tables", board.tables.len()) };
        let [row] = &table.rows[..] else { panic!("{} rows", table.rows.len()) };
        // Two days are no rank.
        assert!(row.rank.is_none() && row.runs.len() == SHIPPED.len());
        let accuracy = row.accuracy.unwrap();
        assert!(accuracy.interval.low < 0.5 && accuracy.questions >= 100, "{accuracy:?}");
    }
}
