//! # What it measures
//!
//! Errors a developer would see in the browser's tools while the page loads, when there is a prompt, while its acceptance criteria
//! are walked (F2), and on the further routes that were named (`--routes`): console errors, uncaught exceptions and unhandled rejections, responses with a status of 400 or more, and requests
//! that got no response.
//!
//! # Why it matters
//!
//! A page can look finished and still be broken: a missing script, an endpoint that answers 500, a component that throws after
//! the first paint. These errors are the earliest sign, and most of them take minutes to mend once they are known.
//!
//! # How it is scored
//!
//! Every *distinct* error counts once; the score is `max(0, 1 − errors / 10)`, so each error costs 0.1 and ten or more leave nothing. It
//! passes with no errors at all. What makes two errors the same:
//!
//! - a failed request and the lines the browser itself prints about it are one error;
//! - the same text, or the same address, is one error however often and in however many contexts it appears.
//!
//! Not counted: requests to third-party analytics and the errors of their scripts (google-analytics.com, googletagmanager.com,
//! analytics.google.com, doubleclick.net, hotjar.com, clarity.ms, segment.com, segment.io, intercom.io, crisp.chat, sentry.io,
//! bugsnag.com, plausible.io, posthog.com, mixpanel.com, amplitude.com, cloudflareinsights.com and their subdomains); a missing
//! `/favicon.ico`, which browsers ask for unbidden; requests that were broken off (`net::ERR_ABORTED`), as a page that moves on does;
//! and addresses that we tried ourselves in search of a login form.
//!
//! A tab that a criterion opens is listened to from its first request on, until it falls silent or three seconds after the last criterion
//! of its context. Not listened to are tabs that have closed themselves by then and those that lead to somebody else's site.
//!
//! Texts are cut at 200 characters and the first 10 of each type are shown. Errors of the page's own host and of third parties both
//! count and are told apart.
//!
//! # Where we differ
//!
//! The peer harness counts one missing script twice (the response and the console line), does not apply its analytics list to the console
//! line, matches that list anywhere in an address, and counts an error again on every reload of a criterion. All four are mended here.
//! Without a prompt only the first load is listened to, as there is nothing else. An expected 401 still counts, as the
//! methodology says 4xx: a page that asks for data it may not see can find out in other ways that nobody is logged in.

use crate::evidence::load::{ConsoleLine, Request};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::address::{host, is_same_site, is_within, path};
use crate::scorers::heard::Heard;
use crate::scorers::words::{count, cut};
use benchwright_domain::{Assessment, Details, Item, Place, ScorerId, UnitScore};
use std::collections::BTreeSet;

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F5,
    version: "1.2.0",
    since: "0.1.0",
    passed_title: "The page runs without errors",
    failed_title: "The page runs into errors",
    needs: &[EvidenceKind::Load, EvidenceKind::Acceptance, EvidenceKind::Routes],
    source: include_str!("f5_runtime_errors.rs"),
    score,
};

/// Errors at which nothing is left of the score, from the methodology.
const ERRORS_FOR_ZERO: f64 = 10.0;
/// Errors shown of each type, from the methodology.
const SHOWN: usize = 10;
/// Characters kept of each text, from the methodology.
const TEXT_LIMIT: usize = 200;

const ANALYTICS: [&str; 17] = [
    "google-analytics.com",
    "googletagmanager.com",
    "analytics.google.com",
    "doubleclick.net",
    "hotjar.com",
    "clarity.ms",
    "segment.com",
    "segment.io",
    "intercom.io",
    "crisp.chat",
    "sentry.io",
    "bugsnag.com",
    "plausible.io",
    "posthog.com",
    "mixpanel.com",
    "amplitude.com",
    "cloudflareinsights.com",
];

/// The distinct errors of a page.
#[derive(Default)]
struct Errors {
    console: Vec<Found>,
    exceptions: Vec<Found>,
    own_requests: Vec<Found>,
    foreign_requests: Vec<Found>,
    /// Distinct errors that the whitelist or the favicon rule left out.
    left_out: usize,
}

struct Found {
    place: Place,
    foreign: bool,
}

fn score(evidence: &Evidence) -> Assessment {
    match evidence.load.get() {
        Ok(load) => assess(&Heard::of(evidence, load)),
        Err(outcome) => outcome.into(),
    }
}

fn assess(heard: &Heard<'_>) -> Assessment {
    let errors = collect(heard);
    let total = errors.total();
    let foreign = errors.all().filter(|found| found.foreign).count();
    let details = Details::default()
        .fact("errors", total)
        .fact("console_errors", errors.console.len())
        .fact("exceptions", errors.exceptions.len())
        .fact("failed_requests", errors.own_requests.len() + errors.foreign_requests.len())
        .fact("own_errors", total - foreign)
        .fact("third_party_errors", foreign)
        .fact("left_out", errors.left_out)
        .fact("criteria_contexts", heard.contexts)
        .fact("routes", heard.routes)
        .items(errors.items());
    let dropped = heard.dropped_note("there may be further errors");
    let details = dropped.iter().chain(&heard.notes).fold(details, Details::note);
    Assessment::scored(score_of(total), total == 0, details)
}

fn score_of(errors: usize) -> UnitScore {
    UnitScore::decay(errors as f64, 0.0, ERRORS_FOR_ZERO)
}

impl Errors {
    fn all(&self) -> impl Iterator<Item = &Found> {
        self.console.iter().chain(&self.exceptions).chain(&self.own_requests).chain(&self.foreign_requests)
    }

    fn total(&self) -> usize {
        self.all().count()
    }

    fn items(&self) -> Vec<Item> {
        vec![
            self.item(
                "exceptions",
                &self.exceptions,
                "uncaught exception",
                "Open the script at the line shown and handle the error where it arises.",
            ),
            self.item(
                "failed_requests",
                &self.own_requests,
                "failed request to the page's own host",
                "Add the missing file or route, correct its address, or mend the server's error.",
            ),
            self.item(
                "console_errors",
                &self.console,
                "console error",
                "Mend what the message names; log expected conditions as warnings.",
            ),
            self.item(
                "failed_third_party_requests",
                &self.foreign_requests,
                "failed request to another host",
                "Remove the request, correct its address, or host the file yourself.",
            ),
        ]
    }

    fn item(&self, id: &str, found: &[Found], noun: &str, fix: &str) -> Item {
        let words = count(found.len(), noun);
        let item = Item::check(id, found.is_empty(), &format!("No {noun}"), &format!("The page has {words}"))
            .measured(words)
            .expected("none")
            .fix(fix);
        if found.is_empty() {
            return item;
        }
        let rest = score_of(self.total() - found.len());
        item.gain(rest.value() - score_of(self.total()).value())
            .places(found.iter().map(|found| found.place.clone()), SHOWN)
    }
}

fn collect(heard: &Heard<'_>) -> Errors {
    let mut errors = Errors::default();
    // Addresses whose failure is already told, counted or left out: the browser's own lines about them are their twins.
    let mut told = BTreeSet::new();
    for request in heard.requests.iter().filter(|request| has_failed(request)) {
        if told.insert(request.url.as_str()) {
            errors.add_request(heard, request);
        }
    }
    let mut texts = BTreeSet::new();
    for thrown in &heard.exceptions {
        if texts.insert(essence(&thrown.text)) {
            let place = log_place("exception", &thrown.text, thrown.url.as_ref(), thrown.line);
            errors.add_log(heard, thrown.url.as_deref(), place, |errors| &mut errors.exceptions);
        }
    }
    for line in heard.console.iter().filter(|line| line.level == "error") {
        if is_twin(line, &told) || !texts.insert(console_essence(line)) {
            continue;
        }
        let place = log_place("console", &line.text, line.url.as_ref(), line.line);
        errors.add_log(heard, line.url.as_deref(), place, |errors| &mut errors.console);
    }
    errors
}

impl Errors {
    fn add_request(&mut self, heard: &Heard<'_>, request: &Request) {
        if is_left_out(&request.url) {
            self.left_out += 1;
            return;
        }
        let foreign = !is_same_site(&request.url, heard.address);
        let place = Place::Request {
            method: request.method.clone(),
            url: cut(&request.url, TEXT_LIMIT),
            status: request.status,
            bytes: None,
            error: request.failed.as_deref().map(|error| cut(error, TEXT_LIMIT)),
        };
        let list = if foreign { &mut self.foreign_requests } else { &mut self.own_requests };
        list.push(Found { place, foreign });
    }

    fn add_log(&mut self, heard: &Heard<'_>, url: Option<&str>, place: Place, list: fn(&mut Self) -> &mut Vec<Found>) {
        if url.is_some_and(is_left_out) {
            self.left_out += 1;
            return;
        }
        // A line without an address comes from the page itself.
        let foreign = url.is_some_and(|url| host(url).is_some() && !is_same_site(url, heard.address));
        list(self).push(Found { place, foreign });
    }
}

fn has_failed(request: &Request) -> bool {
    let is_web = host(&request.url).is_some();
    let broken = request.failed.as_deref().is_some_and(|error| !error.contains("ERR_ABORTED"));
    is_web && (request.status.is_some_and(|status| status >= 400) || broken)
}

fn is_left_out(url: &str) -> bool {
    let analytics = host(url).is_some_and(|host| ANALYTICS.iter().any(|domain| is_within(&host, domain)));
    analytics || path(url) == "/favicon.ico"
}

/// Whether the browser's own line tells of a request that is known to have failed.
fn is_twin(line: &ConsoleLine, told: &BTreeSet<&str>) -> bool {
    if line.source == "console-api" {
        return false;
    }
    line.url.as_deref().is_some_and(|url| line.source == "network" && told.contains(url))
        || told.iter().any(|url| line.text.contains(url))
}

/// What makes a text the same error: its start, without the words browsers put before it.
fn essence(text: &str) -> String {
    let plain = text.trim().trim_start_matches("Uncaught ").trim_start_matches("(in promise) ");
    cut(plain, TEXT_LIMIT)
}

/// The browser's network lines all read alike; the address is what tells them apart.
fn console_essence(line: &ConsoleLine) -> String {
    match (&line.url, line.source.as_str()) {
        (Some(url), "network") => url.clone(),
        _ => essence(&line.text),
    }
}

fn log_place(channel: &str, text: &str, url: Option<&String>, line: Option<u32>) -> Place {
    Place::Log {
        channel: channel.to_owned(),
        text: cut(text, TEXT_LIMIT),
        url: url.map(|url| cut(url, TEXT_LIMIT)),
        line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::acceptance::{Acceptance, Visit};
    use crate::evidence::load::Load;
    use crate::evidence::sample::{PAGE, console_error, exception, failed_request, load, request, with_load};
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::{ItemStatus, Outcome};

    const FAILED: &str = "Failed to load resource: the server responded with a status of 404 ()";

    fn errors(load: Load) -> usize {
        score(&with_load(load)).details.facts["errors"].as_u64().unwrap() as usize
    }

    fn missing(url: &str) -> Load {
        Load {
            requests: vec![request(url, "script", 404, 0)],
            console: vec![console_error(FAILED, "network", Some(url))],
            ..load()
        }
    }

    #[test]
    fn a_quiet_page_scores_full_and_passes() {
        assert_eq!(score(&with_load(load())).outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn each_error_costs_a_tenth_and_ten_cost_everything() {
        for (number, expected) in [(1, 0.9), (3, 0.7), (10, 0.0), (25, 0.0)] {
            let exceptions = (0..number).map(|n| exception(&format!("Error: {n}"))).collect();
            let outcome = score(&with_load(Load { exceptions, ..load() })).outcome;
            assert!((outcome.score().unwrap().value() - expected).abs() < 1e-9, "{number}");
        }
    }

    #[test]
    fn peer_defect_one_missing_file_counts_once() {
        assert_eq!(errors(missing("https://app.test/gone.js")), 1);
    }

    #[test]
    fn peer_defect_an_analytics_call_costs_nothing_in_either_channel() {
        assert_eq!(errors(missing("https://www.google-analytics.com/collect?v=2")), 0);
    }

    #[test]
    fn peer_defect_the_analytics_list_matches_hosts_not_substrings() {
        assert_eq!(errors(missing("https://app.test/vendor/sentry.io.js")), 1);
        assert_eq!(errors(missing("https://notsentry.io/x.js")), 1);
        assert_eq!(errors(missing("https://o1.ingest.sentry.io/x")), 0);
    }

    #[test]
    fn peer_defect_repeats_count_once() {
        let url = "https://app.test/api";
        let requests = vec![request(url, "fetch", 500, 0), request(url, "fetch", 500, 0)];
        let console = vec![console_error("boom", "console-api", None), console_error("boom", "console-api", None)];
        let exceptions = vec![exception("TypeError: x"), exception("TypeError: x")];
        assert_eq!(errors(Load { console, exceptions, requests, ..load() }), 3);
    }

    #[test]
    fn criteria_are_listened_to_and_equal_errors_of_all_contexts_count_once() {
        let url = "https://app.test/api";
        let visit = || Visit {
            requests: vec![request(url, "fetch", 500, 0), request("https://app.test/save", "fetch", 409, 0)],
            console: vec![console_error(FAILED, "network", Some(url)), console_error("boom", "console-api", None)],
            exceptions: vec![exception("TypeError: x")],
            dropped_records: 2,
            ..Visit::default()
        };
        let first = Load {
            requests: vec![request(url, "fetch", 500, 0)],
            exceptions: vec![exception("TypeError: x")],
            ..load()
        };
        let mut evidence = with_load(first);
        let acceptance = Acceptance { visits: vec![visit(), visit()], ..Acceptance::default() };
        evidence.acceptance = Piece::present(acceptance, 1.0);
        let details = score(&evidence).details;
        assert_eq!(details.facts["errors"], 4, "the two addresses, the exception and the line");
        assert_eq!(details.facts["criteria_contexts"], 2);
        assert!(details.notes[0].contains("4 were dropped"), "{:?}", details.notes);
    }

    #[test]
    fn criteria_that_could_not_be_walked_leave_a_note_and_criteria_nobody_asked_for_do_not() {
        let mut evidence = with_load(load());
        assert!(score(&evidence).details.notes.is_empty());
        evidence.acceptance = Piece::absent(Absence::Failed { reason: "the browser died".into() });
        assert!(score(&evidence).details.notes[0].contains("could not be walked"));
    }

    #[test]
    fn a_refused_request_and_its_cors_line_are_one_error() {
        let url = "https://api.other.test/v1";
        let text = format!("Access to fetch at '{url}' from origin 'https://app.test' has been blocked by CORS policy");
        let console = vec![
            console_error(&text, "javascript", Some(PAGE)),
            console_error("Failed to load resource: net::ERR_FAILED", "network", Some(url)),
        ];
        let requests = vec![failed_request(url, "net::ERR_FAILED")];
        let details = score(&with_load(Load { console, requests, ..load() })).details;
        assert_eq!(details.facts["errors"], 1);
        assert_eq!(details.facts["third_party_errors"], 1);
    }

    #[test]
    fn the_page_may_log_a_failed_address_itself_and_that_is_its_own_error() {
        let mut load = missing("https://app.test/api");
        load.console.push(console_error("could not load https://app.test/api", "console-api", None));
        assert_eq!(errors(load), 2);
    }

    #[test]
    fn an_unbidden_favicon_and_broken_off_requests_do_not_count() {
        assert_eq!(errors(missing("https://app.test/favicon.ico")), 0);
        assert_eq!(
            errors(Load { requests: vec![failed_request("https://app.test/a", "net::ERR_ABORTED")], ..load() }),
            0
        );
    }

    #[test]
    fn a_network_line_without_a_recorded_request_still_counts_once_per_address() {
        let line = |url| console_error(FAILED, "network", Some(url));
        let console = vec![line("https://app.test/a"), line("https://app.test/a"), line("https://app.test/b")];
        assert_eq!(errors(Load { console, ..load() }), 2);
    }

    #[test]
    fn an_exception_that_is_also_logged_counts_once() {
        let exceptions = vec![exception("Uncaught TypeError: x is undefined")];
        let console = vec![console_error("TypeError: x is undefined", "javascript", None)];
        assert_eq!(errors(Load { console, exceptions, ..load() }), 1);
    }

    #[test]
    fn warnings_and_logs_are_not_errors() {
        let line = ConsoleLine { level: "warning".into(), ..console_error("careful", "console-api", None) };
        assert_eq!(errors(Load { console: vec![line], ..load() }), 0);
    }

    #[test]
    fn ten_of_each_type_are_shown_and_all_are_counted() {
        let exceptions = (0..12).map(|n| exception(&format!("Error: {n} {}", "x".repeat(400)))).collect();
        let details = score(&with_load(Load { exceptions, ..load() })).details;
        let item = details.items.iter().find(|item| item.id == "exceptions").unwrap();
        assert_eq!((item.places.len(), item.places_total), (10, 12));
        assert!(matches!(&item.places[0], Place::Log { text, .. } if text.chars().count() == 200));
    }

    #[test]
    fn the_gain_of_a_type_is_what_mending_it_alone_brings_back() {
        let exceptions = (0..4).map(|n| exception(&format!("Error: {n}"))).collect();
        let mut load = missing("https://app.test/gone.js");
        load.exceptions = exceptions;
        let details = score(&with_load(load)).details;
        let gain = |id: &str| details.items.iter().find(|item| item.id == id).unwrap().gain;
        assert!((gain("exceptions").unwrap() - 0.4).abs() < 1e-9);
        assert!((gain("failed_requests").unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(gain("console_errors"), None);
        assert_eq!(details.items[2].status, ItemStatus::Passed);
    }
}
