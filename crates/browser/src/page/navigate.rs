//! Going to an address, and knowing when it has arrived.

use super::Page;
use super::documents::Document;
use super::state::PageInner;
use crate::error::BrowserError;
use crate::options::LoadLimits;
use crate::records::{Idle, Navigation, NavigationOutcome};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long a page may take to obey `Page.reload`, which answers at once.
const RELOAD_LIMIT: Duration = Duration::from_secs(10);

/// Answers that Chromium shows a page of its own for: an error status without a body, a password nobody gave.
const ANSWERED_ERRORS: [&str; 2] = ["net::ERR_HTTP_RESPONSE_CODE_FAILURE", "net::ERR_INVALID_AUTH_CREDENTIALS"];
/// How long the browser's own error page may take to appear after the failure.
const ERROR_PAGE_LIMIT: Duration = Duration::from_secs(1);

/// One navigation of ours while it is under way.
struct Journey<'a> {
    page: &'a Page,
    requested: String,
    limits: LoadLimits,
    started: Instant,
    /// Commits of the main frame before it began.
    commits_before: u64,
    dom_content_loaded: Option<Instant>,
    idle_at: Option<Instant>,
}

impl Page {
    /// Goes to an address and waits for DOMContentLoaded, then for the load event and a quiet network.
    pub async fn goto(&self, url: &str, limits: LoadLimits) -> Result<Navigation, BrowserError> {
        let mut journey = Journey::begin(self, url, limits);
        let answer = self.call("Page.navigate", json!({ "url": url }), limits.navigation).await;
        let early = match answer {
            Ok(answer) => journey.early_end(&answer).await,
            Err(error) => Some(journey.failed_call(error)?),
        };
        let outcome = match early {
            Some(outcome) => outcome,
            None => journey.arrive(false).await?,
        };
        Ok(journey.end(outcome))
    }

    /// Loads the page again.
    pub async fn reload(&self, limits: LoadLimits) -> Result<Navigation, BrowserError> {
        let mut journey = Journey::begin(self, &self.url(), limits);
        let outcome = match self.call("Page.reload", json!({}), RELOAD_LIMIT.min(limits.navigation)).await {
            Ok(_) => journey.arrive(true).await?,
            Err(error) => journey.failed_call(error)?,
        };
        Ok(journey.end(outcome))
    }

    /// Waits until no request was under way for `quiet`, at most `cap`. WebSockets, event streams, beacons and requests
    /// by script open for more than 5 s are not waited for.
    pub async fn wait_for_network_idle(&self, quiet: Duration, cap: Duration) -> Idle {
        self.until_idle(Instant::now(), quiet, cap, |_| true).await
    }

    /// As above, and until `also` holds.
    async fn until_idle(
        &self,
        started: Instant,
        quiet: Duration,
        cap: Duration,
        also: impl Fn(&PageInner) -> bool,
    ) -> Idle {
        let mut changes = self.state().changes();
        let end = started + cap;
        loop {
            let now = Instant::now();
            let (in_flight, wake) = {
                let inner = self.state().inner();
                let (in_flight, expires) = inner.network.busy(now);
                let quiet_at = inner.network.last_activity().max(started) + quiet;
                let reached = in_flight == 0 && quiet_at <= now && also(&inner);
                if reached {
                    return Idle { reached, seconds: seconds(started, now), in_flight };
                }
                let quiet_at = (in_flight == 0 && quiet_at > now).then_some(quiet_at);
                (in_flight, quiet_at.or(expires).unwrap_or(end).min(end))
            };
            if now >= end || self.fault().is_some() {
                return Idle { reached: false, seconds: seconds(started, now), in_flight };
            }
            let _ = tokio::time::timeout(wake.saturating_duration_since(now), changes.changed()).await;
        }
    }
}

impl<'a> Journey<'a> {
    fn begin(page: &'a Page, url: &str, limits: LoadLimits) -> Self {
        let commits_before = page.state().begin_navigation(page.connection());
        Self {
            page,
            requested: url.to_owned(),
            limits,
            started: Instant::now(),
            commits_before,
            dom_content_loaded: None,
            idle_at: None,
        }
    }

    /// What the answer to `Page.navigate` already decides.
    async fn early_end(&mut self, answer: &Value) -> Option<NavigationOutcome> {
        let loader = answer["loaderId"].as_str();
        let outcome = self.decided(loader, answer).await;
        if let Some(loader) = loader {
            // The error page of an earlier failure may still be on its way; it must not pass for our document.
            match outcome {
                None => self.until_committed(loader, self.started + self.limits.navigation).await,
                Some(NavigationOutcome::Download { .. }) => {}
                Some(_) => self.until_committed(loader, Instant::now() + ERROR_PAGE_LIMIT).await,
            }
        }
        outcome
    }

    async fn until_committed(&mut self, loader: &str, end: Instant) {
        let mut changes = self.page.state().changes();
        loop {
            let commit = self.page.state().inner().documents.by_loader(loader).map_or(0, |document| document.commit);
            if commit > 0 {
                self.commits_before = commit - 1;
                return;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() || self.page.fault().is_some() {
                return;
            }
            let _ = tokio::time::timeout(left, changes.changed()).await;
        }
    }

    async fn decided(&self, loader: Option<&str>, answer: &Value) -> Option<NavigationOutcome> {
        let Some(error) = answer["errorText"].as_str().filter(|text| !text.is_empty()) else {
            if loader.is_some() {
                return None;
            }
            self.within_document().await;
            return Some(self.answer_of_current());
        };
        if ANSWERED_ERRORS.contains(&error)
            && let Some(outcome) = self.answer_to(loader)
        {
            return Some(outcome);
        }
        if answer["isDownload"].as_bool() == Some(true) || error == "net::ERR_ABORTED" {
            self.settle_abort(loader, answer).await
        } else {
            None
        }
        .or_else(|| Some(NavigationOutcome::Failed { error: error.to_owned() }))
    }

    /// Without a loader the address differs from the last one in its fragment only; the page says so a moment later.
    async fn within_document(&self) {
        let arrived = async {
            let mut changes = self.page.state().changes();
            while self.page.url() != self.requested && self.page.fault().is_none() {
                let _ = changes.changed().await;
            }
        };
        let _ = tokio::time::timeout(Duration::from_secs(1), arrived).await;
    }

    fn answer_to(&self, loader: Option<&str>) -> Option<NavigationOutcome> {
        let inner = self.page.state().inner();
        let document = loader.and_then(|loader| inner.documents.by_loader(loader));
        document.or_else(|| inner.documents.latest_request()).and_then(Document::answer)
    }

    /// An aborted navigation is a download, an empty answer, or truly aborted; the event that tells may still be on
    /// its way.
    async fn settle_abort(&self, loader: Option<&str>, answer: &Value) -> Option<NavigationOutcome> {
        let patience = Instant::now() + Duration::from_secs(1);
        let mut changes = self.page.state().changes();
        loop {
            if self.page.is_crashed() {
                return Some(NavigationOutcome::Crashed);
            }
            let told = {
                let download = self.page.state().inner().download.clone();
                let download = download.map(|file_name| NavigationOutcome::Download { file_name });
                download.or_else(|| self.answer_to(loader).filter(is_empty_answer))
            };
            let left = patience.saturating_duration_since(Instant::now());
            if told.is_some() || left.is_zero() {
                let nameless = NavigationOutcome::Download { file_name: String::new() };
                return told.or_else(|| (answer["isDownload"].as_bool() == Some(true)).then_some(nameless));
            }
            let _ = tokio::time::timeout(left, changes.changed()).await;
        }
    }

    fn failed_call(&self, error: BrowserError) -> Result<NavigationOutcome, BrowserError> {
        match error {
            BrowserError::TimedOut { .. } => Ok(self.timed_out()),
            BrowserError::Crashed if self.page.is_crashed() => Ok(NavigationOutcome::Crashed),
            BrowserError::Refused { message, .. } => Ok(NavigationOutcome::Failed { error: message }),
            other => Err(other),
        }
    }

    fn timed_out(&self) -> NavigationOutcome {
        self.page.connection().tell(Some(&self.page.state().session), "Page.stopLoading", json!({}));
        let inner = self.page.state().inner();
        if let Some(file_name) = inner.download.clone() {
            return NavigationOutcome::Download { file_name };
        }
        NavigationOutcome::TimedOut { after_seconds: self.limits.navigation.as_secs_f64() }
    }

    /// Waits for the document, then for its load and a quiet network.
    async fn arrive(&mut self, is_reload: bool) -> Result<NavigationOutcome, BrowserError> {
        let end = self.started + self.limits.navigation;
        let mut changes = self.page.state().changes();
        loop {
            if let Some(outcome) = self.interruption(is_reload)? {
                return Ok(outcome);
            }
            self.dom_content_loaded = self.moment(|document| document.dom_content_loaded);
            if self.dom_content_loaded.is_some() {
                break;
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(self.timed_out());
            }
            let _ = tokio::time::timeout(left, changes.changed()).await;
        }
        self.settle().await;
        match self.interruption(is_reload)? {
            Some(outcome) => Ok(outcome),
            None => Ok(self.answer_of_current()),
        }
    }

    async fn settle(&mut self) {
        let loaded = |inner: &PageInner| {
            let document = inner.documents.current();
            document.is_some_and(|document| document.loaded.is_some()) || inner.too_large.is_some()
        };
        let (quiet, cap) = (self.limits.idle_quiet, self.limits.idle_cap);
        let idle = self.page.until_idle(Instant::now(), quiet, cap, loaded).await;
        self.idle_at = idle.reached.then(Instant::now);
    }

    /// What ends the journey before, or instead of, a document.
    fn interruption(&self, is_reload: bool) -> Result<Option<NavigationOutcome>, BrowserError> {
        match self.page.fault() {
            Some(BrowserError::Crashed) => return Ok(Some(NavigationOutcome::Crashed)),
            Some(fault) => return Err(fault),
            None => {}
        }
        let inner = self.page.state().inner();
        if let Some(bytes) = inner.too_large {
            return Ok(Some(NavigationOutcome::TooLarge { bytes }));
        }
        let arrived = inner.documents.commits() > self.commits_before;
        let latest = if arrived { inner.documents.current() } else { inner.documents.latest_request() };
        let failed = latest.filter(|document| if arrived { document.is_error_page } else { is_reload });
        let answered = |document: &&Document| {
            document.failure.as_deref().is_some_and(|failure| ANSWERED_ERRORS.contains(&failure))
        };
        if let Some(answer) = failed.filter(answered).and_then(Document::answer) {
            return Ok(Some(answer));
        }
        Ok(failed
            .and_then(|document| document.failure.clone().or(arrived.then(|| "net::ERR_FAILED".to_owned())))
            .map(|error| NavigationOutcome::Failed { error }))
    }

    fn answer_of_current(&self) -> NavigationOutcome {
        let inner = self.page.state().inner();
        let answer = inner.documents.current().and_then(Document::answer);
        // Addresses such as `about:blank` are documents without a request.
        answer.unwrap_or_else(|| NavigationOutcome::Responded {
            status: 200,
            status_text: String::new(),
            headers: Vec::new(),
            mime_type: "text/html".to_owned(),
        })
    }

    /// A moment in the life of the newest document, once one has arrived.
    fn moment(&self, of: impl Fn(&Document) -> Option<Instant>) -> Option<Instant> {
        let inner = self.page.state().inner();
        let document = inner.documents.current().filter(|document| document.commit > self.commits_before)?;
        of(document)
    }

    fn end(self, outcome: NavigationOutcome) -> Navigation {
        let since = |moment: Option<Instant>| moment.map(|moment| seconds(self.started, moment));
        let idle = self.idle_at.is_some() && matches!(outcome, NavigationOutcome::Responded { .. });
        Navigation {
            redirects: self.redirects(),
            seconds_to_commit: since(self.first_commit()),
            seconds_to_dom_content_loaded: since(self.dom_content_loaded),
            seconds_to_load: since(self.moment(|document| document.loaded)),
            seconds_to_idle: if idle { since(self.idle_at) } else { None },
            idle,
            final_url: self.final_url(),
            requested_url: self.requested,
            outcome,
        }
    }

    fn first_commit(&self) -> Option<Instant> {
        self.page.state().inner().documents.since(self.commits_before).first().and_then(|document| document.committed)
    }

    fn final_url(&self) -> String {
        if self.page.state().inner().documents.commits() > self.commits_before {
            return self.page.url();
        }
        let inner = self.page.state().inner();
        let asked = inner.documents.latest_request().filter(|document| document.commit == 0);
        asked
            .map(|document| document.url.clone())
            .filter(|url| !url.is_empty())
            .unwrap_or_else(|| self.requested.clone())
    }

    fn redirects(&self) -> Vec<String> {
        let inner = self.page.state().inner();
        let mut chain = inner.documents.since(self.commits_before);
        if chain.is_empty() {
            chain.extend(inner.documents.latest_request().filter(|document| document.commit == 0));
        }
        let mut passed = Vec::new();
        for (index, document) in chain.iter().enumerate() {
            passed.extend(document.redirects.iter().cloned());
            if index + 1 < chain.len() {
                passed.push(document.url.clone());
            }
        }
        passed
    }
}

fn is_empty_answer(answer: &NavigationOutcome) -> bool {
    matches!(answer, NavigationOutcome::Responded { status: 204 | 205, .. })
}

fn seconds(from: Instant, to: Instant) -> f64 {
    to.saturating_duration_since(from).as_secs_f64()
}
