//! The page at three viewports, each in a fresh context. `gather/scripts/viewport.js` returns one [`ViewportFacts`].

use super::element::SeenElement;
use benchwright_domain::report::Screenshot;
use serde::{Deserialize, Serialize};

/// Format version of [`Viewports`].
pub const VERSION: u32 = 1;

/// A viewport that V4 looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ViewportSpec {
    /// Name of the viewport and of its screenshot.
    pub name: &'static str,
    /// In CSS pixels.
    pub width: u32,
    /// In CSS pixels.
    pub height: u32,
    /// A phone: touch, mobile layout, touch targets are measured.
    pub mobile: bool,
}

/// The three viewports of the methodology.
pub const VIEWPORTS: [ViewportSpec; 3] = [
    ViewportSpec { name: "mobile", width: 360, height: 800, mobile: true },
    ViewportSpec { name: "tablet", width: 768, height: 1024, mobile: false },
    ViewportSpec { name: "desktop", width: 1440, height: 900, mobile: false },
];

/// What was seen at each viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Viewports {
    /// Format version.
    pub version: u32,
    /// In the order of [`VIEWPORTS`].
    pub views: Vec<View>,
}

/// The page at one viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// Name of the viewport.
    pub name: String,
    /// Width that was set, in CSS pixels.
    pub width: u32,
    /// Height that was set, in CSS pixels.
    pub height: u32,
    /// What was measured; absent when the page could not be loaded there.
    pub facts: Option<ViewportFacts>,
    /// Why `facts` is absent.
    pub failure: Option<String>,
    /// The screenshot of this viewport.
    pub screenshot: Option<Screenshot>,
}

/// What the script measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ViewportFacts {
    /// Width of the layout viewport: `documentElement.clientWidth`.
    pub client_width: f64,
    /// Width of the document: `documentElement.scrollWidth`.
    pub scroll_width: f64,
    /// Computed `overflow-x` of `<html>`.
    pub html_overflow_x: String,
    /// Computed `overflow-x` of `<body>`.
    pub body_overflow_x: String,
    /// Content of the viewport meta tag.
    pub viewport_meta: Option<String>,
    /// Elements that stick out, widest first, at most 20.
    pub offenders: Vec<Offender>,
    /// How many elements stick out.
    pub offenders_total: usize,
    /// Touch targets, on a phone.
    pub targets: Option<TouchTargets>,
    /// Whether a limit on time or nodes was reached before the end of the page.
    pub truncated: bool,
}

/// An element that sticks out of the viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Offender {
    /// The element.
    pub element: SeenElement,
    /// How far it reaches beyond the right edge, in CSS pixels.
    pub overshoot: f64,
}

/// Controls a finger should be able to hit.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TouchTargets {
    /// Targets measured.
    pub total: usize,
    /// How many are under 44 CSS pixels in width or height.
    pub small_total: usize,
    /// The small ones, at most 50.
    pub small: Vec<SmallTarget>,
    /// Links within a sentence, left out.
    pub inline_links: usize,
    /// Hidden or boxless controls, left out.
    pub hidden: usize,
}

/// A control that is too small.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SmallTarget {
    /// The control.
    pub element: SeenElement,
    /// Width of what reacts to the finger (the label, where one belongs to it), to a tenth of a pixel.
    pub width: f64,
    /// Height of it.
    pub height: f64,
}
