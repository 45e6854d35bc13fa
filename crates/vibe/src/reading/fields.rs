//! Fields, choices and the states of controls, by what they are called.

use super::closeness::{Closeness, closeness};
use super::tree::{Tree, all};
use super::words::{contains, normal};
use benchwright_domain::vibe::expectation::ControlState;
use benchwright_domain::vibe::trace::{Node, Sight};

/// Roles of what holds a value.
pub const FIELDS: [&str; 6] = ["textbox", "searchbox", "combobox", "spinbutton", "slider", "listbox"];
/// Roles of what is on or off.
const SWITCHES: [&str; 5] = ["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"];
/// Roles of what a list offers once it is open.
const OFFERS: [&str; 5] = ["option", "menuitem", "menuitemradio", "menuitemcheckbox", "treeitem"];
/// Regions whose names are for those who cannot see them, and nobody reads.
const UNREAD: [&str; 13] = [
    "document",
    "list",
    "table",
    "grid",
    "navigation",
    "region",
    "form",
    "article",
    "tabpanel",
    "menu",
    "tablist",
    "figure",
    "iframe",
];

/// Whether the name of a node of this role can be read on the page.
pub(super) fn is_named(role: &str) -> bool {
    !UNREAD.contains(&role)
}

/// Whether a node holds a value.
pub fn is_field(node: &Node) -> bool {
    FIELDS.contains(&node.role.as_str()) || node.input.as_deref() == Some("file")
}

/// Nodes for which `wanted` holds and that are called so, the closest name only.
pub fn named<'a>(sight: &'a Sight, name: &str, wanted: impl Fn(&Node) -> bool) -> Vec<&'a Node> {
    let close = all(&sight.root).into_iter().filter(|node| wanted(node));
    closest(close.filter_map(|node| Some((closeness(&node.name, name)?, node))).collect())
}

/// Keeps the closest ones.
pub(super) fn closest(found: Vec<(Closeness, &Node)>) -> Vec<&Node> {
    let best = found.iter().map(|(close, _)| *close).min();
    found.into_iter().filter(|(close, _)| Some(*close) == best).map(|(_, node)| node).collect()
}

/// The fields a label means: by name, by placeholder, or by the text right before a field without a name.
pub fn fields_called<'a>(sight: &'a Sight, label: &str) -> Vec<&'a Node> {
    let mut found: Vec<(Closeness, &Node)> = Vec::new();
    let tree = Tree::of(sight);
    for place in 0..tree.len() {
        let node = tree.node(place);
        if !is_field(node) {
            continue;
        }
        let own = closeness(&node.name, label);
        let hint = node.placeholder.as_deref().and_then(|hint| closeness(hint, label));
        let beside =
            if node.name.is_empty() { text_before(&tree, place).and_then(|text| closeness(text, label)) } else { None };
        found.extend([own, hint, beside].into_iter().flatten().min().map(|close| (close, node)));
    }
    closest(found)
}

/// What is said right before a place.
fn text_before<'t>(tree: &'t Tree<'_>, place: usize) -> Option<&'t str> {
    let before = tree.leaves().iter().rev().find(|leaf| leaf.node < place)?;
    (tree.node(before.node).role == "text").then_some(before.text.as_str())
}

/// What the one field of a label holds; an error says why that cannot be told.
pub fn field_value(sight: &Sight, label: &str) -> Result<String, String> {
    match fields_called(sight, label)[..] {
        [] => Err(format!("no field is called \"{label}\"")),
        [only] => Ok(only.value.clone().unwrap_or_default()),
        ref several => Err(format!("{} fields are called \"{label}\"", several.len())),
    }
}

/// Whether the control of a name is in a state; an error says why that cannot be told.
pub fn state_of(sight: &Sight, name: &str, state: ControlState) -> Result<bool, String> {
    match state {
        ControlState::Checked | ControlState::Unchecked => {
            let switch = one(&switches(sight, name), name)?;
            Ok((switch.checked == Some(true)) == (state == ControlState::Checked))
        }
        ControlState::Enabled | ControlState::Disabled => {
            let control = one(&named(sight, name, |node| node.reference.is_some() && is_control(node)), name)?;
            Ok(control.disabled == (state == ControlState::Disabled))
        }
    }
}

fn one<'a>(found: &[&'a Node], name: &str) -> Result<&'a Node, String> {
    match found {
        [] => Err(format!("no control is called \"{name}\"")),
        [only] => Ok(only),
        several => Err(format!("{} controls are called \"{name}\"", several.len())),
    }
}

fn is_control(node: &Node) -> bool {
    is_field(node) || SWITCHES.contains(&node.role.as_str()) || matches!(node.role.as_str(), "button" | "link" | "tab")
}

/// Boxes of a name: called so, or the only one in the row or card that says so.
pub fn switches<'a>(sight: &'a Sight, name: &str) -> Vec<&'a Node> {
    let is_switch =
        |node: &Node| SWITCHES.contains(&node.role.as_str()) || (node.role == "button" && node.checked.is_some());
    let called = named(sight, name, |node| is_switch(node));
    if !called.is_empty() {
        return called;
    }
    let tree = Tree::of(sight);
    let mut found: Vec<&Node> = Vec::new();
    for leaf in tree.leaves().iter().filter(|leaf| contains(&leaf.text, name)) {
        let Some(entry) = tree.entry_of(leaf.node) else { continue };
        let inside: Vec<&Node> = all(tree.node(entry)).into_iter().filter(|node| is_switch(node)).collect();
        if let [only] = inside[..]
            && !found.iter().any(|known| std::ptr::eq(*known, only))
        {
            found.push(only);
        }
    }
    found
}

/// Options that are shown now, in a list that is open, and called so.
pub fn options_shown<'a>(sight: &'a Sight, wanted: &str) -> Vec<&'a Node> {
    let shown = named(sight, wanted, |node| OFFERS.contains(&node.role.as_str()) && node.reference.is_some());
    if !shown.is_empty() {
        return shown;
    }
    // Lists without roles: what can be clicked inside a list or menu.
    let tree = Tree::of(sight);
    let offers = (0..tree.len()).filter(|place| {
        let node = tree.node(*place);
        matches!(node.role.as_str(), "listitem" | "generic" | "button" | "entry")
            && node.reference.is_some()
            && tree.upwards(*place).any(|above| matches!(tree.node(above).role.as_str(), "listbox" | "menu"))
    });
    let called = offers.filter_map(|place| {
        let name = tree.text(place);
        (normal(&name) == normal(wanted)).then(|| tree.node(place))
    });
    called.collect()
}

/// Whether the choice of a label offers an option; an error says why that cannot be told.
pub fn is_offered(sight: &Sight, label: &str, option: &str) -> Result<bool, String> {
    let choices: Vec<&Node> = fields_called(sight, label).into_iter().filter(|node| !node.options.is_empty()).collect();
    if let [choice] = choices[..] {
        return Ok(choice.options.iter().any(|offer| !offer.disabled && contains(&offer.label, option)));
    }
    if choices.len() > 1 {
        return Err(format!("{} choices are called \"{label}\"", choices.len()));
    }
    let groups = named(sight, label, |node| matches!(node.role.as_str(), "radiogroup" | "group" | "listbox"));
    if let [group] = groups[..] {
        let offers = all(group).into_iter().filter(|node| matches!(node.role.as_str(), "radio" | "option" | "button"));
        return Ok(offers.filter(|node| !node.disabled).any(|node| contains(&node.name, option)));
    }
    match fields_called(sight, label)[..] {
        [field] if field.expanded == Some(true) => Ok(!options_shown(sight, option).is_empty()),
        [field] if field.role == "combobox" => Err(format!("the list \"{label}\" is closed")),
        [] if groups.is_empty() => Err(format!("no choice is called \"{label}\"")),
        _ => Err(format!("it is not clear which choice \"{label}\" is")),
    }
}
