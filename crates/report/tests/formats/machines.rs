//! What other programs read: JUnit XML, SARIF and CSV. A page can break none of them.

use crate::escaping::canvas;
use crate::hostile::Canvas;
use crate::sample;
use crate::vectors::VECTORS;
use benchwright_domain::{Item, ItemStatus, Place, Report};
use benchwright_report::{csv, junit, sarif};
use serde_json::Value;

/// Starts of text that a spreadsheet would run.
const FORMULAS: [&str; 8] =
    ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=HYPERLINK(\"http://evil.example\")", "=cmd|' /C calc'!A0", "\r=1"];

#[test]
fn junit_words() {
    insta::assert_snapshot!(junit::render(&sample::decent()));
}

#[test]
fn csv_words() {
    insta::assert_snapshot!(csv::render(&sample::decent()));
}

#[test]
fn junit_counts_what_it_lists() {
    let xml = junit::render(&sample::decent());
    let count = |needle: &str| xml.matches(needle).count();
    let head = xml.lines().nth(1).unwrap();
    let cases = [("tests", "<testcase "), ("failures", "<failure "), ("errors", "<error "), ("skipped", "<skipped ")];
    for (name, tag) in cases {
        assert!(head.contains(&format!("{name}=\"{}\"", count(tag))), "{name}: {head}");
    }
    assert!(count("<failure ") > 0 && count("<error ") == 1);
    assert!(xml.contains("Change: "), "a failure says what to fix");
}

/// Takes our own tags away; whatever markup is left came from the page.
fn without_own_tags(xml: &str) -> String {
    let own = ["?xml", "testsuites", "testsuite", "testcase", "failure", "error", "skipped", "system-out"];
    let mut rest = String::new();
    for (position, piece) in xml.split('<').enumerate() {
        let name = piece.trim_start_matches('/').split([' ', '>']).next().unwrap();
        let tag_end = (position > 0 && own.contains(&name)).then(|| piece.find('>')).flatten();
        match tag_end {
            Some(end) => {
                assert_eq!(piece[..end].matches('"').count() % 2, 0, "an attribute was left open: {piece}");
                rest.push_str(&piece[end + 1..]);
            }
            None if position > 0 => rest.extend(["<", piece]),
            None => rest.push_str(piece),
        }
    }
    rest
}

/// One test, because every test is a process of its own and finding all strings of a report takes a while.
#[test]
fn nothing_a_page_writes_breaks_a_format_for_machines() {
    let canvas = canvas();
    junit_holds_no_element_but_its_own_and_only_characters_of_xml(&canvas);
    sarif_keeps_its_structure(&canvas);
    csv_keeps_its_cells_and_runs_nothing(&canvas);
}

fn junit_holds_no_element_but_its_own_and_only_characters_of_xml(canvas: &Canvas<Report>) {
    let quiet = junit::render(&canvas.drench("plain")).matches('<').count();
    for vector in VECTORS {
        let xml = junit::render(&canvas.drench(vector));
        let rest = without_own_tags(&xml);
        assert!(!rest.contains('<') && !rest.contains('>'), "{vector:?}");
        assert_eq!(xml.matches('<').count(), quiet, "{vector:?}");
        assert!(xml.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()), "{vector:?}");
        for entity in rest.split('&').skip(1) {
            let known = ["lt;", "gt;", "amp;", "quot;", "apos;"];
            assert!(known.iter().any(|name| entity.starts_with(name)), "{vector:?}: &{entity}");
        }
    }
}

fn with_code() -> Report {
    let mut report = sample::decent();
    let place =
        |file: &str, line| Place::Code { file: file.into(), line, column: Some(7), text: "key = \"sk_l…\"".into() };
    let finding = Item::new("stripe-secret-key", ItemStatus::Failed, "A secret key of Stripe is in the source")
        .fix("Move the key to the server and revoke this one.")
        .severity("critical")
        .places([place("src/pay here.ts", 12), place("../../etc/passwd", 0)], 5);
    report.scorers.get_mut("s1").unwrap().details.items.push(finding);
    report
}

#[test]
fn sarif_is_what_the_standard_asks_for() {
    let log: Value = serde_json::from_str(&sarif::render(&with_code())).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "Benchwright");
    let results = run["results"].as_array().unwrap();
    assert!(results.len() > 5);
    for result in results {
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert_eq!(result["partialFingerprints"]["benchwright/v1"].as_str().unwrap().len(), 32);
        for location in result["locations"].as_array().unwrap() {
            assert!(location["physicalLocation"].is_object() != location["logicalLocations"].is_array());
        }
    }
    let secrets: Vec<_> = results.iter().filter(|result| result["ruleId"] == "s1/stripe-secret-key").collect();
    assert_eq!(secrets.len(), 2, "one result per line of source");
    let place = &secrets[0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/pay%20here.ts");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&12.into(), &7.into()));
    assert_eq!(secrets[0]["level"], "error");
    let climbing = &secrets[1]["locations"][0]["physicalLocation"];
    assert_eq!(
        (&climbing["artifactLocation"]["uri"], &climbing["region"]["startLine"]),
        (&"etc/passwd".into(), &1.into())
    );
    assert_eq!(run["invocations"][0]["executionSuccessful"], false, "C8 could not be measured");
}

fn sarif_keeps_its_structure(canvas: &Canvas<Report>) {
    for vector in VECTORS {
        let text = sarif::render(&canvas.drench(vector));
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{vector:?}");
        let log: Value = serde_json::from_str(&text).unwrap();
        for result in log["runs"][0]["results"].as_array().unwrap() {
            for location in result["locations"].as_array().unwrap() {
                let uri = location["physicalLocation"]["artifactLocation"]["uri"].as_str().unwrap_or_default();
                assert!(!uri.contains([':', '\\', '<']) && !uri.starts_with('/'), "{vector:?}: {uri}");
            }
        }
    }
}

/// Cells of a CSV text, by the usual rules.
fn cells(text: &str) -> Vec<Vec<String>> {
    let mut rows = vec![vec![String::new()]];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let row = rows.last_mut().unwrap();
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => row.last_mut().unwrap().push(chars.next().unwrap()),
            '"' => quoted = !quoted,
            ',' if !quoted => row.push(String::new()),
            '\r' if !quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !quoted => rows.push(vec![String::new()]),
            c => row.last_mut().unwrap().push(c),
        }
    }
    assert!(!quoted, "a quote was left open");
    rows.pop();
    rows
}

fn csv_keeps_its_cells_and_runs_nothing(canvas: &Canvas<Report>) {
    for vector in VECTORS.iter().chain(&FORMULAS) {
        let report = canvas.drench(vector);
        for text in [csv::render(&report), csv::runs([&report])] {
            let rows = cells(&text);
            assert!(rows.len() > 1);
            for row in &rows {
                assert_eq!(row.len(), rows[0].len(), "{vector:?}");
                for cell in row {
                    let is_number = cell.parse::<f64>().is_ok();
                    assert!(is_number || !cell.starts_with(['=', '+', '-', '@', '\t', '\r']), "{vector:?}: {cell}");
                }
            }
        }
    }
}
