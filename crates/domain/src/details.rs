//! What is behind a number: typed facts, items and places. Scorers cannot emit HTML; renderers switch on the kind.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// The SHA-256 of a blob in the run directory, in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct BlobId(pub String);

/// Everything behind one outcome.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Details {
    /// The numbers that entered the formula, by name. Scalars only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, Value>,
    /// What was checked or found, each with its places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// Sentences a reader should know before trusting the number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Details {
    /// Adds a fact and returns the details, for building in one expression.
    pub fn fact(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }

    /// Adds an item.
    pub fn item(mut self, item: Item) -> Self {
        self.items.push(item);
        self
    }

    /// Adds several items.
    pub fn items(mut self, items: impl IntoIterator<Item = Item>) -> Self {
        self.items.extend(items);
        self
    }

    /// Adds a note.
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// How one check came out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ItemStatus {
    /// The check holds.
    Passed,
    /// The check does not hold, or a fault was found.
    Failed,
    /// The prompt does not ask for it, or there was nothing to check.
    NotApplicable,
    /// Worth knowing, without weight.
    Info,
}

/// One check of a checklist, or one fault found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// A stable id within the scorer, such as `heading_hierarchy` or an axe rule id.
    pub id: String,
    /// One sentence. For a failed item it says what is wrong, for a passed one what is right.
    pub title: String,
    /// How it came out.
    pub status: ItemStatus,
    /// What was measured, in words: "12 characters".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measured: Option<String>,
    /// What was expected, in words: "10 to 70 characters".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    /// What to change, as an instruction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
    /// How bad it is, where the instrument says so: critical, serious, moderate, minor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    /// Score of this scorer (0 to 1) that would come back if this item alone were mended, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gain: Option<f64>,
    /// Where it was seen; capped by the scorer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub places: Vec<Place>,
    /// How many places there are in all.
    #[serde(default)]
    pub places_total: usize,
}

impl Item {
    /// An item without places.
    pub fn new(id: impl Into<String>, status: ItemStatus, title: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            status,
            measured: None,
            expected: None,
            fix: None,
            severity: None,
            gain: None,
            places: Vec::new(),
            places_total: 0,
        }
    }

    /// A check: the first title if it holds, the second if not.
    pub fn check(id: &str, holds: bool, passed_title: &str, failed_title: &str) -> Self {
        if holds {
            Self::new(id, ItemStatus::Passed, passed_title)
        } else {
            Self::new(id, ItemStatus::Failed, failed_title)
        }
    }

    /// Sets what was measured.
    pub fn measured(mut self, text: impl Into<String>) -> Self {
        self.measured = Some(text.into());
        self
    }

    /// Sets what was expected.
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// Sets what to change; kept only for a failed item.
    pub fn fix(mut self, text: impl Into<String>) -> Self {
        if self.status == ItemStatus::Failed {
            self.fix = Some(text.into());
        }
        self
    }

    /// Sets the severity.
    pub fn severity(mut self, text: impl Into<String>) -> Self {
        self.severity = Some(text.into());
        self
    }

    /// Sets the score that would come back.
    pub fn gain(mut self, gain: f64) -> Self {
        self.gain = Some(gain);
        self
    }

    /// Sets the places, keeping the first `cap` and counting all.
    pub fn places(mut self, places: impl IntoIterator<Item = Place>, cap: usize) -> Self {
        for place in places {
            self.places_total += 1;
            if self.places.len() < cap {
                self.places.push(place);
            }
        }
        self
    }
}

/// A rectangle in CSS pixels of the page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rect {
    /// From the left edge of the page.
    pub x: f64,
    /// From the top edge of the page.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
}

/// Where something was seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Place {
    /// An element of the page.
    Element {
        /// A CSS selector that finds it.
        selector: String,
        /// The start of its markup, cut.
        html: String,
        /// What the instrument says of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        note: Option<String>,
        /// The screenshot of the report it can be seen on, by name.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        shot: Option<String>,
        /// Where it is on that screenshot, in CSS pixels.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rect: Option<Rect>,
    },
    /// A line of source.
    Code {
        /// Path relative to the source root.
        file: String,
        /// From 1.
        line: u32,
        /// From 1, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        column: Option<u32>,
        /// The line, cut, with secrets masked.
        text: String,
    },
    /// A response header; `value` is absent when the header is missing.
    Header {
        /// Name as published.
        name: String,
        /// Value, cut.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A line of the console, or an uncaught exception.
    Log {
        /// Where it came from: `console`, `exception`, `network`.
        channel: String,
        /// The text, cut.
        text: String,
        /// Script it came from, where known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// Line in that script, from 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        line: Option<u32>,
    },
    /// A request the page made.
    Request {
        /// GET, POST, …
        method: String,
        /// The address, cut.
        url: String,
        /// The status, if there was a response.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// Bytes over the wire.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        bytes: Option<u64>,
        /// Why it failed, if it did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
    /// Anything else, in words.
    Text {
        /// The words.
        text: String,
    },
}
