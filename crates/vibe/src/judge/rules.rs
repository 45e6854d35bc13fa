//! The judge that needs no model: what a rule can decide is decided by it, and nothing else.
//!
//! A page cannot talk to it. Whatever stands on a page is compared with what was expected, and never followed.

mod looking;

use super::Judge;
use super::expectation::{Outcome, check, is_negative};
use crate::reading;
use crate::walk::{Archive, slips};
use benchwright_domain::vibe::expectation::Expectation;
use benchwright_domain::vibe::trace::{
    Action, ActionTrace, Attempt, Ending, FactKind, Sight, SubstepTrace, Trace, WalkerKind,
};
use benchwright_domain::vibe::verdict::{
    FailureCategory, Mark, SubstepVerdict, WorkflowKind, WorkflowState, WorkflowVerdict,
};
use looking::{asks_to_look, only_looks};

/// Version of the rules; raised when they would decide differently.
pub const VERSION: u32 = 4;

/// What is said where somebody cannot get in or out.
const SIGNING: [&str; 12] = [
    "sign in",
    "sign up",
    "sign out",
    "signed in",
    "signed up",
    "signed out",
    "log in",
    "log out",
    "logged in",
    "logged out",
    "login",
    "logout",
];

/// The judge that needs no model.
#[derive(Debug, Clone, Copy, Default)]
pub struct RuleJudge;

impl Judge for RuleJudge {
    fn version(&self) -> u32 {
        VERSION
    }

    fn judge(&self, trace: &Trace, sights: &dyn Archive) -> WorkflowVerdict {
        judge(trace, sights)
    }
}

/// Judges a walk. What kind of workflow it was a trace does not say; it is taken for a core one.
pub fn judge(trace: &Trace, sights: &dyn Archive) -> WorkflowVerdict {
    let mut substeps: Vec<SubstepVerdict> = Vec::new();
    let mut lost_way = false;
    for substep in &trace.substeps {
        let mut verdict = verdict_on(substep, sights);
        // After something the walker did not understand the page may not be where it should be.
        verdict.walker_suspected |= lost_way && !verdict.passed();
        lost_way |= matches!(substep.attempt, Attempt::Unsure { .. });
        substeps.push(verdict);
    }
    WorkflowVerdict {
        workflow: trace.workflow.clone(),
        kind: WorkflowKind::default(),
        state: state_of(&trace.ending),
        substeps,
        evaluation_usd: trace.usage.as_ref().and_then(|usage| usage.usd),
    }
}

fn state_of(ending: &Ending) -> WorkflowState {
    match ending {
        Ending::Walked => WorkflowState::Judged,
        Ending::AppDown { .. } => WorkflowState::AppDown,
        Ending::Stuck { .. } => WorkflowState::EvaluatorStuck,
        Ending::TimedOut { .. } => WorkflowState::TimedOut,
        Ending::NoAnswer { .. } | Ending::BudgetSpent { .. } | Ending::Refused { .. } => WorkflowState::NoAnswer,
    }
}

/// What a rule says of a substep.
struct Finding {
    mark: Mark,
    reason: String,
    category: Option<FailureCategory>,
}

impl Finding {
    fn pass(reason: impl Into<String>) -> Self {
        Self { mark: Mark::Pass, reason: reason.into(), category: None }
    }

    fn fail(reason: impl Into<String>, category: FailureCategory) -> Self {
        Self { mark: Mark::Fail, reason: reason.into(), category: Some(category) }
    }

    fn undecided(reason: impl Into<String>) -> Self {
        Self { mark: Mark::Undecided, reason: reason.into(), category: Some(FailureCategory::Other) }
    }
}

fn verdict_on(substep: &SubstepTrace, sights: &dyn Archive) -> SubstepVerdict {
    let after = substep.after.as_ref().and_then(|reference| sights.sight(reference));
    let finding = match &substep.attempt {
        Attempt::NotAttempted { reason } => Finding::fail(reason, FailureCategory::Other),
        Attempt::Unsure { reason } => Finding::undecided(format!("the walker did not know what to do: {reason}")),
        Attempt::Impossible { reason } => Finding::fail(reason, blocked(substep, reason)),
        Attempt::Done => match &after {
            None => Finding::undecided("what could be seen afterwards is lost"),
            Some(after) => decided(substep, after),
        },
    };
    SubstepVerdict {
        number: substep.number,
        mark: finding.mark,
        critical: substep.critical,
        not_attempted: matches!(substep.attempt, Attempt::NotAttempted { .. }),
        reason: finding.reason,
        evidence: evidence(substep),
        category: finding.category,
        walker_suspected: matches!(substep.attempt, Attempt::Unsure { .. })
            || (finding.mark == Mark::Fail && has_slipped(substep)),
    }
}

/// Whether a model says that it did what it was told although it failed at something on the way.
fn has_slipped(substep: &SubstepTrace) -> bool {
    let put_right = |place: usize| slips::is_put_right(&substep.actions, place);
    may_slip(substep)
        && substep.attempt == Attempt::Done
        && (0..).zip(&substep.actions).any(|(place, action)| failure_of(substep, action).is_some() || put_right(place))
}

/// A model tries, and may try again. Whoever follows a sentence word by word does nothing but what it says, so all of that counts.
fn may_slip(substep: &SubstepTrace) -> bool {
    substep.by == WalkerKind::Agent
}

/// What the verdict rests on: the sights around the substep, its actions, and what failed meanwhile.
fn evidence(substep: &SubstepTrace) -> Vec<String> {
    let sights = [&substep.before, &substep.after].into_iter().flatten().map(|sight| sight.id.clone());
    let actions = substep.actions.iter().map(|action| action.id.clone());
    let failures = substep.facts.iter().filter(|fact| is_failure(fact.kind)).map(|fact| fact.id.clone());
    let mut ids: Vec<String> = sights.chain(actions).chain(failures).collect();
    ids.dedup();
    ids
}

fn is_failure(kind: FactKind) -> bool {
    matches!(kind, FactKind::FailedRequest | FactKind::ConsoleError)
}

/// What was done is judged by what was expected; without an expectation, by whether it had its effect.
fn decided(substep: &SubstepTrace, after: &Sight) -> Finding {
    if let Some(reason) = counted(substep).find_map(|action| failure_of(substep, action)) {
        return Finding::fail(reason, blocked(substep, reason));
    }
    let outcomes: Vec<(&Expectation, Outcome)> =
        substep.expect.iter().map(|expected| (expected, check(expected, after))).collect();
    if let Some((expected, Outcome::Fails(reason))) =
        outcomes.iter().find(|(_, outcome)| matches!(outcome, Outcome::Fails(_)))
    {
        return Finding::fail(reason, unmet(substep, expected, after));
    }
    if let Some((_, Outcome::Unclear(reason))) =
        outcomes.iter().find(|(_, outcome)| matches!(outcome, Outcome::Unclear(_)))
    {
        return Finding::undecided(reason);
    }
    if substep.expect.iter().any(is_negative) && is_error_page(substep, after) {
        let reason = "the server answered with an error, so nothing can be missing from the page";
        return Finding::fail(reason, FailureCategory::DataOrBackend);
    }
    if !outcomes.is_empty() {
        return Finding::pass("everything expected can be seen");
    }
    if asks_to_look(&substep.text) {
        return Finding::undecided("no rule covers what is expected");
    }
    if substep.actions.iter().all(|action| only_looks(&action.action)) {
        return Finding::undecided("nothing was done, and no rule covers what is to be seen");
    }
    without_effect(substep)
}

/// The actions that must have worked: all but those that a model put right itself.
fn counted(substep: &SubstepTrace) -> impl Iterator<Item = &ActionTrace> {
    let put_right = move |place: usize| may_slip(substep) && slips::is_put_right(&substep.actions, place);
    let standing = (0..).zip(&substep.actions).filter(move |(place, _)| !put_right(*place));
    standing.map(|(_, action)| action)
}

/// Why an action failed. A look on the side, such as scrolling on, may fail; so may waiting that nobody but a model thought of.
fn failure_of<'a>(substep: &SubstepTrace, action: &'a ActionTrace) -> Option<&'a str> {
    let is_on_the_side = match action.action {
        Action::Scroll { .. } | Action::Dialog { .. } => true,
        Action::Wait { .. } => may_slip(substep),
        _ => false,
    };
    action.failed.as_deref().filter(|_| !is_on_the_side)
}

/// Without an expectation every action must have done something.
fn without_effect(substep: &SubstepTrace) -> Finding {
    match counted(substep).find(|action| !slips::had_effect(action)) {
        Some(action) => {
            Finding::fail(format!("{} had no effect", described(&action.action)), FailureCategory::UiOrNavigation)
        }
        None => Finding::pass("everything was done and had its effect"),
    }
}

fn described(action: &Action) -> String {
    match action {
        Action::Click { target } => format!("clicking \"{}\"", target.name),
        Action::Fill { target, .. } => format!("typing into \"{}\"", target.name),
        Action::Clear { target } => format!("clearing \"{}\"", target.name),
        Action::Select { target, .. } => format!("choosing in \"{}\"", target.name),
        _ => "an action".to_owned(),
    }
}

/// Why something could not be done.
fn blocked(substep: &SubstepTrace, reason: &str) -> FailureCategory {
    if is_about_signing(reason) {
        FailureCategory::Authorization
    } else if has_server_error(substep) {
        FailureCategory::DataOrBackend
    } else if reason.contains("not enabled") || reason.contains("does not offer") {
        FailureCategory::ValidationOrPolicyBlock
    } else if reason.contains("intercepts") || reason.contains("covers") || reason.contains("not visible") {
        FailureCategory::UiOrNavigation
    } else {
        FailureCategory::MissingFeature
    }
}

/// Whether words are about signing in or out. As whole words: nobody signs in by assigning something.
fn is_about_signing(words: &str) -> bool {
    let words = words.to_lowercase().replace('-', " ");
    SIGNING.iter().any(|signing| reading::contains(&words, signing))
}

/// Why something expected cannot be seen.
fn unmet(substep: &SubstepTrace, expected: &Expectation, after: &Sight) -> FailureCategory {
    let text = substep.text.to_lowercase();
    let is_missing = !matches!(expected, Expectation::Absent(_) | Expectation::Apart(_));
    if has_server_error(substep) {
        FailureCategory::DataOrBackend
    } else if is_missing && reading::all(&after.root).iter().any(|node| node.role == "alert") {
        FailureCategory::ValidationOrPolicyBlock
    } else if reading::contains(&text, "sign in") && !text.contains("go to") {
        FailureCategory::Authorization
    } else if matches!(expected, Expectation::Url(_) | Expectation::State(_) | Expectation::Field(_)) {
        FailureCategory::UiOrNavigation
    } else {
        FailureCategory::DataOrBackend
    }
}

fn has_server_error(substep: &SubstepTrace) -> bool {
    server_errors(substep).next().is_some()
}

/// Whether the page itself, and not only something that it asked for, is what a failing server had to say.
fn is_error_page(substep: &SubstepTrace, after: &Sight) -> bool {
    let page = after.url.split('#').next().unwrap_or_default();
    after.url.starts_with("chrome-error:") || server_errors(substep).any(|address| address == page)
}

/// The addresses that answered with an error of the server.
fn server_errors(substep: &SubstepTrace) -> impl Iterator<Item = &str> {
    let failed = substep.facts.iter().filter(|fact| fact.kind == FactKind::FailedRequest);
    failed.filter_map(|fact| {
        let (request, status) = fact.text.rsplit_once(": ")?;
        let address = request.split_once(' ').map_or(request, |(_, address)| address);
        (status.len() == 3 && status.starts_with('5')).then_some(address)
    })
}

#[cfg(test)]
mod tests;
