//! What the command line asks to evaluate: the task, the app, the plan.

use super::run_folder::Inputs;
use crate::args::{AllowanceArguments, EvaluatorArguments, WalkerChoice};
use crate::commands::vibe::trajectory;
use crate::config::between;
use crate::exit::Failure;
use crate::models;
use benchwright_domain::vibe::Model;
use benchwright_domain::vibe::evaluation::{AppUnderTest, Evaluator};
use benchwright_vibe::bundle::{Bundle, hash_unopened};
use benchwright_vibe::deploy::Allowance;
use benchwright_vibe::evaluate::{Order, PLAN_FORMAT, Plan, Walking};
use benchwright_vibe::judge;
use benchwright_vibe::task::{self, Files, Limits, Task, folder};
use benchwright_vibe::walk;
use jiff::civil::Date;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use url::Url;

const MOST_AT_ONCE: usize = 16;
/// The most that one limit may be set to, as a multiple of the published one.
const MOST_TIMES: u32 = 10;

/// A task as it stands on the disk.
pub struct Tried {
    /// Its files.
    pub files: Files,
    /// What they say.
    pub task: Task,
}

/// The task with an id, in a folder of tasks.
pub fn find_task(tasks: &Path, id: &str) -> Result<Tried, Failure> {
    let all = all_tasks(tasks)?;
    let ids: Vec<String> = all.iter().map(|tried| tried.task.id.clone()).collect();
    all.into_iter().find(|tried| tried.task.id == id).ok_or_else(|| {
        let (place, ids) = (tasks.display(), ids.join(", "));
        Failure::BadInput(format!("{place} has no task `{id}`; it has {ids} (--tasks names another folder)"))
    })
}

/// All tasks of a folder. One that is wrong, or was changed after it was frozen, cannot be used.
pub fn all_tasks(tasks: &Path) -> Result<Vec<Tried>, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::BadInput(format!("failed to {error}"));
    let folders = folder::tasks_in(tasks).map_err(|error| wrong(&error))?;
    folders
        .iter()
        .map(|folder| {
            let files = Files::read(folder).map_err(|error| wrong(&error))?;
            let task = task::load(&files).map_err(|error| wrong(&error))?;
            refuse_changed(folder, &files, &task)?;
            Ok(Tried { files, task })
        })
        .collect()
}

fn refuse_changed(folder: &Path, files: &Files, task: &Task) -> Result<(), Failure> {
    let beside = task::beside(folder);
    if !beside.exists() {
        return Ok(());
    }
    let wrong = |error: &dyn std::fmt::Display| Failure::BadInput(format!("failed to {error}"));
    let text = folder::read_text(&beside).map_err(|error| wrong(&error))?;
    let frozen = task::Frozen::read(&text, &beside.display().to_string()).map_err(|error| wrong(&error))?;
    match frozen.objection(&task.id, task.version, &task::hash(files)) {
        Some(objection) => Err(Failure::BadInput(format!("{}: {objection}", task.id))),
        None => Ok(()),
    }
}

/// The app that is tried.
pub enum App {
    /// A bundle, open, and where this machine has it.
    Bundle(Box<Bundle>, PathBuf),
    /// What was handed in as a bundle and is none: an app that does not start.
    Broken {
        /// What is wrong with it; completes "failed to …".
        why: String,
        /// Where this machine has it.
        place: PathBuf,
        /// What tells it from others.
        hash: Option<String>,
    },
    /// An address.
    Address(String),
}

impl App {
    /// A bundle at a path.
    pub fn bundle(path: &Path, scratch_base: &Path) -> Result<Self, Failure> {
        let place = path.to_owned();
        match Bundle::open(path, scratch_base) {
            Ok(bundle) => Ok(Self::Bundle(Box::new(bundle), place)),
            Err(error) if error.is_the_apps() => {
                Ok(Self::Broken { why: error.to_string(), hash: hash_unopened(path), place })
            }
            Err(error) => Err(Failure::BadInput(format!("failed to {error}"))),
        }
    }

    /// An address that a user typed: where the app begins, which may be below a path.
    pub fn address(text: &str) -> Result<Self, Failure> {
        let wrong = |why: &str| Failure::BadInput(format!("the address cannot be used: {why}"));
        let url = Url::parse(text).map_err(|error| wrong(&error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(wrong("give one that begins with http:// or https://"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(wrong("it holds a user or a password, which would become part of the run"));
        }
        let is_file = url.path_segments().and_then(|mut parts| parts.next_back()).is_some_and(|it| it.contains('.'));
        if is_file || url.query().is_some() || url.fragment().is_some() {
            return Err(wrong("name the folder that the app is in, such as http://127.0.0.1:8080/app/"));
        }
        let path = url.path().trim_end_matches('/');
        Ok(Self::Address(format!("{}{path}", url.origin().ascii_serialization())))
    }

    /// Hash of the bundle.
    pub fn hash(&self) -> Option<&str> {
        match self {
            Self::Bundle(bundle, _) => Some(bundle.hash()),
            Self::Broken { hash, .. } => hash.as_deref(),
            Self::Address(_) => None,
        }
    }

    /// What is kept of it from the start. A bundle that is too large for that is not.
    pub fn inputs(&self, trajectory: Option<&Path>) -> Result<Inputs, Failure> {
        let (bundle, place) = match self {
            Self::Address(_) => (None, None),
            Self::Broken { place, .. } => (None, Some(place.clone())),
            Self::Bundle(bundle, place) => {
                let packed = bundle.packed().map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
                (packed, Some(place.clone()))
            }
        };
        let trajectory = trajectory.map(trajectory::with_facts).transpose()?;
        Ok(Inputs { bundle, place, trajectory })
    }
}

/// Who made the app.
#[derive(Debug, Clone, Default)]
pub struct Maker {
    /// Id of the model.
    pub model: String,
    /// What models.yaml says of it.
    pub described: Option<Model>,
    /// Which of its apps for the task.
    pub run: u32,
    /// What was set differently.
    pub variant: BTreeMap<String, String>,
}

/// Makes the plan.
pub fn plan(
    tried: &Tried,
    app: &App,
    maker: &Maker,
    only: &[String],
    arguments: &EvaluatorArguments,
    evaluation: u32,
) -> Result<Plan, Failure> {
    let task = &tried.task;
    let app = under_test(app, maker, evaluation);
    let concurrency = at_once(arguments.concurrency, &app, arguments.shared_state)?;
    let all: Vec<String> = task.workflows.iter().map(|workflow| workflow.id.clone()).collect();
    if let Some(unknown) = only.iter().find(|id| !all.contains(id)) {
        return Err(Failure::BadInput(format!("{} has no workflow `{unknown}`; it has {}", task.id, all.join(", "))));
    }
    let wanted: Vec<String> = all.into_iter().filter(|id| only.is_empty() || only.contains(id)).collect();
    let order = arguments.shuffle.map_or(Order::AsWritten, Order::Shuffled);
    let limits = limits(task.limits, arguments)?;
    let now = jiff::Timestamp::now();
    let own_seed = format!("{}-{}-{evaluation}", now.as_nanosecond(), std::process::id());
    let seed = arguments.seed.clone().unwrap_or(own_seed);
    let mut plan = Plan {
        format: PLAN_FORMAT,
        // What one workflow leaves at an address, the next one finds there.
        shared_state: arguments.shared_state || app.url.is_some(),
        app,
        workflows: order.of(wanted),
        order,
        seed,
        today: today(),
        evaluator: evaluator(arguments)?,
        limits,
        allowance: allowance(&arguments.allowance)?,
        concurrency,
    };
    plan.evaluator.settings.extend(settings(&plan));
    Ok(plan)
}

/// Which day it is in browsers, which run in UTC.
pub fn today() -> Date {
    jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date()
}

fn under_test(app: &App, maker: &Maker, evaluation: u32) -> AppUnderTest {
    AppUnderTest {
        model: maker.model.clone(),
        described: maker.described.clone(),
        run: maker.run,
        evaluation,
        variant: maker.variant.clone(),
        bundle: app.hash().map(str::to_owned),
        url: match app {
            App::Address(url) => Some(url.clone()),
            App::Bundle(..) | App::Broken { .. } => None,
        },
        backend: String::new(),
    }
}

/// How many workflows are walked at once. Those that share one copy of an app would find what others have half done.
pub fn at_once(asked: Option<usize>, app: &AppUnderTest, shared_state: bool) -> Result<usize, Failure> {
    let refused = |why: &str| Err(Failure::BadInput(why.to_owned()));
    match between("--concurrency", asked, 1, MOST_AT_ONCE)? {
        1 => Ok(1),
        _ if app.url.is_some() => refused(
            "an app behind an address cannot be copied, so its workflows are walked one after the other; leave out --concurrency",
        ),
        _ if shared_state => refused(
            "workflows that share the state of one app cannot be walked at once; leave out --concurrency or --shared-state",
        ),
        more => Ok(more),
    }
}

/// Who walks and who judges.
fn evaluator(arguments: &EvaluatorArguments) -> Result<Evaluator, Failure> {
    let walker = walker(arguments)?;
    let judge = arguments.judge.clone().unwrap_or_else(|| "rules".to_owned());
    let judge_version = if judge == "rules" { judge::rules::VERSION } else { judge::llm::VERSION };
    let mut settings = BTreeMap::from([
        ("walker.version".to_owned(), Walking::version(walker).to_string()),
        ("judge.version".to_owned(), judge_version.to_string()),
    ]);
    if let Some(model) = model(walker, arguments) {
        settings.extend(asked("model", &model, arguments));
        settings.insert("model".to_owned(), model);
    }
    if judge != "rules" {
        settings.extend(asked("judge", &judge, arguments));
    }
    if let Some(backend) = arguments.backend {
        settings.insert("backend".to_owned(), format!("{backend:?}").to_lowercase());
    }
    Ok(Evaluator { walker: walker.to_owned(), judge, settings })
}

/// How a model is asked, by name. That it cannot be asked is said when somebody needs it.
fn asked(whose: &str, model: &str, arguments: &EvaluatorArguments) -> Vec<(String, String)> {
    let Ok(asked) = models::find(model, &arguments.asking) else { return Vec::new() };
    asked.settings().into_iter().map(|(name, value)| (format!("{whose}.{name}"), value)).collect()
}

/// The model that walks. A recorded walk does without one if none is at hand.
fn model(walker: &str, arguments: &EvaluatorArguments) -> Option<String> {
    let default = || match walker {
        "resolver" => None,
        "replay" => models::default_at_hand(&arguments.asking),
        _ => Some(models::default(&arguments.asking)),
    };
    arguments.evaluator_model.as_deref().or_else(default).map(str::to_owned)
}

/// Who walks, by name.
pub fn walker(arguments: &EvaluatorArguments) -> Result<&'static str, Failure> {
    let has_model = || models::default_at_hand(&arguments.asking).is_some();
    walker_of(arguments.evaluator, arguments.evaluator_model.as_deref(), has_model)
}

/// Whoever names a model wants it asked, whether or not it is at hand: that it is not is said then.
fn walker_of(
    chosen: Option<WalkerChoice>,
    model: Option<&str>,
    has_model: impl Fn() -> bool,
) -> Result<&'static str, Failure> {
    Ok(match (chosen, model) {
        (Some(WalkerChoice::Resolver), Some(model)) => {
            return Err(Failure::BadInput(format!(
                "the resolver asks no model; leave out --evaluator-model {model}, or choose --evaluator hybrid"
            )));
        }
        (Some(WalkerChoice::Agent), _) => "agent",
        (Some(WalkerChoice::Replay), _) => "replay",
        (Some(WalkerChoice::Hybrid), _) | (None, Some(_)) => "hybrid",
        (None, None) if has_model() => "hybrid",
        (Some(WalkerChoice::Resolver) | None, None) => "resolver",
    })
}

/// Settings that can change a verdict, by name.
fn settings(plan: &Plan) -> BTreeMap<String, String> {
    let limits = plan.limits;
    let (width, height) = walk::Settings::default().viewport;
    BTreeMap::from(
        [
            ("agent_steps", limits.agent_steps.to_string()),
            ("call_seconds", limits.call_seconds.to_string()),
            ("step_seconds", limits.step_seconds.to_string()),
            ("start_seconds", limits.start_seconds.to_string()),
            ("app_seconds", limits.app_seconds.to_string()),
            ("concurrency", plan.concurrency.to_string()),
            ("shared_state", plan.shared_state.to_string()),
            ("order", plan.order.name()),
            ("seed", plan.seed.clone()),
            ("viewport", format!("{width}x{height}")),
        ]
        .map(|(name, value)| (name.to_owned(), value)),
    )
}

/// The task's limits, with those that the user set.
fn limits(task: Limits, arguments: &EvaluatorArguments) -> Result<Limits, Failure> {
    let published = Limits::default();
    let set = |name: &str, own: u32, wanted: Option<u32>, published: u32| match wanted {
        Some(value) if value == 0 || value > MOST_TIMES * published => {
            Err(Failure::BadInput(format!("--{name} {value} is not between 1 and {}", MOST_TIMES * published)))
        }
        value => Ok(value.unwrap_or(own)),
    };
    Ok(Limits {
        agent_steps: set("agent-steps", task.agent_steps, arguments.agent_steps, published.agent_steps)?,
        call_seconds: set("call-seconds", task.call_seconds, arguments.call_seconds, published.call_seconds)?,
        step_seconds: set("step-seconds", task.step_seconds, arguments.step_seconds, published.step_seconds)?,
        start_seconds: set("start-seconds", task.start_seconds, arguments.start_seconds, published.start_seconds)?,
        app_seconds: set("app-seconds", task.app_seconds, arguments.app_seconds, published.app_seconds)?,
    })
}

/// What each copy of the app may use, with what the user set.
fn allowance(arguments: &AllowanceArguments) -> Result<Allowance, Failure> {
    const KIB: u64 = 1024;
    const MIB: u64 = 1024 * KIB;
    let usual = Allowance::default();
    let set = |name: &str, wanted: Option<u64>, (least, most): (u64, u64), unit: u64, usual: u64| match wanted {
        Some(value) if !(least..=most).contains(&value) => {
            Err(Failure::BadInput(format!("--app-{name} {value} is not between {least} and {most}")))
        }
        value => Ok(value.map_or(usual, |value| value * unit)),
    };
    let cpus = arguments.cpus.unwrap_or(usual.cpus);
    if !(0.1..=256.0).contains(&cpus) {
        return Err(Failure::BadInput(format!("--app-cpus {cpus} is not between 0.1 and 256")));
    }
    let log = set("log", arguments.log, (1, 64 * KIB), KIB, usual.log_bytes as u64)?;
    Ok(Allowance {
        cpus,
        memory_bytes: set("memory", arguments.memory, (64, MIB), MIB, usual.memory_bytes)?,
        processes: set("processes", arguments.processes, (16, 64 * KIB), 1, usual.processes)?,
        disk_bytes: set("disk", arguments.disk, (16, MIB), MIB, usual.disk_bytes)?,
        log_bytes: usize::try_from(log).unwrap_or(usual.log_bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    #[test]
    fn what_cannot_be_copied_is_not_walked_by_several_at_once() {
        let own =
            under_test(&App::Broken { why: String::new(), place: PathBuf::new(), hash: None }, &Maker::default(), 0);
        let address = under_test(&App::Address("http://127.0.0.1:1".to_owned()), &Maker::default(), 0);
        for (app, shared) in [(&own, false), (&own, true), (&address, false), (&address, true)] {
            assert_eq!(at_once(None, app, shared).ok(), Some(1));
            assert_eq!(at_once(Some(1), app, shared).ok(), Some(1));
        }
        assert_eq!(at_once(Some(4), &own, false).ok(), Some(4));
        assert!(text_of(at_once(Some(4), &own, true)).contains("--shared-state"));
        assert!(text_of(at_once(Some(4), &address, true)).contains("behind an address cannot be copied"));
        assert!(text_of(at_once(Some(0), &own, false)).contains("is not between"));
    }

    #[test]
    fn whoever_names_a_model_that_walks_has_it_walk() {
        use WalkerChoice::{Agent, Hybrid, Replay, Resolver};
        let walker = |chosen, model, at_hand| walker_of(chosen, model, || at_hand);
        for at_hand in [true, false] {
            assert_eq!(walker(None, Some("m"), at_hand).unwrap(), "hybrid", "with a key for another model or without");
            for (chosen, name) in [(Agent, "agent"), (Hybrid, "hybrid"), (Replay, "replay")] {
                assert_eq!(walker(Some(chosen), Some("m"), at_hand).unwrap(), name);
            }
            assert_eq!(walker(Some(Resolver), None, at_hand).unwrap(), "resolver");
            assert!(text_of(walker(Some(Resolver), Some("m"), at_hand)).contains("--evaluator-model m"));
        }
        assert_eq!([true, false].map(|at_hand| walker(None, None, at_hand).unwrap()), ["hybrid", "resolver"]);
    }

    #[test]
    fn an_address_keeps_its_path_and_one_of_a_file_is_refused() {
        let kept = |text: &str| match App::address(text) {
            Ok(App::Address(url)) => url,
            _ => panic!("{text} is refused"),
        };
        assert_eq!(kept("http://127.0.0.1:8080/"), "http://127.0.0.1:8080");
        assert_eq!(kept("http://127.0.0.1:8080/app/"), "http://127.0.0.1:8080/app");
        assert_eq!(kept("https://host/some/app"), "https://host/some/app");
        assert_eq!(kept(&kept("https://host/some/app/")), "https://host/some/app", "as a run that goes on reads it");
        for file in ["http://host/app/index.html", "http://host/app/?tab=1", "http://host/#/plants"] {
            assert!(text_of(App::address(file).map(drop)).contains("name the folder"), "{file}");
        }
    }
}
