//! YAML that somebody else wrote: small and flat, read within limits, and refused with a place and with what was expected.

use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_saphyr::options::MergeKeyPolicy;
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};
use std::fmt;
use std::marker::PhantomData;

/// The longest message, in characters.
const MESSAGE_LENGTH: usize = 500;

/// Why a text was refused, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
    /// What is wrong. It quotes names, but no values.
    pub problem: String,
}

/// A text and its place in the file.
pub type Text = Spanned<String>;

/// How bad a problem is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file works, but probably not as meant.
    Warning,
}

/// One problem of a file, printed as editors understand it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file as it was named.
    pub file: String,
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(f, "{}:{}:{}: {severity}: {}", self.file, self.line, self.column, self.problem)
    }
}

/// Reads a text of at most so many nodes. Aliases are fine in small numbers; a bomb ends at once.
pub fn read<'a, T: Deserialize<'a>>(text: &'a str, nodes: usize) -> Result<T, Refusal> {
    read_with(text, nodes, PhantomData)
}

/// Reads a text of a format in which `<<` takes over the keys of another map.
pub fn read_merging<'a, T: Deserialize<'a>>(text: &'a str, nodes: usize) -> Result<T, Refusal> {
    read_by(MergeKeyPolicy::Merge, text, nodes, PhantomData)
}

/// Reads a text the same way, into what the seed makes of it.
pub fn read_with<'a, S: DeserializeSeed<'a>>(text: &'a str, nodes: usize, seed: S) -> Result<S::Value, Refusal> {
    read_by(MergeKeyPolicy::Error, text, nodes, seed)
}

fn read_by<'a, S: DeserializeSeed<'a>>(
    merge_keys: MergeKeyPolicy,
    text: &'a str,
    nodes: usize,
    seed: S,
) -> Result<S::Value, Refusal> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 2 * nodes,
            max_nodes: nodes,
            max_depth: 16,
            max_aliases: 64,
            max_anchors: 64,
            max_documents: 1,
            max_total_scalar_bytes: 4 * text.len(),
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 2_000,
            max_replay_stack_depth: 4,
            max_alias_expansions_per_anchor: 64,
        },
        merge_keys: merge_keys,
        strict_booleans: true,
        with_snippet: false,
    };
    let read = serde_saphyr::with_deserializer_from_str_with_options(text, options, |yaml| seed.deserialize(yaml));
    read.map_err(|error| {
        let (line, column) = error.location().map_or((1, 1), |location| (location.line(), location.column()));
        let message = UserMessageFormatter.format_message(error.without_snippet());
        Refusal { line, column, problem: readable(&expectation(&message)) }
    })
}

/// What was expected, without the value that stands there instead: that may be a password.
pub fn expectation(message: &str) -> String {
    let about_value = message.starts_with("invalid type: ") || message.starts_with("invalid value: ");
    if let Some((_, expected)) = message.rsplit_once(", expected ").filter(|_| about_value) {
        return format!("expected {expected}");
    }
    match message.strip_prefix("invalid ") {
        Some("f32" | "f64" | "floating point value") => "expected a number".to_owned(),
        Some(kind) if is_integer(kind) => "expected a whole number".to_owned(),
        _ => message.to_owned(),
    }
}

fn is_integer(kind: &str) -> bool {
    kind.strip_prefix(['i', 'u']).is_some_and(|bits| bits == "size" || bits.parse::<u8>().is_ok())
}

/// A message may quote the file, and a terminal should not obey what is in it.
pub fn readable(message: &str) -> String {
    message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MESSAGE_LENGTH).collect()
}

/// Line and column of a text.
pub fn place<T>(text: &Spanned<T>) -> (u64, u64) {
    (text.referenced.line(), text.referenced.column())
}

/// Line and column of a character inside of a text, as far as the text stands on one line as it is; else where the text begins.
pub fn place_in(file: &str, text: &Text, at: usize) -> (u64, u64) {
    let (line, column) = place(text);
    let begin = usize::try_from(line).ok().and_then(|line| file.lines().nth(line.checked_sub(1)?));
    let rest: Vec<char> =
        begin.map(|whole| whole.chars().skip(column.saturating_sub(1) as usize).collect()).unwrap_or_default();
    let offset = offset_of(&rest, &text.value, at).unwrap_or(0);
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
    use std::collections::BTreeMap;

    fn refusal<T: for<'a> Deserialize<'a> + std::fmt::Debug>(text: &str) -> (u64, u64, String) {
        let Refusal { line, column, problem } = read::<T>(text, 1_000).unwrap_err();
        (line, column, problem)
    }

    #[test]
    fn a_wrong_type_is_said_with_its_place_and_without_its_value() {
        type Numbers = BTreeMap<String, u8>;
        type Texts = BTreeMap<String, String>;
        assert_eq!(refusal::<Numbers>("a: 1\nb: hunter2\n"), (2, 4, "expected a whole number".to_owned()));
        let (line, column, problem) = refusal::<Texts>("a: x\nb: [hunter2]\n");
        assert_eq!((line, column), (2, 4));
        assert!(problem.contains("expected") && !problem.contains("hunter2"), "{problem}");
        assert_eq!(expectation("invalid type: string \"a, expected b\", expected a map"), "expected a map");
    }

    #[test]
    fn bombs_repeated_keys_and_further_documents_are_refused() {
        type Lists = BTreeMap<String, Vec<u32>>;
        let repeated: Vec<_> = (0..50).map(|n| format!("b{n}: *a")).collect();
        let bomb = format!("a: &a [{}]\n{}\n", "1, ".repeat(200), repeated.join("\n"));
        assert!(refusal::<Lists>(&bomb).2.contains("too complex"));
        let (line, _, problem) = refusal::<Lists>("a: []\na: []\n");
        assert!(line == 2 && problem.contains("duplicate"), "{problem}");
        assert!(refusal::<Lists>("a: []\n---\na: []\n").2.to_lowercase().contains("document"));
        assert!(refusal::<Lists>(&"[".repeat(100_000)).2.len() < 600);
    }

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
