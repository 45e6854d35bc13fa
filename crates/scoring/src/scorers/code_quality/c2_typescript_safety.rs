//! # What it measures
//!
//! The errors that `tsc --noEmit --strict` finds with the app's own `tsconfig.json`.
//!
//! # Why it matters
//!
//! Each of these errors is a place where the program may do something else than its author believed: a value that can be missing, a
//! property that is not there, a function called with the wrong things.
//!
//! # How it is scored
//!
//! `errors per 1k = errors / LOC × 1000`; score = `max(0, 1 − errors per 1k / 20)`. LOC are the lines that are not blank of the TypeScript files
//! that were checked (`ts tsx mts cts`, without declarations; with `checkJs` also JavaScript). It passes without errors. No TypeScript in the source: not
//! applicable. A compiler that gave no verdict is an error of ours, never full marks.
//!
//! The configuration is `tsconfig.json`, else `tsconfig.app.json`, in the root, else in the nearest folders that have one, three levels down at most. One that only
//! refers to others is followed to those. Without any, all TypeScript files are checked with a permissive one of ours (strict, bundler resolution,
//! JSX preserved, no JavaScript), which is not written into the source. `strict` and `skipLibCheck` are always on, plugins never run, and an `extends` that
//! is not there is passed over.
//!
//! What is not installed is not the code's fault. Errors that say that a module or type library is missing are left out, and so is what follows from
//! them: every name of a missing module is taken as `any`, and parameters that have no type because what they are handed to has none are not counted. Where the
//! clean install of C8 succeeded, real types are used and there is little to leave out. How many errors were left out is shown, by code.
//!
//! # Where we differ
//!
//! The peer harness gives full marks to every TypeScript project: its compiler does not find the configuration, a configuration that refers to others
//! checks nothing, and no output counts as no errors. It does not turn on `strict`, and writes into the source.
//! `tsc --strict` obeys a configuration that switches parts of `strict` off again; here all parts stay on, so that apps are measured alike. Where a
//! file does not parse, the compiler says nothing else at all; here the other files are still checked. Faults of the configuration itself are shown, not counted.

use super::source_findings::{
    SHOWN_PLACES, SHOWN_RULES, density_score, per_thousand, places, skipped_notes, worst_files,
};
use crate::evidence::lint::Rule;
use crate::evidence::types::{MissingModule, Types};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Place, ScorerId, UnitScore};
use std::collections::BTreeSet;

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C2,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The source passes strict type checking",
    failed_title: "Strict type checking finds errors",
    needs: &[EvidenceKind::Types],
    source: include_str!("c2_typescript_safety.rs"),
    score,
};

/// Errors per 1,000 lines that leave nothing of the score, from the methodology.
const EMPTY: f64 = 20.0;
const SHOWN_NOTES: usize = 5;
const FIX: &str = "Change the code until the types agree at each place; casts and `any` only hide the error.";

fn score(evidence: &Evidence) -> Assessment {
    match evidence.types.get() {
        Ok(types) => assess(types),
        Err(outcome) => outcome.into(),
    }
}

fn assess(types: &Types) -> Assessment {
    let errors = types.errors as f64;
    let score = density_score(errors, types.loc, EMPTY);
    let details = Details::default()
        .fact("files", types.files)
        .fact("loc", types.loc)
        .fact("errors", types.errors)
        .fact("errors_per_1k_loc", rounded(per_thousand(errors, types.loc), 3))
        .fact("errors_left_out", types.left_out.values().sum::<usize>())
        .fact("missing_modules", types.missing_modules)
        .fact("dependencies_installed", types.installed)
        .fact("suppression_comments", types.suppressions)
        .items(types.rules.iter().take(SHOWN_RULES).map(|rule| error_item(rule, types, score)))
        .items(nothing_found(types))
        .items(lost_imports(&types.missing))
        .items(worst_files(&types.worst));
    Assessment::scored(score, types.errors == 0, notes(types).into_iter().fold(details, Details::note))
}

fn error_item(rule: &Rule, types: &Types, score: UnitScore) -> Item {
    let without = density_score((types.errors - rule.errors.min(types.errors)) as f64, types.loc, EMPTY);
    let example = rule.places.first().map_or("an error of the whole program", |place| place.message.as_str());
    let mut item = Item::new(&rule.rule, ItemStatus::Failed, format!("{}: {}", rule.rule, cut(example, 160)))
        .measured(count(rule.errors, "error"))
        .expected("none")
        .fix(FIX)
        .gain(rounded(without.value() - score.value(), 6))
        .places(places(rule), SHOWN_PLACES);
    item.places_total = rule.errors;
    item
}

fn nothing_found(types: &Types) -> Option<Item> {
    let title = format!("The compiler finds no error in {}", count(types.files, "file"));
    types.rules.is_empty().then(|| Item::new("tsc", ItemStatus::Passed, title))
}

/// The methodology leaves missing modules out; but no installation brings a file of the app's own.
fn lost_imports(missing: &[MissingModule]) -> Option<Item> {
    let code = |module: &&MissingModule| module.relative && !has_asset_extension(&module.module);
    let lost: Vec<_> = missing.iter().filter(code).collect();
    let place = |module: &&MissingModule| Place::Text {
        text: format!("{} imports {}", cut(&module.from, 200), cut(&module.module, 200)),
    };
    let title = format!("{} of the app's own cannot be found", count(lost.len(), "module"));
    let item = Item::new("lost_imports", ItemStatus::Info, title);
    (!lost.is_empty()).then(|| item.places(lost.iter().map(place), SHOWN_PLACES))
}

/// Styles, pictures and the like, which bundlers understand and compilers do not.
fn has_asset_extension(module: &str) -> bool {
    let name = module.rsplit('/').next().unwrap_or_default();
    let name = name.split('?').next().unwrap_or_default();
    name.trim_start_matches('.').rsplit_once('.').is_some_and(|(_, extension)| {
        !["js", "jsx", "ts", "tsx", "mjs", "cjs", "json"].contains(&extension) && extension.len() <= 5
    })
}

fn notes(types: &Types) -> Vec<String> {
    let mut notes = vec![configurations(types)];
    let left_out: usize = types.left_out.values().sum();
    if left_out > 0 || types.missing_modules > 0 {
        let why = if types.installed { "" } else { "; the app's dependencies were not installed" };
        notes.push(format!(
            "{} could not be found and {} that follow from it were left out{why}.",
            count(types.missing_modules, "module"),
            count(left_out, "error")
        ));
    }
    let off: BTreeSet<_> = types.projects.iter().flat_map(|project| &project.strict_off).map(String::as_str).collect();
    if !off.is_empty() {
        let parts = off.into_iter().collect::<Vec<_>>().join(", ");
        notes.push(format!("The configuration switches parts of strict off ({parts}); here they were on."));
    }
    notes.extend(
        types.notes.iter().take(SHOWN_NOTES).map(|note| format!("Configuration, not counted: {}", cut(note, 200))),
    );
    notes.extend(skipped_notes(&types.skipped));
    notes
}

fn configurations(types: &Types) -> String {
    let names: Vec<_> = types.projects.iter().filter_map(|project| project.config.as_deref()).collect();
    if names.is_empty() {
        return "No tsconfig includes any file, so all TypeScript was checked with a permissive configuration of ours."
            .to_owned();
    }
    format!("Checked with {} (TypeScript {}).", cut(&names.join(", "), 300), types.typescript)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::lint::Finding;
    use crate::evidence::types::Project;
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::Outcome;

    fn types(errors: usize, loc: usize) -> Types {
        let message = "Type 'string' is not assignable to type 'number'.".to_owned();
        let place = Finding { file: "src/App.tsx".to_owned(), line: 7, column: 3, message };
        let rule = Rule { rule: "TS2322".to_owned(), errors, warnings: 0, places: vec![place] };
        Types {
            typescript: "6.0.3".to_owned(),
            projects: vec![Project { config: Some("tsconfig.app.json".to_owned()), files: 1, strict_off: Vec::new() }],
            files: 1,
            loc,
            errors,
            rules: (errors > 0).then_some(rule).into_iter().collect(),
            ..Types::default()
        }
    }

    fn assessed(types: Types) -> Assessment {
        score(&Evidence { types: Piece::present(types, 1.0), ..Evidence::default() })
    }

    #[test]
    fn the_marks_of_the_methodology() {
        for (errors, loc, expected) in [(0, 10, 1.0), (1, 1000, 0.95), (10, 1000, 0.5), (20, 1000, 0.0), (5, 10, 0.0)] {
            let value = assessed(types(errors, loc)).outcome.score().unwrap().value();
            assert!((value - expected).abs() < 1e-9, "{errors} in {loc}");
        }
    }

    #[test]
    fn it_passes_without_errors_only() {
        assert!(matches!(assessed(types(0, 100)).outcome, Outcome::Scored { passed: true, .. }));
        let assessment = assessed(types(1, 100_000));
        assert!(matches!(assessment.outcome, Outcome::Scored { passed: false, .. }));
        assert!(assessment.details.items[0].title.starts_with("TS2322: Type 'string'"));
    }

    #[test]
    fn peer_defect_no_verdict_is_not_full_marks() {
        let absent = Absence::Failed { reason: "the TypeScript compiler gave no verdict".to_owned() };
        let evidence = Evidence { types: Piece::absent(absent), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::Errored { .. }));
    }

    #[test]
    fn source_without_typescript_is_not_applicable() {
        let absent = Absence::NotAsked { reason: "the source holds no TypeScript".to_owned() };
        let evidence = Evidence { types: Piece::absent(absent), ..Evidence::default() };
        assert!(matches!(score(&evidence).outcome, Outcome::NotApplicable { .. }));
    }

    #[test]
    fn what_was_left_out_and_switched_on_again_is_said() {
        let mut found = types(0, 100);
        found.left_out.insert("TS7006".to_owned(), 4);
        found.missing_modules = 2;
        found.projects[0].strict_off = vec!["noImplicitAny".to_owned()];
        let notes = assessed(found).details.notes;
        assert_eq!(notes[0], "Checked with tsconfig.app.json (TypeScript 6.0.3).");
        assert!(notes[1].starts_with("2 modules could not be found and 4 errors"), "{notes:?}");
        assert!(notes[2].contains("noImplicitAny"), "{notes:?}");
    }

    #[test]
    fn a_lost_file_of_the_apps_own_is_shown_and_a_picture_is_not() {
        let module = |module: &str, relative| MissingModule {
            module: module.to_owned(),
            relative,
            from: "src/App.tsx".to_owned(),
            files: 1,
        };
        let missing = vec![
            module("./lost", true),
            module("../logo.svg", true),
            module("./icon.svg?react", true),
            module("./table.columns", true),
            module("react", false),
        ];
        let item = lost_imports(&missing).unwrap();
        assert_eq!(item.places_total, 2, "{item:?}");
        assert_eq!(lost_imports(&missing[1..3]), None);
    }
}
