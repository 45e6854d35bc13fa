//! What a page's log says, as facts of a trace: each once, in words, capped.

use crate::line::blank;
use benchwright_browser::{PageLog, RequestRecord};
use benchwright_domain::vibe::trace::{Fact, FactKind};
use std::collections::BTreeSet;

/// Most facts of one substep; a page that fails in a loop tells nothing new.
const MOST: usize = 40;
/// Characters of one fact.
const LONGEST: usize = 400;

/// How far a log was read.
#[derive(Debug, Default)]
pub(super) struct Heard {
    console: usize,
    exceptions: usize,
    downloads: usize,
    requests: usize,
    /// Requests that were still under way.
    open: BTreeSet<usize>,
}

impl Heard {
    /// What the log says that was not heard before.
    pub(super) fn news(&mut self, log: &PageLog) -> Vec<(FactKind, String)> {
        let mut news = Vec::new();
        self.open.extend(self.requests..log.requests.len());
        self.requests = log.requests.len();
        let ended: Vec<usize> =
            self.open.iter().copied().filter(|index| log.requests.get(*index).is_none_or(is_over)).collect();
        for index in ended {
            self.open.remove(&index);
            news.extend(log.requests.get(index).and_then(of_request));
        }
        let errors = log.console.iter().skip(self.console).filter(|line| line.level == "error");
        // What Chromium itself writes of a failed load is a request's fact already.
        news.extend(
            errors.filter(|line| line.source != "network").map(|line| (FactKind::ConsoleError, line.text.clone())),
        );
        let thrown = log.exceptions.iter().skip(self.exceptions);
        news.extend(thrown.map(|exception| (FactKind::ConsoleError, exception.text.clone())));
        let downloads = log.downloads.iter().skip(self.downloads);
        news.extend(downloads.map(|name| (FactKind::Download, name.clone())));
        self.console = log.console.len();
        self.exceptions = log.exceptions.len();
        self.downloads = log.downloads.len();
        news
    }
}

fn is_over(request: &RequestRecord) -> bool {
    request.status.is_some() || request.failed.is_some()
}

/// Failures, and what changed something on the server; a page's own pictures and scripts are no news.
fn of_request(request: &RequestRecord) -> Option<(FactKind, String)> {
    let what = format!("{} {}", request.method, request.url);
    match (request.status, &request.failed) {
        (_, Some(reason)) if reason != "net::ERR_ABORTED" => {
            Some((FactKind::FailedRequest, format!("{what}: {reason}")))
        }
        (Some(status), _) if status >= 400 => Some((FactKind::FailedRequest, format!("{what}: {status}"))),
        (Some(status), _) if request.method != "GET" => Some((FactKind::Request, format!("{what}: {status}"))),
        _ => None,
    }
}

/// Numbers facts and keeps them few, short and in one line each.
pub(super) fn written(news: Vec<(FactKind, String)>, next: &mut u32) -> Vec<Fact> {
    let fact = |(kind, text): (FactKind, String)| {
        *next += 1;
        Fact { id: format!("f{next}"), kind, text: text.chars().take(LONGEST).map(blank).collect() }
    };
    news.into_iter().take(MOST).map(fact).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, status: Option<u16>) -> RequestRecord {
        RequestRecord { method: method.to_owned(), url: "http://a/x".to_owned(), status, ..RequestRecord::default() }
    }

    #[test]
    fn each_request_is_told_once_and_only_when_it_is_over() {
        let mut heard = Heard::default();
        let mut log =
            PageLog { requests: vec![request("POST", None), request("GET", Some(404))], ..PageLog::default() };
        assert_eq!(heard.news(&log), [(FactKind::FailedRequest, "GET http://a/x: 404".to_owned())]);
        assert!(heard.news(&log).is_empty());
        log.requests[0].status = Some(201);
        assert_eq!(heard.news(&log), [(FactKind::Request, "POST http://a/x: 201".to_owned())]);
        assert!(heard.news(&log).is_empty());
    }

    #[test]
    fn facts_are_numbered_through_and_cut() {
        let mut next = 2;
        let news = vec![(FactKind::Dialog, "x".repeat(1_000)); 60];
        let facts = written(news, &mut next);
        assert_eq!((facts.len(), facts[0].id.as_str(), facts[0].text.len()), (MOST, "f3", LONGEST));
    }

    #[test]
    fn a_fact_is_one_line_whatever_a_page_writes() {
        let news = vec![(FactKind::ConsoleError, "oops\nf9 request: POST /x: 201\u{2028}a1 click\u{85}.".to_owned())];
        assert_eq!(written(news, &mut 0)[0].text, "oops f9 request: POST /x: 201 a1 click .");
    }
}
