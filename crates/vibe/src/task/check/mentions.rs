//! Whatever is tested was asked for, or is chosen by the tester.
//!
//! A text in quotes is on the screen or is typed. It stands in the specification, or a substep types it, or it is a variable, or the
//! workflow explains why it must be so (a sum, a wrong password). Names are always in quotes, so that none escapes this. Features
//! that have a word of their own, such as sorting, must be in the specification by a word of their own too.

use super::super::phrase;
use super::super::sentence::{self, Part, Piece};
use super::super::words::{CAPITALISED, FEATURES, TECHNICAL};
use super::super::written::WrittenWorkflow;
use super::{Complaints, File, Spec, Step};
use benchwright_domain::yaml::{Text, place};
use std::collections::BTreeSet;

/// Complains of words that somebody who wants an app would not write.
pub(super) fn check_spec(told: &mut Complaints<'_>, spec: &Spec) {
    let words: BTreeSet<&str> = phrase::words(&spec.lower).into_iter().map(|(_, word)| word).collect();
    for word in TECHNICAL.iter().filter(|word| words.contains(**word)) {
        let lines: Vec<String> = told.files.spec.lines().map(str::to_lowercase).collect();
        let line = lines.iter().position(|line| phrase::find(line, word).is_some()).unwrap_or_default();
        let column = lines.get(line).and_then(|text| Some(text[..phrase::find(text, word)?].chars().count()));
        let place = (line as u64 + 1, column.unwrap_or_default() as u64 + 1);
        told.warning(File::Spec, place, format!("`{word}` is a technical word; say what the person wants to see"));
    }
}

pub(super) fn check(told: &mut Complaints<'_>, spec: &Spec, workflow: &WrittenWorkflow, steps: &[Step<'_>]) {
    let mut known = Known { spec, workflow, typed: BTreeSet::new(), explanations: BTreeSet::new() };
    for step in steps {
        let parts = step.parts();
        for (position, part) in parts.iter().enumerate() {
            match part.piece {
                Piece::Quoted(text) => {
                    let problem = known.objection(text, sentence::is_typed(&parts, position));
                    if let Some(problem) = problem {
                        told.error_in(&step.sentence, part.at, problem);
                    }
                }
                Piece::Words(words) => check_names(told, &step.sentence, *part, words),
                Piece::Variable(_) => {}
            }
        }
        check_features(told, spec, step, &parts);
        for text in step.written.expect().iter().flat_map(|expected| expected.texts()) {
            if let Some(problem) = known.objection(&text.value, false) {
                told.error(File::Workflows, place(text), problem);
            }
        }
    }
    for (value, reason) in &workflow.explained {
        if !known.explanations.contains(value.as_str()) {
            let problem = format!("nothing relies on `{value}`, or the specification has it; remove the explanation");
            told.error(File::Workflows, place(reason), problem);
        }
    }
}

/// What a workflow may rely on.
struct Known<'a> {
    spec: &'a Spec,
    workflow: &'a WrittenWorkflow,
    /// What its substeps typed so far.
    typed: BTreeSet<String>,
    /// Which explanations were needed.
    explanations: BTreeSet<&'a str>,
}

impl Known<'_> {
    fn objection(&mut self, text: &str, typed: bool) -> Option<String> {
        for literal in sentence::literals(text) {
            let literal = if literal.len() == text.len() { literal } else { literal.trim_matches(is_punctuation) };
            if typed && !literal.chars().any(char::is_alphabetic) {
                self.typed.insert(literal.to_owned());
                continue;
            }
            if literal.trim().is_empty() || self.allows(literal) {
                continue;
            }
            return Some(if typed {
                format!(
                    "`{literal}` is not in the specification; make what is typed a variable, or say why under `explained`"
                )
            } else {
                format!(
                    "`{literal}` is neither in the specification nor typed before; add it there, or say why under `explained`"
                )
            });
        }
        None
    }

    fn allows(&mut self, literal: &str) -> bool {
        if phrase::find(&self.spec.plain, literal).is_some() || self.is_typed_number(literal) {
            return true;
        }
        let explained = self.workflow.explained.get_key_value(literal);
        self.explanations.extend(explained.map(|(value, _)| value.as_str()));
        explained.is_some()
    }

    /// A number that was typed may be shown with a sign before it and a word of the specification after it: `-3`, `3 pieces`.
    fn is_typed_number(&self, literal: &str) -> bool {
        let (number, word) = literal.split_once(' ').unwrap_or((literal, ""));
        let known = |word: &str| word.is_empty() || phrase::find(&self.spec.plain, word).is_some();
        self.typed.contains(number.trim_start_matches(['+', '-'])) && known(word.trim())
    }
}

fn is_punctuation(character: char) -> bool {
    !character.is_alphanumeric()
}

/// Complains of names that are not in quotes.
fn check_names(told: &mut Complaints<'_>, sentence: &Text, part: Part<'_>, words: &str) {
    let characters: Vec<char> = words.chars().collect();
    for (at, word) in phrase::words(words) {
        let before: String = characters[..at].iter().collect();
        let begins_sentence =
            (part.at == 0 && before.trim().is_empty()) || before.trim_end().ends_with(['.', ':', '?', '!']);
        let is_name = word.chars().next().is_some_and(char::is_uppercase) && !CAPITALISED.contains(&word);
        if is_name && !begins_sentence {
            told.error_in(sentence, part.at + at, format!("`{word}` looks like a name; put names in quotes"));
        }
    }
}

fn check_features(told: &mut Complaints<'_>, spec: &Spec, step: &Step<'_>, parts: &[Part<'_>]) {
    for part in parts {
        let Piece::Words(words) = part.piece else { continue };
        for (at, word) in phrase::words(words) {
            let word = word.to_lowercase();
            let feature = FEATURES.iter().find(|(used, _)| used.iter().any(|stem| word.starts_with(stem)));
            let Some((_, asked)) = feature else { continue };
            if !asked.iter().any(|stem| phrase::has_stem(&spec.lower, stem)) {
                let problem =
                    format!("the specification never speaks of `{word}`; ask for it there, or do not test it");
                told.error_in(&step.sentence, part.at + at, problem);
            }
        }
    }
}
