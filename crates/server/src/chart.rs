//! Small charts as plain numbers for SVG: a line over time, and how often a score was given.

use benchwright_domain::history::{Compared, Step};
use benchwright_store::index::ScoreBucket;
use std::collections::BTreeMap;

/// Size of the line chart in its own units.
pub const WIDTH: f64 = 960.0;
pub const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 24.0;
/// Buckets of a distribution: twenty of five points, and one for the full score.
const BUCKETS: usize = 21;

/// A run on the line.
pub struct Point {
    pub x: String,
    pub y: String,
    pub class: &'static str,
    pub label: String,
}

/// The composites of several runs, the oldest first.
pub struct Trend {
    pub points: Vec<Point>,
    /// A line for each series of runs that are compared with each other.
    pub lines: Vec<String>,
    /// Height and name of the lines of the scale.
    pub scale: Vec<(String, String)>,
}

/// A bar of a distribution.
pub struct Bar {
    pub x: String,
    pub y: String,
    pub height: String,
    pub from: String,
    pub runs: i64,
}

impl Trend {
    pub fn of(runs: &[(f64, String)], compared: &[Compared]) -> Self {
        let low = runs.iter().map(|(composite, _)| *composite).fold(100.0_f64, f64::min);
        let floor = ((low - 5.0) / 10.0).floor().max(0.0) * 10.0;
        let y = |composite: f64| MARGIN + (HEIGHT - 2.0 * MARGIN) * (100.0 - composite) / (100.0 - floor);
        let apart = (WIDTH - 4.0 * MARGIN) / (runs.len().saturating_sub(1)).max(1) as f64;
        let x = |place: usize| 2.5 * MARGIN + apart * place as f64;
        let mut lines: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let mut points = Vec::new();
        for (place, ((composite, label), compared)) in runs.iter().zip(compared).enumerate() {
            let (x, y) = (format!("{:.1}", x(place)), format!("{:.1}", y(*composite)));
            lines.entry(compared.series).or_default().push(format!("{x},{y}"));
            let class = match compared.step {
                Step::Worse { .. } => "worse",
                Step::Better { .. } => "better",
                _ => "",
            };
            points.push(Point { x, y, class, label: label.clone() });
        }
        let marks = [floor, f64::midpoint(floor, 100.0), 100.0];
        Self {
            points,
            lines: lines.into_values().filter(|line| line.len() > 1).map(|line| line.join(" ")).collect(),
            scale: marks.map(|mark| (format!("{:.1}", y(mark)), format!("{mark:.0}"))).into(),
        }
    }
}

/// How often each score was given, on a canvas of 21 by 100.
pub fn distribution(buckets: &[ScoreBucket]) -> Vec<Bar> {
    let mut runs = [0_i64; BUCKETS];
    for bucket in buckets {
        if let Some(count) = usize::try_from(bucket.bucket).ok().and_then(|place| runs.get_mut(place)) {
            *count += bucket.runs;
        }
    }
    let most = runs.iter().copied().max().unwrap_or_default().max(1) as f64;
    let bar = |(place, count): (usize, &i64)| {
        let height = 100.0 * *count as f64 / most;
        Bar {
            x: format!("{:.2}", place as f64 + 0.06),
            y: format!("{:.2}", 100.0 - height),
            height: format!("{height:.2}"),
            from: if place == BUCKETS - 1 { "100".to_owned() } else { format!("{} to {}", place * 5, place * 5 + 5) },
            runs: *count,
        }
    };
    runs.iter().enumerate().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_joins_runs_that_are_compared_and_no_others() {
        let runs = [80.0, 90.0, 50.0, 55.0].map(|composite| (composite, String::new()));
        let worse = Step::Worse { delta: -30.0, band: 0.1 };
        let compared = [(Step::First, None, 0), (Step::NotCompared, None, 1), (worse, Some(0), 0), (worse, Some(1), 1)]
            .map(|(step, beside, series)| Compared { step, beside, series });
        let trend = Trend::of(&runs, &compared);
        let joins = |line: &str| trend.points.iter().map(|point| line.contains(&point.x)).collect::<Vec<_>>();
        let lines: Vec<_> = trend.lines.iter().map(|line| joins(line)).collect();
        assert_eq!(lines, [[true, false, true, false], [false, true, false, true]]);
        assert_eq!(trend.points[3].class, "worse");
        assert_eq!(trend.scale[0].1, "40");
    }

    #[test]
    fn a_distribution_counts_all_versions_and_ignores_what_cannot_be() {
        let bucket = |version: &str, bucket, runs| ScoreBucket { version: version.to_owned(), bucket, runs };
        let bars = distribution(&[bucket("1", 20, 3), bucket("2", 20, 1), bucket("1", 99, 7), bucket("1", -1, 7)]);
        assert_eq!((bars.len(), bars[20].runs, bars[20].height.as_str()), (21, 4, "100.00"));
        assert_eq!(bars[0].runs, 0);
    }
}
