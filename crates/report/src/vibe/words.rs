//! What the nouns of the vibe track are called on pages. Whatever an app or a model wrote is cleaned here; templates escape it.

use crate::text;
use benchwright_domain::vibe::expectation::{ControlState, Expectation};
use benchwright_domain::vibe::trace::{Action, Attempt, Effect, Ending, FactKind, Target, WalkerKind};
use benchwright_domain::vibe::verdict::{FailureCategory, Mark, SubstepVerdict, WorkflowKind, WorkflowState};

/// Longest name of an element or value in a line.
const NAME: usize = 80;

/// How a verdict looks: a class, a sign that can be told apart without colour, and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    pub class: &'static str,
    pub sign: &'static str,
    pub words: &'static str,
}

/// How the verdict on a substep looks.
pub fn look(verdict: &SubstepVerdict) -> Look {
    match verdict.mark {
        Mark::Pass => Look { class: "pass", sign: "✓", words: "passed" },
        _ if verdict.not_attempted => Look { class: "skipped", sign: "–", words: "not attempted" },
        Mark::Fail => Look { class: "fail", sign: "✗", words: "failed" },
        Mark::Undecided => Look { class: "undecided", sign: "?", words: "undecided, counts as failed" },
    }
}

/// A category of failure.
pub fn category(category: FailureCategory) -> &'static str {
    match category {
        FailureCategory::Authorization => "authorization",
        FailureCategory::MissingFeature => "missing feature",
        FailureCategory::ValidationOrPolicyBlock => "validation or policy block",
        FailureCategory::UiOrNavigation => "interface or navigation",
        FailureCategory::DataOrBackend => "data or back end",
        FailureCategory::Other => "other",
    }
}

/// How a walk ended, as a state of its workflow.
pub fn state(state: WorkflowState) -> &'static str {
    match state {
        WorkflowState::Judged => "judged",
        WorkflowState::AppDown => "app down",
        WorkflowState::EvaluatorStuck => "evaluator stuck",
        WorkflowState::AmbiguousSpec => "ambiguous specification",
        WorkflowState::TimedOut => "timed out",
        WorkflowState::NoAnswer => "no answer",
    }
}

/// What a workflow is for.
pub fn kind(kind: WorkflowKind) -> &'static str {
    match kind {
        WorkflowKind::Core => "core",
        WorkflowKind::Edge => "edge case",
        WorkflowKind::Regression => "regression",
    }
}

/// A way to walk.
pub fn walker(kind: WalkerKind) -> &'static str {
    match kind {
        WalkerKind::Resolver => "resolver",
        WalkerKind::Agent => "agent",
        WalkerKind::Replay => "replay",
        WalkerKind::Hybrid => "hybrid",
    }
}

/// How a walk ended.
pub fn ending(ending: &Ending) -> String {
    let (what, reason) = match ending {
        Ending::Walked => return "walked to its last substep".to_owned(),
        Ending::AppDown { reason } => ("the app did not answer", reason),
        Ending::Stuck { reason } => ("the walker was stuck", reason),
        Ending::TimedOut { reason } => ("the time was up", reason),
        Ending::NoAnswer { reason } => ("the walker’s model gave no usable answer", reason),
        Ending::BudgetSpent { reason } => ("the budget was spent", reason),
        Ending::Refused { reason } => ("the walker’s model could not be asked", reason),
    };
    with_reason(what, reason)
}

/// Why a substep was not simply done; nothing where it was.
pub fn attempt(attempt: &Attempt) -> Option<String> {
    match attempt {
        Attempt::Done => None,
        Attempt::Impossible { reason } => Some(with_reason("could not be done in this app", reason)),
        Attempt::Unsure { reason } => Some(with_reason("the walker was unsure", reason)),
        Attempt::NotAttempted { reason } => Some(with_reason("never reached", reason)),
    }
}

fn with_reason(what: &str, reason: &str) -> String {
    let reason = text::line_within(reason, 400);
    if reason.is_empty() { what.to_owned() } else { format!("{what}: {reason}") }
}

/// What was done, in a line.
pub fn action(action: &Action) -> String {
    match action {
        Action::Navigate { url } => format!("Open {}", text::line_within(url, 200)),
        Action::Click { target } => format!("Click {}", element(target)),
        Action::DoubleClick { target } => format!("Double-click {}", element(target)),
        Action::Fill { target, text } => format!("Type {} into {}", quoted(text), element(target)),
        Action::Clear { target } => format!("Empty {}", element(target)),
        Action::Press { target: Some(target), keys } => format!("Press {} on {}", short(keys), element(target)),
        Action::Press { target: None, keys } => format!("Press {}", short(keys)),
        Action::Select { target, options } => format!("Choose {} in {}", list(options), element(target)),
        Action::Check { target, checked: true } => format!("Tick {}", element(target)),
        Action::Check { target, checked: false } => format!("Untick {}", element(target)),
        Action::Hover { target } => format!("Point at {}", element(target)),
        Action::Focus { target } => format!("Focus {}", element(target)),
        Action::Scroll { target: Some(target), x, y } => format!("Scroll {} by {x}, {y}", element(target)),
        Action::Scroll { target: None, x, y } => format!("Scroll the page by {x}, {y}"),
        Action::Drag { from, to } => format!("Drag {} to {}", element(from), element(to)),
        Action::Upload { target, files } => format!("Upload {} to {}", list(files), element(target)),
        Action::Download { target } => format!("Download by {}", element(target)),
        Action::Back => "Go back".to_owned(),
        Action::Forward => "Go forward".to_owned(),
        Action::Reload => "Reload".to_owned(),
        Action::Wait { text: Some(text), .. } => format!("Wait for {}", quoted(text)),
        Action::Wait { milliseconds, text: None } => format!("Wait for {milliseconds} ms"),
        Action::SwitchTab { tab } => format!("Go to tab {}", tab.saturating_add(1)),
        Action::CloseTab { tab } => format!("Close tab {}", tab.saturating_add(1)),
        Action::Dialog { accept: true, text: Some(text) } => format!("Answer the dialog with {}", quoted(text)),
        Action::Dialog { accept: true, text: None } => "Accept the dialog".to_owned(),
        Action::Dialog { accept: false, .. } => "Dismiss the dialog".to_owned(),
        Action::FindText { text } => format!("Look for {}", quoted(text)),
    }
}

fn element(target: &Target) -> String {
    let name = if target.name.trim().is_empty() { "without a name".to_owned() } else { quoted(&target.name) };
    let mut words = format!("{} {name}", short(&target.role)).trim().to_owned();
    if target.nth > 0 {
        words = format!("{words} (number {})", target.nth.saturating_add(1));
    }
    if target.within.is_empty() { words } else { format!("{words} in {}", quoted(&target.within)) }
}

fn quoted(words: &str) -> String {
    format!("“{}”", short(words))
}

fn short(words: &str) -> String {
    text::line_within(words, NAME)
}

fn list(words: &[String]) -> String {
    words.iter().take(10).map(|word| quoted(word)).collect::<Vec<_>>().join(", ")
}

/// What an action changed; nothing is worth saying as well.
pub fn effect(effect: &Effect) -> String {
    let mut parts = Vec::new();
    parts.extend(effect.url.as_deref().map(|url| format!("now at {}", text::line_within(url, 200))));
    parts.extend(effect.tree.then(|| "page changed".to_owned()));
    parts.extend(match effect.requests {
        0 => None,
        1 => Some("1 request".to_owned()),
        more => Some(format!("{more} requests")),
    });
    if parts.is_empty() { "nothing changed".to_owned() } else { parts.join(", ") }
}

/// A kind of fact.
pub fn fact(kind: FactKind) -> &'static str {
    match kind {
        FactKind::Request => "Request",
        FactKind::FailedRequest => "Failed request",
        FactKind::ConsoleError => "Console error",
        FactKind::Dialog => "Dialog",
        FactKind::Download => "Download",
        FactKind::Tab => "Tab",
    }
}

/// What must hold, in words.
pub fn expectation(expectation: &Expectation) -> String {
    match expectation {
        Expectation::Text(text) => format!("{} can be seen", quoted(text)),
        Expectation::Absent(text) => format!("{} cannot be seen", quoted(text)),
        Expectation::Together(texts) => format!("{} stand in one entry", list(texts)),
        Expectation::Apart(texts) => format!("no entry holds all of {}", list(texts)),
        Expectation::Order(texts) => format!("in this order: {}", list(texts)),
        Expectation::Count(count) => format!("{} is there {} times", quoted(&count.text), count.is),
        Expectation::Field(field) => format!("field {} holds {}", quoted(&field.label), quoted(&field.value)),
        Expectation::State(state) => format!("{} is {}", quoted(&state.of), control(state.is)),
        Expectation::Choice(choice) => {
            let offers = if choice.offered { "offers" } else { "does not offer" };
            format!("{} {offers} {}", quoted(&choice.label), quoted(&choice.option))
        }
        Expectation::Url(text) => format!("the address contains {}", quoted(text)),
    }
}

fn control(state: ControlState) -> &'static str {
    match state {
        ControlState::Checked => "checked",
        ControlState::Unchecked => "not checked",
        ControlState::Enabled => "enabled",
        ControlState::Disabled => "disabled",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_reads_like_a_line_of_a_script() {
        let target =
            Target { role: "button".into(), name: "Save".into(), nth: 1, within: "Milk".into(), ..Target::default() };
        assert_eq!(action(&Action::Click { target }), "Click button “Save” (number 2) in “Milk”");
        let fill = Action::Fill { target: Target { role: "textbox".into(), ..Target::default() }, text: "a\nb".into() };
        assert_eq!(action(&fill), "Type “a b” into textbox without a name");
    }

    #[test]
    fn what_was_never_tried_does_not_look_like_a_failure() {
        let mut verdict = SubstepVerdict::new(1, Mark::Fail);
        assert_eq!(look(&verdict).sign, "✗");
        verdict.not_attempted = true;
        assert_eq!((look(&verdict).class, look(&verdict).sign), ("skipped", "–"));
        let signs = [Mark::Pass, Mark::Fail, Mark::Undecided].map(|mark| look(&SubstepVerdict::new(1, mark)).sign);
        assert_eq!(signs, ["✓", "✗", "?"]);
    }

    #[test]
    fn an_action_without_effect_says_so() {
        assert_eq!(effect(&Effect::default()), "nothing changed");
        let changed = Effect { url: Some("/list".into()), tree: true, requests: 1, ..Effect::default() };
        assert_eq!(effect(&changed), "now at /list, page changed, 1 request");
    }
}
