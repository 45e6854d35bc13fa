//! Assembles the report: every published scorer over the frozen evidence, the composite, and what a reader must know before
//! trusting it. Pure: the same evidence gives the same report, bit for bit.

use crate::evidence::judgement::{Expense, Opinion};
use crate::evidence::{DID_NOT_RENDER, Evidence, EvidenceKind, Piece};
use crate::plan::is_selected;
use crate::request::{Request, Submission};
use crate::scorers::functional::f1_render_success::{rendered, why_not_rendered};
use crate::scorers::{self, Scorer};
use benchwright_domain::report::{OutcomeKind, Provenance, REPORT_FORMAT, Report, ScorerReport, Screenshot, Subject};
use benchwright_domain::weights::{dimension_weight, is_additive, scorer_weight};
use benchwright_domain::{Assessment, Composite, Details, Gate, METHODOLOGY_VERSION, Outcome, ScorerId, UnitScore};
use serde_json::Value;
use std::collections::BTreeMap;

/// Most screenshots of criteria in a report.
const MOST_CRITERIA_SCREENSHOTS: usize = 5;

/// Makes the report of a run. `provenance` holds what the run's directory knows: ids, times, machine, versions, hashes.
pub fn report(request: &Request, evidence: &Evidence, provenance: Provenance) -> Report {
    let assessments: BTreeMap<ScorerId, Assessment> =
        ScorerId::ALL.into_iter().map(|id| (id, gated(id, request, evidence, assess(id, request, evidence)))).collect();
    let composite = Composite::of(assessments.iter().map(|(id, assessment)| (*id, &assessment.outcome)));
    let not_rankable_because = reasons_against_ranking(request, evidence, &assessments);
    let mut scorers: BTreeMap<String, ScorerReport> = assessments
        .iter()
        .map(|(id, assessment)| (id.key().to_owned(), published(*id, assessment, evidence, composite.share(*id))))
        .collect();
    scorers.extend(evidence.commands.iter().map(|(id, piece)| (id.clone(), added(id, piece))));
    for scorer in scorers.values_mut() {
        show_addresses(request, &mut scorer.details);
    }
    Report {
        format: REPORT_FORMAT,
        methodology: METHODOLOGY_VERSION.to_owned(),
        headline: headline(evidence, &composite, &assessments, &not_rankable_because),
        composite: composite.value,
        rankable: not_rankable_because.is_empty(),
        not_rankable_because,
        coverage: coverage(request, &assessments),
        gate: request.gate,
        subject: subject(request, evidence),
        dimensions: composite.dimensions,
        scorers,
        screenshots: screenshots(evidence),
        provenance: complete(provenance, evidence),
        cost: request.submission.as_ref().and_then(Submission::cost),
    }
}

fn assess(id: ScorerId, request: &Request, evidence: &Evidence) -> Assessment {
    if is_selected(request, id) {
        (scorers::of(id).score)(evidence)
    } else {
        Outcome::NotApplicable { reason: "not selected (--only)".to_owned() }.into()
    }
}

/// The F1 gate. Evidence that needs a rendered page is absent then, so scorers are null already; the glossary's reading makes
/// them 0 instead.
fn gated(id: ScorerId, request: &Request, evidence: &Evidence, assessment: Assessment) -> Assessment {
    let closed = id.is_gated() && matches!(&evidence.load.value, Ok(load) if !rendered(load));
    // What nobody asked for, or what lacks an input of its own, is not the page's doing.
    let counts = match &assessment.outcome {
        Outcome::NotApplicable { .. } => false,
        Outcome::NoInput { reason } => reason == DID_NOT_RENDER,
        Outcome::Scored { .. } | Outcome::Errored { .. } => is_selected(request, id),
    };
    if !closed || !counts {
        return assessment;
    }
    match request.gate {
        Gate::Null => Outcome::NoInput { reason: DID_NOT_RENDER.to_owned() }.into(),
        Gate::Zero => Assessment {
            outcome: Outcome::scored(UnitScore::ZERO, false),
            details: Details::default().note("The page did not render; --gate zero counts that as 0."),
        },
    }
}

fn published(id: ScorerId, assessment: &Assessment, evidence: &Evidence, share: f64) -> ScorerReport {
    let scorer = scorers::of(id);
    let score = assessment.outcome.score().map(UnitScore::value);
    ScorerReport {
        outcome: kind(&assessment.outcome),
        score,
        passed: passed(&assessment.outcome),
        reason: assessment.outcome.reason().map(str::to_owned),
        name: id.name().to_owned(),
        title: title(scorer, &assessment.outcome),
        share,
        points_lost: score.map_or(0.0, |score| share * (1.0 - score)),
        details: assessment.details.clone(),
        seconds: scorer.needs.iter().map(|kind| evidence.seconds(*kind)).sum(),
        version: scorer.version.to_owned(),
        id: Some(id),
    }
}

fn added(id: &str, piece: &Piece<Assessment>) -> ScorerReport {
    let assessment = match &piece.value {
        Ok(assessment) => assessment.clone(),
        Err(absence) => absence.outcome().into(),
    };
    ScorerReport {
        outcome: kind(&assessment.outcome),
        score: assessment.outcome.score().map(UnitScore::value),
        passed: passed(&assessment.outcome),
        reason: assessment.outcome.reason().map(str::to_owned),
        name: id.to_owned(),
        title: format!("Added by you: {id}"),
        share: 0.0,
        points_lost: 0.0,
        details: assessment.details,
        seconds: piece.seconds,
        version: String::new(),
        id: None,
    }
}

fn kind(outcome: &Outcome) -> OutcomeKind {
    match outcome {
        Outcome::Scored { .. } => OutcomeKind::Scored,
        Outcome::NotApplicable { .. } => OutcomeKind::NotApplicable,
        Outcome::NoInput { .. } => OutcomeKind::NoInput,
        Outcome::Errored { .. } => OutcomeKind::Errored,
    }
}

fn passed(outcome: &Outcome) -> Option<bool> {
    match outcome {
        Outcome::Scored { passed, .. } => Some(*passed),
        _ => None,
    }
}

/// A scorer that passed but still lost points says both.
fn title(scorer: &Scorer, outcome: &Outcome) -> String {
    match outcome {
        Outcome::Scored { passed: true, score } if *score < UnitScore::ONE => {
            format!("{}, with something left to gain", scorer.passed_title)
        }
        Outcome::Scored { passed: true, .. } => scorer.passed_title.to_owned(),
        Outcome::Scored { passed: false, .. } => scorer.failed_title.to_owned(),
        _ => scorer.id.name().to_owned(),
    }
}

fn reasons_against_ranking(
    request: &Request,
    evidence: &Evidence,
    assessments: &BTreeMap<ScorerId, Assessment>,
) -> Vec<String> {
    let mut reasons = Vec::new();
    if let Ok(load) = &evidence.load.value
        && !rendered(load)
    {
        reasons.push("the page did not render".to_owned());
    }
    for (id, assessment) in assessments {
        if let Outcome::Errored { reason } = &assessment.outcome {
            reasons.push(format!("{id} could not be measured: {reason}"));
        }
    }
    if request.only.is_some() {
        reasons.push("only some scorers were selected (--only)".to_owned());
    }
    reasons
}

fn headline(
    evidence: &Evidence,
    composite: &Composite,
    assessments: &BTreeMap<ScorerId, Assessment>,
    against: &[String],
) -> String {
    if let Ok(load) = &evidence.load.value
        && let Some(why) = why_not_rendered(load)
    {
        return format!("Did not render: {why}");
    }
    let scored = assessments.values().filter(|assessment| assessment.outcome.score().is_some()).count();
    let errored: Vec<_> = assessments
        .iter()
        .filter(|(_, assessment)| matches!(assessment.outcome, Outcome::Errored { .. }))
        .map(|(id, _)| id.to_string())
        .collect();
    let measured = format!("measured by {scored} of {} scorers", ScorerId::ALL.len());
    match composite.value {
        None => "Nothing could be measured".to_owned(),
        Some(value) if !errored.is_empty() => {
            format!("{value:.1} of 100, {measured}, not ranked: {} could not be measured", errored.join(", "))
        }
        Some(value) if against.is_empty() => format!("{value:.1} of 100, {measured}"),
        Some(value) => format!("{value:.1} of 100, {measured}, not ranked"),
    }
}

/// Share of the published weight that was measured. The backend track only counts where accounts were given for it or it was
/// measured: behind a wall it is missing, and without accounts nobody asked for it.
fn coverage(request: &Request, assessments: &BTreeMap<ScorerId, Assessment>) -> f64 {
    let weight = |id: ScorerId| dimension_weight(id.dimension()) * scorer_weight(id);
    let is_scored = |id: &ScorerId| assessments.get(id).is_some_and(|a| a.outcome.score().is_some());
    let counts = |id: &ScorerId| !is_additive(*id) || request.accounts || is_scored(id);
    let counted: Vec<_> = ScorerId::ALL.into_iter().filter(counts).collect();
    let measured: f64 = counted.iter().filter(|id| is_scored(id)).map(|id| weight(*id)).sum();
    measured / counted.iter().map(|id| weight(*id)).sum::<f64>()
}

/// Where we served a folder ourselves, the address was there for the run only; it is named after the folder.
fn shown_address(request: &Request, url: &str) -> String {
    let own = request.serve.as_ref().and_then(|serve| Some((serve.name(), url.strip_prefix(&request.url)?)));
    own.map_or_else(|| url.to_owned(), |(name, path)| format!("folder://{name}/{path}"))
}

/// The same wherever such an address stands in what a scorer found.
fn show_addresses(request: &Request, details: &mut Details) {
    let Some(serve) = &request.serve else { return };
    let shown = format!("folder://{}/", serve.name());
    let renamed = serde_json::to_value(&*details).map(|value| with_text(value, &request.url, &shown));
    if let Ok(renamed) = renamed.and_then(serde_json::from_value) {
        *details = renamed;
    }
}

/// The value with one text in place of another.
fn with_text(value: Value, from: &str, to: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace(from, to)),
        Value::Array(list) => list.into_iter().map(|value| with_text(value, from, to)).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_text(value, from, to))).collect(),
        other => other,
    }
}

fn subject(request: &Request, evidence: &Evidence) -> Subject {
    let load = evidence.load.value.as_ref().ok();
    let text = |text: &String| (!text.is_empty()).then(|| text.clone());
    Subject {
        url: shown_address(request, &request.url),
        final_url: load.and_then(|load| text(&load.final_url)).map(|url| shown_address(request, &url)),
        title: load.and_then(|load| text(&load.title)),
        prompt: request.prompt.as_ref().map(|prompt| prompt.id.clone()),
        source: request
            .source
            .as_ref()
            .map(|path| path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()),
        tool: request.submission.as_ref().map(|submission| submission.tool.clone()),
        tool_version: request.submission.as_ref().and_then(|submission| submission.tool_version.clone()),
        run_index: request.submission.as_ref().map(|submission| submission.run_index),
    }
}

fn screenshots(evidence: &Evidence) -> Vec<Screenshot> {
    let narrow =
        evidence.viewports.value.iter().flat_map(|v| v.views.iter().filter_map(|view| view.screenshot.clone()));
    let mut shots: Vec<Screenshot> =
        evidence.load.value.iter().flat_map(|load| load.screenshots.iter().cloned()).collect();
    for shot in narrow {
        if shots.iter().all(|taken| taken.name != shot.name) {
            shots.push(shot);
        }
    }
    shots.extend(evidence.scroll.value.iter().filter_map(|scroll| scroll.screenshot.clone()));
    let known = ["desktop", "tablet", "mobile", "mid-scroll", "full"];
    shots.sort_by_key(|shot| known.iter().position(|name| *name == shot.name).unwrap_or(known.len()));
    shots.extend(criteria_screenshots(evidence));
    let routes = evidence.routes.value.iter().flat_map(|routes| &routes.routes);
    shots.extend(routes.filter_map(|route| route.screenshot.clone()));
    shots
}

/// The window at the end of the first criteria that do not hold. All are in the evidence; a report has to stay small enough to send.
fn criteria_screenshots(evidence: &Evidence) -> Vec<Screenshot> {
    let walked = evidence.acceptance.value.iter().flat_map(|acceptance| &acceptance.criteria);
    let taken = walked.filter_map(|walked| walked.failure.as_ref()?.screenshot.clone());
    taken.take(MOST_CRITERIA_SCREENSHOTS).collect()
}

fn complete(mut provenance: Provenance, evidence: &Evidence) -> Provenance {
    if let Ok(load) = &evidence.load.value {
        provenance.versions.insert("browser".to_owned(), load.browser.clone());
    }
    if let Ok(source) = &evidence.source.value {
        provenance.hashes.insert("source".to_owned(), source.hash.clone());
    }
    if let Some(judges) = judges(evidence) {
        provenance.versions.insert("judges".to_owned(), judges);
    }
    if let Ok(lighthouse) = &evidence.lighthouse.value {
        provenance.machine.extend(contention_facts(lighthouse));
    }
    provenance
}

/// Who judged, and what that cost, in vain or not: models change under the same name, so the name they answer to is part of the
/// measurement.
fn judges(evidence: &Evidence) -> Option<String> {
    let pieces = [&evidence.intent, &evidence.looks, &evidence.maintainability];
    let asked: Vec<&Opinion> = pieces.into_iter().flat_map(Piece::asked).collect();
    let name = |o: &&Opinion| if o.answered_by.is_empty() { &o.model } else { &o.answered_by }.clone();
    let names: std::collections::BTreeSet<String> = asked.iter().map(name).collect();
    let expense = Expense::of(asked.iter().copied());
    let cost = match expense.cost_usd {
        Some(cost) => format!("${:.4}", cost + 0.0),
        None => "an unknown sum".to_owned(),
    };
    let names: Vec<_> = names.into_iter().collect();
    (!asked.is_empty()).then(|| format!("{} ({} calls, {cost})", names.join(", "), expense.calls))
}

fn contention_facts(lighthouse: &crate::evidence::Lighthouse) -> Vec<(String, serde_json::Value)> {
    use crate::evidence::lighthouse::AttemptResult;
    let list = |values: Vec<f64>| {
        let texts: Vec<_> = values.iter().map(|value| format!("{value}")).collect();
        serde_json::Value::from(texts.join(", "))
    };
    let indexes = lighthouse.attempts.iter().filter_map(|attempt| match &attempt.result {
        AttemptResult::Measured { run } => run.benchmark_index,
        _ => None,
    });
    let contended = lighthouse.attempts.iter().filter(|attempt| attempt.contended.is_some()).count();
    vec![
        ("benchmark_index".to_owned(), list(indexes.collect())),
        ("load_before".to_owned(), list(lighthouse.attempts.iter().filter_map(|a| a.load_before).collect())),
        ("steal_share".to_owned(), list(lighthouse.attempts.iter().filter_map(|a| a.steal_share).collect())),
        ("contended_runs".to_owned(), contended.into()),
    ]
}

/// Evidence that the plan wanted and the run never got to: a run that was cut off, looked at without resuming it.
pub fn mark_missing(evidence: &mut Evidence, request: &Request, settled: &std::collections::BTreeSet<EvidenceKind>) {
    let plan = crate::plan::Plan::of(request);
    for kind in plan.evidence.difference(settled) {
        if !evidence.has_failed(*kind) {
            let reason = "the run ended before this was gathered; `benchwright resume` continues it".to_owned();
            evidence.set_absent(*kind, crate::evidence::Absence::Failed { reason });
        }
    }
    evidence.fill_unplanned(request);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::load::NavigationOutcome;
    use crate::evidence::{Absence, sample};
    use benchwright_domain::{Item, ItemStatus, Place};
    use std::collections::BTreeSet;

    fn request() -> Request {
        Request::new("https://app.example/")
    }

    fn report_of(request: &Request, evidence: &Evidence) -> Report {
        report(request, evidence, Provenance::default())
    }

    fn not_rendered() -> Evidence {
        let mut evidence = sample::whole();
        evidence.load.value.as_mut().unwrap().outcome = NavigationOutcome::Failed { error: "net::ERR_FAILED".into() };
        evidence
    }

    #[test]
    fn every_published_scorer_is_in_the_report_and_shares_add_up() {
        let report = report_of(&request(), &sample::whole());
        assert_eq!(report.scorers.len(), 23);
        let shares: f64 = report.scorers.values().map(|scorer| scorer.share).sum();
        assert!((shares - 100.0).abs() < 1e-9, "{shares}");
        let lost: f64 = report.scorers.values().map(|scorer| scorer.points_lost).sum();
        assert!((report.composite.unwrap() + lost - 100.0).abs() < 1e-9, "what is lost and what is left make 100");
        assert!(report.rankable, "{:?}", report.not_rankable_because);
        assert!(report.headline.ends_with("measured by 9 of 23 scorers"), "{}", report.headline);
    }

    #[test]
    fn a_folder_that_was_served_is_named_and_its_passing_port_is_not() {
        let serve = crate::request::Serve { folder: "/home/me/my-app".into(), start_seconds: 1.0 };
        let request = Request { serve: Some(serve), ..Request::new("http://127.0.0.1:4000/") };
        let shown = |url| shown_address(&request, url);
        assert_eq!(shown("http://127.0.0.1:4000/"), "folder://my-app/");
        assert_eq!(shown("http://127.0.0.1:4000/login?next=1"), "folder://my-app/login?next=1");
        assert_eq!(shown("https://accounts.example/"), "https://accounts.example/");
        assert_eq!(shown_address(&Request::new("http://localhost/"), "http://localhost/"), "http://localhost/");
        let item = Item::new("a", ItemStatus::Failed, "missing").gain(0.1 + 0.2).places(
            [Place::Text { text: "GET http://127.0.0.1:4000/none.png, not http://127.0.0.1:4001/".to_owned() }],
            1,
        );
        let mut details = Details::default().fact("share", 1.0 / 3.0).item(item.clone());
        show_addresses(&request, &mut details);
        let text = "GET folder://my-app/none.png, not http://127.0.0.1:4001/".to_owned();
        assert_eq!(details.items, [Item { places: vec![Place::Text { text }], ..item }]);
        assert_eq!(details.facts["share"], 1.0 / 3.0);
    }

    #[test]
    fn coverage_is_the_share_of_published_weight_that_was_measured() {
        let report = report_of(&request(), &sample::whole());
        // F1 7.05, F5 2.35, C3 3.6, C4 3.6, C5 0.9, C9 0.9, V2 7.2, V4 3.6, S1 4.4.
        assert!((report.coverage - 0.336).abs() < 1e-9, "{}", report.coverage);
    }

    #[test]
    fn a_wall_before_the_backend_track_shows_in_the_coverage() {
        let with_accounts = Request { accounts: true, ..request() };
        let mut evidence = sample::whole();
        evidence.backend = Piece::absent(Absence::NoInput { reason: "a captcha stands before the login".to_owned() });
        let report = report_of(&with_accounts, &evidence);
        assert_eq!(report.scorers["f7"].outcome, OutcomeKind::NoInput);
        assert!(report.coverage < report_of(&request(), &evidence).coverage, "{}", report.coverage);
    }

    #[test]
    fn a_page_that_did_not_render_is_not_ranked_and_its_scorers_have_no_input() {
        let report = report_of(&request(), &not_rendered());
        assert!(report.headline.starts_with("Did not render: "), "{}", report.headline);
        assert!(!report.rankable);
        for id in ["f5", "c3", "c4", "c9", "v2", "v4"] {
            assert_eq!(report.scorers[id].outcome, OutcomeKind::NoInput, "{id}");
            assert_eq!(report.scorers[id].reason.as_deref(), Some(DID_NOT_RENDER));
        }
        assert_eq!(report.scorers["f1"].score, Some(0.0));
    }

    #[test]
    fn gate_zero_counts_them_as_zero_and_leaves_what_is_not_measured_alone() {
        let zero = Request { gate: Gate::Zero, ..request() };
        let report = report_of(&zero, &not_rendered());
        assert_eq!(report.scorers["c3"].score, Some(0.0));
        assert_eq!(report.scorers["f2"].outcome, OutcomeKind::NotApplicable);
        assert!(!report.rankable);
    }

    #[test]
    fn an_errored_scorer_keeps_the_composite_but_says_so_and_is_not_ranked() {
        let mut evidence = sample::whole();
        evidence.axe = Piece::absent(Absence::Failed { reason: "axe-core was over its limit of 60 s".to_owned() });
        let report = report_of(&request(), &evidence);
        assert!(report.composite.is_some());
        assert!(!report.rankable);
        assert!(report.headline.contains("not ranked: C3 could not be measured"), "{}", report.headline);
        assert_eq!(report.not_rankable_because, ["C3 could not be measured: axe-core was over its limit of 60 s"]);
    }

    #[test]
    fn scorers_that_were_not_selected_are_not_applicable_and_the_report_is_not_ranked() {
        let only = Request { only: Some(BTreeSet::from([ScorerId::F1])), ..request() };
        let report = report_of(&only, &sample::whole());
        assert_eq!(report.scorers["c3"].reason.as_deref(), Some("not selected (--only)"));
        assert_eq!(report.scorers["f1"].share, 100.0);
        assert!(!report.rankable);
    }

    #[test]
    fn evidence_the_run_never_got_to_is_errored_not_forgotten() {
        let mut evidence = Evidence { load: sample::whole().load, ..Evidence::default() };
        mark_missing(&mut evidence, &request(), &BTreeSet::from([EvidenceKind::Load]));
        let report = report_of(&request(), &evidence);
        assert_eq!(report.scorers["v4"].outcome, OutcomeKind::Errored);
        assert_eq!(report.scorers["f1"].outcome, OutcomeKind::Scored);
        assert!(matches!(evidence.source.value, Err(Absence::NoInput { .. })), "no source was given");
    }
}
