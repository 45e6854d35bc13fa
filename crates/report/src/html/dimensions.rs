//! The four dimensions as gauges, and the composite as one bar of a hundred points.

use super::anchors::Anchors;
use crate::{Report, number};
use benchwright_domain::{Dimension, ScorerId};

/// One dimension as a ring. Lengths are in percent of the ring.
pub struct Gauge {
    pub accent: &'static str,
    pub title: &'static str,
    pub question: &'static str,
    pub score: Option<String>,
    pub weight: String,
    pub effective_weight: String,
    pub measured: Vec<Mention>,
}

/// A scorer that entered a dimension, linked when the report shows it.
pub struct Mention {
    pub badge: String,
    pub name: &'static str,
    pub anchor: Option<&'static str>,
}

/// One dimension as a stretch of the bar of a hundred points.
pub struct Segment {
    pub accent: &'static str,
    pub title: &'static str,
    pub x: String,
    pub width: String,
    pub won: String,
}

/// The class that carries a dimension's colour.
pub fn accent(id: Option<ScorerId>) -> &'static str {
    id.map_or("added", |id| id.dimension().key())
}

pub fn gauges(report: &Report, anchors: &Anchors) -> Vec<Gauge> {
    let known =
        Dimension::ALL.into_iter().filter_map(|dimension| Some((dimension, report.dimensions.get(&dimension)?)));
    known
        .map(|(dimension, outcome)| Gauge {
            accent: dimension.key(),
            title: dimension.title(),
            question: question(dimension),
            score: outcome.score.map(|score| number::score(100.0 * score)),
            weight: number::percent(outcome.weight / 100.0),
            effective_weight: number::percent(outcome.effective_weight / 100.0),
            measured: outcome.measured.iter().map(|id| Mention::of(*id, anchors)).collect(),
        })
        .collect()
}

impl Mention {
    fn of(id: ScorerId, anchors: &Anchors) -> Self {
        Self {
            badge: id.to_string(),
            name: id.name(),
            anchor: Some(id.key()).filter(|anchor| anchors.contains(anchor)),
        }
    }
}

fn question(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Functional => "Does it do what was asked?",
        Dimension::CodeQuality => "Is it well built?",
        Dimension::Visual => "Does it look right?",
        Dimension::Security => "Is it safe?",
    }
}

/// Each measured dimension takes as much of the bar as it weighs, and fills as much of that as it scored.
pub fn segments(report: &Report) -> Vec<Segment> {
    let mut x = 0.0;
    let mut segments = Vec::new();
    for dimension in Dimension::ALL {
        let Some(outcome) = report.dimensions.get(&dimension) else { continue };
        let Some(score) = outcome.score else { continue };
        let width = number::finite(outcome.effective_weight).clamp(0.0, 100.0);
        let won = width * number::finite(score).clamp(0.0, 1.0);
        segments.push(Segment {
            accent: dimension.key(),
            title: dimension.title(),
            x: number::points(x),
            width: number::points(width),
            won: number::points(won),
        });
        x += width;
    }
    segments
}
