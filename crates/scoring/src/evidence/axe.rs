//! What axe-core found on the loaded page.

use benchwright_domain::Rect;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Axe`].
pub const VERSION: u32 = 1;

/// The result of one axe-core scan with the WCAG 2.0, 2.1 and 2.2 A/AA tags.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Axe {
    /// Version of axe-core.
    pub version: String,
    /// Elements in the page, frames and open shadow roots included.
    pub total_nodes: usize,
    /// Frames that were scanned, the main one included.
    pub frames: usize,
    /// Violated rules.
    pub violations: Vec<Violation>,
    /// Rules axe could not decide, with the number of elements.
    pub incomplete: BTreeMap<String, usize>,
}

/// A violated rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    /// Rule id, such as `color-contrast`.
    pub id: String,
    /// critical, serious, moderate, minor.
    pub impact: String,
    /// What the rule asks for.
    pub help: String,
    /// Where it is explained.
    pub help_url: String,
    /// How many elements violate it.
    pub node_count: usize,
    /// The first of them.
    pub nodes: Vec<ViolatingNode>,
}

/// An element that violates a rule.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ViolatingNode {
    /// A selector; frames and shadow roots joined by ` >>> `.
    pub target: String,
    /// Start of its markup.
    pub html: String,
    /// What axe says of it.
    pub summary: String,
    /// Where it is on the page, for elements of the main frame.
    pub rect: Option<Rect>,
}
