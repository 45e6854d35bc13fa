//! A place in one line, for formats that cannot show it.

use crate::text;
use benchwright_domain::Place;

pub fn line(place: &Place) -> String {
    let words = match place {
        Place::Element { selector, .. } => format!("element {selector}"),
        Place::Code { file, line, column: Some(column), .. } => format!("{file}:{line}:{column}"),
        Place::Code { file, line, .. } => format!("{file}:{line}"),
        Place::Header { name, value: Some(value) } => format!("header {name}: {value}"),
        Place::Header { name, value: None } => format!("header {name} is missing"),
        Place::Log { channel, text, .. } => format!("{channel}: {text}"),
        Place::Request { method, url, .. } => format!("{method} {url}"),
        Place::Text { text } => text.clone(),
    };
    text::line_within(&words, 240)
}
