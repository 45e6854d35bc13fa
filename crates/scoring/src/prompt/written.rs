//! The same file read for where its texts stand.

use super::syntax::SyntaxError;
use serde::Deserialize;
use serde_saphyr::Spanned;

/// A text and its place in the file.
pub(super) type Text = Spanned<String>;

/// The parts of a prompt that are checked beyond their shape. What is missing or of another shape is told elsewhere.
#[derive(Deserialize)]
pub(super) struct Written {
    pub(super) id: Option<Text>,
    #[serde(default)]
    pub(super) must_have: Vec<WrittenCriterion>,
    #[serde(default)]
    pub(super) should_have: Vec<WrittenCriterion>,
    #[serde(default)]
    pub(super) verbatim_constraints: Vec<WrittenConstraint>,
    #[serde(default)]
    pub(super) seo_applicable: Vec<Text>,
    #[serde(default)]
    pub(super) visual_checklist: WrittenList,
    #[serde(default)]
    pub(super) functional_checklist: WrittenList,
    #[serde(default)]
    pub(super) backend_probes: Vec<Named>,
}

#[derive(Deserialize)]
pub(super) struct WrittenCriterion {
    pub(super) id: Text,
    pub(super) locator: Option<Text>,
    pub(super) assert: Option<Text>,
    pub(super) custom: Option<Text>,
    #[serde(default)]
    pub(super) chain: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) setup: Vec<WrittenStep>,
}

#[derive(Deserialize)]
pub(super) struct WrittenStep {
    pub(super) locator: Option<Text>,
    pub(super) key: Option<Text>,
    pub(super) expr: Option<Text>,
}

#[derive(Deserialize)]
pub(super) struct WrittenConstraint {
    pub(super) value: Option<Text>,
}

#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: Text,
}

#[derive(Default, Deserialize)]
pub(super) struct WrittenList {
    #[serde(default)]
    pub(super) extra: Vec<Named>,
}

/// Line and column of a text.
pub(super) fn place<T>(text: &Spanned<T>) -> (u64, u64) {
    (text.referenced.line(), text.referenced.column())
}

/// Line and column of a fault inside of a text, as far as the text stands on one line as it is; else where the text begins.
pub(super) fn place_in(file: &str, text: &Text, error: &SyntaxError) -> (u64, u64) {
    let (line, column) = place(text);
    let begin = usize::try_from(line).ok().and_then(|line| file.lines().nth(line.checked_sub(1)?));
    let rest: Vec<char> =
        begin.map(|whole| whole.chars().skip(column.saturating_sub(1) as usize).collect()).unwrap_or_default();
    let offset = offset_of(&rest, &text.value, error.at).unwrap_or(0);
    (line, column + offset as u64)
}

/// Where character `at` of `text` stands in `source`, which writes the text as a plain or quoted scalar of YAML.
fn offset_of(source: &[char], text: &str, at: usize) -> Option<usize> {
    let quote = source.first().copied().filter(|first| matches!(first, '"' | '\''));
    let mut position = usize::from(quote.is_some());
    for wanted in text.chars().take(at) {
        let found = *source.get(position)?;
        position += match (quote, found) {
            (Some('"'), '\\') if source.get(position + 1) == Some(&wanted) => 2,
            (Some('\''), '\'') if wanted == '\'' => 2,
            (_, same) if same == wanted => 1,
            _ => return None,
        };
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_a_character_is_found_in_every_way_of_quoting() {
        let offset = |source: &str, text: &str, at| offset_of(&source.chars().collect::<Vec<_>>(), text, at);
        assert_eq!(offset("getByText('a')", "getByText('a')", 10), Some(10));
        assert_eq!(offset("\"a('\\\"b\\\"')\"", "a('\"b\"')", 5), Some(7));
        assert_eq!(offset("'a(''b'')'", "a('b')", 4), Some(6));
        assert_eq!(offset("|", "a('b')", 4), None);
        assert_eq!(offset("'ä(x'", "ä(x", 2), Some(3));
    }
}
