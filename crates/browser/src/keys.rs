//! The keys of a US keyboard, as real key presses need them.

use crate::error::BrowserError;

/// What a key press tells the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    /// `KeyboardEvent.key`.
    pub(crate) name: String,
    pub(crate) code: String,
    pub(crate) number: u32,
    /// What it types, if anything.
    pub(crate) text: Option<String>,
}

/// Bits of `modifiers` in input events.
pub(crate) const ALT: u32 = 1;
pub(crate) const CONTROL: u32 = 2;
pub(crate) const META: u32 = 4;
pub(crate) const SHIFT: u32 = 8;

const NAMED: [(&str, u32); 31] = [
    ("Backspace", 8),
    ("Tab", 9),
    ("Enter", 13),
    ("Escape", 27),
    ("PageUp", 33),
    ("PageDown", 34),
    ("End", 35),
    ("Home", 36),
    ("ArrowLeft", 37),
    ("ArrowUp", 38),
    ("ArrowRight", 39),
    ("ArrowDown", 40),
    ("Insert", 45),
    ("Delete", 46),
    ("ContextMenu", 93),
    ("CapsLock", 20),
    ("NumLock", 144),
    ("ScrollLock", 145),
    ("Pause", 19),
    ("F1", 112),
    ("F2", 113),
    ("F3", 114),
    ("F4", 115),
    ("F5", 116),
    ("F6", 117),
    ("F7", 118),
    ("F8", 119),
    ("F9", 120),
    ("F10", 121),
    ("F11", 122),
    ("F12", 123),
];

/// Unshifted and shifted character, code, number.
const PUNCTUATION: [(char, char, &str, u32); 22] = [
    ('`', '~', "Backquote", 192),
    ('-', '_', "Minus", 189),
    ('=', '+', "Equal", 187),
    ('[', '{', "BracketLeft", 219),
    (']', '}', "BracketRight", 221),
    ('\\', '|', "Backslash", 220),
    (';', ':', "Semicolon", 186),
    ('\'', '"', "Quote", 222),
    (',', '<', "Comma", 188),
    ('.', '>', "Period", 190),
    ('/', '?', "Slash", 191),
    (' ', ' ', "Space", 32),
    ('1', '!', "Digit1", 49),
    ('2', '@', "Digit2", 50),
    ('3', '#', "Digit3", 51),
    ('4', '$', "Digit4", 52),
    ('5', '%', "Digit5", 53),
    ('6', '^', "Digit6", 54),
    ('7', '&', "Digit7", 55),
    ('8', '*', "Digit8", 56),
    ('9', '(', "Digit9", 57),
    ('0', ')', "Digit0", 48),
];

/// The key that types a character, and whether shift is held for it.
pub(crate) fn key_of_character(character: char) -> Option<(Key, bool)> {
    let typed = |code: String, number: u32| Key {
        name: character.to_string(),
        code,
        number,
        text: Some(character.to_string()),
    };
    if character.is_ascii_alphabetic() {
        let upper = character.to_ascii_uppercase();
        return Some((typed(format!("Key{upper}"), u32::from(upper)), character.is_ascii_uppercase()));
    }
    if matches!(character, '\n' | '\r') {
        return named("Enter").map(|key| (key, false));
    }
    let (plain, shifted, code, number) = PUNCTUATION.iter().find(|row| row.0 == character || row.1 == character)?;
    Some((typed((*code).to_owned(), *number), character == *shifted && plain != shifted))
}

fn named(name: &str) -> Option<Key> {
    let (_, number) = NAMED.iter().find(|(known, _)| *known == name)?;
    let text = match name {
        "Enter" => Some("\r".to_owned()),
        _ => None,
    };
    Some(Key { name: name.to_owned(), code: name.to_owned(), number: *number, text })
}

fn modifier(name: &str) -> Option<(u32, Key)> {
    let (bit, code, number) = match name {
        "Alt" => (ALT, "AltLeft", 18),
        "Control" | "ControlOrMeta" => (CONTROL, "ControlLeft", 17),
        "Meta" => (META, "MetaLeft", 91),
        "Shift" => (SHIFT, "ShiftLeft", 16),
        _ => return None,
    };
    let name = if name == "ControlOrMeta" { "Control" } else { name };
    Some((bit, Key { name: name.to_owned(), code: code.to_owned(), number, text: None }))
}

/// A key with the modifiers held for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chord {
    pub(crate) held: Vec<(u32, Key)>,
    pub(crate) key: Key,
}

impl Chord {
    /// Reads `Enter`, `a`, `Shift+Tab`, `Control+Shift+K`, `+`.
    pub(crate) fn parse(text: &str) -> Result<Self, BrowserError> {
        let unknown = || BrowserError::UnknownKey { key: text.to_owned() };
        let (held, last) = match text.strip_suffix('+') {
            Some("") => (Vec::new(), "+"),
            Some(rest) => (rest.strip_suffix('+').ok_or_else(unknown)?.split('+').collect(), "+"),
            None => {
                let mut parts: Vec<&str> = text.split('+').collect();
                let last = parts.pop().ok_or_else(unknown)?;
                (parts, last)
            }
        };
        let held: Option<Vec<_>> = held.into_iter().map(modifier).collect();
        let mut held = held.ok_or_else(unknown)?;
        let (mut key, needs_shift) = single(last).ok_or_else(unknown)?;
        let shift_held = held.iter().any(|(bit, _)| *bit == SHIFT);
        match (held.is_empty(), shift_held) {
            (true, _) if needs_shift => held.extend(modifier("Shift")),
            (false, true) if !needs_shift && types_one_character(&key) => key = shifted(&key),
            // In a chord a letter names its key, however it is written.
            (false, false) if types_one_character(&key) => key.name.make_ascii_lowercase(),
            _ => {}
        }
        let types_nothing = held.iter().any(|(bit, _)| *bit != SHIFT);
        if types_nothing {
            key.text = None;
        }
        Ok(Self { held, key })
    }

    pub(crate) fn modifiers(&self) -> u32 {
        self.held.iter().fold(0, |bits, (bit, _)| bits | bit)
    }
}

/// Whether a keyboard has this key or chord, written as for [`Page::press`](crate::Page::press).
pub fn is_key(text: &str) -> bool {
    Chord::parse(text).is_ok()
}

fn single(name: &str) -> Option<(Key, bool)> {
    if let Some(key) = named(name) {
        return Some((key, false));
    }
    if let Some((_, key)) = modifier(name) {
        return Some((key, false));
    }
    if name == "Space" {
        return key_of_character(' ');
    }
    let mut characters = name.chars();
    let first = characters.next()?;
    characters.next().is_none().then(|| key_of_character(first)).flatten()
}

fn types_one_character(key: &Key) -> bool {
    key.text.as_deref().is_some_and(|text| text.len() == 1 && text != "\r")
}

fn shifted(key: &Key) -> Key {
    let plain = key.name.chars().next().unwrap_or_default();
    let upper = PUNCTUATION.iter().find(|row| row.0 == plain).map_or(plain.to_ascii_uppercase(), |row| row.1);
    Key { name: upper.to_string(), text: Some(upper.to_string()), ..key.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chords_are_read() {
        let chord = Chord::parse("Control+Shift+k").unwrap();
        assert_eq!(chord.modifiers(), CONTROL | SHIFT);
        assert_eq!((chord.key.name.as_str(), chord.key.code.as_str(), chord.key.text), ("K", "KeyK", None));
        assert_eq!(Chord::parse("+").unwrap().key.code, "Equal");
        assert_eq!(Chord::parse("Control++").unwrap().modifiers(), CONTROL);
        let select_all = Chord::parse("Control+A").unwrap();
        assert_eq!((select_all.modifiers(), select_all.key.name.as_str()), (CONTROL, "a"));
        let capital = Chord::parse("Shift+A").unwrap().key;
        assert_eq!((capital.name.as_str(), capital.text.as_deref()), ("A", Some("A")));
        assert_eq!(Chord::parse("Shift+Tab").unwrap().key.number, 9);
        assert_eq!(Chord::parse("Enter").unwrap().key.text.as_deref(), Some("\r"));
    }

    #[test]
    fn a_capital_holds_shift() {
        let chord = Chord::parse("A").unwrap();
        assert_eq!((chord.modifiers(), chord.key.text.as_deref()), (SHIFT, Some("A")));
        assert_eq!(key_of_character('?').unwrap().0.code, "Slash");
        assert_eq!(key_of_character('é'), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["", "Nope", "Hyper+a", "Control+", "ab", "é"] {
            assert_eq!(Chord::parse(text), Err(BrowserError::UnknownKey { key: text.to_owned() }), "{text:?}");
        }
    }
}
