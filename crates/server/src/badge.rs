//! A badge for README files: the composite in a small picture.

use crate::encoding::{Effort, Encoded};
use benchwright_report::number;

/// A badge may be a little old; whoever shows it asks often.
const TEN_MINUTES: &str = "public, max-age=600";

/// The badge of a run.
pub fn svg(composite: Option<f64>, is_rankable: bool) -> Encoded {
    let text = match composite {
        Some(composite) if is_rankable => format!("{} of 100", number::score(composite)),
        Some(composite) => format!("{}, not ranked", number::score(composite)),
        None => "no score".to_owned(),
    };
    let (left, right) = (82, 14 + 7 * text.chars().count());
    let (width, middle) = (left + right, left + right / 2);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"20\" role=\"img\" aria-label=\"Benchwright: {text}\">\
         <title>Benchwright: {text}</title><rect width=\"{width}\" height=\"20\" rx=\"3\" fill=\"#1b2230\"/>\
         <path d=\"M{left} 0h{}a3 3 0 0 1 3 3v14a3 3 0 0 1-3 3H{left}z\" fill=\"#0b5cad\"/>\
         <g fill=\"#fff\" font-family=\"Verdana,DejaVu Sans,sans-serif\" font-size=\"11\" text-anchor=\"middle\">\
         <text x=\"41\" y=\"14\">Benchwright</text><text x=\"{middle}\" y=\"14\">{text}</text></g></svg>",
        right - 3
    );
    Encoded::new("image/svg+xml", TEN_MINUTES, Effort::Page, svg)
}
