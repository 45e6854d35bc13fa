//! A run as a row: the columns in one order, written and read in the same place.

use super::database::{Cell, Row};
use super::entry::{Entry, State};
use super::error::IndexError;
use benchwright_domain::board::CoverageClass;
use benchwright_domain::record::RECORD_FORMAT;
use benchwright_domain::report::Cost;
use benchwright_domain::{BlobId, Dimension, RunRecord};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The columns of `runs`, as [`cells`] writes them.
pub(super) const COLUMNS: [&str; 29] = [
    "run",
    "state",
    "state_reason",
    "started_at",
    "tool",
    "tool_version",
    "run_index",
    "prompt",
    "tier",
    "url",
    "title",
    "headline",
    "composite",
    "functional",
    "code_quality",
    "visual",
    "security",
    "scores",
    "rankable",
    "not_rankable_because",
    "class",
    "coverage",
    "seconds",
    "benchwright",
    "cost",
    "verified",
    "report",
    "thumbnail",
    "ranked",
];

/// What [`read`] expects: the columns but the last, and the definition of the class.
pub(super) const SELECT: &str = "SELECT runs.run, state, state_reason, started_at, tool, tool_version, run_index, prompt, tier, url, \
     title, headline, composite, functional, code_quality, visual, security, scores, rankable, not_rankable_because, \
     classes.definition, coverage, seconds, benchwright, cost, verified, report, thumbnail \
     FROM runs LEFT JOIN classes ON classes.class = runs.class";

/// A run as the index knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexedRun {
    /// What may be shown of it.
    pub state: State,
    /// Why it is not shown.
    pub state_reason: Option<String>,
    /// The run in short; of a run that was taken down, only its id and its start are left.
    pub record: RunRecord,
}

impl IndexedRun {
    /// A run of which nothing is left but its id and its start.
    pub(crate) fn tombstone(run: &str, started_at: &str) -> Self {
        Self { state: State::TakenDown, state_reason: None, record: tombstone(run, started_at) }
    }

    /// Whether it counts on a board.
    pub fn is_ranked(&self) -> bool {
        self.state == State::Shown && self.record.rankable
    }
}

impl From<&Entry> for IndexedRun {
    fn from(entry: &Entry) -> Self {
        Self {
            state: entry.state(),
            state_reason: entry.state_reason().map(str::to_owned),
            record: entry.record.clone().unwrap_or_else(|| tombstone(&entry.run, &entry.started_at)),
        }
    }
}

/// What is left of a run that was taken down.
fn tombstone(run: &str, started_at: &str) -> RunRecord {
    let class = CoverageClass {
        scored: BTreeSet::new(),
        scanners: String::new(),
        methodology: String::new(),
        counts_unrendered_as_zero: false,
    };
    RunRecord {
        format: RECORD_FORMAT,
        run: run.to_owned(),
        tool: String::new(),
        tool_version: None,
        run_index: None,
        prompt: None,
        tier: None,
        url: String::new(),
        title: None,
        headline: String::new(),
        composite: None,
        dimensions: BTreeMap::new(),
        scores: BTreeMap::new(),
        rankable: false,
        not_rankable_because: Vec::new(),
        class,
        coverage: 0.0,
        started_at: started_at.to_owned(),
        seconds: 0.0,
        benchwright: String::new(),
        cost: None,
        verified: false,
        report: None,
        thumbnail: None,
    }
}

/// The name of a class: short, and the same everywhere.
pub fn class_id(class: &CoverageClass) -> String {
    let mut id = String::with_capacity(16);
    for byte in &Sha256::digest(definition(class))[..8] {
        // Writing to a string cannot fail.
        let _ = write!(id, "{byte:02x}");
    }
    id
}

/// The canonical text of a class: its sets are ordered, so equal classes have equal texts.
pub(super) fn definition(class: &CoverageClass) -> String {
    json(class)
}

/// The values of a run, in the order of [`COLUMNS`].
pub(super) fn cells(run: &IndexedRun) -> Vec<Cell> {
    let record = &run.record;
    let dimension = |dimension| Cell::from(record.dimensions.get(&dimension).copied());
    vec![
        (&record.run).into(),
        run.state.key().into(),
        run.state_reason.as_ref().into(),
        (&record.started_at).into(),
        (&record.tool).into(),
        record.tool_version.as_ref().into(),
        record.run_index.map(i64::from).into(),
        record.prompt.as_deref().unwrap_or_default().into(),
        record.tier.map(i64::from).into(),
        (&record.url).into(),
        record.title.as_ref().into(),
        (&record.headline).into(),
        record.composite.into(),
        dimension(Dimension::Functional),
        dimension(Dimension::CodeQuality),
        dimension(Dimension::Visual),
        dimension(Dimension::Security),
        json(&record.scores).into(),
        record.rankable.into(),
        json(&record.not_rankable_because).into(),
        class_id(&record.class).into(),
        record.coverage.into(),
        record.seconds.into(),
        (&record.benchwright).into(),
        record.cost.as_ref().map(json).into(),
        record.verified.into(),
        record.report.as_ref().map(|blob| blob.0.as_str()).into(),
        record.thumbnail.as_ref().map(|blob| blob.0.as_str()).into(),
        run.is_ranked().into(),
    ]
}

/// The run of a row of [`SELECT`].
pub(super) fn read(mut row: Row) -> Result<IndexedRun, IndexError> {
    let run = row.text()?;
    let state = State::of_key(&row.text()?).ok_or_else(|| unreadable("state"))?;
    let state_reason = row.optional_text()?;
    let record = RunRecord {
        format: RECORD_FORMAT,
        run,
        started_at: row.text()?,
        tool: row.text()?,
        tool_version: row.optional_text()?,
        run_index: row.optional_integer()?.map(|index| index as u32),
        prompt: Some(row.text()?).filter(|prompt| !prompt.is_empty()),
        tier: row.optional_integer()?.map(|tier| tier as u8),
        url: row.text()?,
        title: row.optional_text()?,
        headline: row.text()?,
        composite: row.optional_real()?,
        dimensions: dimensions(&mut row)?,
        scores: parse(&row.text()?, "scores")?,
        rankable: row.integer()? != 0,
        not_rankable_because: parse(&row.text()?, "reasons")?,
        class: parse(&row.text()?, "class")?,
        coverage: row.real()?,
        seconds: row.real()?,
        benchwright: row.text()?,
        cost: row.optional_text()?.map(|cost| parse::<Cost>(&cost, "cost")).transpose()?,
        verified: row.integer()? != 0,
        report: row.optional_text()?.map(BlobId),
        thumbnail: row.optional_text()?.map(BlobId),
    };
    Ok(IndexedRun { state, state_reason, record })
}

fn dimensions(row: &mut Row) -> Result<BTreeMap<Dimension, f64>, IndexError> {
    let mut found = BTreeMap::new();
    for dimension in Dimension::ALL {
        found.extend(row.optional_real()?.map(|score| (dimension, score)));
    }
    Ok(found)
}

/// Records hold nothing that JSON cannot say; their numbers were checked.
pub(super) fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

pub(super) fn parse<T: serde::de::DeserializeOwned>(text: &str, what: &'static str) -> Result<T, IndexError> {
    serde_json::from_str(text).map_err(|_| unreadable(what))
}

pub(super) fn unreadable(what: &str) -> IndexError {
    IndexError::Failed {
        doing: "read the index",
        reason: format!("a {what} cannot be read; run `benchwright index rebuild`"),
    }
}
