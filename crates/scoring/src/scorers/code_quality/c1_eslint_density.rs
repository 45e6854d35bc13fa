//! # What it measures
//!
//! What ESLint says of the source: typescript-eslint's recommended rules (those that need no types), `no-console` as a warning and
//! `no-debugger` as an error, over all `ts tsx mts cts js jsx mjs cjs` files.
//!
//! # Why it matters
//!
//! These rules find what compiles and is wrong all the same: values nobody uses, types switched off with `any`, debugging left behind. Each is
//! small; their density tells whether anybody looked at the code after it was written.
//!
//! # How it is scored
//!
//! `issues per 1k = (errors + 0.1 × warnings) / LOC × 1000`; score = `max(0, 1 − issues per 1k / 20)`. LOC are the lines of the linted files that are
//! not blank. It passes without errors. A file that cannot be parsed is one error.
//!
//! Left out, counted and named are: `node_modules`, `dist`, `build`, `out`, `coverage` and folders that begin with a dot (`.git`, `.next`, `.cache`);
//! minified files (`*.min.*`, or a line over 50 KB), files over 1 MB, and files whose first comments say that a tool made them. Such a comment is
//! only what the submission says of itself: where it stands on more than a third of the code, by bytes, it is not believed and all files count. The app's
//! own ESLint configuration is not read and its plugins do not run; comments that switch rules off are ignored, and their number is shown.
//!
//! Source without any script is not applicable; source with nothing but built scripts gives no input.
//!
//! # Where we differ
//!
//! The peer harness never lints `.jsx`: it counts one warning per such file, and none of their errors. It obeys `eslint-disable` comments, so that
//! one line at the top of each file gives full marks. Files outside its working folder count as clean.
//! Scripts inside `.vue`, `.svelte` and `.html` files are not linted, here or there.

use super::source_findings::{
    SHOWN_PLACES, SHOWN_RULES, density_score, per_thousand, places, skipped_notes, worst_files,
};
use crate::evidence::lint::{Lint, Rule};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C1,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "ESLint finds no errors in the source",
    failed_title: "ESLint finds errors in the source",
    needs: &[EvidenceKind::Lint],
    source: include_str!("c1_eslint_density.rs"),
    score,
};

/// Issues per 1,000 lines that leave nothing of the score, from the methodology.
const EMPTY: f64 = 20.0;
const WARNING_WEIGHT: f64 = 0.1;

/// What to do about the rules that are broken most often.
const FIXES: [(&str, &str); 8] = [
    ("@typescript-eslint/no-unused-vars", "Delete what is not used, or use it as it was meant to be."),
    ("@typescript-eslint/no-explicit-any", "Say what the value really is; take `unknown` where nobody can know."),
    ("@typescript-eslint/no-require-imports", "Write `import` in place of `require()`."),
    ("@typescript-eslint/ban-ts-comment", "Mend the error that the comment hides, and delete the comment."),
    ("@typescript-eslint/no-empty-object-type", "Name the properties, or take the type it extends directly."),
    ("no-console", "Delete what was printed for debugging; report real errors where somebody sees them."),
    ("no-debugger", "Delete the `debugger` statement: it stops the page for everybody who has developer tools open."),
    ("parse-error", "Mend the syntax error; until then nothing else in this file can be checked."),
];
const ANY_FIX: &str = "Change each place as its message says; typescript-eslint documents every rule under its name.";

fn score(evidence: &Evidence) -> Assessment {
    match evidence.lint.get() {
        Ok(lint) => assess(lint),
        Err(outcome) => outcome.into(),
    }
}

fn assess(lint: &Lint) -> Assessment {
    let issues = weigh(lint.errors, lint.warnings);
    let score = density_score(issues, lint.loc, EMPTY);
    let details = Details::default()
        .fact("files", lint.files)
        .fact("loc", lint.loc)
        .fact("errors", lint.errors)
        .fact("warnings", lint.warnings)
        .fact("issues_per_1k_loc", rounded(per_thousand(issues, lint.loc), 3))
        .fact("inline_directives_ignored", lint.directives)
        .fact("files_left_out", lint.skipped.files())
        .items(lint.rules.iter().take(SHOWN_RULES).map(|rule| rule_item(rule, lint, issues, score)))
        .items(nothing_found(lint))
        .items(worst_files(&lint.worst));
    let notes = directives_note(lint.directives).into_iter().chain(skipped_notes(&lint.skipped));
    Assessment::scored(score, lint.errors == 0, notes.fold(details, Details::note))
}

fn weigh(errors: usize, warnings: usize) -> f64 {
    errors as f64 + WARNING_WEIGHT * warnings as f64
}

fn rule_item(rule: &Rule, lint: &Lint, issues: f64, score: UnitScore) -> Item {
    let without = density_score(issues - weigh(rule.errors, rule.warnings), lint.loc, EMPTY);
    let fix = FIXES.iter().find(|(id, _)| *id == rule.rule).map_or(ANY_FIX, |(_, fix)| fix);
    let (number, noun) = if rule.errors > 0 { (rule.errors, "error") } else { (rule.warnings, "warning") };
    let total = rule.errors + rule.warnings;
    let title = format!("`{}` is broken {}", rule.rule, count(total, "time"));
    let mut item = Item::new(&rule.rule, ItemStatus::Failed, title)
        .measured(count(number, noun))
        .expected("none")
        .fix(fix)
        .severity(if rule.errors > 0 { "error" } else { "warning" })
        .gain(rounded(without.value() - score.value(), 6))
        .places(places(rule), SHOWN_PLACES);
    item.places_total = total;
    item
}

fn nothing_found(lint: &Lint) -> Option<Item> {
    let title = format!("ESLint finds nothing in {}", count(lint.files, "file"));
    lint.rules.is_empty().then(|| Item::new("eslint", ItemStatus::Passed, title))
}

fn directives_note(directives: usize) -> Option<String> {
    let comments = count(directives, "comment");
    (directives > 0).then(|| format!("{comments} that would switch ESLint off or set its rules had no effect here."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::lint::Finding;
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::Outcome;

    fn lint(errors: usize, warnings: usize, loc: usize) -> Lint {
        let rule = |name: &str, errors, warnings| Rule {
            rule: name.to_owned(),
            errors,
            warnings,
            places: vec![Finding {
                file: "src/App.jsx".to_owned(),
                line: 3,
                column: 7,
                message: "'a' is never used".to_owned(),
            }],
        };
        let rules = [rule("@typescript-eslint/no-unused-vars", errors, 0), rule("no-console", 0, warnings)];
        let rules = rules.into_iter().filter(|rule| rule.errors + rule.warnings > 0).collect();
        Lint { files: 2, loc, errors, warnings, rules, ..Lint::default() }
    }

    fn assessed(lint: Lint) -> Assessment {
        score(&Evidence { lint: Piece::present(lint, 1.0), ..Evidence::default() })
    }

    fn value(errors: usize, warnings: usize, loc: usize) -> f64 {
        assessed(lint(errors, warnings, loc)).outcome.score().unwrap().value()
    }

    #[test]
    fn the_marks_of_the_methodology() {
        for (errors, warnings, loc, expected) in
            [(0, 0, 500, 1.0), (10, 0, 1000, 0.5), (0, 100, 1000, 0.5), (12, 0, 1700, 0.647), (20, 0, 1000, 0.0)]
        {
            assert!((value(errors, warnings, loc) - expected).abs() < 1e-3, "{errors} {warnings} {loc}");
        }
    }

    #[test]
    fn warnings_cost_a_little_and_do_not_fail() {
        let passed = |errors, warnings| matches!(assessed(lint(errors, warnings, 1000)).outcome, Outcome::Scored { passed, .. } if passed);
        assert!(passed(0, 40));
        assert!(!passed(1, 0));
    }

    #[test]
    fn every_rule_has_its_places_its_remedy_and_what_it_would_bring() {
        let assessment = assessed(lint(10, 20, 1000));
        let [unused, console, ..] = assessment.details.items.as_slice() else { panic!("two rules") };
        assert_eq!((unused.places_total, unused.places.len()), (10, 1));
        assert!(unused.fix.as_deref().is_some_and(|fix| fix.starts_with("Delete")));
        assert!((unused.gain.unwrap() - 0.5).abs() < 1e-9 && (console.gain.unwrap() - 0.1).abs() < 1e-9);
        assert_eq!(assessment.details.facts["issues_per_1k_loc"], 12.0);
    }

    #[test]
    fn ignored_comments_are_told() {
        let assessment = assessed(Lint { directives: 3, ..lint(0, 0, 10) });
        assert!(assessment.details.notes[0].starts_with("3 comments"), "{:?}", assessment.details.notes);
        assert_eq!(assessment.details.items[0].status, ItemStatus::Passed);
    }

    #[test]
    fn a_linter_that_crashed_is_no_clean_source() {
        let absent = Absence::Failed { reason: "ESLint gave no verdict".to_owned() };
        let evidence = Evidence { lint: Piece::absent(absent), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::Errored { .. }));
    }
}
