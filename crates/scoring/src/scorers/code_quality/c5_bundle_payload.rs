//! # What it measures
//!
//! The scripts and style sheets a visitor has to download, on the first load, when there is a prompt, while its acceptance criteria
//! are walked (F2), and on the further routes that were named (`--routes`): the bytes of their response bodies as they went over the wire, compressed if the server compresses.
//!
//! # Why it matters
//!
//! Script is the most expensive kind of byte: it has to be downloaded, parsed and run before the page answers. On a slow phone
//! every 100 KB of it costs about a second.
//!
//! # How it is scored
//!
//! Every distinct address counts once, in however many contexts it was loaded, with its largest transfer. 1 up to 170 KB, falling in a straight line to 0 at 1 MB; it passes up to 350 KB. A KB is 1,024
//! bytes and a MB 1,024 KB. Responses with an error status do not count. Code inside the HTML is shown but not counted, as the
//! methodology measures responses: a page with inline code only has a payload of 0 bytes and scores 1.
//!
//! A tab that a criterion opens is listened to from its first request on, until it falls silent or three seconds after the last criterion
//! of its context. Not listened to are tabs that have closed themselves by then and those that lead to somebody else's site.
//!
//! Responses that came uncompressed are measured as they came, and named, because turning on compression is the cheapest way to gain.
//!
//! When the page did not render there is no network capture. Then, if a source folder was given, the size of its scripts and styles
//! (`js jsx mjs cjs ts tsx css scss sass less`) stands in: 1 up to 150 KB, 0 at 1 MB, passing up to 512 KB. The report labels this
//! `source-fallback`. With neither there is no input.
//!
//! # Where we differ
//!
//! The peer harness calls uncompressed responses with a Content-Length compressed, and falls back to the source for a page with inline
//! code only; both are mended. The methodology's closing paragraph lists C5 among the scorers that need source, its glossary measures
//! the wire; the glossary is followed, as the peer does. A source folder without any script or style gives no input instead of a full
//! score.

use crate::evidence::load::{Load, Request};
use crate::evidence::{Evidence, EvidenceKind, Source};
use crate::scorers::Scorer;
use crate::scorers::address::host;
use crate::scorers::functional::f1_render_success::rendered;
use crate::scorers::heard::Heard;
use crate::scorers::words::{count, cut, kilobytes};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};
use std::collections::BTreeMap;

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C5,
    version: "1.2.0",
    since: "0.1.0",
    passed_title: "Scripts and styles are small enough",
    failed_title: "Scripts and styles are too large",
    needs: &[EvidenceKind::Load, EvidenceKind::Acceptance, EvidenceKind::Routes, EvidenceKind::Source],
    source: include_str!("c5_bundle_payload.rs"),
    score,
};

const KB: u64 = 1024;
const SHOWN: usize = 10;
/// A response that fits into one packet gains nothing from compression.
const WORTH_COMPRESSING: u64 = 1400;
const CODE_EXTENSIONS: [&str; 10] = ["js", "jsx", "mjs", "cjs", "ts", "tsx", "css", "scss", "sass", "less"];

/// The marks of one way of measuring, from the methodology.
struct Marks {
    full: u64,
    empty: u64,
    pass: u64,
}

const NETWORK: Marks = Marks { full: 170 * KB, empty: 1024 * KB, pass: 350 * KB };
const SOURCE: Marks = Marks { full: 150 * KB, empty: 1024 * KB, pass: 512 * KB };

fn score(evidence: &Evidence) -> Assessment {
    match evidence.load.get() {
        Ok(load) if rendered(load) => from_network(load, &Heard::of(evidence, load)),
        Ok(_) => match evidence.source.get() {
            Ok(source) => from_source(source),
            Err(Outcome::Errored { reason }) => Outcome::Errored { reason }.into(),
            Err(_) => no_input("the page did not render and no source folder was given (--source DIR)"),
        },
        Err(outcome) => outcome.into(),
    }
}

fn no_input(reason: &str) -> Assessment {
    Outcome::NoInput { reason: reason.to_owned() }.into()
}

fn from_network(load: &Load, heard: &Heard<'_>) -> Assessment {
    let responses = code_responses(&heard.requests);
    let bytes: u64 = responses.iter().map(|response| response.encoded_bytes).sum();
    let of = |kind: &str| {
        responses.iter().filter(|response| response.resource_type == kind).map(|r| r.encoded_bytes).sum::<u64>()
    };
    let score = NETWORK.score(bytes);
    let details = Details::default()
        .fact("scoring_source", "network")
        .fact("scored_bytes", bytes)
        .fact("script_bytes", of("script"))
        .fact("stylesheet_bytes", of("stylesheet"))
        .fact("responses", responses.len())
        .fact("criteria_contexts", heard.contexts)
        .fact("routes", heard.routes)
        .fact("inline_script_bytes", load.inline_script_bytes)
        .fact("inline_style_bytes", load.inline_style_bytes)
        .item(payload_item(&NETWORK, bytes, responses.iter().map(|response| place(response))))
        .items(compression_item(&responses, score));
    let dropped = heard.dropped_note("there may be further scripts and style sheets");
    let details = dropped.iter().chain(&heard.notes).fold(details, Details::note);
    Assessment::scored(score, bytes <= NETWORK.pass, details)
}

/// Successful script and style sheet responses, each address once with its largest transfer, largest first.
fn code_responses<'a>(requests: &[&'a Request]) -> Vec<&'a Request> {
    let mut by_url: BTreeMap<&str, &Request> = BTreeMap::new();
    for request in requests.iter().copied() {
        let is_code = matches!(request.resource_type.as_str(), "script" | "stylesheet") && host(&request.url).is_some();
        if !is_code || !request.status.is_some_and(|status| (200..300).contains(&status)) {
            continue;
        }
        let known = by_url.entry(&request.url).or_insert(request);
        if request.encoded_bytes > known.encoded_bytes {
            *known = request;
        }
    }
    let mut responses: Vec<_> = by_url.into_values().collect();
    responses
        .sort_by(|left, right| right.encoded_bytes.cmp(&left.encoded_bytes).then_with(|| left.url.cmp(&right.url)));
    responses
}

fn from_source(source: &Source) -> Assessment {
    let code = |(extension, bytes): (&String, &u64)| CODE_EXTENSIONS.contains(&extension.as_str()).then_some(*bytes);
    let bytes: u64 = source.bytes_by_extension.iter().filter_map(code).sum();
    if bytes == 0 {
        return no_input("the page did not render and the source folder holds no scripts or styles");
    }
    let places = source.bytes_by_extension.iter().filter_map(|entry| {
        code(entry).map(|bytes| Place::Text { text: format!(".{}: {}", entry.0, kilobytes(bytes)) })
    });
    let details = Details::default()
        .fact("scoring_source", "source-fallback")
        .fact("scored_bytes", bytes)
        .item(payload_item(&SOURCE, bytes, places))
        .note("The page did not render, so the uncompressed source stands in for the network (source-fallback).");
    Assessment::scored(SOURCE.score(bytes), bytes <= SOURCE.pass, details)
}

impl Marks {
    fn score(&self, bytes: u64) -> UnitScore {
        UnitScore::decay(bytes as f64, self.full as f64, self.empty as f64)
    }
}

fn payload_item(marks: &Marks, bytes: u64, places: impl Iterator<Item = Place>) -> Item {
    let score = marks.score(bytes);
    let full = score == UnitScore::ONE;
    let item = Item::check("payload", full, "The payload is within full marks", "The payload is above full marks")
        .measured(kilobytes(bytes))
        .expected(format!("at most {} for full marks, {} to pass", kilobytes(marks.full), kilobytes(marks.pass)))
        .fix("Load what the first screen does not need later, drop heavy libraries, and start with the largest files shown.")
        .places(places, SHOWN);
    if full { item } else { item.gain(1.0 - score.value()) }
}

fn compression_item(responses: &[&Request], score: UnitScore) -> Option<Item> {
    if responses.is_empty() {
        return None;
    }
    let plain: Vec<_> = responses
        .iter()
        .filter(|response| !is_compressed(response) && response.encoded_bytes >= WORTH_COMPRESSING)
        .collect();
    if plain.is_empty() {
        return Some(Item::new("compression", ItemStatus::Passed, "Scripts and styles come compressed"));
    }
    let bytes: u64 = plain.iter().map(|response| response.encoded_bytes).sum();
    // With full marks there is nothing to gain, so it is only worth knowing.
    let status = if score == UnitScore::ONE { ItemStatus::Info } else { ItemStatus::Failed };
    let title = format!("{} came uncompressed", count(plain.len(), "response"));
    Some(
        Item::new("compression", status, title)
            .measured(format!("{} uncompressed", kilobytes(bytes)))
            .expected("gzip, Brotli or Zstandard")
            .fix("Turn on gzip or Brotli for scripts and style sheets at the server or CDN.")
            .places(plain.iter().map(|response| place(response)), SHOWN),
    )
}

fn is_compressed(response: &Request) -> bool {
    let encoding = response.content_encoding.as_deref().unwrap_or_default().trim().to_lowercase();
    !encoding.is_empty() && encoding != "identity"
}

fn place(request: &Request) -> Place {
    Place::Request {
        method: request.method.clone(),
        url: cut(&request.url, 300),
        status: request.status,
        bytes: Some(request.encoded_bytes),
        error: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::sample::{load, request, responded, with_load};
    use crate::evidence::{Absence, Piece};

    fn network(requests: Vec<Request>) -> Assessment {
        score(&with_load(Load { requests, ..load() }))
    }

    fn script(name: &str, kilobytes: u64) -> Request {
        request(&format!("https://app.test/{name}"), "script", 200, kilobytes * KB)
    }

    fn source(bytes: &[(&str, u64)]) -> Assessment {
        let tree = Source {
            bytes_by_extension: bytes.iter().map(|(extension, bytes)| ((*extension).to_owned(), *bytes)).collect(),
            ..Source::default()
        };
        let mut evidence = with_load(Load { outcome: responded(500), ..load() });
        evidence.source = Piece::present(tree, 0.1);
        score(&evidence)
    }

    fn value(assessment: &Assessment) -> f64 {
        assessment.outcome.score().unwrap().value()
    }

    #[test]
    fn the_marks_of_the_network_measurement() {
        for (kilobytes, expected) in [(0, 1.0), (170, 1.0), (597, 0.5), (1024, 0.0), (3000, 0.0)] {
            assert!((value(&network(vec![script("a.js", kilobytes)])) - expected).abs() < 1e-9, "{kilobytes}");
        }
    }

    #[test]
    fn it_passes_up_to_350_kilobytes() {
        let passed = |bytes| {
            let big = request("https://app.test/a.js", "script", 200, bytes);
            matches!(network(vec![big]).outcome, Outcome::Scored { passed: true, .. })
        };
        assert!(passed(350 * KB));
        assert!(!passed(350 * KB + 1));
    }

    #[test]
    fn an_address_counts_once_with_its_largest_transfer() {
        let cached = Request { encoded_bytes: 0, from_cache: true, ..script("a.js", 0) };
        let assessment = network(vec![cached.clone(), script("a.js", 200), cached]);
        assert_eq!(assessment.details.facts["scored_bytes"], 200 * KB);
    }

    #[test]
    fn what_the_criteria_load_counts_once_over_all_contexts() {
        use crate::evidence::acceptance::{Acceptance, Visit};
        let visit = |kilobytes| Visit {
            requests: vec![
                script("a.js", kilobytes),
                script("later.js", 30),
                request("https://app.test/x", "fetch", 500, 9),
            ],
            ..Visit::default()
        };
        let mut evidence = with_load(Load { requests: vec![script("a.js", 100)], ..load() });
        let acceptance = Acceptance { visits: vec![visit(90), visit(120)], ..Acceptance::default() };
        evidence.acceptance = Piece::present(acceptance, 1.0);
        let details = score(&evidence).details;
        assert_eq!(details.facts["scored_bytes"], 150 * KB);
        assert_eq!(details.facts["responses"], 2);
    }

    #[test]
    fn records_that_were_over_the_cap_are_said_because_scripts_may_be_among_them() {
        assert!(score(&with_load(load())).details.notes.is_empty());
        let notes = score(&with_load(Load { dropped_records: 7, ..load() })).details.notes;
        assert!(notes[0].contains("7 were dropped, so there may be further scripts"), "{notes:?}");
    }

    #[test]
    fn only_successful_scripts_and_style_sheets_count() {
        let requests = vec![
            request("https://app.test/a.png", "image", 200, 900 * KB),
            request("https://app.test/gone.js", "script", 404, 900 * KB),
            request("data:text/javascript,1", "script", 200, 900 * KB),
            request("https://app.test/a.css", "stylesheet", 200, 10 * KB),
        ];
        let assessment = network(requests);
        assert_eq!(assessment.details.facts["scored_bytes"], 10 * KB);
        assert_eq!(assessment.details.facts["stylesheet_bytes"], 10 * KB);
    }

    #[test]
    fn peer_defect_a_page_with_inline_code_only_is_measured_not_null() {
        let inline = Load { inline_script_bytes: 5000, ..load() };
        let assessment = score(&with_load(inline));
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ONE, true));
        assert_eq!(assessment.details.facts["scoring_source"], "network");
        assert_eq!(assessment.details.facts["inline_script_bytes"], 5000);
    }

    #[test]
    fn peer_defect_an_uncompressed_response_is_named_as_such() {
        let plain = Request { content_encoding: None, ..script("a.js", 400) };
        let item = network(vec![plain]).details.items.into_iter().find(|item| item.id == "compression").unwrap();
        assert_eq!(item.status, ItemStatus::Failed);
        assert!(item.fix.unwrap().contains("gzip"));
        let small = Request { content_encoding: None, ..script("a.js", 2) };
        let item = network(vec![small]).details.items.into_iter().find(|item| item.id == "compression").unwrap();
        assert_eq!(item.status, ItemStatus::Info);
    }

    #[test]
    fn a_page_that_did_not_render_falls_back_to_the_source_and_says_so() {
        let assessment = source(&[("tsx", 100 * KB), ("css", 50 * KB), ("png", 900 * KB)]);
        assert_eq!(value(&assessment), 1.0);
        assert_eq!(assessment.details.facts["scoring_source"], "source-fallback");
        assert!(matches!(source(&[("js", 513 * KB)]).outcome, Outcome::Scored { passed: false, .. }));
        assert_eq!(value(&source(&[("js", 1024 * KB)])), 0.0);
    }

    #[test]
    fn neither_network_nor_source_is_no_input() {
        let mut evidence = with_load(Load { outcome: responded(500), ..load() });
        evidence.source = Piece::absent(Absence::NoInput { reason: "no source".into() });
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { .. }));
        assert!(matches!(source(&[("md", 10)]).outcome, Outcome::NoInput { .. }));
    }

    #[test]
    fn the_largest_files_come_first_and_carry_their_bytes() {
        let assessment = network(vec![script("small.js", 10), script("large.js", 600)]);
        let item = &assessment.details.items[0];
        assert!(matches!(&item.places[0], Place::Request { url, bytes: Some(_), .. } if url.ends_with("large.js")));
        assert!((item.gain.unwrap() - (1.0 - value(&assessment))).abs() < 1e-12);
    }
}
