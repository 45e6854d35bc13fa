//! Runs as they come out of scoring, small and varied.

use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::{RECORD_FORMAT, RecordedScore, RunRecord};
use benchwright_domain::report::Cost;
use benchwright_domain::{BlobId, Dimension, ScorerId};
use benchwright_store::index::Entry;
use benchwright_store::{Act, Decision, Event, EventBody, RUN_FORMAT, ReadRun, RunHeader};
use serde_json::{Value, json};

pub fn class(scored: &[ScorerId]) -> CoverageClass {
    CoverageClass {
        scored: scored.iter().copied().collect(),
        scanners: "gitleaks".to_owned(),
        methodology: "1.0".to_owned(),
        counts_unrendered_as_zero: false,
    }
}

/// When run `number` began.
pub fn moment(number: u32) -> String {
    format!("2026-11-{:02}T{:02}:{:02}:00Z", 1 + number / 1440 % 28, number / 60 % 24, number % 60)
}

pub fn record(run: &str, tool: &str, prompt: &str, composite: f64) -> RunRecord {
    let score = |score: f64| RecordedScore { score, version: "1".to_owned() };
    RunRecord {
        format: RECORD_FORMAT,
        run: run.to_owned(),
        tool: tool.to_owned(),
        tool_version: Some("2026-W46".to_owned()),
        run_index: Some(1),
        prompt: Some(prompt.to_owned()),
        tier: Some(2),
        url: format!("https://{tool}.example/"),
        title: Some("A — ünïcode".to_owned()),
        headline: "80 of 100".to_owned(),
        composite: Some(composite),
        dimensions: [(Dimension::Functional, composite / 100.0), (Dimension::Visual, 0.1 + 0.2)].into(),
        scores: [("f1".to_owned(), score(1.0)), ("c3".to_owned(), score(composite / 100.0))].into(),
        rankable: true,
        not_rankable_because: Vec::new(),
        class: class(&[ScorerId::F1, ScorerId::C3]),
        coverage: 0.5,
        started_at: moment(0),
        seconds: 12.5,
        benchwright: "0.1.0".to_owned(),
        cost: Some(Cost {
            source: "user-reported".to_owned(),
            first_render_seconds: None,
            working_build_seconds: Some(300.0),
            usd: Some(1.25),
            note: Some("one retry".to_owned()),
        }),
        verified: true,
        report: Some(BlobId("a".repeat(64))),
        thumbnail: Some(BlobId("b".repeat(64))),
    }
}

/// The run number `number` of many: tools, prompts, classes and scores in a fixed, uneven pattern.
pub fn nth(number: u32) -> RunRecord {
    let tool = ["kiln", "forge", "Anvil", "zebra"][number as usize * 7 % 4];
    let prompt = ["todo", "shop", "Blog"][number as usize * 5 % 3];
    let composite = f64::from(number * 7919 % 100_001) / 1000.0;
    let scored = if number.is_multiple_of(5) { vec![ScorerId::F1] } else { vec![ScorerId::F1, ScorerId::C3] };
    RunRecord {
        prompt: (!number.is_multiple_of(11)).then(|| prompt.to_owned()),
        rankable: !number.is_multiple_of(6),
        not_rankable_because: if number.is_multiple_of(6) {
            vec!["C4 could not be measured.".to_owned()]
        } else {
            Vec::new()
        },
        class: class(&scored),
        started_at: moment(number * 37 % 5000),
        cost: record("", "", "", 0.0).cost.filter(|_| number.is_multiple_of(3)),
        verified: number.is_multiple_of(2),
        tier: Some((1 + prompt.len() % 3) as u8),
        ..record(&format!("r{number:05}"), tool, prompt, composite)
    }
}

pub fn act(decision: Decision, at: u32) -> Act {
    Act { decision, reason: format!("because of {at}"), by: "ada".to_owned(), at: moment(at) }
}

pub fn header(record: &RunRecord) -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: record.run.clone(),
        started_at: record.started_at.clone(),
        benchwright: record.benchwright.clone(),
        request: Value::Null,
    }
}

pub fn read_run(record: &RunRecord, acts: &[Act]) -> ReadRun {
    let started = EventBody::Started { header: header(record) };
    let bodies = std::iter::once(started).chain(acts.iter().map(|act| EventBody::Moderated { act: act.clone() }));
    ReadRun {
        header: header(record),
        events: (0..).zip(bodies).map(|(sequence, body)| Event { sequence, at_ms: 0, body }).collect(),
        torn: false,
        damage: None,
        run_json: Some(json!({ "record": record })),
    }
}

pub fn entry(record: &RunRecord, acts: &[Act]) -> Entry {
    Entry::of(&read_run(record, acts), Some(record.clone())).unwrap()
}
