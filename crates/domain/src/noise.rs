//! How much a number may move without anything having changed: the noise of each scorer, and which instruments move it.

use crate::scorer::ScorerId;
use crate::statistics::{mean, student_t_quantile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Differences up to here are rounding.
pub const EPSILON: f64 = 1e-9;

/// How far C4 moves between runs of an unchanged page, when no repeated runs say more: the median of three Lighthouse runs on a
/// machine that passed the contention check.
pub const LIGHTHOUSE_BAND: f64 = 0.08;
/// How far a judged score moves between runs of an unchanged page, when no repeated runs say more: under half a mark of the scale
/// from 1 to 5, on every criterion at once.
pub const JUDGED_BAND: f64 = 0.10;
/// A noisy scorer that happened to repeat itself exactly is still noisy.
const LEAST_NOISY_BAND: f64 = 0.01;

/// Runs it takes before their spread says more than the default.
const ENOUGH_RUNS: usize = 3;
const CONFIDENCE: f64 = 0.95;

/// Where a band comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BandSource {
    /// The scorer gives the same number for the same page; any difference is real.
    Exact,
    /// The documented default of a noisy scorer.
    Default,
    /// The spread of repeated runs.
    Repeats,
}

/// A difference larger than `width` is more than noise.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Band {
    /// In score, 0 to 1.
    pub width: f64,
    /// Where it comes from.
    pub source: BandSource,
}

/// Whether equal pages give equal scores: everything but Lighthouse and the judges.
pub fn is_deterministic(id: ScorerId) -> bool {
    !matches!(id, ScorerId::C4 | ScorerId::F4 | ScorerId::V1 | ScorerId::C7)
}

/// The band of a scorer for the mean of `new_runs`, given the scores of repeated runs of one unchanged page, as many as there are.
///
/// Three or more runs give the 95 % prediction interval for the mean of m more, t · s · √(1/m + 1/n). Two give at least their
/// distance.
pub fn band(id: Option<ScorerId>, repeated: &[f64], new_runs: usize) -> Band {
    let default = default_band(id);
    let noisy = default.source == BandSource::Default;
    let measured = match repeated {
        [a, b] => (a - b).abs(),
        runs if runs.len() >= ENOUGH_RUNS => match reach(runs, new_runs) {
            Some(width) => width,
            None => return default,
        },
        _ => return default,
    };
    let enough = repeated.len() >= ENOUGH_RUNS;
    let floor = if !noisy {
        EPSILON
    } else if enough {
        LEAST_NOISY_BAND
    } else {
        default.width
    };
    if measured <= floor && (!noisy || !enough) {
        return default;
    }
    Band { width: measured.max(floor), source: BandSource::Repeats }
}

/// A scorer of the user's own is taken at its word: equal pages, equal scores.
fn default_band(id: Option<ScorerId>) -> Band {
    match id {
        Some(ScorerId::C4) => Band { width: LIGHTHOUSE_BAND, source: BandSource::Default },
        Some(id) if !is_deterministic(id) => Band { width: JUDGED_BAND, source: BandSource::Default },
        _ => Band { width: EPSILON, source: BandSource::Exact },
    }
}

fn reach(runs: &[f64], new_runs: usize) -> Option<f64> {
    let n = runs.len() as f64;
    let estimate = mean(runs).ok()?;
    let deviation = estimate.standard_error * n.sqrt();
    let t = student_t_quantile(f64::midpoint(1.0, CONFIDENCE), n - 1.0).ok()?;
    Some(t * deviation * (1.0 / new_runs.max(1) as f64 + 1.0 / n).sqrt())
}

/// The instruments whose version moves a scorer, by their names in [`crate::report::Provenance::versions`].
pub fn instruments(id: ScorerId) -> &'static [&'static str] {
    use ScorerId::{C1, C2, C3, C4, C6, C8, S1, S3};
    match id {
        C1 => &["eslint", "typescript-eslint"],
        C2 => &["typescript"],
        C3 => &["axe-core", "browser"],
        C4 => &["lighthouse", "browser"],
        C6 => &["eslint", "eslint-plugin-sonarjs", "typescript-eslint"],
        C8 => &["npm", "pnpm", "yarn-classic", "@yarnpkg/cli-dist", "bun"],
        S1 => &["semgrep", "trufflehog"],
        S3 => &["npm"],
        ScorerId::F1 | ScorerId::F2 | ScorerId::F5 | ScorerId::C5 | ScorerId::V2 | ScorerId::V4 => &["browser"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lighthouse_and_the_judges_are_noisy() {
        let noisy: Vec<_> = ScorerId::ALL.into_iter().filter(|id| !is_deterministic(*id)).map(ScorerId::key).collect();
        assert_eq!(noisy, ["f4", "c4", "c7", "v1"]);
        assert_eq!(band(Some(ScorerId::C3), &[], 1), Band { width: EPSILON, source: BandSource::Exact });
        assert_eq!(band(Some(ScorerId::C4), &[0.9], 1).width, LIGHTHOUSE_BAND);
        assert_eq!(band(None, &[], 1).source, BandSource::Exact);
    }

    #[test]
    fn repeated_runs_say_more_than_the_default() {
        // Standard deviation 0.01, t(2) = 4.303, √(4/3).
        let band_of_three = band(Some(ScorerId::C4), &[0.90, 0.91, 0.92], 1);
        assert_eq!(band_of_three.source, BandSource::Repeats);
        assert!((band_of_three.width - 4.302_653 * 0.01 * (4.0_f64 / 3.0).sqrt()).abs() < 1e-6, "{band_of_three:?}");
        assert_eq!(band(Some(ScorerId::C4), &[0.9, 0.9, 0.9], 1).width, LEAST_NOISY_BAND);
    }

    #[test]
    fn two_runs_widen_a_band_and_never_narrow_it() {
        assert_eq!(band(Some(ScorerId::C4), &[0.90, 0.91], 1).width, LIGHTHOUSE_BAND);
        assert!((band(Some(ScorerId::C4), &[0.7, 0.9], 1).width - 0.2).abs() < 1e-12);
        assert!(
            (band(Some(ScorerId::F5), &[0.8, 1.0], 1).width - 0.2).abs() < 1e-12,
            "a scorer that flapped is not exact"
        );
        assert_eq!(band(Some(ScorerId::F5), &[1.0, 1.0], 1).source, BandSource::Exact);
        assert_eq!(band(Some(ScorerId::F5), &[1.0, 1.0, 1.0], 1).source, BandSource::Exact);
    }
}
