//! The figures of the analysis as plain numbers for SVG. Every number in them also stands in a table.

use super::apps::spreads;
use super::habits::CATEGORIES;
use super::sheet::Cell;
use super::standings::{axis, takes};
use crate::{number, text};
use askama::Template;
use benchwright_domain::vibe::analysis::SplitAnalysis;
use benchwright_domain::vibe::analysis::frontier::{Frontier, Point};
use benchwright_domain::vibe::analysis::tools::ToolUse;

/// The plane of a scatter in its own units, and the room around it for words.
const PLANE: (f64, f64) = (860.0, 360.0);
const LEFT: f64 = 56.0;
const TOP: f64 = 24.0;

#[derive(Template)]
#[template(path = "vibe/ladder.html")]
struct Ladder {
    rungs: Vec<Rung>,
}

struct Rung {
    rank: String,
    name: String,
    accuracy: String,
    mean: f64,
    /// From and width.
    interval: Option<(f64, f64)>,
    words: String,
}

/// Accuracies with their intervals, best first.
pub fn ladder(split: &SplitAnalysis) -> String {
    let rungs = split.models.iter().map(|row| {
        let interval = row.accuracy.interval;
        Rung {
            rank: row.rank.map_or_else(|| "–".to_owned(), |rank| crate::vibe::rank(rank)),
            name: text::line_within(&row.name, 80),
            accuracy: format!("{:.1}", number::finite(row.accuracy.mean)),
            mean: hundred(row.accuracy.mean),
            interval: interval.map(|it| (hundred(it.low), (hundred(it.high) - hundred(it.low)).max(0.0))),
            words: interval.map_or_else(
                || "one app: no interval".to_owned(),
                |it| format!("95 % interval {:.1} to {:.1}", number::finite(it.low), number::finite(it.high)),
            ),
        }
    });
    draw(&Ladder { rungs: rungs.collect() })
}

#[derive(Template)]
#[template(path = "vibe/scatter.html")]
struct Scatter {
    label: &'static str,
    words: String,
    marks_x: Vec<(f64, String)>,
    marks_y: Vec<(f64, String)>,
    line: String,
    dots: Vec<Dot>,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

struct Dot {
    x: f64,
    y: f64,
    number: usize,
    name: String,
    words: String,
    on_the_line: bool,
}

/// Accuracy against what it takes, the horizontal axis in equal factors; nothing without two models to set against each other.
pub fn scatter(plane: &Frontier) -> Option<String> {
    let points: Vec<&Point> = plane.points.iter().filter(|it| it.takes > 0.0 && it.takes.is_finite()).collect();
    if points.len() < 2 {
        return None;
    }
    let (_, _, label) = axis(plane.axis);
    let logs: Vec<f64> = points.iter().map(|point| point.takes.log10()).collect();
    let (low, high) = logs.iter().fold((f64::MAX, f64::MIN), |(low, high), it| (low.min(*it), high.max(*it)));
    let (low, high) = (low - 0.08, (high + 0.08).max(low + 0.2));
    let x = |log: f64| round(LEFT + PLANE.0 * (log - low) / (high - low));
    let most = points.iter().map(|it| it.accuracy).fold(10.0, f64::max);
    let ceiling = (most / 10.0).ceil().min(10.0) * 10.0;
    let y = |accuracy: f64| round(TOP + PLANE.1 * (1.0 - number::finite(accuracy).clamp(0.0, ceiling) / ceiling));
    let dots: Vec<Dot> = points
        .iter()
        .zip(&logs)
        .zip(1..)
        .map(|((point, log), number)| {
            let shown = match takes(plane.axis, point.takes) {
                Cell::Number { shown, .. } => shown,
                _ => String::new(),
            };
            let name = text::line_within(&point.model, 80);
            let words = format!("{name}: accuracy {:.1}, {shown}", point.accuracy);
            Dot { x: x(*log), y: y(point.accuracy), number, name, words, on_the_line: point.on_the_line }
        })
        .collect();
    Some(draw(&Scatter {
        label,
        words: dots.iter().map(|dot| dot.words.as_str()).collect::<Vec<_>>().join("; "),
        marks_x: ticks(low, high).into_iter().map(|tick| (x(tick.log10()), shown_tick(plane, tick))).collect(),
        marks_y: (0..=4).map(|part| ceiling * f64::from(part) / 4.0).map(|it| (y(it), format!("{it:.0}"))).collect(),
        line: dots
            .iter()
            .filter(|dot| dot.on_the_line)
            .map(|dot| format!("{},{}", dot.x, dot.y))
            .collect::<Vec<_>>()
            .join(" "),
        dots,
        left: LEFT,
        right: LEFT + PLANE.0,
        top: TOP,
        bottom: TOP + PLANE.1,
    }))
}

/// Round numbers between two logarithms; few enough to be read.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let decades = (low.floor() as i32)..=(high.ceil() as i32);
    let steps: &[f64] = if high - low > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
    let all = decades.flat_map(|decade| steps.iter().map(move |step| step * 10f64.powi(decade)));
    all.filter(|tick| (low..=high).contains(&tick.log10())).collect()
}

fn shown_tick(plane: &Frontier, tick: f64) -> String {
    match takes(plane.axis, tick) {
        Cell::Number { shown, .. } => shown,
        _ => String::new(),
    }
}

#[derive(Template)]
#[template(path = "vibe/histograms.html")]
struct Histograms {
    charts: Vec<Histogram>,
}

struct Histogram {
    name: String,
    words: String,
    /// Place, top and height on a canvas of 10 by 100, and how many.
    bars: Vec<(f64, f64, f64)>,
    most: u64,
}

/// How app scores are spread, one small chart each.
pub fn histograms(split: &SplitAnalysis) -> String {
    let chart = |(name, spread): (String, &benchwright_domain::vibe::analysis::distribution::Spread)| {
        let most = spread.histogram.iter().copied().max().unwrap_or_default();
        let bar = |(place, apps): (usize, &u64)| {
            let height = round(100.0 * *apps as f64 / most.max(1) as f64);
            (round(place as f64 + 0.05), round(100.0 - height), height)
        };
        let told = spread.histogram.iter().enumerate().filter(|(_, apps)| **apps > 0);
        let told: Vec<String> = told.map(|(place, apps)| format!("{apps} from {} %", 10 * place)).collect();
        Histogram {
            words: format!("{name}, apps by score: {}", told.join(", ")),
            name,
            bars: spread.histogram.iter().enumerate().map(bar).collect(),
            most,
        }
    };
    draw(&Histograms { charts: spreads(split).into_iter().map(chart).collect() })
}

#[derive(Template)]
#[template(path = "vibe/strips.html")]
struct Strips {
    names: Vec<(usize, &'static str)>,
    strips: Vec<(String, Vec<Band>)>,
}

/// One category in one slice of time.
struct Band {
    slice: usize,
    y: f64,
    height: f64,
    category: usize,
    words: String,
}

/// What each model did when.
pub fn strips(tools: &ToolUse) -> String {
    let strip = |model: &benchwright_domain::vibe::analysis::tools::ModelTools| {
        let mut bands = Vec::new();
        for (slice, shares) in model.phases.iter().enumerate() {
            let Some(shares) = shares else { continue };
            let mut from = 0.0;
            for (category, (of, name)) in CATEGORIES.iter().enumerate() {
                let share = hundred(shares.get(*of));
                let words = format!("slice {}: {name} {share:.1} %", slice + 1);
                bands.push(Band { slice, y: round(from), height: share, category, words });
                from += share;
            }
        }
        bands.retain(|band| band.height > 0.0);
        (text::line_within(&model.model, 80), bands)
    };
    let names = CATEGORIES.iter().enumerate().map(|(place, (_, name))| (place, *name)).collect();
    draw(&Strips { names, strips: tools.models.iter().map(strip).collect() })
}

fn draw(figure: &impl Template) -> String {
    figure.render().expect("writing to a string does not fail")
}

fn hundred(value: f64) -> f64 {
    round(number::finite(value).clamp(0.0, 100.0))
}

fn round(value: f64) -> f64 {
    (number::finite(value) * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_lie_within() {
        assert_eq!(ticks(0.0, 1.0), [1.0, 2.0, 5.0, 10.0]);
        assert_eq!(ticks(0.0, 3.0), [1.0, 10.0, 100.0, 1000.0]);
        assert!(ticks(0.31, 0.35).is_empty());
    }
}
