//! The nouns and the arithmetic of Benchwright.
//!
//! Everything here is pure: no async, no filesystem, no clock, no randomness. Time and seeds arrive as values, so every formula
//! can be property-tested and every result recomputed from frozen evidence.
#![warn(missing_docs)]

pub mod board;
pub mod comparison;
pub mod composite;
pub mod details;
pub mod history;
pub mod noise;
pub mod order;
pub mod outcome;
pub mod record;
pub mod repeats;
pub mod report;
pub mod scorer;
pub mod statistics;
pub mod vibe;
pub mod weights;
#[cfg(feature = "yaml")]
pub mod yaml;

pub use composite::{Composite, DimensionScore, Gate};
pub use details::{BlobId, Details, Item, ItemStatus, Place, Rect};
pub use order::{JobKind, ORDER_FORMAT, Order, ReviewOrder};
pub use outcome::{Assessment, Outcome, UnitScore};
pub use record::RunRecord;
pub use report::Report;
pub use scorer::{Dimension, ScorerId};

/// Version of the published methodology that this build implements. It is part of every report.
pub const METHODOLOGY_VERSION: &str = "1.0";
