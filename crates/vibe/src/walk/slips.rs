//! Slips of a walker: what failed or did nothing, and what was done about it.

use benchwright_domain::vibe::trace::{Action, ActionTrace};
use std::mem::discriminant;

/// Whether the walker did better later in the same substep than with the action at a place, which failed or did nothing.
pub(crate) fn is_put_right(actions: &[ActionTrace], place: usize) -> bool {
    let Some((slip, later)) = actions.get(place..).and_then(<[ActionTrace]>::split_first) else { return false };
    let is_slip = slip.failed.is_some() || !had_effect(slip);
    is_slip && later.iter().any(|done| changed_something(done) && stands_in(&done.action, &slip.action))
}

/// Whether an action did what actions of its kind do.
pub(crate) fn had_effect(action: &ActionTrace) -> bool {
    changed_something(action)
        || match &action.action {
            Action::Fill { .. } | Action::Clear { .. } | Action::Select { .. } | Action::Check { .. } => false,
            // Going where one is, and choosing what is chosen, changes nothing.
            Action::Click { target } => {
                matches!(target.role.as_str(), "link" | "tab" | "menuitem" | "radio" | "option")
            }
            _ => true,
        }
}

fn changed_something(action: &ActionTrace) -> bool {
    let effect = &action.effect;
    action.failed.is_none() && (effect.tree || effect.url.is_some() || effect.requests > 0 || effect.held)
}

/// Whether one action can be the better way to do what another was to do.
fn stands_in(done: &Action, slip: &Action) -> bool {
    match (done, slip) {
        // A link leads elsewhere, which makes up for another link alone.
        (Action::Click { target }, _) if target.role == "link" => {
            matches!(slip, Action::Click { target } if target.role == "link")
        }
        (
            Action::Click { .. }
            | Action::DoubleClick { .. }
            | Action::Fill { .. }
            | Action::Clear { .. }
            | Action::Press { .. }
            | Action::Select { .. }
            | Action::Check { .. }
            | Action::Drag { .. }
            | Action::Upload { .. }
            | Action::Download { .. },
            _,
        ) => true,
        (done, slip) => discriminant(done) == discriminant(slip),
    }
}
