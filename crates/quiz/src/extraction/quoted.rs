//! Tier 3: the text of one choice, restated distinctly more than the others.

use super::canon::{Piece, hash_of, pieces};
use super::reading::Reading;
use super::{Finding, Rule};
use crate::question::Letter;

/// A choice that is not quoted in full must have so many distinctive words,
const MIN_WORDS: usize = 4;
/// of which so many hundredths occur,
const MIN_COVERAGE: usize = 80;
/// so many hundredths more than of any other choice.
const MIN_LEAD: usize = 25;

/// What this tier asks for, in words.
pub(super) fn needs() -> String {
    format!(
        "A choice that is not quoted in full needs {MIN_WORDS} distinctive words of which {MIN_COVERAGE} % occur, \
         {MIN_LEAD} points more than of any other."
    )
}

/// Words that deny the sentence they are in. Those that end in "n't" do as well.
const DENIALS: [u64; 20] = in_order([
    "not",
    "cannot",
    "neither",
    "nor",
    "never",
    "except",
    "wrong",
    "incorrect",
    "false",
    "eliminate",
    "eliminates",
    "eliminated",
    "eliminating",
    "exclude",
    "excludes",
    "excluded",
    "excluding",
    "instead",
    "rather",
    "unlikely",
]);
/// Words that deny with an "out" after them.
const RULE: [u64; 4] = [hash_of("rule"), hash_of("rules"), hash_of("ruled"), hash_of("ruling")];
const OUT: u64 = hash_of("out");

const fn in_order<const N: usize>(words: [&str; N]) -> [u64; N] {
    let mut hashes = [0; N];
    let mut filled = 0;
    while filled < N {
        let hash = hash_of(words[filled]);
        let mut at = filled;
        while at > 0 && hashes[at - 1] > hash {
            hashes[at] = hashes[at - 1];
            at -= 1;
        }
        hashes[at] = hash;
        filled += 1;
    }
    hashes
}

/// Which last bytes the hashes of those words have: most words are told by this alone.
const LAST_BYTES: [u64; 4] = last_bytes();

const fn last_bytes() -> [u64; 4] {
    let mut bits = [0; 4];
    let mut at = 0;
    while at < DENIALS.len() {
        bits[(DENIALS[at] >> 6 & 3) as usize] |= 1 << (DENIALS[at] & 63);
        at += 1;
    }
    bits
}

fn is_denial(hash: u64) -> bool {
    LAST_BYTES[(hash >> 6 & 3) as usize] >> (hash & 63) & 1 == 1 && DENIALS.binary_search(&hash).is_ok()
}

/// Tells which pieces of a text deny something, one piece after the other.
#[derive(Default)]
struct Denials {
    before: u64,
}

impl Denials {
    fn denies(&mut self, text: &str, piece: Piece) -> bool {
        let before = std::mem::replace(&mut self.before, piece.hash);
        let is_contracted = matches!(&text.as_bytes()[piece.start..piece.end], [.., b'n' | b'N', b'\'', b't' | b'T']);
        let rules_out = piece.hash == OUT && !piece.begins_sentence && RULE.contains(&before);
        is_denial(piece.hash) || is_contracted || rules_out
    }
}

/// A choice as it is looked for.
struct Choice {
    hashes: Vec<u64>,
    /// What it denies itself.
    denials: u32,
}

impl Choice {
    fn of(text: &str) -> Self {
        let (mut denials, mut choice) = (Denials::default(), Self { hashes: Vec::new(), denials: 0 });
        for piece in pieces(text) {
            choice.denials += u32::from(denials.denies(text, piece));
            choice.hashes.push(piece.hash);
        }
        choice
    }
}

/// The choice that the output quotes.
#[inline(never)]
pub(super) fn quoted(reading: &Reading) -> Option<Finding> {
    let choices = reading.choices.texts.each_ref().map(|text| Choice::of(text));
    let said = Said::of(reading);
    let quotes = said.quotes(&choices);
    if quotes.iter().any(|quotes| quotes.count > 0) { in_full(&quotes) } else { said.in_part(&choices) }
}

/// How often a choice is quoted.
#[derive(Debug, Clone, Copy, Default)]
struct Quotes {
    count: u64,
    /// Those in the last half count double.
    weight: u64,
    /// Where the last one is.
    start: usize,
    end: usize,
}

/// The best must lead by a whole quote, late ones counted double or not.
fn in_full(quotes: &[Quotes; 4]) -> Option<Finding> {
    let best = Letter::ALL.into_iter().max_by_key(|letter| quotes[letter.index()].weight)?;
    let Quotes { count, weight, start, end } = quotes[best.index()];
    let mut others = Letter::ALL.iter().filter(|letter| **letter != best).map(|letter| quotes[letter.index()]);
    let leads = others.all(|other| count > other.count && weight > other.weight);
    leads.then_some(Finding { letter: best, rule: Rule::QuotedChoice, start, end })
}

/// One piece of the output.
#[derive(Clone, Copy)]
struct Word {
    hash: u64,
    start: u32,
    end: u32,
    sentence: u32,
}

/// The output, without its lists of options.
struct Said {
    words: Vec<Word>,
    /// For each sentence, how many words of those before it deny something; one more at the end.
    denials: Vec<u32>,
}

impl Said {
    fn of(reading: &Reading) -> Self {
        let mut said = Self { words: Vec::with_capacity(reading.text().len() / 5), denials: vec![0] };
        let (mut denials, mut count) = (Denials::default(), 0);
        for (number, line) in reading.tokens.lines.iter().enumerate() {
            let (start, line_end) = (reading.tokens.start(line.first), reading.tokens.end(line.end - 1));
            if reading.options.has_line(number) {
                said.words.push(Word { hash: 0, start: 0, end: 0, sentence: said.denials.len() as u32 - 1 });
                continue;
            }
            let text = &reading.text()[start..line_end];
            for piece in pieces(text) {
                if piece.begins_sentence {
                    said.denials.push(count);
                }
                count += u32::from(denials.denies(text, piece));
                said.words.push(Word {
                    hash: piece.hash,
                    start: (start + piece.start) as u32,
                    end: (start + piece.end) as u32,
                    sentence: said.denials.len() as u32 - 1,
                });
            }
        }
        said.denials.push(count);
        said
    }

    /// How many words deny something in the sentences from one word to another.
    fn denials_around(&self, first: usize, last: usize) -> u32 {
        let after = self.words[last].sentence as usize + 1;
        self.denials[after] - self.denials[self.words[first].sentence as usize]
    }

    /// The quotes of each choice: longer choices first, and what one of them takes is no quote of a shorter one. A choice without words
    /// or with the text of another is never quoted; neither is one in a sentence that denies it.
    fn quotes(&self, choices: &[Choice; 4]) -> [Quotes; 4] {
        let mut quotes = [Quotes::default(); 4];
        let mut taken = vec![false; self.words.len()];
        let longest = choices.iter().map(|choice| choice.hashes.len()).max().unwrap_or_default();
        for length in (1..=longest).rev() {
            let mut found = Vec::new();
            for (index, choice) in choices.iter().enumerate().filter(|(_, choice)| choice.hashes.len() == length) {
                let is_repeated = choices.iter().filter(|other| other.hashes == choice.hashes).count() > 1;
                for first in occurrences(&self.words, &choice.hashes) {
                    let last = first + length - 1;
                    if taken[first] || taken[last] {
                        continue;
                    }
                    found.push(first);
                    if !is_repeated && self.denials_around(first, last) <= choice.denials {
                        quotes[index].add(self.words[first], self.words[last], first * 2 >= self.words.len());
                    }
                }
            }
            for first in found {
                taken[first..first + length].fill(true);
            }
        }
        quotes
    }

    /// The choice most of whose distinctive words occur: those that not all choices share.
    fn in_part(&self, choices: &[Choice; 4]) -> Option<Finding> {
        let distinctive = choices.each_ref().map(|choice| {
            let mut words: Vec<u64> = choice
                .hashes
                .iter()
                .copied()
                .filter(|word| !choices.iter().all(|other| other.hashes.contains(word)))
                .collect();
            words.sort_unstable();
            words.dedup();
            words
        });
        if distinctive.iter().all(|words| words.len() < MIN_WORDS) {
            return None;
        }
        let mut seen = distinctive.each_ref().map(|words| vec![None; words.len()]);
        let filter = distinctive.iter().flatten().fold(0_u64, |bits, hash| bits | 1 << (hash & 63));
        for word in &self.words {
            let denied = self.denials[word.sentence as usize + 1] > self.denials[word.sentence as usize];
            if denied || filter >> (word.hash & 63) & 1 == 0 {
                continue;
            }
            for (words, seen) in distinctive.iter().zip(&mut seen) {
                if let Ok(at) = words.binary_search(&word.hash) {
                    seen[at] = Some(*word);
                }
            }
        }
        let coverage = seen.each_ref().map(|seen| 100 * seen.iter().flatten().count() / seen.len().max(1));
        let best = Letter::ALL
            .into_iter()
            .filter(|letter| distinctive[letter.index()].len() >= MIN_WORDS)
            .max_by_key(|letter| coverage[letter.index()])?;
        let second =
            Letter::ALL.iter().filter(|letter| **letter != best).map(|letter| coverage[letter.index()]).max()?;
        let places = || seen[best.index()].iter().flatten();
        let (start, end) = (places().map(|word| word.start).min()?, places().map(|word| word.end).max()?);
        let enough = coverage[best.index()] >= MIN_COVERAGE && coverage[best.index()] >= second + MIN_LEAD;
        enough.then_some(Finding { letter: best, rule: Rule::QuotedWords, start: start as usize, end: end as usize })
    }
}

impl Quotes {
    fn add(&mut self, first: Word, last: Word, is_late: bool) {
        self.count += 1;
        self.weight += if is_late { 2 } else { 1 };
        (self.start, self.end) = (first.start as usize, last.end as usize);
    }
}

/// Where a pattern occurs, one occurrence after the other without overlap: Knuth, Morris and Pratt's search.
fn occurrences(words: &[Word], pattern: &[u64]) -> Vec<usize> {
    let mut fallback = vec![0; pattern.len()];
    let mut matched = 0;
    for at in 1..pattern.len() {
        while matched > 0 && pattern[at] != pattern[matched] {
            matched = fallback[matched - 1];
        }
        matched += usize::from(pattern[at] == pattern[matched]);
        fallback[at] = matched;
    }
    let mut found = Vec::new();
    matched = 0;
    for (at, word) in words.iter().enumerate() {
        while matched > 0 && word.hash != pattern[matched] {
            matched = fallback[matched - 1];
        }
        matched += usize::from(word.hash == pattern[matched]);
        if matched == pattern.len() {
            found.push(at + 1 - matched);
            matched = 0;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn occurrences_are_those_a_plain_search_finds(text in prop::collection::vec(1..4_u64, 0..60), pattern in prop::collection::vec(1..4_u64, 1..6)) {
            let words: Vec<Word> = text.iter().map(|hash| Word { hash: *hash, start: 0, end: 0, sentence: 0 }).collect();
            let mut plain = Vec::new();
            let mut at = 0;
            while at + pattern.len() <= text.len() {
                let is_here = text[at..at + pattern.len()] == pattern[..];
                if is_here {
                    plain.push(at);
                }
                at += if is_here { pattern.len() } else { 1 };
            }
            prop_assert_eq!(occurrences(&words, &pattern), plain);
        }
    }
}
