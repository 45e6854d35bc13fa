//! A sight as a list of nodes in reading order, with their parents and what each says.

use benchwright_domain::vibe::trace::{Node, Sight};

/// Roles of what repeats: rows, list entries, cards.
const ENTRIES: [&str; 5] = ["row", "listitem", "article", "treeitem", "entry"];
/// Roles of messages that come and go. They tell of things but are none.
const LIVE: [&str; 4] = ["alert", "status", "log", "tooltip"];

/// A sight, flattened. Nodes are known by their place in reading order.
pub struct Tree<'a> {
    nodes: Vec<&'a Node>,
    parents: Vec<Option<usize>>,
    /// The place after the last node inside.
    ends: Vec<usize>,
    leaves: Vec<Leaf>,
}

/// Something that is said in one piece: a stretch of text, a name, what a field holds.
pub struct Leaf {
    /// The node that says it.
    pub node: usize,
    /// What it says.
    pub text: String,
}

impl<'a> Tree<'a> {
    /// The tree of a sight.
    pub fn of(sight: &'a Sight) -> Self {
        Self::under(&sight.root)
    }

    /// The tree under a node.
    pub fn under(root: &'a Node) -> Self {
        let mut tree = Self { nodes: Vec::new(), parents: Vec::new(), ends: Vec::new(), leaves: Vec::new() };
        tree.add(root, None);
        tree
    }

    fn add(&mut self, node: &'a Node, parent: Option<usize>) {
        let place = self.nodes.len();
        self.nodes.push(node);
        self.parents.push(parent);
        self.ends.push(place + 1);
        self.leaves.extend(said(node).into_iter().map(|text| Leaf { node: place, text }));
        for child in &node.children {
            self.add(child, Some(place));
        }
        self.ends[place] = self.nodes.len();
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is nothing; never so, as there is always a root.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node at a place.
    pub fn node(&self, place: usize) -> &'a Node {
        self.nodes[place]
    }

    /// The place of a node of this tree.
    pub fn place_of(&self, node: &Node) -> Option<usize> {
        self.nodes.iter().position(|other| std::ptr::eq(*other, node))
    }

    /// Everything that is said.
    pub fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// What is said at or under a place.
    pub fn leaves_in(&self, place: usize) -> impl Iterator<Item = &Leaf> {
        let end = self.ends[place];
        self.leaves.iter().filter(move |leaf| leaf.node >= place && leaf.node < end)
    }

    /// All that is said at or under a place, as people read it.
    pub fn text(&self, place: usize) -> String {
        joined(self.leaves_in(place))
    }

    /// Whether one place is another or under it.
    pub fn holds(&self, outer: usize, inner: usize) -> bool {
        outer <= inner && inner < self.ends[outer]
    }

    /// The place and those above it, from the inside out.
    pub fn upwards(&self, place: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(place), |place| self.parents[*place])
    }

    /// The places right under a place.
    pub fn inside(&self, place: usize) -> Vec<usize> {
        (place + 1..self.ends[place]).filter(|inner| self.parents[*inner] == Some(place)).collect()
    }

    /// The deepest place that holds both.
    pub fn meeting(&self, one: usize, other: usize) -> usize {
        self.upwards(one).find(|place| self.holds(*place, other)).unwrap_or_default()
    }

    /// How deep a place is.
    pub fn depth(&self, place: usize) -> usize {
        self.upwards(place).count()
    }

    /// Whether a place is a row, a list entry or a card. A row of headers is none.
    pub fn is_entry(&self, place: usize) -> bool {
        let role = self.nodes[place].role.as_str();
        ENTRIES.contains(&role) && !(role == "row" && self.is_header_row(place))
    }

    fn is_header_row(&self, place: usize) -> bool {
        let cells = self.inside(place);
        !cells.is_empty() && cells.iter().all(|cell| self.nodes[*cell].role == "columnheader")
    }

    /// The innermost row, list entry or card a place stands in.
    pub fn entry_of(&self, place: usize) -> Option<usize> {
        self.upwards(place).find(|place| self.is_entry(*place))
    }

    /// Whether a place is in a message that comes and goes.
    pub fn is_live(&self, place: usize) -> bool {
        self.upwards(place).any(|place| LIVE.contains(&self.nodes[place].role.as_str()))
    }
}

/// What leaves say one after the other.
pub(super) fn joined<'a>(leaves: impl Iterator<Item = &'a Leaf>) -> String {
    leaves.map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" ")
}

/// What a node itself says, without what is under it.
fn said(node: &Node) -> Vec<String> {
    let mut said = Vec::new();
    let name = node.name.trim();
    let inside = || node.children.iter().map(text_of).collect::<Vec<_>>().join(" ");
    // A name that only repeats what is under it is said there.
    let speaks = node.role == "text" || (super::is_named(&node.role) && !super::contains(&inside(), name));
    if !name.is_empty() && speaks {
        said.push(name.to_owned());
    }
    let value = node.value.as_deref().map(str::trim).filter(|value| !value.is_empty());
    said.extend(value.or(node.placeholder.as_deref()).filter(|value| *value != name).map(str::to_owned));
    said
}

/// All that is said at or under a node.
pub fn text_of(node: &Node) -> String {
    let mut said = said(node);
    said.extend(node.children.iter().map(text_of).filter(|text| !text.is_empty()));
    said.join(" ")
}

/// A node and all under it, in reading order.
pub fn all(node: &Node) -> Vec<&Node> {
    let mut found = vec![node];
    for child in &node.children {
        found.extend(all(child));
    }
    found
}
