//! Texts as they are compared: without case, punctuation, white space, LaTeX commands and the grouping of digits.

use super::work;

/// One word, number or operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Piece {
    /// What it says, as a number: equal for equal pieces.
    pub hash: u64,
    pub start: usize,
    pub end: usize,
    /// Whether a sentence ended between the piece before and this one.
    pub begins_sentence: bool,
}

/// The pieces of a plain text, in order.
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
    begins_sentence: bool,
    /// Of a longer word only so many bytes are read, and the rest stands for another word.
    longest_word: usize,
}

/// LaTeX commands that only change the look, or join two texts.
const LOOKS: [&str; 22] = [
    "text",
    "mathrm",
    "mathbf",
    "textbf",
    "textit",
    "mathit",
    "mathsf",
    "boxed",
    "fbox",
    "left",
    "right",
    "displaystyle",
    "frac",
    "dfrac",
    "tfrac",
    "quad",
    "qquad",
    "operatorname",
    "underline",
    "overline",
    "bf",
    "rm",
];

/// The pieces of a text.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces { text, at: 0, begins_sentence: true, longest_word: usize::MAX }
}

/// The pieces of a text that is held against another. A word longer than all of that is none of its words, and writing without spaces may be
/// one word to the end of the line, which must not be read again at each letter in it.
fn pieces_against<'a>(text: &'a str, other: &str) -> Pieces<'a> {
    Pieces { longest_word: other.len(), ..pieces(text) }
}

/// Whether two texts say the same, and say anything.
pub(super) fn same(one: &str, other: &str) -> bool {
    let mut others = pieces(other).peekable();
    let ones = pieces_against(one, other);
    others.peek().is_some() && ones.map(|piece| piece.hash).eq(others.map(|piece| piece.hash))
}

/// Whether a text begins with what another says, and that says anything.
pub(super) fn begins_with(text: &str, beginning: &str) -> bool {
    end_of_beginning(text, beginning).is_some()
}

/// Where in a text its beginning ends, if that says what another text does.
pub(super) fn end_of_beginning(text: &str, beginning: &str) -> Option<usize> {
    let mut said = pieces_against(text, beginning);
    let mut end = None;
    for wanted in pieces(beginning) {
        end = Some(said.next().filter(|piece| piece.hash == wanted.hash)?.end);
    }
    end
}

/// Makes one number of the bytes of a piece, eight at a time.
#[derive(Clone, Copy)]
struct Hasher {
    mixed: u64,
    pending: u64,
    count: u32,
}

impl Hasher {
    const fn new() -> Self {
        Self { mixed: 0x9e37_79b9_7f4a_7c15, pending: 0, count: 0 }
    }

    const fn push(&mut self, byte: u8) {
        self.pending = self.pending << 8 | byte as u64;
        self.count += 1;
        if self.count.is_multiple_of(8) {
            self.mix();
        }
    }

    const fn mix(&mut self) {
        let product = (self.mixed ^ self.pending).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.mixed = product ^ product >> 32;
        self.pending = 0;
    }

    const fn finish(mut self) -> u64 {
        self.mix();
        self.mixed ^ self.count as u64
    }
}

/// The hash of a piece that is written in small letters.
pub(super) const fn hash_of(text: &str) -> u64 {
    let mut hasher = Hasher::new();
    let mut at = 0;
    while at < text.len() {
        hasher.push(text.as_bytes()[at]);
        at += 1;
    }
    hasher.finish()
}

impl Iterator for Pieces<'_> {
    type Item = Piece;

    fn next(&mut self) -> Option<Piece> {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            work::step();
            let start = self.at;
            match byte {
                b'0'..=b'9' => return Some(self.number(start, Hasher::new())),
                b'A'..=b'Z' | b'a'..=b'z' | 0x80.. => match self.word(start) {
                    Some(piece) => return Some(piece),
                    None => continue,
                },
                b'\\' => self.skip_command(),
                b'-' if self.is_sign() => {
                    self.at += 1;
                    let mut hasher = Hasher::new();
                    hasher.push(b'-');
                    return Some(self.number(start, hasher));
                }
                b'+' | b'=' | b'<' | b'>' | b'^' | b'%' => return Some(self.operator(*byte)),
                b'-' | b'/' if !self.joins_words() => return Some(self.operator(*byte)),
                b'\n' | b'\r' | b'!' | b'?' | b';' => self.begins_sentence = true,
                b'.' if !bytes.get(start + 1).is_some_and(u8::is_ascii_alphanumeric) => self.begins_sentence = true,
                _ => {}
            }
            if self.at == start {
                self.at += 1;
            }
        }
        None
    }
}

impl Pieces<'_> {
    fn piece(&mut self, start: usize, hasher: Hasher) -> Piece {
        Piece { hash: hasher.finish(), start, end: self.at, begins_sentence: std::mem::take(&mut self.begins_sentence) }
    }

    fn operator(&mut self, byte: u8) -> Piece {
        let start = self.at;
        self.at += 1;
        let mut hasher = Hasher::new();
        hasher.push(byte);
        self.piece(start, hasher)
    }

    /// Digits, with a decimal point inside and without commas between groups of three.
    fn number(&mut self, start: usize, mut hasher: Hasher) -> Piece {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            work::step();
            let next_is_digit = bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit);
            match byte {
                b'0'..=b'9' => hasher.push(*byte),
                b'.' if next_is_digit => hasher.push(b'.'),
                b',' if is_group(&bytes[self.at + 1..]) => {}
                _ => break,
            }
            self.at += 1;
        }
        self.piece(start, hasher)
    }

    /// Letters and what follows them without a break, an apostrophe inside; nothing for a symbol.
    fn word(&mut self, start: usize) -> Option<Piece> {
        let bytes = self.text.as_bytes();
        let mut hasher = Hasher::new();
        while let Some(byte) = bytes.get(self.at).filter(|_| self.at - start <= self.longest_word) {
            work::step();
            match byte {
                b'a'..=b'z' | b'0'..=b'9' => hasher.push(*byte),
                b'A'..=b'Z' => hasher.push(byte.to_ascii_lowercase()),
                b'\'' if bytes.get(self.at + 1).is_some_and(u8::is_ascii_alphabetic) => hasher.push(b'\''),
                0x80.. => {
                    let Some(character) = self.text[self.at..].chars().next() else { break };
                    if is_separator(character) {
                        if self.at == start {
                            self.at += character.len_utf8();
                            return None;
                        }
                        break;
                    }
                    let mut buffer = [0; 4];
                    lower(character).encode_utf8(&mut buffer).bytes().for_each(|byte| hasher.push(byte));
                    self.at += character.len_utf8() - 1;
                }
                _ => break,
            }
            self.at += 1;
        }
        Some(self.piece(start, hasher))
    }

    /// A backslash, and the command after it when that only changes the look.
    fn skip_command(&mut self) {
        self.at += 1;
        let rest = &self.text.as_bytes()[self.at..];
        let length = rest.iter().take(16).position(|byte| !byte.is_ascii_alphabetic()).unwrap_or(rest.len().min(16));
        if LOOKS.iter().any(|look| look.as_bytes() == &rest[..length]) {
            self.at += length;
        }
    }

    /// Whether a hyphen is the sign of a number: a digit after it, and before it nothing it could be taken from.
    fn is_sign(&self) -> bool {
        let is_operand = |byte: u8| byte.is_ascii_digit() || matches!(byte, b')' | b'}' | b']');
        let bytes = self.text.as_bytes();
        let before = bytes[..self.at].last().copied();
        let operand = bytes[..self.at].trim_ascii_end().last().copied().is_some_and(is_operand);
        let touches_word = before.is_some_and(|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
        bytes.get(self.at + 1).is_some_and(u8::is_ascii_digit) && !operand && !touches_word
    }

    /// Whether a hyphen or a stroke stands between two words, or in no calculation at all: a bullet, a rule.
    fn joins_words(&self) -> bool {
        let bytes = self.text.as_bytes();
        let before = self.at.checked_sub(1).map(|at| bytes[at]);
        let after = bytes.get(self.at + 1).copied();
        let is_letter = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphabetic() || byte >= 0x80);
        let is_edge = |byte: Option<u8>| byte.is_none_or(|byte| matches!(byte, b'\n' | b'-' | b'/'));
        (is_letter(before) && is_letter(after)) || is_edge(before) || is_edge(after)
    }
}

fn is_group(bytes: &[u8]) -> bool {
    let digits = bytes.iter().take(4).take_while(|byte| byte.is_ascii_digit()).count();
    digits == 3
}

/// Punctuation and symbols that carry no meaning of their own.
fn is_separator(character: char) -> bool {
    matches!(u32::from(character), 0x80..=0xaf | 0xb4 | 0xb6..=0xb8 | 0xbb | 0xbf | 0x2010..=0x206f | 0x2500..=0x27bf | 0x3000..=0x3004 | 0x3008..=0x3020 | 0xe000..=0xf8ff | 0xfff0..=0xffff | 0x1f000..=0x1faff)
}

/// The small letter of Latin, Greek and Cyrillic capitals; by ranges of our own, as a new version of Unicode must change no result.
fn lower(character: char) -> char {
    let code = u32::from(character);
    let small = match code {
        0xc0..=0xd6 | 0xd8..=0xde | 0x391..=0x3a9 | 0x410..=0x42f => code + 0x20,
        0x400..=0x40f => code + 0x50,
        0x100..=0x137 | 0x14a..=0x177 if code % 2 == 0 => code + 1,
        0x139..=0x148 | 0x179..=0x17e if code % 2 == 1 => code + 1,
        _ => code,
    };
    char::from_u32(small).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<&str> {
        pieces(text).map(|piece| &text[piece.start..piece.end]).collect()
    }

    #[test]
    fn what_says_the_same_is_the_same() {
        for (one, other) in [
            ("Paris", "**paris**."),
            ("1,000,000 m", "1000000 M"),
            ("\\text{Paris} \\boxed{x}", "Paris x"),
            ("$x^2 + 1$", "x^2+1"),
            ("well-known", "well known"),
            ("Él", "él"),
            ("-5", "( -5 )"),
            ("and/or", "and or"),
            ("I and II only", "I  and\nII, only!"),
        ] {
            assert!(same(one, other), "{one} | {other}: {:?} {:?}", texts(one), texts(other));
        }
    }

    #[test]
    fn what_does_not_is_not() {
        for (one, other) in [
            ("4", "14"),
            ("4", "4.5"),
            ("5", "-5"),
            ("x + 1", "x - 1"),
            ("x^2", "x2"),
            ("", ""),
            (".", "!"),
            ("a", ""),
            ("1/2", "12"),
            ("1,00", "100"),
        ] {
            assert!(!same(one, other), "{one} | {other}");
        }
    }

    #[test]
    fn beginnings_are_whole_pieces() {
        assert!(begins_with("Paris, the capital", "paris"));
        assert!(
            !begins_with("Parisian", "Paris") && !begins_with("Paris", "Paris Texas") && !begins_with("Paris", ".")
        );
        assert_eq!(end_of_beginning(") False, True. So", "false true"), Some(13));
    }

    #[test]
    fn of_a_word_that_goes_on_for_long_no_more_is_read_than_the_other_text_has() {
        let endless = "答选A→".repeat(10_000);
        for choice in ["Paris", "答选A", "14", "答选A→答选A→ x"] {
            let mut said = pieces_against(&endless, choice);
            said.next();
            assert!(said.at <= choice.len() + 4, "{choice}: {}", said.at);
            assert!(!same(&endless, choice) && !begins_with(&endless, choice));
        }
        assert!(same("答选A", "答选a") && begins_with("答选A→", "答选a→") && !begins_with("答选A→", "答选A"));
    }

    #[test]
    fn sentences_are_told() {
        let begins: Vec<bool> = pieces("It is 4.5. Or not\nso").map(|piece| piece.begins_sentence).collect();
        assert_eq!(begins, [true, false, false, true, false, true]);
    }
}
