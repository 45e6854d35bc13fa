//! Reading a sight: what it says, what stands together in one row or card, which field a label means.
//!
//! Everything here is pure. Walkers read to know where to act, judges to know what was there to be seen.

mod closeness;
mod entries;
mod fields;
mod tree;
mod words;

pub use closeness::{Closeness, closeness};
pub use entries::{count, in_order, together};
use fields::is_named;
pub(crate) use fields::switches;
pub use fields::{FIELDS, field_value, fields_called, is_field, is_offered, named, options_shown, state_of};
pub use tree::{Tree, all, text_of};
pub use words::{contains, find_words, normal};

use benchwright_domain::vibe::trace::{Node, Sight};

/// Most characters of the words by which a row or card is known.
const MOST_ENTRY_WORDS: usize = 200;

/// Whether a text can be seen, as whole words with its capital letters.
pub fn shows(sight: &Sight, text: &str) -> bool {
    let dialog = sight.dialog.as_deref().unwrap_or_default();
    contains(&text_of(&sight.root), text) || contains(dialog, text) || entries::under_header(sight, text)
}

/// The first words of the row or card a node stands in, without those of its controls.
pub fn entry_words(sight: &Sight, node: &Node) -> Option<String> {
    let tree = Tree::of(sight);
    let entry = tree.entry_of(tree.place_of(node)?)?;
    let words: Vec<&str> = tree
        .leaves_in(entry)
        .filter(|leaf| tree.node(leaf.node).role == "text" || tree.node(leaf.node).role == "heading")
        .map(|leaf| leaf.text.as_str())
        .collect();
    Some(words.join(" ").chars().take(MOST_ENTRY_WORDS).collect())
}
