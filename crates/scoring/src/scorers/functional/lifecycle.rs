//! What F7 and F8 share: a walk of steps, passed by its last ones and credited by its share.

use crate::evidence::backend::{Lifecycle, StepName};
use crate::scorers::words::cut;
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, UnitScore};

/// Characters kept of a note.
const NOTE_LIMIT: usize = 240;

/// What is said of one step.
pub(super) struct Words {
    pub step: StepName,
    pub passed: &'static str,
    pub failed: &'static str,
    pub fix: &'static str,
}

/// Whether a step succeeded.
pub(super) fn succeeded(walk: &Lifecycle, step: StepName) -> bool {
    walk.steps.iter().any(|taken| taken.step == step && taken.ok)
}

/// The outcome of a walk that a wall kept out.
pub(super) fn walled(walk: &Lifecycle) -> Option<Outcome> {
    let wall = walk.wall.as_ref()?;
    let reason = format!(
        "{} keeps automated logins out ({}); give accounts that need no such step",
        wall.kind.words(),
        cut(&wall.seen, NOTE_LIMIT)
    );
    Some(Outcome::NoInput { reason })
}

/// The share of all steps that succeeded, with one item per step.
pub(super) fn assess(walk: &Lifecycle, words: &[Words], passed: bool, left_behind: &[String]) -> Assessment {
    let total = words.len();
    let succeeded = words.iter().filter(|words| succeeded(walk, words.step)).count();
    let logged_in = words.first().is_some_and(|words| self::succeeded(walk, words.step));
    let share = if logged_in { succeeded as f64 / total as f64 } else { 0.0 };
    let score = if passed { 1.0 } else { share };
    let gain = (1.0 - score) / (total - succeeded).max(1) as f64;
    let mut details = Details::default()
        .fact("marker", walk.marker.as_str())
        .fact("steps", total)
        .fact("steps_succeeded", succeeded)
        .items(words.iter().map(|words| item(walk, words, gain)));
    if left_behind.contains(&walk.marker) {
        details = details.note(left_behind_note(&walk.marker, passed));
    }
    Assessment::scored(UnitScore::new(score), passed, details)
}

/// `seen`: whether the record showed when it was looked for again. If not, whoever created it may still have seen it.
fn left_behind_note(marker: &str, seen: bool) -> String {
    if seen {
        format!("The record `{marker}` could not be deleted again without touching others and is still in the app.")
    } else {
        format!("The record `{marker}` was not deleted again and may still be in the app.")
    }
}

fn item(walk: &Lifecycle, words: &Words, gain: f64) -> Item {
    let id = words.step.id();
    match walk.steps.iter().find(|taken| taken.step == words.step) {
        None => Item::new(id, ItemStatus::Failed, words.failed).measured("not reached"),
        Some(taken) => {
            let item = Item::check(id, taken.ok, words.passed, words.failed);
            let item = if taken.note.is_empty() { item } else { item.measured(cut(&taken.note, NOTE_LIMIT)) };
            if taken.ok { item } else { item.fix(words.fix).gain(gain) }
        }
    }
}
