//! METHODOLOGY.md and `explain`, generated from the scorers' own documentation and the one table of weights.

use benchwright_domain::weights::{dimension_weight, is_additive, scorer_weight};
use benchwright_domain::{Dimension, METHODOLOGY_VERSION, ScorerId};
use benchwright_scoring::conduct::SOURCE_KINDS;
use benchwright_scoring::evidence::EvidenceKind;
use benchwright_scoring::scorers::{self, Scorer};
use benchwright_server::{Input, Methodology, ScorerDocument};
use std::fmt::Write as _;

/// What stands before the scorers.
const PREFACE: &str = include_str!("methodology_preface.md");
/// How much C4 varies, from the newest dated measurement; `cargo xtask docs` writes it.
const NOISE: &str = include_str!("methodology_noise.md");

/// One line per scorer.
pub fn list() -> String {
    let mut text = String::from("Scorers (`benchwright explain ID` says more):\n\n");
    for id in ScorerId::ALL {
        let _ = writeln!(text, "  {id}  {:<30} {:>7}", id.name(), share_text(id));
    }
    text
}

/// What a scorer is worth when everything is measured, in percent of the composite.
fn share(id: ScorerId) -> f64 {
    let denominator = if is_additive(id) { 115.0 } else { 100.0 };
    dimension_weight(id.dimension()) * scorer_weight(id) / denominator
}

fn share_text(id: ScorerId) -> String {
    format!("{:.2} %", share(id))
}

/// The same for the site, which cannot name the scorers itself.
pub fn for_the_site() -> Methodology {
    let document = |scorer: &&Scorer| ScorerDocument {
        id: scorer.id,
        version: scorer.version.to_owned(),
        since: scorer.since.to_owned(),
        evidence: scorer.needs.iter().map(ToString::to_string).collect(),
        inputs: inputs(scorer),
        weight: scorer_weight(scorer.id),
        is_additive: is_additive(scorer.id),
        share: share(scorer.id),
        text: scorer.documentation(),
    };
    let text = PREFACE.replace("{version}", METHODOLOGY_VERSION);
    // What stands before the first chapter is about the file.
    let chapters = text.find("\n## ").map_or(0, |at| at + 1);
    Methodology { preface: text[chapters..].to_owned(), scorers: scorers::SCORERS.iter().map(document).collect() }
}

/// What must be given for the evidence a scorer cannot do without, which is the first it names.
fn inputs(scorer: &Scorer) -> Vec<Input> {
    use EvidenceKind::{Acceptance, Backend, Intent, Looks, Maintainability, Verbatim};
    let Some(kind) = scorer.needs.first().copied() else { return Vec::new() };
    let mut inputs = Vec::new();
    let mut say = |needed: bool, input: Input| inputs.extend(needed.then_some(input));
    say(SOURCE_KINDS.contains(&kind) || kind == Maintainability, Input::Source);
    say(matches!(kind, Acceptance | Verbatim | Intent), Input::Prompt);
    say(matches!(kind, Intent | Looks | Maintainability), Input::Judge);
    say(kind == Backend, Input::Accounts);
    if inputs.is_empty() {
        inputs.push(Input::Url);
    }
    inputs
}

/// Everything about one scorer.
pub fn scorer_page(id: ScorerId) -> String {
    format!("# {id} {}\n\n{}\n\n{}\n", id.name(), facts(id), scorers::of(id).documentation().trim())
}

fn facts(id: ScorerId) -> String {
    let track = if is_additive(id) { " (backend track, on top of the base)" } else { "" };
    let scorer = scorers::of(id);
    let evidence: Vec<_> = scorer.needs.iter().map(ToString::to_string).collect();
    format!(
        "{} · weight {} within the dimension{track} · {} of the composite · version {} · since {} · from the evidence {}",
        id.dimension().title(),
        scorer_weight(id),
        share_text(id),
        scorer.version,
        scorer.since,
        evidence.join(", ")
    )
}

/// METHODOLOGY.md.
pub fn document() -> String {
    let mut text = PREFACE.replace("{version}", METHODOLOGY_VERSION);
    text.push('\n');
    text.push_str(NOISE);
    text.push_str("\n## Weights\n\n| dimension | weight | scorers (weight within the dimension) |\n|---|--:|---|\n");
    for dimension in Dimension::ALL {
        let members: Vec<_> = ScorerId::ALL
            .into_iter()
            .filter(|id| id.dimension() == dimension)
            .map(|id| format!("{id} {}{}", if is_additive(id) { "+" } else { "" }, scorer_weight(id)))
            .collect();
        let _ = writeln!(text, "| {} | {} | {} |", dimension.title(), dimension_weight(dimension), members.join(", "));
    }
    text.push_str("\nA weight with a plus belongs to the backend track: it comes on top of the base of 100.\n");
    for dimension in Dimension::ALL {
        let _ = write!(text, "\n## {}\n", dimension.title());
        for id in ScorerId::ALL.into_iter().filter(|id| id.dimension() == dimension) {
            let page = scorer_page(id);
            // Two levels down, so that the whole is one document.
            for line in page.trim_end().lines() {
                let line = line.strip_prefix("# ").map_or_else(|| line.to_owned(), |heading| deeper(heading, id));
                text.push('\n');
                text.push_str(&line);
            }
            text.push('\n');
        }
    }
    text
}

fn deeper(heading: &str, id: ScorerId) -> String {
    let is_title = heading.starts_with(&id.to_string());
    if is_title { format!("### {heading}") } else { format!("#### {heading}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_committed_methodology_is_the_generated_one() {
        let committed = include_str!("../../../METHODOLOGY.md");
        assert_eq!(committed, document(), "run `cargo xtask docs`");
    }

    /// The table of README.md: what is measured, what it needs, what it is worth.
    fn readme_table() -> String {
        let mut table = String::from("| id | scorer | needs | of the composite |\n|---|---|---|--:|\n");
        for id in ScorerId::ALL {
            let needs: Vec<_> = inputs(scorers::of(id)).into_iter().map(Input::key).collect();
            let _ = writeln!(table, "| {id} | {} | {} | {} |", id.name(), needs.join(", "), share_text(id));
        }
        table
    }

    #[test]
    fn the_readme_lists_what_is_measured() {
        let readme = include_str!("../../../README.md");
        let table = readme_table();
        assert!(readme.contains(&table), "README.md must have this table:\n{table}");
    }

    #[test]
    fn every_scorer_has_the_four_headings() {
        for scorer in scorers::SCORERS {
            let documentation = scorer.documentation();
            for heading in ["What it measures", "Why it matters", "How it is scored", "Where we differ"] {
                assert!(documentation.contains(&format!("# {heading}\n")), "{} lacks `{heading}`", scorer.id);
            }
        }
    }

    #[test]
    fn an_explanation_names_weight_and_share() {
        let page = scorer_page(ScorerId::C3);
        assert!(page.contains("weight 20") && page.contains("3.60 %"), "{page}");
        assert!(scorer_page(ScorerId::S4).contains("1.43 %"));
    }
}
