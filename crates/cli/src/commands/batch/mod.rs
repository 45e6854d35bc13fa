//! `benchwright batch`: many apps from one file. One bad entry does not stop the rest; a second call does what is left.

mod entry;
mod ledger;

use crate::args::BatchArguments;
use crate::exit::{self, Failure};
use crate::progress::Display;
use crate::submissions::{self, Entry, MAX_BYTES, Submissions};
use crate::{config, environment, outputs};
use benchwright_domain::Report;
use benchwright_report::csv;
use entry::{Batch, Done};
use ledger::{Ledger, Status};
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

const DEFAULT_OUT: &str = "benchwright-batch";
const MOST_AT_ONCE: usize = 8;

/// What became of an entry, in the order of the file.
type Outcomes = Vec<Option<Result<Done, Failure>>>;

/// Runs the command.
pub fn run(arguments: &BatchArguments) -> Result<ExitCode, Failure> {
    let at_once = config::between("--concurrency", arguments.concurrency, 1, MOST_AT_ONCE)?;
    let written = entry::modified(&arguments.file);
    let Submissions { entries, refused } = read(&arguments.file)?;
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let measuring = &arguments.measuring;
    let judging = config::judging(measuring.config.as_deref(), &measuring.judging)?;
    let batch = Batch {
        arguments,
        written,
        beside: arguments.file.parent().map(Path::to_owned).unwrap_or_default(),
        bench: environment::workbench(measuring.browser.as_deref(), &judging)?,
        ledger: Ledger::open(&folder)?,
        folder,
    };
    for problem in &refused {
        eprintln!("benchwright: {problem}");
    }
    let outcomes = score_all(&batch, &entries, at_once);
    let reports: Vec<&Report> = outcomes.iter().flatten().flatten().map(|done| &done.report).collect();
    outputs::replace(&batch.folder.join("batch.csv"), csv::runs(reports).as_bytes())?;
    if arguments.json {
        outputs::say(&batch.ledger.json()?);
    } else if !arguments.quiet {
        outputs::say(&summary(&entries, &outcomes, &refused, &batch.folder));
    }
    ending(&outcomes, &refused, &batch.folder)
}

fn read(file: &Path) -> Result<Submissions, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", file.display()));
    let size = fs::metadata(file).map_err(|error| wrong(error.to_string()))?.len();
    if size > MAX_BYTES as u64 {
        return Err(wrong(format!("it is larger than {} KB", MAX_BYTES / 1024)));
    }
    let text = fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    submissions::read(&text, &file.display().to_string())
}

/// Workers take entries from one queue until it is empty or the user presses ctrl-C.
fn score_all(batch: &Batch, entries: &[Entry], at_once: usize) -> Outcomes {
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..entries.len()).collect());
    let outcomes: Mutex<Outcomes> = Mutex::new(entries.iter().map(|_| None).collect());
    let interrupted = AtomicBool::new(false);
    let work = || {
        while !interrupted.load(Ordering::SeqCst) {
            let Some(index) = queue.lock().ok().and_then(|mut queue| queue.pop_front()) else { break };
            let outcome = score_one(batch, &entries[index], (index + 1, entries.len()), at_once > 1);
            if matches!(outcome, Err(Failure::Interrupted(_))) {
                interrupted.store(true, Ordering::SeqCst);
            }
            if let Ok(mut outcomes) = outcomes.lock() {
                outcomes[index] = Some(outcome);
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..at_once.min(entries.len()) {
            scope.spawn(work);
        }
        work();
    });
    outcomes.into_inner().unwrap_or_default()
}

fn score_one(batch: &Batch, entry: &Entry, (number, count): (usize, usize), beside: bool) -> Result<Done, Failure> {
    let key = entry.key();
    let quiet = batch.arguments.quiet;
    let tell = |words: &str| {
        if !quiet {
            eprintln!("[{number}/{count}] {key}: {words}");
        }
    };
    for warning in &entry.warnings {
        tell(warning);
    }
    tell("scoring");
    let display = if beside { Display::labelled(quiet, &key) } else { Display::new(quiet) };
    let outcome = entry::score(batch, entry, &display);
    match &outcome {
        Ok(done) if done.was_there => tell("was scored before"),
        Ok(done) => tell(done.reason.as_deref().unwrap_or("scored")),
        Err(Failure::Interrupted(_)) => tell("interrupted"),
        // What is wrong with an entry is an error, and errors are said even when quiet.
        Err(failure) => eprintln!("benchwright: {key} (line {}): {failure}", entry.line),
    }
    outcome
}

fn summary(entries: &[Entry], outcomes: &Outcomes, refused: &[String], folder: &Path) -> String {
    let width = entries.iter().map(|entry| entry.key().len()).max().unwrap_or_default();
    let mut text = String::new();
    for (entry, outcome) in entries.iter().zip(outcomes) {
        let (score, words) = match outcome {
            Some(Ok(done)) => {
                let score = done.report.composite.map_or_else(|| "–".to_owned(), |value| format!("{value:.1}"));
                (score, done.reason.clone().unwrap_or_else(|| "scored".to_owned()))
            }
            Some(Err(Failure::Interrupted(_))) => ("–".to_owned(), "interrupted".to_owned()),
            Some(Err(failure)) => {
                let text = failure.to_string();
                ("–".to_owned(), format!("failed: {}", first_line(text.strip_prefix("failed to ").unwrap_or(&text))))
            }
            None => ("–".to_owned(), "not begun".to_owned()),
        };
        let _ = writeln!(text, "{:<width$}  {score:>5}  {words}", entry.key());
    }
    for problem in refused {
        let _ = writeln!(text, "failed: {problem}");
    }
    let _ = writeln!(text, "\nReports: {0}/entries\nBoard: benchwright leaderboard --runs {0}", folder.display());
    text
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

fn ending(outcomes: &Outcomes, refused: &[String], folder: &Path) -> Result<ExitCode, Failure> {
    let any = |wanted: fn(&Result<Done, Failure>) -> bool| outcomes.iter().flatten().any(wanted);
    if outcomes.iter().any(Option::is_none) || any(|outcome| matches!(outcome, Err(Failure::Interrupted(_)))) {
        let text = format!(
            "interrupted; what was gathered is kept in {}\n  continue: the same command again",
            folder.display()
        );
        return Err(Failure::Interrupted(text));
    }
    let status = |outcome: &Result<Done, Failure>, wanted: Status| matches!(outcome, Ok(done) if done.status == wanted);
    let code = if any(|outcome| matches!(outcome, Err(Failure::Bug(_)))) {
        exit::BUG
    } else if any(|outcome| matches!(outcome, Err(Failure::Environment(_))))
        || outcomes.iter().flatten().any(|o| status(o, Status::Incomplete))
    {
        exit::ENVIRONMENT
    } else if !refused.is_empty() || any(Result::is_err) || outcomes.iter().flatten().any(|o| status(o, Status::Failed))
    {
        exit::BAD_INPUT
    } else {
        0
    };
    Ok(ExitCode::from(code))
}
