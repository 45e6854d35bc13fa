//! SARIF 2.1.0: every failed item is a result, at its line of source where it has one and on the page where it does not.
//!
//! Code scanning shows nothing without a physical location, and refuses a whole file over one location with a scheme other than the
//! checkout's. So the page is named without its scheme, `app.example/pricing`, and what is meant on it is the logical location.

use crate::ledger::{Entry, Ledger};
use crate::{Report, json, place, text};
use benchwright_domain::{Item, Place};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";
/// Results of one scorer, and locations of one result without lines of source.
const MOST_ITEMS: usize = 200;
const MOST_LOCATIONS: usize = 10;

/// The report as SARIF.
pub fn render(report: &Report) -> String {
    let ledger = Ledger::of(report);
    let entries: Vec<Entry> = ledger.lost.iter().chain(&ledger.passed).copied().collect();
    let page = page_uri(&report.subject.url);
    let mut rules = Rules::default();
    let results: Vec<Value> = entries
        .iter()
        .flat_map(|entry| entry.failed().into_iter().take(MOST_ITEMS).map(move |item| (*entry, item)))
        .flat_map(|(entry, item)| results(&mut rules, &entry, item, &page))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Benchwright",
                "semanticVersion": text::line_within(&report.provenance.benchwright, 40),
                "rules": rules.into_list(),
            }},
            "automationDetails": { "id": format!("benchwright/{}", text::line_within(&report.provenance.run, 80)) },
            "invocations": [{
                "executionSuccessful": ledger.errored.is_empty(),
                "toolExecutionNotifications": ledger.errored.iter().map(notification).collect::<Vec<_>>(),
            }],
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "%SRCROOT%": { "description": { "text": "The source folder that was scored" } } },
            "results": results,
        }],
    });
    json::pretty(&log)
}

/// Rules in the order of their first result.
#[derive(Default)]
struct Rules {
    order: Vec<Value>,
    index: BTreeMap<String, usize>,
}

impl Rules {
    /// The id and position of an item's rule.
    fn of(&mut self, entry: &Entry, item: &Item) -> (String, usize) {
        let id = format!("{}/{}", text::line_within(entry.key, 40), text::line_within(&item.id, 80));
        let position = *self.index.entry(id.clone()).or_insert_with(|| {
            let help = item.fix.as_deref().unwrap_or(&item.title);
            self.order.push(json!({
                "id": id,
                "name": format!("{} {}", entry.badge(), text::line_within(&entry.scorer.name, 120)),
                "shortDescription": { "text": sentence(&item.title) },
                "help": { "text": sentence(help) },
                "properties": { "tags": [entry.scorer.id.map_or("added", |id| id.dimension().key())] },
            }));
            self.order.len() - 1
        });
        (id, position)
    }

    fn into_list(self) -> Vec<Value> {
        self.order
    }
}

/// One result per line of source; one for all other places together.
fn results(rules: &mut Rules, entry: &Entry, item: &Item, page: &str) -> Vec<Value> {
    let (rule, position) = rules.of(entry, item);
    let (code, other): (Vec<&Place>, Vec<&Place>) =
        item.places.iter().partition(|place| matches!(place, Place::Code { .. }));
    let result = |locations: Vec<Value>, place: &str| {
        json!({
            "ruleId": rule,
            "ruleIndex": position,
            "level": level(item),
            "message": { "text": message(item) },
            "locations": locations,
            "partialFingerprints": { "benchwright/v1": fingerprint(&rule, place) },
        })
    };
    let mut results: Vec<Value> = code.iter().map(|place| result(vec![physical(place)], &place::line(place))).collect();
    if results.is_empty() || !other.is_empty() {
        let first = other.first().map(|place| place::line(place)).unwrap_or_default();
        let mut locations: Vec<Value> =
            other.iter().take(MOST_LOCATIONS).map(|place| on_page(page, Some(place))).collect();
        if locations.is_empty() {
            locations.push(on_page(page, None));
        }
        results.push(result(locations, &first));
    }
    results
}

fn message(item: &Item) -> String {
    let mut words = sentence(&item.title);
    for (name, value) in [("Measured", &item.measured), ("Expected", &item.expected), ("Change", &item.fix)] {
        if let Some(value) = value {
            let _ = write!(words, "\n{name}: {}", text::line(value));
        }
    }
    words
}

/// A text must not be empty in SARIF.
fn sentence(words: &str) -> String {
    let clean = text::line(words);
    if clean.is_empty() { "Without words".to_owned() } else { clean }
}

fn level(item: &Item) -> &'static str {
    match item.severity.as_deref().map(str::to_ascii_lowercase).as_deref() {
        Some("critical" | "serious" | "high" | "error") => "error",
        Some("minor" | "low" | "info" | "note") => "note",
        _ => "warning",
    }
}

fn physical(place: &Place) -> Value {
    let Place::Code { file, line, column, text } = place else { return json!({}) };
    let mut region = json!({ "startLine": (*line).max(1), "snippet": { "text": text::block(text) } });
    if let Some(column) = column {
        region["startColumn"] = json!((*column).max(1));
    }
    json!({ "physicalLocation": {
        "artifactLocation": { "uri": relative_uri(file), "uriBaseId": "%SRCROOT%" },
        "region": region,
    }})
}

/// Somewhere on the page that was scored.
fn on_page(page: &str, place: Option<&Place>) -> Value {
    let mut location = json!({ "physicalLocation": {
        "artifactLocation": { "uri": page },
        "region": { "startLine": 1 },
    }});
    if let Some(place) = place {
        location["logicalLocations"] = json!([logical(place)]);
    }
    location
}

fn logical(place: &Place) -> Value {
    let kind = match place {
        Place::Element { .. } => "element",
        Place::Header { .. } => "header",
        Place::Log { .. } => "log",
        Place::Request { .. } => "request",
        Place::Code { .. } | Place::Text { .. } => "text",
    };
    json!({ "fullyQualifiedName": sentence(&place::line(place)), "kind": kind })
}

/// The address of the page as a relative reference: host and path.
fn page_uri(url: &str) -> String {
    let address = url.split_once("://").map_or(url, |(_, rest)| rest);
    let uri = relative_uri(address.split(['?', '#']).next().unwrap_or_default());
    if uri.is_empty() { "page".to_owned() } else { uri }
}

/// A path below the source root as a URI reference: no scheme, no authority, no way up.
fn relative_uri(file: &str) -> String {
    let clean = text::line_within(file, 400).replace('\\', "/");
    let segments = clean.split('/').filter(|segment| !segment.is_empty() && *segment != "." && *segment != "..");
    let encoded = segments.map(|segment| {
        segment.bytes().fold(String::new(), |mut uri, byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                let _ = write!(uri, "%{byte:02X}");
            }
            uri
        })
    });
    encoded.collect::<Vec<_>>().join("/")
}

fn fingerprint(rule: &str, place: &str) -> String {
    let digest = Sha256::digest(format!("{rule}\n{place}"));
    digest.iter().take(16).fold(String::new(), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn notification(entry: &Entry) -> Value {
    let words = format!("{} could not be measured: {}", entry.badge(), crate::ledger::reason(entry.scorer));
    json!({ "level": "error", "message": { "text": words } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_becomes_a_reference_below_the_root() {
        assert_eq!(relative_uri("src/my app/[id].tsx"), "src/my%20app/%5Bid%5D.tsx");
        assert_eq!(relative_uri("/../../etc/passwd"), "etc/passwd");
        assert_eq!(relative_uri("javascript:alert(1)"), "javascript%3Aalert%281%29");
    }

    #[test]
    fn a_page_is_named_without_its_scheme() {
        assert_eq!(page_uri("https://app.example/pricing?plan=a#b"), "app.example/pricing");
        assert_eq!(page_uri("http://localhost:3000/"), "localhost%3A3000");
        assert_eq!((page_uri("folder://my app/").as_str(), page_uri("").as_str()), ("my%20app", "page"));
    }
}
