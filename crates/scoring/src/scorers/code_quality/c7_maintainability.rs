//! # What it measures
//!
//! How easily a stranger could work on the source, in the eyes of a language model that reads a sample of it.
//!
//! # Why it matters
//!
//! Generated code is rarely finished code. Whoever takes it over pays for names that mislead and for one file that does everything.
//!
//! # How it is scored
//!
//! A judge reads at most 12 files and 12,000 bytes: entry files first (`main`, `index`, `app` near the root), then the largest hand-written
//! components, hooks, pages and features, then the rest, also from `public` and `static`. Vendored interface kits (`components/ui`) and
//! libraries (`vendor`), generated and minified files, type declarations, tests, stories and settings are left out. Scripts below `public`
//! and `static` are libraries also in `lib`, `libs` and `plugins`, with a version in their name, or with a first comment that begins with
//! `/*!` or names a licence (`@license`). Long files are cut with a mark, so that several fit. Anything that looks like a key is masked
//! before it leaves the machine; that there was a literal stays visible.
//!
//! Five criteria are rated from 1 to 5: `naming`, `separation_of_concerns`, `component_reuse`, `prop_typing`, `secret_handling`.
//! `score = (mean − 1) / 4`; it passes at 0.5. Two judges, arbitration and refused answers are handled as in F4.
//!
//! # Where we differ
//!
//! The peer harness takes the smallest files of each tier, which are vendored buttons and labels; the pages of several hundred lines that
//! its rubric is about are never shown. It sends secrets as they stand, and source that addresses the judge reaches it unguarded.

use crate::evidence::judgement::Excerpt;
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::words::count;
use crate::scorers::{Scorer, judged};
use benchwright_domain::{Assessment, ScorerId};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C7,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "A stranger could work on this code",
    failed_title: "A stranger would struggle with this code",
    needs: &[EvidenceKind::Maintainability],
    source: include_str!("c7_maintainability.rs"),
    score,
};

const FIX: &str =
    "start with the file the judge names below: split it, name it, type it, or move the secret out of it.";

fn score(evidence: &Evidence) -> Assessment {
    match evidence.maintainability.get() {
        Ok(judgement) => {
            let mut assessment = judged::assess(judgement, FIX);
            assessment.details =
                assessment.details.fact("sampled_files", judgement.files.len()).note(read(&judgement.files));
            assessment
        }
        Err(outcome) => judged::without_judgement(&evidence.maintainability, outcome),
    }
}

/// What the judges could know, and so what they could not.
fn read(files: &[Excerpt]) -> String {
    let cut = files.iter().filter(|file| file.lines_shown < file.lines).count();
    let names: Vec<String> =
        files.iter().map(|file| format!("{} ({} of {} lines)", file.path, file.lines_shown, file.lines)).collect();
    format!("The judges read {}, {cut} of them cut: {}.", count(files.len(), "file"), names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use crate::scorers::judged::tests::{judgement, opinion};

    #[test]
    fn the_score_comes_with_the_files_it_rests_on() {
        let mut judged = judgement(vec![opinion("google/gemini", &[2, 2, 2, 2, 2])]);
        judged.files = vec![
            Excerpt { path: "src/main.tsx".to_owned(), lines: 9, lines_shown: 9 },
            Excerpt { path: "src/App.tsx".to_owned(), lines: 400, lines_shown: 50 },
        ];
        let assessment = score(&Evidence { maintainability: Piece::present(judged, 2.0), ..Evidence::default() });
        assert!((assessment.outcome.score().unwrap().value() - 0.25).abs() < 1e-12);
        assert_eq!(
            assessment.details.notes,
            ["The judges read 2 files, 1 of them cut: src/main.tsx (9 of 9 lines), src/App.tsx (50 of 400 lines)."]
        );
    }
}
