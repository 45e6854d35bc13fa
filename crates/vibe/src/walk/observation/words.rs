//! One node in words.

use crate::line::{blank, flat};
use benchwright_domain::vibe::trace::{Choice, Node};

/// Characters of a text, unless a model asks for more.
pub(super) const LONGEST_TEXT: usize = 240;
const LONGEST_NAME: usize = 120;
const LONGEST_VALUE: usize = 120;
/// Options of a list that are told.
const MOST_OPTIONS: usize = 8;
const LONGEST_OPTION: usize = 40;

const CONTROLS: [&str; 17] = [
    "button",
    "link",
    "textbox",
    "searchbox",
    "combobox",
    "checkbox",
    "radio",
    "switch",
    "slider",
    "spinbutton",
    "option",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "tab",
    "treeitem",
    "listbox",
];
/// Rows and cards have a reference; they have a name as well only when they can be clicked.
const ENTRIES: [&str; 4] = ["row", "listitem", "article", "entry"];

/// Whether a model may want to act on it.
pub(super) fn is_control(node: &Node) -> bool {
    if node.reference.is_none() {
        return false;
    }
    let role = node.role.as_str();
    CONTROLS.contains(&role) || is_clickable(node)
}

/// Whether it can be clicked although its role does not say so.
fn is_clickable(node: &Node) -> bool {
    let role = node.role.as_str();
    !CONTROLS.contains(&role) && !matches!(role, "text" | "heading" | "iframe") && !node.name.is_empty()
        || (role == "generic" && node.reference.is_some())
}

/// Whether it is one of several alike.
pub(super) fn is_entry(node: &Node) -> bool {
    ENTRIES.contains(&node.role.as_str()) || matches!(node.role.as_str(), "treeitem")
}

/// A control: its reference, what it is, its name and everything about its state.
pub(super) fn control(node: &Node) -> String {
    let mut words = vec![node.reference.clone().unwrap_or_default(), kind(node).to_owned()];
    if !node.name.is_empty() {
        words.push(short(&node.name, LONGEST_NAME));
    }
    words.extend(state(node));
    words.join(" ")
}

fn kind(node: &Node) -> &str {
    match (node.role.as_str(), node.input.as_deref()) {
        ("textbox" | "searchbox" | "spinbutton" | "slider" | "button", Some(input @ ("file" | "color" | "range"))) => {
            input
        }
        ("textbox", Some(input)) if !matches!(input, "text" | "submit") => input,
        ("generic" | "row" | "listitem" | "article" | "entry", _) => "clickable",
        (role, _) => role,
    }
}

fn state(node: &Node) -> Vec<String> {
    let mut words = Vec::new();
    match (&node.value, &node.placeholder) {
        (Some(value), _) if !value.is_empty() => words.push(format!("={}", quoted(&short(value, LONGEST_VALUE)))),
        (_, Some(hint)) if !hint.is_empty() && *hint != node.name => words.push(format!("hint {}", quoted(hint))),
        _ => {}
    }
    if !node.options.is_empty() {
        words.push(choices(&node.options));
    }
    let flags = [
        (node.checked == Some(true), "on"),
        (node.checked == Some(false) && is_ticked(node), "off"),
        (node.expanded == Some(true), "open"),
        (node.expanded == Some(false), "closed"),
        (node.disabled, "disabled"),
        (node.focused, "focused"),
    ];
    let flags: Vec<&str> = flags.iter().filter(|(holds, _)| *holds).map(|(_, word)| *word).collect();
    if !flags.is_empty() {
        words.push(format!("({})", flags.join(", ")));
    }
    words
}

/// Whether being off is worth a word: of tabs and options only the chosen one is.
fn is_ticked(node: &Node) -> bool {
    matches!(node.role.as_str(), "checkbox" | "radio" | "switch" | "menuitemcheckbox" | "menuitemradio" | "button")
}

fn choices(options: &[Choice]) -> String {
    let others = options.iter().filter(|option| !option.chosen);
    let labels: Vec<String> =
        others.clone().take(MOST_OPTIONS).map(|option| short(&option.label, LONGEST_OPTION)).collect();
    let more = others.count() - labels.len();
    let more = if more > 0 { format!(", {more} more") } else { String::new() };
    format!("[{}{more}]", labels.join(", "))
}

/// What is no control: a heading, a text, the name of a group.
pub(super) fn heading(node: &Node) -> String {
    format!("{} {}", "#".repeat(usize::from(node.level.unwrap_or(2).clamp(1, 6))), short(&node.name, LONGEST_NAME))
}

/// A text in quotes, and in a line, that it cannot leave.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", flat(text).replace('"', "'"))
}

/// A text that is not longer than that, in one line.
pub(super) fn short(text: &str, longest: usize) -> String {
    let mut characters = text.chars().map(blank);
    let start: String = characters.by_ref().take(longest).collect();
    if characters.next().is_some() { format!("{}…", start.trim_end()) } else { start }
}
