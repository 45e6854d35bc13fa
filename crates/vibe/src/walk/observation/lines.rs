//! From a tree to lines: wrappers fall away, rows become one line each.

use super::{Observation, words};
use benchwright_domain::details::Rect;
use benchwright_domain::vibe::trace::Node;
use std::collections::BTreeSet;

/// A row with more things in it than this is told line by line.
const MOST_IN_A_ROW: usize = 16;
/// What stands between the things of a row.
const BETWEEN: &str = " | ";

/// Collects lines.
pub(super) struct Lines {
    /// Top and bottom, left and right of what is told; everything when absent.
    window: Option<((f64, f64), (f64, f64))>,
    longest_text: usize,
    written: Vec<String>,
    shown: BTreeSet<String>,
}

impl Lines {
    /// What lies in a window.
    pub(super) fn window(rows: (f64, f64), sides: (f64, f64)) -> Self {
        Self { window: Some((rows, sides)), ..Self::everywhere() }
    }

    /// What lies anywhere.
    pub(super) fn everywhere() -> Self {
        Self { window: None, longest_text: words::LONGEST_TEXT, written: Vec::new(), shown: BTreeSet::new() }
    }

    /// What lies anywhere, texts in full.
    pub(super) fn in_full() -> Self {
        Self { longest_text: usize::MAX, ..Self::everywhere() }
    }

    /// The lines of a node and all in it.
    pub(super) fn of(mut self, node: &Node) -> Observation {
        self.node(node, 0);
        Observation { head: Vec::new(), lines: self.written, shown: self.shown }
    }

    fn node(&mut self, node: &Node, depth: usize) {
        if words::is_control(node) {
            self.control(node, depth);
            return;
        }
        match node.role.as_str() {
            "text" => {
                if self.is_told(node) {
                    self.push(depth, &words::short(&node.name, self.longest_text));
                }
            }
            "heading" => self.heading(node, depth),
            _ if words::is_entry(node) => self.entry(node, depth),
            _ => self.container(node, depth),
        }
    }

    fn control(&mut self, node: &Node, depth: usize) {
        if self.is_told(node) {
            self.show(node);
            self.push(depth, &words::control(node));
        }
        self.controls_in(node, depth + 1);
    }

    /// A control's name says what stands in it; controls within it must be named all the same.
    fn controls_in(&mut self, node: &Node, depth: usize) {
        for child in &node.children {
            if words::is_control(child) {
                self.control(child, depth);
            } else {
                self.controls_in(child, depth);
            }
        }
    }

    fn heading(&mut self, node: &Node, depth: usize) {
        if self.is_told(node) {
            self.push(depth, &words::heading(node));
        }
        self.controls_in(node, depth);
    }

    /// One of several alike: in one line if it fits.
    fn entry(&mut self, node: &Node, depth: usize) {
        if !self.reaches_into(node) {
            return;
        }
        let mut pieces = Vec::new();
        if self.pieces(node, &mut pieces) && pieces.len() <= MOST_IN_A_ROW {
            for piece in &pieces {
                if words::is_control(piece) {
                    self.show(piece);
                }
            }
            let line: Vec<String> = pieces.iter().map(|piece| self.in_words(piece)).collect();
            if !line.is_empty() {
                self.push(depth, &format!("- {}", line.join(BETWEEN)));
            }
            return;
        }
        self.push(depth, "-");
        self.children(node, depth + 1);
    }

    fn in_words(&self, piece: &Node) -> String {
        match piece.role.as_str() {
            "text" => words::short(&piece.name, self.longest_text),
            "heading" => words::heading(piece),
            _ => words::control(piece),
        }
    }

    /// The things in a row, as far as they can be seen. Rows in a row are no row.
    fn pieces<'a>(&self, node: &'a Node, found: &mut Vec<&'a Node>) -> bool {
        for (place, child) in node.children.iter().enumerate() {
            let is_piece = words::is_control(child) || matches!(child.role.as_str(), "text" | "heading");
            if is_piece {
                if self.is_told(child) && !says_again(child, &node.children, place) {
                    found.push(child);
                }
                if child.role != "text" && !self.nested(child, found) {
                    return false;
                }
            } else if words::is_entry(child) && child.role != "entry" || !self.pieces(child, found) {
                return false;
            }
        }
        true
    }

    fn nested<'a>(&self, node: &'a Node, found: &mut Vec<&'a Node>) -> bool {
        for child in &node.children {
            if words::is_control(child) && self.is_told(child) {
                found.push(child);
            }
            if !self.nested(child, found) {
                return false;
            }
        }
        true
    }

    fn container(&mut self, node: &Node, depth: usize) {
        if !self.reaches_into(node) {
            return;
        }
        let title = match node.role.as_str() {
            "dialog" | "alertdialog" | "alert" | "status" | "iframe" => Some(node.role.as_str()),
            "group" | "radiogroup" | "region" | "navigation" | "form" | "tabpanel" | "menu" | "figure" | "img"
                if !node.name.is_empty() =>
            {
                Some(node.role.as_str())
            }
            _ => None,
        };
        let Some(title) = title else { return self.children(node, depth) };
        let before = self.written.len();
        let name = words::short(&node.name, 80);
        self.push(depth, format!("{title} {name}").trim_end());
        let titled = self.written.len();
        self.children(node, depth + 1);
        if self.written.len() == titled && node.role != "img" {
            self.written.truncate(before);
        }
    }

    fn children(&mut self, node: &Node, depth: usize) {
        let mut skipped = 0_usize;
        for (place, child) in node.children.iter().enumerate() {
            if child.role == "text" && says_again(child, &node.children, place) {
                continue;
            }
            if words::is_entry(child) && !words::is_control(child) && !self.reaches_into(child) {
                skipped += 1;
                continue;
            }
            self.node(child, depth);
        }
        if skipped > 0 && skipped < node.children.len() {
            self.push(depth, &format!("… {skipped} more like these, outside the window"));
        }
    }

    fn push(&mut self, depth: usize, words: &str) {
        if !words.trim().is_empty() {
            self.written.push(format!("{}{words}", " ".repeat(depth.min(4))));
        }
    }

    fn show(&mut self, node: &Node) {
        self.shown.extend(node.reference.clone());
    }

    /// Whether it is in the window and nothing lies over it.
    fn is_told(&self, node: &Node) -> bool {
        !node.covered && node.place.as_ref().is_none_or(|place| self.holds(place))
    }

    /// Whether any of it may be in the window. What has no place of its own is as good as what it holds.
    fn reaches_into(&self, node: &Node) -> bool {
        node.place.as_ref().is_none_or(|place| self.holds(place))
            || node.children.iter().any(|child| self.reaches_into(child))
    }

    fn holds(&self, place: &Rect) -> bool {
        let Some((rows, sides)) = self.window else { return true };
        place.y < rows.1 && place.y + place.height > rows.0 && place.x < sides.1 && place.x + place.width > sides.0
    }
}

/// Whether a text only says what a control beside it is called.
fn says_again(text: &Node, siblings: &[Node], place: usize) -> bool {
    if text.role != "text" {
        return false;
    }
    let bare = |text: &str| text.trim_end_matches(['*', ':', ' ']).trim_start().to_lowercase();
    let beside = [place.checked_sub(1), Some(place + 1)];
    let mut beside = beside.into_iter().flatten().filter_map(|place| siblings.get(place));
    beside.any(|other| first_control(other).is_some_and(|control| bare(&control.name) == bare(&text.name)))
}

fn first_control(node: &Node) -> Option<&Node> {
    if words::is_control(node) {
        return Some(node);
    }
    match &node.children[..] {
        [only] => first_control(only),
        _ => None,
    }
}
