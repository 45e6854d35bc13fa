//! Counts, shares and sums.

use crate::printed;
use crate::tables::{DIFFICULTY_TASKS, DOMAIN_TASKS, INTEGRATION_TASKS, TOOL_SHARES, model};
use benchwright_domain::vibe::analysis::distribution::{Distribution, Share};
use benchwright_domain::vibe::analysis::failures::Failures;
use benchwright_domain::vibe::analysis::scores::AppScore;
use benchwright_domain::vibe::analysis::tools::ToolUse;
use benchwright_domain::vibe::study::{STUDY_FORMAT, Study};
use benchwright_domain::vibe::verdict::WorkflowKind;
use benchwright_domain::vibe::{
    AppDomain, AppResult, FailureCategory, Generation, Integration, Mark, Split, SubstepVerdict, TaskFacts,
    WorkflowState, WorkflowVerdict, Written,
};
use std::collections::BTreeMap;

/// The group of the task at a place, when groups of these sizes follow each other.
fn group(sizes: &[usize], place: usize) -> usize {
    let ends = sizes.iter().scan(0, |end, size| {
        *end += size;
        Some(*end)
    });
    ends.filter(|end| *end <= place).count()
}

/// So many substeps in so many workflows in fifty tasks, spread as evenly as they go; domains and services as in all hundred.
fn split_of(split: Split, workflows: usize, substeps: usize) -> Vec<TaskFacts> {
    let share = |whole: usize, parts: usize, part: usize| whole / parts + usize::from(part < whole % parts);
    let mut sizes = (0..workflows).map(|at| share(substeps, workflows, at) as u32);
    let first = if split == Split::Test { 50 } else { 0 };
    (first..first + 50)
        .map(|at| TaskFacts {
            id: format!("task-{at}"),
            domain: AppDomain::ALL[group(&[24, 45, 31], at)],
            integration: Integration::ALL[group(&[72, 9, 6, 13], at)],
            judged_difficulty: None,
            split,
            written: Written::Before,
            workflow_substeps: sizes.by_ref().take(share(workflows, 50, at - first)).collect(),
        })
        .collect()
}

#[test]
fn splits_add_up() {
    let tasks = [split_of(Split::Validation, 491, 4_995), split_of(Split::Test, 473, 5_136)].concat();
    let study = Study {
        format: STUDY_FORMAT,
        evaluator: "e".to_owned(),
        tasks,
        models: Vec::new(),
        apps: Vec::new(),
        ratings: Vec::new(),
    };
    let sizes = study.sizes();
    let [test, validation] = [sizes[&Split::Test], sizes[&Split::Validation]];
    assert_eq!((test.tasks, test.workflows, test.substeps), (50, 473, 5_136));
    assert_eq!(validation.tasks + test.tasks, 100);
    assert_eq!(validation.workflows + test.workflows, 964);
    assert_eq!(validation.substeps + test.substeps, 10_131);
    let with_services = study.tasks.iter().filter(|task| task.integration != Integration::None).count();
    printed(Share::new(with_services as u64, 100).percent.unwrap(), 28.0, 6);
    let enterprise = study.tasks.iter().filter(|task| task.domain == AppDomain::Enterprise).count();
    assert_eq!(enterprise, 31);
    for groups in [&DIFFICULTY_TASKS[..], &INTEGRATION_TASKS, &DOMAIN_TASKS] {
        assert_eq!(groups.iter().sum::<usize>() as u64, test.tasks);
    }
}

/// Fifty apps: so many at 0, so many perfect, so many that did not start, the rest in between.
fn apps(model: &str, zero: usize, perfect: usize, not_started: usize) -> Vec<AppScore> {
    let app = |at: usize| {
        let accuracy = if at < zero {
            0.0
        } else if at < zero + perfect {
            100.0
        } else {
            50.0
        };
        AppScore { started: at >= not_started, ..AppScore::new(model, &at.to_string(), 0, accuracy) }
    };
    (0..50).map(app).collect()
}

/// GPT-5.2 has 9 apps at zero and 6 perfect ones; the other counts are only known in sum.
#[test]
fn apps_at_both_ends() {
    let top = [("t1", 6, 6), ("GPT-5.2", 9, 6), ("t3", 6, 4), ("t4", 6, 3), ("t5", 5, 3)];
    let bottom = [("b1", 33, 7), ("b2", 35, 7), ("b3", 36, 7), ("b4", 39, 7), ("b5", 40, 7)];
    let middle = [("GPT-5.2-Codex", 14, 1)];
    let scores: Vec<AppScore> = top
        .iter()
        .chain(&middle)
        .map(|(model, zero, perfect)| apps(model, *zero, *perfect, 0))
        .chain(bottom.iter().map(|(model, zero, not_started)| apps(model, *zero, 0, *not_started)))
        .flatten()
        .collect();
    let models: Vec<&str> = top.iter().chain(&middle).chain(&bottom).map(|(model, ..)| *model).collect();
    let spread = Distribution::of(&models, &scores, 5);
    let percent = |share: Share| share.percent.unwrap();
    assert_eq!((spread.top.zero.count, spread.top.perfect.count, spread.top.not_started.count), (32, 22, 0));
    assert_eq!((spread.bottom.zero.count, spread.bottom.not_started.count, spread.top.zero.of), (183, 35, 250));
    printed(percent(spread.top.zero), 12.8, 1);
    printed(percent(spread.top.perfect), 8.8, 1);
    printed(percent(spread.bottom.zero), 73.2, 1);
    printed(percent(spread.bottom.not_started), 14.0, 1);
    assert_eq!((spread.models[1].zero.count, spread.models[1].perfect.count), (9, 6));
    assert_eq!((spread.models[5].zero.count, spread.models[5].perfect.count), (14, 1));
}

fn app(model: &str, workflows: Vec<WorkflowVerdict>, generation: Option<Generation>) -> AppResult {
    AppResult {
        model: model.to_owned(),
        task: "t".to_owned(),
        run: 0,
        evaluation: 0,
        variant: BTreeMap::new(),
        started: true,
        workflows,
        generation,
        composite: None,
    }
}

fn failed(category: FailureCategory, number: usize) -> WorkflowVerdict {
    WorkflowVerdict {
        workflow: format!("{category:?}-{number}"),
        kind: WorkflowKind::Core,
        state: WorkflowState::Judged,
        substeps: vec![SubstepVerdict { category: Some(category), ..SubstepVerdict::new(1, Mark::Fail) }],
        evaluation_usd: None,
    }
}

#[test]
fn six_kinds_of_failure_make_up_everything() {
    let printed_shares = [20.4, 46.7, 14.8, 6.0, 1.9, 10.2];
    let workflows = FailureCategory::ALL
        .iter()
        .zip(printed_shares)
        .flat_map(|(category, share)| (0..(share * 10.0_f64).round() as usize).map(|number| failed(*category, number)));
    let app = app("m", workflows.collect(), None);
    let failures = Failures::of(&["m"], &[&app]);
    let mut sum = 0.0;
    for (category, expected) in FailureCategory::ALL.iter().zip(printed_shares) {
        let share = failures.overall.categories[category].percent.unwrap();
        printed(share, expected, 1);
        sum += share;
    }
    printed(sum, 100.0, 6);
    assert_eq!(failures.models[0].categories, failures.overall.categories);
}

/// Grok and GPT-5.2-Codex fail most at the door, Gemini 3.1 Pro most by leaving things out.
#[test]
fn failures_of_single_models() {
    let of_model = |name: &str, category: FailureCategory, per_mille: usize| {
        let one = (0..per_mille).map(|number| failed(category, number));
        let rest = (0..1000 - per_mille).map(|number| failed(FailureCategory::Other, number));
        app(name, one.chain(rest).collect(), None)
    };
    let apps = [
        of_model("Grok", FailureCategory::Authorization, 323),
        of_model("Codex", FailureCategory::Authorization, 303),
        of_model("Gemini", FailureCategory::MissingFeature, 585),
    ];
    let failures = Failures::of(&["Grok", "Codex", "Gemini"], &apps.iter().collect::<Vec<_>>());
    let share = |at: usize, category| failures.models[at].categories[&category].percent.unwrap();
    printed(share(0, FailureCategory::Authorization), 32.3, 1);
    printed(share(1, FailureCategory::Authorization), 30.3, 1);
    printed(share(2, FailureCategory::MissingFeature), 58.5, 1);
}

/// A trajectory whose calls have the printed shares, so many per app.
fn generation(shares: &[f64; 6], search: bool) -> Generation {
    let tools = ["execute_bash", "str_replace_editor", "browser", "execute_sql", "apply_migration", "think"];
    let calls = tools.iter().zip(shares).map(|(tool, share)| ((*tool).to_owned(), (share * 10.0).round() as u64));
    let searches = search.then(|| ("tavily-search".to_owned(), 1));
    Generation { calls: Some(calls.chain(searches).collect()), ..Generation::default() }
}

#[test]
fn shares_of_tool_calls() {
    let apps: Vec<AppResult> = TOOL_SHARES
        .iter()
        .map(|(model, shares, sum)| {
            printed(shares.iter().sum(), *sum, 1);
            app(model, Vec::new(), Some(generation(shares, false)))
        })
        .collect();
    let models: Vec<&str> = TOOL_SHARES.iter().map(|(model, ..)| *model).collect();
    let tools = ToolUse::of(&models, &apps.iter().collect::<Vec<_>>()).unwrap();
    for (row, (_, shares, sum)) in tools.models.iter().zip(&TOOL_SHARES) {
        let all = row.shares;
        let found = [all.bash, all.edit, all.browser, all.sql, all.migrate, all.other];
        for (share, expected) in found.iter().zip(shares) {
            // A printed row adds up to 99.9 or 100.1, and ours to 100.
            printed(share * sum / 100.0, *expected, 6);
        }
        printed(found.iter().sum(), 100.0, 6);
    }
    // "About 95 % of calls on five tools."
    printed(tools.five_most_used_percent / 100.0, 0.95, 2);
}

#[test]
fn few_models_search() {
    let names: Vec<String> = (0..16).map(|at| format!("m{at}")).collect();
    let apps: Vec<AppResult> = names
        .iter()
        .enumerate()
        .map(|(at, name)| app(name, Vec::new(), Some(generation(&TOOL_SHARES[0].1, at < 3))))
        .collect();
    let models: Vec<&str> = names.iter().map(String::as_str).collect();
    let tools = ToolUse::of(&models, &apps.iter().collect::<Vec<_>>()).unwrap();
    let search = tools.tools.iter().find(|row| row.tool == "tavily-search").unwrap();
    assert_eq!((search.models.count, search.models.of), (3, 16));
    assert_eq!(search.models.percent, Some(18.75));
}

/// 26.4 browser calls per app at a share of 13.6 %, and 9.4 at 8.4 %.
#[test]
fn browser_calls_of_two_related_models() {
    let calls = |browser: u64, other: u64| {
        let calls = BTreeMap::from([("browser".to_owned(), browser), ("execute_bash".to_owned(), other)]);
        Some(Generation { calls: Some(calls), ..Generation::default() })
    };
    let of_model = |name: &str, browser: [u64; 5], other: u64| -> Vec<AppResult> {
        (0..5).map(|run| AppResult { run: run as u32, ..app(name, Vec::new(), calls(browser[run], other)) }).collect()
    };
    let apps =
        [of_model("GPT-5.2", [26, 26, 26, 27, 27], 168), of_model("GPT-5.2-Codex", [9, 9, 9, 10, 10], 103)].concat();
    let tools = ToolUse::of(&["GPT-5.2", "GPT-5.2-Codex"], &apps.iter().collect::<Vec<_>>()).unwrap();
    let [plain, codex] = &tools.models[..] else { panic!("{tools:?}") };
    printed(plain.browser_calls_per_app, 26.4, 6);
    printed(codex.browser_calls_per_app, 9.4, 6);
    printed(plain.browser_calls_per_app / codex.browser_calls_per_app, 2.8, 1);
    printed(plain.shares.browser, 13.6, 1);
    printed(codex.shares.browser, 8.4, 1);
    printed(plain.calls_per_app, 194.0, 0);
    printed(codex.calls_per_app, 112.0, 0);
    assert_eq!((plain.browser_calls_median, codex.browser_calls_median), (26.0, 9.0));
    assert!(model("GPT-5.2").accuracy > model("GPT-5.2-Codex").accuracy);
}

/// 473 workflows at $1.48, and at $0.093.
#[test]
fn what_evaluating_costs() {
    for (per_workflow, one_model, sixteen) in [(1.48, 700.0, 11_200.0), (0.093, 44.0, 704.0)] {
        let workflow = |number: usize| WorkflowVerdict {
            evaluation_usd: Some(per_workflow),
            ..failed(FailureCategory::Other, number)
        };
        let app = app("m", (0..473).map(workflow).collect(), None);
        let table = Failures::of(&["m"], &[&app]).overall;
        let total = table.evaluation_usd_per_workflow.unwrap() * table.evaluation_usd_known.count as f64;
        printed(total, one_model, 0);
        printed(total * 16.0 / 100.0, sixteen / 100.0, 0);
    }
}
