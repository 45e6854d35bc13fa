//! Durability: a run is a directory that survives being killed at any moment.
//!
//! ```text
//! <run>/log                     append-only events, one framed and checksummed line each
//! <run>/blobs/<2 hex>/<sha256>  evidence and pictures, named by their content
//! <run>/run.json                written once, at the end, by rename
//! ```
//!
//! Whatever happens, the log has a valid prefix, and every blob that prefix names is there: a blob is synced before the event
//! that names it. The store does not know what the events mean; the request and the evidence are opaque to it.

mod blob;
mod disk;
mod error;
mod event;
mod frame;
mod log;
mod run_dir;

pub use blob::{MAX_BLOB_BYTES, blob};
pub use error::StoreError;
pub use event::{Event, EventBody, RUN_FORMAT, RunHeader};
pub use frame::MAX_FRAME_BYTES;
pub use log::{Damage, MAX_LOG_BYTES, MAX_LOG_EVENTS};
pub use run_dir::{MAX_RUN_JSON_BYTES, ReadRun, RunDir};
