//! What is written down about a page: plain, serialisable, capped.

use serde::{Deserialize, Serialize};

/// Longest text kept of one record, in characters.
pub(crate) const MAX_TEXT: usize = 2_000;
/// Most requests kept.
pub(crate) const MAX_REQUESTS: usize = 5_000;
/// Most console lines kept.
pub(crate) const MAX_CONSOLE: usize = 1_000;
/// Most exceptions kept.
pub(crate) const MAX_EXCEPTIONS: usize = 500;
/// Most dialogs kept; further ones are still answered.
pub(crate) const MAX_DIALOGS: usize = 20;
/// Most download names kept.
pub(crate) const MAX_DOWNLOADS: usize = 100;

/// How one navigation went.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Navigation {
    pub requested_url: String,
    pub final_url: String,
    pub outcome: NavigationOutcome,
    /// The addresses passed through on the way, without the final one: HTTP redirects, then documents that sent us on.
    pub redirects: Vec<String>,
    pub seconds_to_commit: Option<f64>,
    pub seconds_to_dom_content_loaded: Option<f64>,
    pub seconds_to_load: Option<f64>,
    pub seconds_to_idle: Option<f64>,
    /// Whether the load event came and the network fell quiet within the limit.
    pub idle: bool,
}

/// What the address answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NavigationOutcome {
    /// A document (or an empty answer) arrived.
    Responded {
        status: u16,
        status_text: String,
        /// Lower-case names, in the order of the wire, cookies included.
        headers: Vec<(String, String)>,
        mime_type: String,
    },
    /// No answer could be had; the text is Chromium's `net::ERR_…`.
    Failed {
        /// Chromium's name of the fault.
        error: String,
    },
    /// DOMContentLoaded did not come in time.
    TimedOut {
        /// The limit.
        after_seconds: f64,
    },
    /// The address is a file to keep, not a page.
    Download {
        /// The name the server suggests.
        file_name: String,
    },
    /// The page went over `max_response_bytes` and was stopped.
    TooLarge {
        /// Bytes seen when it was stopped.
        bytes: u64,
    },
    /// The tab died.
    Crashed,
}

/// How a wait for a quiet network ended.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Idle {
    /// Whether the network was quiet for as long as asked.
    pub reached: bool,
    /// How long the wait took.
    pub seconds: f64,
    /// Requests still open at the end.
    pub in_flight: usize,
}

/// Everything a page said and asked for since it was opened or its log was cleared.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PageLog {
    pub console: Vec<ConsoleRecord>,
    pub exceptions: Vec<ExceptionRecord>,
    pub requests: Vec<RequestRecord>,
    pub dialogs: Vec<DialogRecord>,
    /// Windows the page opened.
    pub popups: u32,
    /// Names of the files it offered.
    pub downloads: Vec<String>,
    pub crashed: bool,
    /// Records beyond the caps, counted and not kept.
    pub dropped: u64,
}

/// One line of the console.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConsoleRecord {
    /// `error`, `warning`, `info`, `log`, `debug`, `verbose` …
    pub level: String,
    pub text: String,
    pub url: Option<String>,
    /// Counted from 1.
    pub line: Option<u32>,
    /// `console-api` for what scripts wrote; otherwise Chromium's own source, such as `network` for a failed load that
    /// is also in `requests`, `security`, `deprecation`, `intervention`, `violation`.
    pub source: String,
}

/// An exception nobody caught, or a rejected promise nobody handled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExceptionRecord {
    pub text: String,
    pub url: Option<String>,
    /// Counted from 1.
    pub line: Option<u32>,
}

/// A dialog that was dismissed for the page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DialogRecord {
    /// `alert`, `confirm`, `prompt`, `beforeunload`.
    pub kind: String,
    pub text: String,
}

/// One request, one hop: a redirect is two records with the same id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestRecord {
    pub id: String,
    pub url: String,
    pub method: String,
    /// Chromium's name: `Document`, `Stylesheet`, `Image`, `Font`, `Script`, `XHR`, `Fetch`, `EventSource` …
    pub resource_type: String,
    pub status: Option<u16>,
    /// Of the response, lower-case names; only content-type, content-length, content-encoding, cache-control, location.
    pub headers: Vec<(String, String)>,
    pub mime_type: String,
    /// Bytes of the body as they came over the wire (compressed), without the response's headers. For a request that
    /// failed or is still open, what had come so far. 0 from a cache.
    pub encoded_bytes: u64,
    /// Bytes of the body after decompression.
    pub decoded_bytes: u64,
    pub from_cache: bool,
    /// Chromium's `net::ERR_…` when it failed.
    pub failed: Option<String>,
    /// Why Chromium refused it: `mixed-content`, `csp`, `inspector` (over our byte limit) …
    pub blocked_reason: Option<String>,
    /// Since the first request of this log.
    pub started_seconds: f64,
    /// From the start to the last byte or the failure.
    pub seconds: Option<f64>,
    /// The script or document that asked for it.
    pub initiator_url: Option<String>,
    pub frame_id: Option<String>,
}

impl PageLog {
    pub(crate) fn add_console(&mut self, record: ConsoleRecord) {
        push_capped(&mut self.console, record, MAX_CONSOLE, &mut self.dropped);
    }

    pub(crate) fn add_exception(&mut self, record: ExceptionRecord) {
        push_capped(&mut self.exceptions, record, MAX_EXCEPTIONS, &mut self.dropped);
    }

    pub(crate) fn add_dialog(&mut self, record: DialogRecord) {
        push_capped(&mut self.dialogs, record, MAX_DIALOGS, &mut self.dropped);
    }

    pub(crate) fn add_download(&mut self, name: String) {
        push_capped(&mut self.downloads, name, MAX_DOWNLOADS, &mut self.dropped);
    }

    /// The index of the new record, or none when the log is full.
    pub(crate) fn add_request(&mut self, record: RequestRecord) -> Option<usize> {
        push_capped(&mut self.requests, record, MAX_REQUESTS, &mut self.dropped).then(|| self.requests.len() - 1)
    }
}

fn push_capped<T>(list: &mut Vec<T>, item: T, cap: usize, dropped: &mut u64) -> bool {
    if list.len() < cap {
        list.push(item);
        true
    } else {
        *dropped += 1;
        false
    }
}

/// The start of a text, at most [`MAX_TEXT`] characters, marked where it was cut.
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_beyond_the_cap_are_counted() {
        let mut log = PageLog::default();
        for _ in 0..MAX_DIALOGS + 3 {
            log.add_dialog(DialogRecord { kind: "alert".into(), text: "x".into() });
        }
        assert_eq!((log.dialogs.len(), log.dropped), (MAX_DIALOGS, 3));
    }

    #[test]
    fn cutting_respects_characters() {
        let long = "é".repeat(MAX_TEXT + 1);
        assert_eq!(cut(&long).chars().count(), MAX_TEXT + 1);
        assert!(cut(&long).ends_with('…'));
        assert_eq!(cut("short"), "short");
    }

    #[test]
    fn a_log_survives_the_round_trip() {
        let mut log = PageLog::default();
        log.add_request(RequestRecord { url: "http://a/".into(), status: Some(200), ..RequestRecord::default() });
        let text = serde_json::to_string(&log).unwrap();
        assert_eq!(serde_json::from_str::<PageLog>(&text).unwrap(), log);
    }
}
