//! Calls out, answers and events in, over one pipe for all sessions.

use crate::error::BrowserError;
use crate::transport::{Incoming, MAX_MESSAGE_BYTES, MessageReader, id_of_unreadable};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};

/// How long a call may take when nobody says otherwise.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(30);

/// Locks, whatever happened to an earlier holder: the state is plain data and stays usable.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Who is told of events. It runs on the reading task, in the order of the wire, and must not block.
pub(crate) trait EventSink: Send + Sync + 'static {
    fn event(&self, session: Option<&str>, method: &str, params: &Value);
    /// The pipe is closed; nothing will come any more.
    fn closed(&self);
}

struct Pending {
    session: Option<String>,
    answer: oneshot::Sender<Result<Value, BrowserError>>,
}

/// Our end of the pipe.
pub(crate) struct Connection {
    outbox: mpsc::UnboundedSender<Vec<u8>>,
    pending: Mutex<HashMap<u64, Pending>>,
    next_id: AtomicU64,
    alive: AtomicBool,
}

/// A call that was sent; dropping it forgets the answer.
pub(crate) struct Call<'a> {
    connection: &'a Connection,
    id: u64,
    method: &'static str,
    answer: oneshot::Receiver<Result<Value, BrowserError>>,
}

impl Connection {
    /// The connection and the far end of its outbox, for [`write_messages`].
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (outbox, inbox) = mpsc::unbounded_channel();
        let connection = Self {
            outbox,
            pending: Mutex::new(HashMap::new()),
            next_id: AtomicU64::new(1),
            alive: AtomicBool::new(true),
        };
        (connection, inbox)
    }

    pub(crate) fn is_alive(&self) -> bool {
        self.alive.load(Ordering::Acquire)
    }

    /// Sends at once, in the order of the calls to this function; the answer is waited for later.
    #[expect(clippy::needless_pass_by_value, reason = "callers build the value for this call alone")]
    pub(crate) fn send(&self, session: Option<&str>, method: &'static str, params: Value) -> Call<'_> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answer) = oneshot::channel();
        lock(&self.pending).insert(id, Pending { session: session.map(str::to_owned), answer: sender });
        self.post(id, session, method, &params);
        if !self.is_alive() {
            self.fail(id, BrowserError::Disconnected);
        }
        Call { connection: self, id, method, answer }
    }

    /// Sends and does not care for the answer.
    #[expect(clippy::needless_pass_by_value, reason = "callers build the value for this call alone")]
    pub(crate) fn tell(&self, session: Option<&str>, method: &'static str, params: Value) {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        self.post(id, session, method, &params);
    }

    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &'static str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, BrowserError> {
        self.send(session, method, params).answer(limit).await
    }

    /// Fails every call that waits on this session.
    pub(crate) fn fail_session(&self, session: &str, reason: &BrowserError) {
        let mut pending = lock(&self.pending);
        let ids: Vec<u64> =
            pending.iter().filter(|(_, call)| call.session.as_deref() == Some(session)).map(|(id, _)| *id).collect();
        for id in ids {
            if let Some(call) = pending.remove(&id) {
                let _ = call.answer.send(Err(reason.clone()));
            }
        }
    }

    fn post(&self, id: u64, session: Option<&str>, method: &str, params: &Value) {
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = Value::from(session);
        }
        let mut bytes = message.to_string().into_bytes();
        bytes.push(0);
        // A closed outbox means a lost browser, which the reading task reports.
        let _ = self.outbox.send(bytes);
    }

    fn fail(&self, id: u64, reason: BrowserError) {
        if let Some(call) = lock(&self.pending).remove(&id) {
            let _ = call.answer.send(Err(reason));
        }
    }

    fn settle(&self, id: u64, message: &mut Value) {
        let Some(call) = lock(&self.pending).remove(&id) else { return };
        let answer = match message.get("error") {
            None => Ok(message.get_mut("result").map(Value::take).unwrap_or_default()),
            Some(error) => Err(BrowserError::Refused {
                method: String::new(),
                message: error.get("message").and_then(Value::as_str).unwrap_or("no reason given").to_owned(),
            }),
        };
        let _ = call.answer.send(answer);
    }

    fn shut(&self) {
        self.alive.store(false, Ordering::Release);
        for (_, call) in lock(&self.pending).drain() {
            let _ = call.answer.send(Err(BrowserError::Disconnected));
        }
    }
}

impl Call<'_> {
    pub(crate) async fn answer(mut self, limit: Duration) -> Result<Value, BrowserError> {
        match tokio::time::timeout(limit, &mut self.answer).await {
            Err(_) => Err(BrowserError::timed_out(self.method, limit)),
            Ok(Err(_)) => Err(BrowserError::Disconnected),
            Ok(Ok(Err(BrowserError::Refused { message, .. }))) => {
                Err(BrowserError::Refused { method: self.method.to_owned(), message })
            }
            Ok(Ok(answer)) => answer,
        }
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        lock(&self.connection.pending).remove(&self.id);
    }
}

/// Writes what is sent until the outbox or the pipe closes.
pub(crate) async fn write_messages<W: AsyncWrite + Unpin>(
    mut writer: W,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
) {
    while let Some(message) = messages.recv().await {
        if writer.write_all(&message).await.is_err() || writer.flush().await.is_err() {
            break;
        }
    }
}

/// Reads until the pipe closes; then every waiting call fails.
pub(crate) async fn read_messages<R, S>(reader: R, connection: &Connection, sink: &Arc<S>)
where
    R: AsyncRead + Unpin,
    S: EventSink,
{
    let mut messages = MessageReader::new(reader, MAX_MESSAGE_BYTES);
    while let Ok(Some(incoming)) = messages.next().await {
        match incoming {
            Incoming::Message(bytes) => take_message(connection, sink.as_ref(), bytes),
            Incoming::TooLarge(head) => fail_unreadable(connection, head, "it is larger than we accept"),
        }
    }
    connection.shut();
    sink.closed();
}

fn take_message(connection: &Connection, sink: &impl EventSink, bytes: &[u8]) {
    let Ok(mut message) = serde_json::from_slice::<Value>(bytes) else {
        fail_unreadable(connection, bytes, "it is not JSON we can read");
        return;
    };
    if let Some(id) = message.get("id").and_then(Value::as_u64) {
        connection.settle(id, &mut message);
    } else if let Some(method) = message.get("method").and_then(Value::as_str) {
        let session = message.get("sessionId").and_then(Value::as_str);
        sink.event(session, method, message.get("params").unwrap_or(&Value::Null));
    }
}

fn fail_unreadable(connection: &Connection, head: &[u8], why: &str) {
    if let Some(id) = id_of_unreadable(head) {
        connection.fail(id, BrowserError::bad_answer("a call", why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, DuplexStream, duplex, split};

    #[derive(Default)]
    struct Recorder {
        events: Mutex<Vec<String>>,
        closed: AtomicBool,
    }

    impl EventSink for Recorder {
        fn event(&self, session: Option<&str>, method: &str, params: &Value) {
            lock(&self.events).push(format!("{}/{method}/{params}", session.unwrap_or("-")));
        }
        fn closed(&self) {
            self.closed.store(true, Ordering::Release);
        }
    }

    struct Peer {
        stream: DuplexStream,
    }

    impl Peer {
        async fn hear(&mut self) -> Value {
            let mut bytes = Vec::new();
            loop {
                match self.stream.read_u8().await.unwrap() {
                    0 => return serde_json::from_slice(&bytes).unwrap(),
                    byte => bytes.push(byte),
                }
            }
        }

        async fn say(&mut self, text: &str) {
            self.stream.write_all(text.as_bytes()).await.unwrap();
            self.stream.write_u8(0).await.unwrap();
        }
    }

    fn connected() -> (Arc<Connection>, Arc<Recorder>, Peer) {
        let (ours, theirs) = duplex(64 * 1024);
        let (reader, writer) = split(ours);
        let (connection, outbox) = Connection::new();
        let connection = Arc::new(connection);
        let recorder = Arc::new(Recorder::default());
        tokio::spawn(write_messages(writer, outbox));
        let (reading, sink) = (Arc::clone(&connection), Arc::clone(&recorder));
        tokio::spawn(async move { read_messages(reader, &reading, &sink).await });
        (connection, recorder, Peer { stream: theirs })
    }

    #[tokio::test]
    async fn garbage_and_unknown_events_lose_nothing() {
        let (connection, recorder, mut peer) = connected();
        let call = connection.send(None, "Browser.getVersion", json!({}));
        let asked = peer.hear().await;
        assert_eq!(asked["method"], "Browser.getVersion");
        for noise in ["", "not json", "[1,2", "{\"method\":5}", "null", "{\"id\":\"x\"}", "{\"id\":99999}"] {
            peer.say(noise).await;
        }
        peer.say("{\"method\":\"New.event\",\"sessionId\":\"s\",\"params\":{\"kind\":\"never seen\"}}").await;
        peer.say("{\"method\":\"Bare.event\"}").await;
        peer.say(&json!({ "id": asked["id"], "result": { "product": "X" } }).to_string()).await;
        assert_eq!(call.answer(CALL_LIMIT).await.unwrap()["product"], "X");
        let events = lock(&recorder.events).clone();
        assert_eq!(events, ["s/New.event/{\"kind\":\"never seen\"}", "-/Bare.event/null"]);
    }

    #[tokio::test]
    async fn a_refusal_names_the_method() {
        let (connection, _recorder, mut peer) = connected();
        let call = connection.send(Some("s1"), "Page.navigate", json!({}));
        let asked = peer.hear().await;
        assert_eq!(asked["sessionId"], "s1");
        peer.say(&json!({ "id": asked["id"], "error": { "code": -1, "message": "no such page" } }).to_string()).await;
        let error = call.answer(CALL_LIMIT).await.unwrap_err();
        assert_eq!(error, BrowserError::Refused { method: "Page.navigate".into(), message: "no such page".into() });
    }

    #[tokio::test]
    async fn an_answer_nested_too_deep_fails_its_call_at_once() {
        let (connection, _recorder, mut peer) = connected();
        let call = connection.send(None, "Runtime.evaluate", json!({}));
        let id = peer.hear().await["id"].clone();
        let deep = format!("{{\"id\":{id},\"result\":{}{}}}", "[".repeat(5000), "]".repeat(5000));
        peer.say(&deep).await;
        assert!(matches!(call.answer(CALL_LIMIT).await, Err(BrowserError::BadAnswer { .. })));
    }

    #[tokio::test]
    async fn a_lost_peer_fails_waiting_and_later_calls() {
        let (connection, recorder, mut peer) = connected();
        let call = connection.send(None, "Browser.getVersion", json!({}));
        peer.hear().await;
        drop(peer);
        assert_eq!(call.answer(CALL_LIMIT).await, Err(BrowserError::Disconnected));
        assert!(!connection.is_alive());
        let later = connection.call(None, "Browser.getVersion", json!({}), CALL_LIMIT).await;
        assert_eq!(later, Err(BrowserError::Disconnected));
        assert!(recorder.closed.load(Ordering::Acquire));
    }

    #[tokio::test]
    async fn a_silent_peer_ends_in_a_time_out_and_leaves_nothing_pending() {
        let (connection, _recorder, _peer) = connected();
        let answer = connection.call(None, "Page.crash", json!({}), Duration::from_millis(20)).await;
        assert_eq!(answer, Err(BrowserError::TimedOut { what: "Page.crash".into(), seconds: 0.02 }));
        assert!(lock(&connection.pending).is_empty());
    }

    #[tokio::test]
    async fn only_the_failed_session_fails() {
        let (connection, _recorder, mut peer) = connected();
        let doomed = connection.send(Some("a"), "Page.crash", json!({}));
        let healthy = connection.send(Some("b"), "Page.enable", json!({}));
        peer.hear().await;
        let id = peer.hear().await["id"].clone();
        connection.fail_session("a", &BrowserError::Crashed);
        assert_eq!(doomed.answer(CALL_LIMIT).await, Err(BrowserError::Crashed));
        peer.say(&json!({ "id": id, "result": {} }).to_string()).await;
        assert_eq!(healthy.answer(CALL_LIMIT).await, Ok(json!({})));
    }
}
