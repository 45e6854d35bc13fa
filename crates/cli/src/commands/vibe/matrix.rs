//! `benchwright vibe run`: the bundles of many models for many tasks. What is finished is kept, what was interrupted goes on.

use super::{DEFAULT_OUT, evaluate, resume};
use crate::args::{VibePrinting, VibeRunArguments};
use crate::commands::{block_on, counted};
use crate::config::{self, between};
use crate::exit::{BAD_INPUT, Failure};
use crate::models;
use crate::outputs::say;
use crate::vibe::job::{self, App, Maker, Tried};
use crate::vibe::progress::Watch;
use crate::vibe::run_folder::{self, LiveRun, Replayed};
use crate::vibe::session::{self, Ended, Session};
use benchwright_domain::vibe::Models;
use benchwright_domain::vibe::evaluation::{AppUnderTest, Evaluator};
use benchwright_domain::yaml;
use benchwright_vibe::evaluate::Plan;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

/// Format version of what `--json` prints.
const FORMAT: u32 = 1;
const MOST_APPS: usize = 8;
const MOST_REPEATS: usize = 50;
const APP: [&str; 2] = ["app", "app.zip"];
const TRAJECTORIES: [&str; 4] = ["trajectory.jsonl", "trajectory.jsonl.gz", "trajectory.json", "trajectory.json.gz"];
const VARIANT: &str = "variant.yaml";
const MAX_NODES: usize = 200;

/// One bundle of one model for one task.
#[derive(Debug, Clone)]
struct Entry {
    maker: Maker,
    task: usize,
    evaluation: u32,
    bundle: PathBuf,
    trajectory: Option<PathBuf>,
}

/// What became of an entry.
#[derive(Debug, Clone, Serialize)]
struct Told {
    model: String,
    task: String,
    run: u32,
    evaluation: u32,
    state: State,
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Evaluated,
    WasThere,
    Failed,
    NoContainers,
    Missing,
    NotBegun,
}

/// Runs the command.
pub fn run(arguments: &VibeRunArguments) -> Result<ExitCode, Failure> {
    let at_once = between("--apps", arguments.apps, 1, MOST_APPS)?;
    let repeats = between("--repeat", arguments.repeat, 1, MOST_REPEATS)?;
    // Wrong for every bundle, so it is said once.
    job::walker(&arguments.evaluator)?;
    let models = models(arguments)?;
    let tasks = tasks(arguments)?;
    let (entries, missing) = entries(arguments, &models, &tasks, repeats as u32)?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let mut told = block_on(evaluate_all(arguments, &tasks, &entries, &out, at_once))??;
    let failure = first_failure(&told);
    told.extend(missing);
    if arguments.json {
        let plain: Vec<&Told> = told.iter().map(|(told, _)| told).collect();
        say(&benchwright_report::json::pretty(&serde_json::json!({ "format": FORMAT, "entries": plain })));
    } else if !arguments.quiet {
        say(&summary(&told, &out));
    }
    match failure {
        Some(failure) => Err(failure),
        None if told.iter().any(|(told, _)| matches!(told.state, State::Missing | State::Failed)) => {
            Ok(ExitCode::from(BAD_INPUT))
        }
        None => Ok(ExitCode::SUCCESS),
    }
}

type Outcome = (Told, Option<Failure>);

/// Whether a failure is of one app and says nothing of the others.
fn is_its_own(failure: &Failure) -> bool {
    matches!(failure, Failure::BadInput(_) | Failure::NoContainers(_))
}

fn first_failure(told: &[Outcome]) -> Option<Failure> {
    let failures = || told.iter().filter_map(|(_, failure)| failure.clone());
    failures()
        .find(|failure| matches!(failure, Failure::Interrupted(_)))
        .or_else(|| failures().find(|failure| !matches!(failure, Failure::BadInput(_))))
}

/// The models under test. Under a budget each must have a price, because what it cost is part of its result.
fn models(arguments: &VibeRunArguments) -> Result<Models, Failure> {
    let asking = &arguments.evaluator.asking;
    let file = asking.models.as_deref();
    let file = file.ok_or_else(|| Failure::BadInput("name the models under test: --models models.yaml".to_owned()))?;
    let mut models = models::read(file)?;
    if let Some(unknown) = arguments.model.iter().find(|id| models.get(id).is_none()) {
        return Err(Failure::BadInput(format!("{} has no model `{unknown}`", file.display())));
    }
    models.models.retain(|model| arguments.model.is_empty() || arguments.model.contains(&model.id));
    if let Some(limit) = asking.budget.filter(|limit| limit.is_finite()) {
        for model in &models.models {
            models.under_budget(&model.id, limit).map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
        }
    }
    Ok(models)
}

fn tasks(arguments: &VibeRunArguments) -> Result<Vec<Tried>, Failure> {
    let mut tasks = job::all_tasks(&arguments.evaluator.tasks)?;
    if let Some(unknown) = arguments.task.iter().find(|id| !tasks.iter().any(|tried| tried.task.id == **id)) {
        let place = arguments.evaluator.tasks.display();
        return Err(Failure::BadInput(format!("{place} has no task `{unknown}`")));
    }
    tasks.retain(|tried| arguments.task.is_empty() || arguments.task.contains(&tried.task.id));
    Ok(tasks)
}

/// The bundles that are there, and those that are not.
fn entries(
    arguments: &VibeRunArguments,
    models: &Models,
    tasks: &[Tried],
    repeats: u32,
) -> Result<(Vec<Entry>, Vec<Outcome>), Failure> {
    let (mut entries, mut missing) = (Vec::new(), Vec::new());
    for model in &models.models {
        for (task, tried) in tasks.iter().enumerate() {
            let folder = arguments.bundles.join(folder_name(&model.id)).join(&tried.task.id);
            let runs = runs_in(&folder)?;
            if runs.is_empty() {
                let reason = format!("there is no bundle in {}", folder.display());
                missing.push((told(&model.id, &tried.task.id, 0, 0, State::Missing, Some(reason)), None));
            }
            for (run, path) in runs {
                let Some(bundle) = APP.iter().map(|name| path.join(name)).find(|it| it.exists()) else {
                    let reason = format!("{} has neither app/ nor app.zip", path.display());
                    missing.push((told(&model.id, &tried.task.id, run, 0, State::Missing, Some(reason)), None));
                    continue;
                };
                let described = Some(model.without_address());
                let maker = Maker { model: model.id.clone(), described, run, variant: variant(&path)? };
                let trajectory = TRAJECTORIES.iter().map(|name| path.join(name)).find(|it| it.is_file());
                entries.extend((0..repeats).map(|evaluation| Entry {
                    maker: maker.clone(),
                    task,
                    evaluation,
                    bundle: bundle.clone(),
                    trajectory: trajectory.clone(),
                }));
            }
        }
    }
    Ok((entries, missing))
}

/// A model's id as the name of a folder.
fn folder_name(model: &str) -> String {
    model.replace('/', "__")
}

/// The folders of a model's apps for a task, by their numbers.
fn runs_in(folder: &Path) -> Result<BTreeMap<u32, PathBuf>, Failure> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        entries => entries.map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", folder.display())))?,
    };
    let numbered = entries.filter_map(|entry| {
        let path = entry.ok()?.path();
        Some((path.file_name()?.to_str()?.parse().ok()?, path)).filter(|(_, path)| path.is_dir())
    });
    Ok(numbered.collect())
}

fn variant(folder: &Path) -> Result<BTreeMap<String, String>, Failure> {
    let file = folder.join(VARIANT);
    if !file.exists() {
        return Ok(BTreeMap::new());
    }
    yaml::read(&config::read_text(&file)?, MAX_NODES).map_err(|refusal| {
        Failure::BadInput(format!("{}:{}:{}: {}", file.display(), refusal.line, refusal.column, refusal.problem))
    })
}

/// Workers take entries from one queue until it is empty or somebody wants to end.
async fn evaluate_all(
    arguments: &VibeRunArguments,
    tasks: &[Tried],
    entries: &[Entry],
    out: &Path,
    at_once: usize,
) -> Result<Vec<Outcome>, Failure> {
    let session = Session::open(arguments.evaluator.browser.as_deref(), &arguments.evaluator.asking)?;
    let known = if out.join("runs").is_dir() {
        run_folder::locate_all(&[out.to_owned()]).unwrap_or_default()
    } else {
        Vec::new()
    };
    let known: Vec<Replayed> = known.iter().filter_map(|path| run_folder::read(path).ok()).collect();
    let matrix = Matrix { arguments, tasks, known, session, out };
    let queue: Mutex<VecDeque<usize>> = Mutex::new((0..entries.len()).collect());
    let outcomes: Mutex<Vec<Option<Outcome>>> = Mutex::new(entries.iter().map(|_| None).collect());
    let work = || async {
        while !matrix.session.is_stopped() {
            let next = queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(index) = next else { break };
            let outcome = Box::pin(matrix.evaluate(&entries[index], (index + 1, entries.len()))).await;
            let is_final = outcome.1.as_ref().is_some_and(|failure| !is_its_own(failure));
            outcomes.lock().unwrap_or_else(PoisonError::into_inner)[index] = Some(outcome);
            if is_final {
                // What one evaluation lacks, such as a browser or money, the next one lacks as well.
                queue.lock().unwrap_or_else(PoisonError::into_inner).clear();
            }
        }
    };
    futures_util::future::join_all((0..at_once).map(|_| work())).await;
    let outcomes = outcomes.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(outcomes
        .into_iter()
        .zip(entries)
        .map(|(outcome, entry)| outcome.unwrap_or_else(|| (matrix.told(entry, State::NotBegun, None), None)))
        .collect())
}

/// What all entries share.
struct Matrix<'a> {
    arguments: &'a VibeRunArguments,
    tasks: &'a [Tried],
    /// Runs that are there already.
    known: Vec<Replayed>,
    session: Session,
    out: &'a Path,
}

impl Matrix<'_> {
    async fn evaluate(&self, entry: &Entry, (number, count): (usize, usize)) -> Outcome {
        let label =
            format!("{number}/{count} {} {} {}", entry.maker.model, self.tasks[entry.task].task.id, entry.maker.run);
        let watch = Watch::labelled(self.arguments.quiet, &label);
        match self.one(entry, &watch).await {
            Ok((state, accuracy)) => (Told { accuracy, ..self.told(entry, state, None) }, None),
            Err(failure) => {
                eprintln!("benchwright: {label}: {failure}");
                let state = match failure {
                    Failure::NoContainers(_) => State::NoContainers,
                    _ => State::Failed,
                };
                (self.told(entry, state, Some(failure.to_string())), Some(failure))
            }
        }
    }

    async fn one(&self, entry: &Entry, watch: &Watch) -> Result<(State, Option<f64>), Failure> {
        let tried = &self.tasks[entry.task];
        let app = App::bundle(&entry.bundle, self.session.scratch_base())?;
        let plan = job::plan(tried, &app, &entry.maker, &[], &self.arguments.evaluator, entry.evaluation)?;
        let session = self.session.for_plan(&plan)?;
        if let Some(before) = self.known.iter().find(|known| self.is_same(known, tried, &plan)) {
            if let Some(evaluation) = &before.finished {
                return Ok((State::WasThere, evaluation.accuracy()));
            }
            let scores = scores_of(&before.path);
            let printing = VibePrinting::default();
            let evaluation = resume::conduct(&session, before, Some(&entry.bundle), &scores, &printing, watch).await?;
            return Ok((State::Evaluated, evaluation.accuracy()));
        }
        let inputs = app.inputs(entry.trajectory.as_deref())?;
        let deployed = session.deploy(&app, &plan, watch).await?;
        let run = LiveRun::begin(self.out, &tried.files, &plan, self.arguments.score, &inputs);
        let conducted = match run {
            Ok(run) => session.conduct(run, &deployed, watch).await,
            Err(failure) => Err(failure),
        };
        deployed.finish().await;
        let (mut run, ended) = conducted?;
        if ended == Ended::Interrupted {
            return Err(Failure::Interrupted(
                "interrupted; what was walked is kept\n  continue: the same command again".to_owned(),
            ));
        }
        if let (true, App::Bundle(bundle, _)) = (self.arguments.score, &app) {
            let scores = scores_of(run.path());
            Box::pin(evaluate::score_bundle(&mut run, bundle.root(), &scores, true)).await?;
        }
        let evaluation = session::close(&mut run, &VibePrinting::default())?;
        Ok((State::Evaluated, evaluation.accuracy()))
    }

    /// Whether a run is the one that an entry asks for: the same app, the same test with all its workflows, the same evaluator, deployed
    /// as it is wanted, and scores if they are wanted. A price that changed since changes no verdict.
    fn is_same(&self, known: &Replayed, tried: &Tried, plan: &Plan) -> bool {
        let before = &known.frozen.plan;
        let AppUnderTest { backend, described, .. } = before.app.clone();
        let app = AppUnderTest { backend, described, ..plan.app.clone() };
        known.files.task == tried.files.task
            && known.files.spec == tried.files.spec
            && known.files.workflows == tried.files.workflows
            && before.app == app
            && plan.workflows.iter().all(|workflow| before.workflows.contains(workflow))
            && before.evaluator.name() == plan.evaluator.name()
            && before.evaluator.versions() == plan.evaluator.versions()
            && are_asked_alike(&before.evaluator, &plan.evaluator)
            && before.shared_state == plan.shared_state
            && before.limits == plan.limits
            && before.allowance == plan.allowance
            && is_deployed_by(known, plan.evaluator.settings.get("backend"))
            && (known.frozen.score || !self.arguments.score)
    }

    fn told(&self, entry: &Entry, state: State, reason: Option<String>) -> Told {
        let Maker { model, run, .. } = &entry.maker;
        told(model, &self.tasks[entry.task].task.id, *run, entry.evaluation, state, reason)
    }
}

/// Whether models see as much and think as long, where both are known: a finished run needs no key to be found again. Where they are
/// asked changes no verdict.
fn are_asked_alike(before: &Evaluator, now: &Evaluator) -> bool {
    let matters = |name: &str| name.ends_with(".vision") || name.ends_with(".thinking_tokens");
    let mut wanted = now.settings.iter().filter(|(name, _)| matters(name));
    wanted.all(|(name, value)| before.settings.get(name).is_none_or(|was| was == value))
}

/// Whether a run was to be deployed by a backend, or was. Whoever wants none in particular takes each.
fn is_deployed_by(known: &Replayed, wanted: Option<&String>) -> bool {
    let ordered = known.frozen.plan.evaluator.settings.get("backend");
    let used = known.outcome.start.as_ref().map(|start| &start.backend);
    wanted.is_none() || ordered == wanted || used == wanted
}

/// Apps that are scored at once must not write over each other's reports.
fn scores_of(run: &Path) -> PathBuf {
    evaluate::scores_folder(run).join(run.file_name().unwrap_or_default())
}

fn told(model: &str, task: &str, run: u32, evaluation: u32, state: State, reason: Option<String>) -> Told {
    let (model, task) = (model.to_owned(), task.to_owned());
    Told { model, task, run, evaluation, state, accuracy: None, reason }
}

fn summary(told: &[Outcome], out: &Path) -> String {
    let width = told.iter().map(|(it, _)| it.model.len() + it.task.len() + 1).max().unwrap_or_default();
    let mut text = String::new();
    for (it, _) in told {
        let reason = it.reason.as_deref().and_then(|reason| reason.lines().next()).unwrap_or_default();
        let because = |state: &str| format!("{state}: {reason}");
        let words = match it.state {
            State::Evaluated => "evaluated".to_owned(),
            State::WasThere => "was there".to_owned(),
            State::NotBegun => "not begun".to_owned(),
            State::Failed => because("failed"),
            State::NoContainers => because("no containers"),
            State::Missing => because("missing"),
        };
        let share = it.accuracy.map_or_else(|| "–".to_owned(), |share| format!("{share:.1} %"));
        let name = format!("{} {}", it.model, it.task);
        let _ = writeln!(text, "{name:width$}  run {}  evaluation {}  {share:>7}  {words}", it.run, it.evaluation);
    }
    let missing = told.iter().filter(|(it, _)| it.state == State::Missing).count();
    if missing > 0 {
        let _ = writeln!(text, "\n{} missing", counted(missing, "bundle"));
    }
    let _ = writeln!(text, "\nAnalysis: benchwright vibe analyse {}", out.display());
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_sees_more_or_thinks_longer_is_another_evaluator() {
        let asked = |settings: &[(&str, &str)]| Evaluator {
            walker: "agent".to_owned(),
            judge: "rules".to_owned(),
            settings: settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
        };
        let before =
            asked(&[("model.vision", "false"), ("model.endpoint", "http://127.0.0.1:1"), ("concurrency", "1")]);
        assert!(!are_asked_alike(&before, &asked(&[("model.vision", "true")])));
        assert!(are_asked_alike(
            &before,
            &asked(&[("model.vision", "false"), ("model.endpoint", "http://127.0.0.1:2")])
        ));
        assert!(are_asked_alike(&before, &asked(&[])), "without a key nothing is known of how it would be asked");
        let thinking = asked(&[("judge.thinking_tokens", "8000")]);
        assert!(!are_asked_alike(&asked(&[("judge.thinking_tokens", "0")]), &thinking));
    }
}
