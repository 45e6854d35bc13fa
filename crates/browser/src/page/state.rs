//! What we know of one page, kept up to date by its events.

use super::console;
use super::dialogs::Dialogs;
use super::documents::Documents;
use super::exchanges::Exchanges;
use super::frames::FrameTree;
use super::network::Ledger;
use super::worlds::Worlds;
use crate::connection::{Connection, lock};
use crate::context::ContextState;
use crate::error::BrowserError;
use crate::records::{DialogRecord, PageLog, cut};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Frames and workers of a page that have a session of their own; further ones run unwatched.
const MAX_CHILD_SESSIONS: usize = 300;
/// After how many further bytes a page over its limit is told to stop again.
const STOP_AGAIN_BYTES: u64 = 4 * 1024 * 1024;

pub(crate) struct PageState {
    /// Also the id of the main frame.
    pub(crate) target: String,
    pub(crate) session: String,
    pub(crate) context: Arc<ContextState>,
    pub(crate) opener: Option<String>,
    inner: Mutex<PageInner>,
    changed: watch::Sender<()>,
}

pub(crate) struct PageInner {
    pub(crate) frames: FrameTree,
    pub(crate) worlds: Worlds,
    pub(crate) network: Ledger,
    pub(crate) documents: Documents,
    pub(crate) log: PageLog,
    pub(crate) exchanges: Exchanges,
    /// Whether dialogs are accepted instead of dismissed.
    pub(crate) accepts_dialogs: bool,
    pub(crate) dialogs: Dialogs,
    /// The name of the file the last navigation turned out to be.
    pub(crate) download: Option<String>,
    /// Bytes seen when the page went over its limit.
    pub(crate) too_large: Option<u64>,
    stop_again_at: u64,
    ready: Option<Result<(), BrowserError>>,
    claimed: bool,
    life: Life,
    children: HashSet<String>,
    downloads: HashSet<String>,
    /// The main frame's document asked to be replaced and is still there.
    pub(crate) leaving: bool,
}

/// A page that crashed stays crashed, also when it is closed afterwards.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Life {
    Open,
    Crashed,
    Closed,
}

impl PageState {
    pub(crate) fn new(target: &str, session: &str, context: Arc<ContextState>, opener: Option<String>) -> Self {
        let inner = PageInner {
            frames: FrameTree::new(target, session),
            worlds: Worlds::default(),
            network: Ledger::new(Instant::now()),
            documents: Documents::default(),
            log: PageLog::default(),
            exchanges: Exchanges::default(),
            accepts_dialogs: false,
            dialogs: Dialogs::default(),
            download: None,
            too_large: None,
            stop_again_at: 0,
            ready: None,
            claimed: false,
            life: Life::Open,
            children: HashSet::new(),
            downloads: HashSet::new(),
            leaving: false,
        };
        Self {
            target: target.to_owned(),
            session: session.to_owned(),
            context,
            opener,
            inner: Mutex::new(inner),
            changed: watch::channel(()).0,
        }
    }

    pub(crate) fn inner(&self) -> MutexGuard<'_, PageInner> {
        lock(&self.inner)
    }

    /// Wakes at every event of the page.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    pub(crate) fn has_frame(&self, frame: &str) -> bool {
        self.inner().frames.get(frame).is_some()
    }

    /// Why nothing can be asked of the page any more, if so.
    pub(crate) fn fault(&self) -> Option<BrowserError> {
        match self.inner().life {
            Life::Open => None,
            Life::Crashed => Some(BrowserError::Crashed),
            Life::Closed => Some(BrowserError::Closed),
        }
    }

    pub(crate) fn mark_ready(&self, outcome: Result<(), BrowserError>) {
        self.inner().ready = Some(outcome);
        self.changed.send_replace(());
    }

    pub(crate) async fn until_ready(&self, limit: Duration) -> Result<(), BrowserError> {
        let mut changed = self.changes();
        let ready = async {
            loop {
                if let Some(outcome) = self.inner().ready.clone() {
                    return outcome;
                }
                if let Some(fault) = self.fault() {
                    return Err(fault);
                }
                // The sender lives in `self`, so this cannot fail while we borrow it.
                let _ = changed.changed().await;
            }
        };
        tokio::time::timeout(limit, ready)
            .await
            .unwrap_or_else(|_| Err(BrowserError::timed_out("opening a page", limit)))
    }

    /// The page was opened by us and is no popup.
    pub(crate) fn claim(&self) {
        self.inner().claimed = true;
    }

    pub(crate) fn is_claimed(&self) -> bool {
        self.inner().claimed
    }

    pub(crate) fn note_popup(&self) {
        let mut inner = self.inner();
        inner.log.popups = inner.log.popups.saturating_add(1);
    }

    pub(crate) fn note_download(&self, name: &str) {
        let mut inner = self.inner();
        let name = cut(name);
        inner.download = Some(name.clone());
        inner.leaving = false;
        inner.log.add_download(name);
        drop(inner);
        self.changed.send_replace(());
    }

    pub(crate) fn own_download(&self, guid: &str) {
        let mut inner = self.inner();
        if inner.downloads.len() < MAX_CHILD_SESSIONS {
            inner.downloads.insert(guid.to_owned());
        }
    }

    pub(crate) fn owns_download(&self, guid: &str) -> bool {
        self.inner().downloads.contains(guid)
    }

    pub(crate) fn adopt_frame(&self, frame: &str, session: &str) -> bool {
        let mut inner = self.inner();
        let adopted = inner.children.len() < MAX_CHILD_SESSIONS && inner.frames.adopt(frame, session);
        if adopted {
            inner.children.insert(session.to_owned());
            inner.worlds.forget_isolated(frame);
        }
        adopted
    }

    pub(crate) fn adopt_worker(&self, session: &str) -> bool {
        let mut inner = self.inner();
        inner.children.len() < MAX_CHILD_SESSIONS && inner.children.insert(session.to_owned())
    }

    pub(crate) fn child_gone(&self, session: &str) {
        let mut inner = self.inner();
        inner.children.remove(session);
        inner.frames.session_gone(session);
        inner.worlds.cleared(session);
        inner.network.session_gone(session);
        drop(inner);
        self.changed.send_replace(());
    }

    pub(crate) fn mark_closed(&self) {
        let mut inner = self.inner();
        if inner.life == Life::Open {
            inner.life = Life::Closed;
        }
        drop(inner);
        self.changed.send_replace(());
    }

    pub(crate) fn mark_crashed(&self) {
        let mut inner = self.inner();
        inner.life = Life::Crashed;
        inner.log.crashed = true;
        drop(inner);
        self.changed.send_replace(());
    }

    /// Takes in one event. Unknown ones, and fields that are missing or strange, are passed over.
    pub(crate) fn take_event(&self, connection: &Connection, session: &str, method: &str, params: &Value) {
        let mut inner = self.inner();
        match method.split_once('.') {
            Some(("Network", event)) => self.take_network(&mut inner, connection, session, event, params),
            Some(("Runtime", event)) => take_runtime(&mut inner, session, event, params),
            Some(("Log", "entryAdded")) => inner.log.add_console(console::log_entry(params)),
            Some(("Page", "javascriptDialogOpening")) => answer_dialog(&mut inner, connection, session, params),
            Some(("Page", event)) => take_page(&mut inner, session, event, params),
            Some(("Fetch", "requestPaused")) => self.pass_on(connection, session, params),
            _ => return,
        }
        drop(inner);
        self.changed.send_replace(());
    }

    fn take_network(&self, inner: &mut PageInner, connection: &Connection, session: &str, event: &str, params: &Value) {
        let now = Instant::now();
        if self.context.options.keep_exchanges && session == self.session {
            take_exchange(inner, event, params);
        }
        let PageInner { network, documents, log, frames, .. } = &mut *inner;
        match event {
            "requestWillBeSent" => {
                let is_document = params["type"].as_str() == Some("Document")
                    && params["frameId"].as_str() == Some(frames.main())
                    && params["requestId"] == params["loaderId"];
                if is_document {
                    documents.requested(params);
                }
                network.begin(params, session, now, log);
            }
            "responseReceived" => {
                documents.responded(params);
                network.respond(params, log);
            }
            "responseReceivedExtraInfo" => documents.raw_headers(params),
            "requestServedFromCache" => network.served_from_cache(params, log),
            "loadingFinished" => network.end(params, now, log),
            "loadingFailed" => {
                documents.failed(params);
                network.end(params, now, log);
            }
            "dataReceived" => {
                let loaded = network.data(params, log);
                self.check_budget(inner, connection, loaded);
            }
            _ => {}
        }
    }

    fn check_budget(&self, inner: &mut PageInner, connection: &Connection, loaded: u64) {
        let Some(limit) = self.context.options.max_response_bytes else { return };
        if loaded <= limit || loaded < inner.stop_again_at {
            return;
        }
        if inner.too_large.is_none() {
            inner.too_large = Some(loaded);
            connection.tell(Some(&self.session), "Network.setBlockedURLs", blocking(&["*"]));
        }
        inner.stop_again_at = loaded.saturating_add(STOP_AGAIN_BYTES);
        connection.tell(Some(&self.session), "Page.stopLoading", json!({}));
    }

    /// Prepares for a navigation of ours: what the last one left behind does not speak for the next.
    pub(crate) fn begin_navigation(&self, connection: &Connection) -> u64 {
        let mut inner = self.inner();
        inner.download = None;
        inner.network.restart_budget();
        inner.stop_again_at = 0;
        if inner.too_large.take().is_some() {
            connection.tell(Some(&self.session), "Network.setBlockedURLs", blocking(&[]));
        }
        inner.documents.commits()
    }

    fn pass_on(&self, connection: &Connection, session: &str, params: &Value) {
        let mut answer = json!({ "requestId": params["requestId"] });
        let request = &params["request"];
        if let (Some(credentials), Some(url), Some(sent)) =
            (&self.context.credentials, request["url"].as_str(), request["headers"].as_object())
            && let Some(headers) = credentials.apply(url, sent)
        {
            answer["headers"] = Value::from(headers);
        }
        connection.tell(Some(session), "Fetch.continueRequest", answer);
    }
}

fn take_exchange(inner: &mut PageInner, event: &str, params: &Value) {
    match event {
        "requestWillBeSent" => inner.exchanges.begin(params),
        "responseReceived" => inner.exchanges.respond(params),
        "loadingFinished" => inner.exchanges.finish(params),
        _ => {}
    }
}

/// Parameters of `Network.setBlockedURLs`.
fn blocking(patterns: &[&str]) -> Value {
    json!({ "urls": patterns })
}

fn answer_dialog(inner: &mut PageInner, connection: &Connection, session: &str, params: &Value) {
    let kind = params["type"].as_str().unwrap_or("alert");
    let text = cut(params["message"].as_str().unwrap_or_default());
    let record = DialogRecord { kind: kind.to_owned(), text };
    inner.log.add_dialog(record.clone());
    if inner.dialogs.take(session, &record) {
        return;
    }
    let accept = inner.accepts_dialogs || kind == "beforeunload";
    connection.tell(Some(session), "Page.handleJavaScriptDialog", json!({ "accept": accept }));
}

fn take_runtime(inner: &mut PageInner, session: &str, event: &str, params: &Value) {
    match event {
        "executionContextCreated" => inner.worlds.created(session, params),
        "executionContextDestroyed" => inner.worlds.destroyed(session, params),
        "executionContextsCleared" => inner.worlds.cleared(session),
        "consoleAPICalled" if !inner.worlds.is_ours(session, &params["executionContextId"]) => {
            inner.log.add_console(console::console_call(params));
        }
        "exceptionThrown" if !inner.worlds.is_ours(session, &params["exceptionDetails"]["executionContextId"]) => {
            inner.log.add_exception(console::exception(params));
        }
        _ => {}
    }
}

fn take_page(inner: &mut PageInner, session: &str, event: &str, params: &Value) {
    let frame_id = params["frameId"].as_str().unwrap_or_default();
    match event {
        "frameAttached" => {
            inner.frames.attach(frame_id, params["parentFrameId"].as_str().unwrap_or_default(), session);
        }
        "javascriptDialogClosed" => inner.dialogs.closed(session),
        "frameNavigated" => take_commit(inner, session, &params["frame"]),
        // The word comes before the page's answer to the click that caused it.
        "frameRequestedNavigation" if frame_id == inner.frames.main() => {
            inner.leaving = params["disposition"].as_str() == Some("currentTab");
        }
        "frameStoppedLoading" if frame_id == inner.frames.main() => {
            inner.leaving = false;
        }
        "navigatedWithinDocument" => {
            inner.leaving &= frame_id != inner.frames.main();
            inner.frames.set_url(frame_id, params["url"].as_str().unwrap_or_default());
        }
        // A swapped frame goes on in another process.
        "frameDetached" if params["reason"].as_str() != Some("swap") => {
            inner.frames.remove(frame_id);
            inner.network.frame_gone(frame_id);
            inner.worlds.forget_isolated(frame_id);
        }
        "lifecycleEvent" if frame_id == inner.frames.main() => {
            let (loader, name) = (params["loaderId"].as_str(), params["name"].as_str());
            if let (Some(loader), Some(name)) = (loader, name) {
                inner.documents.lifecycle(loader, name, Instant::now());
            }
        }
        _ => {}
    }
}

fn take_commit(inner: &mut PageInner, session: &str, frame: &Value) {
    let (Some(id), Some(url)) = (frame["id"].as_str(), frame["url"].as_str()) else { return };
    let fragment = frame["urlFragment"].as_str().unwrap_or_default();
    let loader = frame["loaderId"].as_str().unwrap_or_default();
    let unreachable = frame["unreachableUrl"].as_str();
    let whole = unreachable.map_or_else(|| format!("{url}{fragment}"), str::to_owned);
    if id == inner.frames.main() {
        inner.leaving = false;
        inner.documents.committed(loader, &whole, unreachable.is_some(), Instant::now());
    }
    inner.frames.navigate(id, &whole, session);
    inner.network.document_replaced(id, loader);
    inner.worlds.forget_isolated(id);
}
