//! How close the name of a control is to what somebody calls it.

use super::words::{find_words, normal};

/// How close a name is, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Closeness {
    /// The same.
    Same,
    /// The same but for capital letters, marks and signs around it, such as `Name *` for `Name`.
    Folded,
    /// It begins so, such as `Delete Boston fern` for `Delete`.
    Begins,
    /// It has these words in it.
    Has,
}

/// How close a name is to what is wanted; none when it is something else.
pub fn closeness(name: &str, wanted: &str) -> Option<Closeness> {
    let (name, wanted) = (normal(name), normal(wanted));
    if wanted.is_empty() {
        return None;
    }
    if name == wanted {
        return Some(Closeness::Same);
    }
    let (name, wanted) = (folded(&name), folded(&wanted));
    if name == wanted && !name.is_empty() {
        return Some(Closeness::Folded);
    }
    match find_words(&name, &wanted) {
        Some(0) => Some(Closeness::Begins),
        Some(_) => Some(Closeness::Has),
        None => None,
    }
}

/// Without capitals, marks such as `(required)` and signs at either end.
fn folded(text: &str) -> String {
    let mut lower = text.to_lowercase();
    for mark in ["(required)", "(optional)"] {
        lower = lower.replace(mark, "");
    }
    let is_sign = |character: char| !character.is_alphanumeric() && !"()%+-".contains(character);
    lower.trim_matches(is_sign).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_close_in_four_degrees() {
        for (name, wanted, expected) in [
            ("Save", "Save", Some(Closeness::Same)),
            ("Name *", "Name", Some(Closeness::Folded)),
            ("✓ save plant", "Save plant", Some(Closeness::Folded)),
            ("E-mail (required):", "E-mail", Some(Closeness::Folded)),
            ("Delete Boston fern", "Delete", Some(Closeness::Begins)),
            ("Basket (2)", "Basket", Some(Closeness::Begins)),
            ("Room name", "Name", Some(Closeness::Has)),
            ("Saved", "Save", None),
            ("Save", "Save plant", None),
            ("Water every (days)", "Water every (days)", Some(Closeness::Same)),
            ("", "", None),
        ] {
            assert_eq!(closeness(name, wanted), expected, "{name:?} for {wanted:?}");
        }
        assert!(Closeness::Same < Closeness::Has);
    }
}
