//! One [`Report`] value in; HTML, JSON, Markdown, JUnit, SARIF, CSV or terminal text out. Comparisons, series of runs and boards alike.
//!
//! Everything here is pure: no async, no filesystem, no clock, no randomness. It is also the firewall against injection: every
//! string of a report may have been written by the page under test, so each format cleans and escapes all of them.

pub mod board;
pub mod compare;
pub mod csv;
pub mod html;
pub mod json;
pub mod junit;
mod ledger;
pub mod markdown;
mod number;
mod place;
pub mod repeats;
pub mod sarif;
mod style;
pub mod terminal;
mod text;

use benchwright_domain::BlobId;
pub use benchwright_domain::Report;

/// Bytes of a blob named in the report (screenshots), if the caller has them.
pub trait Blobs {
    /// The bytes behind `id`, or `None` when they are not at hand; the report is then rendered without them.
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>>;
}

/// For a caller that has no blobs: the report is rendered without pictures.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoBlobs;

impl Blobs for NoBlobs {
    fn bytes(&self, _: &BlobId) -> Option<Vec<u8>> {
        None
    }
}

impl<F: Fn(&BlobId) -> Option<Vec<u8>>> Blobs for F {
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>> {
        self(id)
    }
}
