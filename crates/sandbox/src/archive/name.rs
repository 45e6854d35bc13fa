//! The name of an entry, taken apart and checked part by part.

use std::fmt;

const MAX_NAME_BYTES: usize = 1024;
const MAX_PART_BYTES: usize = 255;
const MAX_DEPTH: usize = 32;

/// What is wrong with a name. Completes "the entry `…` …".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It begins at the root of a disk.
    Absolute,
    /// It climbs out of the folder.
    Climbs,
    /// It has more letters or levels than any real file.
    TooLong,
    /// It holds a character no file name has.
    Unprintable,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Absolute => "has an absolute name; an archive of an app holds relative names only",
            Self::Climbs => "climbs out of the folder it is unpacked into",
            Self::TooLong => "has a name that is too long or too deep",
            Self::Unprintable => "has a name with control characters",
        })
    }
}

/// The parts of a name that stays where it is put. Either kind of slash separates, because some systems write the other one.
pub fn checked(name: &str) -> Result<Vec<String>, Refusal> {
    if name.len() > MAX_NAME_BYTES {
        return Err(Refusal::TooLong);
    }
    if name.chars().any(char::is_control) {
        return Err(Refusal::Unprintable);
    }
    let has_drive = name.as_bytes().get(1) == Some(&b':') && name.as_bytes()[0].is_ascii_alphabetic();
    if name.starts_with(['/', '\\']) || has_drive {
        return Err(Refusal::Absolute);
    }
    let parts: Vec<String> =
        name.split(['/', '\\']).filter(|part| !part.is_empty() && *part != ".").map(str::to_owned).collect();
    if parts.iter().any(|part| part == "..") {
        return Err(Refusal::Climbs);
    }
    if parts.len() > MAX_DEPTH || parts.iter().any(|part| part.len() > MAX_PART_BYTES) {
        return Err(Refusal::TooLong);
    }
    Ok(parts)
}

/// A name fit for a message.
pub fn shown(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '�' } else { c }).take(120).collect()
}
