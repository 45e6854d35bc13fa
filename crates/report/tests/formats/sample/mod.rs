//! Hand-made reports: one as a real run would give it, and the odd ones.

mod findings;
pub mod quiz;
pub mod vibe;

use benchwright_domain::report::{Cost, OutcomeKind, Provenance, REPORT_FORMAT, ScorerReport, Screenshot, Subject};
use benchwright_domain::{
    BlobId, Composite, Details, Gate, Item, METHODOLOGY_VERSION, Outcome, Place, Report, ScorerId, UnitScore,
};
use serde_json::json;
use std::collections::BTreeMap;

const NO_SOURCE: &str = "no source folder was given";
const NO_PROMPT: &str = "no prompt was given";
const NO_BACKEND: &str = "the prompt does not ask for a backend";

/// The smallest PNG: one transparent pixel.
pub const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\xdac\xfc\xcf\xc0P\x0f\0\x04\x85\x01\x80\x84\xa9\x8c!\0\0\0\0IEND\xaeB`\x82";

/// A report as a run of a decent page gives it.
pub fn decent() -> Report {
    let mut outcomes: BTreeMap<ScorerId, (Outcome, Details)> =
        ScorerId::ALL.into_iter().map(|id| (id, (missing(id), Details::default()))).collect();
    outcomes.insert(ScorerId::F1, scored(1.0, true, findings::render_success()));
    outcomes.insert(ScorerId::F5, scored(0.6, false, findings::runtime_errors()));
    outcomes.insert(ScorerId::C3, scored(0.46, false, findings::accessibility()));
    outcomes.insert(ScorerId::C4, scored(0.81, true, findings::performance()));
    outcomes.insert(ScorerId::C5, scored(1.0, true, findings::payload()));
    outcomes.insert(ScorerId::C9, scored(0.75, true, findings::seo()));
    outcomes.insert(ScorerId::V2, scored(0.714, true, findings::design()));
    outcomes.insert(ScorerId::V4, scored(0.667, false, findings::responsive()));
    outcomes.insert(ScorerId::S1, scored(0.375, false, findings::headers()));
    let slow = "the package registry did not answer within 60 s, three times in a row";
    outcomes.insert(ScorerId::C8, (Outcome::Errored { reason: slow.into() }, Details::default()));
    let mut report = assemble(&outcomes);
    report.scorers.insert("house_colours".into(), added());
    report.rankable = false;
    report.headline =
        "75.5 of 100 on 35.4% of the weight; one scorer could not be measured, so the run is not ranked".into();
    report.not_rankable_because = vec!["C8 could not be measured.".into()];
    report
}

/// The page never came up.
pub fn unrendered() -> Report {
    let mut outcomes: BTreeMap<ScorerId, (Outcome, Details)> = ScorerId::ALL
        .into_iter()
        .map(|id| (id, (if id.is_gated() { no_input("page did not render") } else { missing(id) }, Details::default())))
        .collect();
    let log = "Uncaught TypeError: Cannot read properties of undefined (reading 'map')";
    let blank = Item::check("text", false, "The page shows text.", "The page stays blank.")
        .measured("0 characters of text after 10 s")
        .expected("at least 20 characters")
        .fix("Open the page with the console open and mend the first exception.")
        .places(
            [Place::Log { channel: "exception".into(), text: log.into(), url: Some(long_url()), line: Some(1) }],
            5,
        );
    outcomes.insert(ScorerId::F1, scored(0.0, false, Details::default().item(blank)));
    let mut report = assemble(&outcomes);
    report.headline = "did not render".into();
    report.coverage = 0.0705;
    report.rankable = false;
    report.not_rankable_because = vec!["The page did not render.".into()];
    report.subject.title = None;
    report.subject.url = long_url();
    report.subject.final_url = Some(format!("{}&after=redirect", long_url()));
    report.screenshots.clear();
    report
}

/// Everything was measured and nothing lost.
pub fn flawless() -> Report {
    let outcomes = ScorerId::ALL.into_iter().map(|id| (id, scored(1.0, true, Details::default()))).collect();
    let mut report = assemble(&outcomes);
    report.headline = "100.0 of 100 on all of the weight".into();
    report.coverage = 1.0;
    report
}

/// Nothing at all.
pub fn empty() -> Report {
    Report {
        format: REPORT_FORMAT,
        methodology: String::new(),
        headline: String::new(),
        composite: None,
        rankable: false,
        not_rankable_because: Vec::new(),
        coverage: 0.0,
        gate: Gate::Null,
        subject: Subject::default(),
        dimensions: BTreeMap::new(),
        scorers: BTreeMap::new(),
        screenshots: Vec::new(),
        provenance: Provenance::default(),
        cost: None,
    }
}

fn long_url() -> String {
    format!("https://preview-{}.apps.example.com/a/b?token={}", "f3a9c1".repeat(8), "0123456789abcdef".repeat(20))
}

fn assemble(outcomes: &BTreeMap<ScorerId, (Outcome, Details)>) -> Report {
    let composite = Composite::of(outcomes.iter().map(|(id, (outcome, _))| (*id, outcome)));
    let scorers = outcomes.iter().map(|(id, (outcome, details))| {
        let share = composite.share(*id);
        (id.key().to_owned(), scorer(*id, outcome, details, share))
    });
    Report {
        methodology: METHODOLOGY_VERSION.into(),
        headline: String::new(),
        composite: composite.value,
        rankable: true,
        coverage: 0.354,
        subject: Subject {
            url: "https://fernwood.example/".into(),
            final_url: Some("https://fernwood.example/en/".into()),
            title: Some("Fernwood: plan the week together".into()),
            prompt: Some("team-planner".into()),
            source: None,
            tool: Some("kiln".into()),
            tool_version: Some("2026-W46".into()),
            run_index: Some(1),
        },
        cost: Some(Cost {
            source: "user-reported".into(),
            first_render_seconds: Some(42.0),
            working_build_seconds: Some(312.5),
            usd: Some(1.2),
            note: Some("one retry after a time-out".into()),
        }),
        scorers: scorers.collect(),
        dimensions: composite.dimensions,
        screenshots: screenshots(),
        provenance: provenance(),
        ..empty()
    }
}

fn scorer(id: ScorerId, outcome: &Outcome, details: &Details, share: f64) -> ScorerReport {
    let (kind, passed) = match outcome {
        Outcome::Scored { passed, .. } => (OutcomeKind::Scored, Some(*passed)),
        Outcome::NotApplicable { .. } => (OutcomeKind::NotApplicable, None),
        Outcome::NoInput { .. } => (OutcomeKind::NoInput, None),
        Outcome::Errored { .. } => (OutcomeKind::Errored, None),
    };
    let score = outcome.score().map(UnitScore::value);
    ScorerReport {
        outcome: kind,
        score,
        passed,
        reason: outcome.reason().map(str::to_owned),
        name: id.name().into(),
        title: title(id, passed).into(),
        share,
        points_lost: score.map_or(0.0, |score| share * (1.0 - score)),
        details: details.clone(),
        seconds: if kind == OutcomeKind::Scored { 0.4 + 2.0 * f64::from(id as u8) } else { 0.0 },
        version: "1".into(),
        id: Some(id),
    }
}

fn title(id: ScorerId, passed: Option<bool>) -> &'static str {
    match (id, passed) {
        (_, None) => "There is no verdict",
        (ScorerId::F1, Some(true)) => "The page renders",
        (ScorerId::F1, Some(false)) => "The page does not render",
        (ScorerId::F5, Some(false)) => "The page throws while it runs",
        (ScorerId::C3, Some(false)) => "Some people cannot use this page",
        (ScorerId::C4, Some(true)) => "The page is fast enough on a phone",
        (ScorerId::C5, Some(true)) => "The page sends little",
        (ScorerId::C9, Some(true)) => "Search engines can read the page",
        (ScorerId::V2, Some(true)) => "The design holds together",
        (ScorerId::V4, Some(false)) => "The page breaks on small screens",
        (ScorerId::S1, Some(false)) => "The server leaves protections switched off",
        (_, Some(true)) => "It holds",
        (_, Some(false)) => "It does not hold",
    }
}

fn missing(id: ScorerId) -> Outcome {
    use ScorerId::{F2, F4, F6, F7, F8, S4, V1};
    match id {
        F7 | F8 | S4 => Outcome::NotApplicable { reason: NO_BACKEND.into() },
        F2 | F6 => no_input(NO_PROMPT),
        F4 | V1 => no_input("no key for a judge was given"),
        _ => no_input(NO_SOURCE),
    }
}

fn no_input(reason: &str) -> Outcome {
    Outcome::NoInput { reason: reason.into() }
}

fn scored(score: f64, passed: bool, details: Details) -> (Outcome, Details) {
    (Outcome::scored(UnitScore::new(score), passed), details)
}

fn added() -> ScorerReport {
    ScorerReport {
        outcome: OutcomeKind::Scored,
        score: Some(0.5),
        passed: Some(false),
        reason: None,
        name: "House colours".into(),
        title: "Half of the colours are not ours".into(),
        share: 0.0,
        points_lost: 0.0,
        details: Details::default().fact("foreign_colours", 4),
        seconds: 0.03,
        version: "2026-10".into(),
        id: None,
    }
}

fn screenshots() -> Vec<Screenshot> {
    [("desktop", 1440, 900), ("tablet", 768, 1024), ("mobile", 375, 812), ("full", 1440, 1180)]
        .map(|(name, width, height)| Screenshot {
            name: name.into(),
            width,
            height,
            blob: BlobId(format!("{name:0<64}")),
        })
        .into()
}

fn provenance() -> Provenance {
    let words =
        |pairs: &[(&str, &str)]| pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Provenance {
        benchwright: "0.1.0".into(),
        run: "01KA5W8Z6P3N8Q2R7T4V9X1Y0B".into(),
        started_at: "2026-11-16T09:24:31Z".into(),
        seconds: 38.42,
        versions: words(&[
            ("axe-core", "4.11.0"),
            ("chromium", "156.0.7420.12"),
            ("lighthouse", "13.0.1"),
            ("node", "22.19.0"),
        ]),
        hashes: words(&[
            ("evidence", "9aca34d3368184468f1c0b5f9d6b7e1d5a0c2f4b8e7d6c5b4a39281706f5e4d3"),
            ("prompt", "1f0c3e5a7b9d2f4e6a8c0b1d3f5e7a9c2b4d6f8e0a1c3e5b7d9f1a3c5e7b9d1f"),
        ]),
        fonts: vec!["Liberation Sans".into(), "Noto Color Emoji".into()],
        machine: BTreeMap::from([
            ("benchmark_index".into(), json!(1391.5)),
            ("cores".into(), json!(2)),
            ("load_before".into(), json!(0.42)),
            ("memory_bytes".into(), json!(8_233_017_344_u64)),
            ("steal_share".into(), json!(0.004)),
        ]),
        settings: BTreeMap::from([("header".into(), json!({"authorization": "•••"})), ("only".into(), json!(null))]),
    }
}
