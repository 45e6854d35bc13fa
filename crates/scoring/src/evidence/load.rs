//! The first load of the page: how navigation ended, what went over the wire, what the console said.

use benchwright_domain::report::Screenshot;
use serde::{Deserialize, Serialize};

/// Format version of [`Load`].
pub const VERSION: u32 = 1;

/// The error of a navigation that led to a local address nobody typed.
pub const LOCAL_ADDRESS: &str = "benchwright::LOCAL_ADDRESS";

/// One load of the page in a fresh context at 1440×900.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// The address as given, credentials removed.
    pub requested_url: String,
    /// Where redirects led.
    pub final_url: String,
    /// Addresses on the way.
    pub redirects: Vec<String>,
    /// How navigation ended.
    pub outcome: NavigationOutcome,
    /// Whether the network fell silent within the cap of 8 s.
    pub idle: bool,
    /// Seconds from the start to DOMContentLoaded.
    pub dom_content_loaded_seconds: Option<f64>,
    /// Seconds from the start to the load event.
    pub load_seconds: Option<f64>,
    /// Characters of text a visitor can see, white space folded.
    pub visible_text_length: usize,
    /// The start of that text.
    pub visible_text_sample: String,
    /// Bytes of inline `<script>` and `<style>`.
    pub inline_script_bytes: u64,
    /// Bytes of inline `<style>`.
    pub inline_style_bytes: u64,
    /// Title of the document.
    pub title: String,
    /// Console lines in order.
    pub console: Vec<ConsoleLine>,
    /// Uncaught exceptions and unhandled rejections in order.
    pub exceptions: Vec<Exception>,
    /// Requests in order.
    pub requests: Vec<Request>,
    /// Dialogs the page opened (all were dismissed).
    pub dialogs: usize,
    /// Windows the page opened.
    pub popups: usize,
    /// Downloads the page started (all were refused).
    pub downloads: Vec<String>,
    /// Records that were over a cap and not kept.
    pub dropped_records: u64,
    /// Screenshots taken on this load: `desktop` (the viewport) and `full`.
    pub screenshots: Vec<Screenshot>,
    /// The browser's product string.
    pub browser: String,
    /// Local hosts the page tried to reach and was kept from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused_local: Vec<String>,
}

/// How a navigation ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NavigationOutcome {
    /// The server answered.
    Responded {
        /// HTTP status of the final response.
        status: u16,
        /// Response headers, lower-case names, values of set-cookie masked.
        headers: Vec<Header>,
        /// MIME type.
        mime_type: String,
    },
    /// The browser could not get an answer.
    Failed {
        /// The browser's word for it: `net::ERR_CONNECTION_REFUSED`.
        error: String,
    },
    /// The server took too long.
    TimedOut {
        /// The limit.
        after_seconds: f64,
    },
    /// The address is a file that the browser would save, not a page.
    Download {
        /// Suggested name.
        file_name: String,
    },
    /// The page was larger than the limit and its load was stopped.
    TooLarge {
        /// Bytes seen until then.
        bytes: u64,
    },
    /// The tab crashed.
    #[default]
    Crashed,
    /// The page answered but its script never let go of the tab, so nothing could be read from it.
    Unresponsive {
        /// The limit.
        after_seconds: f64,
    },
}

/// A response header.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// Lower-case.
    pub name: String,
    /// As sent, cut at 4,000 characters.
    pub value: String,
}

/// A console line.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConsoleLine {
    /// `error`, `warning`, `info`, `log`, `debug`, …
    pub level: String,
    /// The text, cut.
    pub text: String,
    /// Where it came from: for a network line, the address that failed.
    pub url: Option<String>,
    /// Line in that script, from 1.
    pub line: Option<u32>,
    /// `console-api` for the page's own calls; `network`, `security`, `intervention`, … for the browser's.
    pub source: String,
}

/// An uncaught exception.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exception {
    /// Message with the first stack line, cut.
    pub text: String,
    /// Script it came from.
    pub url: Option<String>,
    /// Line in that script, from 1.
    pub line: Option<u32>,
}

/// A request and its response.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// The address, cut at 2,000 characters.
    pub url: String,
    /// GET, POST, …
    pub method: String,
    /// As the browser names it, lower-case: document, stylesheet, script, image, font, fetch, xhr, …
    pub resource_type: String,
    /// The status, if there was a response.
    pub status: Option<u16>,
    /// MIME type of the response.
    pub mime_type: String,
    /// The content-encoding header.
    pub content_encoding: Option<String>,
    /// Bytes of the body over the wire.
    pub encoded_bytes: u64,
    /// Bytes of the body after decoding.
    pub decoded_bytes: u64,
    /// Whether it was answered from a cache.
    pub from_cache: bool,
    /// Why it failed, if it did.
    pub failed: Option<String>,
}
