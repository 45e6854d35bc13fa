//! Firebase rules that let everybody write.

use super::{Candidate, Scope};
use regex::Regex;
use std::sync::LazyLock;

const RULE: &str = "firebase_test_mode";

static ALLOW: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\ballow\s+([a-z,\s]+?)\s*(?::\s*if\s+([^;]*))?;").expect("the pattern is fixed"));
static OPEN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)^\s*\(?\s*(true|request\.time\s*<\s*timestamp\.date\([^)]*\))\s*\)?\s*$")
        .expect("the pattern is fixed")
});
static DATABASE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#""\.write"\s*:\s*(?:true|"true"|"\s*now\s*<\s*\d+\s*")"#).expect("the pattern is fixed")
});

/// Rules of Firestore and of storage.
pub fn rules(text: &str) -> Vec<Candidate> {
    let code = without_comments(text);
    ALLOW
        .captures_iter(&code)
        .filter(|allow| {
            let methods = allow.get(1).map_or("", |methods| methods.as_str()).to_ascii_lowercase();
            let writes = ["write", "create", "update", "delete"].iter().any(|method| methods.contains(method));
            writes && allow.get(2).is_none_or(|condition| OPEN.is_match(condition.as_str()))
        })
        .filter_map(|allow| allow.get(0))
        .map(|allow| Candidate::new(RULE, allow.start(), Scope::Anywhere))
        .collect()
}

/// Rules of the realtime database.
pub fn database(text: &str) -> Vec<Candidate> {
    if !text.contains("\"rules\"") {
        return Vec::new();
    }
    let code = without_comments(text);
    DATABASE.find_iter(&code).map(|found| Candidate::new(RULE, found.start(), Scope::Anywhere)).collect()
}

/// Comments become spaces, so that bytes keep their places. `//` within an address is no comment.
fn without_comments(text: &str) -> String {
    static COMMENT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)(?:^|[^:])//[^\n]*|/\*(?s:.)*?\*/").expect("the pattern is fixed"));
    COMMENT.replace_all(text, |found: &regex::Captures<'_>| " ".repeat(found[0].len())).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_writing_is_found_and_reading_is_not() {
        assert_eq!(rules("match /a { allow read, write: if true; }").len(), 1);
        assert_eq!(rules("allow write: if request.time < timestamp.date(2030, 1, 1);").len(), 1);
        assert_eq!(rules("allow read, write;").len(), 1);
        assert!(
            rules("allow read: if true; // allow write: if true;\nallow write: if request.auth != null;").is_empty()
        );
    }

    #[test]
    fn the_realtime_database_says_true_with_or_without_quotes() {
        assert_eq!(database(r#"{"rules": {".write": true}}"#).len(), 1);
        assert_eq!(database(r#"{"rules": {".write": "true"}}"#).len(), 1);
        assert!(database(r#"{"rules": {".read": true, ".write": "auth != null"}}"#).is_empty());
        assert!(database(r#"{".write": true}"#).is_empty());
    }
}
