//! What a page sent and got back, in full, for contexts that ask for it. It holds secrets: it stays in memory and is never stored.

use super::Page;
use super::network::headers_of;
use crate::error::BrowserError;
use base64::Engine as _;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::time::Duration;

/// Exchanges remembered; the oldest go first.
const MAX_EXCHANGES: usize = 400;
/// Bytes of a request's body that Chromium tells of.
pub(crate) const KEPT_REQUEST_BYTES: u64 = 256 * 1024;
/// Bytes of response bodies the browser keeps for a context whose exchanges are read.
pub(crate) const KEPT_RESPONSE_BYTES: u64 = 20 * 1024 * 1024;

/// A request by script or for the document, with headers and body as they were sent. Without cookies, which Chromium adds later.
#[derive(Clone)]
pub struct Exchange {
    pub id: String,
    pub url: String,
    pub method: String,
    /// `Document`, `XHR` or `Fetch`.
    pub resource_type: String,
    /// Lower-case names.
    pub request_headers: Vec<(String, String)>,
    pub request_body: Option<String>,
    pub status: Option<u16>,
    pub mime_type: String,
    /// Whether the whole answer has come.
    pub complete: bool,
}

#[derive(Default)]
pub(crate) struct Exchanges {
    known: VecDeque<Exchange>,
}

impl Exchanges {
    /// `Network.requestWillBeSent`; the next hop of a redirect takes the place of the one before.
    pub(crate) fn begin(&mut self, params: &Value) {
        let kind = params["type"].as_str().unwrap_or_default();
        let Some(id) = params["requestId"].as_str().filter(|_| matches!(kind, "Document" | "XHR" | "Fetch")) else {
            return;
        };
        let request = &params["request"];
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        self.known.retain(|known| known.id != id);
        if self.known.len() >= MAX_EXCHANGES {
            self.known.pop_front();
        }
        self.known.push_back(Exchange {
            id: id.to_owned(),
            url: text(&request["url"]),
            method: text(&request["method"]),
            resource_type: kind.to_owned(),
            request_headers: headers_of(&request["headers"]),
            request_body: request["postData"].as_str().map(str::to_owned),
            status: None,
            mime_type: String::new(),
            complete: false,
        });
    }

    /// `Network.responseReceived`.
    pub(crate) fn respond(&mut self, params: &Value) {
        let Some(exchange) = self.find(params) else { return };
        let response = &params["response"];
        exchange.status = response["status"].as_u64().and_then(|status| u16::try_from(status).ok());
        exchange.mime_type = response["mimeType"].as_str().unwrap_or_default().to_ascii_lowercase();
    }

    /// `Network.loadingFinished`.
    pub(crate) fn finish(&mut self, params: &Value) {
        if let Some(exchange) = self.find(params) {
            exchange.complete = true;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.known.clear();
    }

    fn find(&mut self, params: &Value) -> Option<&mut Exchange> {
        let id = params["requestId"].as_str()?;
        self.known.iter_mut().find(|known| known.id == id)
    }
}

impl Page {
    /// What the page itself sent since its log was cleared, oldest first. Empty unless the context keeps exchanges.
    pub fn exchanges(&self) -> Vec<Exchange> {
        self.state().inner().exchanges.known.iter().cloned().collect()
    }

    /// The text of an answer, or none when the browser no longer has it: it is dropped with its document.
    pub async fn response_text(&self, exchange: &Exchange, limit: Duration) -> Result<Option<String>, BrowserError> {
        let params = json!({ "requestId": exchange.id });
        let answer = match self.call("Network.getResponseBody", params, limit).await {
            Ok(answer) => answer,
            Err(BrowserError::Refused { .. }) => return Ok(None),
            Err(error) => return Err(error),
        };
        let body = answer["body"].as_str().unwrap_or_default();
        if answer["base64Encoded"].as_bool() != Some(true) {
            return Ok(Some(body.to_owned()));
        }
        let bytes = base64::engine::general_purpose::STANDARD.decode(body).ok();
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// Whether dialogs are accepted from now on. They are dismissed otherwise.
    pub fn accept_dialogs(&self, accept: bool) {
        self.state().inner().accepts_dialogs = accept;
    }

    /// Forgets everything an origin keeps in this page's context: storage, databases, caches, workers, its cookies.
    pub async fn clear_origin(&self, origin: &str, limit: Duration) -> Result<(), BrowserError> {
        let params = json!({ "origin": origin, "storageTypes": "all" });
        self.call("Storage.clearDataForOrigin", params, limit).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begun(exchanges: &mut Exchanges, id: &str, kind: &str, url: &str) {
        exchanges.begin(&json!({ "requestId": id, "type": kind, "request": {
            "url": url, "method": "POST", "headers": { "ApiKey": "k" }, "postData": "{}" } }));
    }

    #[test]
    fn only_documents_and_requests_by_script_are_kept() {
        let mut exchanges = Exchanges::default();
        begun(&mut exchanges, "1", "Image", "http://h/a.png");
        begun(&mut exchanges, "2", "Fetch", "http://h/api");
        exchanges.respond(&json!({ "requestId": "2", "response": { "status": 200, "mimeType": "Application/JSON" } }));
        exchanges.finish(&json!({ "requestId": "2" }));
        exchanges.finish(&json!({ "requestId": "1" }));
        let kept = &exchanges.known[0];
        assert_eq!((exchanges.known.len(), kept.status, kept.complete), (1, Some(200), true));
        assert_eq!(kept.request_headers, [("apikey".to_owned(), "k".to_owned())]);
        assert_eq!((kept.mime_type.as_str(), kept.request_body.as_deref()), ("application/json", Some("{}")));
    }

    #[test]
    fn a_redirect_leaves_its_last_hop_and_old_exchanges_make_room() {
        let mut exchanges = Exchanges::default();
        begun(&mut exchanges, "1", "Document", "http://h/a");
        begun(&mut exchanges, "1", "Document", "http://h/b");
        assert_eq!((exchanges.known.len(), exchanges.known[0].url.as_str()), (1, "http://h/b"));
        for number in 0..MAX_EXCHANGES + 5 {
            begun(&mut exchanges, &format!("n{number}"), "XHR", "http://h/x");
        }
        assert_eq!(exchanges.known.len(), MAX_EXCHANGES);
    }
}
