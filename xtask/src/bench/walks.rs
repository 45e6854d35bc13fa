//! Walks by a model that takes its time: recorded and replayed, one after the other and four at once.

mod tester;

use super::Bench;
use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::json::Json;
use crate::project;
use crate::results::{Outcome, Table};
use crate::verdict::Verdict;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tester::{JAMS, Tester};

const ANSWERS_AFTER: Duration = Duration::from_secs(2);
/// Workflows that are walked, of those the task has.
const WALKED: usize = 4;

pub(super) fn run(bench: &Bench) -> Result<Outcome, Failure> {
    let pack = pack(bench.scratch.path())?;
    let tester = Tester::start(ANSWERS_AFTER)?;
    let walk = |out: &str, walker: &str, at_once: usize| {
        println!("bench: {walker}, {at_once} at once");
        Walk { bench, pack: &pack, tester: &tester }.go(out, walker, at_once)
    };
    let recorded = walk("one", "agent", 1)?;
    let replayed = walk("one", "replay", 1)?;
    let together = walk("four", "agent", WALKED)?;
    let mut table = Table::new(["walk", "workflows at once", "model's answers", "all, s", "each walk, s (mean)"]);
    for (name, at_once, walked) in [("agent", 1, &recorded), ("replay", 1, &replayed), ("agent", WALKED, &together)] {
        table.row([name.into(), at_once.into(), walked.answers.into(), walked.wall.into(), walked.mean().into()]);
    }
    Ok(Outcome {
        kind: "walks",
        title: "walks by a model that answers after 2 s".to_owned(),
        about: format!(
            "{WALKED} workflows of 12 substeps on a static app, walked by a scripted model on this machine that takes {} s for every answer: \
             recorded one after the other, replayed, and walked {WALKED} at once. A walk is a workflow from its copy of the app to its verdict by rules; \
             throughput counts the whole process with browser and reports.",
            ANSWERS_AFTER.as_secs()
        ),
        table,
        verdicts: vec![
            Verdict::at_least("recorded walk / replay", 10.0, Some(recorded.mean() / replayed.mean())),
            Verdict::none("answers of the model during the replay", replayed.answers),
            Verdict::at_least("throughput of four at once / of one", 2.5, Some(recorded.wall / together.wall)),
        ],
        raw: Json::object([
            ("recorded", recorded.raw()),
            ("replayed", replayed.raw()),
            ("four_at_once", together.raw()),
        ]),
    })
}

/// What came of a walk.
struct Walked {
    wall: f64,
    each: Vec<f64>,
    answers: usize,
}

impl Walked {
    fn mean(&self) -> f64 {
        self.each.iter().sum::<f64>() / self.each.len() as f64
    }

    fn raw(&self) -> Json {
        Json::object([
            ("wall_seconds", self.wall.into()),
            ("each_seconds", self.each.clone().into()),
            ("answers", self.answers.into()),
        ])
    }
}

struct Walk<'a> {
    bench: &'a Bench,
    pack: &'a Path,
    tester: &'a Tester,
}

impl Walk<'_> {
    fn go(&self, out: &str, walker: &str, at_once: usize) -> Result<Walked, Failure> {
        let scratch = self.bench.scratch.path();
        let out = scratch.join(out);
        let mut call = Call::new(project::release_binary())
            .words("vibe evaluate --task jam-shelf --judge rules --budget inf --format json --quiet --evaluator-model tester")
            .arg("--tasks")
            .arg(self.pack)
            .arg("--bundle")
            .arg(project::root().join("fixtures/vibe/jam-shelf"))
            .arg("--evaluator")
            .arg(walker)
            .arg("--base-url")
            .arg(self.tester.base_url())
            .arg("--concurrency")
            .arg(at_once.to_string())
            .arg("--out")
            .arg(&out)
            .env("XDG_STATE_HOME", scratch.join("state"))
            .env("XDG_CACHE_HOME", scratch.join("cache"));
        for jam in &JAMS[..WALKED] {
            call = call.arg("--workflow").arg(workflow_of(jam));
        }
        let before = self.tester.begin();
        let started = Instant::now();
        call.run()?;
        let wall = started.elapsed().as_secs_f64();
        let report = Json::read(&out.join("report.json"))?;
        let each = passed_walks(&report)?;
        Ok(Walked { wall, each, answers: self.tester.answers() - before })
    }
}

/// Seconds of each walk. One that did not pass would be measured for nothing.
fn passed_walks(report: &Json) -> Result<Vec<f64>, Failure> {
    let mut seconds = Vec::new();
    for workflow in report.list("workflows") {
        let marks: Vec<&str> = workflow.list("verdict.substeps").iter().filter_map(|it| it.text("mark")).collect();
        if workflow.text("verdict.state") != Some("judged") || marks.iter().any(|mark| *mark != "pass") {
            return Err(Failure::check(format!("a walk went astray: {}", workflow.pretty())));
        }
        seconds.extend(workflow.number("seconds"));
    }
    if seconds.len() == WALKED { Ok(seconds) } else { Err(Failure::check("not every workflow was walked")) }
}

/// The tiny task with longer workflows: one action to a substep.
fn pack(scratch: &Path) -> Result<PathBuf, Failure> {
    let (from, pack) = (project::root().join("fixtures/vibe/pack/jam-shelf"), scratch.join("pack"));
    let folder = pack.join("jam-shelf");
    fs::create_dir_all(&folder).naming("make a folder for the task")?;
    for name in ["task.yaml", "spec.md"] {
        fs::copy(from.join(name), folder.join(name)).naming("copy the task")?;
    }
    let short = fs::read_to_string(from.join("workflows.yaml")).naming("read the task")?;
    let head = short.split_inclusive("workflows:\n").next().unwrap_or_default();
    let long: String = JAMS.iter().map(|jam| long_workflow(jam)).collect();
    fs::write(folder.join("workflows.yaml"), format!("{head}{long}")).naming("write the workflows")?;
    Ok(pack)
}

fn workflow_of(jam: &str) -> String {
    format!("eat-{}", jam.to_lowercase())
}

fn long_workflow(jam: &str) -> String {
    let step = |sentence: String, expect: &str| format!("      - do: {sentence}\n        expect: [{expect}]\n");
    let together = |jars: u32| format!("{{ together: [\"{{jam}}\", {jars} jars] }}");
    // Three stand in the specification.
    let explained: Vec<String> =
        (4..9).map(|jars| format!("\"{jars} jars\": nine less those that were eaten")).collect();
    let mut text = format!(
        "  - id: {}\n    title: Eat {jam} jam\n    purpose: Jars are eaten one by one until the rest is thrown away.\n    kind: core\n    variables: {{ jam: \"{jam} {{unique}}\" }}\n    explained: {{ {} }}\n    substeps:\n",
        workflow_of(jam),
        explained.join(", ")
    );
    text += &step("Open the app and expect \"The shelf is empty\".".to_owned(), "{ text: The shelf is empty }");
    text += "      - Type {jam} into \"Name\".\n      - Type \"9\" into \"Jars\".\n";
    text += &step("Click \"Put on the shelf\" and expect {jam} with \"9 jars\".".to_owned(), &together(9));
    for jars in (3..9).rev() {
        text += &step(format!("Click \"Eat one\" for {{jam}} and expect \"{jars} jars\" at {{jam}}."), &together(jars));
    }
    text += &step("Reload the page and expect {jam} with \"3 jars\".".to_owned(), &together(3));
    text += &step("Click \"Throw away\" for {jam} and expect that {jam} is gone.".to_owned(), "{ absent: \"{jam}\" }");
    text
}
