//! Just enough JSON to read reports and to write results, so that this crate needs no dependency.

use crate::failure::{Failure, Naming};
use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::path::Path;

const MAX_DEPTH: usize = 128;

#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(BTreeMap<String, Json>),
}

impl Json {
    pub fn read(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file).naming(&format!("read {}", file.display()))?;
        Self::parse(&text).naming(&format!("read {} as JSON", file.display()))
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let mut reader = Reader { text, at: 0 };
        let value = reader.value(0)?;
        reader.skip_blanks();
        if reader.at < text.len() { Err(reader.problem("something after the end")) } else { Ok(value) }
    }

    /// A member of nested objects, by a path such as `scorers.c4.score`.
    pub fn at(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |value, key| match value {
            Self::Object(members) => members.get(key),
            _ => None,
        })
    }

    pub fn number(&self, path: &str) -> Option<f64> {
        match self.at(path) {
            Some(Self::Number(number)) => Some(*number),
            _ => None,
        }
    }

    pub fn text(&self, path: &str) -> Option<&str> {
        match self.at(path) {
            Some(Self::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self, path: &str) -> &[Self] {
        match self.at(path) {
            Some(Self::List(items)) => items,
            _ => &[],
        }
    }

    pub fn object<const N: usize>(members: [(&str, Self); N]) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The value as indented text with a final newline.
    pub fn pretty(&self) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = self.write(&mut text, 0);
        text.push('\n');
        text
    }

    fn write(&self, out: &mut String, depth: usize) -> fmt::Result {
        match self {
            Self::Bool(value) => write!(out, "{value}"),
            Self::Number(value) if value.is_finite() => write!(out, "{value}"),
            Self::Null | Self::Number(_) => out.write_str("null"),
            Self::Text(text) => write_text(out, text),
            Self::List(items) => {
                write_lines(out, depth, ('[', ']'), items.iter(), |out, item| item.write(out, depth + 1))
            }
            Self::Object(members) => write_lines(out, depth, ('{', '}'), members.iter(), |out, (key, value)| {
                write_text(out, key)?;
                out.write_str(": ")?;
                value.write(out, depth + 1)
            }),
        }
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        // Four decimals are more than a stopwatch knows, and keep result files readable.
        Self::Number((value * 10_000.0).round() / 10_000.0)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Self::Number(value as f64)
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

fn write_lines<T>(
    out: &mut String,
    depth: usize,
    (open, close): (char, char),
    items: impl ExactSizeIterator<Item = T>,
    mut each: impl FnMut(&mut String, T) -> fmt::Result,
) -> fmt::Result {
    let count = items.len();
    out.write_char(open)?;
    for (index, item) in items.enumerate() {
        write!(out, "\n{}", "  ".repeat(depth + 1))?;
        each(out, item)?;
        out.write_str(if index + 1 < count { "," } else { "" })?;
    }
    if count > 0 {
        write!(out, "\n{}", "  ".repeat(depth))?;
    }
    out.write_char(close)
}

fn write_text(out: &mut String, text: &str) -> fmt::Result {
    out.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            control if control < ' ' => write!(out, "\\u{:04x}", control as u32)?,
            other => out.write_char(other)?,
        }
    }
    out.write_char('"')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn problem(&self, what: &str) -> String {
        format!("{what} at byte {}", self.at)
    }

    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while self.peek().is_some_and(|byte| byte.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn take(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        if found {
            self.at += expected.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Result<Json, String> {
        if depth > MAX_DEPTH {
            return Err(self.problem("too deep"));
        }
        self.skip_blanks();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Json::Text),
            _ if self.take("null") => Ok(Json::Null),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            _ => self.number(),
        }
    }

    fn number(&mut self) -> Result<Json, String> {
        let length = self.rest().bytes().take_while(|byte| b"+-.eE0123456789".contains(byte)).count();
        let number = self.rest()[..length].parse().map_err(|_| self.problem("no value"))?;
        self.at += length;
        Ok(Json::Number(number))
    }

    fn list(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_blanks();
        if self.take("]") {
            return Ok(Json::List(items));
        }
        loop {
            items.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.take("]") {
                return Ok(Json::List(items));
            }
            if !self.take(",") {
                return Err(self.problem("no comma"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, String> {
        self.at += 1;
        let mut members = BTreeMap::new();
        self.skip_blanks();
        if self.take("}") {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_blanks();
            let key = self.string()?;
            self.skip_blanks();
            if !self.take(":") {
                return Err(self.problem("no colon"));
            }
            members.insert(key, self.value(depth + 1)?);
            self.skip_blanks();
            if self.take("}") {
                return Ok(Json::Object(members));
            }
            if !self.take(",") {
                return Err(self.problem("no comma"));
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.take("\"") {
            return Err(self.problem("no text"));
        }
        let mut text = String::new();
        loop {
            let character = self.rest().chars().next().ok_or_else(|| self.problem("an unfinished text"))?;
            self.at += character.len_utf8();
            match character {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let kind = self.peek().ok_or_else(|| self.problem("an unfinished text"))?;
        self.at += 1;
        match kind {
            b'n' => Ok('\n'),
            b't' => Ok('\t'),
            b'r' => Ok('\r'),
            b'b' => Ok('\u{8}'),
            b'f' => Ok('\u{c}'),
            b'"' | b'\\' | b'/' => Ok(char::from(kind)),
            b'u' => self.code_point(),
            _ => Err(self.problem("an unknown escape")),
        }
    }

    fn code_point(&mut self) -> Result<char, String> {
        let first = self.four_digits()?;
        if (0xd800..0xdc00).contains(&first) && self.take("\\u") {
            let second = self.four_digits()?;
            let joined = 0x10000 + ((first - 0xd800) << 10) + second.wrapping_sub(0xdc00) % 0x400;
            return Ok(char::from_u32(joined).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, String> {
        let digits = self.rest().get(..4).ok_or_else(|| self.problem("an unfinished escape"))?;
        let number = u32::from_str_radix(digits, 16).map_err(|_| self.problem("a bad escape"))?;
        self.at += 4;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_like_value_reads_back_from_its_own_text() {
        let text = r#" {"scorers": {"c4": {"score": 0.97, "reason": null, "items": [1, -2.5e3, true, "a\n\"b\" \u00e9\ud83d\ude00"]}}, "empty": [], "none": {}} "#;
        let value = Json::parse(text).unwrap();
        assert_eq!(value.number("scorers.c4.score"), Some(0.97));
        assert_eq!(value.list("scorers.c4.items")[3], Json::Text("a\n\"b\" é😀".to_owned()));
        assert_eq!(Json::parse(&value.pretty()).unwrap(), value);
    }

    #[test]
    fn broken_text_is_refused_and_never_panics() {
        for text in ["", "{", "[1,", "{\"a\"}", "\"\\u12", "\"\\ud800\\u", "nul", "1 2", "[}", "\"é\\", "-", "[1 2]"] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }

    #[test]
    fn stopwatch_numbers_are_rounded_and_infinities_are_null() {
        assert_eq!(Json::from(1.234_567_8).pretty(), "1.2346\n");
        assert_eq!(Json::Number(f64::INFINITY).pretty(), "null\n");
    }
}
