//! The numbers to reach, and whether they were.

use super::Measured;
use crate::json::Json;
use std::fmt;

/// One run of each system, close together in time.
pub(crate) struct Pair {
    pub ours: Measured,
    pub peer: Measured,
}

impl Pair {
    pub fn to_json(&self) -> Json {
        Json::object([("ours", self.ours.to_json()), ("peer", self.peer.to_json())])
    }
}

/// One target and what was measured for it; nothing measured is a miss.
#[derive(Debug)]
pub(crate) struct Verdict {
    what: &'static str,
    at_most: f64,
    measured: Option<f64>,
}

impl Verdict {
    pub fn is_reached(&self) -> bool {
        self.measured.is_some_and(|measured| measured <= self.at_most)
    }

    pub fn to_json(&self) -> Json {
        Json::object([
            ("what", self.what.into()),
            ("at_most", self.at_most.into()),
            ("measured", self.measured.map_or(Json::Null, Json::from)),
            ("reached", self.is_reached().into()),
        ])
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.is_reached() { "reached" } else { "MISSED" };
        match self.measured {
            Some(measured) => write!(out, "{word}: {} {measured:.3} (at most {})", self.what, self.at_most),
            None => write!(out, "{word}: {} could not be measured (at most {})", self.what, self.at_most),
        }
    }
}

/// Ratios are taken within each pair and then the median over pairs, so that a slow minute hits both sides.
pub(crate) fn judge(pairs: &[Pair], our_version_seconds: f64) -> Vec<Verdict> {
    let ratio = |of: fn(&Pair) -> Option<f64>| median(pairs.iter().filter_map(of).collect());
    let most = |of: fn(&Pair) -> f64| pairs.iter().map(of).reduce(f64::max);
    vec![
        Verdict {
            what: "wall time, ours / peer",
            at_most: 0.6,
            measured: ratio(|pair| Some(pair.ours.wall_seconds / pair.peer.wall_seconds)),
        },
        Verdict {
            what: "time outside Lighthouse, ours / peer",
            at_most: 0.35,
            measured: ratio(|pair| Some(pair.ours.outside_lighthouse()? / pair.peer.outside_lighthouse()?)),
        },
        Verdict { what: "peak memory of our process, MB", at_most: 60.0, measured: most(|pair| pair.ours.own_peak_mb) },
        Verdict {
            what: "peak memory with Node, ours / peer",
            at_most: 0.7,
            measured: ratio(|pair| Some(pair.ours.with_node_peak_mb / pair.peer.own_peak_mb)),
        },
        Verdict { what: "`--version`, seconds", at_most: 0.03, measured: Some(our_version_seconds) },
    ]
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        length if length % 2 == 1 => Some(values[middle]),
        _ => Some(f64::midpoint(values[middle - 1], values[middle])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(wall: f64, lighthouse: Option<f64>, memory: f64) -> Measured {
        Measured {
            wall_seconds: wall,
            lighthouse_seconds: lighthouse,
            lighthouse_runs: 3,
            own_peak_mb: memory,
            with_node_peak_mb: memory,
            scores: Json::Null,
        }
    }

    #[test]
    fn ratios_are_medians_over_pairs_and_misses_are_said() {
        let pair = |ours: f64| Pair { ours: run(ours, Some(ours - 3.0), 50.0), peer: run(40.0, Some(30.0), 500.0) };
        let verdicts = judge(&[pair(20.0), pair(80.0), pair(24.0)], 0.01);
        assert_eq!(verdicts[0].measured, Some(0.6));
        assert!(verdicts[0].is_reached() && verdicts[1].is_reached() && verdicts[4].is_reached());
        assert!(verdicts[0].to_string().starts_with("reached: wall time"), "{}", verdicts[0]);
        assert!(judge(&[pair(30.0)], 0.01)[0].to_string().starts_with("MISSED"));
    }

    #[test]
    fn what_was_not_measured_is_missed() {
        let pairs = [Pair { ours: run(10.0, None, 70.0), peer: run(40.0, Some(30.0), 500.0) }];
        let verdicts = judge(&pairs, 1.0);
        assert!(!verdicts[1].is_reached() && verdicts[1].to_string().contains("could not be measured"));
        assert!(!verdicts[2].is_reached() && !verdicts[4].is_reached());
    }

    #[test]
    fn an_even_number_of_values_has_its_median_between_two() {
        assert_eq!(median(vec![4.0, 1.0, 3.0, 2.0]), Some(2.5));
        assert_eq!(median(Vec::new()), None);
    }
}
