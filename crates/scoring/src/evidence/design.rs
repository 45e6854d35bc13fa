//! What the design heuristics look at: text samples, blocks of text, boxes, style sheets and painted surfaces.
//! `gather/scripts/design.js` returns exactly this, without `whitespace_share`, which `gather::pixels` computes from the screenshot.

use super::element::SeenElement;
use benchwright_domain::Rect;
use serde::{Deserialize, Serialize};

/// Format version of [`Design`].
pub const VERSION: u32 = 1;

/// Design facts at the desktop viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Design {
    /// Format version.
    pub version: u32,
    /// Runs of visible text, spread evenly over the whole page, at most 400.
    pub text: Vec<TextSample>,
    /// How many runs of visible text the page has.
    pub text_total: usize,
    /// Blocks of text, spread evenly over the whole page, at most 400.
    pub blocks: Vec<TextBlock>,
    /// How many blocks of text the page has.
    pub blocks_total: usize,
    /// `box-sizing` of the first 200 elements.
    pub boxes: BoxSizing,
    /// What the style sheets hold.
    pub sheets: StyleSheets,
    /// What is painted behind the content of the viewport, bottom layer first.
    pub backdrop: Backdrop,
    /// Share of the viewport that is empty background, 0 to 1; absent when there was no screenshot to look at.
    #[serde(default)]
    pub whitespace_share: Option<f64>,
    /// Whether a limit on time or nodes was reached before the end of the page.
    pub truncated: bool,
}

/// A run of visible text.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextSample {
    /// The element that holds it.
    pub element: SeenElement,
    /// The start of the text.
    pub text: String,
    /// Font size in CSS pixels.
    pub font_size: f64,
    /// Font weight, 1 to 1000.
    pub font_weight: f64,
    /// Colour of the text as it is painted; absent when what lies behind it cannot be known.
    pub colors: Option<TextColors>,
    /// Why `colors` is absent: `image` (a picture or gradient behind it) or `layer` (another painted layer lies in the same place).
    pub unknown: Option<String>,
}

/// What the eye gets: both colours opaque, alpha and opacity already worked in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TextColors {
    /// Red, green and blue of the text, 0 to 255.
    pub foreground: [f64; 3],
    /// Red, green and blue behind it, 0 to 255.
    pub background: [f64; 3],
}

/// A block of text and how long its longest line is.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TextBlock {
    /// The block.
    pub element: SeenElement,
    /// Characters in the block, white space folded.
    pub characters: usize,
    /// Lines as rendered.
    pub lines: usize,
    /// Characters in the longest of these lines.
    pub longest_line: f64,
}

/// `box-sizing` of the first elements of the body that have a box.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoxSizing {
    /// Elements looked at, at most 200.
    pub elements: usize,
    /// How many of them are `border-box`.
    pub border_box: usize,
}

/// What the style sheets hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleSheets {
    /// Sheets whose rules could be read.
    pub readable: usize,
    /// Sheets of other origins that the browser does not show to scripts.
    pub unreadable: usize,
    /// Addresses of the unreadable ones, at most 10.
    pub unreadable_urls: Vec<String>,
    /// Rules read.
    pub rules: usize,
    /// The first `prefers-reduced-motion` condition.
    pub reduced_motion: Option<String>,
    /// Distinct custom properties declared.
    pub custom_properties: usize,
    /// The first 20 of their names.
    pub custom_property_names: Vec<String>,
    /// Rules with `:focus-visible`.
    pub focus_visible_rules: usize,
    /// The first such selector.
    pub focus_visible_example: Option<String>,
}

/// What is painted behind the content of the viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Backdrop {
    /// Width of the viewport in CSS pixels.
    pub width: f64,
    /// Height of the viewport in CSS pixels.
    pub height: f64,
    /// Surfaces in paint order, bottom first, at most 1,000. The first one is the canvas.
    pub surfaces: Vec<Surface>,
}

/// Something that paints an area of the viewport.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Surface {
    /// Where, in CSS pixels of the viewport.
    pub rect: Rect,
    /// A picture (`<img>`, video, canvas, frame, drawing, background image) is content; a background is not.
    pub picture: bool,
    /// Its opaque colour, 0 to 255; absent for pictures, gradients and anything that cannot be known.
    pub color: Option<[f64; 3]>,
}
