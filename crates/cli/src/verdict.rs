//! What the user expects of a report, and the exit code when it is not met.

use crate::exit::{self, Failure};
use crate::loaded::Loaded;
use benchwright_domain::comparison::{Change, Comparison, Side};
use benchwright_domain::repeats::Repeats;
use benchwright_domain::{Dimension, Report, ScorerId};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::process::ExitCode;

/// `fail-under` in the settings file: one number for the composite, or a table.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged, expecting = "expected a number such as 80, or a table such as { composite = 80, c3 = 0.9 }")]
pub enum FailUnder {
    /// For the composite.
    Composite(f64),
    /// By name: `composite`, a dimension, or a scorer's id.
    Each(BTreeMap<String, f64>),
}

/// What a threshold is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// The composite, 0 to 100.
    Composite,
    /// A dimension, 0 to 100.
    Dimension(Dimension),
    /// A scorer, 0 to 1.
    Scorer(ScorerId),
}

/// The least a number may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Of what.
    pub target: Target,
    /// On the scale of 100.
    pub least: f64,
}

/// Everything that makes the exit code 1.
#[derive(Debug, Default)]
pub struct Expectations {
    /// The least numbers.
    pub thresholds: Vec<Threshold>,
    /// The run that must not be fallen behind.
    pub baseline: Option<Loaded>,
}

impl Expectations {
    /// From the command line over the settings file.
    pub fn of(
        fail_under: Option<f64>,
        in_file: Option<&FailUnder>,
        baseline: Option<&std::path::Path>,
    ) -> Result<Self, Failure> {
        let mut thresholds = match in_file {
            None => Vec::new(),
            Some(FailUnder::Composite(least)) => vec![threshold("composite", *least)?],
            Some(FailUnder::Each(table)) => {
                table.iter().map(|(name, least)| threshold(name, *least)).collect::<Result<_, _>>()?
            }
        };
        if let Some(least) = fail_under {
            thresholds.retain(|threshold| threshold.target != Target::Composite);
            thresholds.insert(0, threshold("composite", least)?);
        }
        Ok(Self { thresholds, baseline: baseline.map(Loaded::read).transpose()? })
    }

    /// Says on standard error what is not met, and decides on the exit code. Over several runs their means count.
    pub fn judge(&self, report: &Report, repeats: &[Report], quiet: bool) -> ExitCode {
        let missed: Vec<String> =
            self.thresholds.iter().filter_map(|threshold| threshold.missed(report, repeats)).collect();
        let fallen =
            self.baseline.as_ref().map(|baseline| fallen(baseline, report, repeats, quiet)).unwrap_or_default();
        for line in missed.iter().chain(&fallen) {
            eprintln!("benchwright: {line}");
        }
        if missed.is_empty() && fallen.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::BELOW_THRESHOLD) }
    }
}

fn threshold(name: &str, least: f64) -> Result<Threshold, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("fail-under: {what}"));
    let target = match name {
        "composite" => Target::Composite,
        _ => match (Dimension::ALL.into_iter().find(|d| d.key() == name.replace('-', "_")), name.parse()) {
            (Some(dimension), _) => Target::Dimension(dimension),
            (None, Ok(id)) => Target::Scorer(id),
            (None, Err(_)) => {
                let dimensions = Dimension::ALL.map(Dimension::key).join(", ");
                return Err(wrong(format!("`{name}` is none of composite, {dimensions}, or a scorer such as c3")));
            }
        },
    };
    let most = if matches!(target, Target::Scorer(_)) { 1.0 } else { 100.0 };
    if !(0.0..=most).contains(&least) {
        return Err(wrong(format!("{name} {least} is not between 0 and {most}")));
    }
    Ok(Threshold { target, least: least * 100.0 / most })
}

impl Threshold {
    fn missed(&self, report: &Report, repeats: &[Report]) -> Option<String> {
        let own = std::slice::from_ref(report);
        let series = Repeats::of(if repeats.is_empty() { own } else { repeats });
        let (name, value) = match self.target {
            Target::Composite => ("the composite".to_owned(), series.composite.mean),
            Target::Dimension(dimension) => {
                let spread = series.dimensions.get(&dimension);
                (dimension.title().to_owned(), spread.and_then(|spread| spread.mean).map(|mean| 100.0 * mean))
            }
            Target::Scorer(id) => {
                let spread = series.scorers.get(id.key());
                (format!("{id} {}", id.name()), spread.and_then(|spread| spread.mean).map(|mean| 100.0 * mean))
            }
        };
        let least = self.least;
        match value {
            // A mean of equal scores may differ from them in its last bit.
            Some(value) if value >= least - 1e-9 => None,
            Some(value) if self.target == Target::Composite => {
                Some(format!("{value:.1} is below the threshold of {least}"))
            }
            Some(value) => Some(format!("{name}: {value:.1} is below the threshold of {least}")),
            None if self.target == Target::Composite => {
                Some(format!("there is no composite, so the threshold of {least} is not reached"))
            }
            None => Some(format!("{name} has no score, so the threshold of {least} is not reached")),
        }
    }
}

/// What became worse than the baseline by more than noise.
fn fallen(baseline: &Loaded, report: &Report, repeats: &[Report], quiet: bool) -> Vec<String> {
    let comparison = Comparison::of(baseline.side(), Side { report, repeats });
    if !quiet {
        for caution in &comparison.cautions {
            eprintln!("benchwright: baseline: {caution}");
        }
        for scorer in comparison.scorers.iter().filter(|scorer| scorer.change == Change::OtherInstrument) {
            eprintln!(
                "benchwright: baseline: {} moved, but so did its instrument: {}",
                scorer.name,
                scorer.because.join(", ")
            );
        }
    }
    let score = |reading: &Option<benchwright_domain::comparison::Reading>| {
        100.0 * reading.as_ref().and_then(|reading| reading.score).unwrap_or_default()
    };
    comparison
        .regressions()
        .map(|scorer| {
            let name = scorer.id.map_or_else(|| scorer.key.clone(), |id| format!("{id} {}", id.name()));
            let broken: Vec<_> = scorer.broken.iter().take(3).map(|item| item.id.as_str()).collect();
            let broken = if broken.is_empty() { String::new() } else { format!("; broke: {}", broken.join(", ")) };
            format!(
                "{name} fell from {:.1} to {:.1} since the baseline{broken}",
                score(&scorer.before),
                score(&scorer.after)
            )
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    #[test]
    fn thresholds_name_what_they_are_about() {
        assert_eq!(threshold("c3", 0.9).unwrap(), Threshold { target: Target::Scorer(ScorerId::C3), least: 90.0 });
        let code = threshold("code-quality", 70.0).unwrap();
        assert_eq!(code, Threshold { target: Target::Dimension(Dimension::CodeQuality), least: 70.0 });
        assert!(text_of(threshold("f3", 0.5)).contains("`f3`"));
        assert!(text_of(threshold("c3", 90.0)).contains("0 and 1"));
        assert!(text_of(threshold("composite", 101.0)).contains("0 and 100"));
        assert!(text_of(threshold("composite", f64::NAN)).contains("0 and 100"));
    }

    #[test]
    fn the_command_line_overrides_the_composite_of_the_file_only() {
        let table = FailUnder::Each(BTreeMap::from([("composite".to_owned(), 50.0), ("c3".to_owned(), 0.5)]));
        let expectations = Expectations::of(Some(80.0), Some(&table), None).unwrap();
        let least: Vec<_> = expectations.thresholds.iter().map(|threshold| threshold.least).collect();
        assert_eq!(least, [80.0, 50.0]);
    }
}
