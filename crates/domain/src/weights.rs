//! The one table of weights. Scorers do not know their weight; METHODOLOGY.md and `benchwright explain` print this table.

use crate::scorer::{Dimension, ScorerId};

/// Weight of a dimension in the composite. The four add up to 100.
pub fn dimension_weight(dimension: Dimension) -> f64 {
    match dimension {
        Dimension::Functional => 47.0,
        Dimension::CodeQuality => 18.0,
        Dimension::Visual => 24.0,
        Dimension::Security => 11.0,
    }
}

/// Weight of a scorer within its dimension. The base scorers of a dimension add up to 100; F7, F8 and S4 come on top.
#[expect(clippy::match_same_arms, reason = "one row for each scorer reads like the published table")]
pub fn scorer_weight(id: ScorerId) -> f64 {
    use ScorerId::{C1, C2, C3, C4, C5, C6, C7, C8, C9, F1, F2, F4, F5, F6, F7, F8, S1, S2, S3, S4, V1, V2, V4};
    match id {
        F1 => 15.0,
        F2 => 45.0,
        F4 => 10.0,
        F5 => 5.0,
        F6 => 25.0,
        F7 => 8.0,
        F8 => 7.0,
        C1 => 20.0,
        C2 => 5.0,
        C3 => 20.0,
        C4 => 20.0,
        C5 => 5.0,
        C6 => 5.0,
        C7 => 15.0,
        C8 => 5.0,
        C9 => 5.0,
        V1 => 55.0,
        V2 => 30.0,
        V4 => 15.0,
        S1 => 40.0,
        S2 => 35.0,
        S3 => 25.0,
        S4 => 15.0,
    }
}

/// Whether a scorer belongs to the backend track, whose weights expand the denominator instead of carving into the base.
pub fn is_additive(id: ScorerId) -> bool {
    matches!(id, ScorerId::F7 | ScorerId::F8 | ScorerId::S4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_weights_add_up_to_one_hundred_in_every_dimension() {
        for dimension in Dimension::ALL {
            let base: f64 = ScorerId::ALL
                .into_iter()
                .filter(|id| id.dimension() == dimension && !is_additive(*id))
                .map(scorer_weight)
                .sum();
            assert_eq!(base, 100.0, "{dimension:?}");
        }
        assert_eq!(Dimension::ALL.map(dimension_weight).iter().sum::<f64>(), 100.0);
    }
}
