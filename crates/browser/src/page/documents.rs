//! The documents the main frame went through: how each was asked for, answered and loaded.

use super::network::headers_of;
use crate::records::NavigationOutcome;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Instant;

/// Documents remembered; a page that sends itself on endlessly forgets the first ones.
const MAX_DOCUMENTS: usize = 40;
/// Raw headers remembered whose request is not known yet.
const MAX_STRAY: usize = 200;

#[derive(Default)]
pub(crate) struct Documents {
    known: VecDeque<Document>,
    stray: VecDeque<RawHeaders>,
    current: Option<String>,
    /// How many documents were committed so far.
    commits: u64,
}

/// One document, known by its loader.
#[derive(Clone, Default)]
pub(crate) struct Document {
    pub(crate) loader: String,
    pub(crate) url: String,
    /// Addresses that answered with a redirect on the way to it.
    pub(crate) redirects: Vec<String>,
    response: Option<Response>,
    raw: Option<RawHeaders>,
    pub(crate) failure: Option<String>,
    /// The number of its commit; 0 while it has none.
    pub(crate) commit: u64,
    pub(crate) committed: Option<Instant>,
    pub(crate) dom_content_loaded: Option<Instant>,
    pub(crate) loaded: Option<Instant>,
    /// The browser's own error page.
    pub(crate) is_error_page: bool,
}

#[derive(Clone)]
struct Response {
    status: u16,
    status_text: String,
    headers: Vec<(String, String)>,
    mime_type: String,
}

#[derive(Clone)]
struct RawHeaders {
    request: String,
    status: Option<u64>,
    headers: Vec<(String, String)>,
}

impl Documents {
    /// `Network.requestWillBeSent` of a document of the main frame.
    pub(crate) fn requested(&mut self, params: &Value) {
        let (Some(id), Some(url)) = (params["requestId"].as_str(), params["request"]["url"].as_str()) else { return };
        let stray = self.take_stray(id);
        let document = self.entry(id);
        if let Some(from) = params["redirectResponse"]["url"].as_str()
            && document.redirects.len() < 50
        {
            document.redirects.push(from.to_owned());
            document.raw = None;
        }
        url.clone_into(&mut document.url);
        if stray.is_some() {
            document.raw = stray;
        }
    }

    /// `Network.responseReceived`.
    pub(crate) fn responded(&mut self, params: &Value) {
        let Some(document) = params["requestId"].as_str().and_then(|id| self.find(id)) else { return };
        let response = &params["response"];
        document.response = Some(Response {
            status: response["status"].as_u64().and_then(|status| u16::try_from(status).ok()).unwrap_or_default(),
            status_text: response["statusText"].as_str().unwrap_or_default().to_owned(),
            headers: headers_of(&response["headers"]),
            mime_type: response["mimeType"].as_str().unwrap_or_default().to_owned(),
        });
    }

    /// `Network.responseReceivedExtraInfo`: the headers as they came, before Chromium hides some. It may come before
    /// or after the events it belongs to.
    pub(crate) fn raw_headers(&mut self, params: &Value) {
        let Some(id) = params["requestId"].as_str() else { return };
        let raw = RawHeaders {
            request: id.to_owned(),
            status: params["statusCode"].as_u64(),
            headers: headers_of(&params["headers"]),
        };
        if let Some(document) = self.find(id) {
            document.raw = Some(raw);
        } else {
            if self.stray.len() >= MAX_STRAY {
                self.stray.pop_front();
            }
            self.stray.push_back(raw);
        }
    }

    /// `Network.loadingFailed`.
    pub(crate) fn failed(&mut self, params: &Value) {
        if let Some(document) = params["requestId"].as_str().and_then(|id| self.find(id)) {
            document.failure = params["errorText"].as_str().map(str::to_owned);
        }
    }

    /// `Page.frameNavigated` of the main frame. Whether this is another document than before.
    pub(crate) fn committed(&mut self, loader: &str, url: &str, is_error_page: bool, now: Instant) -> bool {
        if self.current.as_deref() == Some(loader) {
            return false;
        }
        self.commits += 1;
        self.current = Some(loader.to_owned());
        let commit = self.commits;
        let document = self.entry(loader);
        document.commit = commit;
        document.committed = Some(now);
        document.is_error_page = is_error_page;
        if document.url.is_empty() {
            url.clone_into(&mut document.url);
        }
        true
    }

    /// `Page.lifecycleEvent` of the main frame.
    pub(crate) fn lifecycle(&mut self, loader: &str, name: &str, now: Instant) {
        if !matches!(name, "DOMContentLoaded" | "load") {
            return;
        }
        let document = self.entry(loader);
        let moment = if name == "load" { &mut document.loaded } else { &mut document.dom_content_loaded };
        moment.get_or_insert(now);
    }

    pub(crate) fn commits(&self) -> u64 {
        self.commits
    }

    /// The committed document.
    pub(crate) fn current(&self) -> Option<&Document> {
        let loader = self.current.as_deref()?;
        self.known.iter().find(|document| document.loader == loader)
    }

    pub(crate) fn by_loader(&self, loader: &str) -> Option<&Document> {
        self.known.iter().find(|document| document.loader == loader)
    }

    /// The document asked for last, committed or not.
    pub(crate) fn latest_request(&self) -> Option<&Document> {
        self.known.back()
    }

    /// Documents committed after that many commits, in order.
    pub(crate) fn since(&self, commits: u64) -> Vec<&Document> {
        let mut found: Vec<&Document> = self.known.iter().filter(|document| document.commit > commits).collect();
        found.sort_by_key(|document| document.commit);
        found
    }

    fn find(&mut self, loader: &str) -> Option<&mut Document> {
        self.known.iter_mut().find(|document| document.loader == loader)
    }

    fn entry(&mut self, loader: &str) -> &mut Document {
        let index = self.known.iter().position(|document| document.loader == loader).unwrap_or_else(|| {
            if self.known.len() >= MAX_DOCUMENTS {
                self.known.pop_front();
            }
            self.known.push_back(Document { loader: loader.to_owned(), ..Document::default() });
            self.known.len() - 1
        });
        &mut self.known[index]
    }

    fn take_stray(&mut self, id: &str) -> Option<RawHeaders> {
        let index = self.stray.iter().rposition(|raw| raw.request == id)?;
        self.stray.remove(index)
    }
}

impl Document {
    /// What the server answered, if it did.
    pub(crate) fn answer(&self) -> Option<NavigationOutcome> {
        if let Some(response) = &self.response {
            let raw = self.raw.as_ref().filter(|raw| raw.status.is_none_or(|code| code == u64::from(response.status)));
            return Some(NavigationOutcome::Responded {
                status: response.status,
                status_text: response.status_text.clone(),
                headers: raw.map_or_else(|| response.headers.clone(), |raw| raw.headers.clone()),
                mime_type: response.mime_type.clone(),
            });
        }
        // Chromium reports no response where it shows no document of the server, but the raw headers came.
        let raw = self.raw.as_ref().filter(|raw| matches!(raw.status, Some(204 | 205 | 401 | 407)))?;
        let status = raw.status.and_then(|status| u16::try_from(status).ok())?;
        let mime_type = raw.headers.iter().find(|(name, _)| name == "content-type").map(|(_, value)| value.as_str());
        Some(NavigationOutcome::Responded {
            status,
            status_text: String::new(),
            headers: raw.headers.clone(),
            mime_type: mime_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn requested(documents: &mut Documents, url: &str) {
        documents.requested(&json!({ "requestId": "L", "request": { "url": url } }));
    }

    fn responded(documents: &mut Documents, status: u16) {
        documents.responded(&json!({ "requestId": "L",
            "response": { "status": status, "statusText": "OK", "headers": { "A": "b" }, "mimeType": "text/html" } }));
    }

    fn headers(documents: &Documents) -> Vec<(String, String)> {
        match documents.by_loader("L").unwrap().answer() {
            Some(NavigationOutcome::Responded { headers, .. }) => headers,
            other => panic!("not answered: {other:?}"),
        }
    }

    #[test]
    fn raw_headers_win_whichever_event_comes_first() {
        let raw = json!({ "requestId": "L", "statusCode": 200, "headers": { "Set-Cookie": "x=1" } });
        let expected = [("set-cookie".to_owned(), "x=1".to_owned())];
        let mut early = Documents::default();
        early.raw_headers(&raw);
        requested(&mut early, "http://h/");
        responded(&mut early, 200);
        assert_eq!(headers(&early), expected);
        let mut late = Documents::default();
        requested(&mut late, "http://h/");
        responded(&mut late, 200);
        late.raw_headers(&raw);
        assert_eq!(headers(&late), expected);
    }

    #[test]
    fn raw_headers_of_a_redirect_are_not_taken_for_the_answer() {
        let mut documents = Documents::default();
        requested(&mut documents, "http://h/");
        documents.raw_headers(&json!({ "requestId": "L", "statusCode": 302, "headers": { "Location": "/x" } }));
        responded(&mut documents, 200);
        assert_eq!(headers(&documents), [("a".to_owned(), "b".to_owned())]);
    }

    #[test]
    fn an_empty_answer_is_an_answer() {
        let mut documents = Documents::default();
        requested(&mut documents, "http://h/");
        documents.raw_headers(&json!({ "requestId": "L", "statusCode": 204, "headers": {} }));
        let answer = documents.by_loader("L").unwrap().answer();
        assert!(matches!(answer, Some(NavigationOutcome::Responded { status: 204, .. })));
    }

    #[test]
    fn documents_since_a_commit_come_in_order() {
        let mut documents = Documents::default();
        let now = Instant::now();
        assert!(documents.committed("a", "http://h/a", false, now));
        let before = documents.commits();
        assert!(documents.committed("b", "http://h/b", false, now));
        assert!(documents.committed("c", "http://h/c", false, now));
        assert!(!documents.committed("c", "http://h/c", false, now));
        let urls: Vec<&str> = documents.since(before).iter().map(|document| document.url.as_str()).collect();
        assert_eq!(urls, ["http://h/b", "http://h/c"]);
    }

    #[test]
    fn an_endless_chain_is_forgotten_from_its_start() {
        let mut documents = Documents::default();
        for number in 0..500 {
            documents.committed(&format!("l{number}"), "http://h/", false, Instant::now());
        }
        assert_eq!(documents.known.len(), MAX_DOCUMENTS);
        assert_eq!(documents.current().unwrap().loader, "l499");
    }
}
