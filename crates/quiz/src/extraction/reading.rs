//! An output together with the choices it is about: what all rules look at.

use super::canon::{begins_with, pieces, same};
use super::fold::{Fold, fold};
use super::options::OptionLists;
use super::text::{Text, says_something};
use super::tokens::{Kind, Tokens};
use crate::question::Letter;
use std::borrow::Cow;

/// Lines of a question that are looked at above its choices.
const MOST_LINES: usize = 16;
/// Marks that may close at the end of a line.
const MOST_CLOSERS: usize = 8;

/// The choices as plain texts.
#[derive(Debug)]
pub(super) struct Choices<'a> {
    pub texts: [Cow<'a, str>; 4],
    /// The choices that begin with a lone letter of the four and go on, such as "B cells" or "A and C only".
    begin_with_letter: [Option<Letter>; 4],
}

impl<'a> Choices<'a> {
    pub fn of(choices: [&'a str; 4]) -> Self {
        let texts = choices.map(plain);
        let begin_with_letter = texts.each_ref().map(|text| first_letter(text));
        Self { texts, begin_with_letter }
    }

    pub fn text(&self, letter: Letter) -> &str {
        &self.texts[letter.index()]
    }

    /// Whether a text that begins with that lone letter is the text of a choice, or begins with one.
    pub fn is_choice_text(&self, letter: Letter, text: &str) -> bool {
        let led = self.begin_with_letter.iter().zip(&self.texts).filter(|(first, _)| **first == Some(letter));
        led.into_iter().any(|(_, choice)| begins_with(text, choice))
    }

    /// The letter of the only choice with exactly this text.
    pub fn with_text(&self, text: &str) -> Option<Letter> {
        let mut found = Letter::ALL.into_iter().filter(|letter| same(text, self.text(*letter)));
        found.next().filter(|_| found.next().is_none())
    }
}

fn plain(choice: &str) -> Cow<'_, str> {
    if choice.is_ascii() {
        return Cow::Borrowed(choice);
    }
    let mut text = String::with_capacity(choice.len());
    for character in choice.chars() {
        match fold(character) {
            Fold::As(read_as) if !character.is_ascii() => text.push_str(read_as),
            _ => text.push(character),
        }
    }
    Cow::Owned(text)
}

fn first_letter(text: &str) -> Option<Letter> {
    let mut pieces = pieces(text);
    let first = pieces.next()?;
    let [byte] = text.as_bytes()[first.start..first.end] else { return None };
    pieces.next().and(Letter::from_ascii(byte))
}

/// The first turn of an output, taken apart, and its choices.
pub(super) struct Reading<'a> {
    pub tokens: Tokens<'a>,
    pub choices: Choices<'a>,
    pub options: OptionLists,
    /// Whether the model went on with another turn of the chat.
    is_continued: bool,
}

impl<'a> Reading<'a> {
    pub fn of(text: &'a Text<'a>, choices: [&'a str; 4]) -> Self {
        let (turn, rest) = text.plain.split_at(text.first_turn_end());
        let tokens = Tokens::of(turn);
        let options = OptionLists::of(&tokens);
        Self { tokens, choices: Choices::of(choices), options, is_continued: rest.bytes().any(says_something) }
    }

    pub fn text(&self) -> &'a str {
        self.tokens.text
    }

    /// The number of the line a token is in; for the end of a line, that of the line before.
    pub fn line_of(&self, index: usize) -> usize {
        self.tokens.lines.partition_point(|line| line.first <= index).saturating_sub(1)
    }

    /// The token after the last of the line a token is in.
    pub fn line_end(&self, index: usize) -> usize {
        self.tokens.lines.get(self.line_of(index)).map_or(self.tokens.len(), |line| line.end)
    }

    /// The number of the last line that begins before a place.
    pub fn last_line_before(&self, place: usize) -> usize {
        let lines = &self.tokens.lines;
        lines.partition_point(|line| self.tokens.start(line.first) < place).saturating_sub(1)
    }

    /// From a token to the end of its line.
    pub fn rest_of_line(&self, index: usize, line_end: usize) -> &'a str {
        &self.tokens.text[self.tokens.start(index)..self.tokens.end(line_end.max(index + 1) - 1)]
    }

    /// Where, after this place, the model goes on with a new exam item: a list of options, a line that says it is a question, or another
    /// turn of the chat. Places are offsets into the plain text.
    pub fn new_item_after(&self, place: usize) -> Option<usize> {
        self.first_item(place, |_| true)
    }

    /// The same, but for a list of the choices that were given, and for the given question with them.
    pub fn other_item_after(&self, place: usize) -> Option<usize> {
        self.first_item(place, |item| !self.repeats_choices(item))
    }

    /// The same, and of the lists only those under a question: others may be what the model says of the choices, one by one.
    pub fn asked_item_after(&self, place: usize) -> Option<usize> {
        self.first_item(place, |item| self.is_asked(item, place) && !self.repeats_choices(item))
    }

    fn first_item(&self, place: usize, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let items = &self.options.items;
        let first = items.partition_point(|item| item.start < place);
        let item = (first..items.len()).find(|item| counts(*item)).map(|item| items[item].start);
        item.or_else(|| self.is_continued.then_some(self.tokens.text.len()))
    }

    /// Whether an item says that it is a question, or stands under one: a line with a question mark, or a paragraph of its own behind a place,
    /// as many questions of exams are none by their marks.
    fn is_asked(&self, item: usize, place: usize) -> bool {
        let item = self.options.items[item];
        let Some(above) = item.line.checked_sub(1) else { return item.label.is_none() };
        let last = self.last_said(above);
        let is_told = |first: usize| {
            last != Kind::Mark(b':') && !self.is_heading(above, first) && self.tokens.start(first) >= place
        };
        item.label.is_none() || last == Kind::Mark(b'?') || self.paragraph_before(item.line).is_some_and(is_told)
    }

    /// What a line ends with, but for marks that close: the colon of `**Each choice:**`.
    fn last_said(&self, line: usize) -> Kind {
        let closes = |kind: &Kind| matches!(kind, Kind::Mark(b'*' | b'_' | b')' | b']' | b'"' | b'\''));
        let line = self.tokens.lines[line];
        let kinds = (line.first..line.end).rev().take(MOST_CLOSERS).map(|index| self.tokens.kind(index));
        kinds.into_iter().find(|kind| !closes(kind)).unwrap_or(Kind::NewLine)
    }

    /// Whether a line is a paragraph by itself, which begins with that token, and a heading: `### The options`.
    fn is_heading(&self, line: usize, paragraph: usize) -> bool {
        self.tokens.lines[line].first == paragraph && self.tokens.kind(paragraph) == Kind::Mark(b'#')
    }

    /// The first token of the paragraph that goes on with a line, if that is not its first.
    fn paragraph_before(&self, line: usize) -> Option<usize> {
        let lines = &self.tokens.lines;
        let goes_on = |number: &usize| lines[*number - 1].end + 1 == lines[*number].first;
        let before = (1..=line).rev().take(MOST_LINES).take_while(goes_on).count();
        (before > 0).then(|| lines[line - before].first)
    }

    /// Whether the list of an item, or the one right below it, begins with the choice of its label.
    fn repeats_choices(&self, item: usize) -> bool {
        let items = &self.options.items;
        let list = items[item].label.is_some().then_some(item).or(Some(item + 1));
        let list = list.and_then(|list| items.get(list));
        list.and_then(|list| Some((list.label?, self.tokens.lines[list.line].end)))
            .filter(|((_, at), end)| at + 1 < *end)
            .is_some_and(|((letter, at), end)| begins_with(self.rest_of_line(at + 1, end), self.choices.text(letter)))
    }

    /// Whether a token is a word or a letter on its own, as opposed to marks.
    pub fn is_wordlike(&self, index: usize) -> bool {
        matches!(self.tokens.kind(index), Kind::Word(_) | Kind::Capital(_) | Kind::Small(_) | Kind::LookAlike(_))
    }
}
