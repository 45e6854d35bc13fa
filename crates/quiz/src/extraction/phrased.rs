//! Tier 2: the answer in a sentence that commits to it. "The answer is C", "I choose C", "therefore C", "C is correct".

use super::reading::Reading;
use super::slot::{Filled, Slot};
use super::tokens::Kind;
use super::vocabulary::Word;
use super::{Finding, Flag, Flags, Rule, abroad};
use crate::question::Letter;

/// Words that may stand between "the answer" and "is": "to the question".
const MOST_BETWEEN: usize = 8;
/// Words that may stand between "is" and the letter: "most likely the option".
const MOST_FILLERS: usize = 5;

/// The last commitment, unless the model went on with a new exam item after the first.
#[inline(never)]
pub(super) fn phrased(reading: &Reading, flags: &mut Flags) -> Option<Finding> {
    let mut search = Search { reading, flags, found: Vec::new() };
    (0..reading.tokens.len()).for_each(|index| search.look_at(index));
    let first = search.found.first()?;
    if let Some(end) = reading.other_item_after(first.end) {
        search.flags.insert(Flag::RanOn);
        search.found.retain(|finding| finding.start < end);
    }
    let last = *search.found.last()?;
    if search.found.iter().any(|finding| finding.letter != last.letter) {
        search.flags.insert(Flag::ChangedMind);
    }
    Some(last)
}

/// The first commitment, if it begins before a token.
pub(super) fn first_before(reading: &Reading, token: usize) -> Option<Finding> {
    let mut search = Search { reading, flags: &mut Flags::default(), found: Vec::new() };
    (0..token).find_map(|index| {
        search.look_at(index);
        search.found.first().copied()
    })
}

struct Search<'a, 'r> {
    reading: &'a Reading<'r>,
    flags: &'a mut Flags,
    found: Vec<Finding>,
}

impl Search<'_, '_> {
    fn look_at(&mut self, index: usize) {
        match self.reading.tokens.kind(index) {
            Kind::Word(Word::Answer | Word::Ans) => self.answer_is(index),
            Kind::Word(Word::Option) if self.is_chosen(index) => self.answer_is(index),
            Kind::Word(Word::Choose | Word::Go | Word::Think) => self.i_choose(index),
            Kind::Word(Word::Therefore | Word::So) => self.therefore(index),
            Kind::Capital(letter) => self.is_correct(index, letter),
            Kind::Ideographs => self.abroad(index, abroad::east(self.reading, index)),
            Kind::Word(
                Word::Spanish | Word::French | Word::German | Word::Italian | Word::Portuguese | Word::Russian,
            ) => {
                self.abroad(index, abroad::west(self.reading, index));
            }
            _ => {}
        }
    }

    fn kind(&self, index: usize) -> Kind {
        self.reading.tokens.kind(index)
    }

    fn is_word(&self, index: usize, word: Word) -> bool {
        self.kind(index) == Kind::Word(word)
    }

    /// "the correct option", "my choice"
    fn is_chosen(&self, noun: usize) -> bool {
        matches!(self.reading.tokens.kind_before(noun), Kind::Word(Word::Correct | Word::Best | Word::My))
    }

    /// "The answer is C", "the correct answer to the question must be: C", "my final choice: C", "the answer choice is C"
    fn answer_is(&mut self, noun: usize) {
        let names_choice = self.is_word(noun, Word::Answer) && self.is_word(noun + 1, Word::Option);
        let name = if names_choice { noun + 1 } else { noun };
        let mut at = name + 1;
        while matches!(self.kind(at), Kind::Mark(b'*' | b'_' | b'"' | b'`')) && at < name + 4 {
            at += 1;
        }
        if self.is_word(at, Word::Of) {
            let is_verb = |index: &usize| matches!(self.kind(*index), Kind::Word(Word::Is | Word::Modal));
            let reach = at..at + MOST_BETWEEN;
            match reach.take_while(|index| !self.reading.ends_clause(*index)).find(is_verb) {
                Some(verb) => at = verb,
                None => return,
            }
        }
        let is_short = self.is_word(noun, Word::Ans) && self.kind(at) == Kind::Mark(b'.');
        let Some(after) = self.copula(at).or_else(|| (self.reading.is_separator(at) || is_short).then_some(at + 1))
        else {
            return;
        };
        let after = if self.kind(after) == Kind::Mark(b':') { after + 1 } else { after };
        self.commit(Rule::AnswerIs, noun, self.skip_fillers(self.reading.after_cue(after)));
    }

    /// "is", "would be", "must be"; the token after it.
    fn copula(&self, at: usize) -> Option<usize> {
        match self.kind(at) {
            Kind::Word(Word::Is) => Some(at + 1),
            Kind::Word(Word::Modal) if self.is_word(at + 1, Word::Be) => Some(at + 2),
            _ => None,
        }
    }

    fn skip_fillers(&self, from: usize) -> usize {
        let is_filler = |index: &usize| {
            let filler = matches!(
                self.kind(*index),
                Kind::Word(
                    Word::Adverb | Word::The | Word::That | Word::Therefore | Word::Correct | Word::Best | Word::Answer
                )
            );
            filler || self.kind(*index) == Kind::Mark(b',') && *index > from
        };
        (from..).take(MOST_FILLERS).take_while(is_filler).count() + from
    }

    /// "I choose C", "I would go with option C", "I think it is C"
    fn i_choose(&mut self, verb: usize) {
        let before = verb.saturating_sub(4)..verb;
        let clause = before.rev().take_while(|index| !self.reading.ends_clause(*index));
        let Some(subject) = clause.into_iter().find(|index| self.is_word(*index, Word::I)) else { return };
        let at = match self.kind(verb) {
            Kind::Word(Word::Go) if self.is_word(verb + 1, Word::With) || self.is_word(verb + 1, Word::Of) => verb + 2,
            Kind::Word(Word::Go) => return,
            Kind::Word(Word::Think) => {
                let at = if self.is_word(verb + 1, Word::That) { verb + 2 } else { verb + 1 };
                match self.it_is(at) {
                    Some(after) => after,
                    None => return,
                }
            }
            _ => verb + 1,
        };
        let at = self.it_is(at).unwrap_or(at);
        let at = if self.kind(at) == Kind::Mark(b':') { at + 1 } else { at };
        self.commit(Rule::IChoose, subject, self.skip_fillers(at));
    }

    /// "it is", "it's", "it must be"; the token after it.
    fn it_is(&self, at: usize) -> Option<usize> {
        match self.kind(at) {
            Kind::Word(Word::ItIs) => Some(at + 1),
            Kind::Word(Word::It) => self.copula(at + 1),
            _ => None,
        }
    }

    /// "Therefore, C.", "so it is C", "thus (C) is correct"
    fn therefore(&mut self, cue: usize) {
        let starts_clause = matches!(
            self.reading.tokens.kind_before(cue),
            Kind::Mark(_) | Kind::NewLine | Kind::Dash | Kind::Word(Word::And)
        );
        if !starts_clause {
            return;
        }
        let at = if matches!(self.kind(cue + 1), Kind::Mark(b',' | b':')) { cue + 2 } else { cue + 1 };
        if let Some(after) = self.it_is(at) {
            return self.commit(Rule::Therefore, cue, self.skip_fillers(after));
        }
        let Slot::Letter(filled) = self.reading.slot(at) else { return };
        let says_why = matches!(self.kind(filled.after), Kind::Word(Word::Because));
        if self.reading.ends_clause(filled.after) || says_why {
            self.commit(Rule::Therefore, cue, at);
        }
    }

    /// "Option C is correct", "C is the right answer", "(C) must be the best choice", "C is correct."
    fn is_correct(&mut self, index: usize, letter: Letter) {
        let Slot::Letter(filled) = self.reading.slot(index) else { return };
        let Some(mut at) = self.copula(filled.after) else { return };
        while self.is_word(at, Word::Adverb) && at < filled.after + 6 {
            at += 1;
        }
        let has_article = self.is_word(at, Word::The);
        let at = if has_article { at + 1 } else { at };
        let praised = matches!(self.kind(at), Kind::Word(Word::Correct | Word::Best));
        let named = self.is_word(at + usize::from(praised), Word::Answer)
            || self.is_word(at + usize::from(praised), Word::Option);
        let first = self.first_of_wrapped(index);
        let is_labelled = first
            .checked_sub(1)
            .is_some_and(|before| self.is_word(before, Word::Option) || self.is_word(before, Word::Answer));
        let is_bracketed = first < index;
        let starts_clause = first == 0
            || self.reading.ends_clause(first - 1)
            || matches!(self.kind(first - 1), Kind::Word(Word::So | Word::Therefore));
        let is_flat =
            self.is_word(at, Word::Correct) && self.reading.ends_clause(at + 1) && (starts_clause || is_bracketed);
        if (has_article && named) || (praised && (is_labelled || named)) || is_flat {
            let begin = if is_labelled { first - 1 } else { first };
            self.take(Rule::IsCorrect, begin, Filled { letter, is_capital: true, ..filled });
        }
    }

    /// The first of the marks that open around a letter.
    fn first_of_wrapped(&self, index: usize) -> usize {
        let is_opener = |at: &usize| {
            matches!(self.kind(*at), Kind::Mark(b'(' | b'[' | b'"' | b'\'' | b'`' | b'*' | b'_'))
                && self.reading.tokens.touches_next(*at)
        };
        let marks = (index.saturating_sub(6)..index).rev().take_while(is_opener).count();
        index - marks
    }

    fn abroad(&mut self, cue: usize, found: Option<(Rule, Slot)>) {
        if let Some((rule, Slot::Letter(filled))) = found {
            self.take(rule, cue, filled);
        }
    }

    /// Reads the slot of a commitment.
    fn commit(&mut self, rule: Rule, cue: usize, at: usize) {
        match self.reading.slot(at) {
            Slot::Letter(filled) => self.take(rule, cue, filled),
            Slot::Hedge => self.flags.insert(Flag::Hedged),
            Slot::Denied => self.flags.insert(Flag::Negated),
            Slot::End => self.flags.insert(Flag::Truncated),
            Slot::Placeholder | Slot::Nothing => {}
        }
    }

    /// Takes a letter in, unless it is small and bare, an article, the beginning of a choice's text, denied, asked or supposed.
    fn take(&mut self, rule: Rule, cue: usize, filled: Filled) {
        let reading = self.reading;
        let line_end = reading.line_end(filled.index);
        let is_text = reading.choices.is_choice_text(filled.letter, reading.rest_of_line(filled.index, line_end));
        if !(filled.is_capital || filled.is_wrapped) || is_text || reading.is_article(filled.index, Some(line_end)) {
            return;
        }
        let is_denied_before = |at| reading.is_denied_before(at, rule.is_abroad());
        if is_denied_before(cue) || is_denied_before(filled.index) || reading.is_denied_after(filled) {
            return self.flags.insert(Flag::Negated);
        }
        if reading.is_supposed(cue, filled.after) {
            return;
        }
        if filled.is_look_alike {
            self.flags.insert(Flag::Homoglyph);
        }
        let (start, end) = (reading.tokens.start(cue), reading.tokens.end(filled.after.max(filled.index + 1) - 1));
        self.found.push(Finding { letter: filled.letter, rule, start, end });
    }
}
