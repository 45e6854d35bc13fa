//! Which lines are new, gone or different.

/// Lines that are compared; beyond that a page is told as a whole.
const MOST_COMPARED: usize = 1_000;
/// Characters by which a line that is gone is recognised.
const LONGEST_GONE: usize = 60;
/// Characters by which the line before a change is recognised.
const LONGEST_BEFORE: usize = 40;

/// The changes from one list of lines to another, in order: `+` new, `-` gone, `~` the same element in other words. A line with `@` says
/// after which line that stayed the changes are.
pub(super) fn of(before: &[String], after: &[String]) -> Vec<String> {
    let start = before.iter().zip(after).take_while(|(one, other)| one == other).count();
    let end =
        before[start..].iter().rev().zip(after[start..].iter().rev()).take_while(|(one, other)| one == other).count();
    let (old, new) = (&before[start..before.len() - end], &after[start..after.len() - end]);
    if old.len() > MOST_COMPARED || new.len() > MOST_COMPARED {
        return after.to_vec();
    }
    let mut told = Vec::new();
    let mut stayed = start.checked_sub(1).map(|place| before[place].as_str());
    for hunk in hunks(old, new) {
        match hunk {
            Hunk::Same(line) => stayed = Some(line),
            Hunk::Other { old, new } => tell(stayed, old, new, &mut told),
        }
    }
    told
}

/// The changes of what is told above the lines: each that is new, and `-` what is gone without another one of its kind in its place.
pub(super) fn of_head(before: &[String], after: &[String]) -> Vec<String> {
    let kind = |line: &String| line.split_once(':').map_or_else(|| line.clone(), |(kind, _)| kind.to_owned());
    let is_told = |line: &&String| after.iter().any(|other| kind(other) == kind(line));
    let gone = before.iter().filter(|line| !is_told(line)).map(|line| format!("- {}", start_of(line, LONGEST_GONE)));
    gone.chain(after.iter().filter(|line| !before.contains(line)).cloned()).collect()
}

enum Hunk<'a> {
    Same(&'a str),
    Other { old: &'a [String], new: &'a [String] },
}

fn tell(stayed: Option<&str>, old: &[String], new: &[String], told: &mut Vec<String>) {
    let is_other_words =
        |line: &&String| reference(line).is_some_and(|name| new.iter().any(|other| reference(other) == Some(name)));
    let in_place = !old.is_empty()
        && new
            .iter()
            .all(|line| reference(line).is_some_and(|name| old.iter().any(|other| reference(other) == Some(name))));
    if let Some(line) = stayed.filter(|_| !in_place) {
        told.push(format!("@ {}", start_of(line.trim_start(), LONGEST_BEFORE)));
    }
    told.extend(
        old.iter()
            .filter(|line| !is_other_words(line))
            .map(|line| format!("- {}", start_of(line.trim_start(), LONGEST_GONE))),
    );
    for line in new {
        let sign = if old.iter().any(|other| reference(other).is_some() && reference(other) == reference(line)) {
            '~'
        } else {
            '+'
        };
        told.push(format!("{sign} {}", line.trim_start()));
    }
}

/// The reference a line begins with, in a row as well.
fn reference(line: &str) -> Option<&str> {
    let word = line.trim_start().trim_start_matches("- ").split(' ').next()?;
    let digits = word.rsplit_once('e')?.1;
    (!digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
}

fn start_of(line: &str, longest: usize) -> String {
    super::words::short(line, longest)
}

/// Splits two lists at the longest sequence of lines they share.
fn hunks<'a>(old: &'a [String], new: &'a [String]) -> Vec<Hunk<'a>> {
    let shared = shared_lengths(old, new);
    let (mut at, mut to) = (0, 0);
    let (mut from_old, mut from_new) = (0, 0);
    let mut hunks = Vec::new();
    while at < old.len() && to < new.len() {
        if old[at] == new[to] {
            if from_old < at || from_new < to {
                hunks.push(Hunk::Other { old: &old[from_old..at], new: &new[from_new..to] });
            }
            hunks.push(Hunk::Same(&old[at]));
            (at, to) = (at + 1, to + 1);
            (from_old, from_new) = (at, to);
        } else if shared[at + 1][to] >= shared[at][to + 1] {
            at += 1;
        } else {
            to += 1;
        }
    }
    if from_old < old.len() || from_new < new.len() {
        hunks.push(Hunk::Other { old: &old[from_old..], new: &new[from_new..] });
    }
    hunks
}

/// How many lines the rests of two lists share at most, for every pair of rests.
fn shared_lengths(old: &[String], new: &[String]) -> Vec<Vec<u16>> {
    let mut lengths = vec![vec![0_u16; new.len() + 1]; old.len() + 1];
    for at in (0..old.len()).rev() {
        for to in (0..new.len()).rev() {
            lengths[at][to] = if old[at] == new[to] {
                lengths[at + 1][to + 1] + 1
            } else {
                lengths[at + 1][to].max(lengths[at][to + 1])
            };
        }
    }
    lengths
}
