//! Hand-made evaluations of the vibe track, with their traces, and a study over several models.

use benchwright_domain::BlobId;
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::evaluation::{
    AppUnderTest, EVALUATION_FORMAT, Evaluator, JudgedWorkflow, ScoredRun, SecondOpinion,
};
use benchwright_domain::vibe::expectation::Expectation;
use benchwright_domain::vibe::study::{Rating, STUDY_FORMAT};
use benchwright_domain::vibe::trace::{
    Action, ActionTrace, Attempt, Effect, Ending, Fact, FactKind, SightRef, SubstepTrace, TRACE_FORMAT, Target, Trace,
    Usage, Walker, WalkerKind,
};
use benchwright_domain::vibe::trajectory::{CategoryCounts, PHASES};
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{
    AppDomain, AppResult, Difficulty, Evaluation, FailureCategory, Generation, Integration, Mark, Model, Split, Study,
    SubstepVerdict, TaskFacts, Tokens, WorkflowState, WorkflowVerdict, Written,
};
use std::collections::BTreeMap;

/// What is behind the ids that an evaluation names.
#[derive(Debug, Clone, Default)]
pub struct Kept(pub BTreeMap<String, Vec<u8>>);

impl Kept {
    /// Keeps bytes under a name of their own.
    pub fn keep(&mut self, name: &str, bytes: &[u8]) -> BlobId {
        self.0.insert(name.to_owned(), bytes.to_vec());
        BlobId(name.to_owned())
    }

    pub fn bytes(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.0.get(&id.0).cloned()
    }
}

const SENTENCES: [&str; 6] = [
    "Open the shopping list.",
    "Enter \"Oat milk\" into the field for a new item.",
    "Press the button that adds the item.",
    "Check that \"Oat milk\" stands in the list.",
    "Reload the page.",
    "Check that \"Oat milk\" is still there.",
];

fn target(role: &str, name: &str) -> Target {
    Target { reference: "e3".into(), role: role.into(), name: name.into(), ..Target::default() }
}

fn deed(number: usize) -> Option<(Action, Option<(f64, f64)>)> {
    match number {
        1 => Some((Action::Navigate { url: "/".into() }, None)),
        2 => Some((
            Action::Fill { target: target("textbox", "New item"), text: "Oat milk".into() },
            Some((410.0, 292.0)),
        )),
        3 => Some((Action::Click { target: target("button", "Add") }, Some((858.0, 292.0)))),
        5 => Some((Action::Reload, None)),
        _ => None,
    }
}

/// What became of a workflow: the mark of each substep.
pub struct Walked {
    pub id: &'static str,
    pub title: &'static str,
    pub kind: WorkflowKind,
    pub state: WorkflowState,
    pub marks: [Mark; 6],
}

const PASS: [Mark; 6] = [Mark::Pass; 6];

/// The workflows of [`mixed`].
pub fn walked() -> Vec<Walked> {
    let of = |id, title, kind, state, marks| Walked { id, title, kind, state, marks };
    let lost = [Mark::Pass, Mark::Pass, Mark::Pass, Mark::Pass, Mark::Pass, Mark::Fail];
    let stopped = [Mark::Pass, Mark::Fail, Mark::Fail, Mark::Undecided, Mark::Fail, Mark::Fail];
    vec![
        of("add-item", "Add an item and find it after a reload", WorkflowKind::Core, WorkflowState::Judged, PASS),
        of("share-list", "A second person sees the list", WorkflowKind::Core, WorkflowState::Judged, lost),
        of("long-name", "An item with a very long name", WorkflowKind::Edge, WorkflowState::EvaluatorStuck, stopped),
        of(
            "tick-off",
            "Tick an item off and clear what is done",
            WorkflowKind::Regression,
            WorkflowState::Judged,
            PASS,
        ),
        of("slow", "A list of five hundred items", WorkflowKind::Edge, WorkflowState::TimedOut, [Mark::Fail; 6]),
    ]
}

fn verdict(walked: &Walked) -> WorkflowVerdict {
    let first_failure = walked.marks.iter().position(|mark| *mark != Mark::Pass);
    let substep = |(place, mark): (usize, &Mark)| {
        let number = place as u32 + 1;
        let failed = *mark != Mark::Pass;
        SubstepVerdict {
            critical: number == 6,
            not_attempted: failed && first_failure.is_some_and(|first| place > first + 1 && *mark == Mark::Fail),
            reason: match mark {
                Mark::Pass => format!("The page shows what substep {number} asks for."),
                Mark::Fail => "After the reload the list is empty: the item was kept in memory only.".to_owned(),
                Mark::Undecided => "Nothing in the trace speaks for or against it.".to_owned(),
            },
            evidence: vec![format!("s{number}"), "a2".to_owned(), "f1".to_owned(), "gone".to_owned()],
            category: failed.then_some(FailureCategory::DataOrBackend),
            walker_suspected: walked.state == WorkflowState::EvaluatorStuck && first_failure == Some(place),
            ..SubstepVerdict::new(number, *mark)
        }
    };
    WorkflowVerdict {
        workflow: walked.id.to_owned(),
        kind: walked.kind,
        state: walked.state,
        substeps: walked.marks.iter().enumerate().map(substep).collect(),
        evaluation_usd: (walked.id == "add-item").then_some(0.0312),
    }
}

fn step(walked: &Walked, number: usize, shot: &dyn Fn(usize) -> Option<BlobId>) -> SubstepTrace {
    let done = deed(number).map(|(action, point)| ActionTrace {
        id: format!("a{number}"),
        action,
        point,
        failed: (walked.state == WorkflowState::EvaluatorStuck && number == 2)
            .then(|| "the field is covered by a dialog".to_owned()),
        effect: Effect {
            url: (number == 1).then(|| "http://127.0.0.1:4000/list".to_owned()),
            tree: number != 2,
            held: false,
            requests: u32::from(number == 3),
        },
        at_ms: 900 * number as u64,
        took_ms: 240,
        screenshot: shot(number - 1),
    });
    let sight = |number: usize| SightRef {
        id: format!("s{number}"),
        blob: BlobId(format!("sight-{number}")),
        screenshot: shot(number),
    };
    SubstepTrace {
        number: number as u32,
        text: SENTENCES[number - 1].to_owned(),
        expect: if number == 4 { vec![Expectation::Text("Oat milk".to_owned())] } else { Vec::new() },
        critical: number == 6,
        by: if number == 3 { WalkerKind::Agent } else { WalkerKind::Resolver },
        attempt: match (walked.state, number) {
            (WorkflowState::EvaluatorStuck, 2) => Attempt::Impossible { reason: "no field takes the text".to_owned() },
            (WorkflowState::EvaluatorStuck, 3..) => {
                Attempt::NotAttempted { reason: "substep 2 blocks the way".to_owned() }
            }
            _ => Attempt::Done,
        },
        actions: done.into_iter().collect(),
        before: Some(sight(number - 1)),
        after: Some(sight(number)),
        facts: if number == 3 {
            vec![
                Fact { id: "f1".into(), kind: FactKind::Request, text: "POST /api/items 201".into() },
                Fact { id: "f2".into(), kind: FactKind::ConsoleError, text: "TypeError: items is undefined".into() },
            ]
        } else {
            Vec::new()
        },
        note: if number == 3 { "I pressed Add and the item appeared.".to_owned() } else { String::new() },
    }
}

fn trace(walked: &Walked, shot: &dyn Fn(usize) -> Option<BlobId>) -> Trace {
    Trace {
        format: TRACE_FORMAT,
        task: "shopping-list".to_owned(),
        task_hash: "sha256:5e1f".to_owned(),
        workflow: walked.id.to_owned(),
        purpose: "What somebody adds must be there the next day.".to_owned(),
        origin: "http://127.0.0.1:4000".to_owned(),
        viewport: (1920, 1200),
        day: None,
        walker: Walker { kind: WalkerKind::Hybrid, version: 2, model: Some("claude-sonnet-4-5".to_owned()) },
        ending: match walked.state {
            WorkflowState::EvaluatorStuck => Ending::Stuck { reason: "the same step four times".to_owned() },
            WorkflowState::TimedOut => Ending::TimedOut { reason: "1,200 s for one step".to_owned() },
            _ => Ending::Walked,
        },
        substeps: (1..=6).map(|number| step(walked, number, shot)).collect(),
        usage: Some(Usage { calls: 3, input_tokens: 8412, output_tokens: 530, usd: None }),
        seconds: 8.4,
    }
}

/// An app that loses what it was told; `shots` are the pictures before and after each substep.
pub fn mixed(shots: &[Vec<u8>]) -> (Evaluation, Kept) {
    let mut kept = Kept::default();
    let ids: Vec<BlobId> = shots.iter().enumerate().map(|(n, bytes)| kept.keep(&format!("shot-{n}"), bytes)).collect();
    let shot = |place: usize| if ids.is_empty() { None } else { Some(ids[place % ids.len()].clone()) };
    let mut workflows = Vec::new();
    for walked in walked() {
        let trace = serde_json::to_vec(&trace(&walked, &shot)).unwrap_or_default();
        let verdict = verdict(&walked);
        let mut other = verdict.clone();
        other.substeps[5].mark = Mark::Fail;
        workflows.push(JudgedWorkflow {
            title: walked.title.to_owned(),
            trace: Some(kept.keep(&format!("trace-{}", walked.id), &trace)),
            others: if walked.id == "add-item" {
                vec![SecondOpinion { judge: "rules".to_owned(), verdict: other }]
            } else {
                Vec::new()
            },
            verdict,
            seconds: 9.1,
        });
    }
    let log = kept.keep("log", b"listening on 4000\nTypeError: items is undefined\n    at add (server.js:41)\n");
    (Evaluation { log: Some(log), workflows, ..unstarted() }, kept)
}

/// An app that could not be reached.
pub fn unstarted() -> Evaluation {
    let judged = |walked: Walked| JudgedWorkflow {
        title: walked.title.to_owned(),
        verdict: WorkflowVerdict {
            state: WorkflowState::AppDown,
            substeps: (1..=6)
                .map(|number| SubstepVerdict { not_attempted: true, ..SubstepVerdict::new(number, Mark::Fail) })
                .collect(),
            ..verdict(&walked)
        },
        trace: None,
        others: Vec::new(),
        seconds: 0.0,
    };
    Evaluation {
        format: EVALUATION_FORMAT,
        started_at: "2026-11-17T06:30:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        task: task("shopping-list", Split::Test),
        task_title: "Shopping list for a household".to_owned(),
        task_hash: "sha256:5e1f".to_owned(),
        app: AppUnderTest {
            model: "kiln-2".to_owned(),
            described: None,
            run: 0,
            evaluation: 0,
            variant: BTreeMap::new(),
            bundle: Some("sha256:91ab".to_owned()),
            url: None,
            backend: "native".to_owned(),
        },
        evaluator: Evaluator {
            walker: "hybrid".to_owned(),
            judge: "claude-sonnet-4-5".to_owned(),
            settings: BTreeMap::from([
                ("agent_steps".to_owned(), "100".to_owned()),
                ("viewport".to_owned(), "1920×1200".to_owned()),
                ("walker.version".to_owned(), "2".to_owned()),
                ("judge.version".to_owned(), "3".to_owned()),
            ]),
        },
        started: true,
        start_note: String::new(),
        held: BTreeMap::from([("memory".to_owned(), "2048 MiB (control group)".to_owned())]),
        log: None,
        workflows: walked().into_iter().map(judged).collect(),
        generation: Some(Generation {
            cost_usd: Some(4.2),
            seconds: Some(1260.0),
            turns: Some(88),
            tokens: Some(Tokens { input: 900_000, output: 41_000, cache_read: 0, cache_write: 0 }),
            calls: None,
            phases: None,
        }),
        trajectory: None,
        scored: Some(ScoredRun { run: "20261116T080000Z-0001".to_owned(), composite: 81.25 }),
        seconds: 61.0,
    }
}

/// The facts of a task with five workflows of six substeps.
pub fn task(id: &str, split: Split) -> TaskFacts {
    let (domain, integration) = match id.len() % 3 {
        0 => (AppDomain::Individual, Integration::None),
        1 => (AppDomain::SoloFounder, Integration::Email),
        _ => (AppDomain::Enterprise, Integration::Both),
    };
    let judged_difficulty = Some(if id.len().is_multiple_of(2) { Difficulty::Easy } else { Difficulty::Hard });
    TaskFacts {
        id: id.to_owned(),
        domain,
        integration,
        judged_difficulty,
        split,
        written: Written::Before,
        workflow_substeps: vec![6; 5],
    }
}

/// A model as `models.yaml` has it.
pub fn model(id: &str) -> Model {
    Model {
        id: id.to_owned(),
        name: None,
        provider: "somebody".to_owned(),
        endpoint: None,
        temperature: None,
        top_p: None,
        reasoning_effort: None,
        vision: true,
        open_weights: id.starts_with('c'),
        price: None,
    }
}

const MODELS: [(&str, u64); 4] = [("kiln-2", 78), ("anvil-max", 71), ("cinder-open", 38), ("drill-mini", 12)];
const TASKS: [&str; 9] =
    ["shopping-list", "diary", "booking", "help-desk", "invoices", "clinic", "workshop", "ballots", "open-library"];

/// Five workflows of which some pass, in an order that looks like chance and is always the same.
fn app(model: &str, skill: u64, task: &str, run: u32, evaluation: u32) -> AppResult {
    let chance = |salt: u64| {
        let seed = model
            .bytes()
            .chain(task.bytes())
            .fold(salt + u64::from(run) * 31, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(byte)));
        (seed ^ (seed >> 17)).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 40
    };
    let started = chance(99) % 100 >= 6;
    let workflow = |number: u64| {
        let passes = started && (chance(number) % 100 < skill || (evaluation > 0 && number == 2));
        let category = FailureCategory::ALL[(chance(number + 50) % 6) as usize];
        let substep = |place: u32| {
            let mark = if passes || place < 4 { Mark::Pass } else { Mark::Fail };
            SubstepVerdict {
                category: (mark == Mark::Fail).then_some(category),
                critical: place == 6,
                ..SubstepVerdict::new(place, mark)
            }
        };
        WorkflowVerdict {
            workflow: format!("w{number}"),
            kind: WorkflowKind::Core,
            state: if chance(number + 9) % 40 == 0 { WorkflowState::TimedOut } else { WorkflowState::Judged },
            substeps: (1..=6).map(substep).collect(),
            evaluation_usd: Some(0.01 + number as f64 / 1000.0),
        }
    };
    AppResult {
        model: model.to_owned(),
        task: task.to_owned(),
        run,
        evaluation,
        variant: BTreeMap::new(),
        started,
        workflows: (1..=5).map(workflow).collect(),
        generation: Some(generation(model, skill, chance(7))),
        composite: Some(40.0 + skill as f64 / 2.0 + (chance(3) % 10) as f64),
    }
}

fn generation(model: &str, skill: u64, chance: u64) -> Generation {
    let phase = |slice: usize| {
        let late = slice as u64;
        CategoryCounts {
            bash: 6,
            edit: 12 - late,
            browser: skill / 12 + late / 3,
            sql: 1,
            migrate: u64::from(slice == 1),
            other: 2,
        }
    };
    Generation {
        // Nobody knows what the open one costs.
        cost_usd: (model != "cinder-open").then(|| 0.4 + skill as f64 / 9.0 + (chance % 5) as f64 / 10.0),
        seconds: Some(300.0 + 20.0 * skill as f64),
        turns: Some(40 + skill),
        tokens: Some(Tokens { input: 400_000 + 9000 * skill, output: 30_000, cache_read: 100_000, cache_write: 0 }),
        calls: Some(BTreeMap::from([
            ("str_replace_editor".to_owned(), 75),
            ("execute_bash".to_owned(), 60),
            ("browser".to_owned(), skill / 12 * 10 + 12),
            ("think".to_owned(), 20),
        ])),
        phases: Some(std::array::from_fn::<_, PHASES, _>(phase)),
    }
}

/// Four models on eight tasks of the test split and one of validation, with repeats, changed settings and further raters.
pub fn study() -> Study {
    let mut apps = Vec::new();
    for (model, skill) in MODELS {
        apps.extend(TASKS.iter().map(|task| app(model, skill, task, 0, 0)));
    }
    for run in 1..3 {
        apps.extend(TASKS.iter().take(3).map(|task| app("kiln-2", 78, task, run, 0)));
        apps.extend(TASKS.iter().take(3).map(|task| app("kiln-2", 78, task, 0, run)));
    }
    for (value, skill) in [("low", 50), ("medium", 66)] {
        let changed = |task: &&str| AppResult {
            variant: BTreeMap::from([("effort".to_owned(), value.to_owned())]),
            ..app("anvil-max", skill, task, 5, 0)
        };
        apps.extend(TASKS.iter().take(4).map(changed));
    }
    let rating = |rater: &str, human: bool, off: u64, app: &AppResult, workflow: &WorkflowVerdict| Rating {
        rater: rater.to_owned(),
        human,
        model: app.model.clone(),
        task: app.task.clone(),
        run: 0,
        workflow: workflow.workflow.clone(),
        marks: workflow
            .substeps
            .iter()
            .map(|it| Some(it.passed() != (u64::from(it.number) * 7 + off + app.task.len() as u64).is_multiple_of(11)))
            .collect(),
    };
    let rated: Vec<&AppResult> = apps
        .iter()
        .filter(|app| app.run == 0 && app.evaluation == 0 && app.started && app.variant.is_empty())
        .take(6)
        .collect();
    let mut ratings = Vec::new();
    for (rater, human, off) in [("Reviewer A", true, 1), ("Reviewer B", true, 4), ("hybrid/rules", false, 8)] {
        for app in &rated {
            ratings.extend(app.workflows.iter().map(|workflow| rating(rater, human, off, app, workflow)));
        }
    }
    Study {
        format: STUDY_FORMAT,
        evaluator: "hybrid/claude-sonnet-4-5".to_owned(),
        tasks: TASKS
            .iter()
            .map(|id| task(id, if *id == "open-library" { Split::Validation } else { Split::Test }))
            .collect(),
        models: MODELS.iter().map(|(id, _)| model(id)).collect(),
        apps,
        ratings,
    }
}

/// The analysis of [`study`].
pub fn analysis() -> Analysis {
    Analysis::of(&study(), Settings::default()).unwrap_or_else(|error| panic!("{error}"))
}
