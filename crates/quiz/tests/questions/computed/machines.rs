//! The data structures and algorithms that questions of computer science ask about, in their plainest form.

use std::collections::{BTreeMap, BTreeSet};

/// The most items that binary search looks at among n sorted ones.
pub fn probes_of_binary_search(n: u32) -> u32 {
    if n == 0 { 0 } else { 1 + probes_of_binary_search(n / 2) }
}

pub fn one_bubble_pass<const N: usize>(mut list: [i32; N]) -> [i32; N] {
    for i in 1..N {
        if list[i - 1] > list[i] {
            list.swap(i - 1, i);
        }
    }
    list
}

/// Where a key lies after all were inserted with linear probing.
pub fn hash_slot(size: usize, keys: &[usize], wanted: usize) -> usize {
    let mut slots = vec![None; size];
    for key in keys {
        let free = (0..size).map(|step| (key + step) % size).find(|slot| slots[*slot].is_none()).unwrap();
        slots[free] = Some(*key);
    }
    slots.iter().position(|slot| *slot == Some(wanted)).unwrap()
}

#[derive(Default)]
pub struct BinarySearchTree {
    root: Option<Box<Node>>,
}

struct Node {
    key: i32,
    left: BinarySearchTree,
    right: BinarySearchTree,
}

impl BinarySearchTree {
    pub fn of(keys: &[i32]) -> Self {
        let mut tree = Self::default();
        for key in keys {
            tree.insert(*key);
        }
        tree
    }

    fn insert(&mut self, key: i32) {
        match &mut self.root {
            Some(node) if key < node.key => node.left.insert(key),
            Some(node) => node.right.insert(key),
            empty => *empty = Some(Box::new(Node { key, left: Self::default(), right: Self::default() })),
        }
    }

    /// Edges between the root and a key.
    pub fn depth(&self, key: i32) -> i32 {
        let node = self.root.as_ref().unwrap();
        match key.cmp(&node.key) {
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Less => 1 + node.left.depth(key),
            std::cmp::Ordering::Greater => 1 + node.right.depth(key),
        }
    }
}

/// The nodes of a binary tree that is given level by level, with `-` where there is none.
pub fn in_order(levels: &str) -> Vec<String> {
    fn visit(levels: &[char], node: usize, visited: &mut Vec<String>) {
        if let Some(name) = levels.get(node).filter(|name| **name != '-') {
            visit(levels, 2 * node + 1, visited);
            visited.push(name.to_string());
            visit(levels, 2 * node + 2, visited);
        }
    }
    let levels: Vec<char> = levels.chars().collect();
    let mut visited = Vec::new();
    visit(&levels, 0, &mut visited);
    visited
}

/// Follows the edges, in both directions, until no distance becomes shorter.
pub fn shortest_path(edges: &[(char, char, u32)], from: char, to: char) -> u32 {
    let mut distance = BTreeMap::from([(from, 0)]);
    loop {
        let before = distance.clone();
        for (one, other, weight) in edges {
            for (near, far) in [(one, other), (other, one)] {
                if let Some(near) = distance.get(near).copied() {
                    let far = distance.entry(*far).or_insert(u32::MAX);
                    *far = (*far).min(near + weight);
                }
            }
        }
        if before == distance {
            return distance[&to];
        }
    }
}

/// The least weight of all sets of edges that connect the vertices; every set is tried.
pub fn minimum_spanning_tree(edges: &[(u32, u32, u32)]) -> u32 {
    let vertices: BTreeSet<u32> = edges.iter().flat_map(|(one, other, _)| [*one, *other]).collect();
    let sets = (0_u32..1 << edges.len())
        .map(|set| edges.iter().enumerate().filter(move |(i, _)| set >> i & 1 == 1).map(|(_, edge)| *edge));
    let weights = sets.map(Iterator::collect::<Vec<_>>).filter(|set| reached_from(1, set) == vertices);
    weights.map(|set| set.iter().map(|(.., weight)| weight).sum()).min().unwrap()
}

fn reached_from(start: u32, edges: &[(u32, u32, u32)]) -> BTreeSet<u32> {
    let mut reached = BTreeSet::from([start]);
    for _ in edges {
        for (one, other, _) in edges {
            if reached.contains(one) || reached.contains(other) {
                reached.extend([*one, *other]);
            }
        }
    }
    reached
}

pub fn least_recently_used_faults(frames: usize, pages: &[u32]) -> u32 {
    let mut faults = 0;
    // The page that was used last is at the end.
    let mut loaded: Vec<u32> = Vec::new();
    for page in pages {
        if let Some(place) = loaded.iter().position(|other| other == page) {
            loaded.remove(place);
        } else {
            faults += 1;
            if loaded.len() == frames {
                loaded.remove(0);
            }
        }
        loaded.push(*page);
    }
    faults
}

/// How many states the smallest automaton has that reads binary numbers from the front and accepts the multiples of a divisor: one state
/// for each remainder at first, of which those are one that no further digits can tell apart.
pub fn smallest_automaton_for_multiples(divisor: usize) -> u32 {
    let mut class: Vec<usize> = (0..divisor).map(|remainder| usize::from(remainder != 0)).collect();
    loop {
        let signature = |r: usize| (class[r], class[2 * r % divisor], class[(2 * r + 1) % divisor]);
        let signatures: Vec<_> = (0..divisor).map(signature).collect();
        let different: BTreeSet<_> = signatures.iter().copied().collect();
        let refined: Vec<usize> =
            signatures.iter().map(|one| different.iter().position(|other| other == one).unwrap()).collect();
        if different.len() == class.iter().collect::<BTreeSet<_>>().len() {
            return different.len().try_into().unwrap();
        }
        class = refined;
    }
}
