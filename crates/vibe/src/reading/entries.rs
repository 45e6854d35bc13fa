//! What stands together in one row, card or list entry, how often, and in which order.

use super::tree::{Tree, joined};
use super::words::contains;
use benchwright_domain::vibe::trace::Sight;

/// Regions of a page that belong to the page and not to what it is about.
const FRAMEWORK: [&str; 3] = ["banner", "navigation", "contentinfo"];
/// A card whose parts have at most so many texts and no controls holds labels and values, not entries.
const PAIR: usize = 2;

/// Whether one row, card or list entry holds all of the texts.
pub fn together(sight: &Sight, texts: &[String]) -> bool {
    let tree = Tree::of(sight);
    smallest(&tree, 0, texts).into_iter().any(|place| is_one(&tree, place, texts)) || in_cells(&tree, texts)
}

/// The deepest places that hold all of the texts.
fn smallest(tree: &Tree<'_>, place: usize, texts: &[String]) -> Vec<usize> {
    let said = joined(tree.leaves_in(place).filter(|leaf| !tree.is_live(leaf.node)));
    if !texts.iter().all(|text| contains(&said, text)) {
        return Vec::new();
    }
    let deeper: Vec<usize> = tree.inside(place).into_iter().flat_map(|inner| smallest(tree, inner, texts)).collect();
    if deeper.is_empty() { vec![place] } else { deeper }
}

/// Whether what a place holds is one thing: its texts are not gathered from several entries in it, nor from the page's frame.
fn is_one(tree: &Tree<'_>, place: usize, texts: &[String]) -> bool {
    if is_gathered_from_frame(tree, place, texts) {
        return false;
    }
    let parts = parts(tree, place, texts);
    if parts.is_empty() {
        return true;
    }
    let Some(first) = texts.first() else { return true };
    let outside = |host: usize| {
        let leaves = tree.leaves_in(host).filter(|leaf| !parts.iter().any(|part| tree.holds(*part, leaf.node)));
        contains(&joined(leaves), first)
    };
    if let Some(host) = tree.entry_of(place) {
        return outside(host);
    }
    let titles = tree.leaves_in(place).filter(|leaf| tree.node(leaf.node).role == "heading");
    contains(&joined(titles.filter(|leaf| !parts.iter().any(|part| tree.holds(*part, leaf.node)))), first)
}

/// The entries inside a place that each hold some of the texts and none of which holds all.
fn parts(tree: &Tree<'_>, place: usize, texts: &[String]) -> Vec<usize> {
    let mut found: Vec<usize> = Vec::new();
    for leaf in tree.leaves_in(place) {
        let outermost =
            tree.upwards(leaf.node).take_while(|above| *above != place).filter(|above| tree.is_entry(*above)).last();
        let Some(entry) = outermost.filter(|entry| !found.contains(entry)) else { continue };
        let said = tree.text(entry);
        if texts.iter().any(|text| contains(&said, text)) && binds(tree, entry, texts) {
            found.push(entry);
        }
    }
    found
}

/// A pair of a label and a value holds its value only for somebody who asks for its label.
fn binds(tree: &Tree<'_>, entry: usize, texts: &[String]) -> bool {
    let leaves: Vec<_> = tree.leaves_in(entry).collect();
    let has_controls = leaves.iter().any(|leaf| !matches!(tree.node(leaf.node).role.as_str(), "text" | "heading"));
    if has_controls || leaves.len() > PAIR {
        return true;
    }
    leaves.first().is_some_and(|label| texts.iter().any(|text| contains(&label.text, text)))
}

fn is_gathered_from_frame(tree: &Tree<'_>, place: usize, texts: &[String]) -> bool {
    let in_frame = |node: usize| {
        let above = tree.upwards(node).take_while(|above| *above != place);
        above.into_iter().any(|above| FRAMEWORK.contains(&tree.node(above).role.as_str()))
    };
    let own = joined(tree.leaves_in(place).filter(|leaf| !in_frame(leaf.node)));
    !texts.iter().all(|text| contains(&own, text))
}

/// Whether a row of a table holds all of the texts, where a text may also be the header of one of its columns with its value.
fn in_cells(tree: &Tree<'_>, texts: &[String]) -> bool {
    headed_rows(tree).into_iter().any(|(_, said)| texts.iter().all(|text| contains(&said, text)))
}

/// Whether a text is a column's header and the value under it, such as `Days left 25`.
pub(super) fn under_header(sight: &Sight, text: &str) -> bool {
    headed_rows(&Tree::of(sight)).into_iter().any(|(_, said)| contains(&said, text))
}

/// The rows of tables with headers, each cell read after the header of its column.
fn headed_rows(tree: &Tree<'_>) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let tables = (0..tree.len()).filter(|place| matches!(tree.node(*place).role.as_str(), "table" | "grid"));
    for table in tables {
        let rows: Vec<usize> = (table..tree.len())
            .take_while(|row| tree.holds(table, *row))
            .filter(|row| tree.node(*row).role == "row")
            .collect();
        let Some((head, body)) = rows.split_first() else { continue };
        let headers: Vec<String> = tree.inside(*head).into_iter().map(|cell| tree.text(cell)).collect();
        if tree.is_entry(*head) {
            continue;
        }
        for row in body {
            let cells = tree.inside(*row);
            if cells.len() != headers.len() {
                continue;
            }
            let read = headers.iter().zip(&cells).map(|(header, cell)| format!("{header} {}", tree.text(*cell)));
            found.push((*row, read.collect::<Vec<_>>().join(" ")));
        }
    }
    found
}

/// How many rows, cards or list entries show a text. What stands in none counts for itself.
pub fn count(sight: &Sight, text: &str) -> usize {
    let tree = Tree::of(sight);
    let mut groups: Vec<usize> = Vec::new();
    for leaf in tree.leaves().iter().filter(|leaf| contains(&leaf.text, text) && !tree.is_live(leaf.node)) {
        let entry = tree.entry_of(leaf.node);
        // What a filter or a form holds is no entry.
        if entry.is_none() && super::is_field(tree.node(leaf.node)) {
            continue;
        }
        let group = entry.unwrap_or(leaf.node);
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    groups.iter().filter(|group| !groups.iter().any(|other| other != *group && tree.holds(**group, *other))).count()
}

/// Whether the texts stand one after the other, as people read: by their first entries, or where they stand first.
pub fn in_order(sight: &Sight, texts: &[String]) -> bool {
    let tree = Tree::of(sight);
    let spots: Option<Vec<Spot>> = texts.iter().map(|text| first_spot(&tree, text)).collect();
    spots.is_some_and(|spots| spots.windows(2).all(|pair| pair[0].is_before(&pair[1])))
}

/// Where something stands.
#[derive(Debug, Clone, Copy)]
struct Spot {
    node: usize,
    corner: Option<(f64, f64)>,
}

impl Spot {
    /// Lines that begin within so many pixels are one line.
    const LINE: f64 = 4.0;

    fn is_before(&self, other: &Self) -> bool {
        let (Some(one), Some(two)) = (self.corner, other.corner) else { return self.node < other.node };
        if (one.1 - two.1).abs() > Self::LINE { one.1 < two.1 } else { one.0 < two.0 }
    }
}

fn first_spot(tree: &Tree<'_>, text: &str) -> Option<Spot> {
    let mut entries: Vec<Spot> = Vec::new();
    let mut others: Vec<Spot> = Vec::new();
    for leaf in tree.leaves().iter().filter(|leaf| contains(&leaf.text, text) && !tree.is_live(leaf.node)) {
        let corner = tree.node(leaf.node).place.as_ref().map(|place| (place.x, place.y));
        let spot = Spot { node: leaf.node, corner };
        if tree.entry_of(leaf.node).is_some() { entries.push(spot) } else { others.push(spot) }
    }
    let spots = if entries.is_empty() { others } else { entries };
    spots.into_iter().reduce(|first, next| if next.is_before(&first) { next } else { first })
}
