//! Who signs in where: nobody in an app without accounts, everybody in one with, and nobody twice at once.

use super::super::Access;
use super::super::phrase;
use super::super::sentence::Piece;
use super::super::written::{WrittenTask, WrittenWorkflow};
use super::{Complaints, File, Spec, Step};
use benchwright_domain::yaml::place;

/// What a substep does to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    /// `Sign in with …`, `Sign up with …`.
    In,
    /// `Try to sign in …`: the session stays what it was.
    Attempt,
    /// `Sign out`.
    Out,
}

pub(super) fn check_spec(told: &mut Complaints<'_>, task: &WrittenTask, spec: &Spec) {
    let speaks = ["sign in", "signing in", "signs in", "sign up", "signed in"];
    let speaks = speaks.iter().any(|phrase| phrase::find(&spec.lower, phrase).is_some());
    if task.access != Access::Anyone && !speaks {
        let problem = "the task needs accounts, but the specification never says how to sign in";
        told.error(File::Spec, (1, 1), problem);
    }
}

pub(super) fn check(told: &mut Complaints<'_>, task: &WrittenTask, workflow: &WrittenWorkflow, steps: &[Step<'_>]) {
    let mut inside = false;
    let mut any = false;
    for step in steps {
        for (at, deed) in deeds(step) {
            any = true;
            let problem = match deed {
                _ if task.access == Access::Anyone => "nobody signs in to this app: its `access` is `anyone`",
                Deed::In if inside => "somebody is signed in already; sign out first",
                Deed::Out if !inside => "nobody is signed in here; sign in first",
                Deed::In | Deed::Out | Deed::Attempt => "",
            };
            if !problem.is_empty() {
                told.error_in(&step.sentence, at, problem);
            }
            inside = match deed {
                Deed::In => true,
                Deed::Out => false,
                Deed::Attempt => inside,
            };
        }
    }
    if task.access == Access::Accounts && !any {
        let problem = "nobody signs in, but the whole app needs an account: its `access` is `accounts`";
        told.error(File::Workflows, place(&workflow.id), problem);
    }
}

/// What is done, not what is expected or spoken of: at the beginning of a sentence or after `and`, `then`, `try to` or a comma.
fn deeds(step: &Step<'_>) -> Vec<(usize, Deed)> {
    let mut found = Vec::new();
    for part in step.parts() {
        let Piece::Words(text) = part.piece else { continue };
        let lower = text.to_lowercase();
        let words = phrase::words(&lower);
        for (position, pair) in words.windows(2).enumerate() {
            let deed = match (pair[0].1, pair[1].1) {
                ("sign", "in" | "up") => Deed::In,
                ("sign", "out") => Deed::Out,
                _ => continue,
            };
            let earlier = |back: usize| position.checked_sub(back).map(|at| words[at].1);
            let before: String = lower.chars().take(pair[0].0).collect();
            match (earlier(2), earlier(1)) {
                _ if before.trim_end().ends_with(',') => found.push((part.at + pair[0].0, deed)),
                (_, None) if part.at == 0 => found.push((part.at + pair[0].0, deed)),
                (_, Some("and" | "then" | "again")) => found.push((part.at + pair[0].0, deed)),
                (Some("try"), Some("to")) => found.push((part.at + pair[0].0, Deed::Attempt)),
                _ => {}
            }
        }
    }
    found
}
