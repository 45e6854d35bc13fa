//! A comparison of two reports as HTML, Markdown and terminal text. Its JSON form is the [`Comparison`] itself.

mod html;
mod markdown;
mod terminal;

pub use html::{body, render as html};
pub use markdown::render as markdown;
pub use terminal::render as terminal;

use crate::{number, text};
use benchwright_domain::comparison::{Change, Comparison, Reading, ScorerChange, Summary};
use benchwright_domain::noise::{BandSource, EPSILON};
use benchwright_domain::report::OutcomeKind;

/// The first sentence: which is better, and whether that is more than noise.
fn headline(comparison: &Comparison) -> String {
    let band = comparison.composite_band;
    let noise = format!("noise alone moves it by up to {} points", number::points(band));
    match comparison.composite_delta {
        None => "The composites are not compared: they weigh different scorers.".to_owned(),
        Some(delta) if delta.abs() <= EPSILON * 100.0 => "No difference in the composite.".to_owned(),
        Some(delta) if delta.abs() <= band => format!("{} points, which may be noise: {noise}.", signed(delta, 2)),
        Some(delta) if delta > 0.0 => format!("Better by {} points; {noise}.", number::points(delta)),
        Some(delta) => format!("Worse by {} points; {noise}.", number::points(-delta)),
    }
}

/// How many scorers went which way.
fn tally(comparison: &Comparison) -> Vec<(&'static str, usize, &'static str)> {
    let count = |change| comparison.scorers.iter().filter(|scorer| scorer.change == change).count();
    [
        ("bad", count(Change::Worse), "worse"),
        ("good", count(Change::Better), "better"),
        ("", count(Change::WithinNoise), "within noise"),
        ("", count(Change::OtherInstrument), "measured with another instrument"),
        ("", count(Change::Same), "the same"),
        ("", count(Change::NoLongerMeasured), "no longer measured"),
        ("", count(Change::NowMeasured), "newly measured"),
    ]
    .into_iter()
    .filter(|(_, count, _)| *count > 0)
    .collect()
}

/// Those that moved, the largest loss of points first, then the gains.
fn changed(comparison: &Comparison) -> Vec<&ScorerChange> {
    let mut scorers: Vec<_> = comparison.scorers.iter().filter(|scorer| scorer.change != Change::NotMeasured).collect();
    scorers.sort_by(|a, b| {
        (order(a.change), weight(a)).partial_cmp(&(order(b.change), weight(b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    scorers
}

fn order(change: Change) -> u8 {
    match change {
        Change::Worse => 0,
        Change::NoLongerMeasured => 1,
        Change::OtherInstrument => 2,
        Change::Better => 3,
        Change::NowMeasured => 4,
        Change::WithinNoise => 5,
        Change::Same => 6,
        Change::NotMeasured => 7,
    }
}

/// The largest movement first, whichever its direction.
fn weight(scorer: &ScorerChange) -> f64 {
    -number::finite(scorer.points.or(scorer.delta).unwrap_or_default()).abs()
}

fn verdict(change: Change) -> &'static str {
    match change {
        Change::Better => "Better",
        Change::Worse => "Worse",
        Change::WithinNoise => "Within noise",
        Change::OtherInstrument => "Other instrument",
        Change::Same => "Same",
        Change::NowMeasured => "Now measured",
        Change::NoLongerMeasured => "No longer measured",
        Change::NotMeasured => "Not measured",
    }
}

fn badge(scorer: &ScorerChange) -> String {
    scorer.id.map_or_else(|| text::line_within(&scorer.key, 40), |id| id.to_string())
}

fn name(scorer: &ScorerChange) -> String {
    text::line_within(&scorer.name, 120)
}

/// A score of 100, or why there is none.
fn score(reading: Option<&Reading>) -> String {
    match reading {
        Some(Reading { score: Some(score), .. }) => number::score(100.0 * number::finite(*score).clamp(0.0, 1.0)),
        Some(Reading { outcome: OutcomeKind::Errored, .. }) => "failed".to_owned(),
        Some(Reading { outcome: OutcomeKind::NoInput, .. }) => "no input".to_owned(),
        Some(_) => "not applicable".to_owned(),
        None => "–".to_owned(),
    }
}

fn delta(scorer: &ScorerChange) -> String {
    scorer.delta.map_or_else(|| "–".to_owned(), |delta| signed(100.0 * delta, 1))
}

fn points(scorer: &ScorerChange) -> String {
    scorer.points.map_or_else(|| "–".to_owned(), |points| signed(points, 2))
}

/// What else a reader should know about one row.
fn remark(scorer: &ScorerChange) -> String {
    let mut remarks: Vec<String> = scorer.because.iter().map(|cause| text::line_within(cause, 200)).collect();
    let width = number::score(100.0 * scorer.band.width);
    let whence = match scorer.band.source {
        BandSource::Exact => None,
        BandSource::Default => Some(" by default"),
        BandSource::Repeats => Some(", from repeated runs"),
    };
    remarks.extend(whence.filter(|_| scorer.delta.is_some()).map(|whence| format!("noise up to {width}{whence}")));
    let gone = [&scorer.before, &scorer.after].into_iter().flatten().find(|reading| reading.score.is_none());
    if let Some(reason) = gone.and_then(|reading| reading.reason.as_deref()).filter(|_| scorer.delta.is_none()) {
        remarks.push(text::line_within(reason, 200));
    }
    remarks.join("; ")
}

/// With its sign, always; a minus that reads as one.
fn signed(value: f64, decimals: usize) -> String {
    let value = number::finite(value);
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
    let sign = if is_zero {
        "±"
    } else if value < 0.0 {
        "−"
    } else {
        "+"
    };
    format!("{sign}{digits}")
}

fn title(side: &Summary) -> String {
    let title = side.title.as_deref().map(|title| text::line_within(title, 100)).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| text::line_within(&side.url, 100))
}

fn composite(side: &Summary) -> String {
    side.composite.map_or_else(|| "no score".to_owned(), number::score)
}

fn runs(side: &Summary) -> String {
    if side.runs == 1 { "one run".to_owned() } else { format!("mean of {} runs", side.runs) }
}

/// `2 → 5 places`, or how many there are.
fn places(before: usize, after: usize) -> String {
    let word = |count: usize| if count == 1 { "place" } else { "places" };
    match (before, after) {
        (before, 0) => format!("{before} {}", word(before)),
        (0, after) => format!("{after} {}", word(after)),
        (before, after) => format!("{before} → {after} places"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_is_always_shown_and_zero_has_both() {
        assert_eq!(signed(1.25, 1), "+1.2");
        assert_eq!(signed(-0.5, 1), "−0.5");
        assert_eq!(signed(-0.001, 2), "±0.00");
        assert_eq!(signed(f64::NAN, 1), "±0.0");
    }
}
