//! A frame of a page, whichever process it runs in.

use crate::error::BrowserError;
use crate::locator::{Locator, place_in_window};
use crate::page::Page;
use crate::page::evaluate::{Argument, Deadline, Invocation, Returned};
use crate::page::frames::FrameNode;
use crate::page::worlds::World;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// How long finding the frame behind an element may take.
const FRAME_LIMIT: Duration = Duration::from_secs(10);

/// A frame as it was when it was asked for; calls go to whatever document it holds now.
#[derive(Clone)]
pub struct Frame {
    page: Page,
    node: FrameNode,
}

impl Frame {
    pub(crate) fn new(page: Page, node: FrameNode) -> Self {
        Self { page, node }
    }

    pub(crate) fn page(&self) -> &Page {
        &self.page
    }

    /// A number that no other frame of the page ever has.
    pub fn sequence(&self) -> u64 {
        self.node.sequence
    }

    /// The session that speaks for the frame now, or none when it is gone.
    pub(crate) fn session(&self) -> Option<String> {
        self.page.state().inner().frames.get(&self.node.id).map(|node| node.session.clone())
    }

    pub fn id(&self) -> &str {
        &self.node.id
    }

    /// Its address when the frame was asked for.
    pub fn url(&self) -> &str {
        &self.node.url
    }

    pub fn parent(&self) -> Option<Frame> {
        self.node.parent.as_deref().and_then(|id| self.page.frame_by_id(id))
    }

    /// See [`Page::evaluate`].
    pub async fn evaluate<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        typed(self.run(function, argument, false, limit).await?)
    }

    /// See [`Page::evaluate_in_page`].
    pub async fn evaluate_in_page<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        typed(self.run(function, argument, true, limit).await?)
    }

    /// Calls `function` (`"function (argument) { … }"`) in our isolated world, with Playwright's engine as `this`.
    pub async fn evaluate_with_engine<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        let arguments = [Argument::Value(argument.clone())];
        let (_, returned) = self.ask_engine(function, &arguments, true, Deadline::after(limit)).await?;
        typed(returned.value())
    }

    /// Where the window of this frame begins in the page's window, and whether every frame around it shows.
    pub async fn place_in_window(&self, limit: Duration) -> Result<((f64, f64), bool), BrowserError> {
        place_in_window(self, Deadline::after(limit)).await
    }

    /// Elements within this frame; see [`Page::locator`].
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(self.page.clone(), Some(self.node.id.clone()), selector)
    }

    /// The frame that the first element of this CSS selector holds, or none.
    pub async fn child_frame_at(&self, css_selector: &str) -> Result<Option<Frame>, BrowserError> {
        let deadline = Deadline::after(FRAME_LIMIT);
        let world = self.isolated_world(deadline).await?;
        let arguments = [Argument::Value(json!(css_selector))];
        let function = "(selector) => document.querySelector(selector)";
        let call = Invocation { function, this: None, arguments: &arguments, by_value: false };
        match self.invoke(&world, call, deadline).await? {
            Returned::Value(_) => Ok(None),
            Returned::Object(element) => {
                let frame = self.content_frame(&world, &element, deadline).await;
                self.release(&world, &element);
                frame
            }
        }
    }

    /// The frame that the first element of a selector of Playwright holds, or none.
    pub async fn frame_within(&self, selector: &str, limit: Duration) -> Result<Option<Frame>, BrowserError> {
        let deadline = Deadline::after(limit);
        let function =
            "function (selector) { return this.querySelectorAll(this.parseSelector(selector), document)[0] ?? null; }";
        let (world, found) = self.ask_engine(function, &[Argument::Value(json!(selector))], false, deadline).await?;
        let Returned::Object(element) = found else { return Ok(None) };
        let frame = self.content_frame(&world, &element, deadline).await;
        self.release(&world, &element);
        frame
    }

    /// The frame that an element holds.
    pub(crate) async fn content_frame(
        &self,
        world: &World,
        element: &str,
        deadline: Deadline,
    ) -> Result<Option<Frame>, BrowserError> {
        let params = json!({ "objectId": element });
        let answer = self.page.call_session(&world.session, "DOM.describeNode", params, deadline.left()).await?;
        let node = &answer["node"];
        let holds_a_frame = matches!(node["nodeName"].as_str(), Some("IFRAME" | "FRAME"));
        let id = node["frameId"].as_str().filter(|_| holds_a_frame);
        Ok(id.and_then(|id| self.page.frame_by_id(id)))
    }

    /// The element of the parent that holds this frame, as a handle in the parent's isolated world.
    pub(crate) async fn owner(&self, deadline: Deadline) -> Result<Option<(Frame, World, String)>, BrowserError> {
        let Some(parent) = self.parent() else { return Ok(None) };
        let world = parent.isolated_world(deadline).await?;
        let params = json!({ "frameId": self.id() });
        let answer = self.page.call_session(&world.session, "DOM.getFrameOwner", params, deadline.left()).await?;
        let params = json!({ "backendNodeId": answer["backendNodeId"], "executionContextId": world.context });
        let answer = self.page.call_session(&world.session, "DOM.resolveNode", params, deadline.left()).await?;
        let object = answer["object"]["objectId"].as_str();
        let object = object.ok_or_else(|| BrowserError::bad_answer("DOM.resolveNode", "no object"))?;
        Ok(Some((parent, world, object.to_owned())))
    }
}

pub(crate) fn typed<T: DeserializeOwned>(value: Value) -> Result<T, BrowserError> {
    serde_json::from_value(value).map_err(|error| BrowserError::bad_answer("a script in the page", error.to_string()))
}
