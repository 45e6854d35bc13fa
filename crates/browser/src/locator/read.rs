//! Reading an element.

use super::act::with_element;
use super::geometry::{Point, all_visible, in_window, release_all};
use super::{Attempt, Found, Locator};
use crate::error::BrowserError;
use crate::frame::typed;
use crate::options::{ElementState, Shot};
use crate::page::evaluate::{Deadline, Invocation};
use benchwright_domain::Rect;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

const TEXT: &str = "function (element) { return element.textContent ?? ''; }";
const INPUT_VALUE: &str = "function (element) { \
    const field = this.retarget(element, 'follow-label'); \
    if (!field || !['INPUT', 'TEXTAREA', 'SELECT'].includes(field.nodeName)) \
      throw this.createStacklessError('Node is not an <input>, <textarea> or <select> element'); \
    return field.value; }";
const ATTRIBUTE: &str = "function (element, name) { return element.getAttribute(name); }";
const VISIBLE: &str = "function (element, frames) { return this.elementState(element, 'visible', frames).matches; }";
const CHECKED: &str = "function (element) { return this.elementState(element, 'checked').matches; }";
const ENABLED: &str = "function (element) { return this.elementState(element, 'enabled').matches; }";
const FOCUSED: &str = "function (element) { \
    return element.getRootNode().activeElement === element && document.hasFocus(); }";
const BOX: &str = "function (element) { \
    const box = element.getBoundingClientRect(); \
    return { x: box.x, y: box.y, width: box.width, height: box.height }; }";

impl Locator {
    pub async fn text_content(&self) -> Result<String, BrowserError> {
        self.read(TEXT, &[]).await
    }

    pub async fn input_value(&self) -> Result<String, BrowserError> {
        self.read(INPUT_VALUE, &[]).await
    }

    pub async fn get_attribute(&self, name: &str) -> Result<Option<String>, BrowserError> {
        self.read(ATTRIBUTE, &[json!(name)]).await
    }

    pub async fn is_checked(&self) -> Result<bool, BrowserError> {
        self.read(CHECKED, &[]).await
    }

    pub async fn is_enabled(&self) -> Result<bool, BrowserError> {
        self.read(ENABLED, &[]).await
    }

    pub async fn is_focused(&self) -> Result<bool, BrowserError> {
        self.read(FOCUSED, &[]).await
    }

    /// Whether it shows now; no element does not show.
    pub async fn is_visible(&self) -> Result<bool, BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.until(deadline, async |_| Ok(Attempt::Done(self.presence(deadline).await? == Some(true)))).await
    }

    /// Waits for a state.
    pub async fn wait_for(&self, state: ElementState, limit: Duration) -> Result<(), BrowserError> {
        let deadline = Deadline::after(limit);
        self.until(deadline, async |_| {
            let presence = self.presence(deadline).await?;
            let (holds, otherwise) = match state {
                ElementState::Attached => (presence.is_some(), "no element matches"),
                ElementState::Detached => (presence.is_none(), "the element is still there"),
                ElementState::Visible => (presence == Some(true), "it is not visible"),
                ElementState::Hidden => (presence != Some(true), "it is still visible"),
            };
            Ok(if holds { Attempt::Done(()) } else { Attempt::NotYet(otherwise.to_owned()) })
        })
        .await
    }

    /// Its box in CSS pixels of the page, from the page's top left corner; none when it has no area.
    pub async fn bounding_box(&self) -> Result<Option<Rect>, BrowserError> {
        let deadline = Deadline::after(self.limit);
        self.on_element(deadline, async |found, _| Ok(Attempt::Done(self.box_of(found, deadline).await?))).await
    }

    /// A photograph of the element alone.
    pub async fn screenshot(&self, limit: Duration) -> Result<Vec<u8>, BrowserError> {
        let deadline = Deadline::after(limit);
        let area = self.with_timeout(limit).bounding_box().await?;
        let area = area.ok_or_else(|| BrowserError::NotActionable {
            selector: self.selector.clone(),
            reason: "the element has no area".to_owned(),
            seconds: limit.as_secs_f64(),
        })?;
        self.page.screenshot(Shot::Clip(area), deadline.left()).await
    }

    /// Calls `function` (`"(element, argument) => …"`) in our isolated world.
    pub async fn evaluate<T: DeserializeOwned>(&self, function: &str, argument: &Value) -> Result<T, BrowserError> {
        let deadline = Deadline::after(self.limit);
        let value = self
            .on_element(deadline, async |found, _| {
                let arguments = with_element(&found.element, argument);
                let call = Invocation { function, this: None, arguments: &arguments, by_value: true };
                found.frame.invoke(&found.world, call, deadline).await.map(|value| Attempt::Done(value.value()))
            })
            .await?;
        typed(value)
    }

    async fn read<T: DeserializeOwned>(&self, function: &str, arguments: &[Value]) -> Result<T, BrowserError> {
        let deadline = Deadline::after(self.limit);
        let read = async |found: &Found, _| found.ask(function, arguments, deadline).await.map(Attempt::Done);
        typed(self.on_element(deadline, read).await?)
    }

    /// None: not there; otherwise whether it shows.
    async fn presence(&self, deadline: Deadline) -> Result<Option<bool>, BrowserError> {
        let Some(found) = self.find(deadline).await? else { return Ok(None) };
        let visible = found.is_visible(deadline).await;
        found.release();
        visible.map(Some)
    }

    async fn box_of(&self, found: &Found, deadline: Deadline) -> Result<Option<Rect>, BrowserError> {
        let answer = found.ask(BOX, &[], deadline).await?;
        let size = |name: &str| answer[name].as_f64().unwrap_or_default();
        let (width, height) = (size("width"), size("height"));
        if width <= 0.0 || height <= 0.0 {
            return Ok(None);
        }
        let owners = found.owners(deadline).await?;
        let corner = in_window(Point { x: size("x"), y: size("y") }, &owners);
        release_all(&owners);
        let scroll: Value =
            self.page.evaluate("() => ({ x: scrollX, y: scrollY })", &Value::Null, deadline.left()).await?;
        let scroll = Point::of(&scroll).unwrap_or(Point { x: 0.0, y: 0.0 });
        Ok(Some(Rect { x: corner.x + scroll.x, y: corner.y + scroll.y, width, height }))
    }
}

impl Found {
    async fn is_visible(&self, deadline: Deadline) -> Result<bool, BrowserError> {
        let owners = self.owners(deadline).await?;
        let frames_visible = all_visible(&owners);
        release_all(&owners);
        let answer = self.ask(VISIBLE, &[json!(frames_visible)], deadline).await?;
        Ok(answer.as_bool().unwrap_or(false))
    }
}
