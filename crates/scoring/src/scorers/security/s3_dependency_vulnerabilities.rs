//! # What it measures
//!
//! Known vulnerabilities in the packages the app ships with: what `npm audit` says of its production dependencies, asked of the registry on the day of the run. The versions are those of
//! `npm-shrinkwrap.json` or `package-lock.json`; where the app has neither, npm chooses versions from `package.json` as it would for a new user.
//!
//! # Why it matters
//!
//! A vulnerability with an advisory is one that attackers can read about. Most are mended by an update.
//!
//! # How it is scored
//!
//! `penalty = 10 × critical + 3 × high + 1 × moderate + 0.1 × low`, counted in vulnerable packages as npm counts them; `score = max(0, 1 − penalty / 20)`. It passes with no critical and no high
//! one. An app without production dependencies has no vulnerable ones: 1. Not applicable without a `package.json`.
//!
//! Advisories appear every day, so the same app may score less tomorrow. The day is part of the evidence; rescoring uses the answer of that day.
//! When the registry offers no advisories or cannot be reached, the outcome is no input.
//!
//! # Where we differ
//!
//! The peer harness records no date, lets the app's own npm settings take part, and leaves out in silence what it cannot resolve; the report here names it. Dependencies that come from no
//! registry (paths, workspaces, repositories) have no advisories and are left out when npm has to choose versions.

use crate::evidence::audit::{Audit, AuditedLockfile, Remedy, Severities, Vulnerable};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::rounded;
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::S3,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "No dependency has a serious known vulnerability",
    failed_title: "Dependencies have serious known vulnerabilities",
    needs: &[EvidenceKind::Audit],
    source: include_str!("s3_dependency_vulnerabilities.rs"),
    score,
};

/// The penalty that leaves nothing of the score.
const RUIN: f64 = 20.0;
const SHOWN: usize = 20;

fn score(evidence: &Evidence) -> Assessment {
    match evidence.audit.get() {
        Ok(audit) => assess(audit),
        Err(outcome) => outcome.into(),
    }
}

fn assess(audit: &Audit) -> Assessment {
    let counts = audit.counts;
    let penalty = penalty(counts);
    let passed = counts.critical == 0 && counts.high == 0;
    let mut details = Details::default()
        .fact("critical", counts.critical)
        .fact("high", counts.high)
        .fact("moderate", counts.moderate)
        .fact("low", counts.low)
        .fact("penalty", rounded(penalty, 2))
        .fact("production_packages", audit.production_packages)
        .fact("advisories_of", audit.date.as_str())
        .items(audit.vulnerable.iter().take(SHOWN).map(|vulnerable| item(vulnerable, penalty)));
    for note in notes(audit) {
        details = details.note(note);
    }
    Assessment::scored(UnitScore::new((1.0 - penalty / RUIN).max(0.0)), passed, details)
}

fn penalty(counts: Severities) -> f64 {
    let severities =
        [(counts.critical, "critical"), (counts.high, "high"), (counts.moderate, "moderate"), (counts.low, "low")];
    severities.into_iter().map(|(count, severity)| count as f64 * weight(severity)).sum()
}

fn weight(severity: &str) -> f64 {
    match severity {
        "critical" => 10.0,
        "high" => 3.0,
        "moderate" => 1.0,
        "low" => 0.1,
        _ => 0.0,
    }
}

fn notes(audit: &Audit) -> Vec<String> {
    let mut notes = vec![format!("Advisories of {}; another day may have others.", audit.date)];
    match &audit.lockfile {
        AuditedLockfile::Committed { name } => notes.push(format!("The versions are those of `{name}`.")),
        AuditedLockfile::NothingToAudit => notes.push("There are no production dependencies.".to_owned()),
        AuditedLockfile::Generated { legacy_peer_deps, left_out } => {
            notes.push(
                "There is no lockfile that npm can read, so npm chose the versions; yours may differ.".to_owned(),
            );
            if *legacy_peer_deps {
                notes.push(
                    "Peer dependencies contradict each other and were ignored (`--legacy-peer-deps`).".to_owned(),
                );
            }
            if !left_out.is_empty() {
                notes.push(format!("Left out, because they come from no registry: {}.", left_out.join(", ")));
            }
        }
    }
    notes
}

fn item(vulnerable: &Vulnerable, penalty: f64) -> Item {
    let Vulnerable { name, severity, range, via, path, .. } = vulnerable;
    // Mending one of many may not be enough to rise above nothing.
    let gain = (1.0 - (penalty - weight(severity)) / RUIN).max(0.0) - (1.0 - penalty / RUIN).max(0.0);
    let cause = if via.is_empty() { String::new() } else { format!(": {}", via.join("; ")) };
    let way = if path.len() > 1 { format!(", through {}", path.join(" → ")) } else { String::new() };
    let links = vulnerable.links.iter().map(|link| Place::Text { text: link.clone() });
    Item::new(name.as_str(), ItemStatus::Failed, format!("`{name}` has a known vulnerability ({severity})"))
        .severity(severity.as_str())
        .measured(format!("{name} {range}{way}{cause}"))
        .expected("a version without advisories")
        .fix(fix(vulnerable))
        .gain(rounded(gain, 4))
        .places(links, 5)
}

fn fix(vulnerable: &Vulnerable) -> String {
    let name = &vulnerable.name;
    match &vulnerable.remedy {
        Remedy::Update => format!("Run `npm update {name}` (or `npm audit fix`) and commit the lockfile."),
        Remedy::Upgrade { name, version, major: false } => {
            format!("Run `npm install {name}@{version}` and commit `package.json` and the lockfile.")
        }
        Remedy::Upgrade { name, version, major: true } => format!(
            "Run `npm install {name}@{version}`. It is a new major version: read its release notes and test the app."
        ),
        Remedy::None => match vulnerable.path.first().filter(|first| *first != name) {
            Some(first) => {
                format!("No mended version is known. Look for a replacement of `{first}`, which brings in `{name}`.")
            }
            None => format!("No mended version is known. Look for a replacement of `{name}`."),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::Outcome;

    fn audit(critical: u64, high: u64, moderate: u64, low: u64) -> Audit {
        Audit {
            counts: Severities { critical, high, moderate, low, info: 0 },
            date: "2026-11-16".to_owned(),
            ..Audit::default()
        }
    }

    fn value(audit: &Audit) -> f64 {
        rounded(assess(audit).outcome.score().unwrap().value(), 6)
    }

    #[test]
    fn the_published_weights() {
        for (counts, expected) in [
            ((0, 0, 0, 0), 1.0),
            ((1, 0, 0, 0), 0.5),
            ((0, 1, 0, 0), 0.85),
            ((0, 0, 1, 0), 0.95),
            ((0, 0, 0, 1), 0.995),
            ((2, 0, 0, 0), 0.0),
            ((9, 9, 9, 9), 0.0),
        ] {
            let (critical, high, moderate, low) = counts;
            assert_eq!(value(&audit(critical, high, moderate, low)), expected, "{counts:?}");
        }
    }

    #[test]
    fn it_passes_without_critical_and_high_ones() {
        let passed = |audit: &Audit| matches!(assess(audit).outcome, Outcome::Scored { passed: true, .. });
        assert!(passed(&audit(0, 0, 30, 0)) && !passed(&audit(0, 1, 0, 0)) && !passed(&audit(1, 0, 0, 0)));
    }

    #[test]
    fn a_vulnerable_package_is_shown_with_its_way_in_and_its_way_out() {
        let leaf = Vulnerable {
            name: "leaf".into(),
            severity: "high".into(),
            range: "<=1.0.1".into(),
            via: vec!["Leaves fall".into()],
            links: vec!["https://advisories.example/1".into()],
            path: vec!["trunk".into(), "leaf".into()],
            remedy: Remedy::Upgrade { name: "trunk".into(), version: "2.0.0".into(), major: true },
        };
        let details = assess(&Audit { vulnerable: vec![leaf], ..audit(0, 1, 0, 0) }).details;
        let item = &details.items[0];
        assert_eq!(item.measured.as_deref(), Some("leaf <=1.0.1, through trunk → leaf: Leaves fall"));
        assert!(item.fix.as_deref().is_some_and(|fix| fix.contains("trunk@2.0.0") && fix.contains("major")));
        assert_eq!(item.gain, Some(0.15));
        assert_eq!(details.facts["advisories_of"], "2026-11-16");
    }

    #[test]
    fn what_npm_left_out_is_said() {
        let lockfile = AuditedLockfile::Generated { legacy_peer_deps: true, left_out: vec!["mine@workspace:*".into()] };
        let notes = assess(&Audit { lockfile, ..audit(0, 0, 0, 0) }).details.notes.concat();
        assert!(
            notes.contains("mine@workspace:*") && notes.contains("legacy-peer-deps") && notes.contains("2026-11-16")
        );
    }

    #[test]
    fn a_registry_without_advisories_is_no_input() {
        let absence = Absence::NoInput { reason: "HTTP 405".to_owned() };
        let evidence = Evidence { audit: Piece::absent(absence), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NoInput { .. }));
    }
}
