//! Lists of options in an output: the four choices again, or those of the next question. A letter in one of them is no answer.

use super::tokens::{Kind, Line, Tokens};
use super::vocabulary::Word;
use crate::question::Letter;

/// So many labels in the order of the alphabet are a list.
const LIST: usize = 3;

/// The lists of options of an output.
#[derive(Debug, Default)]
pub(super) struct OptionLists {
    /// For each line whether it belongs to a list; those after the last list are not there.
    lines: Vec<bool>,
    /// Where a new exam item may begin, in order.
    pub items: Vec<Item>,
}

/// The first line of a list of options, or a line that says it is a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Item {
    /// In bytes.
    pub start: usize,
    /// The number of its line.
    pub line: usize,
    /// The letter of a list's first label, and its token.
    pub label: Option<(Letter, usize)>,
}

impl OptionLists {
    #[inline(never)]
    pub fn of(tokens: &Tokens) -> Self {
        let mut found = Self::default();
        let mut run: Vec<(usize, Letter)> = Vec::new();
        for (number, line) in tokens.lines.iter().enumerate() {
            if let Some(label) = list_in_one_line(tokens, *line) {
                found.mark(number);
                found.push(tokens, number, Some(label));
            } else if let Some((letter, _)) = label(tokens, *line) {
                if run.last().is_some_and(|(_, last)| last.index() + 1 != letter.index()) {
                    found.take(tokens, &mut run);
                }
                run.push((number, letter));
            } else if says_question(tokens, *line) {
                found.push(tokens, number, None);
            }
        }
        found.take(tokens, &mut run);
        // A list is known at its last line, and other items may begin in between.
        found.items.sort_unstable_by_key(|item| item.start);
        found
    }

    fn push(&mut self, tokens: &Tokens, line: usize, label: Option<(Letter, usize)>) {
        self.items.push(Item { start: tokens.start(tokens.lines[line].first), line, label });
    }

    /// Whether a line, by its number, belongs to a list.
    pub fn has_line(&self, line: usize) -> bool {
        self.lines.get(line).copied().unwrap_or_default()
    }

    fn mark(&mut self, line: usize) {
        if self.lines.len() <= line {
            self.lines.resize(line + 1, false);
        }
        self.lines[line] = true;
    }

    fn take(&mut self, tokens: &Tokens, run: &mut Vec<(usize, Letter)>) {
        if run.len() >= LIST {
            let first = run[0].0;
            self.push(tokens, first, label(tokens, tokens.lines[first]));
            for (number, _) in run.iter() {
                self.mark(*number);
            }
        }
        run.clear();
    }
}

/// The letter a line is labelled with, and its token: `A.`, `(A)`, `**A)**`, `- A:`, or nothing but the letter.
fn label(tokens: &Tokens, line: Line) -> Option<(Letter, usize)> {
    let is_ornament = |index: &usize| {
        matches!(tokens.kind(*index), Kind::Mark(b'(' | b'[' | b'*' | b'_' | b'-' | b'#' | b'>' | b'`') | Kind::Symbol)
    };
    let at = (line.first..line.end).take(6).find(|index| !is_ornament(index))?;
    let (Kind::Capital(letter) | Kind::Small(letter)) = tokens.kind(at) else { return None };
    let is_bare = at + 1 >= line.end;
    let has_delimiter = matches!(tokens.kind(at + 1), Kind::Mark(b'.' | b')' | b':' | b']' | b'*' | b'-') | Kind::Dash);
    (is_bare || has_delimiter).then_some((letter, at))
}

/// The first of three labels or more that follow each other within a line: `A. … B. … C. …`.
fn list_in_one_line(tokens: &Tokens, line: Line) -> Option<(Letter, usize)> {
    let mut next = 0;
    let mut count = 0;
    let mut first = None;
    for index in line.first..line.end {
        let (Kind::Capital(letter) | Kind::Small(letter)) = tokens.kind(index) else { continue };
        let delimited = tokens.touches_next(index) && matches!(tokens.kind(index + 1), Kind::Mark(b'.' | b')' | b':'));
        if !delimited {
            continue;
        }
        count = if count > 0 && letter.index() == next { count + 1 } else { 1 };
        next = letter.index() + 1;
        if count == 1 {
            first = Some((letter, index));
        }
        if count >= LIST {
            return first;
        }
    }
    None
}

/// `Question: …`, `Question 2: …`, `Q: …`
fn says_question(tokens: &Tokens, line: Line) -> bool {
    let is_ornament = |index: &usize| matches!(tokens.kind(*index), Kind::Mark(b'*' | b'#' | b'_'));
    let Some(at) = (line.first..line.end).take(8).find(|index| !is_ornament(index)) else { return false };
    let after = if tokens.kind(at + 1) == Kind::Word(Word::Number) { at + 2 } else { at + 1 };
    tokens.kind(at) == Kind::Word(Word::Question) && matches!(tokens.kind(after), Kind::Mark(b':' | b'.' | b')'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(text: &str) -> Vec<bool> {
        let tokens = Tokens::of(text);
        let lists = OptionLists::of(&tokens);
        (0..tokens.lines.len()).map(|line| lists.has_line(line)).collect()
    }

    #[test]
    fn three_labels_in_order_are_a_list() {
        assert_eq!(lists("A. x\nB. y\nC. z\nD. w"), [true; 4]);
        assert_eq!(lists("(A) x\n\nsome words\n**B)** y\n- C: z"), [true, false, true, true]);
        assert_eq!(lists("A. x\nB. y"), [false; 2]);
        assert_eq!(lists("A\n\nWhat?\nA. x\nB. y\nC. z"), [false, false, true, true, true]);
        assert_eq!(lists("A reasonable\nB. y\nC. z"), [false; 3]);
        assert_eq!(lists("D\nC\nB\nA"), [false; 4]);
    }

    #[test]
    fn a_list_may_stand_in_one_line() {
        assert_eq!(lists("A) x B) y C) z D) w"), [true]);
        assert_eq!(lists("A is x, B is y, C is z"), [false]);
    }

    #[test]
    fn a_new_question_is_noticed() {
        let text = "ANSWER: A\n\n**Question 2:** Which?\nQ: x";
        let found = OptionLists::of(&Tokens::of(text)).items;
        assert_eq!(found.iter().map(|item| (item.start, item.line)).collect::<Vec<_>>(), [(11, 1), (34, 2)]);
    }
}
