//! Plain text as words, letters, marks and lines. Everything the rules look at, found in one pass.

use super::vocabulary::{Word, look_up, look_up_abroad};
use super::work;
use crate::question::Letter;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of the four letters, standing alone.
    Capital(Letter),
    /// The same, small.
    Small(Letter),
    /// A Cyrillic or Greek letter that looks like one of the four, standing alone.
    LookAlike(Letter),
    Word(Word),
    /// Chinese, Japanese or Korean writing, up to the next other character.
    Ideographs,
    /// An ASCII mark.
    Mark(u8),
    /// A dash longer than a hyphen.
    Dash,
    /// Any other character: symbols, pictures.
    Symbol,
    NewLine,
}

/// A token and where it is in the plain text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub start: u32,
    pub end: u32,
    pub kind: Kind,
}

/// A line that is not blank: its first token, and the one after its last.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    pub first: usize,
    pub end: usize,
}

/// The tokens of a text, in order.
#[derive(Debug)]
pub(super) struct Tokens<'a> {
    pub text: &'a str,
    list: Vec<Token>,
    pub lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Space,
    NewLine,
    WordPart,
    Mark,
    Beyond,
}

static CLASSES: [Class; 256] = classes();

const fn classes() -> [Class; 256] {
    let mut table = [Class::Mark; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'\n' | b'\r' => Class::NewLine,
            0..=b' ' | 0x7f => Class::Space,
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => Class::WordPart,
            0x80.. => Class::Beyond,
            _ => Class::Mark,
        };
        byte += 1;
    }
    table
}

/// What a character beyond ASCII is part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beyond {
    WordPart,
    Ideograph,
    Dash,
    Symbol,
}

/// By ranges of our own: a new version of Unicode must not change a result.
fn beyond(character: char) -> Beyond {
    match u32::from(character) {
        0x2010..=0x2015 => Beyond::Dash,
        0x1100..=0x11ff
        | 0x2e80..=0x2fdf
        | 0x3005..=0x3007
        | 0x3040..=0xa4cf
        | 0xac00..=0xd7ff
        | 0xf900..=0xfaff
        | 0x20000..=0x3ffff => Beyond::Ideograph,
        0xaa
        | 0xb5
        | 0xba
        | 0xc0..=0xd6
        | 0xd8..=0xf6
        | 0xf8..=0x1fff
        | 0x2c00..=0x2dff
        | 0xa4d0..=0xabff
        | 0xfb00..=0xfdff
        | 0xfe70..=0xfefe => Beyond::WordPart,
        _ => Beyond::Symbol,
    }
}

fn look_alike(text: &str) -> Option<Letter> {
    match text {
        "А" | "а" | "Α" => Some(Letter::A),
        "В" | "Β" => Some(Letter::B),
        "С" | "с" | "Ϲ" => Some(Letter::C),
        _ => None,
    }
}

impl<'a> Tokens<'a> {
    /// Takes a text apart.
    #[inline(never)]
    pub fn of(text: &'a str) -> Self {
        let mut tokens = Self { text, list: Vec::with_capacity(text.len() / 3 + 4), lines: Vec::new() };
        let bytes = text.as_bytes();
        let (mut at, mut line_first) = (0, 0);
        while at < bytes.len() {
            let start = at;
            let kind = match CLASSES[usize::from(bytes[at])] {
                Class::Space => {
                    at += 1;
                    continue;
                }
                Class::NewLine => {
                    at += 1;
                    tokens.end_line(line_first);
                    line_first = tokens.list.len() + 1;
                    Kind::NewLine
                }
                Class::Mark => {
                    at += 1;
                    Kind::Mark(bytes[start])
                }
                Class::WordPart => {
                    at = word_end(text, at);
                    word_kind(text, start, at)
                }
                Class::Beyond => {
                    let (end, kind) = beyond_ascii(text, at);
                    at = end;
                    kind
                }
            };
            tokens.list.push(Token { start: start as u32, end: at as u32, kind });
        }
        tokens.end_line(line_first);
        tokens
    }

    fn end_line(&mut self, first: usize) {
        if first < self.list.len() {
            self.lines.push(Line { first, end: self.list.len() });
        }
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// The kind of a token; beyond the end there are only new lines.
    pub fn kind(&self, index: usize) -> Kind {
        work::step();
        self.list.get(index).map_or(Kind::NewLine, |token| token.kind)
    }

    /// The kind of the token before.
    pub fn kind_before(&self, index: usize) -> Kind {
        index.checked_sub(1).map_or(Kind::NewLine, |before| self.kind(before))
    }

    /// Where a token begins; beyond the end that is the end of the text.
    pub fn start(&self, index: usize) -> usize {
        self.list.get(index).map_or(self.text.len(), |token| token.start as usize)
    }

    /// The first token that begins at a place or after it.
    pub fn first_from(&self, place: usize) -> usize {
        self.list.partition_point(|token| (token.start as usize) < place)
    }

    /// Where a token ends.
    pub fn end(&self, index: usize) -> usize {
        self.list.get(index).map_or(self.text.len(), |token| token.end as usize)
    }

    pub fn str(&self, index: usize) -> &'a str {
        &self.text[self.start(index)..self.end(index)]
    }

    /// Whether nothing stands between a token and the next one.
    pub fn touches_next(&self, index: usize) -> bool {
        index + 1 < self.list.len() && self.end(index) == self.start(index + 1)
    }

    /// Whether nothing stands between a token and the one before.
    pub fn touches_previous(&self, index: usize) -> bool {
        index > 0 && self.touches_next(index - 1)
    }

    /// Whether a sentence ends with this token: a stop that is not inside a number or a name, or the end of a line.
    pub fn ends_sentence(&self, index: usize) -> bool {
        match self.kind(index) {
            Kind::NewLine | Kind::Mark(b'!' | b'?') => true,
            Kind::Mark(b'.') => {
                !(self.touches_next(index)
                    && matches!(self.kind(index + 1), Kind::Word(_) | Kind::Capital(_) | Kind::Small(_)))
            }
            _ => false,
        }
    }
}

fn word_end(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    while at < bytes.len() {
        work::step();
        match CLASSES[usize::from(bytes[at])] {
            Class::WordPart => at += 1,
            Class::Mark
                if bytes[at] == b'\'' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic) && at > start =>
            {
                at += 1;
            }
            Class::Beyond => match text[at..].chars().next() {
                Some(character) if beyond(character) == Beyond::WordPart => at += character.len_utf8(),
                _ => break,
            },
            _ => break,
        }
    }
    at
}

fn word_kind(text: &str, start: usize, end: usize) -> Kind {
    let word = &text[start..end];
    let bytes = word.as_bytes();
    if let [byte] = bytes
        && let Some(letter) = Letter::from_ascii(*byte)
    {
        return if byte.is_ascii_uppercase() { Kind::Capital(letter) } else { Kind::Small(letter) };
    }
    Kind::Word(if word.is_ascii() { look_up(bytes) } else { look_up_abroad(word) })
}

/// The token that begins with a character beyond ASCII.
fn beyond_ascii(text: &str, start: usize) -> (usize, Kind) {
    let Some(first) = text[start..].chars().next() else { return (text.len(), Kind::Symbol) };
    match beyond(first) {
        Beyond::WordPart => {
            let end = word_end(text, start);
            let word = &text[start..end];
            (end, look_alike(word).map_or_else(|| Kind::Word(look_up_abroad(word)), Kind::LookAlike))
        }
        Beyond::Ideograph => {
            let others = text[start..]
                .char_indices()
                .find(|(_, character)| character.is_ascii() || beyond(*character) != Beyond::Ideograph);
            (others.map_or(text.len(), |(length, _)| start + length), Kind::Ideographs)
        }
        Beyond::Dash => (start + first.len_utf8(), Kind::Dash),
        Beyond::Symbol => (start + first.len_utf8(), Kind::Symbol),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Kind::{Capital, Ideographs, LookAlike, Mark, NewLine, Small};

    fn kinds(text: &str) -> Vec<Kind> {
        Tokens::of(text).list.iter().map(|token| token.kind).collect()
    }

    #[test]
    fn letters_count_only_when_they_stand_alone() {
        assert_eq!(kinds("C c"), [Capital(Letter::C), Small(Letter::C)]);
        assert_eq!(kinds("C2 B's Él"), [Kind::Word(Word::Other); 3]);
        assert_eq!(kinds("'B'"), [Mark(b'\''), Capital(Letter::B), Mark(b'\'')]);
        assert_eq!(kinds("答案是B"), [Ideographs, Capital(Letter::B)]);
        assert_eq!(kinds("А Аб"), [LookAlike(Letter::A), Kind::Word(Word::Other)]);
    }

    #[test]
    fn lines_are_those_that_are_not_blank() {
        let tokens = Tokens::of("\nA b\r\n \nC\n");
        let lines: Vec<_> = tokens.lines.iter().map(|line| tokens.str(line.first)).collect();
        assert_eq!(lines, ["A", "C"]);
        assert_eq!(kinds("a\r\nb"), [Small(Letter::A), NewLine, NewLine, Small(Letter::B)]);
    }

    #[test]
    fn a_stop_within_a_number_ends_no_sentence() {
        let tokens = Tokens::of("4.5 x. y");
        assert!(!tokens.ends_sentence(1) && tokens.ends_sentence(4));
        assert!(tokens.ends_sentence(99));
    }
}
