//! A run: asks every question, keeps every answer, shares the whole if asked to.

use crate::args::{ProtocolChoice, QuizRunArguments, SourceChoice};
use crate::commands::block_on;
use crate::exit::{ENVIRONMENT, Failure};
use crate::interruption::Interruption;
use crate::quiz::asking::{Ended, ask_all};
use crate::quiz::banks::{Asked, Banks};
use crate::quiz::board::Board;
use crate::quiz::engine::{EndpointPlace, Engine, Known, LocalPlace, Place};
use crate::quiz::outputs;
use crate::quiz::progress::Watch;
use crate::quiz::run_folder::{self, Frozen, LiveRun, Replayed, Share};
use benchwright_quiz::{Protocol, QuickDraw, Selection, Source, predicted_half_width};
use benchwright_report::number;
use benchwright_scoring::request::OPEN_ROUTER;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

const DEFAULT_OUT: &str = "benchwright-quiz";
/// Questions of the set that is asked when nobody says otherwise.
const DEFAULT_COUNT: usize = 36;

/// Runs the command.
pub fn run(arguments: &QuizRunArguments) -> Result<ExitCode, Failure> {
    let limit = time_limit(arguments.limit_time)?;
    let (path, ended) = match &arguments.resume {
        Some(named) => resume(arguments, &run_folder::locate(named)?, limit)?,
        None => begin(arguments, limit)?,
    };
    conclude(arguments, &path, &ended)
}

fn time_limit(seconds: Option<f64>) -> Result<Option<Duration>, Failure> {
    let Some(seconds) = seconds else { return Ok(None) };
    let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
    limit.map(Some).ok_or_else(|| Failure::BadInput(format!("--limit-time {seconds} is no number of seconds above 0")))
}

fn begin(arguments: &QuizRunArguments, limit: Option<Duration>) -> Result<(PathBuf, Ended), Failure> {
    let place = place(arguments)?;
    let banks = Banks::open(arguments.data.as_deref())?;
    let selection = selection(arguments, &banks);
    // What cannot be asked is said before a model is loaded.
    let ours = asked(&banks, &selection);
    let board = arguments.share.as_deref().map(Board::at).transpose()?;
    if board.is_none() {
        ours.as_ref().map_err(Clone::clone)?;
    }
    block_on(async {
        let mut interruption = Interruption::listen();
        let quiet = arguments.printing.quiet;
        let opening = open(&place, arguments.model.as_deref(), arguments.thinking, quiet);
        let (mut engine, mut known) = unless_interrupted(&mut interruption, opening).await??;
        let begun = async {
            let protocol = protocol(arguments.protocol);
            let (asked, share) = match &board {
                Some(board) => from_board(board, &selection, arguments.seed, ours.ok(), &mut known, protocol).await?,
                None => (ours?, None),
            };
            expectation(&asked, quiet);
            let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
            let frozen = Frozen::new(protocol, asked, place, known, share);
            LiveRun::begin(&out, &frozen)
        };
        let begun = unless_interrupted(&mut interruption, begun).await.and_then(|begun| begun);
        let outcome = match begun {
            Ok(run) => go_on(&mut engine, run, limit, quiet, &mut interruption).await,
            Err(failure) => Err(failure),
        };
        engine.close().await;
        outcome
    })?
}

fn resume(arguments: &QuizRunArguments, path: &Path, limit: Option<Duration>) -> Result<(PathBuf, Ended), Failure> {
    let before = run_folder::read(path)?;
    let quiet = arguments.printing.quiet;
    if before.finished {
        Watch::step(quiet, "benchwright: every question has an answer; nothing was left to ask");
        return Ok((path.to_owned(), Ended::Done));
    }
    let mut place = before.frozen.place.clone();
    if let (Place::Gguf(local), Some(threads)) = (&mut place, arguments.threads) {
        local.threads = threads;
    }
    block_on(async {
        let mut interruption = Interruption::listen();
        let thinking = before.frozen.known.template.thinking;
        let opening = open(&place, None, thinking, quiet);
        let (mut engine, known) = unless_interrupted(&mut interruption, opening).await??;
        let outcome = match same_model(&before.frozen.known, &known).and_then(|()| LiveRun::reopen(path)) {
            Ok(run) => go_on(&mut engine, run, limit, quiet, &mut interruption).await,
            Err(failure) => Err(failure),
        };
        engine.close().await;
        outcome
    })?
}

/// Half a run of one model and half of another would be no run.
fn same_model(before: &Known, now: &Known) -> Result<(), Failure> {
    if before.model.file_sha256 == now.model.file_sha256 && before.template == now.template {
        return Ok(());
    }
    Err(Failure::BadInput("the model's file is not the one this run was begun with; begin a new run".to_owned()))
}

/// Asks what is left, until it is done or the user presses ctrl-C.
async fn go_on(
    engine: &mut Engine,
    mut run: LiveRun,
    limit: Option<Duration>,
    quiet: bool,
    interruption: &mut Interruption,
) -> Result<(PathBuf, Ended), Failure> {
    let path = run.path().to_owned();
    let Replayed { frozen, answers, .. } = run_folder::read(&path)?;
    let watch = Watch::new(frozen.asked.questions.len(), answers.len(), quiet);
    let outcome = tokio::select! {
        ended = ask_all(engine, &frozen, &answers, &mut run, limit, &watch) => Some(ended),
        () = interruption.arrives() => None,
    };
    watch.clear();
    let Some(ended) = outcome else {
        run.interrupted("ctrl-C")?;
        return Err(Failure::Interrupted(format!("interrupted; what was gathered is kept\n{}", what_next(&path))));
    };
    match &ended {
        Ok(Ended::Done) => {}
        Ok(Ended::OutOfTime) => run.interrupted("the time was up")?,
        Ok(Ended::Broken(what)) => run.interrupted(what)?,
        Err(failure) => run.interrupted(&failure.to_string())?,
    }
    let report = run_folder::read(&path)?.report()?;
    if report.is_complete() {
        run.finish(&report)?;
    }
    Ok((path, ended?))
}

fn what_next(path: &Path) -> String {
    let path = path.display();
    format!("  continue: benchwright quiz --resume {path}\n  look at it: benchwright quiz rescore {path}")
}

/// Shares what is to be shared, writes the reports, and says how it ended.
fn conclude(arguments: &QuizRunArguments, path: &Path, ended: &Ended) -> Result<ExitCode, Failure> {
    let replayed = run_folder::read(path)?;
    let shared = share(&replayed, path, arguments.printing.quiet);
    let report = run_folder::read(path)?.report()?;
    let folder = arguments.out.clone().unwrap_or_else(|| run_folder::reports_folder(path));
    let nothing_came = report.submission.answers.is_empty();
    if !nothing_came {
        outputs::publish(&report, &folder, &arguments.printing)?;
    }
    shared?;
    if report.is_complete() {
        return Ok(ExitCode::SUCCESS);
    }
    let why = match ended {
        Ended::Broken(what) => format!("the engine failed: {what}"),
        Ended::OutOfTime => "the time was up".to_owned(),
        Ended::Done => "the engine failed on some questions".to_owned(),
    };
    if nothing_came && matches!(ended, Ended::Broken(_)) {
        return Err(Failure::BadInput(format!("no question was answered; {why}")));
    }
    let (answered, all) = (report.submission.answers.len(), report.questions.len());
    eprintln!("benchwright: {answered} of {all} questions have an answer; {why}\n{}", what_next(path));
    Ok(ExitCode::from(ENVIRONMENT))
}

/// Shares a finished run, once.
fn share(replayed: &Replayed, path: &Path, quiet: bool) -> Result<(), Failure> {
    let Some(share) = replayed.frozen.share.as_ref().filter(|_| replayed.finished && !replayed.is_shared()) else {
        return Ok(());
    };
    let board = Board::at(&share.board)?;
    let receipt = block_on(board.share(&replayed.shared()))??;
    run_folder::keep_receipt(path, &receipt)?;
    let state = benchwright_report::text::line_within(&receipt.state, 40);
    Watch::step(
        quiet,
        &format!("shared ({state}): {}\n  to remove it there: {}", receipt.address, receipt.delete_token),
    );
    Ok(())
}

/// Where the model is that the user names.
fn place(arguments: &QuizRunArguments) -> Result<Place, Failure> {
    if let Some(file) = &arguments.gguf {
        return LocalPlace::new(file, arguments.threads, arguments.unconfined).map(Place::Gguf);
    }
    let Some(model) = arguments.model.as_deref().map(str::trim).filter(|model| !model.is_empty()) else {
        return Err(Failure::BadInput(
            "name a model: --gguf FILE for one on this machine, or --model NAME with --base-url URL for one behind an endpoint"
                .to_owned(),
        ));
    };
    let base_url = arguments.base_url.as_deref().unwrap_or(OPEN_ROUTER);
    EndpointPlace::new(base_url, model, arguments.key_variable.as_deref()).map(Place::Endpoint)
}

async fn open(place: &Place, name: Option<&str>, thinking: bool, quiet: bool) -> Result<(Engine, Known), Failure> {
    match place {
        Place::Endpoint(place) => Ok((Engine::Remote(Box::new(place.open(thinking)?)), place.known(thinking))),
        Place::Gguf(place) => {
            Watch::step(quiet, &format!("loading {}", place.file.display()));
            let (local, known) = place.open(name, thinking).await?;
            Ok((Engine::Local(Box::new(local)), known))
        }
    }
}

/// What the user wants to be asked.
fn selection(arguments: &QuizRunArguments, banks: &Banks) -> Selection {
    let source = match arguments.source {
        Some(SourceChoice::Own) => Source::Own,
        Some(SourceChoice::Mmlu) => Source::Mmlu,
        None => banks.usual_source(),
    };
    match (arguments.questions, &arguments.set) {
        (Some(count), _) => {
            let seed = arguments.seed.unwrap_or_else(|| jiff::Timestamp::now().subsec_nanosecond().unsigned_abs());
            Selection::Quick(QuickDraw { source, count, seed })
        }
        (None, Some(set)) => Selection::Set(set.clone()),
        (None, None) => Selection::Set(format!("{}-{DEFAULT_COUNT}", source.as_str())),
    }
}

fn asked(banks: &Banks, selection: &Selection) -> Result<Asked, Failure> {
    match selection {
        Selection::Set(id) => banks.set(id),
        Selection::Quick(quick) => banks.quick(*quick),
    }
}

/// Begins a run at a board: with its questions, and under the name it knows the model by. Unless the user insists on a seed the board
/// draws: it does not rank questions that somebody could choose.
async fn from_board(
    board: &Board,
    selection: &Selection,
    seed: Option<u32>,
    ours: Option<Asked>,
    known: &mut Known,
    protocol: Protocol,
) -> Result<(Asked, Option<Share>), Failure> {
    if let Some(sha256) = &known.model.file_sha256
        && let Some(id) = board.catalogue_id(sha256).await?
    {
        known.model.catalogue_id = Some(id);
        known.model.custom_name = None;
    }
    let name = known.model.catalogue_id.as_ref().or(known.model.custom_name.as_ref()).cloned().unwrap_or_default();
    let (wanted, source): (Value, Source) = match selection {
        Selection::Set(id) if id.starts_with("mmlu") => (json!({ "set": id }), Source::Mmlu),
        Selection::Set(id) => (json!({ "set": id }), Source::Own),
        Selection::Quick(QuickDraw { source, count, .. }) => {
            (json!({ "quick": { "source": source, "count": count, "seed": seed } }), *source)
        }
    };
    let ticket = board.ticket(&wanted, &name, protocol).await?;
    let share = Share { board: board.address_text(), ticket: ticket.text.clone() };
    Ok((ticket.asked(source, ours)?, Some(share)))
}

fn protocol(choice: ProtocolChoice) -> Protocol {
    match choice {
        ProtocolChoice::OneMessage1 => Protocol::OneMessage1,
        ProtocolChoice::ChatTurns1 => Protocol::ChatTurns1,
    }
}

/// How sure the result can be, said before anything is asked.
fn expectation(asked: &Asked, quiet: bool) {
    let count = asked.questions.len();
    let width = predicted_half_width(count as u64).map(number::percent).unwrap_or_default();
    let what = match (&asked.set, asked.quick) {
        (Some(set), _) => set.clone(),
        (None, Some(quick)) => format!("a draw with seed {}", quick.seed),
        (None, None) => asked.source.as_str().to_owned(),
    };
    Watch::step(quiet, &format!("{count} questions ({what}): expect about ±{width}"));
}

async fn unless_interrupted<T>(interruption: &mut Interruption, work: impl Future<Output = T>) -> Result<T, Failure> {
    tokio::select! {
        result = work => Ok(result),
        () = interruption.arrives() => Err(Failure::Interrupted("interrupted before anything was asked".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    #[test]
    fn a_run_goes_on_with_the_model_it_was_begun_with_and_no_other() {
        let known = |file: &str, thinking: bool| {
            let mut known = EndpointPlace::new("http://localhost:1/v1", "m", None).unwrap().known(thinking);
            known.model.file_sha256 = Some(file.to_owned());
            known
        };
        assert!(same_model(&known("a", false), &known("a", false)).is_ok());
        for other in [known("b", false), known("a", true)] {
            assert!(text_of(same_model(&known("a", false), &other)).contains("begin a new run"));
        }
    }

    #[test]
    fn a_time_limit_is_a_number_of_seconds_above_nothing() {
        assert_eq!(time_limit(None).unwrap(), None);
        assert_eq!(time_limit(Some(1.5)).unwrap(), Some(Duration::from_millis(1500)));
        for wrong in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(text_of(time_limit(Some(wrong))).contains("--limit-time"), "{wrong}");
        }
    }
}
