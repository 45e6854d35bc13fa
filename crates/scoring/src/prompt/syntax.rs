//! The tokens that locators, assertions and custom checks are written in: a small, safe part of JavaScript. It is read, never run.

use std::str::Chars;

/// The longest locator, assertion or check, in characters.
pub const MAX_CHARS: usize = 2_000;

/// What is wrong with an expression, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The character it is about, counted from 0.
    pub at: usize,
    /// What is wrong and what was expected.
    pub problem: String,
}

impl SyntaxError {
    pub(crate) fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into() }
    }
}

/// One token.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Token {
    /// A name: `getByRole`, `true`.
    Name(String),
    /// A string, escapes resolved.
    Text(String),
    /// A regular expression between slashes.
    Regex { pattern: String, flags: String },
    /// A number.
    Number(f64),
    /// Any other character.
    Sign(char),
    /// Nothing is left.
    End,
}

impl Token {
    /// How a message names it.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Regex { .. } => "a regular expression".to_owned(),
            Self::Number(number) => format!("the number {number}"),
            Self::Sign(sign) => format!("`{sign}`"),
            Self::End => "the end".to_owned(),
        }
    }
}

/// Reads one token after the other, looking one ahead.
pub(crate) struct Cursor<'a> {
    left: Chars<'a>,
    /// Characters read so far.
    read: usize,
    next: Token,
    /// Where the next token begins.
    next_at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a str) -> Result<Self, SyntaxError> {
        if text.chars().nth(MAX_CHARS).is_some() {
            return Err(SyntaxError::new(0, format!("this is longer than {MAX_CHARS} characters; shorten it")));
        }
        let mut cursor = Self { left: text.chars(), read: 0, next: Token::End, next_at: 0 };
        cursor.take()?;
        Ok(cursor)
    }

    /// The token to come.
    pub(crate) fn peek(&self) -> &Token {
        &self.next
    }

    /// Where the token to come begins.
    pub(crate) fn at(&self) -> usize {
        self.next_at
    }

    /// The token to come, which is then behind.
    pub(crate) fn take(&mut self) -> Result<Token, SyntaxError> {
        while self.left.clone().next().is_some_and(char::is_whitespace) {
            self.step();
        }
        self.next_at = self.read;
        let next = self.token()?;
        Ok(std::mem::replace(&mut self.next, next))
    }

    /// Whether the token to come is this sign; if so it is behind then.
    pub(crate) fn takes(&mut self, sign: char) -> Result<bool, SyntaxError> {
        let found = self.next == Token::Sign(sign);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    /// The sign must come.
    pub(crate) fn expect(&mut self, sign: char, wanted: &str) -> Result<(), SyntaxError> {
        if self.takes(sign)? { Ok(()) } else { Err(self.unexpected(wanted)) }
    }

    /// Nothing may come.
    pub(crate) fn expect_end(&mut self) -> Result<(), SyntaxError> {
        if self.next == Token::End { Ok(()) } else { Err(self.unexpected("the end")) }
    }

    /// The token to come is not what was expected.
    pub(crate) fn unexpected(&self, wanted: &str) -> SyntaxError {
        SyntaxError::new(self.next_at, format!("expected {wanted}, found {}", self.next.words()))
    }

    fn step(&mut self) -> Option<char> {
        let character = self.left.next()?;
        self.read += 1;
        Some(character)
    }

    fn token(&mut self) -> Result<Token, SyntaxError> {
        let Some(first) = self.left.clone().next() else { return Ok(Token::End) };
        if first.is_alphabetic() || first == '_' || first == '$' {
            return Ok(Token::Name(self.while_in(|c| c.is_alphanumeric() || c == '_' || c == '$')));
        }
        if first.is_ascii_digit() || first == '-' {
            return self.number();
        }
        self.step();
        match first {
            '\'' | '"' | '`' => self.string(first),
            '/' => self.regex(),
            sign => Ok(Token::Sign(sign)),
        }
    }

    fn while_in(&mut self, belongs: impl Fn(char) -> bool) -> String {
        let mut text = String::new();
        while let Some(character) = self.left.clone().next().filter(|character| belongs(*character)) {
            text.push(character);
            self.step();
        }
        text
    }

    fn number(&mut self) -> Result<Token, SyntaxError> {
        let begin = self.read;
        let text = self.while_in(|c| c.is_ascii_alphanumeric() || c == '.' || c == '-' || c == '_');
        let digits = text.strip_prefix('-').unwrap_or(&text);
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match text.parse::<f64>() {
            Ok(number) if plain && number.is_finite() => Ok(Token::Number(number)),
            _ => Err(SyntaxError::new(begin, format!("`{text}` is no number; write digits, such as 3 or 12.5"))),
        }
    }

    fn string(&mut self, quote: char) -> Result<Token, SyntaxError> {
        let begin = self.read - 1;
        let open = || SyntaxError::new(begin, format!("this string does not end; close it with {quote}"));
        let mut units = Vec::new();
        let mut text = String::new();
        loop {
            let at = self.read;
            let character = self.step().ok_or_else(open)?;
            if character == '\\' {
                match self.escape(open)? {
                    Escaped::Unit(unit) => units.push(unit),
                    Escaped::Text(character) => {
                        flush(&mut units, &mut text, at)?;
                        text.extend(character);
                    }
                }
                continue;
            }
            flush(&mut units, &mut text, at)?;
            match character {
                end if end == quote => return Ok(Token::Text(text)),
                '\n' | '\r' if quote != '`' => return Err(open()),
                '$' if quote == '`' && self.left.clone().next() == Some('{') => {
                    return Err(SyntaxError::new(at, "`${…}` cannot be used: nothing in a prompt is computed"));
                }
                other => text.push(other),
            }
        }
    }

    fn escape(&mut self, open: impl Fn() -> SyntaxError) -> Result<Escaped, SyntaxError> {
        let at = self.read - 1;
        let character = match self.step().ok_or_else(&open)? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'v' => '\u{b}',
            '0' => '\0',
            'x' => return self.hex(2, at).map(Escaped::Unit),
            'u' if self.left.clone().next() == Some('{') => {
                self.step();
                let digits = self.while_in(|c| c.is_ascii_hexdigit());
                let ended = self.step() == Some('}');
                let character = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32).filter(|_| ended);
                character.ok_or_else(|| bad_escape(at))?
            }
            'u' => return self.hex(4, at).map(Escaped::Unit),
            '\n' => return Ok(Escaped::Text(None)),
            other => other,
        };
        Ok(Escaped::Text(Some(character)))
    }

    fn hex(&mut self, length: usize, at: usize) -> Result<u16, SyntaxError> {
        let digits: String = self.left.clone().take(length).collect();
        let whole = digits.len() == length && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let unit = u16::from_str_radix(&digits, 16).ok().filter(|_| whole).ok_or_else(|| bad_escape(at))?;
        for _ in 0..length {
            self.step();
        }
        Ok(unit)
    }

    fn regex(&mut self) -> Result<Token, SyntaxError> {
        let begin = self.read - 1;
        let open = || SyntaxError::new(begin, "this regular expression does not end; close it with /");
        let mut pattern = String::new();
        let mut in_class = false;
        loop {
            match self.step().filter(|character| *character != '\n').ok_or_else(open)? {
                '/' if !in_class => break,
                '\\' => {
                    pattern.push('\\');
                    pattern.push(self.step().ok_or_else(open)?);
                }
                character => {
                    in_class = (in_class || character == '[') && character != ']';
                    pattern.push(character);
                }
            }
        }
        let flags_at = self.read;
        let flags = self.while_in(|c| c.is_alphanumeric() || c == '_' || c == '$');
        check_flags(&flags).map_err(|problem| SyntaxError::new(flags_at, problem))?;
        check_pattern(&pattern, &flags).map_err(|problem| SyntaxError::new(begin, problem))?;
        Ok(Token::Regex { pattern, flags })
    }
}

enum Escaped {
    /// A UTF-16 unit, of which two may make one character.
    Unit(u16),
    /// A character, or none for a line that goes on.
    Text(Option<char>),
}

fn bad_escape(at: usize) -> SyntaxError {
    SyntaxError::new(at, "this escape is not complete; write \\x41, \\u0041 or \\u{1F600}")
}

fn flush(units: &mut Vec<u16>, text: &mut String, at: usize) -> Result<(), SyntaxError> {
    if units.is_empty() {
        return Ok(());
    }
    let made =
        String::from_utf16(units).map_err(|_| SyntaxError::new(at, "the escape before this is half a character"))?;
    text.push_str(&made);
    units.clear();
    Ok(())
}

fn check_flags(flags: &str) -> Result<(), String> {
    for (position, flag) in flags.char_indices() {
        if !"dgimsuvy".contains(flag) {
            return Err(format!("`{flag}` is no flag of a regular expression; known are d, g, i, m, s, u, v and y"));
        }
        if flags[..position].contains(flag) {
            return Err(format!("the flag `{flag}` stands twice; once is enough"));
        }
    }
    if flags.contains('u') && flags.contains('v') {
        Err("the flags `u` and `v` exclude each other".to_owned())
    } else {
        Ok(())
    }
}

/// Whether a regular expression is one.
pub(crate) fn check_pattern(pattern: &str, flags: &str) -> Result<(), String> {
    if pattern.is_empty() {
        return Err("this regular expression is empty; say what to look for".to_owned());
    }
    match regress::Regex::with_flags(pattern, flags) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("this regular expression cannot be read: {error}")),
    }
}
