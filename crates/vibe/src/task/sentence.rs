//! The sentence of a substep: words, texts in quotes, and variables in braces.

use super::phrase::has_stem;
use std::collections::BTreeMap;

/// Verbs after which `to` and `with` introduce what is typed.
const REPLACING: [&str; 4] = ["change", "set", "replace", "correct"];

/// A part of a sentence and the number of characters before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part<'a> {
    pub(super) at: usize,
    pub(super) piece: Piece<'a>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// What stands outside of quotes and braces.
    Words(&'a str),
    /// A text as the screen shows it or the tester types it. It may contain variables.
    Quoted(&'a str),
    /// The name of a variable.
    Variable(&'a str),
}

/// What is wrong with a text, and after how many characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) at: usize,
    pub(super) problem: String,
}

impl Fault {
    pub(super) fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into() }
    }
}

/// Takes a sentence apart.
pub(super) fn parts(sentence: &str) -> Result<Vec<Part<'_>>, Fault> {
    let mut found = Vec::new();
    let (mut rest, mut at) = (sentence, 0);
    while let Some(first) = rest.chars().next() {
        let (piece, bytes) = match first {
            '"' => {
                let end = rest[1..].find('"').ok_or_else(|| Fault::new(at, "this quotation mark has no partner"))?;
                (Piece::Quoted(&rest[1..=end]), end + 2)
            }
            '{' => {
                let end = rest.find('}').ok_or_else(|| Fault::new(at, "this brace is never closed"))?;
                (Piece::Variable(&rest[1..end]), end + 1)
            }
            _ => {
                let end = rest.find(['"', '{']).unwrap_or(rest.len());
                (Piece::Words(&rest[..end]), end)
            }
        };
        found.push(Part { at, piece });
        at += rest[..bytes].chars().count();
        rest = &rest[bytes..];
    }
    Ok(found)
}

/// Whether a quoted text is what the tester types, rather than what the screen shows: `Type "3" into …`, `"3" into …`,
/// `Change … to "3"`, `Search for "3"`.
pub(super) fn is_typed(parts: &[Part<'_>], position: usize) -> bool {
    let words = |part: Option<&Part<'_>>| match part.map(|part| part.piece) {
        Some(Piece::Words(words)) => words.trim().to_lowercase(),
        _ => String::new(),
    };
    let before = words(position.checked_sub(1).and_then(|before| parts.get(before)));
    let all: Vec<String> = parts[..position].iter().map(|part| words(Some(part))).collect();
    let replaces = all.iter().any(|said| REPLACING.iter().any(|verb| has_stem(said, verb)));
    words(parts.get(position + 1)).starts_with("into")
        || ["type", "enter", "write", "search for"].iter().any(|verb| before.ends_with(verb))
        || (replaces && (before == "to" || before == "with" || before.ends_with(" to") || before.ends_with(" with")))
}

/// The names in braces of a text, with the number of characters before each. What is not closed is no name.
pub(super) fn variables(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (byte, _) in text.match_indices('{') {
        if let Some(end) = text[byte..].find('}') {
            found.push((text[..byte].chars().count(), &text[byte + 1..byte + end]));
        }
    }
    found
}

/// What stands between the variables of a text.
pub(super) fn literals(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some((before, variable)) = rest.split_once('{') {
        found.push(before);
        rest = variable.split_once('}').map_or("", |(_, after)| after);
    }
    found.push(rest);
    found
}

/// A sentence as a tester hears it: values instead of variables, in quotes wherever they are not yet.
pub(super) fn spoken(sentence: &str, values: &BTreeMap<String, String>) -> String {
    let mut quoted = false;
    let mut said = String::new();
    for (position, stretch) in sentence.split('"').enumerate() {
        if position > 0 {
            said.push('"');
            quoted = !quoted;
        }
        said.push_str(&replaced(stretch, values, if quoted { "" } else { "\"" }));
    }
    said
}

/// A text with values instead of variables.
pub(super) fn filled(text: &str, values: &BTreeMap<String, String>) -> String {
    replaced(text, values, "")
}

fn replaced(text: &str, values: &BTreeMap<String, String>, quote: &str) -> String {
    let mut made = String::new();
    let mut rest = text;
    while let Some((before, variable)) = rest.split_once('{') {
        made.push_str(before);
        let known = variable.split_once('}').and_then(|(name, after)| Some((values.get(name)?, after)));
        if let Some((value, after)) = known {
            made.extend([quote, value, quote]);
            rest = after;
        } else {
            made.push('{');
            rest = variable;
        }
    }
    made.push_str(rest);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_falls_into_words_quotes_and_variables() {
        let pieces: Vec<_> =
            parts("Type {ä} into \"Name\".").unwrap().into_iter().map(|part| (part.at, part.piece)).collect();
        assert_eq!(
            pieces,
            [
                (0, Piece::Words("Type ")),
                (5, Piece::Variable("ä")),
                (8, Piece::Words(" into ")),
                (14, Piece::Quoted("Name")),
                (20, Piece::Words("."))
            ]
        );
        assert_eq!(parts("Click \"Save").unwrap_err(), Fault::new(6, "this quotation mark has no partner"));
        assert_eq!(parts("é {x").unwrap_err().at, 2);
    }

    #[test]
    fn what_is_typed_is_told_from_what_is_shown() {
        let typed = |sentence: &str| {
            let parts = parts(sentence).unwrap();
            let quoted = (0..parts.len()).filter(|at| matches!(parts[*at].piece, Piece::Quoted(_)));
            quoted.map(|at| is_typed(&parts, at)).collect::<Vec<_>>()
        };
        assert_eq!(typed("Type \"3\" into \"Jars\" and click \"Save\"."), [true, false, false]);
        assert_eq!(typed("Type {a} into \"Name\", \"4\" into \"Jars\"."), [false, true, false]);
        assert_eq!(typed("Change \"Jars\" to \"5\"."), [false, true]);
        assert_eq!(typed("Replace the content of \"Jars\" with \"5\"."), [false, true]);
        assert_eq!(typed("Go to \"Jars\" and search for \"plum\"."), [false, true]);
    }

    #[test]
    fn variables_and_what_is_between_them_are_found() {
        assert_eq!(variables("für {a} and {b_2}, {"), [(4, "a"), (12, "b_2")]);
        assert_eq!(literals("Hello, {a}!"), ["Hello, ", "!"]);
        assert_eq!(literals("plain"), ["plain"]);
    }

    #[test]
    fn values_are_spoken_in_quotes() {
        let values = BTreeMap::from([("name".to_owned(), "Fern {name}".to_owned())]);
        assert_eq!(spoken("Type {name} into \"Name\"", &values), "Type \"Fern {name}\" into \"Name\"");
        assert_eq!(spoken("Expect \"Hello {name}\" and {other}", &values), "Expect \"Hello Fern {name}\" and {other}");
        assert_eq!(filled("{name} { {", &values), "Fern {name} { {");
    }
}
