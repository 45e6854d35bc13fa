//! A run as the index takes it in, checked: what is in a run folder may have been written by anybody.

use super::error::IndexError;
use crate::event::{Act, Decision, Event, EventBody, Review};
use crate::run_dir::ReadRun;
use benchwright_domain::RunRecord;
use benchwright_domain::record::RECORD_FORMAT;
use benchwright_domain::vibe::Evaluation;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const LONGEST_NAME: usize = 200;
const LONGEST_TEXT: usize = 4000;
/// An address is part of a key, and all of a key of PostgreSQL's has to fit into 2,704 bytes.
pub(super) const LONGEST_ADDRESS: usize = 2000;
/// Bytes of a moment with a fraction.
pub(super) const LONGEST_MOMENT: usize = 30;
const MOST_SCORES: usize = 200;
const MOST_REASONS: usize = 100;
const MOST_DOLLARS: f64 = 1e6;
const MOST_SECONDS: f64 = 1e8;

/// What may be shown of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Everything.
    #[default]
    Shown,
    /// It is kept off the boards and out of the lists until somebody has looked at it.
    Quarantined,
    /// Nothing but that it was taken down, and why.
    TakenDown,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Shown, Self::Quarantined, Self::TakenDown];

    /// The name used in JSON and in the index.
    pub fn key(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::Quarantined => "quarantined",
            Self::TakenDown => "taken_down",
        }
    }

    pub(super) fn of_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.key() == key)
    }

    /// What a decision leads to.
    pub(crate) fn of(decision: Decision) -> Self {
        match decision {
            Decision::TakeDown => Self::TakenDown,
            Decision::Quarantine => Self::Quarantined,
            Decision::Release => Self::Shown,
        }
    }

    /// What a run's acts leave it in. Nothing follows a take-down: what was removed cannot be shown again.
    pub fn after<'a>(acts: impl IntoIterator<Item = &'a Act>) -> Self {
        acts.into_iter().fold(Self::Shown, |state, act| match (state, act.decision) {
            (Self::TakenDown, _) | (_, Decision::TakeDown) => Self::TakenDown,
            (_, Decision::Quarantine) => Self::Quarantined,
            (_, Decision::Release) => Self::Shown,
        })
    }
}

/// An act, and its place in the log of its run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlacedAct {
    /// Number of the event.
    pub sequence: u64,
    /// The act.
    pub act: Act,
}

/// A run as the index takes it in.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    /// Id of the run.
    pub(super) run: String,
    /// RFC 3339, UTC.
    pub(super) started_at: String,
    /// What it says of itself; absent once it was taken down.
    pub(super) record: Option<RunRecord>,
    /// What it found about an app, without reasons and evidence; only of a run of the vibe track, which has no record.
    pub(super) evaluation: Option<Evaluation>,
    /// What people said of that app.
    pub(super) reviews: Vec<Review>,
    /// What was decided about it, in order.
    pub(super) acts: Vec<PlacedAct>,
}

impl Entry {
    /// The entry of a finished run. `record` is what its `run.json` says, see [`record_in`].
    pub fn of(run: &ReadRun, record: Option<RunRecord>) -> Result<Self, IndexError> {
        let id = &run.header.id;
        let bad = |reason: String| IndexError::BadRecord { run: id.clone(), reason };
        let acts = acts(&run.events);
        let state = State::after(acts.iter().map(|placed| &placed.act));
        let record = record.filter(|_| state != State::TakenDown);
        if let Some(record) = &record {
            check(record, id).map_err(bad)?;
        } else if state != State::TakenDown {
            return Err(bad("it has no record".to_owned()));
        }
        is_moment(&run.header.started_at).then_some(()).ok_or_else(|| bad("its start is no time".to_owned()))?;
        let mut record = record;
        if let Some(record) = &mut record {
            shorten(record);
        }
        let (evaluation, reviews) = (None, Vec::new());
        Ok(Self { run: id.clone(), started_at: run.header.started_at.clone(), record, evaluation, reviews, acts })
    }

    /// The entry of a finished run of the vibe track. `evaluation` is what its `run.json` says, see
    /// [`evaluation_in`](super::vibe::evaluation_in).
    pub fn of_evaluation(run: &ReadRun, evaluation: Evaluation) -> Result<Self, IndexError> {
        let id = &run.header.id;
        let bad = |reason: String| IndexError::BadRecord { run: id.clone(), reason };
        super::vibe::check(&evaluation).map_err(bad)?;
        is_moment(&run.header.started_at).then_some(()).ok_or_else(|| bad("its start is no time".to_owned()))?;
        let acts = acts(&run.events);
        let is_gone = State::after(acts.iter().map(|placed| &placed.act)) == State::TakenDown;
        Ok(Self {
            run: id.clone(),
            started_at: run.header.started_at.clone(),
            record: None,
            evaluation: (!is_gone).then(|| super::vibe::slim(evaluation)),
            reviews: if is_gone { Vec::new() } else { crate::review::reviews(&run.events) },
            acts,
        })
    }

    pub(super) fn state(&self) -> State {
        State::after(self.acts.iter().map(|placed| &placed.act))
    }

    /// Why it is in that state.
    pub(super) fn state_reason(&self) -> Option<&str> {
        let last = self.acts.iter().rfind(|placed| match self.state() {
            State::TakenDown => placed.act.decision == Decision::TakeDown,
            _ => true,
        });
        last.filter(|_| self.state() != State::Shown).map(|placed| placed.act.reason.as_str())
    }
}

/// The record in a `run.json`; none in one that was written before there were records.
pub fn record_in(run_json: &Value) -> Result<Option<RunRecord>, String> {
    let Some(record) = run_json.get("record") else { return Ok(None) };
    let format = record.get("format").and_then(Value::as_u64).unwrap_or_default();
    if format > u64::from(RECORD_FORMAT) {
        return Err(format!("its record was written by a newer Benchwright (format {format}); update Benchwright"));
    }
    RunRecord::deserialize(record).map(Some).map_err(|error| format!("its record cannot be read: {error}"))
}

pub(super) fn acts(events: &[Event]) -> Vec<PlacedAct> {
    let act = |event: &Event| match &event.body {
        EventBody::Moderated { act } => Some(PlacedAct { sequence: event.sequence, act: act.clone() }),
        _ => None,
    };
    events.iter().filter_map(act).collect()
}

/// Refuses numbers that would spoil sums and names that are keys.
fn check(record: &RunRecord, id: &str) -> Result<(), String> {
    let within = |value: f64, most: f64| value.is_finite() && (0.0..=most).contains(&value);
    let or_refuse = |good: bool, what: &str| if good { Ok(()) } else { Err(format!("its {what} cannot be right")) };
    or_refuse(record.run == id, "id")?;
    or_refuse(record.composite.is_none_or(|composite| within(composite, 100.0)), "composite")?;
    or_refuse(record.dimensions.values().all(|score| within(*score, 1.0)), "dimensions")?;
    or_refuse(record.scores.len() <= MOST_SCORES, "number of scores")?;
    or_refuse(record.scores.values().all(|score| within(score.score, 1.0)), "scores")?;
    or_refuse(within(record.coverage, 1.0) && within(record.seconds, MOST_SECONDS), "coverage or duration")?;
    let cost = record.cost.as_ref();
    or_refuse(cost.and_then(|cost| cost.usd).is_none_or(|usd| within(usd, MOST_DOLLARS)), "cost")?;
    let seconds = cost.into_iter().flat_map(|cost| [cost.first_render_seconds, cost.working_build_seconds]);
    or_refuse(seconds.flatten().all(|seconds| within(seconds, MOST_SECONDS)), "build time")?;
    let versions = record.scores.iter().flat_map(|(key, score)| [key, &score.version]);
    let names = [&record.tool, &record.benchwright].into_iter().chain(&record.prompt).chain(versions);
    or_refuse(names.into_iter().all(|name| name.len() <= LONGEST_NAME), "names")?;
    or_refuse(record.not_rankable_because.len() <= MOST_REASONS, "number of reasons")?;
    or_refuse(is_moment(&record.started_at), "start")
}

/// Long texts are cut; they are shown in lists, and the report has them whole.
fn shorten(record: &mut RunRecord) {
    record.url = address(&record.url);
    let texts = std::iter::once(&mut record.headline);
    for text in texts.chain(&mut record.title).chain(&mut record.tool_version).chain(&mut record.not_rankable_because) {
        if let Some((end, _)) = text.char_indices().nth(LONGEST_TEXT) {
            text.truncate(end);
        }
    }
}

/// An address as it is kept and looked for.
pub(super) fn address(url: &str) -> String {
    part_of_a_key(url, LONGEST_ADDRESS)
}

/// The beginning of a text, in at most so many bytes as databases keep it: a zero byte is kept as a character of three.
pub(super) fn part_of_a_key(text: &str, most: usize) -> String {
    let mut kept = text.replace('\0', "\u{fffd}");
    kept.truncate(kept.floor_char_boundary(most));
    kept
}

/// `2026-11-16T10:15:00Z`, or with a fraction: what sorts by time when it is sorted as text.
fn is_moment(text: &str) -> bool {
    let pattern = b"0000-00-00T00:00:00";
    let head = text.as_bytes().get(..pattern.len());
    let fits = |(byte, wanted): (&u8, &u8)| if *wanted == b'0' { byte.is_ascii_digit() } else { byte == wanted };
    head.is_some_and(|head| head.iter().zip(pattern).all(fits)) && text.ends_with('Z') && text.len() <= LONGEST_MOMENT
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(decision: Decision) -> Act {
        Act { decision, reason: "r".to_owned(), by: "b".to_owned(), at: "2026-11-16T10:15:00Z".to_owned() }
    }

    #[test]
    fn the_last_decision_counts_and_a_take_down_is_final() {
        use Decision::{Quarantine, Release, TakeDown};
        let after = |decisions: &[Decision]| {
            State::after(decisions.iter().map(|decision| act(*decision)).collect::<Vec<_>>().iter())
        };
        assert_eq!(after(&[]), State::Shown);
        assert_eq!(after(&[Quarantine]), State::Quarantined);
        assert_eq!(after(&[Quarantine, Release]), State::Shown);
        assert_eq!(after(&[TakeDown, Release, Quarantine]), State::TakenDown);
    }

    #[test]
    fn a_moment_is_what_sorts_by_time() {
        assert!(is_moment("2026-11-16T10:15:00Z") && is_moment("2026-11-16T10:15:00.123Z"));
        for text in ["", "2026-11-16", "2026-11-16T10:15:00+01:00", "yesterday at ten o'clockZ", "2026-11-16T10:15:00"]
        {
            assert!(!is_moment(text), "{text}");
        }
    }

    #[test]
    fn a_record_of_a_newer_format_says_what_to_do() {
        let newer = serde_json::json!({ "record": { "format": 99, "shape": "unknown" } });
        assert!(record_in(&newer).unwrap_err().contains("update Benchwright"));
        assert_eq!(record_in(&serde_json::json!({ "composite": 1.0 })), Ok(None));
    }
}
