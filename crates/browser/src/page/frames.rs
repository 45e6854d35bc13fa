//! Which frames a page has, and which session speaks for each.

use std::collections::HashMap;

/// More frames than any page needs; a page that makes more is not followed further.
const MAX_FRAMES: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameNode {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) url: String,
    /// The session that can evaluate in it: the page's, or its own when it runs in another process.
    pub(crate) session: String,
    /// 0 for the main frame; marks the element references of an aria snapshot.
    pub(crate) sequence: u64,
}

pub(crate) struct FrameTree {
    nodes: HashMap<String, FrameNode>,
    next_sequence: u64,
    main: String,
}

impl FrameTree {
    pub(crate) fn new(main: &str, session: &str) -> Self {
        let node = FrameNode {
            id: main.to_owned(),
            parent: None,
            url: "about:blank".to_owned(),
            session: session.to_owned(),
            sequence: 0,
        };
        Self { nodes: HashMap::from([(main.to_owned(), node)]), next_sequence: 1, main: main.to_owned() }
    }

    pub(crate) fn main(&self) -> &str {
        &self.main
    }

    pub(crate) fn get(&self, id: &str) -> Option<&FrameNode> {
        self.nodes.get(id)
    }

    pub(crate) fn by_sequence(&self, sequence: u64) -> Option<&FrameNode> {
        self.nodes.values().find(|node| node.sequence == sequence)
    }

    /// A frame appeared in its parent, or moved back into its parent's process.
    pub(crate) fn attach(&mut self, id: &str, parent: &str, session: &str) {
        if let Some(node) = self.nodes.get_mut(id) {
            session.clone_into(&mut node.session);
        } else if self.nodes.len() < MAX_FRAMES && self.nodes.contains_key(parent) {
            let node = FrameNode {
                id: id.to_owned(),
                parent: Some(parent.to_owned()),
                url: String::new(),
                session: session.to_owned(),
                sequence: self.next_sequence,
            };
            self.next_sequence += 1;
            self.nodes.insert(id.to_owned(), node);
        }
    }

    /// A new document in a frame: what was inside is gone.
    pub(crate) fn navigate(&mut self, id: &str, url: &str, session: &str) {
        self.remove_children(id);
        if let Some(node) = self.nodes.get_mut(id) {
            url.clone_into(&mut node.url);
            session.clone_into(&mut node.session);
        }
    }

    pub(crate) fn set_url(&mut self, id: &str, url: &str) {
        if let Some(node) = self.nodes.get_mut(id) {
            url.clone_into(&mut node.url);
        }
    }

    /// The frame's document now lives in another process, under its own session.
    pub(crate) fn adopt(&mut self, id: &str, session: &str) -> bool {
        self.remove_children(id);
        match self.nodes.get_mut(id) {
            Some(node) => {
                session.clone_into(&mut node.session);
                true
            }
            None => false,
        }
    }

    pub(crate) fn remove(&mut self, id: &str) {
        if id != self.main {
            self.remove_children(id);
            self.nodes.remove(id);
        }
    }

    /// A child session ended: its topmost frame falls back to its parent's session until something else is heard.
    pub(crate) fn session_gone(&mut self, session: &str) {
        let orphans: Vec<FrameNode> = self.nodes.values().filter(|node| node.session == session).cloned().collect();
        for orphan in orphans {
            let above = orphan.parent.and_then(|parent| self.nodes.get(&parent)).map(|node| node.session.clone());
            if let Some(above) = above.filter(|above| above != session) {
                self.adopt(&orphan.id, &above);
            }
        }
    }

    /// The main frame first, then depth first in order of appearance.
    pub(crate) fn ordered(&self) -> Vec<FrameNode> {
        let mut by_parent: HashMap<&str, Vec<&FrameNode>> = HashMap::new();
        for node in self.nodes.values() {
            if let Some(parent) = node.parent.as_deref() {
                by_parent.entry(parent).or_default().push(node);
            }
        }
        let mut ordered = Vec::with_capacity(self.nodes.len());
        let mut stack: Vec<&FrameNode> = self.nodes.get(&self.main).into_iter().collect();
        while let Some(node) = stack.pop() {
            ordered.push(node.clone());
            let mut children = by_parent.remove(node.id.as_str()).unwrap_or_default();
            children.sort_by_key(|child| std::cmp::Reverse(child.sequence));
            stack.extend(children);
        }
        ordered
    }

    fn remove_children(&mut self, id: &str) {
        let mut doomed = vec![id.to_owned()];
        while let Some(parent) = doomed.pop() {
            let children: Vec<String> = self
                .nodes
                .values()
                .filter(|node| node.parent.as_deref() == Some(parent.as_str()))
                .map(|node| node.id.clone())
                .collect();
            for child in &children {
                self.nodes.remove(child);
            }
            doomed.extend(children);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(tree: &FrameTree) -> Vec<String> {
        tree.ordered().into_iter().map(|node| node.id).collect()
    }

    fn tree() -> FrameTree {
        let mut tree = FrameTree::new("main", "s");
        tree.attach("a", "main", "s");
        tree.attach("b", "main", "s");
        tree.attach("a1", "a", "s");
        tree
    }

    #[test]
    fn frames_are_listed_depth_first_in_order_of_appearance() {
        assert_eq!(ids(&tree()), ["main", "a", "a1", "b"]);
    }

    #[test]
    fn a_new_document_drops_what_was_inside() {
        let mut tree = tree();
        tree.navigate("a", "http://x/", "s");
        assert_eq!(ids(&tree), ["main", "a", "b"]);
        tree.navigate("main", "http://y/", "s");
        assert_eq!(ids(&tree), ["main"]);
    }

    #[test]
    fn an_adopted_frame_speaks_through_its_own_session_and_falls_back() {
        let mut tree = tree();
        assert!(tree.adopt("a", "child"));
        tree.attach("a2", "a", "child");
        assert_eq!(tree.get("a").unwrap().session, "child");
        tree.session_gone("child");
        assert_eq!(tree.get("a").unwrap().session, "s");
        assert_eq!(ids(&tree), ["main", "a", "b"]);
        assert!(!tree.adopt("never seen", "child"));
    }

    #[test]
    fn the_main_frame_cannot_be_removed() {
        let mut tree = tree();
        tree.remove("main");
        tree.remove("a");
        assert_eq!(ids(&tree), ["main", "b"]);
        assert_eq!(tree.by_sequence(2).unwrap().id, "b");
    }
}
