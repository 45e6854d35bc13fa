//! What the scorers of linted and checked source have in common: density, and findings shown by rule.

use crate::evidence::lint::{FileTally, Rule};
use crate::evidence::survey::{SkipReason, Skipped};
use crate::scorers::words::{BANNERS_IGNORED, count, cut};
use benchwright_domain::{Item, ItemStatus, Place, UnitScore};

/// Rules and places shown; the counts tell the rest.
pub(super) const SHOWN_RULES: usize = 30;
pub(super) const SHOWN_PLACES: usize = 10;

/// Findings per 1,000 lines.
pub(super) fn per_thousand(findings: f64, loc: usize) -> f64 {
    if loc == 0 { 0.0 } else { findings / loc as f64 * 1000.0 }
}

/// Full marks without findings, none from `empty` findings per 1,000 lines on.
pub(super) fn density_score(findings: f64, loc: usize, empty: f64) -> UnitScore {
    UnitScore::decay(per_thousand(findings, loc), 0.0, empty)
}

/// The places of a rule.
pub(super) fn places(rule: &Rule) -> impl Iterator<Item = Place> + '_ {
    rule.places.iter().map(|found| Place::Code {
        file: cut(&found.file, 300),
        line: found.line,
        column: Some(found.column),
        text: cut(&found.message, 200),
    })
}

/// Where most of it is.
pub(super) fn worst_files(worst: &[FileTally]) -> Option<Item> {
    let words = |file: &FileTally| {
        let errors = count(file.errors, "error");
        let warnings = if file.warnings > 0 { format!(", {}", count(file.warnings, "warning")) } else { String::new() };
        Place::Text { text: format!("{}: {errors}{warnings}", cut(&file.file, 300)) }
    };
    let item = Item::new("worst_files", ItemStatus::Info, "Files with the most findings");
    (!worst.is_empty()).then(|| item.places(worst.iter().map(words), SHOWN_PLACES))
}

/// What was left out or was to be, in a sentence each; folders of foreign code need none.
pub(super) fn skipped_notes(skipped: &Skipped) -> impl Iterator<Item = String> {
    let ignored = skipped.banners_ignored.then(|| BANNERS_IGNORED.to_owned());
    left_out_note(skipped).into_iter().chain(ignored)
}

fn left_out_note(skipped: &Skipped) -> Option<String> {
    let reasons: Vec<_> = skipped
        .counts
        .iter()
        .filter(|(reason, _)| **reason != SkipReason::Folder)
        .map(|(reason, number)| format!("{number} {}", reason.words()))
        .collect();
    let named: Vec<_> = skipped
        .named
        .iter()
        .filter(|path| path.reason != SkipReason::Folder)
        .take(5)
        .map(|path| cut(&path.path, 100))
        .collect();
    (!reasons.is_empty())
        .then(|| format!("Left out of the count: {} (for example {}).", reasons.join(", "), named.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_falls_in_a_straight_line() {
        for (findings, loc, expected) in [(0.0, 1000, 1.0), (10.0, 1000, 0.5), (20.0, 1000, 0.0), (30.0, 500, 0.0)] {
            assert!((density_score(findings, loc, 20.0).value() - expected).abs() < 1e-12, "{findings} in {loc}");
        }
    }

    #[test]
    fn what_was_left_out_is_said_but_not_for_foreign_folders() {
        let mut skipped = Skipped::default();
        skipped.add("node_modules", SkipReason::Folder);
        assert_eq!(skipped_notes(&skipped).next(), None);
        skipped.add("public/lib.min.js", SkipReason::Minified);
        let note = skipped_notes(&skipped).next().unwrap();
        assert_eq!(note, "Left out of the count: 1 minified or bundled (for example public/lib.min.js).");
    }
}
