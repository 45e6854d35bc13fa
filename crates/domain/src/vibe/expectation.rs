//! What must hold after a substep, in a form that machines can check.
//!
//! A text is found where it stands as whole words, with the same capital letters: `Low` is not in
//! `Lower`, `3` is neither in `30` nor in `3.60`. What only stands in a closed drop-down list is not seen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must hold. `T` is a text, with or without its place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Expectation<T = String> {
    /// The text can be seen.
    Text(T),
    /// The text cannot be seen.
    Absent(T),
    /// The texts stand in one row, card or list entry.
    Together(Vec<T>),
    /// No row, card or list entry holds all of the texts.
    Apart(Vec<T>),
    /// The texts stand one after the other, as people read.
    Order(Vec<T>),
    /// So many rows, cards or list entries show the text.
    Count(Count<T>),
    /// A field holds a value.
    Field(FieldValue<T>),
    /// A control is in a state.
    State(StateOf<T>),
    /// A choice offers an option, or does not.
    Choice(ChoiceOf<T>),
    /// The address contains the text.
    Url(T),
}

/// How often something is there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Count<T = String> {
    /// What to look for.
    pub text: T,
    /// How often.
    pub is: u32,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FieldValue<T = String> {
    /// The field's label.
    pub label: T,
    /// What stands in it; may be empty.
    pub value: T,
}

/// What state a control is in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StateOf<T = String> {
    /// The control's name.
    pub of: T,
    /// Its state.
    pub is: ControlState,
}

/// Whether an option can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChoiceOf<T = String> {
    /// The choice's label.
    pub label: T,
    /// The option's text.
    pub option: T,
    /// Whether it must be there.
    pub offered: bool,
}

/// The states of controls that can be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ControlState {
    /// Ticked, selected or pressed.
    Checked,
    /// None of these.
    Unchecked,
    /// It can be used.
    Enabled,
    /// It cannot be used.
    Disabled,
}

impl<T> Expectation<T> {
    /// All texts in it.
    pub fn texts(&self) -> Vec<&T> {
        match self {
            Self::Text(text) | Self::Absent(text) | Self::Url(text) => vec![text],
            Self::Together(texts) | Self::Apart(texts) | Self::Order(texts) => texts.iter().collect(),
            Self::Count(count) => vec![&count.text],
            Self::Field(field) => vec![&field.label, &field.value],
            Self::State(state) => vec![&state.of],
            Self::Choice(choice) => vec![&choice.label, &choice.option],
        }
    }

    /// The same with other texts.
    pub fn map<U>(&self, other: impl Fn(&T) -> U) -> Expectation<U> {
        let all = |texts: &[T]| texts.iter().map(&other).collect();
        match self {
            Self::Text(text) => Expectation::Text(other(text)),
            Self::Absent(text) => Expectation::Absent(other(text)),
            Self::Together(texts) => Expectation::Together(all(texts)),
            Self::Apart(texts) => Expectation::Apart(all(texts)),
            Self::Order(texts) => Expectation::Order(all(texts)),
            Self::Count(count) => Expectation::Count(Count { text: other(&count.text), is: count.is }),
            Self::Field(field) => {
                Expectation::Field(FieldValue { label: other(&field.label), value: other(&field.value) })
            }
            Self::State(state) => Expectation::State(StateOf { of: other(&state.of), is: state.is }),
            Self::Choice(choice) => Expectation::Choice(ChoiceOf {
                label: other(&choice.label),
                option: other(&choice.option),
                offered: choice.offered,
            }),
            Self::Url(text) => Expectation::Url(other(text)),
        }
    }

    /// How many texts it needs at least; further ones may be empty.
    pub fn fewest_texts(&self) -> usize {
        match self {
            Self::Together(_) | Self::Apart(_) | Self::Order(_) | Self::Choice(_) => 2,
            _ => 1,
        }
    }
}
