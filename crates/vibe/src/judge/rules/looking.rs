//! Sentences that ask to look. What is to be seen there only an expectation tells a rule.

use crate::reading;
use benchwright_domain::vibe::trace::Action;

/// Words of somebody who is to look, or who says what is to be seen.
const LOOKS: [&str; 31] = [
    "appear",
    "appears",
    "check for",
    "compare",
    "contain",
    "contains",
    "disappears",
    "displayed",
    "displays",
    "ensure",
    "expect",
    "gone",
    "listed",
    "look",
    "looks",
    "make sure",
    "must",
    "observe",
    "remain",
    "remains",
    "see",
    "seen",
    "should",
    "show up",
    "shown",
    "shows",
    "stays",
    "validate",
    "verifies",
    "verify",
    "visible",
];
/// Boxes are checked and questions confirmed as well; what has one of [`STATES`] behind it is a fact.
const PERHAPS_LOOKS: [&str; 2] = ["check", "confirm"];
const STATES: [&str; 9] = ["that", "whether", "if", "is", "are", "has", "have", "was", "were"];
/// Says when to confirm, and not what.
const WHEN: [&str; 2] = ["if you are asked", "if asked"];

/// Whether a sentence asks to look, or says what should be so.
pub(super) fn asks_to_look(sentence: &str) -> bool {
    let outside_quotes = sentence.split('"').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let outside_quotes = WHEN.iter().fold(outside_quotes, |text, when| text.replace(when, ""));
    let says = |words: &str| reading::contains(&outside_quotes, words);
    let states_a_fact = |verb: &&str| {
        let behind = outside_quotes.split_once(*verb).map_or("", |(_, behind)| behind);
        says(verb) && STATES.iter().any(|word| reading::contains(behind, word))
    };
    LOOKS.iter().any(|words| says(words)) || PERHAPS_LOOKS.iter().any(states_a_fact)
}

/// Whether somebody who does only this has done nothing yet.
pub(super) fn only_looks(action: &Action) -> bool {
    matches!(action, Action::FindText { .. } | Action::Wait { .. } | Action::Scroll { .. })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::task::{self, Files, Occasion, folder};
    use std::path::Path;

    #[test]
    fn tasks_of_our_own_say_what_is_to_be_seen_wherever_they_ask_to_look() {
        let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/tasks");
        let occasion = Occasion { seed: "any".to_owned(), today: jiff::civil::date(2026, 11, 17) };
        for place in folder::tasks_in(&corpus).unwrap() {
            let task = task::load(&Files::read(&place).unwrap()).unwrap();
            let substeps = task.workflows.iter().flat_map(|workflow| workflow.on(&task.id, &occasion).substeps);
            let lost: Vec<_> = substeps.filter(|it| it.expect.is_empty() && asks_to_look(&it.text)).collect();
            assert!(lost.is_empty(), "{}: {lost:?}", task.id);
        }
    }

    #[test]
    fn looking_is_told_from_doing() {
        for sentence in [
            "Check that \"Fern\" is listed.",
            "Check \"Fern\" is in the list.",
            "Check for an error.",
            "Click \"Save\" and confirm the total is \"12\".",
            "Look at the list.",
            "See \"Fern\" in the list.",
            "Ensure \"Fern\" comes first.",
            "Click \"Save\"; \"Fern\" should be first.",
            "\"Fern\" is shown.",
            "Expect \"Fern\".",
            "Make sure there is \"Fern\".",
        ] {
            assert!(asks_to_look(sentence), "{sentence}");
        }
        for sentence in [
            "Click \"Expect the best\".",
            "Check \"Express\" and click \"Save\".",
            "Delete \"Fern\" and confirm.",
            "Confirm the question.",
            "Delete \"Fern\" and confirm if you are asked.",
            "Check the box for \"Fern\".",
            "Click \"Edit\" for \"Fern\" and leave the name as it is.",
            "Sign in with the e-mail \"a@b.example\" and the password \"secret\".",
        ] {
            assert!(!asks_to_look(sentence), "{sentence}");
        }
    }
}
