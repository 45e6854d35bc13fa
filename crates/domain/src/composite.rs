//! The composite: a weighted mean of dimension scores, each a weighted mean of scorer scores, nulls removed and the rest
//! renormalised exactly as published.

use crate::outcome::{Outcome, UnitScore};
use crate::scorer::{Dimension, ScorerId};
use crate::weights::{dimension_weight, scorer_weight};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a page that did not render counts for the scorers that need it. The methodology says both; null is the default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Gate {
    /// They become null (the methodology's closing paragraph).
    #[default]
    Null,
    /// They score 0 (the methodology's glossary).
    Zero,
}

/// One dimension of a composite.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DimensionScore {
    /// Between 0 and 1; null when none of its scorers was measured.
    pub score: Option<f64>,
    /// The published weight, in percent of the composite.
    pub weight: f64,
    /// The weight after renormalisation, in percent; 0 when the dimension dropped out.
    pub effective_weight: f64,
    /// Which scorers entered it.
    pub measured: Vec<ScorerId>,
}

/// The composite and how it came about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Composite {
    /// 0 to 100; null when nothing was measured.
    pub value: Option<f64>,
    /// The four dimensions.
    pub dimensions: BTreeMap<Dimension, DimensionScore>,
}

impl Composite {
    /// Computes the composite of a set of outcomes.
    pub fn of<'a>(outcomes: impl IntoIterator<Item = (ScorerId, &'a Outcome)>) -> Self {
        let mut scores: Vec<_> =
            outcomes.into_iter().filter_map(|(id, outcome)| Some((id, outcome.score()?))).collect();
        // Sums of floats depend on their order; the published one makes the composite bit-equal however scorers came in.
        scores.sort_by_key(|(id, _)| *id);
        let mut dimensions: BTreeMap<_, _> =
            Dimension::ALL.into_iter().map(|d| (d, dimension_score(d, &scores))).collect();
        let present: f64 = dimensions.values().filter(|d| d.score.is_some()).map(|d| d.weight).sum();
        for dimension in dimensions.values_mut().filter(|d| d.score.is_some()) {
            dimension.effective_weight = 100.0 * dimension.weight / present;
        }
        let value = (present > 0.0).then(|| {
            dimensions.values().filter_map(|d| Some(d.score? * d.effective_weight)).sum::<f64>().clamp(0.0, 100.0)
        });
        Self { value, dimensions }
    }

    /// What one scorer is worth in this composite, in points of 100, given which others were measured.
    pub fn share(&self, id: ScorerId) -> f64 {
        let Some(dimension) = self.dimensions.get(&id.dimension()).filter(|d| d.measured.contains(&id)) else {
            return 0.0;
        };
        let total: f64 = dimension.measured.iter().copied().map(scorer_weight).sum();
        dimension.effective_weight * scorer_weight(id) / total
    }
}

fn dimension_score(dimension: Dimension, scores: &[(ScorerId, UnitScore)]) -> DimensionScore {
    let members: Vec<_> = scores.iter().filter(|(id, _)| id.dimension() == dimension).collect();
    let total: f64 = members.iter().map(|(id, _)| scorer_weight(*id)).sum();
    let score = (total > 0.0).then(|| {
        UnitScore::new(members.iter().map(|(id, score)| scorer_weight(*id) * score.value()).sum::<f64>() / total)
            .value()
    });
    DimensionScore {
        score,
        weight: dimension_weight(dimension),
        effective_weight: 0.0,
        measured: members.iter().map(|(id, _)| *id).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weights::is_additive;
    use proptest::prelude::*;

    fn scored(score: f64) -> Outcome {
        Outcome::scored(UnitScore::new(score), score >= 0.5)
    }

    fn composite_of(scores: &[(ScorerId, f64)]) -> Composite {
        let outcomes: Vec<_> = scores.iter().map(|(id, score)| (*id, scored(*score))).collect();
        Composite::of(outcomes.iter().map(|(id, outcome)| (*id, outcome)))
    }

    fn base() -> Vec<ScorerId> {
        ScorerId::ALL.into_iter().filter(|id| !is_additive(*id)).collect()
    }

    fn all_at(ids: &[ScorerId], score: f64) -> Composite {
        composite_of(&ids.iter().map(|id| (*id, score)).collect::<Vec<_>>())
    }

    fn assert_printed(share: f64, printed: f64, what: &str) {
        assert!((share - printed).abs() < 0.005 + 1e-9, "{what}: {share} is not {printed}");
    }

    /// Every composite share the methodology prints, for a submission without a backend.
    #[test]
    fn shares_are_the_published_ones() {
        let composite = all_at(&base(), 1.0);
        for (key, printed) in [
            ("f1", 7.05),
            ("f2", 21.15),
            ("f4", 4.70),
            ("f5", 2.35),
            ("f6", 11.75),
            ("c1", 3.60),
            ("c2", 0.90),
            ("c3", 3.60),
            ("c4", 3.60),
            ("c5", 0.90),
            ("c6", 0.90),
            ("c7", 2.70),
            ("c8", 0.90),
            ("c9", 0.90),
            ("v1", 13.20),
            ("v2", 7.20),
            ("v4", 3.60),
            ("s1", 4.40),
            ("s2", 3.85),
            ("s3", 2.75),
            ("f7", 0.0),
            ("f8", 0.0),
            ("s4", 0.0),
        ] {
            let share = composite.share(key.parse().unwrap());
            assert!((share - printed).abs() < 1e-9, "{key}: {share} is not {printed}");
        }
    }

    /// The methodology prints 1.83 for S4, but its rule (15 of 115 of 11 %) gives 1.43, and the rule stands.
    #[test]
    fn backend_shares_come_from_a_denominator_of_115() {
        let composite = all_at(&ScorerId::ALL, 1.0);
        assert_printed(composite.share(ScorerId::F7), 3.27, "F7");
        assert_printed(composite.share(ScorerId::F8), 2.86, "F8");
        assert_printed(composite.share(ScorerId::S4), 1.43, "S4");
        assert_printed(composite.share(ScorerId::F2), 47.0 * 45.0 / 115.0, "F2");
        assert_printed(composite.share(ScorerId::C1), 3.60, "C1 keeps its share");
    }

    /// The methodology prints 21.4 / 64.3 / 14.3 / 7.1 % here, which adds up to 107.1 %; its rule gives these.
    #[test]
    fn without_source_the_functional_weights_are_renormalised() {
        use ScorerId::{F1, F2, F4, F5};
        let composite = all_at(&[F1, F2, F4, F5], 1.0);
        for (id, printed) in [(F1, 20.0), (F2, 60.0), (F4, 13.3), (F5, 6.7)] {
            let percent = 100.0 * composite.share(id) / composite.dimensions[&Dimension::Functional].effective_weight;
            assert!((percent - printed).abs() < 0.05, "{id}: {percent}");
        }
    }

    #[test]
    fn an_empty_dimension_drops_out_and_the_rest_share_its_weight() {
        let without_visual: Vec<_> = base().into_iter().filter(|id| id.dimension() != Dimension::Visual).collect();
        let composite = all_at(&without_visual, 0.5);
        let visual = &composite.dimensions[&Dimension::Visual];
        assert_eq!((visual.score, visual.weight, visual.effective_weight), (None, 24.0, 0.0));
        assert!(visual.measured.is_empty());
        let functional = &composite.dimensions[&Dimension::Functional];
        assert!((functional.effective_weight - 100.0 * 47.0 / 76.0).abs() < 1e-9);
        assert_eq!(functional.weight, 47.0);
        assert!((composite.value.unwrap() - 50.0).abs() < 1e-9);
    }

    #[test]
    fn nothing_measured_is_null_and_not_zero() {
        let nothing = Composite::of([]);
        assert_eq!(nothing.value, None);
        assert_eq!(nothing.dimensions.len(), 4);
        let reason = || "no source".to_owned();
        let nulls = [
            (ScorerId::F6, Outcome::NoInput { reason: reason() }),
            (ScorerId::S4, Outcome::NotApplicable { reason: reason() }),
            (ScorerId::C4, Outcome::Errored { reason: reason() }),
        ];
        assert_eq!(Composite::of(nulls.iter().map(|(id, outcome)| (*id, outcome))), nothing);
        assert_eq!(composite_of(&[(ScorerId::F1, 0.0)]).value, Some(0.0));
    }

    #[test]
    fn a_composite_by_hand() {
        use ScorerId::{C3, F1, F2, S1};
        // Functional (15·1 + 45·0.5) / 60 = 0.625, code quality 0.8, security 0.25; weights 47, 18, 11 of 76.
        let composite = composite_of(&[(F1, 1.0), (F2, 0.5), (C3, 0.8), (S1, 0.25)]);
        let expected = 100.0 * (47.0 * 0.625 + 18.0 * 0.8 + 11.0 * 0.25) / 76.0;
        assert!((composite.value.unwrap() - expected).abs() < 1e-9);
        assert_eq!(composite.dimensions[&Dimension::Functional].score, Some(0.625));
        assert_eq!(composite.dimensions[&Dimension::Functional].measured, [F1, F2]);
    }

    #[test]
    fn the_pass_mark_never_enters_the_composite() {
        let outcome = |passed| Outcome::scored(UnitScore::new(0.5), passed);
        let composite = |passed| Composite::of([(ScorerId::F1, &outcome(passed))]);
        assert_eq!(composite(true), composite(false));
    }

    /// A null or a score for every scorer.
    fn any_scores() -> impl Strategy<Value = Vec<(ScorerId, f64)>> {
        prop::collection::vec(prop::option::of(0.0..=1.0_f64), 23).prop_map(|scores| {
            ScorerId::ALL.into_iter().zip(scores).filter_map(|(id, score)| Some((id, score?))).collect()
        })
    }

    proptest! {
        #[test]
        fn it_is_bounded_and_null_only_when_nothing_was_measured(scores in any_scores()) {
            let composite = composite_of(&scores);
            prop_assert_eq!(composite.value.is_none(), scores.is_empty());
            prop_assert!(composite.value.is_none_or(|value| (0.0..=100.0).contains(&value)));
            let worst = scores.iter().map(|(_, score)| *score).fold(1.0, f64::min);
            let best = scores.iter().map(|(_, score)| *score).fold(0.0, f64::max);
            let within = |value: f64| 100.0 * worst - 1e-9 <= value && value <= 100.0 * best + 1e-9;
            prop_assert!(composite.value.is_none_or(within));
        }

        #[test]
        fn it_grows_with_every_score_by_exactly_its_share(scores in any_scores(), at in 0_usize..23, better in 0.0..=1.0_f64) {
            prop_assume!(at < scores.len());
            let before = composite_of(&scores);
            let mut changed = scores.clone();
            changed[at].1 = better;
            let difference = composite_of(&changed).value.unwrap() - before.value.unwrap();
            let (id, old) = scores[at];
            prop_assert!((difference - before.share(id) * (better - old)).abs() < 1e-9);
            prop_assert!(difference * (better - old) >= -1e-12);
        }

        #[test]
        fn shares_and_effective_weights_add_up_to_one_hundred(scores in any_scores()) {
            prop_assume!(!scores.is_empty());
            let composite = composite_of(&scores);
            let shares: f64 = ScorerId::ALL.into_iter().map(|id| composite.share(id)).sum();
            let weights: f64 = composite.dimensions.values().map(|d| d.effective_weight).sum();
            prop_assert!((shares - 100.0).abs() < 1e-9 && (weights - 100.0).abs() < 1e-9);
            for id in ScorerId::ALL {
                prop_assert_eq!(composite.share(id) > 0.0, scores.iter().any(|(scored, _)| *scored == id));
            }
        }

        #[test]
        fn the_order_of_scorers_does_not_change_a_bit(scores in any_scores().prop_shuffle()) {
            let mut sorted = scores.clone();
            sorted.sort_by_key(|(id, _)| *id);
            prop_assert_eq!(composite_of(&scores), composite_of(&sorted));
        }

        #[test]
        fn removing_a_scorer_never_yields_nan(scores in any_scores(), at in 0_usize..23) {
            prop_assume!(at < scores.len());
            let mut rest = scores;
            let (removed, _) = rest.remove(at);
            let composite = composite_of(&rest);
            prop_assert!(composite.value.is_none_or(f64::is_finite));
            prop_assert_eq!(composite.share(removed), 0.0);
            for dimension in composite.dimensions.values() {
                prop_assert!(dimension.score.is_none_or(f64::is_finite) && dimension.effective_weight.is_finite());
            }
        }
    }
}
