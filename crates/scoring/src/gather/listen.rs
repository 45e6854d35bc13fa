//! What a page said while it was walked through, in the shapes of the first load.

use crate::evidence::acceptance::Visit;
use crate::evidence::load::Request;
use crate::gather::load::{console_line, exception, request_facts};
use benchwright_browser::PageLog;

/// Most records of each kind that are kept of one context.
const MAX_RECORDS: usize = 200;

/// What the tabs of a context said, without what we caused ourselves: `probed` are addresses nobody but us asked for.
pub fn visit(tabs: &[PageLog], criteria: Vec<String>, probed: &[String]) -> Visit {
    let ours = |url: &str| probed.iter().any(|address| address == url);
    let mut dropped = tabs.iter().map(|log| log.dropped).sum();
    let errors = tabs.iter().flat_map(|log| &log.console).filter(|line| line.level == "error");
    let errors = errors.filter(|line| !line.url.as_deref().is_some_and(ours));
    let requests = tabs.iter().flat_map(|log| &log.requests).map(request_facts);
    let requests = requests.filter(|request| matters(request) && !ours(&request.url));
    let mut visit = Visit {
        criteria,
        console: capped(errors.map(console_line), &mut dropped),
        exceptions: capped(tabs.iter().flat_map(|log| &log.exceptions).map(exception), &mut dropped),
        requests: capped(requests, &mut dropped),
        dialogs: tabs.iter().map(|log| log.dialogs.len()).sum(),
        popups: tabs.iter().map(|log| log.popups as usize).sum(),
        dropped_records: 0,
    };
    visit.dropped_records = dropped;
    visit
}

/// Failed requests matter to F5, scripts and style sheets to C5.
fn matters(request: &Request) -> bool {
    request.failed.is_some()
        || request.status.is_some_and(|status| status >= 400)
        || matches!(request.resource_type.as_str(), "script" | "stylesheet")
}

fn capped<T>(records: impl Iterator<Item = T>, dropped: &mut u64) -> Vec<T> {
    let mut kept = Vec::new();
    for record in records {
        if kept.len() < MAX_RECORDS {
            kept.push(record);
        } else {
            *dropped += 1;
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_browser::{ConsoleRecord, RequestRecord};

    fn request(url: &str, kind: &str, status: u16) -> RequestRecord {
        RequestRecord { url: url.into(), resource_type: kind.into(), status: Some(status), ..RequestRecord::default() }
    }

    fn console(level: &str, url: &str) -> ConsoleRecord {
        ConsoleRecord {
            level: level.into(),
            text: "x".into(),
            url: Some(url.into()),
            line: None,
            source: "network".into(),
        }
    }

    #[test]
    fn only_what_scorers_use_is_kept_and_our_own_probes_are_not() {
        let log = PageLog {
            requests: vec![
                request("http://a/app.js", "Script", 200),
                request("http://a/pic.png", "Image", 200),
                request("http://a/api", "Fetch", 500),
                request("http://a/signin", "Document", 404),
            ],
            console: vec![
                console("error", "http://a/api"),
                console("log", "http://a/"),
                console("error", "http://a/signin"),
            ],
            ..PageLog::default()
        };
        let visit = visit(&[log], vec!["x".into()], &["http://a/signin".into()]);
        let urls: Vec<_> = visit.requests.iter().map(|request| request.url.as_str()).collect();
        assert_eq!(urls, ["http://a/app.js", "http://a/api"]);
        assert_eq!(visit.console.len(), 1);
    }

    #[test]
    fn a_page_that_never_stops_complaining_is_capped_and_counted() {
        let log = PageLog { console: vec![console("error", "http://a/"); 250], ..PageLog::default() };
        let visit = visit(&[log], Vec::new(), &[]);
        assert_eq!((visit.console.len(), visit.dropped_records), (MAX_RECORDS, 50));
    }
}
