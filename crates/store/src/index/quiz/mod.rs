//! Shared runs of the quiz in the index: rows, how runs stand to each other, and the sums that boards read.

mod commit;
mod entry;
mod keys;
mod pool;
mod query;
mod row;
mod settle;
mod write;

pub use commit::{ShareCommit, Shared};
pub use entry::{QuizEntry, QuizRecord, quiz_entry_of};
pub use query::{PoolQuestion, PoolSums, ShareFilter, SharePlace};
pub use row::{IndexedShare, pool_id};
pub(super) use write::{clear, take_in};
