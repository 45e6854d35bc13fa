//! The browser as a whole: who is attached, and whose event is whose.

use crate::connection::{CALL_LIMIT, Connection, EventSink, lock, read_messages, write_messages};
use crate::context::{Context, ContextState};
use crate::error::BrowserError;
use crate::options::{ContextOptions, EngineSource};
use crate::page::setup;
use crate::page::state::PageState;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tokio::task::AbortHandle;

/// Windows one context may have open; further ones are closed as they open.
const MAX_PAGES: usize = 12;

/// A running Chromium.
#[derive(Clone)]
pub struct Browser {
    link: Arc<Link>,
}

/// Closes the pipe when the last handle is gone.
struct Link {
    core: Arc<Core>,
    tasks: [AbortHandle; 2],
}

impl Drop for Link {
    fn drop(&mut self) {
        for task in &self.tasks {
            task.abort();
        }
    }
}

/// What the handles and the reading task share.
pub(crate) struct Core {
    pub(crate) connection: Connection,
    /// The engine, wrapped so that its evaluation gives a factory.
    pub(crate) engine: Option<String>,
    attached: Mutex<Attached>,
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Attached {
    contexts: HashMap<String, Arc<ContextState>>,
    /// Every session of a page, its frames and its workers.
    sessions: HashMap<String, Arc<PageState>>,
    /// By target, in order of opening within a context.
    pages: Vec<Arc<PageState>>,
}

impl Browser {
    /// Takes over a Chromium that was started with `--remote-debugging-pipe`.
    pub async fn connect<R, W>(reader: R, writer: W, engine: Option<EngineSource>) -> Result<Browser, BrowserError>
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (connection, outbox) = Connection::new();
        let core = Arc::new(Core {
            connection,
            engine: engine.map(|source| source.0),
            attached: Mutex::new(Attached::default()),
            changed: watch::channel(()).0,
        });
        let writing = tokio::spawn(write_messages(writer, outbox)).abort_handle();
        let sink = Arc::new(Router { core: Arc::clone(&core) });
        let reading_core = Arc::clone(&core);
        let reading = tokio::spawn(async move { read_messages(reader, &reading_core.connection, &sink).await });
        let browser = Browser { link: Arc::new(Link { core, tasks: [reading.abort_handle(), writing] }) };
        browser.version().await?;
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        browser.call("Target.setAutoAttach", attach).await?;
        Ok(browser)
    }

    /// The product and its version, such as `Chrome/156.0.1.2`.
    pub async fn version(&self) -> Result<String, BrowserError> {
        let answer = self.call("Browser.getVersion", json!({})).await?;
        let product = answer.get("product").and_then(Value::as_str);
        product.map(str::to_owned).ok_or_else(|| BrowserError::bad_answer("Browser.getVersion", "no product"))
    }

    /// A context of its own: cookies, storage and cache are shared with nobody.
    pub async fn new_context(&self, options: ContextOptions) -> Result<Context, BrowserError> {
        Context::create(self.clone(), options).await
    }

    /// Asks the browser to end and waits until it has hung up.
    pub async fn close(&self) -> Result<(), BrowserError> {
        let mut changed = self.core().changed.subscribe();
        match self.call("Browser.close", json!({})).await {
            // It may be gone before it has answered.
            Ok(_) | Err(BrowserError::Disconnected) => {}
            Err(error) => return Err(error),
        }
        let gone = async {
            while self.is_connected() {
                let _ = changed.changed().await;
            }
        };
        let waited = tokio::time::timeout(CALL_LIMIT, gone).await;
        waited.map_err(|_| BrowserError::timed_out("closing the browser", CALL_LIMIT))
    }

    pub fn is_connected(&self) -> bool {
        self.core().connection.is_alive()
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.link.core
    }

    pub(crate) async fn call(&self, method: &'static str, params: Value) -> Result<Value, BrowserError> {
        self.core().connection.call(None, method, params, CALL_LIMIT).await
    }

    /// Waits until a page of this target is attached and set up.
    pub(crate) async fn page_of(&self, target: &str) -> Result<Arc<PageState>, BrowserError> {
        let mut changed = self.core().changed.subscribe();
        let attached = async {
            loop {
                if let Some(page) = self.core().page_of(target) {
                    return Ok(page);
                }
                if !self.is_connected() {
                    return Err(BrowserError::Disconnected);
                }
                // The sender lives as long as we do.
                let _ = changed.changed().await;
            }
        };
        let waited = tokio::time::timeout(CALL_LIMIT, attached).await;
        let page = waited.map_err(|_| BrowserError::timed_out("attaching to a page", CALL_LIMIT))??;
        page.until_ready(CALL_LIMIT).await?;
        Ok(page)
    }
}

impl Core {
    pub(crate) fn add_context(&self, context: &Arc<ContextState>) {
        lock(&self.attached).contexts.insert(context.id.clone(), Arc::clone(context));
    }

    pub(crate) fn remove_context(&self, id: &str) {
        lock(&self.attached).contexts.remove(id);
    }

    pub(crate) fn pages_of_context(&self, id: &str) -> Vec<Arc<PageState>> {
        lock(&self.attached).pages.iter().filter(|page| page.context.id == id).cloned().collect()
    }

    fn page_of(&self, target: &str) -> Option<Arc<PageState>> {
        lock(&self.attached).pages.iter().find(|page| page.target == target).cloned()
    }

    fn page_with_session(&self, session: &str) -> Option<Arc<PageState>> {
        lock(&self.attached).sessions.get(session).cloned()
    }

    fn page_with_frame(&self, frame: &str) -> Option<Arc<PageState>> {
        lock(&self.attached).pages.iter().find(|page| page.has_frame(frame)).cloned()
    }

    fn attach(self: &Arc<Self>, parent: Option<&str>, params: &Value) {
        let Some(session) = params["sessionId"].as_str() else { return };
        let target = &params["targetInfo"];
        let kind = target["type"].as_str().unwrap_or_default();
        let taken = match parent {
            None if kind == "page" => self.attach_page(session, target),
            None => false,
            Some(parent) => self.attach_child(parent, session, kind, target),
        };
        if !taken {
            self.connection.tell(Some(session), "Runtime.runIfWaitingForDebugger", json!({}));
            self.connection.tell(parent, "Target.detachFromTarget", json!({ "sessionId": session }));
        }
        self.changed.send_replace(());
    }

    fn attach_page(self: &Arc<Self>, session: &str, target: &Value) -> bool {
        let id = target["targetId"].as_str().unwrap_or_default();
        let opener = target["openerId"].as_str().or_else(|| target["openerFrameId"].as_str());
        let mut attached = lock(&self.attached);
        let context = target["browserContextId"].as_str().and_then(|id| attached.contexts.get(id)).cloned();
        let Some(context) = context else { return false };
        if attached.pages.iter().any(|page| page.target == id) {
            return false;
        }
        let open = attached.pages.iter().filter(|page| page.context.id == context.id).count();
        let opener_page = opener
            .and_then(|opener| attached.pages.iter().find(|page| page.target == opener || page.has_frame(opener)));
        if let Some(page) = opener_page {
            page.note_popup();
        }
        if open >= MAX_PAGES {
            drop(attached);
            self.connection.tell(None, "Target.closeTarget", json!({ "targetId": id }));
            return false;
        }
        let page = Arc::new(PageState::new(id, session, context, opener.map(str::to_owned)));
        attached.sessions.insert(session.to_owned(), Arc::clone(&page));
        attached.pages.push(Arc::clone(&page));
        drop(attached);
        let core = Arc::clone(self);
        tokio::spawn(async move { setup::prepare_page(&core, &page).await });
        true
    }

    fn attach_child(&self, parent: &str, session: &str, kind: &str, target: &Value) -> bool {
        let Some(page) = self.page_with_session(parent) else { return false };
        let id = target["targetId"].as_str().unwrap_or_default();
        let taken = match kind {
            "iframe" => page.adopt_frame(id, session),
            "worker" => page.adopt_worker(session),
            _ => false,
        };
        if taken {
            lock(&self.attached).sessions.insert(session.to_owned(), Arc::clone(&page));
            setup::prepare_child(self, &page, session, kind == "iframe");
        }
        taken
    }

    fn detach(&self, session: &str) {
        let page = lock(&self.attached).sessions.remove(session);
        let reason = BrowserError::Closed;
        if let Some(page) = page {
            if page.session == session {
                self.forget_page(&page);
            } else {
                page.child_gone(session);
            }
        }
        self.connection.fail_session(session, &reason);
        self.changed.send_replace(());
    }

    fn forget_page(&self, page: &Arc<PageState>) {
        let mut attached = lock(&self.attached);
        attached.pages.retain(|other| !Arc::ptr_eq(other, page));
        let children: Vec<String> = attached
            .sessions
            .iter()
            .filter(|(_, owner)| Arc::ptr_eq(owner, page))
            .map(|(session, _)| session.clone())
            .collect();
        for session in &children {
            attached.sessions.remove(session);
        }
        drop(attached);
        page.mark_closed();
        for session in &children {
            self.connection.fail_session(session, &BrowserError::Closed);
        }
    }

    fn crash(&self, session: &str) {
        let Some(page) = self.page_with_session(session) else { return };
        if page.session != session {
            // An out-of-process frame died: only its own calls are lost.
            self.connection.fail_session(session, &BrowserError::Crashed);
            return;
        }
        page.mark_crashed();
        let sessions: Vec<String> = lock(&self.attached)
            .sessions
            .iter()
            .filter(|(_, owner)| Arc::ptr_eq(owner, &page))
            .map(|(session, _)| session.clone())
            .collect();
        for session in sessions {
            self.connection.fail_session(&session, &BrowserError::Crashed);
        }
    }

    fn download_began(&self, params: &Value) {
        let Some(page) = params["frameId"].as_str().and_then(|frame| self.page_with_frame(frame)) else { return };
        let name = params["suggestedFilename"].as_str().unwrap_or_default();
        page.note_download(name);
        if let Some(opener) = page.opener.as_deref().and_then(|opener| self.page_of(opener)) {
            opener.note_download(name);
        }
        if let Some(guid) = params["guid"].as_str() {
            page.own_download(guid);
        }
    }

    fn download_went_on(&self, params: &Value) {
        let (Some(guid), Some(received)) = (params["guid"].as_str(), params["receivedBytes"].as_f64()) else { return };
        let owner = lock(&self.attached).pages.iter().find(|page| page.owns_download(guid)).cloned();
        let limit = owner.as_ref().and_then(|page| page.context.options.max_response_bytes);
        if let (Some(page), Some(limit)) = (owner, limit)
            && received > limit as f64
        {
            let cancel = json!({ "guid": guid, "browserContextId": page.context.id });
            self.connection.tell(None, "Browser.cancelDownload", cancel);
        }
    }
}

/// Gives each event to the page it belongs to.
struct Router {
    core: Arc<Core>,
}

impl EventSink for Router {
    fn event(&self, session: Option<&str>, method: &str, params: &Value) {
        match (method, session) {
            ("Target.attachedToTarget", _) => self.core.attach(session, params),
            ("Target.detachedFromTarget", _) => {
                if let Some(session) = params["sessionId"].as_str() {
                    self.core.detach(session);
                }
            }
            ("Inspector.targetCrashed", Some(session)) => self.core.crash(session),
            ("Target.targetCrashed", None) => {
                if let Some(page) = params["targetId"].as_str().and_then(|id| self.core.page_of(id)) {
                    self.core.crash(&page.session);
                }
            }
            ("Browser.downloadWillBegin", None) => self.core.download_began(params),
            ("Browser.downloadProgress", None) => self.core.download_went_on(params),
            (_, Some(session)) => {
                if let Some(page) = self.core.page_with_session(session) {
                    page.take_event(&self.core.connection, session, method, params);
                }
            }
            _ => {}
        }
    }

    fn closed(&self) {
        let pages = std::mem::take(&mut lock(&self.core.attached).pages);
        for page in pages {
            page.mark_closed();
        }
        lock(&self.core.attached).sessions.clear();
        self.core.changed.send_replace(());
    }
}
