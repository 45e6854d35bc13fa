//! A sight in few words, for a model: what is in the window and not covered, one line per thing or per row, and what has changed since the
//! last time. Pure: whatever else a model wants to see is in the same sight and can be had by asking for another part of it.

mod difference;
mod lines;
mod words;

use crate::line::flat;
use benchwright_domain::vibe::trace::{Node, Sight};
use lines::Lines;
use std::collections::BTreeSet;

/// Most lines of one observation; a window that holds more has the rest on request.
const MOST_LINES: usize = 400;
/// Headings that are named of what lies outside the window.
const MOST_HEADINGS: usize = 5;

/// Which part of a page is told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Part<'a> {
    /// What is in the window as the page is scrolled.
    Window,
    /// The next windows below (1, 2 …) or above (−1, −2 …).
    Windows(i32),
    /// The whole page.
    Page,
    /// Everything in the element with this reference, in the window or not, texts in full.
    Inside(&'a str),
}

/// What a model is told of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observation {
    /// The address, tabs, a dialog, what lies above and below.
    head: Vec<String>,
    /// What there is to see, in the order people read.
    lines: Vec<String>,
    /// References that stand in the lines.
    shown: BTreeSet<String>,
}

impl Observation {
    /// Tells a part of a sight that was seen through a window of that size.
    pub fn of(sight: &Sight, viewport: (u32, u32), part: Part<'_>) -> Self {
        let height = f64::from(viewport.1);
        let top = match part {
            Part::Windows(count) => sight.scrolled.1 + height * f64::from(count),
            Part::Window | Part::Page | Part::Inside(_) => sight.scrolled.1,
        };
        let lines = match part {
            Part::Inside(reference) => Lines::in_full().of(find(&sight.root, reference).unwrap_or(&Node::default())),
            Part::Page => Lines::everywhere().of(&sight.root),
            Part::Window | Part::Windows(_) => {
                let sides = (sight.scrolled.0, sight.scrolled.0 + f64::from(viewport.0));
                Lines::window((top, top + height), sides).of(&sight.root)
            }
        };
        let mut told = Self { head: head(sight, (top, top + height), height), ..lines };
        let left_out = told.lines.len().saturating_sub(MOST_LINES);
        told.lines.truncate(MOST_LINES);
        if left_out > 0 {
            told.lines.push(format!("… {left_out} more lines"));
        }
        told
    }

    /// All of it.
    pub fn text(&self) -> String {
        let lines = self.head.iter().chain(&self.lines);
        lines.map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// What is different from before, when that is shorter than telling everything.
    pub fn since(&self, before: &Self) -> Option<String> {
        // Another page is told from its beginning.
        if self.head.first() != before.head.first() {
            return None;
        }
        let mut changes = difference::of_head(&before.head, &self.head);
        changes.extend(difference::of(&before.lines, &self.lines));
        let first = if changes.is_empty() {
            "Nothing on the page has changed."
        } else {
            "Changed (everything else is as before):"
        };
        let told = [vec![first.to_owned()], changes].concat().join("\n");
        (told.len() * 4 < self.text().len() * 3).then_some(told)
    }

    /// Lines that hold a text, so many at most.
    pub fn lines_with(&self, text: &str, most: usize) -> Vec<&str> {
        let wanted = text.to_lowercase();
        let holding = self.lines.iter().filter(|line| line.to_lowercase().contains(&wanted));
        holding.take(most).map(String::as_str).collect()
    }

    /// Whether an element can be named by this observation's reader.
    pub fn shows(&self, reference: &str) -> bool {
        self.shown.contains(reference)
    }

    /// The references that stand in it.
    pub fn references(&self) -> impl Iterator<Item = &str> {
        self.shown.iter().map(String::as_str)
    }
}

/// The element with a reference.
pub fn find<'a>(node: &'a Node, reference: &str) -> Option<&'a Node> {
    if node.reference.as_deref() == Some(reference) {
        return Some(node);
    }
    node.children.iter().find_map(|child| find(child, reference))
}

fn head(sight: &Sight, window: (f64, f64), height: f64) -> Vec<String> {
    let mut head = vec![format!("Page: {} {}", flat(&sight.url), words::quoted(&sight.title))];
    if sight.tabs.len() > 1 {
        let tabs = sight.tabs.iter().enumerate().map(|(place, tab)| format!("{place}: {}", flat(tab)));
        head.push(format!("Tabs: {}", tabs.collect::<Vec<_>>().join("; ")));
    }
    if let Some(dialog) = &sight.dialog {
        head.push(format!("A dialog of the browser is open: {}", words::quoted(dialog)));
    }
    head.extend(beyond(sight, "Above", (0.0, window.0), height));
    head.extend(beyond(sight, "Below", (window.1, f64::MAX), height));
    if sight.cut {
        head.push("The page is too large; parts of it are missing.".to_owned());
    }
    head
}

/// What lies in a stretch of the page outside of the window, if anything does.
fn beyond(sight: &Sight, side: &str, stretch: (f64, f64), height: f64) -> Option<String> {
    let length = stretch.1.min(sight.page.1) - stretch.0;
    if length < 1.0 || height < 1.0 {
        return None;
    }
    let mut found = Beyond::default();
    found.count(&sight.root, stretch);
    let headings = match found.headings.len() {
        0 => String::new(),
        _ => format!("; {}", found.headings.join(", ")),
    };
    Some(format!("{side}: {:.1} windows, {} controls{headings}", length / height, found.controls))
}

/// What is counted outside of the window.
#[derive(Default)]
struct Beyond {
    controls: usize,
    headings: Vec<String>,
}

impl Beyond {
    fn count(&mut self, node: &Node, stretch: (f64, f64)) {
        let within = node.place.as_ref().is_some_and(|place| {
            let middle = place.y + place.height / 2.0;
            stretch.0 <= middle && middle < stretch.1
        });
        if within && !node.covered {
            self.controls += usize::from(words::is_control(node));
            if node.role == "heading" && self.headings.len() < MOST_HEADINGS {
                self.headings.push(words::short(&node.name, 40));
            }
        }
        for child in &node.children {
            self.count(child, stretch);
        }
    }
}

#[cfg(test)]
mod tests;
