//! Values out of a recorded action, and values of another run into it.

use super::{PlannedAction, Values};
use benchwright_domain::vibe::trace::{Action, Target};

/// Around the name of a variable in a plan.
const OPEN: char = '⟦';
const CLOSE: char = '⟧';

/// An action with variables instead of values, and without references and the origin of the app, which mean nothing in another walk.
pub(super) fn emptied(action: &Action, origin: &str, values: &Values) -> Action {
    // A value that holds another one must go first.
    let mut known: Vec<(&String, &String)> = values.iter().filter(|(_, value)| !value.is_empty()).collect();
    known.sort_by_key(|(_, value)| std::cmp::Reverse(value.len()));
    let without = |text: &str| {
        known
            .iter()
            .fold(text.to_owned(), |text, (name, value)| text.replace(value.as_str(), &format!("{OPEN}{name}{CLOSE}")))
    };
    let mut action = action.clone();
    for target in targets_mut(&mut action) {
        target.reference.clear();
    }
    if let Action::Navigate { url } = &mut action {
        *url = within(url, origin);
    }
    each_text(&mut action, &without);
    action
}

/// The path of an address of the app; of any other, all of it.
fn within(url: &str, origin: &str) -> String {
    match url.strip_prefix(origin) {
        Some(rest) if rest.is_empty() || rest.starts_with(['/', '?', '#']) => {
            format!("/{}", rest.trim_start_matches('/'))
        }
        _ => url.to_owned(),
    }
}

/// The action with the values of a run.
pub(super) fn filled(action: &Action, values: &Values) -> Action {
    let with = |text: &str| {
        values.iter().fold(text.to_owned(), |text, (name, value)| text.replace(&format!("{OPEN}{name}{CLOSE}"), value))
    };
    let mut action = action.clone();
    each_text(&mut action, &with);
    action
}

/// Whether every value that a sentence brings along is somewhere in what was done for it. A date that was typed in another way than
/// it is written cannot be refilled.
pub(super) fn holds_all(sentence: &str, actions: &[PlannedAction], values: &Values) -> bool {
    let enters = |planned: &PlannedAction| matches!(planned.action, Action::Fill { .. } | Action::Select { .. });
    if !actions.iter().any(enters) {
        return true;
    }
    let mut held = String::new();
    for planned in actions {
        let mut action = planned.action.clone();
        let held = std::cell::RefCell::new(&mut held);
        each_text(&mut action, &|text| {
            held.borrow_mut().push_str(text);
            text.to_owned()
        });
    }
    let mut spoken = values.iter().filter(|(_, value)| !value.is_empty() && sentence.contains(value.as_str()));
    spoken.all(|(name, value)| {
        held.contains(&format!("{OPEN}{name}{CLOSE}"))
            || values.iter().any(|(other, longer)| other != name && longer.contains(value.as_str()))
    })
}

/// Whether all that was typed is said by the sentence or a value of the run. Anything else may have been read from a page, such as a code
/// that is another one in the next walk.
pub(super) fn is_told(sentence: &str, actions: &[PlannedAction]) -> bool {
    actions.iter().all(|planned| match &planned.action {
        Action::Fill { text, .. } => text.contains(OPEN) || sentence.contains(text.as_str()),
        _ => true,
    })
}

/// What an action is done to.
pub(super) fn targets(action: &Action) -> Vec<Target> {
    targets_mut(&mut action.clone()).into_iter().map(|target| target.clone()).collect()
}

/// The action with other targets, as many as it has.
pub(super) fn aimed(action: &Action, found: Vec<Target>) -> Action {
    let mut action = action.clone();
    for (target, found) in targets_mut(&mut action).into_iter().zip(found) {
        *target = found;
    }
    action
}

fn targets_mut(action: &mut Action) -> Vec<&mut Target> {
    match action {
        Action::Click { target }
        | Action::DoubleClick { target }
        | Action::Fill { target, .. }
        | Action::Clear { target }
        | Action::Select { target, .. }
        | Action::Check { target, .. }
        | Action::Hover { target }
        | Action::Focus { target }
        | Action::Upload { target, .. }
        | Action::Download { target } => vec![target],
        Action::Press { target, .. } | Action::Scroll { target, .. } => target.iter_mut().collect(),
        Action::Drag { from, to } => vec![from, to],
        Action::Navigate { .. }
        | Action::Back
        | Action::Forward
        | Action::Reload
        | Action::Wait { .. }
        | Action::SwitchTab { .. }
        | Action::CloseTab { .. }
        | Action::Dialog { .. }
        | Action::FindText { .. } => Vec::new(),
    }
}

/// Replaces every text of an action that may hold a value.
fn each_text(action: &mut Action, other: &dyn Fn(&str) -> String) {
    for target in targets_mut(action) {
        target.name = other(&target.name);
        target.within = other(&target.within);
    }
    match action {
        Action::Navigate { url: text }
        | Action::Fill { text, .. }
        | Action::Press { keys: text, .. }
        | Action::FindText { text } => {
            *text = other(text);
        }
        Action::Wait { text: Some(text), .. } | Action::Dialog { text: Some(text), .. } => *text = other(text),
        Action::Select { options: texts, .. } | Action::Upload { files: texts, .. } => {
            for text in texts {
                *text = other(text);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "http://127.0.0.1:4100";

    fn values(pairs: &[(&str, &str)]) -> Values {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn click(name: &str, within: &str) -> Action {
        let target = Target {
            reference: "e7".to_owned(),
            role: "button".to_owned(),
            name: name.to_owned(),
            nth: 0,
            within: within.to_owned(),
        };
        Action::Click { target }
    }

    #[test]
    fn a_plan_takes_the_values_of_the_run_it_is_played_in() {
        let first = values(&[("plant", "Fern xkq2zz"), ("mark", "xkq2zz-9")]);
        let second = values(&[("plant", "Fern hjw8vv"), ("mark", "hjw8vv-3")]);
        let plan = emptied(&click("Remove Fern xkq2zz", "Fern xkq2zz, tag xkq2zz-9"), ORIGIN, &first);
        let Action::Click { target } = filled(&plan, &second) else { panic!() };
        assert_eq!((target.name.as_str(), target.within.as_str()), ("Remove Fern hjw8vv", "Fern hjw8vv, tag hjw8vv-3"));
        assert_eq!(target.reference, "", "a reference means nothing in another walk");
    }

    #[test]
    fn an_address_of_the_app_is_one_of_the_copy_that_it_is_played_in() {
        let plant = values(&[("plant", "4100")]);
        for (opened, planned) in [
            ("http://127.0.0.1:4100", "/"),
            ("http://127.0.0.1:4100/", "/"),
            (
                "http://127.0.0.1:4100/plants/4100?from=http://a.example#top",
                "/plants/⟦plant⟧?from=http://a.example#top",
            ),
            ("http://127.0.0.1:4100?new", "/?new"),
            ("/plants", "/plants"),
            ("http://127.0.0.1:41001/", "http://127.0.0.1:⟦plant⟧1/"),
            ("https://a.example/", "https://a.example/"),
        ] {
            let plan = emptied(&Action::Navigate { url: opened.to_owned() }, ORIGIN, &plant);
            assert_eq!(plan, Action::Navigate { url: planned.to_owned() });
        }
    }

    /// The plan of typing a text.
    fn typed(text: &str, values: &Values) -> Vec<PlannedAction> {
        let action = Action::Fill { target: Target::default(), text: text.to_owned() };
        vec![PlannedAction { action: emptied(&action, ORIGIN, values), had_effect: true }]
    }

    #[test]
    fn a_value_that_was_typed_in_other_words_cannot_be_replayed() {
        let values = values(&[("day", "2026-11-17")]);
        let typed = |text: &str| typed(text, &values);
        let sentence = "Enter \"2026-11-17\" as the date.";
        assert!(holds_all(sentence, &typed("2026-11-17"), &values));
        assert!(!holds_all(sentence, &typed("17.11.2026"), &values));
        assert!(holds_all("Check that \"2026-11-17\" is shown.", &[], &values), "nothing was entered");
    }

    #[test]
    fn what_was_read_from_a_page_is_not_typed_again() {
        let values = values(&[("plant", "Fern xkq2zz")]);
        let typed = |text: &str| typed(text, &values);
        let sentence = "Type the join code of \"Fern xkq2zz\" into \"Code\" and 3 into \"Guests\".";
        assert!(is_told(sentence, &typed("Fern xkq2zz")) && is_told(sentence, &typed("3")));
        assert!(is_told(sentence, &typed("")), "a field that is emptied");
        assert!(!is_told(sentence, &typed("K7Q2")));
    }
}
