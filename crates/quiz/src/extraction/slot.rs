//! The place where an answer is due: what stands there, and whether it is a choice.

use super::reading::Reading;
use super::tokens::Kind;
use super::vocabulary::Word;
use super::{abroad, canon};
use crate::question::Letter;

/// What stands in a place where an answer is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    Letter(Filled),
    /// Several letters, and no choice between them.
    Hedge,
    /// A letter that is denied.
    Denied,
    /// `X`, `<letter>`, `none of the above`.
    Placeholder,
    /// The text ends here.
    End,
    /// Something else.
    Nothing,
}

/// A letter in its slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Filled {
    pub letter: Letter,
    /// The token of the letter.
    pub index: usize,
    /// The first token after it and the marks that close around it.
    pub after: usize,
    /// Whether marks stand around it: brackets, quotes, stars.
    pub is_wrapped: bool,
    pub is_capital: bool,
    pub is_look_alike: bool,
}

/// How many marks may stand before a letter. `\boxed{\text{(**A**)}}` has thirteen.
const MOST_MARKS: usize = 16;
/// Brackets that may close around a cue behind its colon: `(\textbf{Answer:})`.
const MOST_AROUND_CUE: usize = 2;
/// How many tokens of a sentence are looked at, before and after. This keeps the time linear whatever the text.
const REACH: usize = 24;

impl Reading<'_> {
    /// What stands at a token where an answer is due, as far as the slot alone can tell.
    pub fn slot(&self, from: usize) -> Slot {
        let at = self.skip_openers(from);
        match self.tokens.kind(at) {
            Kind::Capital(letter) => self.filled(from, at, letter, true, false),
            Kind::Small(letter) => self.filled(from, at, letter, false, false),
            Kind::LookAlike(letter) => self.filled(from, at, letter, true, true),
            Kind::Word(_) if at > from && self.tokens.kind(at - 1) == Kind::Mark(b'<') => Slot::Placeholder,
            Kind::Word(Word::Option) => self.slot_after_label(from, at),
            Kind::Word(Word::Both) if self.is_letter(self.skip_openers(at + 1)) => Slot::Hedge,
            Kind::Word(Word::Not) if self.is_letter(self.skip_openers(at + 1)) => Slot::Denied,
            Kind::Word(Word::Single | Word::NoneOrAll) => Slot::Placeholder,
            Kind::Word(Word::I) if self.tokens.str(at).len() == 1 && self.tokens.ends_sentence(at + 1) => {
                Slot::Placeholder
            }
            Kind::NewLine if at >= self.tokens.len() => Slot::End,
            _ => Slot::Nothing,
        }
    }

    /// `option C`, `choice: (C)`.
    fn slot_after_label(&self, from: usize, label: usize) -> Slot {
        let at = if self.tokens.kind(label + 1) == Kind::Mark(b':') { label + 2 } else { label + 1 };
        let at = self.skip_openers(at);
        match self.tokens.kind(at) {
            Kind::Capital(letter) => self.filled(from, at, letter, true, false),
            Kind::Small(letter) if at > label + 1 => self.filled(from, at, letter, false, false),
            Kind::Word(Word::Single) => Slot::Placeholder,
            _ => Slot::Nothing,
        }
    }

    fn filled(&self, from: usize, index: usize, letter: Letter, is_capital: bool, is_look_alike: bool) -> Slot {
        let closers = (index + 1..index + MOST_MARKS).take_while(|at| self.is_closer(*at)).count();
        let after = index + 1 + closers;
        let opened = (from..index).any(|at| matches!(self.tokens.kind(at), Kind::Mark(byte) if byte != b':'));
        let filled = Filled { letter, index, after, is_wrapped: opened || closers > 0, is_capital, is_look_alike };
        if !self.is_bounded(filled) {
            return Slot::Nothing;
        }
        if self.is_hedged(filled) { Slot::Hedge } else { Slot::Letter(filled) }
    }

    /// Where an answer is due that a token would begin: behind a separator, brackets that close around the cue come first, as in
    /// `[Answer:] C`.
    pub fn after_cue(&self, from: usize) -> usize {
        let closes = |at: &usize| matches!(self.tokens.kind(*at), Kind::Mark(b')' | b']' | b'}'));
        let is_behind_separator = from.checked_sub(1).is_some_and(|before| self.is_separator(before));
        let most = if is_behind_separator { MOST_AROUND_CUE } else { 0 };
        from + (from..from + most).take_while(closes).count()
    }

    /// Marks that may open around a letter, and LaTeX commands that only change its look.
    pub fn skip_openers(&self, from: usize) -> usize {
        let mut at = from;
        while at < from + MOST_MARKS {
            let backslash = at > 0 && self.tokens.kind(at - 1) == Kind::Mark(b'\\') && self.tokens.touches_previous(at);
            match self.tokens.kind(at) {
                Kind::Mark(b'(' | b'[' | b'{' | b'"' | b'\'' | b'`' | b'*' | b'_' | b'$' | b'<' | b'\\') => at += 1,
                Kind::Word(Word::Look | Word::Boxed) if backslash => at += 1,
                _ => break,
            }
        }
        at
    }

    fn is_closer(&self, at: usize) -> bool {
        let closes = matches!(
            self.tokens.kind(at),
            Kind::Mark(b')' | b']' | b'}' | b'"' | b'\'' | b'`' | b'*' | b'_' | b'$' | b'>' | b'\\')
        );
        closes && self.tokens.touches_previous(at)
    }

    /// Whether the letter ends there. In C++, C#, C-section and C_1 it does not.
    fn is_bounded(&self, filled: Filled) -> bool {
        if !self.tokens.touches_next(filled.index) {
            return true;
        }
        match self.tokens.kind(filled.index + 1) {
            Kind::Mark(b'+' | b'#' | b'-' | b'^') => false,
            // A quotation mark only where one was opened.
            Kind::Mark(b'\'') => self.tokens.kind_before(filled.index) == Kind::Mark(b'\''),
            Kind::Mark(b'_') => !(self.tokens.touches_next(filled.index + 1) && self.is_wordlike(filled.index + 2)),
            _ => true,
        }
    }

    /// Whether a letter is named together with the one before it: the B of "A or B".
    pub fn is_second_of_several(&self, index: usize) -> bool {
        let is_mark =
            |at: &usize| matches!(self.tokens.kind(*at), Kind::Mark(b'(' | b')' | b'[' | b']' | b'*' | b'"' | b'\''));
        let is_connector = |at: &usize| {
            matches!(
                self.tokens.kind(*at),
                Kind::Word(Word::Or | Word::And | Word::Option) | Kind::Mark(b'/' | b',' | b'&')
            )
        };
        let before = (index.saturating_sub(8)..index).rev().skip_while(|at| is_mark(at));
        let mut others = before.clone().skip_while(|at| is_connector(at) || is_mark(at));
        before.into_iter().next().is_some_and(|at| is_connector(&at))
            && others.next().is_some_and(|at| matches!(self.tokens.kind(at), Kind::Capital(_)))
    }

    /// "A or B", "A/B", "A, B", "A and/or B".
    fn is_hedged(&self, filled: Filled) -> bool {
        let mut at = filled.after;
        let mut connected = false;
        for _ in 0..4 {
            match self.tokens.kind(at) {
                Kind::Word(Word::Or | Word::And) | Kind::Mark(b'/' | b',' | b'&') => connected = true,
                Kind::Mark(b'(') => {}
                _ => break,
            }
            at += 1;
        }
        if !connected {
            return false;
        }
        let at = self.skip_openers(at);
        let at = if self.tokens.kind(at) == Kind::Word(Word::Option) { self.skip_openers(at + 1) } else { at };
        match self.tokens.kind(at) {
            Kind::Capital(letter) => letter != filled.letter && !self.is_article(at, None),
            Kind::Small(letter) => letter != filled.letter && (!filled.is_capital || self.is_closer(at + 1)),
            _ => false,
        }
    }

    fn is_letter(&self, at: usize) -> bool {
        matches!(self.tokens.kind(at), Kind::Capital(_) | Kind::Small(_))
            || self.tokens.kind(at) == Kind::Word(Word::Option) && matches!(self.tokens.kind(at + 1), Kind::Capital(_))
    }

    /// Whether an A that nothing closes around is the article: a word follows that is neither a verb nor a reason nor the choice's own text, and
    /// that sets no other letter aside.
    pub fn is_article(&self, index: usize, line_end: Option<usize>) -> bool {
        let is_a = matches!(self.tokens.kind(index), Kind::Capital(Letter::A) | Kind::Small(Letter::A));
        if !is_a || self.tokens.touches_next(index) || !self.is_wordlike(index + 1) {
            return false;
        }
        let is_own_text = || {
            line_end
                .is_some_and(|end| canon::begins_with(self.rest_of_line(index + 1, end), self.choices.text(Letter::A)))
        };
        let goes_on = match self.tokens.kind(index + 1) {
            Kind::Word(Word::Because | Word::Is | Word::Modal | Word::Or | Word::And | Word::But) => true,
            Kind::Word(Word::Answer) => self.is_separator(index + 2),
            Kind::Word(Word::SetAside) => self.sets_aside(index + 1),
            Kind::Word(_) => self.is_preferred(index + 1),
            _ => false,
        };
        !goes_on && !is_own_text()
    }

    /// "A over B", "A not B"
    fn is_preferred(&self, word: usize) -> bool {
        let is_over = self.tokens.str(word).eq_ignore_ascii_case("over");
        (is_over || self.tokens.kind(word) == Kind::Word(Word::Not)) && self.is_letter(self.skip_openers(word + 1))
    }

    /// A colon, an equals sign or a dash.
    pub fn is_separator(&self, at: usize) -> bool {
        matches!(self.tokens.kind(at), Kind::Mark(b':' | b'=' | b'-') | Kind::Dash)
    }

    /// Whether a clause ends with this token.
    pub fn ends_clause(&self, at: usize) -> bool {
        self.tokens.ends_sentence(at) || matches!(self.tokens.kind(at), Kind::Mark(b',' | b';' | b':') | Kind::Dash)
    }

    /// Whether what begins at a token is denied by a word before it in the same clause. `is_abroad`: in what may be another language.
    pub fn is_denied_before(&self, at: usize, is_abroad: bool) -> bool {
        for index in (at.saturating_sub(REACH)..at).rev() {
            if self.ends_clause(index) {
                return false;
            }
            match self.tokens.kind(index) {
                Kind::Word(Word::So | Word::Therefore | Word::But) => return false,
                Kind::Word(Word::Not | Word::Wrong) if !self.is_about_a_letter(index) => return true,
                Kind::Word(Word::NotAbroad) if !self.is_english(index, is_abroad) => return true,
                Kind::Word(Word::SetAside) if self.sets_aside(index) => return true,
                Kind::Ideographs if abroad::denies(self.tokens.str(index)) => return true,
                _ => {}
            }
        }
        false
    }

    /// The "no" and "non-" of English deny no letter: "There is no doubt that it is B", "in a non-inertial frame". "No es" is Spanish.
    fn is_english(&self, denial: usize, is_abroad: bool) -> bool {
        let is_prefix = self.tokens.kind(denial + 1) == Kind::Mark(b'-') && self.tokens.touches_next(denial);
        let said = self.tokens.str(denial);
        let is_abroad = is_abroad || self.tokens.kind(denial + 1) == Kind::Word(Word::IsAbroad);
        is_prefix || !is_abroad && ["no", "non"].iter().any(|word| said.eq_ignore_ascii_case(word))
    }

    /// "Rather than", "instead of" and "rule out" need their second word.
    fn sets_aside(&self, index: usize) -> bool {
        let is_followed_by = |word: &str| self.tokens.str(index + 1).eq_ignore_ascii_case(word);
        match self.tokens.str(index).as_bytes() {
            [b'r' | b'R', b'a' | b'A', ..] => is_followed_by("than"),
            [b'r' | b'R', ..] => is_followed_by("out"),
            [b'i' | b'I', ..] => is_followed_by("of"),
            _ => true,
        }
    }

    /// "B is not": the denial belongs to that letter and to nothing after it.
    fn is_about_a_letter(&self, denial: usize) -> bool {
        let is = denial.checked_sub(1).is_some_and(|before| self.tokens.kind(before) == Kind::Word(Word::Is));
        is && denial >= 2 && matches!(self.tokens.kind(denial - 2), Kind::Capital(_))
    }

    /// Whether a letter is denied by what follows it and its choice's own text in the same clause: "A is wrong". "C, not B" and "C because it
    /// is not" deny nothing, and nor does the text of any choice.
    pub fn is_denied_after(&self, filled: Filled) -> bool {
        if self.ends_clause(filled.after) || self.is_followed_by_choice(filled) {
            return false;
        }
        let after = self.after_own_text(filled);
        let mut ideographs = (after..after + 3).take_while(|index| self.tokens.kind(*index) == Kind::Ideographs);
        if ideographs.any(|index| abroad::denies(self.tokens.str(index))) {
            return true;
        }
        let is_apart = self.is_spoken_of(filled, after);
        for index in after..after + REACH {
            if self.ends_clause(index) {
                return false;
            }
            match self.tokens.kind(index) {
                Kind::Word(
                    Word::Because | Word::But | Word::And | Word::Or | Word::So | Word::Therefore | Word::SetAside,
                )
                | Kind::Capital(_) => {
                    return self.tokens.kind(index) == Kind::Word(Word::SetAside) && self.follows_is(index, after);
                }
                Kind::Word(Word::Not) if self.is_about_another(index, after) => return false,
                Kind::Word(Word::Not) if is_apart => {
                    return self.is_praise(index + 1) || self.ends_clause(index + 1) || self.is_closer(index + 1);
                }
                Kind::Word(Word::Not | Word::Wrong) => return true,
                Kind::Word(Word::Is | Word::Be | Word::Modal | Word::Adverb | Word::The) | Kind::Mark(_) => {}
                _ if is_apart => return false,
                _ => {}
            }
        }
        false
    }

    /// Whether a letter in brackets is what a sentence is about, and its verb is denied, whatever that is: "(B) cannot be correct", "(A) can be
    /// ruled out". A choice's own text is no verb: "(B) It does not float", "(B) Is not closed".
    pub fn is_denied_subject(&self, filled: Filled) -> bool {
        let Filled { index, after, .. } = filled;
        let is_bracketed = matches!(self.tokens.kind_before(index), Kind::Mark(b'(' | b'['))
            && matches!(self.tokens.kind(index + 1), Kind::Mark(b')' | b']'));
        let is_verb = self.tokens.str(after).starts_with(|first: char| first.is_ascii_lowercase());
        if !is_bracketed || !is_verb || self.is_followed_by_choice(filled) || self.after_own_text(filled) != after {
            return false;
        }
        let is_before_denial = |at: &usize| {
            matches!(self.tokens.kind(*at), Kind::Word(Word::Is | Word::Be | Word::Modal | Word::Might | Word::Adverb))
        };
        let denial = after + (after..after + REACH).take_while(is_before_denial).count();
        match self.tokens.kind(denial) {
            Kind::Word(Word::Not) => denial > after || self.is_denied_verb(denial),
            Kind::Word(Word::Wrong) => true,
            Kind::Word(Word::SetAside) => self.follows_is(denial, after) && self.sets_aside(denial),
            _ => false,
        }
    }

    /// "Cannot" and "isn't", but not "not" and "never".
    fn is_denied_verb(&self, denial: usize) -> bool {
        let said = self.tokens.str(denial);
        said == "cannot" || said.ends_with("n't")
    }

    /// Whether the rest of the line is the text of a choice, be it that of the letter or not.
    fn is_followed_by_choice(&self, filled: Filled) -> bool {
        let end = self.line_end(filled.index);
        let from = filled.after + usize::from(self.is_separator(filled.after));
        from < end && self.choices.with_text(self.rest_of_line(from, end)).is_some()
    }

    /// Whether what follows a letter speaks of the choice, as behind a bracket, a dash or the choice's own text: "B (it does not float)", "B) It
    /// does not float". Then only what that begins with can deny the letter, and only by judging it: "B (not correct)", "B) Rome is wrong".
    fn is_spoken_of(&self, filled: Filled, after: usize) -> bool {
        let is_closed =
            (filled.index + 1..filled.after).any(|at| matches!(self.tokens.kind(at), Kind::Mark(b')' | b']')));
        is_closed || after > filled.after || matches!(self.tokens.kind(after), Kind::Mark(b'(' | b'[' | b'{' | b'-'))
    }

    /// "Correct", "best", "the right one"
    fn is_praise(&self, at: usize) -> bool {
        matches!(self.tokens.kind(at), Kind::Word(Word::Correct | Word::Best | Word::The))
    }

    /// The first token that belongs neither to a letter nor to the text of its choice.
    fn after_own_text(&self, filled: Filled) -> usize {
        let start = self.tokens.start(filled.after);
        let own_text = canon::end_of_beginning(&self.tokens.text[start..], self.choices.text(filled.letter));
        own_text.map_or(filled.after, |length| self.tokens.first_from(start + length))
    }

    /// "C not B", "C (not B)": the denial begins what is said of another. In "B (not correct)" it does not.
    fn is_about_another(&self, denial: usize, after: usize) -> bool {
        let is_bracketed =
            denial == after + 1 && matches!(self.tokens.kind(after), Kind::Mark(b'(' | b'[' | b'{' | b'-'));
        let is_first = denial == after || is_bracketed;
        is_first && self.tokens.str(denial).len() == 3 && !self.is_praise(denial + 1)
    }

    /// "A is eliminated", "B can be ruled out".
    fn follows_is(&self, index: usize, after: usize) -> bool {
        index > after && matches!(self.tokens.kind(index - 1), Kind::Word(Word::Is | Word::Be))
    }

    /// Whether a sentence asks or supposes: it ends with a question mark, or "if" stands before in the same clause.
    pub fn is_supposed(&self, begin: usize, after: usize) -> bool {
        let end = (after..after + REACH).find(|index| self.tokens.ends_sentence(*index));
        if end.is_some_and(|end| self.tokens.kind(end) == Kind::Mark(b'?')) {
            return true;
        }
        let clause = (begin.saturating_sub(REACH)..begin).rev().take_while(|index| !self.ends_clause(*index));
        clause.into_iter().any(|index| self.tokens.kind(index) == Kind::Word(Word::If))
    }
}
