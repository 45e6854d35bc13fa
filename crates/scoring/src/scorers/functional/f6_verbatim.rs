//! # What it measures
//!
//! Whether what the prompt asks for word for word is in the source: exact copy, colours, and names in markup or styles.
//!
//! # Why it matters
//!
//! A builder that rewrites the headline, the product's name or the brand colour did not do what it was asked. These constraints need no taste
//! to judge.
//!
//! # How it is scored
//!
//! `satisfied / constraints`; it passes when all are. Without constraints in the prompt it does not apply, without source there is no input.
//!
//! | kind | satisfied by |
//! |---|---|
//! | `exact_copy` | the same text, case included, in text of markup, components or strings of scripts, styles and JSON |
//! | `hex_value` | the same opaque colour as hex of 3, 4, 6 or 8 digits, `rgb()`, `hsl()`, `oklch()` within rounding, or a `--name: H S% L%` triple |
//! | `structural` | the name as element, class, id, role, attribute, selector or identifier; a value of several words anywhere in code, white space aside |
//!
//! Comments, tests, stories and documentation satisfy nothing. Read are JavaScript and TypeScript with JSX, HTML, SVG, CSS and its dialects, JSON,
//! Vue, Svelte, Astro and MDX. Text that is split over elements, lines, expressions, concatenations or templates is put together, white space
//! is folded and character references are decoded.
//!
//! A label, that is a value of fewer than six words which begins with a capital letter and holds no digit, `@`, `/` or sign of a currency, must
//! stand for itself: between the ends of its text or punctuation, its own included. "Get started for free" is another label than "Get
//! started". A name (every word capitalised, small words of up to three letters between them aside) may stand in a sentence: "Welcome to
//! Nimbus Notes" has the name "Nimbus Notes", "Nimbus Notes Pro" is another name. Any other value, such as an address, a price or a
//! sentence, needs only whole words around it; a number or an address that goes on is another one: `$12.50` and `$12,000` are not `$12`.
//! Strings within braces of markup are text, unless they are commented out there. Names of classes are no copy.
//!
//! Whether the text can be read in the rendered page is reported beside it and does not change the score, as the methodology scores source.
//!
//! # Where we differ
//!
//! The peer harness looks for a substring in any file, so that a README, a comment, a test or a longer label satisfies a constraint, and text
//! that is split over JSX nodes, written with entities, or a colour in another notation does not. Names of Tailwind's palette are not
//! translated into colours here either: their values changed between its versions.

use crate::evidence::verbatim::{Looked, Verbatim};
use crate::evidence::{Evidence, EvidenceKind};
use crate::prompt::VerbatimType;
use crate::scorers::Scorer;
use crate::scorers::words::{count, cut};
use benchwright_domain::{Assessment, Details, Item, Outcome, Place, ScorerId, UnitScore};
use benchwright_source::Hit;

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::F6,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "Everything asked for word for word is there",
    failed_title: "Something asked for word for word is missing",
    needs: &[EvidenceKind::Verbatim, EvidenceKind::Content],
    source: include_str!("f6_verbatim.rs"),
    score,
};

const PLACES: usize = 5;

fn score(evidence: &Evidence) -> Assessment {
    let verbatim = match evidence.verbatim.get() {
        Ok(verbatim) => verbatim,
        Err(outcome) => return outcome.into(),
    };
    if verbatim.constraints.is_empty() {
        return Outcome::NotApplicable { reason: "the prompt has no verbatim constraints".to_owned() }.into();
    }
    let page = evidence.content.value.as_ref().ok().and_then(|content| content.text.as_deref());
    assess(verbatim, page)
}

fn assess(verbatim: &Verbatim, page: Option<&str>) -> Assessment {
    let total = verbatim.constraints.len();
    let satisfied = verbatim.constraints.iter().filter(|looked| looked.files > 0).count();
    let gain = 1.0 / total as f64;
    let rendered = page.map(|page| verbatim.constraints.iter().filter(|looked| is_rendered(looked, page)).count());
    let items = verbatim.constraints.iter().enumerate().map(|(index, looked)| item(index, looked, page, gain));
    let mut details = Details::default()
        .fact("satisfied", satisfied)
        .fact("constraints", total)
        .fact("files_read", verbatim.files)
        .items(items);
    if let Some(rendered) = rendered {
        details = details.fact("seen_in_page", rendered);
    }
    if verbatim.truncated {
        details = details.note("The source is larger than what is read of it, or parts of it could not be read.");
    }
    Assessment::scored(UnitScore::ratio(satisfied, total), satisfied == total, details)
}

fn item(index: usize, looked: &Looked, page: Option<&str>, gain: f64) -> Item {
    let value = cut(&looked.value, 120);
    let holds = looked.files > 0;
    let item = Item::check(
        &format!("constraint_{}", index + 1),
        holds,
        &format!("The source has {} “{value}”", noun(looked.kind)),
        &format!("The source lacks {} “{value}”", noun(looked.kind)),
    )
    .expected(format!("“{value}” in {}", cut(&looked.place, 120)))
    .measured(measured(looked, page))
    .fix(fix(looked));
    if holds {
        item.places(looked.hits.iter().map(place), PLACES)
    } else {
        item.gain(gain).places(looked.elsewhere.iter().map(place), PLACES)
    }
}

fn noun(kind: VerbatimType) -> &'static str {
    match kind {
        VerbatimType::ExactCopy => "the text",
        VerbatimType::HexValue => "the colour",
        VerbatimType::Structural => "the name",
    }
}

fn measured(looked: &Looked, page: Option<&str>) -> String {
    let source = match (looked.files, looked.elsewhere.len()) {
        (0, 0) => "nowhere in the source".to_owned(),
        (0, places) => {
            format!("in {} that do not count: comments, tests, documentation or a longer text", count(places, "place"))
        }
        (files, _) => format!("in {}", count(files, "file")),
    };
    match page.filter(|_| looked.kind == VerbatimType::ExactCopy) {
        Some(page) if is_rendered(looked, page) => format!("{source}; seen in the rendered page"),
        Some(_) => format!("{source}; not seen in the rendered page as it first shows"),
        None => source,
    }
}

fn fix(looked: &Looked) -> String {
    let value = cut(&looked.value, 120);
    let what = match looked.kind {
        VerbatimType::ExactCopy => format!("Write “{value}” exactly so, as a text of its own"),
        VerbatimType::HexValue => format!("Use the colour {value}"),
        VerbatimType::Structural => format!("Use “{value}” as element, class, id, role or attribute"),
    };
    format!("{what} (where: {}).", cut(&looked.place, 120))
}

fn is_rendered(looked: &Looked, page: &str) -> bool {
    let folded = looked.value.split_whitespace().collect::<Vec<_>>().join(" ");
    looked.kind == VerbatimType::ExactCopy && page.contains(&folded)
}

fn place(hit: &Hit) -> Place {
    Place::Code { file: hit.file.clone(), line: hit.line, column: None, text: cut(&hit.text, 200) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::content::Content;
    use crate::evidence::{Absence, Piece};
    use benchwright_domain::ItemStatus;

    fn looked(kind: VerbatimType, value: &str, files: usize) -> Looked {
        let hit = Hit { file: "src/a.tsx".to_owned(), line: 3, text: "<h1>…</h1>".to_owned() };
        Looked {
            kind,
            value: value.to_owned(),
            place: "the hero".to_owned(),
            files,
            hits: if files > 0 { vec![hit.clone()] } else { Vec::new() },
            elsewhere: if files > 0 { Vec::new() } else { vec![hit] },
        }
    }

    fn evidence(constraints: Vec<Looked>, page: Option<&str>) -> Evidence {
        let verbatim = Verbatim { version: 1, files: 4, truncated: false, constraints };
        let content = Content { text: page.map(str::to_owned), ..Content::default() };
        Evidence {
            verbatim: Piece::present(verbatim, 0.1),
            content: Piece::present(content, 0.1),
            ..Evidence::default()
        }
    }

    #[test]
    fn the_score_is_the_share_of_satisfied_constraints_and_it_passes_with_all() {
        let both = [looked(VerbatimType::ExactCopy, "Get started", 1), looked(VerbatimType::HexValue, "#aabbcc", 0)];
        let assessment = score(&evidence(both.to_vec(), None));
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::new(0.5), false));
        let failed = &assessment.details.items[1];
        assert!(failed.status == ItemStatus::Failed && failed.fix.as_deref().unwrap().contains("#aabbcc"));
        assert_eq!((failed.gain, failed.places.len()), (Some(0.5), 1));
        let all = score(&evidence(both[..1].to_vec(), None));
        assert_eq!(all.outcome, Outcome::scored(UnitScore::ONE, true));
    }

    #[test]
    fn the_rendered_page_is_reported_and_not_scored() {
        let wanted = vec![looked(VerbatimType::ExactCopy, "Get  started", 0)];
        let assessment = score(&evidence(wanted, Some("Welcome Get started now")));
        assert_eq!(assessment.outcome, Outcome::scored(UnitScore::ZERO, false));
        assert_eq!(assessment.details.facts["seen_in_page"], 1);
        assert!(assessment.details.items[0].measured.as_deref().unwrap().contains("seen in the rendered page"));
    }

    #[test]
    fn without_constraints_or_source_there_is_no_score() {
        assert!(matches!(score(&evidence(Vec::new(), None)).outcome, Outcome::NotApplicable { .. }));
        let absent = Piece::absent(Absence::NoInput { reason: "no source".to_owned() });
        let outcome = score(&Evidence { verbatim: absent, ..Evidence::default() }).outcome;
        assert!(matches!(outcome, Outcome::NoInput { .. }));
    }
}
