//! An element as a page script saw it.

use benchwright_domain::{Place, Rect};
use serde::{Deserialize, Serialize};

/// An element of the page: how to find it, what it is, where it was.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SeenElement {
    /// A CSS selector that finds it; shadow hosts are crossed with ` >>> `. At most 400 characters.
    pub selector: String,
    /// Its opening tag and first words, at most 300 characters.
    pub html: String,
    /// Where it is, in CSS pixels of the page.
    pub rect: Rect,
}

impl SeenElement {
    /// The element as a place on the screenshot of that name.
    pub fn place(&self, shot: &str, note: Option<String>) -> Place {
        Place::Element {
            selector: self.selector.clone(),
            html: self.html.clone(),
            note,
            shot: Some(shot.to_owned()),
            rect: Some(self.rect),
        }
    }
}
