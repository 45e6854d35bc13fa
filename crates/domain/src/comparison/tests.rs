use super::*;
use crate::details::{Item, ItemStatus, Place};
use crate::noise::{BandSource, LIGHTHOUSE_BAND};
use crate::report::sample;

fn compared(before: &Report, after: &Report) -> Comparison {
    Comparison::of(Side::of(before), Side::of(after))
}

fn change_of<'a>(comparison: &'a Comparison, key: &str) -> &'a ScorerChange {
    comparison.scorers.iter().find(|scorer| scorer.key == key).unwrap()
}

fn failed(id: &str, places: usize) -> Item {
    let place = || Place::Text { text: "here".to_owned() };
    Item::new(id, ItemStatus::Failed, format!("{id} is wrong"))
        .fix(format!("mend {id}"))
        .places(std::iter::repeat_with(place).take(places), 1)
}

#[test]
fn a_deterministic_scorer_that_drops_at_all_is_worse_and_lighthouse_only_beyond_its_noise() {
    let before = sample::report(&[("c3", Some(0.8)), ("c4", Some(0.8)), ("f1", Some(1.0))]);
    let after = sample::report(&[("c3", Some(0.79)), ("c4", Some(0.75)), ("f1", Some(1.0))]);
    let comparison = compared(&before, &after);
    assert_eq!(change_of(&comparison, "c3").change, Change::Worse);
    assert_eq!(change_of(&comparison, "c4").change, Change::WithinNoise);
    assert_eq!(change_of(&comparison, "f1").change, Change::Same);
    assert_eq!(comparison.regressions().map(|scorer| scorer.key.as_str()).collect::<Vec<_>>(), ["c3"]);
    let sum: f64 = comparison.scorers.iter().filter_map(|scorer| scorer.points).sum();
    assert!(
        (sum - comparison.composite_delta.unwrap()).abs() < 1e-9,
        "what the scorers moved is what the composite moved"
    );
    assert!((comparison.composite_band - after.scorers["c4"].share * LIGHTHOUSE_BAND).abs() < 1e-6);
}

#[test]
fn the_baselines_own_repeats_say_what_noise_is() {
    let runs: Vec<_> = [0.80, 0.81, 0.82].iter().map(|score| sample::report(&[("c4", Some(*score))])).collect();
    let before = Side { report: &runs[1], repeats: &runs };
    let after = sample::report(&[("c4", Some(0.75))]);
    let comparison = Comparison::of(before, Side::of(&after));
    let c4 = change_of(&comparison, "c4");
    assert_eq!((c4.change, c4.band.source), (Change::Worse, BandSource::Repeats), "{c4:?}");
    assert_eq!(comparison.before.runs, 3);
    assert!((comparison.before.composite.unwrap() - 81.0).abs() < 1e-9);
}

#[test]
fn other_judges_and_other_scanners_are_other_instruments() {
    let by = |score: f64, fact: &str, who: &str| {
        let mut report = sample::report(&[("v1", Some(score)), ("s1", Some(score))]);
        for key in ["v1", "s1"] {
            report.scorers.get_mut(key).unwrap().details.facts.insert(fact.to_owned(), who.into());
        }
        report
    };
    for (fact, because) in
        [("judges", "the judges went from a to b"), ("scanners", "the secret scanners went from a to b")]
    {
        let comparison = compared(&by(0.8, fact, "a"), &by(0.5, fact, "b"));
        let v1 = change_of(&comparison, "v1");
        assert_eq!((v1.change, v1.because[0].as_str()), (Change::OtherInstrument, because));
        let same = compared(&by(0.8, fact, "a"), &by(0.5, fact, "a"));
        assert_eq!(change_of(&same, "s1").change, Change::Worse);
    }
}

#[test]
fn errors_that_only_installed_packages_show_are_not_blamed_on_the_app() {
    let with = |score: f64, installed: bool| {
        let mut report = sample::report(&[("c2", Some(score))]);
        let c2 = report.scorers.get_mut("c2").unwrap();
        c2.details.facts.insert("dependencies_installed".to_owned(), installed.into());
        report
    };
    let comparison = compared(&with(0.9, false), &with(0.5, true));
    let c2 = change_of(&comparison, "c2");
    assert_eq!(c2.change, Change::OtherInstrument);
    assert_eq!(c2.because, ["whether its packages could be installed went from no to yes"]);
    assert_eq!(change_of(&compared(&with(0.9, true), &with(0.5, true)), "c2").change, Change::Worse);
}

#[test]
fn advisories_of_another_day_are_said_and_not_blamed_on_an_unchanged_app() {
    let made_of = |source: &str, score: f64, day: &str| {
        let mut report = sample::report(&[("s3", Some(score))]);
        report.provenance.hashes.insert("source".to_owned(), source.to_owned());
        report.scorers.get_mut("s3").unwrap().details.facts.insert("advisories_of".to_owned(), day.into());
        report
    };
    let of = |score: f64, day: &str| made_of("one", score, day);
    let changed = compared(&of(1.0, "2026-11-16"), &made_of("another", 0.5, "2026-11-17"));
    assert_eq!(change_of(&changed, "s3").change, Change::Worse);
    let comparison = compared(&of(1.0, "2026-11-16"), &of(0.5, "2026-11-17"));
    let s3 = change_of(&comparison, "s3");
    assert_eq!(s3.change, Change::OtherInstrument);
    assert_eq!(s3.because, ["the day of the advisories went from 2026-11-16 to 2026-11-17"]);
    assert_eq!(comparison.regressions().count(), 0);
    let same_day = compared(&of(1.0, "2026-11-16"), &of(0.5, "2026-11-16"));
    assert_eq!(change_of(&same_day, "s3").change, Change::Worse);
    assert!(comparison.cautions.iter().any(|caution| caution.contains("Advisories are of 2026-11-16 and 2026-11-17")));
}

#[test]
fn a_drop_under_another_instrument_is_not_blamed_on_the_app() {
    let before = sample::report(&[("c3", Some(0.8)), ("c9", Some(0.8))]);
    let mut after = sample::report(&[("c3", Some(0.7)), ("c9", Some(0.7))]);
    after.provenance.versions.insert("axe-core".to_owned(), "5.0.0".to_owned());
    let comparison = compared(&before, &after);
    let c3 = change_of(&comparison, "c3");
    assert_eq!(c3.change, Change::OtherInstrument);
    assert_eq!(c3.because, ["axe-core went from none to 5.0.0"]);
    assert_eq!(change_of(&comparison, "c9").change, Change::Worse, "axe-core does not move C9");
    assert!(comparison.cautions.iter().any(|caution| caution.contains("axe-core")), "{:?}", comparison.cautions);
}

#[test]
fn other_sets_of_scorers_are_not_one_composite() {
    let before = sample::report(&[("c3", Some(0.8)), ("s1", Some(0.2))]);
    let after = sample::report(&[("c3", Some(0.8)), ("s1", None), ("v2", Some(1.0))]);
    let comparison = compared(&before, &after);
    assert_eq!(comparison.composite_delta, None);
    assert_eq!(change_of(&comparison, "s1").change, Change::NoLongerMeasured);
    assert_eq!(change_of(&comparison, "v2").change, Change::NowMeasured);
    assert_eq!(change_of(&comparison, "c3").points, None);
    assert!(comparison.cautions[0].contains("not now: S1"), "{:?}", comparison.cautions);
    assert_eq!(comparison.regressions().count(), 0, "a scorer that is missing is no regression; it is said instead");
}

#[test]
fn items_are_followed_by_id() {
    let mut before = sample::report(&[("c3", Some(0.5))]);
    let mut after = sample::report(&[("c3", Some(0.6))]);
    let passed = |id: &str| Item::new(id, ItemStatus::Passed, "fine");
    let old = vec![failed("alt", 2), failed("contrast", 3), failed("contrast", 1), passed("lang"), failed("label", 1)];
    before.scorers.get_mut("c3").unwrap().details.items = old;
    let new = vec![passed("alt"), failed("contrast", 2), failed("lang", 1)];
    after.scorers.get_mut("c3").unwrap().details.items = new;
    let comparison = compared(&before, &after);
    let c3 = change_of(&comparison, "c3");
    let ids = |items: &[ItemChange]| items.iter().map(|item| item.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&c3.fixed), ["alt", "label"]);
    assert_eq!(ids(&c3.broken), ["lang"]);
    assert_eq!(c3.broken[0].fix.as_deref(), Some("mend lang"));
    assert_eq!(c3.fixed[0].fix, None);
    assert_eq!((c3.moved[0].places_before, c3.moved[0].places_after), (4, 2));
}

#[test]
fn a_report_equals_itself() {
    let report = sample::report(&[("c3", Some(0.8)), ("s1", None)]);
    let comparison = compared(&report, &report);
    assert_eq!(comparison.composite_delta, Some(0.0));
    assert!(comparison.cautions.is_empty(), "{:?}", comparison.cautions);
    assert_eq!(change_of(&comparison, "s1").change, Change::NotMeasured);
}
