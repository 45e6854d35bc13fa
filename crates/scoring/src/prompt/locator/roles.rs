//! The roles of WAI-ARIA 1.2 that an element can have. A locator with any other role could never find anything.

const ROLES: [&str; 83] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "banner",
    "blockquote",
    "button",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "directory",
    "document",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "none",
    "note",
    "option",
    "paragraph",
    "presentation",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
];

/// What is wrong with the name of a role, if anything.
pub(super) fn problem(name: &str) -> Option<String> {
    if ROLES.contains(&name) {
        return None;
    }
    let near = nearest(name).map_or_else(String::new, |near| format!("; did you mean '{near}'?"));
    Some(format!("`{}` is no ARIA role{near}", super::shortened(name)))
}

/// The role that somebody who wrote `name` probably meant.
fn nearest(name: &str) -> Option<&'static str> {
    const KNOWN_MISTAKES: [(&str, &str); 9] = [
        ("image", "img"),
        ("header", "banner"),
        ("footer", "contentinfo"),
        ("nav", "navigation"),
        ("input", "textbox"),
        ("select", "combobox"),
        ("a", "link"),
        ("li", "listitem"),
        ("aside", "complementary"),
    ];
    let lower = name.to_lowercase();
    if let Some((_, role)) = KNOWN_MISTAKES.iter().find(|(mistake, _)| *mistake == lower) {
        return Some(role);
    }
    ROLES
        .into_iter()
        .map(|role| (distance(&lower, role), role))
        .min()
        .filter(|(distance, _)| *distance <= 2)
        .map(|(_, role)| role)
}

/// How many letters must be changed, added or left out; long words are far from everything.
fn distance(left: &str, right: &str) -> usize {
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().take(30).collect(), right.chars().collect());
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in right.iter().enumerate() {
            let changed = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_role_is_recognised() {
        assert_eq!(nearest("buton"), Some("button"));
        assert_eq!(nearest("Nav"), Some("navigation"));
        assert_eq!(nearest("quarterback"), None);
    }
}
