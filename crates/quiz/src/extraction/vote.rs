//! Tier 4: a vote of all letters that are mentioned. Late mentions weigh more, and the lead must be clear.

use super::reading::Reading;
use super::slot::Slot;
use super::tokens::Kind;
use super::vocabulary::Word;
use super::{Finding, Rule, canon};
use crate::question::Letter;

/// The weight of a mention grows by so much from the beginning to the end of the text, beginning with 1.
const GROWTH: u64 = 2;
/// The winner needs as much as this many mentions at the very beginning,
const MIN_WEIGHT: u64 = 2;
/// and this many times the weight of the second, as a fraction.
const MIN_LEAD: (u64, u64) = (3, 2);

/// What this tier asks for, in words.
pub(super) fn needs() -> String {
    let (times, of) = MIN_LEAD;
    format!(
        "A mention weighs 1 at the beginning of the text and {} at its end, twice as much where it is marked; the winner needs \
         {MIN_WEIGHT} in all and {} times the second.",
        1 + GROWTH,
        times as f64 / of as f64
    )
}

/// The letter that wins the vote.
#[inline(never)]
pub(super) fn vote(reading: &Reading) -> Option<Finding> {
    // Weights are counted in parts of the text's length, so that no fraction is ever rounded.
    let whole = reading.text().len().max(1) as u64;
    let mut weights = [0_u64; 4];
    let mut last = [(0, 0); 4];
    for (number, line) in reading.tokens.lines.iter().enumerate() {
        if reading.options.has_line(number) {
            continue;
        }
        for index in line.first..line.end {
            let Kind::Capital(letter) = reading.tokens.kind(index) else { continue };
            let Some(mention) = mention(reading, index, letter, line.end) else { continue };
            let weight = whole + GROWTH * reading.tokens.start(index) as u64;
            weights[letter.index()] += if mention == Mention::Marked { 2 * weight } else { weight };
            last[letter.index()] = (reading.tokens.start(index), reading.tokens.end(index));
        }
    }
    let best = Letter::ALL.into_iter().max_by_key(|letter| weights[letter.index()])?;
    let second = Letter::ALL.iter().filter(|letter| **letter != best).map(|letter| weights[letter.index()]).max()?;
    let weight = weights[best.index()];
    let (start, end) = last[best.index()];
    let clear = weight >= MIN_WEIGHT * whole && weight * MIN_LEAD.1 >= second * MIN_LEAD.0;
    clear.then_some(Finding { letter: best, rule: Rule::LetterVote, start, end })
}

/// How a letter is mentioned.
#[derive(PartialEq, Eq)]
enum Mention {
    Plain,
    /// In brackets, or called an option. Counts double.
    Marked,
}

/// Whether a letter means a choice here: not the article, a name, one of several in a row, one that is denied, asked or supposed, or the label of a
/// choice's text.
fn mention(reading: &Reading, index: usize, letter: Letter, line_end: usize) -> Option<Mention> {
    let Slot::Letter(filled) = reading.slot(index) else { return None };
    let tokens = &reading.tokens;
    let before = tokens.kind_before(index);
    let is_joined = tokens.touches_previous(index)
        && matches!(before, Kind::Mark(b'-' | b'_' | b'^' | b'\\' | b'+' | b'=' | b'/') | Kind::Symbol);
    let is_named = matches!(before, Kind::Word(Word::Named));
    let is_calculated = matches!(tokens.kind(filled.after), Kind::Mark(b'=' | b'+' | b'^' | b'<' | b'>'))
        || tokens.kind(index + 1) == Kind::Mark(b'(') && tokens.touches_next(index);
    let rest = reading.rest_of_line(index, line_end);
    let is_text = reading.choices.is_choice_text(letter, rest)
        || (filled.after < line_end
            && canon::begins_with(reading.rest_of_line(filled.after, line_end), reading.choices.text(letter)));
    let is_article = letter == Letter::A && is_article(reading, index);
    let is_denied =
        reading.is_denied_before(index, true) || reading.is_denied_after(filled) || reading.is_denied_subject(filled);
    let is_open = reading.is_second_of_several(index) || reading.is_supposed(index, filled.after);
    if is_joined || is_named || is_calculated || is_text || is_article || is_denied || is_open {
        return None;
    }
    let bracketed = matches!(before, Kind::Mark(b'(' | b'[')) && filled.after > index + 1;
    let labelled = matches!(before, Kind::Word(Word::Option | Word::Answer));
    Some(if bracketed || labelled { Mention::Marked } else { Mention::Plain })
}

/// In running text more verbs than "is" tell that A is a letter.
fn is_article(reading: &Reading, index: usize) -> bool {
    let verb =
        matches!(reading.tokens.kind(index + 1), Kind::Word(Word::Not | Word::Adverb | Word::So | Word::Therefore));
    !verb && reading.is_article(index, None)
}
