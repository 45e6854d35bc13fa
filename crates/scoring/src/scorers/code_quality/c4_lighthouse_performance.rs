//! # What it measures
//!
//! How fast the page feels on a mid-range phone: the performance score of Lighthouse with its mobile preset (simulated slow 4G and a
//! slowed processor), made of First Contentful Paint, Largest Contentful Paint, Total Blocking Time, Cumulative Layout Shift and
//! Speed Index.
//!
//! # Why it matters
//!
//! Visitors leave pages that take long to show something or jump about while they read.
//!
//! # How it is scored
//!
//! Up to three runs, 90 seconds each and 240 seconds in all, one after the other while nothing else of ours runs on the machine. The
//! score is the median of the runs that count (with two, their mean); it passes from 0.5. The five metrics weigh 10 % (FCP), 25 % (LCP),
//! 30 % (TBT), 25 % (CLS) and 10 % (SI) within Lighthouse's own score; their medians are shown, and the advice comes from the run
//! closest to the median.
//!
//! A run counts when Lighthouse finished it and the machine was quiet: stolen processor time and the speed Lighthouse itself estimates
//! for the machine (BenchmarkIndex) are held against the machine's own calibrated values. One quiet run is enough. When runs finished
//! but none was quiet, or none finished at all, the outcome is an error and no number is published: a busy machine must not look
//! like a slow page.
//!
//! # Where we differ
//!
//! The methodology makes a page null when no run succeeds; here that null is called what it is, an error on our side, and the report is
//! not ranked. The peer harness keeps whole Lighthouse reports in its score file and computes four categories; here only the
//! performance category runs, without the full-page screenshot, which does not enter the score.

use crate::evidence::lighthouse::{Attempt, AttemptResult, Lighthouse, Opportunity, OpportunityItem, Run};
use crate::evidence::{Evidence, EvidenceKind};
use crate::scorers::Scorer;
use crate::scorers::words::{cut, kilobytes, percent, rounded};
use benchwright_domain::{Assessment, Details, Item, ItemStatus, Outcome, Place, ScorerId, UnitScore};

/// The scorer.
pub static SCORER: Scorer = Scorer {
    id: ScorerId::C4,
    version: "1.0.0",
    since: "0.1.0",
    passed_title: "The page is fast enough on a phone",
    failed_title: "The page is slow on a phone",
    needs: &[EvidenceKind::Lighthouse],
    source: include_str!("c4_lighthouse_performance.rs"),
    score,
};

/// Pass mark.
const PASS: f64 = 0.5;
const SHOWN: usize = 5;

/// A metric of the performance score with its weight in it and the value Lighthouse calls good.
struct Metric {
    key: &'static str,
    stem: &'static str,
    fact: &'static str,
    name: &'static str,
    weight: f64,
    good: f64,
    fix: &'static str,
}

const METRICS: [Metric; 5] = [
    Metric {
        key: "fcpMs",
        stem: "fcp",
        fact: "fcp_ms",
        name: "First Contentful Paint",
        weight: 0.10,
        good: 1800.0,
        fix: "Send less before the first paint: inline the critical styles, defer scripts, answer faster.",
    },
    Metric {
        key: "lcpMs",
        stem: "lcp",
        fact: "lcp_ms",
        name: "Largest Contentful Paint",
        weight: 0.25,
        good: 2500.0,
        fix: "Load the largest image or text early: preload it, do not lazy-load it, serve it in the size it is shown.",
    },
    Metric {
        key: "tbtMs",
        stem: "tbt",
        fact: "tbt_ms",
        name: "Total Blocking Time",
        weight: 0.30,
        good: 200.0,
        fix: "Run less script at start: split the bundle, load what is not needed at once later, break up long tasks.",
    },
    Metric {
        key: "cls",
        stem: "cls",
        fact: "cls",
        name: "Cumulative Layout Shift",
        weight: 0.25,
        good: 0.1,
        fix: "Reserve room for what arrives late: give images, frames and banners a width and a height.",
    },
    Metric {
        key: "siMs",
        stem: "si",
        fact: "si_ms",
        name: "Speed Index",
        weight: 0.10,
        good: 3400.0,
        fix: "Show the visible part of the page first and let the rest follow.",
    },
];

fn score(evidence: &Evidence) -> Assessment {
    match evidence.lighthouse.get() {
        Ok(lighthouse) => assess(lighthouse),
        Err(outcome) => outcome.into(),
    }
}

fn assess(lighthouse: &Lighthouse) -> Assessment {
    let measured: Vec<(&Attempt, &Run)> = lighthouse.attempts.iter().filter_map(measured_run).collect();
    let counted: Vec<&Run> =
        measured.iter().filter(|(attempt, _)| attempt.contended.is_none()).map(|(_, run)| *run).collect();
    let details = facts(lighthouse, measured.len(), &counted);
    let Some(median_score) = median(counted.iter().filter_map(|run| run.score)) else {
        return Assessment { outcome: Outcome::Errored { reason: failure(lighthouse, &measured) }, details };
    };
    let details = with_findings(details, &counted, median_score);
    Assessment::scored(UnitScore::new(median_score), median_score >= PASS, details)
}

/// A run that finished and has a score.
fn measured_run(attempt: &Attempt) -> Option<(&Attempt, &Run)> {
    match &attempt.result {
        AttemptResult::Measured { run } if run.score.is_some() => Some((attempt, run)),
        _ => None,
    }
}

fn facts(lighthouse: &Lighthouse, measured: usize, counted: &[&Run]) -> Details {
    let ran = lighthouse.attempts.iter().filter(|attempt| attempt.result != AttemptResult::NotRun);
    let seconds: f64 = ran.clone().map(|attempt| attempt.seconds).sum();
    let mut details = Details::default()
        .fact("runs", ran.count())
        .fact("successful_runs", measured)
        .fact("counted_runs", counted.len())
        .fact("contended_runs", measured - counted.len())
        .fact("run_seconds_total", rounded(seconds, 3))
        .fact("lock_wait_seconds", rounded(lighthouse.lock_wait_seconds, 3));
    for metric in &METRICS {
        if let Some(value) = median(counted.iter().filter_map(|run| run.metrics.get(metric.key).copied())) {
            details = details.fact(metric.fact, rounded(value, 3));
        }
    }
    if let Some(index) = median(counted.iter().filter_map(|run| run.benchmark_index)) {
        details = details.fact("benchmark_index", index);
    }
    for attempt in &lighthouse.attempts {
        if let Some(why) = &attempt.contended {
            details = details.note(format!("A run was not counted because the machine was busy: {why}."));
        }
    }
    details
}

fn failure(lighthouse: &Lighthouse, measured: &[(&Attempt, &Run)]) -> String {
    if let Some((attempt, _)) = measured.last() {
        let why = attempt.contended.as_deref().unwrap_or("the machine was busy");
        return format!(
            "contended: {} finished, none on a quiet machine ({why}); run again when it is idle",
            runs(measured.len())
        );
    }
    let last = lighthouse.attempts.iter().rev().find_map(|attempt| match &attempt.result {
        AttemptResult::TimedOut { after_seconds } => Some(format!("Lighthouse took longer than {after_seconds:.0} s")),
        AttemptResult::Failed { reason } => Some(cut(reason, 300)),
        AttemptResult::Measured { .. } => Some("Lighthouse finished without a score".to_owned()),
        AttemptResult::NotRun => None,
    });
    last.map_or_else(|| "no Lighthouse run was made".to_owned(), |why| format!("no Lighthouse run succeeded: {why}"))
}

fn runs(number: usize) -> String {
    if number == 1 { "one run".to_owned() } else { format!("{number} runs") }
}

/// The median; of an even number of values, the mean of the two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        length if length % 2 == 1 => Some(sorted[middle]),
        _ => Some(f64::midpoint(sorted[middle - 1], sorted[middle])),
    }
}

fn with_findings(details: Details, counted: &[&Run], median_score: f64) -> Details {
    let distance = |run: &&&Run| (run.score.unwrap_or(0.0) - median_score).abs();
    let typical = counted.iter().min_by(|left, right| distance(left).total_cmp(&distance(right)));
    let metrics = METRICS.iter().filter_map(|metric| metric_item(metric, counted));
    let details = details.items(metrics);
    let Some(typical) = typical else { return details };
    let details = typical
        .run_warnings
        .iter()
        .take(5)
        .fold(details, |details, warning| details.note(format!("Lighthouse warns: {}", cut(warning, 300))));
    details.items(typical.opportunities.iter().take(12).map(opportunity_item))
}

fn metric_item(metric: &Metric, counted: &[&Run]) -> Option<Item> {
    let value = median(counted.iter().filter_map(|run| run.metrics.get(metric.key).copied()))?;
    let part = median(counted.iter().filter_map(|run| run.metric_scores.get(metric.stem).copied()));
    let show = |value: f64| if metric.key == "cls" { format!("{value:.3}") } else { format!("{value:.0} ms") };
    let good = value <= metric.good;
    let item = Item::check(
        metric.stem,
        good,
        &format!("{} is good", metric.name),
        &format!("{} is above what counts as good", metric.name),
    )
    .measured(match part {
        Some(part) => format!("{}, {} of its {} of the score", show(value), percent(part), percent(metric.weight)),
        None => show(value),
    })
    .expected(format!("at most {}", show(metric.good)))
    .fix(metric.fix);
    Some(match part {
        Some(part) if !good => item.gain(metric.weight * (1.0 - part.clamp(0.0, 1.0))),
        _ => item,
    })
}

fn opportunity_item(opportunity: &Opportunity) -> Item {
    let mut savings = Vec::new();
    savings.extend(opportunity.display_value.as_deref().map(|text| cut(text, 120)));
    savings.extend(opportunity.savings_ms.filter(|ms| *ms > 0.0).map(|ms| format!("about {ms:.0} ms to be saved")));
    savings.extend(
        opportunity
            .savings_bytes
            .filter(|bytes| *bytes > 0.0)
            .map(|bytes| format!("about {} to be saved", kilobytes(bytes as u64))),
    );
    let title = cut(&opportunity.title, 200);
    let item = Item::new(opportunity.id.clone(), ItemStatus::Failed, format!("Lighthouse advises: {title}"))
        .expected("nothing to be saved")
        .fix(advice(opportunity))
        .places(opportunity.items.iter().filter_map(place), SHOWN);
    if savings.is_empty() { item } else { item.measured(savings.join("; ")) }
}

fn advice(opportunity: &Opportunity) -> String {
    let id = opportunity.id.trim_end_matches("-insight");
    let known = match id {
        "unused-javascript" => "Split the bundle and load what the first screen does not need only when it is needed.",
        "unused-css-rules" => "Remove style rules the page does not use, or load them later.",
        "render-blocking-resources" | "render-blocking" => {
            "Defer scripts, and inline or preload the styles of the first screen."
        }
        "uses-responsive-images" | "image-delivery" | "modern-image-formats" | "uses-optimized-images" => {
            "Serve images as WebP or AVIF in the size they are shown at."
        }
        "offscreen-images" => "Give images below the first screen `loading=\"lazy\"`.",
        "uses-text-compression" | "document-latency" => {
            "Turn on gzip or Brotli for text, answer without redirects and faster."
        }
        "unminified-javascript" | "unminified-css" => "Minify scripts and styles in the build.",
        "uses-long-cache-ttl" | "cache" => "Let browsers keep files with a hash in their name for a year.",
        "font-display" => "Set `font-display: swap` for web fonts.",
        "bootup-time" | "mainthread-work-breakdown" => "Run less script at start, and break up what must run.",
        "unsized-images" | "cls-culprits" | "layout-shifts" => {
            "Give images, frames and late content a width and a height."
        }
        "dom-size" => "Render fewer elements at once; virtualise long lists.",
        "legacy-javascript" => "Build for current browsers and drop the polyfills they do not need.",
        "third-parties" => "Load third-party scripts later or do without them.",
        "lcp-discovery" | "lcp-breakdown" | "prioritize-lcp-image" => {
            "Put the largest image into the HTML with `fetchpriority=\"high\"`."
        }
        _ => return format!("Follow Lighthouse's advice \"{}\" for the places shown.", cut(&opportunity.title, 120)),
    };
    known.to_owned()
}

fn place(item: &OpportunityItem) -> Option<Place> {
    if let Some(selector) = &item.selector {
        let html = item.snippet.as_deref().map_or_else(String::new, |snippet| cut(snippet, 300));
        return Some(Place::Element { selector: cut(selector, 300), html, note: None, shot: None, rect: None });
    }
    if let Some(url) = &item.url {
        let bytes = item.wasted_bytes.filter(|bytes| *bytes > 0.0).map(|bytes| bytes as u64);
        return Some(Place::Request { method: "GET".to_owned(), url: cut(url, 300), status: None, bytes, error: None });
    }
    item.text.as_deref().map(|text| Place::Text { text: cut(text, 300) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Piece;
    use std::collections::BTreeMap;

    fn run(score: f64) -> Attempt {
        let run = Run {
            score: Some(score),
            metrics: BTreeMap::from([("lcpMs".to_owned(), 4000.0 * (2.0 - score)), ("cls".to_owned(), 0.01)]),
            metric_scores: BTreeMap::from([("lcp".to_owned(), 0.4), ("cls".to_owned(), 1.0)]),
            opportunities: vec![Opportunity {
                id: format!("advice-{score}"),
                title: "Do less".to_owned(),
                savings_bytes: Some(2048.0),
                ..Opportunity::default()
            }],
            ..Run::default()
        };
        Attempt { seconds: 5.0, result: AttemptResult::Measured { run: Box::new(run) }, ..Attempt::default() }
    }

    fn busy(score: f64) -> Attempt {
        Attempt { contended: Some("steal 12 %".to_owned()), ..run(score) }
    }

    fn timed_out() -> Attempt {
        Attempt { seconds: 90.0, result: AttemptResult::TimedOut { after_seconds: 90.0 }, ..Attempt::default() }
    }

    fn assessed(attempts: Vec<Attempt>) -> Assessment {
        let lighthouse = Lighthouse { attempts, ..Lighthouse::default() };
        score(&Evidence { lighthouse: Piece::present(lighthouse, 1.0), ..Evidence::default() })
    }

    fn value(attempts: Vec<Attempt>) -> f64 {
        assessed(attempts).outcome.score().unwrap().value()
    }

    #[test]
    fn the_score_is_the_median_of_three_and_the_mean_of_two() {
        assert_eq!(value(vec![run(0.9), run(0.5), run(0.7)]), 0.7);
        assert!((value(vec![run(0.9), run(0.5)]) - 0.7).abs() < 1e-12);
    }

    #[test]
    fn half_passes_and_less_does_not() {
        assert_eq!(assessed(vec![run(0.5)]).outcome, Outcome::scored(UnitScore::new(0.5), true));
        assert_eq!(assessed(vec![run(0.49)]).outcome, Outcome::scored(UnitScore::new(0.49), false));
    }

    #[test]
    fn one_quiet_run_is_enough_and_busy_ones_do_not_count() {
        let assessment = assessed(vec![busy(0.2), run(0.8), busy(0.3), timed_out()]);
        assert_eq!(assessment.outcome.score().unwrap().value(), 0.8);
        assert_eq!(assessment.details.facts["contended_runs"], 2);
        assert_eq!(assessment.details.facts["runs"], 4);
        assert_eq!(assessment.details.facts["run_seconds_total"], 105.0);
    }

    #[test]
    fn only_busy_runs_are_an_error_named_contended() {
        let Outcome::Errored { reason } = assessed(vec![busy(0.2), busy(0.3)]).outcome else { panic!("not an error") };
        assert!(reason.starts_with("contended") && reason.contains("steal 12 %"), "{reason}");
    }

    #[test]
    fn no_successful_run_is_an_error_with_the_last_reason() {
        let Outcome::Errored { reason } = assessed(vec![timed_out()]).outcome else { panic!("not an error") };
        assert!(reason.contains("90 s"), "{reason}");
        assert!(matches!(assessed(vec![]).outcome, Outcome::Errored { .. }));
        assert!(matches!(assessed(vec![Attempt::default()]).outcome, Outcome::Errored { .. }));
    }

    #[test]
    fn advice_comes_from_the_run_closest_to_the_median() {
        let details = assessed(vec![run(0.9), run(0.5), run(0.7)]).details;
        let advice: Vec<_> = details.items.iter().filter(|item| item.id.starts_with("advice")).collect();
        assert_eq!(advice.len(), 1);
        assert_eq!(advice[0].id, "advice-0.7");
        assert_eq!(advice[0].measured.as_deref(), Some("about 2.0 KB to be saved"));
    }

    #[test]
    fn a_slow_metric_carries_what_it_costs() {
        let details = assessed(vec![run(0.7)]).details;
        let lcp = details.items.iter().find(|item| item.id == "lcp").unwrap();
        assert_eq!(lcp.status, ItemStatus::Failed);
        assert!((lcp.gain.unwrap() - 0.15).abs() < 1e-9);
        let cls = details.items.iter().find(|item| item.id == "cls").unwrap();
        assert_eq!((cls.status, cls.gain), (ItemStatus::Passed, None));
    }

    #[test]
    fn peer_defect_the_details_stay_small() {
        let details = assessed(vec![run(0.9), run(0.5), run(0.7)]).details;
        assert!(serde_json::to_string(&details).unwrap().len() < 10_000);
    }
}
