//! Durability: a run is a directory that survives being killed at any moment.
//!
//! ```text
//! <data>/runs/<id>/log                     append-only events, one framed and checksummed line each
//! <data>/runs/<id>/blobs/<2 hex>/<sha256>  evidence and pictures, named by their content
//! <data>/runs/<id>/run.json                written once, at the end, by rename
//! <data>/quiz/<day>/<id>.json              a run of the quiz that somebody shared; see [`quiz`]
//! <data>/index.sqlite                      what boards and lists read; made again from the runs at any time
//! ```
//!
//! Whatever happens, the log has a valid prefix, and every blob that prefix names is there: a blob is synced before the event
//! that names it. The store does not know what the events mean; the request and the evidence are opaque to it.
//!
//! [`Storage`] is where runs are: a [`Folder`] or a bucket. [`index::Index`] is what is known about them: in SQLite or PostgreSQL.
//! [`jobs::Queue`] holds what is still to be done, in the same database.

mod blob;
#[cfg(feature = "bucket")]
mod bucket;
mod disk;
mod error;
mod event;
mod export;
mod folder;
mod frame;
pub mod garbage;
pub mod index;
pub mod jobs;
mod log;
mod moderation;
pub mod quiz;
mod review;
mod run_dir;
mod storage;
mod transfer;

pub use blob::{MAX_BLOB_BYTES, blob};
#[cfg(feature = "bucket")]
pub use bucket::{Bucket, BucketSettings};
pub use error::StoreError;
pub use event::{Act, Decision, Event, EventBody, RUN_FORMAT, Review, RunHeader};
pub use export::{ExportFormat, export};
pub use folder::Folder;
pub use frame::MAX_FRAME_BYTES;
pub use log::{Damage, MAX_LOG_BYTES, MAX_LOG_EVENTS};
pub use moderation::{check_words, moderate};
pub use review::{review, reviews};
pub use run_dir::{MAX_RUN_JSON_BYTES, ReadRun, RunDir};
pub use storage::{DocumentName, KeptBlob, MAX_DOCUMENT_BYTES, Put, RunWriter, Storage};
pub use transfer::{Copied, copy_run};
