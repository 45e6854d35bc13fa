//! JUnit XML for continuous integration: one test case per scorer, failed below its pass mark, skipped when it was not measured.

use crate::ledger::{self, Entry};
use crate::{Report, number, place, text};
use benchwright_domain::Dimension;
use benchwright_domain::report::OutcomeKind;
use std::fmt::Write as _;

/// Failed items listed for one scorer, and places for one item.
const MOST_ITEMS: usize = 20;
const MOST_PLACES: usize = 5;

/// The report as JUnit XML.
pub fn render(report: &Report) -> String {
    let suites = Dimension::ALL.map(Some).into_iter().chain([None]);
    let suites: Vec<String> = suites.filter_map(|dimension| suite(report, dimension)).collect();
    let all = Counts::of(&entries(report));
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"Benchwright\" {all}>\n{}</testsuites>\n",
        suites.concat()
    )
}

struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    seconds: f64,
}

impl Counts {
    fn of(entries: &[Entry]) -> Self {
        let count = |kind: fn(&Verdict) -> bool| entries.iter().filter(|entry| kind(&Verdict::of(entry))).count();
        Self {
            tests: entries.len(),
            failures: count(|verdict| matches!(verdict, Verdict::Failed)),
            errors: count(|verdict| matches!(verdict, Verdict::Errored)),
            skipped: count(|verdict| matches!(verdict, Verdict::Skipped)),
            seconds: entries.iter().map(|entry| number::finite(entry.scorer.seconds).max(0.0)).sum(),
        }
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tests, failures, errors, skipped, seconds } = self;
        write!(
            out,
            "tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{seconds:.3}\""
        )
    }
}

enum Verdict {
    Passed,
    Failed,
    Errored,
    Skipped,
}

impl Verdict {
    fn of(entry: &Entry) -> Self {
        match (entry.scorer.outcome, entry.scorer.passed) {
            (OutcomeKind::Scored, Some(false)) => Self::Failed,
            (OutcomeKind::Scored, _) => Self::Passed,
            (OutcomeKind::Errored, _) => Self::Errored,
            _ => Self::Skipped,
        }
    }
}

fn entries(report: &Report) -> Vec<Entry<'_>> {
    let mut entries: Vec<_> = report.scorers.iter().map(|(key, scorer)| Entry { key, scorer }).collect();
    entries.sort_by_key(|entry| (entry.scorer.id.is_none(), entry.scorer.id, entry.key));
    entries
}

fn suite(report: &Report, dimension: Option<Dimension>) -> Option<String> {
    let members: Vec<_> = entries(report)
        .into_iter()
        .filter(|entry| entry.scorer.id.map(benchwright_domain::ScorerId::dimension) == dimension)
        .collect();
    if members.is_empty() {
        return None;
    }
    let title = dimension.map_or("Added by you", Dimension::title);
    let key = dimension.map_or("added", Dimension::key);
    let cases: String = members.iter().map(|entry| case(entry, key)).collect();
    Some(format!("  <testsuite name=\"{title}\" {}>\n{cases}  </testsuite>\n", Counts::of(&members)))
}

fn case(entry: &Entry, suite: &str) -> String {
    let name = escaped(&format!("{} {}", entry.badge(), text::line_within(&entry.scorer.name, 120)));
    let head = format!(
        "    <testcase classname=\"benchwright.{suite}\" name=\"{name}\" time=\"{:.3}\">\n",
        number::finite(entry.scorer.seconds).max(0.0)
    );
    let title = escaped(&text::line(&entry.scorer.title));
    let body = match Verdict::of(entry) {
        Verdict::Failed => {
            format!(
                "      <failure type=\"below-pass-mark\" message=\"{title}\">{}</failure>\n",
                escaped(&what_to_fix(entry))
            )
        }
        Verdict::Errored => {
            format!("      <error type=\"not-measured\" message=\"{}\"/>\n", escaped(&ledger::reason(entry.scorer)))
        }
        Verdict::Skipped => format!("      <skipped message=\"{}\"/>\n", escaped(&ledger::reason(entry.scorer))),
        Verdict::Passed => {
            format!("      <system-out>{}</system-out>\n", escaped(&what_to_fix(entry)))
        }
    };
    format!("{head}{body}    </testcase>\n")
}

fn what_to_fix(entry: &Entry) -> String {
    let mut words = format!(
        "{} of 100; {} of {} points lost\n{}\n",
        number::score(100.0 * entry.score()),
        number::points(entry.points_lost()),
        number::points(entry.scorer.share),
        text::line(&entry.scorer.title)
    );
    let failed = entry.failed();
    for item in failed.iter().take(MOST_ITEMS) {
        let _ = writeln!(words, "\n- {} [{}]", text::line(&item.title), text::line_within(&item.id, 80));
        if let Some(fix) = &item.fix {
            let _ = writeln!(words, "  Change: {}", text::line(fix));
        }
        for place in item.places.iter().take(MOST_PLACES) {
            let _ = writeln!(words, "  At: {}", place::line(place));
        }
    }
    if failed.len() > MOST_ITEMS {
        let _ = writeln!(words, "\nand {} more", failed.len() - MOST_ITEMS);
    }
    words
}

/// Escaped for text and for attributes in double quotes; what XML 1.0 cannot hold at all is left out.
fn escaped(words: &str) -> String {
    let mut safe = String::with_capacity(words.len() + 16);
    for c in words.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&apos;"),
            '\n' | '\t' => safe.push(c),
            '\u{fffe}' | '\u{ffff}' => {}
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_cannot_hold_is_left_out_and_the_rest_escaped() {
        assert_eq!(escaped("a\0\u{b}<b>\"'&\u{ffff}\u{85}]]>\n"), "a&lt;b&gt;&quot;&apos;&amp;]]&gt;\n");
    }
}
