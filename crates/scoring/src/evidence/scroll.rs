//! The page scrolled half-way down, for the judges.

use benchwright_domain::report::Screenshot;
use serde::{Deserialize, Serialize};

/// Format version of [`Scroll`].
pub const VERSION: u32 = 1;

/// The page scrolled half-way down, for the judges.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Scroll {
    /// Format version.
    pub version: u32,
    /// Height of what can be scrolled, in CSS pixels, after everything on the way had been seen.
    pub height: f64,
    /// How far down the screenshot was taken, in CSS pixels.
    pub position: f64,
    /// Steps it took to get there.
    pub steps: u32,
    /// Whether the picture had come to rest; a page that moves all the time is taken as it is.
    pub stable: bool,
    /// The screenshot `mid-scroll`; absent when the page is too short to scroll.
    pub screenshot: Option<Screenshot>,
}
