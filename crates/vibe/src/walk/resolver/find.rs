//! Which element a clause means: by name, by the row or card it stands in, and only if that leaves no doubt.

use super::clause::Scope;
use crate::reading::{Closeness, Tree, closeness, contains, is_field};
use benchwright_domain::vibe::trace::{Node, Sight};

/// Roles of what is pressed.
const PRESSED: [&str; 13] = [
    "button",
    "link",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "tab",
    "option",
    "treeitem",
    "checkbox",
    "radio",
    "switch",
    "combobox",
    "listbox",
];

/// What came of looking for something.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Search<'a> {
    /// This one, without doubt.
    Found(&'a Node),
    /// Nothing fits.
    Missing(String),
    /// Several fit equally well.
    Ambiguous(String),
}

/// Something that fits, and how well.
#[derive(Clone, Copy)]
struct Candidate<'a> {
    place: usize,
    node: &'a Node,
    close: Closeness,
}

/// Looks for things in one sight.
pub(super) struct Finder<'a> {
    tree: Tree<'a>,
    /// Where the walker acted last; what is nearest to it is meant when names alone do not tell.
    last: Option<usize>,
}

impl<'a> Finder<'a> {
    pub(super) fn new(sight: &'a Sight, last: Option<&str>) -> Self {
        let tree = Tree::of(sight);
        let last =
            last.and_then(|last| (0..tree.len()).find(|place| tree.node(*place).reference.as_deref() == Some(last)));
        Self { tree, last }
    }

    pub(super) fn tree(&self) -> &Tree<'a> {
        &self.tree
    }

    /// Whether a node stands in the row or card that a scope means.
    pub(super) fn is_home(&self, node: &Node, scope: &Scope) -> bool {
        self.tree.place_of(node).and_then(|place| self.home(place, scope)).is_some_and(|home| self.tree.is_entry(home))
    }

    /// What is pressed under a name: controls first, then what looks as if it could be pressed, then plain text.
    pub(super) fn pressable(&self, name: &str, scope: &Scope) -> Search<'a> {
        let is_control = |node: &Node| PRESSED.contains(&node.role.as_str());
        let is_block = |node: &Node| {
            matches!(node.role.as_str(), "generic" | "row" | "listitem" | "article" | "entry" | "heading")
        };
        let controls = self.search(name, scope, Closeness::Has, |node| node.reference.is_some() && is_control(node));
        let blocks = || {
            self.search(name, scope, Closeness::Begins, |node| {
                node.reference.is_some() && is_block(node) && !node.name.is_empty()
            })
        };
        let texts = || self.search(name, scope, Closeness::Has, |node| node.role == "text" && node.reference.is_some());
        controls.or(blocks).or(texts).named("nothing to click", name, scope)
    }

    /// The field that a label means.
    pub(super) fn field(&self, sight: &'a Sight, label: &str, scope: &Scope) -> Search<'a> {
        let called = crate::reading::fields_called(sight, label);
        let places = called.iter().filter_map(|node| self.tree.place_of(node));
        let found =
            places.map(|place| Candidate { place, node: self.tree.node(place), close: Closeness::Same }).collect();
        self.settle(found, scope).named("no field", label, scope)
    }

    /// The group of options that a label means.
    pub(super) fn group(&self, label: &str, scope: &Scope) -> Search<'a> {
        let is_group =
            |node: &Node| matches!(node.role.as_str(), "radiogroup" | "group" | "listbox" | "tablist" | "menu");
        self.search(label, scope, Closeness::Folded, is_group).named("no choice", label, scope)
    }

    /// What is called so and for which `wanted` holds, inside another node.
    pub(super) fn inside(&self, outer: &Node, name: &str, wanted: impl Fn(&Node) -> bool) -> Search<'a> {
        let Some(outer) = self.tree.place_of(outer) else { return Search::Missing("it is gone".to_owned()) };
        let found = self.candidates(name, Closeness::Has, wanted);
        let found = found.into_iter().filter(|candidate| self.tree.holds(outer, candidate.place)).collect();
        self.settle(closest(found), &Scope::default()).named("nothing", name, &Scope::default())
    }

    /// What is called so and for which `wanted` holds.
    pub(super) fn any(&self, name: &str, scope: &Scope, wanted: impl Fn(&Node) -> bool) -> Search<'a> {
        self.search(name, scope, Closeness::Has, wanted).named("nothing", name, scope)
    }

    fn search(&self, name: &str, scope: &Scope, farthest: Closeness, wanted: impl Fn(&Node) -> bool) -> Search<'a> {
        let found = self.candidates(name, farthest, wanted);
        if scope.is_empty() || scope.soft {
            let hard = Scope { soft: false, ..scope.clone() };
            if scope.soft
                && !scope.is_empty()
                && let Search::Found(node) = self.settle(closest(self.scoped(found.clone(), &hard)), &Scope::default())
            {
                return Search::Found(node);
            }
            return self.settle(closest(found), &Scope::default());
        }
        self.settle(closest(self.scoped(found, scope)), &Scope::default())
    }

    fn candidates(&self, name: &str, farthest: Closeness, wanted: impl Fn(&Node) -> bool) -> Vec<Candidate<'a>> {
        let places = (0..self.tree.len()).filter(|place| wanted(self.tree.node(*place)));
        let close = places.filter_map(|place| {
            let node = self.tree.node(place);
            let close = closeness(&node.name, name)?;
            (close <= farthest).then_some(Candidate { place, node, close })
        });
        close.collect()
    }

    /// Keeps those in the row or card that says what the scope says: the closest names, and of them the deepest.
    fn scoped(&self, found: Vec<Candidate<'a>>, scope: &Scope) -> Vec<Candidate<'a>> {
        let depth = |candidate: &Candidate<'a>| self.home(candidate.place, scope).map(|home| self.tree.depth(home));
        let placed = closest(found.into_iter().filter(|candidate| depth(candidate).is_some()).collect());
        let deepest = placed.iter().filter_map(depth).max();
        placed.into_iter().filter(|candidate| depth(candidate) == deepest).collect()
    }

    /// The smallest thing around a place that says what the scope says, unless that belongs to another row or card than the place.
    fn home(&self, place: usize, scope: &Scope) -> Option<usize> {
        let says = |home: usize, text: &str| {
            let said = self.tree.leaves_in(home).filter(|leaf| !self.tree.is_live(leaf.node));
            let said = said.map(|leaf| leaf.text.as_str()).collect::<Vec<_>>().join(" ");
            contains(&said, text)
                || contains(&said.to_lowercase(), &text.to_lowercase()) && text.chars().all(char::is_lowercase)
        };
        let home = self.tree.upwards(place).find(|home| scope.texts.iter().all(|text| says(*home, text)))?;
        let is_foreign = scope.texts.iter().any(|text| self.belongs_elsewhere(home, place, text));
        (!is_foreign).then_some(home)
    }

    /// Whether, within a home, a text stands in entries only, none of which holds the place.
    fn belongs_elsewhere(&self, home: usize, place: usize, text: &str) -> bool {
        let below = |node: usize| {
            self.tree.upwards(node).take_while(|above| *above != home).filter(|above| self.tree.is_entry(*above)).last()
        };
        let own = below(place);
        let mut spots = self.tree.leaves_in(home).filter(|leaf| contains(&leaf.text, text)).peekable();
        spots.peek().is_some()
            && spots.all(|leaf| match (below(leaf.node), own) {
                (None, _) => false,
                (Some(entry), Some(own)) => entry != own,
                (Some(_), None) => !self.tree.is_entry(home),
            })
    }

    /// One of several, if it can be told.
    fn settle(&self, found: Vec<Candidate<'a>>, scope: &Scope) -> Search<'a> {
        let found = if scope.is_empty() { found } else { self.narrowed(found, scope) };
        let found = preferring(found, |candidate| !candidate.node.disabled);
        let found = preferring(found, |candidate| !candidate.node.covered);
        let found = preferring(found, |candidate| self.is_in_dialog(candidate.place));
        let found = self.innermost(&found);
        let found = self.nearest(found);
        match found[..] {
            [] => Search::Missing(String::new()),
            [only] => Search::Found(only.node),
            [first, ..] if lead_to_the_same(&found) => Search::Found(first.node),
            _ => Search::Ambiguous(found.len().to_string()),
        }
    }

    fn narrowed(&self, found: Vec<Candidate<'a>>, scope: &Scope) -> Vec<Candidate<'a>> {
        let narrow = self.scoped(found.clone(), scope);
        if scope.soft && narrow.is_empty() { found } else { narrow }
    }

    fn is_in_dialog(&self, place: usize) -> bool {
        self.tree.upwards(place).any(|above| matches!(self.tree.node(above).role.as_str(), "dialog" | "alertdialog"))
    }

    /// Of things within each other the inner ones.
    fn innermost(&self, found: &[Candidate<'a>]) -> Vec<Candidate<'a>> {
        let holds_another = |one: &Candidate<'_>| {
            found.iter().any(|other| other.place != one.place && self.tree.holds(one.place, other.place))
        };
        found.iter().filter(|candidate| !holds_another(candidate)).copied().collect()
    }

    /// Those that share the smallest part of the page with what was acted on last.
    fn nearest(&self, found: Vec<Candidate<'a>>) -> Vec<Candidate<'a>> {
        let Some(last) = self.last.filter(|_| found.len() > 1) else { return found };
        let near = |candidate: &Candidate<'_>| self.tree.depth(self.tree.meeting(last, candidate.place));
        let nearest = found.iter().map(near).max();
        found.iter().filter(|candidate| Some(near(candidate)) == nearest).copied().collect()
    }
}

fn closest(found: Vec<Candidate<'_>>) -> Vec<Candidate<'_>> {
    let best = found.iter().map(|candidate| candidate.close).min();
    found.into_iter().filter(|candidate| Some(candidate.close) == best).collect()
}

fn preferring<'a>(found: Vec<Candidate<'a>>, better: impl Fn(&Candidate<'a>) -> bool) -> Vec<Candidate<'a>> {
    if found.iter().any(&better) { found.into_iter().filter(|candidate| better(candidate)).collect() } else { found }
}

/// Links to one address are one link.
fn lead_to_the_same(found: &[Candidate<'_>]) -> bool {
    let first = found.first().and_then(|candidate| candidate.node.href.as_ref());
    first.is_some() && found.iter().all(|candidate| candidate.node.href.as_ref() == first)
}

impl<'a> Search<'a> {
    fn or(self, other: impl FnOnce() -> Search<'a>) -> Self {
        match self {
            Self::Missing(_) => other(),
            found => found,
        }
    }

    fn named(self, what: &str, name: &str, scope: &Scope) -> Self {
        let at = if scope.is_empty() || scope.soft {
            String::new()
        } else {
            format!(" for \"{}\"", scope.texts.join("\", \""))
        };
        match self {
            Self::Missing(_) => Self::Missing(format!("there is {what} called \"{name}\"{at}")),
            Self::Ambiguous(number) => Self::Ambiguous(format!("{number} things are called \"{name}\"{at}")),
            found @ Self::Found(_) => found,
        }
    }
}

/// Whether a node is one that text is typed into.
pub(super) fn takes_text(node: &Node) -> bool {
    is_field(node) && node.options.is_empty() && node.input.as_deref() != Some("file")
}
