//! Walks the workflows of a task through an app that runs already, without a model, and prints what the rules say of it.
//!
//! `cargo run -p benchwright-vibe --example walk -- TASK_ID URL [WORKFLOW] [--sight]`

use benchwright_browser::{Browser, EngineSource};
use benchwright_domain::vibe::trace::{Attempt, Trace};
use benchwright_domain::vibe::verdict::{Mark, WorkflowVerdict};
use benchwright_sandbox::Launch;
use benchwright_sandbox::chromium::{find, launch};
use benchwright_sandbox::scratch::Scratch;
use benchwright_vibe::judge::rules;
use benchwright_vibe::reading;
use benchwright_vibe::task::{Files, Occasion, load};
use benchwright_vibe::walk::resolver::Resolver;
use benchwright_vibe::walk::{Archive, Course, InMemory, KeepError, Keeper, Settings, Stage, walk};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Keeps in memory what two of us read.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<InMemory>>);

impl Keeper for Shared {
    fn keep(&mut self, bytes: &[u8]) -> Result<benchwright_domain::BlobId, KeepError> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keep(bytes)
    }
}

impl Archive for Shared {
    fn sight(
        &self,
        reference: &benchwright_domain::vibe::trace::SightRef,
    ) -> Option<benchwright_domain::vibe::trace::Sight> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).sight(reference)
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let shows = arguments.iter().any(|argument| argument == "--sight");
    arguments.retain(|argument| argument != "--sight");
    let [task, url, wanted @ ..] = &arguments[..] else { return Err("give TASK_ID URL [WORKFLOW]".into()) };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = Files::read(&root.join("corpus/tasks").join(task))?;
    let task = load(&files)?;
    let scratch = Scratch::new(&std::env::temp_dir(), "walk")?;
    let program = find(None, std::env::var_os("PATH").as_deref())?;
    let mut chromium = launch(Launch {
        program: &program,
        scratch: &scratch,
        debugging_port: false,
        as_root: true,
        extra_args: Vec::new(),
        start_limit: Duration::from_secs(120),
    })
    .await?;
    let (reader, writer) = chromium.take_pipe().ok_or("the browser has no pipe")?;
    let engine = std::fs::read_to_string(root.join("instruments/generated/injected-engine.js"))?;
    let browser = Browser::connect(reader, writer, Some(EngineSource(engine))).await?;
    let seed = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_nanos().to_string();
    let today = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    let (mut passed, mut all) = (0, 0);
    for workflow in task.workflows.iter().filter(|workflow| wanted.is_empty() || wanted.contains(&workflow.id)) {
        let workflow = workflow.on(&task.id, &Occasion { seed: seed.clone(), today });
        let keeper = Shared::default();
        let folder = PathBuf::from(scratch.path()).join(&workflow.id);
        std::fs::create_dir_all(&folder)?;
        let settings = Settings { screenshots: false, files: Some(folder), ..Settings::default() };
        let mut stage = Stage::open(&browser, url, settings, Box::new(keeper.clone())).await?;
        let course = Course { task: &task.id, task_hash: "", workflow: &workflow };
        let trace = walk(&mut stage, course, &mut Resolver::default()).await;
        stage.close().await?;
        let verdict = rules::judge(&trace, &keeper);
        all += 1;
        passed += usize::from(verdict.passes());
        print(&trace, &verdict, &keeper, shows);
    }
    println!("{}: {passed} of {all} workflows pass", task.id);
    browser.close().await?;
    chromium.close().await;
    Ok(())
}

fn print(trace: &Trace, verdict: &WorkflowVerdict, keeper: &Shared, shows: bool) {
    let word = if verdict.passes() { "pass" } else { "FAIL" };
    println!("{word}  {}  {:.1} s  {:?}", trace.workflow, trace.seconds, trace.ending);
    let mut told = false;
    for (substep, judged) in trace.substeps.iter().zip(&verdict.substeps) {
        if judged.mark == Mark::Pass {
            continue;
        }
        println!("    {:>2} {:?} {}", substep.number, judged.mark, substep.text);
        println!("       {} [{:?}]", judged.reason, judged.category);
        if !matches!(substep.attempt, Attempt::Done) {
            println!("       {:?}", substep.attempt);
        }
        for fact in &substep.facts {
            println!("       {:?}: {}", fact.kind, fact.text);
        }
        if shows
            && !told
            && let Some(sight) = substep.after.as_ref().and_then(|after| keeper.sight(after))
        {
            told = true;
            println!("       {} {}", sight.url, reading::text_of(&sight.root));
            println!("{}", drawn(&sight.root, 4));
        }
    }
}

fn drawn(node: &benchwright_domain::vibe::trace::Node, depth: usize) -> String {
    let mut line = format!("{}{} \"{}\"", " ".repeat(depth * 2), node.role, node.name);
    for (label, value) in [("ref", &node.reference), ("value", &node.value)] {
        if let Some(value) = value {
            line.push_str(&format!(" {label}={value}"));
        }
    }
    if node.covered {
        line.push_str(" covered");
    }
    if let Some(checked) = node.checked {
        line.push_str(&format!(" checked={checked}"));
    }
    node.children.iter().fold(line, |drawn, child| format!("{drawn}\n{}", self::drawn(child, depth + 1)))
}
