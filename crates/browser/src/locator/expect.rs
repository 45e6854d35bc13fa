//! Asking whether something holds of the elements now, in Playwright's own words.

use super::geometry::{all_visible, release_all};
use super::{Attempt, Locator, as_selector_fault};
use crate::error::BrowserError;
use crate::frame::{Frame, typed};
use crate::options::{Expectation, TextMatch};
use crate::page::evaluate::{Argument, Deadline};
use crate::records::cut;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const LOOK: &str = "async function (selector, question, framesVisible) { \
    const elements = this.querySelectorAll(this.parseSelector(selector), document); \
    const seen = { count: elements.length, holds: false, received: null }; \
    const shows = element => framesVisible && this.utils.isElementVisible(element); \
    if (question.expression === 'to.be.hidden') { \
      seen.holds = !elements.some(shows); \
      seen.received = seen.holds ? 'hidden' : 'visible'; \
      return seen; \
    } \
    if (!elements.length) return seen; \
    try { \
      const { matches, received } = await this.expectSingleElement(elements[0], question, framesVisible); \
      seen.holds = matches; \
      if (received !== undefined && received !== null) seen.received = String(received).slice(0, 4000); \
    } catch (error) { \
      seen.received = String(error?.message ?? error).slice(0, 400); \
    } \
    return seen; }";

/// What a look at the elements of a locator told.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub struct Sight {
    /// How many elements match.
    pub count: usize,
    /// Whether the expectation holds of the first of them.
    pub holds: bool,
    /// What was found instead or as expected: a text, a value, `visible`, `hidden`, …
    pub received: Option<String>,
}

impl Locator {
    /// Looks once. The question is about the first element that matches; [`Expectation::Hidden`] is about all of them.
    pub async fn expect(&self, expectation: &Expectation) -> Result<Sight, BrowserError> {
        let mut sight: Sight = self
            .ask_all(LOOK, &[question(expectation)])
            .await?
            .unwrap_or(Sight { holds: *expectation == Expectation::Hidden, ..Sight::default() });
        sight.received = sight.received.map(|text| cut(&text));
        Ok(sight)
    }

    /// Calls `function` (`"(elements, argument) => …"`) in our isolated world with every element that matches now; none when
    /// the frame they would be in is not there.
    pub async fn evaluate_all<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
    ) -> Result<Option<T>, BrowserError> {
        let all = format!(
            "function (selector, argument) {{ \
             return ({function})(this.querySelectorAll(this.parseSelector(selector), document), argument); }}"
        );
        self.ask_all(&all, std::slice::from_ref(argument)).await
    }

    /// Calls `function(selector, …, whether the frames around show)` with the engine as `this`.
    async fn ask_all<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: &[Value],
    ) -> Result<Option<T>, BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.until(deadline, async |_| {
            let Some((frame, selector)) = self.enter_frames(deadline).await? else { return Ok(Attempt::Done(None)) };
            let mut all = vec![Argument::Value(json!(selector))];
            all.extend(arguments.iter().cloned().map(Argument::Value));
            all.push(Argument::Value(json!(frames_show(&frame, deadline).await?)));
            let (_, answer) = frame.ask_engine(function, &all, true, deadline).await.map_err(as_selector_fault)?;
            Ok(Attempt::Done(Some(typed(answer.value())?)))
        })
        .await
    }
}

async fn frames_show(frame: &Frame, deadline: Deadline) -> Result<bool, BrowserError> {
    let owners = super::geometry::owners_of(frame, deadline).await?;
    release_all(&owners);
    Ok(all_visible(&owners))
}

/// The expectation as the engine wants to be asked.
fn question(expectation: &Expectation) -> Value {
    let asked = |expression: &str| json!({ "expression": expression, "isNot": false });
    match expectation {
        Expectation::Visible => asked("to.be.visible"),
        Expectation::Hidden => asked("to.be.hidden"),
        Expectation::Focused => asked("to.be.focused"),
        Expectation::Checked => with(asked("to.be.checked"), "expectedValue", json!({ "checked": true })),
        Expectation::Text(text) => with(asked("to.have.text"), "expectedText", json!([expected(text, true)])),
        Expectation::Value(text) => with(asked("to.have.value"), "expectedText", json!([expected(text, false)])),
        Expectation::Attribute { name, value: None } => with(asked("to.have.attribute"), "expressionArg", json!(name)),
        Expectation::Attribute { name, value: Some(text) } => {
            let named = with(asked("to.have.attribute.value"), "expressionArg", json!(name));
            with(named, "expectedText", json!([expected(text, false)]))
        }
    }
}

fn with(mut question: Value, key: &str, value: Value) -> Value {
    question[key] = value;
    question
}

fn expected(text: &TextMatch, normalize: bool) -> Value {
    match text {
        TextMatch::Exact(text) => json!({ "string": text, "normalizeWhiteSpace": normalize }),
        TextMatch::Substring(text) => {
            json!({ "string": text, "matchSubstring": true, "ignoreCase": true, "normalizeWhiteSpace": normalize })
        }
        TextMatch::Regex { pattern, flags } => json!({ "regexSource": pattern, "regexFlags": flags }),
    }
}
