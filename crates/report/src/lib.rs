//! One [`Report`] value in; HTML, JSON, Markdown, JUnit, SARIF, CSV or terminal text out. Comparisons, series of runs, boards and runs of the
//! quiz alike.
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
pub mod number;
mod page;
mod place;
pub mod quiz;
pub mod repeats;
pub mod sarif;
mod style;
pub mod terminal;
pub mod text;
pub mod vibe;

pub use benchwright_domain::Report;
use benchwright_domain::{BlobId, ScorerId};
pub use style::sheet as style_sheet;

/// Bytes of a blob named in the report (screenshots), if the caller has them.
pub trait Blobs {
    /// The bytes behind `id`, or `None` when they are not at hand; the report is then rendered without them.
    fn bytes(&self, id: &BlobId) -> Option<Vec<u8>>;

    /// Where a page finds the picture behind `id`: in itself, unless whoever serves the page has an address for it.
    fn address(&self, id: &BlobId) -> Option<String> {
        html::embedded(&self.bytes(id)?)
    }

    /// The evidence a scorer was computed from: what it is called, and where whoever serves the page shows it. A file has none.
    fn evidence(&self, _: ScorerId) -> Vec<(String, String)> {
        Vec::new()
    }
}

/// A page without what surrounds it, for a site that has surroundings of its own. Its style is in [`style_sheet`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Body {
    /// What a tab should say; not escaped.
    pub title: String,
    /// Ready to stand in a `<main>` element.
    pub html: String,
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
