//! One page: load it, look at it, act on it.

pub(crate) mod aria;
pub(crate) mod closed_roots;
pub(crate) mod console;
pub(crate) mod dialogs;
pub(crate) mod documents;
pub(crate) mod engine;
pub(crate) mod evaluate;
pub(crate) mod exchanges;
pub(crate) mod frames;
pub(crate) mod navigate;
pub(crate) mod network;
pub(crate) mod screenshot;
pub(crate) mod setup;
pub(crate) mod state;
pub(crate) mod worlds;

use crate::browser::Browser;
use crate::connection::CALL_LIMIT;
use crate::error::BrowserError;
use crate::frame::Frame;
use crate::locator::Locator;
use crate::options::{TextMatch, Viewport};
use crate::records::PageLog;
use crate::selectors;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use state::PageState;
use std::sync::Arc;
use std::time::Duration;

/// A page (tab). Clones are handles to the same page.
#[derive(Clone)]
pub struct Page {
    browser: Browser,
    state: Arc<PageState>,
}

impl Page {
    pub(crate) fn new(browser: Browser, state: Arc<PageState>) -> Self {
        Self { browser, state }
    }

    pub(crate) fn state(&self) -> &PageState {
        &self.state
    }

    pub(crate) fn connection(&self) -> &crate::connection::Connection {
        &self.browser.core().connection
    }

    pub(crate) fn engine_source(&self) -> Option<&str> {
        self.browser.core().engine.as_deref()
    }

    /// Calls the page's own session; a dead page fails at once.
    pub(crate) async fn call(
        &self,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        self.call_session(&self.state.session, method, params, limit).await
    }

    pub(crate) async fn call_session(
        &self,
        session: &str,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        match self.fault() {
            Some(fault) => Err(fault),
            None => self.connection().call(Some(session), method, params, limit).await,
        }
    }

    /// Why nothing can be asked of the page any more, if so.
    pub(crate) fn fault(&self) -> Option<BrowserError> {
        match self.state.fault() {
            Some(BrowserError::Closed) if !self.browser.is_connected() => Some(BrowserError::Disconnected),
            other => other,
        }
    }

    /// The address shown now.
    pub fn url(&self) -> String {
        let inner = self.state.inner();
        inner.frames.get(inner.frames.main()).map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// A copy of what was recorded so far.
    pub fn log(&self) -> PageLog {
        self.state.inner().log.clone()
    }

    /// Forgets what was recorded; a crash stays known.
    pub fn clear_log(&self) {
        let mut inner = self.state.inner();
        let crashed = inner.log.crashed;
        inner.log = PageLog { crashed, ..PageLog::default() };
        inner.network.log_cleared();
        inner.exchanges.clear();
    }

    /// Whether the page is neither closed nor crashed.
    pub fn is_open(&self) -> bool {
        self.fault().is_none()
    }

    pub fn is_crashed(&self) -> bool {
        self.state.fault() == Some(BrowserError::Crashed)
    }

    /// Gives the page another window.
    pub async fn set_viewport(&self, viewport: Viewport) -> Result<(), BrowserError> {
        for (method, params) in setup::viewport_commands(viewport) {
            self.call(method, params, CALL_LIMIT).await?;
        }
        Ok(())
    }

    /// From now on every response comes from the server, whatever the context's cache holds.
    pub async fn bypass_cache(&self) -> Result<(), BrowserError> {
        self.call("Network.setCacheDisabled", json!({ "cacheDisabled": true }), CALL_LIMIT).await.map(drop)
    }

    /// Calls `function` (`"(argument) => …"`, async or not) in our isolated world of the main frame: it sees the
    /// document but not the page's own scripts, nor they it. The result comes back by value.
    pub async fn evaluate<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        self.main_frame().evaluate(function, argument, limit).await
    }

    /// Like [`Page::evaluate`], in the world of the page's own scripts.
    pub async fn evaluate_in_page<T: DeserializeOwned>(
        &self,
        function: &str,
        argument: &Value,
        limit: Duration,
    ) -> Result<T, BrowserError> {
        self.main_frame().evaluate_in_page(function, argument, limit).await
    }

    /// Runs a script of somebody else's in the world of the page's own scripts, whatever the page's policy says of `eval`. A script
    /// that is a function is called; what it gives is waited for and dropped.
    pub async fn run_script(&self, script: &str, limit: Duration) -> Result<(), BrowserError> {
        self.main_frame().run_script(script, limit).await
    }

    /// Every frame, the main one first, frames of other processes included.
    #[expect(clippy::unused_async, reason = "callers must not rely on the tree being known without asking")]
    pub async fn frames(&self) -> Vec<Frame> {
        let nodes = self.state.inner().frames.ordered();
        nodes.into_iter().map(|node| Frame::new(self.clone(), node)).collect()
    }

    pub fn main_frame(&self) -> Frame {
        let inner = self.state.inner();
        let node = inner.frames.get(inner.frames.main()).cloned();
        drop(inner);
        // The tree is made with a main frame and never gives it up.
        let node = node.unwrap_or_else(|| frames::FrameNode {
            id: self.state.target.clone(),
            parent: None,
            url: String::new(),
            session: self.state.session.clone(),
            sequence: 0,
        });
        Frame::new(self.clone(), node)
    }

    pub(crate) fn frame_by_id(&self, id: &str) -> Option<Frame> {
        let node = self.state.inner().frames.get(id).cloned();
        node.map(|node| Frame::new(self.clone(), node))
    }

    /// The frame of this number; see [`Frame::sequence`].
    pub fn frame_by_sequence(&self, sequence: u64) -> Option<Frame> {
        let node = self.state.inner().frames.by_sequence(sequence).cloned();
        node.map(|node| Frame::new(self.clone(), node))
    }

    /// Elements by a selector of Playwright, such as `css=main`, `text=Hello`, `internal:role=button[name="Save"i]`.
    pub fn locator(&self, selector: &str) -> Locator {
        Locator::new(self.clone(), None, selector)
    }

    pub fn get_by_role(&self, role: &str, name: Option<TextMatch>) -> Locator {
        self.locator(&selectors::by_role(role, &selectors::RoleOptions { name, ..Default::default() }))
    }

    pub fn get_by_label(&self, text: &TextMatch) -> Locator {
        self.locator(&selectors::by_label(text))
    }

    pub fn get_by_text(&self, text: &TextMatch) -> Locator {
        self.locator(&selectors::by_text(text))
    }

    pub fn get_by_placeholder(&self, text: &TextMatch) -> Locator {
        self.locator(&selectors::by_attribute("placeholder", text))
    }

    pub fn get_by_alt_text(&self, text: &TextMatch) -> Locator {
        self.locator(&selectors::by_attribute("alt", text))
    }

    pub fn get_by_title(&self, text: &TextMatch) -> Locator {
        self.locator(&selectors::by_attribute("title", text))
    }

    /// By `data-testid`.
    pub fn get_by_test_id(&self, id: &str) -> Locator {
        self.locator(&selectors::by_test_id(&TextMatch::Exact(id.to_owned())))
    }

    /// Closes the page without asking it.
    pub async fn close(&self) -> Result<(), BrowserError> {
        if self.fault() == Some(BrowserError::Closed) {
            return Ok(());
        }
        self.browser.call("Target.closeTarget", json!({ "targetId": self.state.target })).await?;
        let mut changes = self.state.changes();
        let closed = async {
            while self.state.fault().is_none() {
                let _ = changes.changed().await;
            }
        };
        tokio::time::timeout(CALL_LIMIT, closed)
            .await
            .map_err(|_| BrowserError::timed_out("closing a page", CALL_LIMIT))
    }
}
