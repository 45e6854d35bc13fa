//! The one style sheet of all pages, what a page adds to it, and the hashes that stand in its content security policy.

use base64::Engine as _;
use sha2::{Digest as _, Sha256};

/// What every page looks like. The template engine drops the last line break of what it includes, and so does this.
pub const SHARED: &str = include_str!("../templates/report.css").trim_ascii_end();

const BOARD: &str = include_str!("../templates/board.css");
const COMPARE: &str = include_str!("../templates/compare.css");

/// Everything the reports, comparisons and boards of this crate look like, for a site that shows them.
pub fn sheet() -> String {
    [SHARED, BOARD, COMPARE].map(str::trim_ascii_end).join("\n") + "\n"
}

/// The shared sheet and what one page adds.
pub fn with(own: &str) -> String {
    format!("{SHARED}\n{}", own.trim_ascii_end())
}

/// The hash by which a content security policy allows an inline style or script.
pub fn hash(text: &str) -> String {
    base64::engine::general_purpose::STANDARD.encode(Sha256::digest(text))
}
