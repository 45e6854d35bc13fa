//! Style sheets: strings of `content`, colours, selectors and properties.

use super::InFile;
use regex::Regex;
use std::sync::LazyLock;

static COMMENT: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"/\*(?s:.)*?\*/|(?m)(?:^|[\s;{}])//[^\n]*").expect("the pattern is fixed"));
static STRING: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r#""([^"\n]*)"|'([^'\n]*)'"#).expect("the pattern is fixed"));
static NAME: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"[A-Za-z_@-][\w-]*").expect("the pattern is fixed"));

/// Reads a sheet that begins at `at` of the file.
pub fn read(file: &mut InFile<'_>, text: &str, at: usize) {
    let code = COMMENT.replace_all(text, |found: &regex::Captures<'_>| " ".repeat(found[0].len()));
    for found in STRING.captures_iter(&code) {
        if let Some(value) = found.get(1).or_else(|| found.get(2)) {
            file.copy(value.as_str(), at + value.start());
        }
    }
    file.colours(&code, at);
    if file.wants_structure() {
        for found in NAME.find_iter(&code) {
            file.names([found.as_str()], at + found.start());
        }
        file.code(&code, at);
    }
}
