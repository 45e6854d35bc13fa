//! Evaluations of the vibe track in the index. Their runs are like all others; what is said of them has a table of its own.

mod entry;
mod opinions;
mod query;
mod row;
mod write;

pub use entry::evaluation_in;
pub(super) use entry::{check, slim};
pub use opinions::{OPINION, evaluation_of};
pub use query::{AppFilter, EvaluatorSummary, MOST_EVALUATIONS};
pub use row::IndexedApp;
pub(super) use write::{clear, take_in};
