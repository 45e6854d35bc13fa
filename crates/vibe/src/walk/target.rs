//! Naming an element of a sight so that it can be found again, in this sight, in a later one, or in another walk.

use crate::reading::{self, contains};
use benchwright_domain::vibe::trace::{Node, Sight, Target};

/// How a node of a sight is named. The words of its row or card are noted where other nodes have the same role and name.
pub fn of(sight: &Sight, node: &Node) -> Target {
    let same = alike(sight, &node.role, &node.name);
    let nth = same.iter().position(|other| std::ptr::eq(*other, node)).unwrap_or_default();
    let within = if same.len() > 1 { reading::entry_words(sight, node).unwrap_or_default() } else { String::new() };
    Target {
        reference: node.reference.clone().unwrap_or_default(),
        role: node.role.clone(),
        name: node.name.clone(),
        nth: u32::try_from(nth).unwrap_or(u32::MAX),
        within,
    }
}

/// The node a target means in a sight: the one with its reference if that still is what it was, otherwise the one that is called
/// and placed as it was. None when there is no such node or it cannot be told which.
pub fn find<'a>(sight: &'a Sight, target: &Target) -> Option<&'a Node> {
    let by_reference = reading::all(&sight.root)
        .into_iter()
        .find(|node| !target.reference.is_empty() && node.reference.as_deref() == Some(&target.reference));
    let unchanged = |node: &&Node| (target.role.is_empty() || node.role == target.role) && names_agree(node, target);
    by_reference.filter(unchanged).or_else(|| find_again(sight, target))
}

/// The node that is called and placed as a target of another walk was.
pub fn find_again<'a>(sight: &'a Sight, target: &Target) -> Option<&'a Node> {
    if target.role.is_empty() {
        return None;
    }
    let same = alike(sight, &target.role, &target.name);
    if !target.within.is_empty() {
        let placed: Vec<&Node> = same
            .iter()
            .copied()
            .filter(|node| reading::entry_words(sight, node).is_some_and(|words| contains(&words, &target.within)))
            .collect();
        if let [only] = placed[..] {
            return Some(only);
        }
    }
    match same[..] {
        [only] => Some(only),
        _ if target.within.is_empty() => same.get(usize::try_from(target.nth).unwrap_or(usize::MAX)).copied(),
        _ => None,
    }
}

/// What a field or a region is called does not change under it; what a text or a button says may.
fn names_agree(node: &Node, target: &Target) -> bool {
    target.name.is_empty() || node.name == target.name
}

fn alike<'a>(sight: &'a Sight, role: &str, name: &str) -> Vec<&'a Node> {
    let is_same = |node: &&Node| node.reference.is_some() && node.role == role && node.name == name;
    reading::all(&sight.root).into_iter().filter(is_same).collect()
}
