use super::*;
use crate::report::sample;

fn run(tool: &str, prompt: &str, index: u32, f1: f64) -> Report {
    let mut report = sample::report(&[("f1", Some(f1)), ("s1", Some(1.0))]);
    report.subject.tool = Some(tool.to_owned());
    report.subject.prompt = (!prompt.is_empty()).then(|| prompt.to_owned());
    report.subject.run_index = Some(index);
    report.provenance.run = format!("{tool}-{prompt}-{index}");
    report
}

fn board(reports: &[Report]) -> Board {
    Board::of(&reports.iter().map(|report| Candidate { report, link: "reports/x.html" }).collect::<Vec<_>>())
}

fn ranks(ranking: &Ranking) -> Vec<(&str, usize, usize)> {
    ranking.rows.iter().map(|row| (row.tool.as_str(), row.rank.best, row.rank.worst)).collect()
}

#[test]
fn what_cannot_be_told_apart_shares_its_ranks() {
    let mut reports = Vec::new();
    for (tool, scores) in [("a", [0.95, 0.95, 0.96]), ("b", [0.93, 0.96, 0.95]), ("c", [0.20, 0.21, 0.20])] {
        reports.extend((0..).zip(scores).map(|(index, score)| run(tool, "todo", index, score)));
    }
    let board = board(&reports);
    assert_eq!(ranks(&board.prompts[0].rankings[0]), [("a", 1, 2), ("b", 1, 2), ("c", 3, 3)]);
    assert!(board.overall.is_none(), "one prompt needs no overall row");
}

#[test]
fn one_run_has_no_interval_and_excludes_no_rank() {
    let board = board(&[run("a", "todo", 0, 1.0), run("b", "todo", 0, 0.0)]);
    let ranking = &board.prompts[0].rankings[0];
    assert_eq!(ranks(ranking), [("a", 1, 2), ("b", 1, 2)]);
    assert_eq!(ranking.rows[0].composite.interval, None);
}

#[test]
fn runs_that_measured_other_things_are_ranked_apart() {
    let mut more = run("b", "todo", 0, 0.5);
    more.scorers.extend(sample::report(&[("c3", Some(1.0))]).scorers);
    let mut scanned = run("c", "todo", 0, 0.5);
    scanned.scorers.get_mut("s1").unwrap().details.facts.insert("scanners".to_owned(), "built-in, semgrep".into());
    let board = board(&[run("a", "todo", 0, 1.0), run("d", "todo", 0, 0.9), more, scanned]);
    let rankings = &board.prompts[0].rankings;
    assert_eq!(rankings.len(), 3);
    assert_eq!(rankings[0].rows.len(), 2, "the class with most tools comes first");
}

#[test]
fn overall_needs_every_prompt() {
    let board = board(&[run("a", "todo", 0, 1.0), run("a", "crm", 0, 0.5), run("b", "todo", 0, 1.0)]);
    let overall = board.overall.unwrap();
    assert_eq!(overall.rows.iter().map(|row| row.tool.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(overall.incomplete, [Incomplete { tool: "b".to_owned(), missing: vec!["crm".to_owned()] }]);
    assert_eq!(overall.rows[0].composite.interval, None, "single runs give no interval");
    let prompts: Vec<_> = board.prompts.iter().map(|prompt| prompt.prompt.as_deref().unwrap()).collect();
    assert_eq!(prompts, ["crm", "todo"]);
}

#[test]
fn runs_without_a_prompt_are_no_prompt_that_everybody_lacks() {
    let overall = board(&[run("a", "todo", 0, 1.0), run("a", "crm", 0, 0.5), run("c", "", 0, 1.0)]).overall.unwrap();
    assert_eq!((overall.prompts, overall.rows.len(), overall.incomplete.len()), (2, 1, 0));
}

#[test]
fn the_overall_interval_comes_from_the_runs_of_every_prompt() {
    let mut reports = Vec::new();
    for prompt in ["crm", "todo"] {
        reports.extend((0..).zip([0.5, 0.6, 0.7]).map(|(index, score)| run("a", prompt, index, score)));
    }
    let overall = board(&reports).overall.unwrap();
    let spread = &overall.rows[0].composite;
    let single = Spread::of(reports[..3].iter().filter_map(|report| report.composite), 100.0);
    let expected = single.standard_error.unwrap() / 2.0_f64.sqrt();
    assert!((spread.standard_error.unwrap() - expected).abs() < 1e-9);
    assert!(spread.interval.unwrap().width() < single.interval.unwrap().width());
}

#[test]
fn cost_is_shown_and_moves_no_rank() {
    let cost = |usd| {
        Some(Cost {
            source: "user-reported".into(),
            first_render_seconds: None,
            working_build_seconds: Some(60.0),
            usd,
            note: None,
        })
    };
    let mut cheap = run("cheap", "todo", 0, 0.2);
    cheap.cost = cost(Some(0.1));
    let mut dear = run("dear", "todo", 0, 0.9);
    dear.cost = cost(Some(90.0));
    let board = board(&[cheap, dear]);
    let rows = &board.prompts[0].rankings[0].rows;
    assert_eq!((rows[0].tool.as_str(), rows[0].usd, rows[0].working_build_seconds), ("dear", Some(90.0), Some(60.0)));
}

#[test]
fn unrankable_runs_stand_apart_with_their_reason_and_repeats_count_once() {
    let mut broken = run("a", "todo", 1, 0.0);
    broken.rankable = false;
    broken.not_rankable_because = vec!["the page did not render".to_owned()];
    let good = run("a", "todo", 0, 1.0);
    let board = board(&[good.clone(), good, broken]);
    assert_eq!(board.prompts[0].rankings[0].rows[0].runs.len(), 1);
    assert_eq!(board.unranked[0].reasons, ["the page did not render"]);
}

#[test]
fn a_run_without_a_tool_is_named_after_its_host() {
    let mut report = sample::report(&[("f1", Some(1.0))]);
    assert_eq!(tool(&report), "app.example");
    report.subject.tool = Some("kiln".to_owned());
    assert_eq!(tool(&report), "kiln");
}
