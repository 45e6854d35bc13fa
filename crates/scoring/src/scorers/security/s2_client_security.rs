//! # What it measures
//!
//! Security anti-patterns that general scanners miss and app builders make: keys that reach the browser, databases that are open to everybody,
//! tokens that are believed unread, administrators in the code, markup from elsewhere.
//!
//! # Why it matters
//!
//! With an AI-built app the backend is often a service the browser talks to directly. One wrong key or one missing policy then opens every
//! user's data to anybody who looks at the page's source.
//!
//! # How it is scored
//!
//! Each rule counts once per file: critical 10, high 5, medium 2 points. `max(0, 1 − points / 20)`; it passes without critical and high
//! findings. Source without a single text file is no input.
//!
//! | rule | severity | counts in |
//! |---|---|---|
//! | Supabase service-role key | critical | client |
//! | row-level security disabled | critical | the state after all migrations |
//! | table without row-level security, in a project that uses Supabase | high | the state after all migrations |
//! | policy that lets everybody update or delete | high | SQL |
//! | privileged database function called | high | client |
//! | token decoded and never verified, and something decided by it | high | client by its role claims, server by anything |
//! | secret that signs tokens or sessions | critical | client |
//! | Firebase rules that let everybody write | high | rules files |
//! | Stripe secret key, OpenAI key, secret of another service, as value or by the name of its variable | critical | client |
//! | login compared with a password in the code | high | client and server |
//! | administrator by an e-mail address in the code | medium | client and server |
//! | password changed without token, code, session or old password | high | client and server |
//! | markup that is neither constant nor sanitised put into the page | high | client and server |
//! | certificates not checked | medium | everywhere |
//! | requests over plain http to another machine | medium | client, server and environment files |
//! | passwords, tokens or whole requests logged | medium | client and server |
//!
//! Scripts are parsed; comments and words in messages are no findings. A file is the client's if an import leads to it from a page, a
//! bundler's entry, a framework's page or a `'use client'` module; the server's if it is reached from a start script, a listening program or a
//! route handler; otherwise it is a script nobody deploys. Folder names decide nothing; tests and stories are not looked at, unless the app
//! imports them. Keys with PUBLISHABLE, ANON or PUBLIC in their name, Firebase web configs and maps keys are made for browsers. A script of
//! more than 131,072 words and signs (about half a megabyte of written code) is not parsed; the report says how many scripts were not.
//!
//! The methodology leaves generated files out. What is found in files whose first comments say that a tool made them is listed without weight.
//! Such a comment is only what the submission says of itself: where it stands on more than a third of the code, by bytes, it is not believed
//! and all files count.
//!
//! # Where we differ
//!
//! The peer harness tells the client by folder names of the path, its own folders included; flags names of variables in comments; finds
//! JWT secrets that are read from the environment but not those written into the code; misses missing row-level security, `VITE_` secrets
//! and `".write": true`; flags `innerHTML = ''`, Supabase's reset mail and `console.error('Invalid password')`; and gives an empty
//! source the full score.

use crate::evidence::patterns::Patterns;
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{BANNERS_IGNORED, count, cut};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};
use benchwright_source::{PATTERNS, PatternFinding, Severity, Side};
use std::collections::{BTreeMap, BTreeSet};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::S2,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The source has no grave security anti-patterns",
    failed_title: "The source has grave security anti-patterns",
    needs: &[EvidenceKind::Patterns],
    source: include_str!("s2_client_security.rs"),
    score,
};

const FULL_PENALTY: f64 = 20.0;
const PLACES: usize = 10;

fn points(severity: Severity) -> u32 {
    match severity {
        Severity::Critical => 10,
        Severity::High => 5,
        Severity::Medium => 2,
    }
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Critical => "critical",
        Severity::High => "high",
        Severity::Medium => "medium",
    }
}

fn score(evidence: &Evidence) -> Assessment {
    let patterns = match evidence.patterns.get() {
        Ok(patterns) => patterns,
        Err(outcome) => return outcome.into(),
    };
    if patterns.files == 0 {
        return Outcome::NoInput { reason: "the source holds no text file to look at".to_owned() }.into();
    }
    assess(patterns)
}

fn assess(patterns: &Patterns) -> Assessment {
    let mut by_rule: BTreeMap<(Severity, &str), Vec<&PatternFinding>> = BTreeMap::new();
    for finding in &patterns.findings {
        by_rule.entry((finding.severity, &finding.rule)).or_default().push(finding);
    }
    let penalty: u32 = by_rule.iter().map(|((severity, _), findings)| penalty(*severity, findings)).sum();
    let of = |severity: Severity| {
        by_rule
            .range((severity, "")..)
            .take_while(|((one, _), _)| *one == severity)
            .map(|(_, found)| files(found))
            .sum::<usize>()
    };
    let (critical, high, medium) = (of(Severity::Critical), of(Severity::High), of(Severity::Medium));
    let mut details = Details::default()
        .fact("penalty", penalty)
        .fact("critical", critical)
        .fact("high", high)
        .fact("medium", medium)
        .fact("files_read", patterns.files)
        .fact("scripts_parsed", patterns.scripts)
        .fact("client_files", patterns.client_files)
        .fact("server_files", patterns.server_files)
        .fact("generated_files", patterns.generated_files)
        .items(by_rule.iter().map(|((severity, rule), findings)| item(*severity, rule, findings, penalty)))
        .item(Item::new(
            "rules",
            ItemStatus::Info,
            format!("{} of {} rules found nothing", PATTERNS.len() - by_rule.len().min(PATTERNS.len()), PATTERNS.len()),
        ));
    if !patterns.in_generated.is_empty() {
        details = details.item(in_generated(&patterns.in_generated));
    }
    if patterns.banners_ignored {
        details = details.note(BANNERS_IGNORED);
    }
    if patterns.unparsed > 0 {
        details =
            details.note(format!("{} could not be parsed and was not judged.", count(patterns.unparsed, "script")));
    }
    if patterns.truncated {
        details = details.note("The source is larger than what is read of it, or parts of it could not be read.");
    }
    Assessment::scored(value(penalty), critical + high == 0, details)
}

fn in_generated(findings: &[PatternFinding]) -> Item {
    let title = "Files that say a tool wrote them have findings too, which have no weight";
    Item::new("in_generated", ItemStatus::Info, title)
        .measured(count(findings.len(), "place"))
        .places(findings.iter().map(place), PLACES)
}

fn value(penalty: u32) -> UnitScore {
    UnitScore::new(1.0 - f64::from(penalty) / FULL_PENALTY)
}

fn files(findings: &[&PatternFinding]) -> usize {
    findings.iter().map(|finding| finding.file.as_str()).collect::<BTreeSet<_>>().len()
}

fn penalty(severity: Severity, findings: &[&PatternFinding]) -> u32 {
    points(severity) * files(findings) as u32
}

fn item(severity: Severity, rule: &str, findings: &[&PatternFinding], whole: u32) -> Item {
    let known = PATTERNS.iter().find(|pattern| pattern.id == rule);
    let own = penalty(severity, findings);
    let gain = value(whole - own).value() - value(whole).value();
    Item::new(rule, ItemStatus::Failed, known.map_or(rule, |pattern| pattern.title))
        .severity(word(severity))
        .measured(format!("{} in {}, {own} points", count(findings.len(), "place"), count(files(findings), "file")))
        .expected("none")
        .fix(known.map_or("Remove it.", |pattern| pattern.fix))
        .gain(gain)
        .places(findings.iter().map(|finding| place(finding)), PLACES)
}

fn place(finding: &PatternFinding) -> Place {
    let side = match finding.side {
        Side::Client => "client",
        Side::Server => "server",
        Side::Neither => "",
    };
    let text = if side.is_empty() { finding.text.clone() } else { format!("[{side}] {}", finding.text) };
    Place::Code { file: finding.file.clone(), line: finding.line, column: Some(finding.column), text: cut(&text, 200) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};

    fn finding(rule: &str, file: &str, line: u32) -> PatternFinding {
        let severity = PATTERNS.iter().find(|pattern| pattern.id == rule).unwrap().severity;
        PatternFinding {
            file: file.to_owned(),
            line,
            column: 1,
            rule: rule.to_owned(),
            severity,
            side: Side::Client,
            text: "const a = …[masked]".to_owned(),
        }
    }

    fn assessed(findings: Vec<PatternFinding>) -> Assessment {
        let patterns = Patterns { version: 1, files: 9, scripts: 5, findings, ..Patterns::default() };
        score(&Evidence { patterns: Piece::present(patterns, 0.1), ..Evidence::default() })
    }

    #[test]
    fn severities_weigh_ten_five_and_two_of_twenty() {
        assert_eq!(assessed(Vec::new()).outcome, Outcome::scored(UnitScore::ONE, true));
        let medium = assessed(vec![finding("sensitive_data_logged", "a.ts", 1)]);
        assert_eq!(medium.outcome, Outcome::scored(UnitScore::new(0.9), true));
        let high = assessed(vec![finding("xss_unsanitized_html", "a.ts", 1)]);
        assert_eq!(high.outcome, Outcome::scored(UnitScore::new(0.75), false));
        let critical = assessed(vec![
            finding("openai_key_client", "a.ts", 1),
            finding("stripe_secret_client", "a.ts", 2),
            finding("openai_key_client", "b.ts", 1),
        ]);
        assert_eq!(critical.outcome, Outcome::scored(UnitScore::ZERO, false));
    }

    #[test]
    fn a_rule_counts_once_per_file_and_shows_every_place() {
        let twice =
            assessed(vec![finding("xss_unsanitized_html", "a.ts", 1), finding("xss_unsanitized_html", "a.ts", 9)]);
        assert_eq!(twice.outcome.score(), Some(UnitScore::new(0.75)));
        let item = &twice.details.items[0];
        assert_eq!((item.places.len(), item.gain), (2, Some(0.25)));
        assert!(item.fix.is_some() && item.severity.as_deref() == Some("high"));
    }

    #[test]
    fn findings_in_generated_files_are_shown_without_weight_and_hiding_is_told() {
        let in_generated = vec![finding("xss_unsanitized_html", "routes.gen.ts", 1)];
        let patterns = Patterns { files: 9, in_generated, generated_files: 1, ..Patterns::default() };
        let believed = score(&Evidence { patterns: Piece::present(patterns.clone(), 0.1), ..Evidence::default() });
        assert_eq!(believed.outcome, Outcome::scored(UnitScore::ONE, true));
        let item = believed.details.items.iter().find(|item| item.id == "in_generated").unwrap();
        assert_eq!((item.status, item.places.len(), item.gain), (ItemStatus::Info, 1, None));
        let patterns = Patterns { banners_ignored: true, ..patterns };
        let ignored = score(&Evidence { patterns: Piece::present(patterns, 0.1), ..Evidence::default() });
        assert!(ignored.details.notes.iter().any(|note| note.contains("more than a third")));
    }

    #[test]
    fn peer_defect_an_empty_source_is_no_input() {
        let evidence = Evidence { patterns: Piece::present(Patterns::default(), 0.1), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { .. }));
        let absent = Piece::absent(Absence::NoInput { reason: "no source".to_owned() });
        assert!(matches!(
            score(&Evidence { patterns: absent, ..Evidence::default() }).outcome,
            Outcome::NoInput { .. }
        ));
    }
}
