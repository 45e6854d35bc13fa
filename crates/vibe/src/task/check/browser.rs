//! Every substep can be done, by one person, in one browser, from a fresh start.

use super::super::Service;
use super::super::phrase;
use super::super::sentence::Piece;
use super::super::words::{IMPOSSIBLE, LEANING, OPENERS, VERBS};
use super::super::written::{WrittenTask, WrittenWorkflow};
use super::{Complaints, Step};

pub(super) fn check(told: &mut Complaints<'_>, task: &WrittenTask, workflows: &[WrittenWorkflow], steps: &[Step<'_>]) {
    check_beginning(told, steps);
    let reads_mail = task.services.iter().any(|service| service.value == Service::Email);
    for step in steps {
        check_verb(told, step);
        for part in step.parts() {
            let Piece::Words(words) = part.piece else { continue };
            let lower = words.to_lowercase();
            let place = |byte: usize| part.at + lower[..byte].chars().count();
            for (phrase, why) in IMPOSSIBLE.iter().filter(|(_, why)| !(reads_mail && why.contains("`email`"))) {
                if let Some(at) = phrase::find(&lower, phrase) {
                    told.error_in(&step.sentence, place(at), format!("`{phrase}` cannot be done in a browser: {why}"));
                }
            }
            let others = workflows.iter().map(|workflow| workflow.id.value.as_str()).filter(|id| id.contains('-'));
            for phrase in LEANING.iter().copied().chain(others) {
                if let Some(at) = phrase::find(&lower, phrase) {
                    let problem =
                        format!("`{phrase}` leans on something outside of this workflow; let it make what it needs");
                    told.error_in(&step.sentence, place(at), problem);
                }
            }
        }
    }
}

fn check_beginning(told: &mut Complaints<'_>, steps: &[Step<'_>]) {
    let Some(first) = steps.first() else { return };
    if !first.sentence.value.starts_with("Open the app") {
        let problem = "a workflow begins in a fresh browser; begin with `Open the app`";
        told.error_in(&first.sentence, 0, problem);
    }
}

fn check_verb(told: &mut Complaints<'_>, step: &Step<'_>) {
    let parts = step.parts();
    let said = parts.iter().filter_map(|part| match part.piece {
        Piece::Words(words) => Some(words.to_lowercase()),
        _ => None,
    });
    let said: Vec<String> = said.collect();
    let words: Vec<&str> = said.iter().flat_map(|words| phrase::words(words)).map(|(_, word)| word).collect();
    let begins = words.first().is_some_and(|word| VERBS.contains(word) || OPENERS.contains(word));
    if !begins || !words.iter().any(|word| VERBS.contains(word)) {
        let problem =
            "a substep begins with what the tester does: Open, Click, Type, Choose, Expect, Sign in, Reload …";
        told.error_in(&step.sentence, 0, problem);
    }
}
