//! Our own account of requests: what is in flight, what was loaded, how large it was.

use crate::records::{PageLog, RequestRecord, cut};
use serde_json::Value;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// A request by script that is open longer than this is taken for a long poll or a stream and no longer waited for.
pub(crate) const LONG_POLL: Duration = Duration::from_secs(5);
/// Most requests followed at a time.
const MAX_OPEN: usize = 20_000;

/// Requests as the protocol's events tell of them. A request is known by its id alone, because the events of one
/// request may come through two sessions (the document of an out-of-process frame does).
pub(crate) struct Ledger {
    open: HashMap<String, Open>,
    last_activity: Instant,
    /// The protocol's clock at the first request of the log.
    epoch: Option<f64>,
    /// Decoded bytes of all bodies since the last navigation began.
    loaded_bytes: u64,
}

struct Open {
    record: Option<usize>,
    since: Instant,
    started: f64,
    waited_for: Waiting,
    frame: Option<String>,
    loader: Option<String>,
    session: String,
    header_bytes: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Never,
    /// Until it is old enough to be a long poll.
    AWhile,
    Always,
}

impl Ledger {
    pub(crate) fn new(now: Instant) -> Self {
        Self { open: HashMap::new(), last_activity: now, epoch: None, loaded_bytes: 0 }
    }

    /// `Network.requestWillBeSent`; a redirect closes the hop before it.
    pub(crate) fn begin(&mut self, params: &Value, session: &str, now: Instant, log: &mut PageLog) {
        let Some(id) = params["requestId"].as_str() else { return };
        let time = params["timestamp"].as_f64().unwrap_or_default();
        if let Some(response) = params.get("redirectResponse")
            && let Some(hop) = self.open.remove(id)
            && let Some(record) = hop.record.and_then(|index| log.requests.get_mut(index))
        {
            note_response(record, response);
            record.seconds = Some((time - hop.started).max(0.0));
        }
        let request = &params["request"];
        let url = request["url"].as_str().unwrap_or_default();
        let resource_type = params["type"].as_str().unwrap_or("Other");
        let epoch = *self.epoch.get_or_insert(time);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let record = log.add_request(RequestRecord {
            id: id.to_owned(),
            url: cut(url),
            method: request["method"].as_str().unwrap_or_default().to_owned(),
            resource_type: resource_type.to_owned(),
            started_seconds: (time - epoch).max(0.0),
            initiator_url: initiator_url(params),
            frame_id: text(&params["frameId"]),
            ..RequestRecord::default()
        });
        if self.open.len() >= MAX_OPEN {
            return;
        }
        let waited_for = waiting(url, resource_type);
        if waited_for != Waiting::Never {
            self.last_activity = now;
        }
        let open = Open {
            record,
            since: now,
            started: time,
            waited_for,
            frame: text(&params["frameId"]),
            loader: text(&params["loaderId"]),
            session: session.to_owned(),
            header_bytes: 0,
        };
        self.open.insert(id.to_owned(), open);
    }

    /// `Network.responseReceived`.
    pub(crate) fn respond(&mut self, params: &Value, log: &mut PageLog) {
        let Some(open) = params["requestId"].as_str().and_then(|id| self.open.get_mut(id)) else { return };
        let response = &params["response"];
        open.header_bytes = response["encodedDataLength"].as_f64().unwrap_or_default().max(0.0) as u64;
        if params["type"].as_str() == Some("EventSource") || response["mimeType"].as_str() == Some(EVENT_STREAM) {
            open.waited_for = Waiting::Never;
        }
        if let Some(record) = open.record.and_then(|index| log.requests.get_mut(index)) {
            note_response(record, response);
        }
    }

    /// `Network.dataReceived`; the sum of all bodies so far.
    pub(crate) fn data(&mut self, params: &Value, log: &mut PageLog) -> u64 {
        let decoded = params["dataLength"].as_u64().unwrap_or_default();
        let encoded = params["encodedDataLength"].as_f64().unwrap_or_default().max(0.0) as u64;
        self.loaded_bytes = self.loaded_bytes.saturating_add(decoded);
        if let Some(open) = params["requestId"].as_str().and_then(|id| self.open.get(id))
            && let Some(record) = open.record.and_then(|index| log.requests.get_mut(index))
        {
            record.decoded_bytes = record.decoded_bytes.saturating_add(decoded);
            record.encoded_bytes = record.encoded_bytes.saturating_add(encoded);
        }
        self.loaded_bytes
    }

    /// `Network.requestServedFromCache`.
    pub(crate) fn served_from_cache(&mut self, params: &Value, log: &mut PageLog) {
        if let Some(open) = params["requestId"].as_str().and_then(|id| self.open.get(id))
            && let Some(record) = open.record.and_then(|index| log.requests.get_mut(index))
        {
            record.from_cache = true;
        }
    }

    /// `Network.loadingFinished` and `Network.loadingFailed`.
    pub(crate) fn end(&mut self, params: &Value, now: Instant, log: &mut PageLog) {
        let Some(open) = params["requestId"].as_str().and_then(|id| self.open.remove(id)) else { return };
        if open.waited_for != Waiting::Never {
            self.last_activity = now;
        }
        let Some(record) = open.record.and_then(|index| log.requests.get_mut(index)) else { return };
        let time = params["timestamp"].as_f64().unwrap_or(open.started);
        record.seconds = Some((time - open.started).max(0.0));
        record.failed = params["errorText"].as_str().map(cut);
        record.blocked_reason =
            params["blockedReason"].as_str().or(params["corsErrorStatus"]["corsError"].as_str()).map(cut);
        if let Some(total) = params["encodedDataLength"].as_f64() {
            record.encoded_bytes = (total.max(0.0) as u64).saturating_sub(open.header_bytes);
        }
        if record.from_cache {
            record.encoded_bytes = 0;
        }
    }

    /// The document of a frame was replaced: requests of the old one may end without a word.
    pub(crate) fn document_replaced(&mut self, frame: &str, loader: &str) {
        self.open.retain(|id, open| {
            open.frame.as_deref() != Some(frame) || open.loader.as_deref() == Some(loader) || id == loader
        });
    }

    pub(crate) fn frame_gone(&mut self, frame: &str) {
        self.open.retain(|_, open| open.frame.as_deref() != Some(frame));
    }

    pub(crate) fn session_gone(&mut self, session: &str) {
        self.open.retain(|_, open| open.session != session);
    }

    /// A navigation of ours begins: the byte budget starts anew.
    pub(crate) fn restart_budget(&mut self) {
        self.loaded_bytes = 0;
    }

    /// The log was emptied: what is open goes on without a record.
    pub(crate) fn log_cleared(&mut self) {
        self.epoch = None;
        for open in self.open.values_mut() {
            open.record = None;
        }
    }

    /// How many requests are waited for now, and when the next of them becomes a long poll.
    pub(crate) fn busy(&self, now: Instant) -> (usize, Option<Instant>) {
        let mut count = 0;
        let mut next: Option<Instant> = None;
        for open in self.open.values() {
            let expires = open.since + LONG_POLL;
            match open.waited_for {
                Waiting::Never => {}
                Waiting::AWhile if expires <= now => {}
                Waiting::AWhile => {
                    count += 1;
                    next = Some(next.map_or(expires, |next| next.min(expires)));
                }
                Waiting::Always => count += 1,
            }
        }
        (count, next)
    }

    /// When something waited for last began or ended.
    pub(crate) fn last_activity(&self) -> Instant {
        self.last_activity
    }
}

const EVENT_STREAM: &str = "text/event-stream";

fn waiting(url: &str, resource_type: &str) -> Waiting {
    if url.starts_with("data:") || url.starts_with("blob:") {
        return Waiting::Never;
    }
    match resource_type {
        "WebSocket" | "EventSource" | "Ping" | "CSPViolationReport" | "Preflight" => Waiting::Never,
        "XHR" | "Fetch" | "Media" | "Other" => Waiting::AWhile,
        _ => Waiting::Always,
    }
}

const KEPT_HEADERS: [&str; 5] = ["content-type", "content-length", "content-encoding", "cache-control", "location"];

fn note_response(record: &mut RequestRecord, response: &Value) {
    record.status = response["status"].as_u64().and_then(|status| u16::try_from(status).ok());
    record.mime_type = response["mimeType"].as_str().map(cut).unwrap_or_default();
    let cached = ["fromDiskCache", "fromPrefetchCache"];
    record.from_cache |= cached.iter().any(|key| response[*key].as_bool() == Some(true));
    record.headers = headers_of(&response["headers"])
        .into_iter()
        .filter(|(name, _)| KEPT_HEADERS.contains(&name.as_str()))
        .map(|(name, value)| (name, cut(&value)))
        .collect();
}

/// Headers as pairs with lower-case names. The protocol joins a header that came twice with a line break.
pub(crate) fn headers_of(headers: &Value) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, value) in headers.as_object().into_iter().flatten() {
        for line in value.as_str().unwrap_or_default().split('\n').take(100) {
            pairs.push((name.to_ascii_lowercase(), line.to_owned()));
        }
    }
    pairs
}

fn initiator_url(params: &Value) -> Option<String> {
    let initiator = &params["initiator"];
    let frame = &initiator["stack"]["callFrames"][0]["url"];
    let url = initiator["url"].as_str().or(frame.as_str()).filter(|url| !url.is_empty());
    url.map(cut)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn request(id: &str, kind: &str) -> Value {
        json!({ "requestId": id, "loaderId": "L", "frameId": "F", "type": kind, "timestamp": 100.0,
                "request": { "url": format!("http://h/{id}"), "method": "GET" } })
    }

    fn ledger() -> (Ledger, PageLog, Instant) {
        let now = Instant::now();
        (Ledger::new(now), PageLog::default(), now)
    }

    #[test]
    fn a_request_is_busy_until_it_ends() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "Script"), "s", now, &mut log);
        assert_eq!(ledger.busy(now).0, 1);
        ledger.respond(
            &json!({ "requestId": "1", "response": { "status": 200, "encodedDataLength": 120, "mimeType": "text/x",
                     "headers": { "Content-Type": "text/x", "X-Other": "y" } } }),
            &mut log,
        );
        ledger.data(&json!({ "requestId": "1", "dataLength": 900, "encodedDataLength": 0 }), &mut log);
        ledger.end(&json!({ "requestId": "1", "timestamp": 101.5, "encodedDataLength": 420 }), now, &mut log);
        assert_eq!(ledger.busy(now).0, 0);
        let record = &log.requests[0];
        assert_eq!((record.encoded_bytes, record.decoded_bytes, record.seconds), (300, 900, Some(1.5)));
        assert_eq!(record.headers, [("content-type".to_owned(), "text/x".to_owned())]);
    }

    #[test]
    fn an_unknown_end_and_a_shapeless_event_change_nothing() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "Image"), "s", now, &mut log);
        ledger.end(&json!({ "requestId": "9" }), now, &mut log);
        ledger.end(&json!(null), now, &mut log);
        ledger.begin(&json!([]), "s", now, &mut log);
        assert_eq!(ledger.busy(now).0, 1);
    }

    #[test]
    fn streams_are_never_waited_for_and_long_polls_only_for_a_while() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "EventSource"), "s", now, &mut log);
        ledger.begin(&request("2", "Fetch"), "s", now, &mut log);
        assert_eq!(ledger.busy(now), (1, Some(now + LONG_POLL)));
        assert_eq!(ledger.busy(now + LONG_POLL).0, 0);
        ledger.begin(&request("3", "Stylesheet"), "s", now, &mut log);
        assert_eq!(ledger.busy(now + LONG_POLL * 10).0, 1);
    }

    #[test]
    fn a_redirect_makes_two_records_and_one_request_in_flight() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "Document"), "s", now, &mut log);
        let mut second = request("1", "Document");
        second["redirectResponse"] = json!({ "status": 302, "headers": { "Location": "/next" } });
        ledger.begin(&second, "s", now, &mut log);
        assert_eq!(ledger.busy(now).0, 1);
        assert_eq!((log.requests.len(), log.requests[0].status), (2, Some(302)));
        assert_eq!(log.requests[0].headers, [("location".to_owned(), "/next".to_owned())]);
    }

    #[test]
    fn requests_of_a_replaced_document_are_forgotten() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "Image"), "s", now, &mut log);
        ledger.document_replaced("F", "L");
        assert_eq!(ledger.busy(now).0, 1);
        ledger.document_replaced("F", "next");
        assert_eq!(ledger.busy(now).0, 0);
    }

    #[test]
    fn what_is_open_when_the_log_is_cleared_does_not_write_into_the_new_log() {
        let (mut ledger, mut log, now) = ledger();
        ledger.begin(&request("1", "Image"), "s", now, &mut log);
        log = PageLog::default();
        ledger.log_cleared();
        ledger.begin(&request("2", "Image"), "s", now, &mut log);
        ledger.end(&json!({ "requestId": "1", "errorText": "net::ERR_X" }), now, &mut log);
        assert_eq!((log.requests.len(), log.requests[0].failed.clone()), (1, None));
    }

    #[test]
    fn repeated_headers_become_pairs() {
        let headers = headers_of(&json!({ "Set-Cookie": "a=1\nb=2", "X": "y" }));
        assert_eq!(headers.len(), 3);
        assert!(headers.contains(&("set-cookie".to_owned(), "b=2".to_owned())));
    }
}
