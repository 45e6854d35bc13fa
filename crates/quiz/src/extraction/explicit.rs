//! Tier 1: the answer in an explicit form. `ANSWER: C`, `**C**`, `\boxed{C}`, or a letter alone.

use super::reading::Reading;
use super::slot::{Filled, Slot};
use super::tokens::Kind;
use super::vocabulary::Word;
use super::{Finding, Flag, Flags, Rule, canon, phrased};

/// What is opened in bold is closed within so many tokens, or it is not bold.
const MOST_BOLD: usize = 64;
/// So many different letters in bold are a list of options.
const BOLD_LIST: u32 = 3;
/// Ends of lines that may stand between `ANSWER:` and the letter.
const MOST_LINE_ENDS: usize = 4;

/// The answer that tier 1 finds. The last one counts, unless the model went on with a new exam item.
#[inline(never)]
pub(super) fn explicit(reading: &Reading, flags: &mut Flags) -> Option<Finding> {
    let mut search = Search { reading, flags, hits: Vec::new() };
    search.cues();
    search.drop_lists_in_bold();
    search.bare_line(0);
    let end = search.next_item();
    search.bare_line(reading.last_line_before(end.unwrap_or(reading.text().len())));
    search.settle(end)
}

/// A letter that was found, by its token.
#[derive(Debug, Clone, Copy)]
struct Hit {
    index: usize,
    finding: Finding,
}

struct Search<'a, 'r> {
    reading: &'a Reading<'r>,
    flags: &'a mut Flags,
    hits: Vec<Hit>,
}

impl Search<'_, '_> {
    fn cues(&mut self) {
        for index in 0..self.reading.tokens.len() {
            match self.reading.tokens.kind(index) {
                Kind::Word(Word::Answer) => self.answer_line(index),
                Kind::Word(Word::Boxed) => self.boxed(index),
                Kind::Mark(b'*' | b'_') => self.bold(index),
                _ => {}
            }
        }
    }

    /// `ANSWER: C`
    fn answer_line(&mut self, cue: usize) {
        let tokens = &self.reading.tokens;
        let is_closer =
            |at: &usize| matches!(tokens.kind(*at), Kind::Mark(b'*' | b'_' | b'`' | b'"' | b'\'' | b')' | b']' | b'}'));
        let separator = (cue + 1..cue + 6).find(|at| !is_closer(at)).unwrap_or(cue + 1);
        if !self.reading.is_separator(separator) {
            return;
        }
        let due = self.reading.after_cue(separator + 1);
        let line_ends = (due..).take(MOST_LINE_ENDS).take_while(|at| tokens.kind(*at) == Kind::NewLine).count();
        let slot = self.reading.slot(due);
        let slot =
            if matches!(slot, Slot::Nothing) && line_ends > 0 { self.reading.slot(due + line_ends) } else { slot };
        match slot {
            Slot::Letter(filled) if !self.reading.is_denied_before(cue, false) => {
                self.accept(Rule::AnswerLine, cue, filled);
            }
            Slot::Letter(_) | Slot::Denied => self.flags.insert(Flag::Negated),
            Slot::Hedge => self.flags.insert(Flag::Hedged),
            Slot::Placeholder => self.flags.insert(Flag::Placeholder),
            Slot::End => self.flags.insert(Flag::Truncated),
            Slot::Nothing => {}
        }
    }

    /// `\boxed{C}`
    fn boxed(&mut self, cue: usize) {
        let tokens = &self.reading.tokens;
        let is_command = tokens.kind_before(cue) == Kind::Mark(b'\\') && tokens.kind(cue + 1) == Kind::Mark(b'{');
        match self.reading.slot(cue + 1) {
            Slot::Letter(filled) if is_command && (self.closes_box(filled) || self.is_delimited(filled)) => {
                self.accept(Rule::Boxed, cue - 1, filled);
            }
            Slot::Hedge if is_command => self.flags.insert(Flag::Hedged),
            _ => {}
        }
    }

    /// `**C**`, `**C. text**`, `__C__`
    fn bold(&mut self, cue: usize) {
        let tokens = &self.reading.tokens;
        let Kind::Mark(mark) = tokens.kind(cue) else { return };
        let is_pair = |at: usize| {
            tokens.kind(at) == Kind::Mark(mark) && tokens.kind(at + 1) == Kind::Mark(mark) && tokens.touches_next(at)
        };
        let goes_on = tokens.kind_before(cue) == Kind::Mark(mark) && tokens.touches_previous(cue);
        if goes_on || !is_pair(cue) || !tokens.touches_next(cue + 1) {
            return;
        }
        let Slot::Letter(filled) = self.reading.slot(cue + 2) else { return };
        let closed = (filled.index + 1..filled.after).any(is_pair);
        let end = self.reading.line_end(cue).min(filled.after + MOST_BOLD);
        if closed || (self.is_delimited(filled) && (filled.after..end).any(is_pair)) {
            if self.reading.is_denied_before(cue, false) {
                self.flags.insert(Flag::Negated);
            } else if !self.reading.options.has_line(self.reading.line_of(cue)) {
                self.accept(Rule::Bold, cue, filled);
            }
        }
    }

    fn closes_box(&self, filled: Filled) -> bool {
        self.closes(filled, b'}') || self.reading.tokens.kind(filled.after) == Kind::Mark(b'}')
    }

    fn closes(&self, filled: Filled, mark: u8) -> bool {
        (filled.index + 1..filled.after).any(|at| self.reading.tokens.kind(at) == Kind::Mark(mark))
    }

    /// Whether a delimiter follows the letter: `C.`, `C)`, `C:`, `C -`.
    fn is_delimited(&self, filled: Filled) -> bool {
        let next = matches!(self.reading.tokens.kind(filled.after), Kind::Mark(b'.' | b':' | b',' | b'-') | Kind::Dash);
        next || self.closes(filled, b')') || self.closes(filled, b']')
    }

    /// Takes a letter in, unless it is an article, the beginning of a choice's text, denied, or part of a list of options.
    fn accept(&mut self, rule: Rule, cue: usize, filled: Filled) {
        let reading = self.reading;
        let line_end = reading.line_end(filled.index);
        let is_listed = filled.index > cue
            && reading.line_of(cue) != reading.line_of(filled.index)
            && reading.options.has_line(reading.line_of(filled.index));
        let is_text = reading.choices.is_choice_text(filled.letter, reading.rest_of_line(filled.index, line_end));
        if is_listed || is_text || reading.is_article(filled.index, Some(line_end)) {
            return;
        }
        // What stands behind a cue is said of it, and no letter a sentence would be about.
        let is_denied_subject = rule == Rule::Bold && reading.is_denied_subject(filled);
        if is_denied_subject || reading.is_denied_after(filled) {
            return self.flags.insert(Flag::Negated);
        }
        if self.is_delimited(filled) {
            let text = reading.rest_of_line(filled.after, line_end);
            if filled.after < line_end && reading.choices.with_text(text).is_some_and(|letter| letter != filled.letter)
            {
                self.flags.insert(Flag::LetterTextConflict);
            }
        }
        self.hit(rule, cue, filled);
    }

    fn hit(&mut self, rule: Rule, cue: usize, filled: Filled) {
        if filled.is_look_alike {
            self.flags.insert(Flag::Homoglyph);
        }
        let tokens = &self.reading.tokens;
        let (start, end) = (tokens.start(cue), tokens.end(filled.after.max(filled.index + 1) - 1));
        self.hits.push(Hit { index: filled.index, finding: Finding { letter: filled.letter, rule, start, end } });
    }

    /// Three letters or more in bold are a list of options, not three answers.
    fn drop_lists_in_bold(&mut self) {
        let bold = |hit: &&Hit| hit.finding.rule == Rule::Bold;
        let letters = self.hits.iter().filter(bold).fold(0_u32, |seen, hit| seen | 1 << hit.finding.letter.index());
        if letters.count_ones() >= BOLD_LIST {
            self.hits.retain(|hit| hit.finding.rule != Rule::Bold);
        }
    }

    /// Where a new exam item begins after the first answer. Whoever has named one in words may go through the choices before settling on
    /// one, so that only another question ends what is read; whoever has done so in an explicit form is done.
    fn next_item(&self) -> Option<usize> {
        let reading = self.reading;
        let explicit = self.hits.iter().map(|hit| hit.index).min();
        let phrased = phrased::first_before(reading, explicit.unwrap_or(reading.tokens.len()));
        let after_words = phrased.and_then(|phrased| reading.asked_item_after(phrased.end));
        let after_form = explicit.and_then(|index| reading.new_item_after(reading.tokens.end(index)));
        after_words.into_iter().chain(after_form).min()
    }

    /// A line with nothing but a letter, or a letter, a delimiter and that choice's own text.
    fn bare_line(&mut self, number: usize) {
        let reading = self.reading;
        let Some(line) = reading.tokens.lines.get(number).filter(|_| !reading.options.has_line(number)) else { return };
        let is_bullet = matches!(reading.tokens.kind(line.first), Kind::Mark(b'-' | b'#' | b'>'));
        match reading.slot(if is_bullet { line.first + 1 } else { line.first }) {
            Slot::Letter(filled) if self.is_bare(filled, line.end) => self.hit(Rule::Bare, line.first, filled),
            Slot::Hedge => self.flags.insert(Flag::Hedged),
            _ => {}
        }
    }

    fn is_bare(&self, filled: Filled, line_end: usize) -> bool {
        let is_stop = |at: usize| {
            matches!(self.reading.tokens.kind(at), Kind::Mark(b'.' | b',' | b'!' | b':' | b';' | b'*' | b'_'))
        };
        if (filled.after..line_end).all(is_stop) {
            return true;
        }
        let text = self.reading.rest_of_line(filled.after, line_end);
        self.is_delimited(filled) && canon::same(text, self.reading.choices.text(filled.letter))
    }

    fn settle(mut self, end: Option<usize>) -> Option<Finding> {
        if let Some(end) = end {
            self.flags.insert(Flag::RanOn);
            self.hits.retain(|hit| hit.finding.start < end);
        }
        // Where two rules found the same letter, the one that looked first names it.
        let last = self.hits.iter().rev().max_by_key(|hit| hit.index)?.finding;
        if self.hits.iter().any(|hit| hit.finding.letter != last.letter) {
            self.flags.insert(Flag::ChangedMind);
        }
        Some(last)
    }
}
