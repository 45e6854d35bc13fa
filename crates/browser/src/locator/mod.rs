//! Elements by description: looked up anew for every call, acted on as a person would.

mod act;
mod expect;
mod geometry;
mod read;

pub use expect::Sight;
pub(crate) use geometry::place_in_window;

use crate::error::BrowserError;
use crate::frame::Frame;
use crate::page::Page;
use crate::page::evaluate::{Argument, Deadline, Returned};
use crate::page::worlds::World;
use crate::selectors::ENTER_FRAME;
use serde_json::{Value, json};
use std::time::Duration;

/// How long an action may wait for its element when nobody says otherwise.
pub(crate) const ACTION_LIMIT: Duration = Duration::from_secs(30);
/// Pauses between attempts; the last one repeats.
const PAUSES_MS: [u64; 6] = [0, 20, 50, 100, 100, 500];

const FIND: &str = "function (selector, strict) { \
    const parsed = this.parseSelector(selector); \
    const elements = this.querySelectorAll(parsed, document); \
    if (strict && elements.length > 1) throw this.strictModeViolationError(parsed, elements); \
    return elements[0] ?? null; }";
const COUNT: &str = "function (selector) { \
    return this.querySelectorAll(this.parseSelector(selector), document).length; }";

/// A way to find elements. Actions want exactly one and wait for it.
#[derive(Clone)]
pub struct Locator {
    page: Page,
    /// None is the main frame, whichever document it holds.
    frame: Option<String>,
    selector: String,
    limit: Duration,
}

/// An element that was found, held until it is let go.
struct Found {
    frame: Frame,
    world: World,
    element: String,
}

/// How one try of an action ended.
enum Attempt<T> {
    Done(T),
    /// Not yet, and why.
    NotYet(String),
}

impl Locator {
    pub(crate) fn new(page: Page, frame: Option<String>, selector: &str) -> Self {
        Self { page, frame, selector: selector.to_owned(), limit: ACTION_LIMIT }
    }

    /// The same with another limit for its calls.
    pub fn with_timeout(&self, limit: Duration) -> Self {
        Self { limit, ..self.clone() }
    }

    pub fn selector(&self) -> &str {
        &self.selector
    }

    /// Elements within the elements of this one.
    pub fn locator(&self, selector: &str) -> Self {
        Self { selector: format!("{} >> {selector}", self.selector), ..self.clone() }
    }

    /// Elements within the frame that this element holds.
    pub fn inside_frame(&self, selector: &str) -> Self {
        Self { selector: format!("{}{ENTER_FRAME}{selector}", self.selector), ..self.clone() }
    }

    /// Counted from 0.
    pub fn nth(&self, index: usize) -> Self {
        self.locator(&format!("nth={index}"))
    }

    pub fn first(&self) -> Self {
        self.nth(0)
    }

    pub fn last(&self) -> Self {
        self.locator("nth=-1")
    }

    /// How many elements match now.
    pub async fn count(&self) -> Result<usize, BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.until(deadline, async |_| {
            let Some((frame, selector)) = self.enter_frames(deadline).await? else { return Ok(Attempt::Done(0)) };
            let arguments = [Argument::Value(json!(selector))];
            let (_, count) = frame.ask_engine(COUNT, &arguments, true, deadline).await.map_err(as_selector_fault)?;
            let count = count.value().as_u64().unwrap_or_default();
            Ok(Attempt::Done(usize::try_from(count).unwrap_or(usize::MAX)))
        })
        .await
    }

    /// Tries until it works or the time is up. A document that goes away under a try is another reason to try again.
    async fn until<T>(
        &self,
        deadline: Deadline,
        mut attempt: impl AsyncFnMut(usize) -> Result<Attempt<T>, BrowserError>,
    ) -> Result<T, BrowserError> {
        let mut reason: Option<String> = None;
        for number in 0.. {
            match attempt(number).await {
                Ok(Attempt::Done(value)) => return Ok(value),
                Ok(Attempt::NotYet(why)) => reason = Some(why),
                Err(error) if error.is_lost_context() => {
                    reason = Some("the page is navigating".to_owned());
                }
                Err(ref error @ BrowserError::TimedOut { .. }) if reason.is_some() && !error.may_have_acted() => break,
                Err(error) => return Err(error),
            }
            let pause = Duration::from_millis(PAUSES_MS[number.min(PAUSES_MS.len() - 1)]);
            tokio::time::sleep(pause.min(deadline.left())).await;
            if deadline.is_over() {
                break;
            }
        }
        Err(BrowserError::NotActionable {
            selector: self.selector.clone(),
            reason: reason.unwrap_or_else(|| "no time".to_owned()),
            seconds: deadline.limit().as_secs_f64(),
        })
    }

    /// The one element that matches now.
    async fn find(&self, deadline: Deadline) -> Result<Option<Found>, BrowserError> {
        let Some((frame, selector)) = self.enter_frames(deadline).await? else { return Ok(None) };
        find_in(&frame, selector, true, deadline).await
    }

    /// The frame the last part of the selector speaks of, and that part.
    async fn enter_frames(&self, deadline: Deadline) -> Result<Option<(Frame, &str)>, BrowserError> {
        let start = match &self.frame {
            None => Some(self.page.main_frame()),
            Some(id) => self.page.frame_by_id(id),
        };
        let Some(mut frame) = start else { return Ok(None) };
        let mut rest = self.selector.as_str();
        while let Some((outer, inner)) = rest.split_once(ENTER_FRAME) {
            frame = jump(&self.page, frame, outer);
            let Some(found) = find_in(&frame, outer, true, deadline).await? else { return Ok(None) };
            let child = frame.content_frame(&found.world, &found.element, deadline).await;
            found.release();
            match child? {
                Some(child) => frame = child,
                None => return Ok(None),
            }
            rest = inner;
        }
        Ok(Some((jump(&self.page, frame, rest), rest)))
    }
}

/// References such as `f2e7` name their frame themselves.
fn jump(page: &Page, frame: Frame, selector: &str) -> Frame {
    frame_of_reference(selector).and_then(|sequence| page.frame_by_sequence(sequence)).unwrap_or(frame)
}

fn frame_of_reference(selector: &str) -> Option<u64> {
    let reference = selector.trim_start().strip_prefix("aria-ref=f")?;
    let (sequence, _) = reference.split_once('e')?;
    sequence.parse().ok()
}

async fn find_in(
    frame: &Frame,
    selector: &str,
    strict: bool,
    deadline: Deadline,
) -> Result<Option<Found>, BrowserError> {
    let arguments = [Argument::Value(json!(selector)), Argument::Value(json!(strict))];
    let (world, found) = frame.ask_engine(FIND, &arguments, false, deadline).await.map_err(as_selector_fault)?;
    Ok(match found {
        Returned::Value(_) => None,
        Returned::Object(element) => Some(Found { frame: frame.clone(), world, element }),
    })
}

fn as_selector_fault(error: BrowserError) -> BrowserError {
    match error {
        BrowserError::Script { message } => BrowserError::Selector { message },
        other => other,
    }
}

impl Found {
    /// Calls `function(element, …)` with the engine as `this`.
    async fn ask(&self, function: &str, arguments: &[Value], deadline: Deadline) -> Result<Value, BrowserError> {
        self.ask_for(function, arguments, true, deadline).await.map(Returned::value)
    }

    async fn ask_for(
        &self,
        function: &str,
        arguments: &[Value],
        by_value: bool,
        deadline: Deadline,
    ) -> Result<Returned, BrowserError> {
        let mut all = vec![Argument::Object(self.element.clone())];
        all.extend(arguments.iter().cloned().map(Argument::Value));
        self.frame.ask_engine(function, &all, by_value, deadline).await.map(|(_, returned)| returned)
    }

    fn release(&self) {
        self.frame.release(&self.world, &self.element);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_references_into_frames_jump() {
        assert_eq!(frame_of_reference("aria-ref=f12e3"), Some(12));
        assert_eq!(frame_of_reference("aria-ref=e3"), None);
        assert_eq!(frame_of_reference("css=f1e2"), None);
    }
}
