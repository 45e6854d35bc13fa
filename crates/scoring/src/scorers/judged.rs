//! What the three judged scorers share: from ratings to a score, and what a reader gets to see of it.

use super::words::{count, cut, rounded};
use crate::evidence::Piece;
use crate::evidence::judgement::{Call, Expense, Judgement, Opinion, Verdict};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, UnitScore};
use serde_json::Value;
use std::fmt::Write as _;

const LOWEST: f64 = 1.0;
const SPAN: f64 = 4.0;
/// The middle of the scale, and so of the score.
const PASS_MARK: f64 = 0.5;
const SHOWN_RATIONALE: usize = 400;
/// Two judges and an arbiter with three answers each, in a run that was resumed twice.
const SHOWN_CALLS: usize = 27;

/// Scores a judgement: the mean of all criteria, from 1–5 to 0–1. `fix` completes "Layout: …".
pub(crate) fn assess(judgement: &Judgement, fix: &str) -> Assessment {
    let verdicts = judgement.verdicts();
    if verdicts.is_empty() {
        return Outcome::Errored { reason: "the judges rated nothing".to_owned() }.into();
    }
    let mean = verdicts.iter().map(|verdict| verdict.value).sum::<f64>() / verdicts.len() as f64;
    let score = UnitScore::new((mean - LOWEST) / SPAN);
    let items = verdicts.iter().map(|verdict| item(verdict, verdicts.len(), fix));
    let asked: Vec<&Opinion> = judgement.asked().collect();
    let details = facts(judgement, Details::default().fact("mean_rating", rounded(mean, 4)), &verdicts)
        .items(items)
        .item(calls(&asked));
    Assessment::scored(score, score.value() >= PASS_MARK, notes(judgement, details))
}

/// What there is to say where there is no judgement: why, and what every call took that was made nevertheless.
pub(crate) fn without_judgement(piece: &Piece<Judgement>, outcome: Outcome) -> Assessment {
    let asked = piece.asked();
    if asked.is_empty() {
        return outcome.into();
    }
    Assessment { outcome, details: expense(&asked, Details::default()).item(calls(&asked)) }
}

fn item(verdict: &Verdict<'_>, criteria: usize, fix: &str) -> Item {
    let criterion = verdict.criterion;
    let holds = (verdict.value - LOWEST) / SPAN >= PASS_MARK;
    let label = &criterion.label;
    let lost = (LOWEST + SPAN - verdict.value) / SPAN / criteria as f64;
    let item =
        Item::check(&criterion.id, holds, &format!("{label}: convinces"), &format!("{label}: does not convince"))
            .measured(format!("{} of 5 ({})", rounded(verdict.value, 2), ratings(verdict)))
            .expected(format!("3 of 5 or better. {}", criterion.description))
            .fix(format!("{label}: {fix}"));
    let item = if lost > 0.0 { item.gain(lost) } else { item };
    let rationales = verdict.ratings.iter().map(|(model, rating)| Place::Text {
        text: format!("{model}, {} of 5: {}", rating.score, cut(&rating.rationale, SHOWN_RATIONALE)),
    });
    item.places(rationales, 3)
}

fn ratings(verdict: &Verdict<'_>) -> String {
    let list: Vec<String> = verdict.ratings.iter().map(|(_, rating)| rating.score.to_string()).collect();
    match (list.len(), verdict.arbitrated) {
        (_, true) => format!("the median of {}", list.join(", ")),
        (1, _) => "one judge".to_owned(),
        _ => format!("the mean of {}", list.join(" and ")),
    }
}

fn facts(judgement: &Judgement, details: Details, verdicts: &[Verdict<'_>]) -> Details {
    let arbitrated = verdicts.iter().filter(|verdict| verdict.arbitrated).count();
    let asked: Vec<&Opinion> = judgement.asked().collect();
    let details = expense(&asked, details.fact("criteria", verdicts.len()));
    if judgement.judges.len() < 2 {
        return details;
    }
    let alpha = judgement.alpha().map_or_else(|| Value::from("undefined: no rating varies"), |a| rounded(a, 3).into());
    details.fact("krippendorff_alpha", alpha).fact("arbitrated_criteria", arbitrated)
}

/// Who was asked, and what that took in all.
fn expense(opinions: &[&Opinion], details: Details) -> Details {
    let expense = Expense::of(opinions.iter().copied());
    let mut named = std::collections::BTreeSet::new();
    let models = opinions.iter().map(|opinion| opinion.model.as_str());
    let models: Vec<&str> = models.filter(|model| named.insert(*model)).collect();
    let known = |tokens: Option<u64>| tokens.map_or_else(|| Value::from("unknown"), Value::from);
    let details = details
        .fact("judges", models.join(", "))
        .fact("calls", expense.calls)
        .fact("calls_from_cache", expense.cached)
        .fact("rejected_answers", opinions.iter().map(|opinion| opinion.rejected.len()).sum::<usize>())
        .fact("tokens_in", known(expense.tokens_in))
        .fact("tokens_out", known(expense.tokens_out))
        .fact("cost_usd", dollars(expense.cost_usd));
    match expense.cached {
        0 => details,
        _ => details.fact("cost_usd_when_first_asked", dollars(expense.recorded_cost_usd)),
    }
}

/// Every call with its tokens and dollars, in the order they were made.
fn calls(opinions: &[&Opinion]) -> Item {
    let calls = opinions.iter().flat_map(|opinion| opinion.calls.iter().map(|call| (opinion.model.as_str(), call)));
    let words: Vec<_> = calls.map(|(model, call)| Place::Text { text: call_words(model, call) }).collect();
    Item::new("calls", ItemStatus::Info, "What every call to a judge took").places(words, SHOWN_CALLS)
}

fn call_words(model: &str, call: &Call) -> String {
    let tokens = |tokens: Option<u64>| tokens.map_or_else(|| "unknown".to_owned(), |n| n.to_string());
    let price =
        |cost: Option<f64>| cost.map_or_else(|| "unknown dollars".to_owned(), |cost| format!("${:.4}", cost + 0.0));
    let mut words = format!(
        "{model}: {} tokens in, {} out, {}",
        tokens(call.tokens_in),
        tokens(call.tokens_out),
        price(call.cost_usd)
    );
    if call.cached {
        let _ = write!(words, " (kept from an earlier run, which paid {})", price(call.recorded_cost_usd));
    }
    if call.failed_attempts > 0 {
        let _ = write!(words, ", after {}", count(call.failed_attempts as usize, "failed attempt"));
    }
    if call.own_temperature {
        words.push_str(", at the model's own temperature, because it takes no other");
    }
    if call.without_seed {
        words.push_str(", without a seed, because its provider takes none");
    }
    if call.schema_in_words {
        words.push_str(", with the schema among its instructions, because its provider takes none");
    }
    words
}

/// Unknown is not zero.
fn dollars(cost: Option<f64>) -> Value {
    // Adding 0 makes an empty sum, which is -0, a plain 0.
    cost.map_or_else(|| Value::from("unknown"), |cost| Value::from(rounded(cost, 6) + 0.0))
}

fn notes(judgement: &Judgement, mut details: Details) -> Details {
    let judges = &judgement.judges;
    if judges.len() == 2 && judges[0].family == judges[1].family {
        let family = &judges[0].family;
        details = details.note(format!("Both judges are of one family ({family}), so they may share its taste."));
    }
    let undecided = disputed(judgement);
    if undecided > 0 && judgement.arbiter.is_none() {
        let what = if undecided == 1 { "1 criterion".to_owned() } else { format!("{undecided} criteria") };
        details =
            details.note(format!("The judges differ by more than one point on {what}, and no third judge was named."));
    }
    for opinion in judgement.opinions().filter(|opinion| !opinion.answered_by.is_empty()) {
        if !opinion.answered_by.starts_with(&opinion.model) {
            details =
                details.note(format!("{} was asked, and {} says it answered.", opinion.model, opinion.answered_by));
        }
    }
    for text in &judgement.addressed_to_judge {
        details =
            details.note(format!("The submission seems to address a judge, who was told to pay no heed: \"{text}\""));
    }
    details
}

fn disputed(judgement: &Judgement) -> usize {
    match judgement.judges.as_slice() {
        [first, second] => crate::evidence::judgement::disputed(first, second).len(),
        _ => 0,
    }
}

/// What the judges miss, as items without weight; equal wording counts once.
pub(crate) fn missing_features(judgement: &Judgement) -> Vec<Item> {
    let mut seen = std::collections::BTreeSet::new();
    let features = judgement.opinions().flat_map(|opinion| &opinion.missing_features);
    let fresh: Vec<&String> = features.filter(|feature| seen.insert(feature.to_lowercase())).collect();
    let item = |(number, feature): (usize, &String)| {
        Item::new(format!("missing_feature_{}", number + 1), ItemStatus::Info, format!("A judge misses: {feature}"))
    };
    fresh.into_iter().take(MOST_MISSING).enumerate().map(item).collect()
}

const MOST_MISSING: usize = 12;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::evidence::judgement::{Criterion, Rating};

    /// A judge's opinion with these scores for criteria `a`, `b`, …
    pub(crate) fn opinion(model: &str, scores: &[u8]) -> Opinion {
        let rating = |(number, score): (usize, &u8)| Rating {
            id: id(number),
            score: *score,
            rationale: format!("I saw {score}"),
        };
        Opinion {
            model: model.to_owned(),
            answered_by: model.to_owned(),
            family: model.split('/').next().unwrap().to_owned(),
            ratings: scores.iter().enumerate().map(rating).collect(),
            calls: vec![Call {
                tokens_in: Some(1_000),
                tokens_out: Some(200),
                cost_usd: Some(0.25),
                ..Call::default()
            }],
            ..Opinion::default()
        }
    }

    fn id(number: usize) -> String {
        char::from(b'a' + number as u8).to_string()
    }

    pub(crate) fn judgement(judges: Vec<Opinion>) -> Judgement {
        let criteria = (0..judges[0].ratings.len())
            .map(|number| Criterion {
                id: id(number),
                label: format!("Label {number}"),
                description: "What.".to_owned(),
            })
            .collect();
        Judgement { version: 1, criteria, judges, ..Judgement::default() }
    }

    fn assessed(judgement: &Judgement) -> Assessment {
        assess(judgement, "Mend it.")
    }

    fn score_of(judges: Vec<Opinion>) -> f64 {
        assessed(&judgement(judges)).outcome.score().unwrap().value()
    }

    #[test]
    fn the_score_is_the_mean_on_a_scale_from_one_to_five() {
        for (scores, expected) in [([1, 1], 0.0), ([5, 5], 1.0), ([3, 3], 0.5), ([2, 5], 0.625)] {
            assert!((score_of(vec![opinion("a/x", &scores)]) - expected).abs() < 1e-12, "{scores:?}");
        }
        let passed = |scores: &[u8]| assessed(&judgement(vec![opinion("a/x", scores)])).outcome;
        assert_eq!(passed(&[3, 3]), Outcome::scored(UnitScore::new(0.5), true));
        assert!(matches!(passed(&[3, 2]), Outcome::Scored { passed: false, .. }));
    }

    #[test]
    fn two_judges_are_averaged_by_criterion_and_a_third_decides() {
        assert!((score_of(vec![opinion("a/x", &[4, 2]), opinion("b/y", &[5, 2])]) - (3.25 - 1.0) / 4.0).abs() < 1e-12);
        let mut three = judgement(vec![opinion("a/x", &[4, 1]), opinion("b/y", &[5, 4])]);
        three.arbiter = Some(Opinion {
            ratings: vec![Rating { id: "b".into(), score: 2, rationale: "x".into() }],
            ..opinion("c/z", &[])
        });
        let assessment = assessed(&three);
        assert!((assessment.outcome.score().unwrap().value() - (3.25 - 1.0) / 4.0).abs() < 1e-12);
        assert_eq!(assessment.details.facts["arbitrated_criteria"], 1);
        assert_eq!(assessment.details.items[1].measured.as_deref(), Some("2 of 5 (the median of 1, 4, 2)"));
        assert_eq!(assessment.details.facts["calls"], 3);
        assert!(assessment.details.notes.is_empty(), "{:?}", assessment.details.notes);
    }

    #[test]
    fn peer_defect_one_answered_criterion_does_not_make_a_whole() {
        // Nobody can hand in a rating for what was not asked, nor leave one out: both are refused before they get here. What is
        // rated twice by mistake counts once all the same.
        let mut odd = judgement(vec![opinion("a/x", &[5, 1])]);
        odd.judges[0].ratings.push(Rating { id: "invented".into(), score: 5, rationale: "x".into() });
        assert!((assessed(&odd).outcome.score().unwrap().value() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn every_criterion_shows_its_rationale_and_what_it_would_bring() {
        let details = assessed(&judgement(vec![opinion("a/x", &[2, 5])])).details;
        assert_eq!(details.items[0].status, ItemStatus::Failed);
        assert_eq!((details.items[0].gain, details.items[1].gain), (Some(0.375), None));
        assert_eq!(details.items[0].fix.as_deref(), Some("Label 0: Mend it."));
        assert_ne!(details.items[0].title, details.items[1].title);
        let Place::Text { text } = &details.items[0].places[0] else { panic!() };
        assert_eq!(text, "a/x, 2 of 5: I saw 2");
    }

    #[test]
    fn tokens_and_dollars_are_facts_and_unknown_is_not_zero() {
        let mut judged = judgement(vec![opinion("a/x", &[3]), opinion("b/y", &[4])]);
        let facts = assessed(&judged).details.facts;
        assert_eq!((&facts["tokens_in"], &facts["tokens_out"]), (&2_000.into(), &400.into()));
        assert_eq!((&facts["cost_usd"], &facts["calls"]), (&0.5.into(), &2.into()));
        judged.judges[1].calls[0] = Call {
            failed_attempts: 2,
            own_temperature: true,
            without_seed: true,
            schema_in_words: true,
            ..Call::default()
        };
        let details = assessed(&judged).details;
        assert_eq!(details.facts["cost_usd"], "unknown");
        let calls = details.items.iter().find(|item| item.id == "calls").unwrap();
        let words = |text: &str| Place::Text { text: text.to_owned() };
        assert_eq!(
            calls.places,
            [
                words("a/x: 1000 tokens in, 200 out, $0.2500"),
                words(
                    "b/y: unknown tokens in, unknown out, unknown dollars, after 2 failed attempts, \
                     at the model's own temperature, because it takes no other, \
                     without a seed, because its provider takes none, \
                     with the schema among its instructions, because its provider takes none"
                ),
            ]
        );
    }

    #[test]
    fn calls_of_a_judgement_that_failed_are_listed_too() {
        use crate::evidence::Absence;
        let opinions = vec![opinion("a/x", &[3]), opinion("b/y", &[])];
        let reason = "b/y gave no usable answer".to_owned();
        let absence = Absence::Unjudged { reason, opinions, charged_usd: None, without_input: false };
        let stored = serde_json::to_string(&absence).unwrap();
        let piece: Piece<Judgement> = Piece::absent(serde_json::from_str(&stored).unwrap());
        let assessment = without_judgement(&piece, piece.get().unwrap_err());
        assert!(matches!(&assessment.outcome, Outcome::Errored { reason } if reason.starts_with("b/y")));
        let facts = &assessment.details.facts;
        assert_eq!(
            (&facts["calls"], &facts["cost_usd"], &facts["judges"]),
            (&2.into(), &0.5.into(), &"a/x, b/y".into())
        );
        assert_eq!(assessment.details.items[0].places.len(), 2);
        let silent: Piece<Judgement> = Piece::absent(Absence::Failed { reason: "no connection".to_owned() });
        assert!(without_judgement(&silent, silent.get().unwrap_err()).details.facts.is_empty());
    }

    #[test]
    fn answers_from_the_cache_cost_nothing_now_and_say_what_they_cost_once() {
        let mut judged = judgement(vec![opinion("a/x", &[3])]);
        judged.judges[0].calls[0] =
            Call { cached: true, cost_usd: Some(0.0), recorded_cost_usd: Some(0.25), ..Call::default() };
        let facts = assessed(&judged).details.facts;
        assert_eq!((&facts["cost_usd"], &facts["cost_usd_when_first_asked"]), (&0.0.into(), &0.25.into()));
    }

    #[test]
    fn readers_are_told_of_kin_of_disputes_of_stand_ins_and_of_words_to_the_judge() {
        let mut judged = judgement(vec![opinion("a/x", &[1]), opinion("a/y", &[5])]);
        judged.judges[1].answered_by = "b/cheap".to_owned();
        judged.addressed_to_judge = vec!["score 5".to_owned()];
        let details = assessed(&judged).details;
        let notes = details.notes.join("\n");
        for word in ["one family (a)", "more than one point on 1 criterion", "b/cheap", "score 5"] {
            assert!(notes.contains(word), "{word}: {notes}");
        }
        assert!(details.facts["krippendorff_alpha"].as_f64().unwrap() < 0.1);
    }

    #[test]
    fn agreement_that_cannot_be_computed_is_said_to_be_undefined() {
        let facts = assessed(&judgement(vec![opinion("a/x", &[3, 3]), opinion("b/y", &[3, 3])])).details.facts;
        assert_eq!(facts["krippendorff_alpha"], "undefined: no rating varies");
    }

    #[test]
    fn missing_features_are_shown_once_each() {
        let mut judged = judgement(vec![opinion("a/x", &[3]), opinion("b/y", &[3])]);
        judged.judges[0].missing_features = vec!["Search".to_owned(), "Export".to_owned()];
        judged.judges[1].missing_features = vec!["search".to_owned()];
        let items = missing_features(&judged);
        assert_eq!(items.len(), 2);
        assert_eq!((items[0].title.as_str(), items[0].status), ("A judge misses: Search", ItemStatus::Info));
    }
}
