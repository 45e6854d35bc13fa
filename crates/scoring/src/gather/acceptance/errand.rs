//! Criteria as they are walked: read into what the browser is asked, and grouped by the context they share.

use crate::evidence::acceptance::Weight;
use crate::gather::StepError;
use crate::prompt::{Assertion, Criterion, CustomCheck, Locator, Prompt, SetupStep, SyntaxError};

/// One criterion, ready to be walked.
pub(super) struct Errand {
    pub(super) id: String,
    pub(super) weight: Weight,
    pub(super) setup: Vec<Action>,
    pub(super) target: Target,
    pub(super) assertion: Assertion,
    pub(super) custom: Option<CustomCheck>,
}

/// A locator as it was written and as the engine wants it.
pub(super) struct Target {
    pub(super) text: String,
    pub(super) selector: String,
}

/// One setup step.
pub(super) enum Action {
    Evaluate { script: String },
    Fill { target: Target, value: String },
    Click { target: Target },
    Press { target: Target, key: String },
    Reload,
    WaitFor { target: Target },
    RevealLoginForm,
}

impl Action {
    /// The name the prompt has for it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Evaluate { .. } => "evaluate",
            Self::Fill { .. } => "fill",
            Self::Click { .. } => "click",
            Self::Press { .. } => "press",
            Self::Reload => "reload",
            Self::WaitFor { .. } => "waitFor",
            Self::RevealLoginForm => "revealLoginForm",
        }
    }

    /// What it acts on, if anything.
    pub(super) fn target(&self) -> Option<&Target> {
        match self {
            Self::Fill { target, .. }
            | Self::Click { target }
            | Self::Press { target, .. }
            | Self::WaitFor { target } => Some(target),
            Self::Evaluate { .. } | Self::Reload | Self::RevealLoginForm => None,
        }
    }
}

/// The criteria of a prompt, those that must hold first. Each inner list shares one context.
pub(super) fn groups(prompt: &Prompt) -> Result<Vec<Vec<Errand>>, StepError> {
    let mut groups: Vec<Vec<Errand>> = Vec::new();
    for (list, weight) in [(&prompt.must_have, Weight::Must), (&prompt.should_have, Weight::Should)] {
        for (position, criterion) in list.iter().enumerate() {
            let errand = errand(criterion, weight).map_err(|error| {
                // Only a prompt frozen before the grammar was checked can get here.
                StepError::Page(format!("the criterion `{}` cannot be read: {}", criterion.id, error.problem))
            })?;
            match groups.last_mut() {
                Some(group) if criterion.chain && position > 0 => group.push(errand),
                _ => groups.push(vec![errand]),
            }
        }
    }
    Ok(groups)
}

fn errand(criterion: &Criterion, weight: Weight) -> Result<Errand, SyntaxError> {
    Ok(Errand {
        id: criterion.id.clone(),
        weight,
        setup: criterion.setup.iter().map(action).collect::<Result<_, _>>()?,
        target: target(&criterion.locator)?,
        assertion: Assertion::parse(&criterion.assert)?,
        custom: criterion.custom.as_deref().map(CustomCheck::parse).transpose()?,
    })
}

fn action(step: &SetupStep) -> Result<Action, SyntaxError> {
    Ok(match step {
        SetupStep::Evaluate { expr } => Action::Evaluate { script: expr.clone() },
        SetupStep::Fill { locator, value } => Action::Fill { target: target(locator)?, value: value.clone() },
        SetupStep::Click { locator } => Action::Click { target: target(locator)? },
        SetupStep::Press { locator, key } => Action::Press { target: target(locator)?, key: key.clone() },
        SetupStep::Reload {} => Action::Reload,
        SetupStep::WaitFor { locator } => Action::WaitFor { target: target(locator)? },
        SetupStep::RevealLoginForm {} => Action::RevealLoginForm,
    })
}

fn target(text: &str) -> Result<Target, SyntaxError> {
    Ok(Target { text: text.to_owned(), selector: Locator::parse(text)?.selector })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chained_criteria_share_a_group_and_lists_never_do() {
        let criterion = |id: &str, chain: bool| {
            let more = if chain { "\n    chain: true" } else { "" };
            format!("  - id: {id}\n    locator: getByRole('main')\n    assert: toBeVisible{more}\n")
        };
        let text = format!(
            "id: a\ntier: 1\nprompt: Build a page about lighthouses.\nmust_have:\n{}{}{}should_have:\n{}{}",
            criterion("a", false),
            criterion("b", true),
            criterion("c", false),
            criterion("d", false),
            criterion("e", true)
        );
        let prompt = crate::prompt::load(&text, "a.yaml").unwrap();
        let ids: Vec<Vec<String>> =
            groups(&prompt).unwrap().into_iter().map(|g| g.into_iter().map(|errand| errand.id).collect()).collect();
        assert_eq!(ids, [vec!["a", "b"], vec!["c"], vec!["d", "e"]]);
    }
}
