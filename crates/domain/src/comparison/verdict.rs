//! Whether a difference means something.

use super::{Change, Reading, ScorerChange, Side, average, items};
use crate::noise::{self, EPSILON};
use crate::report::{OutcomeKind, Report, ScorerReport};
use crate::scorer::ScorerId;
use std::collections::BTreeSet;

/// Facts by which a scorer says who or what measured it. With packages the compiler sees faults that it cannot see without.
const MEASURED_BY: [(&str, &str); 3] = [
    ("judges", "the judges"),
    ("scanners", "the secret scanners"),
    ("dependencies_installed", "whether its packages could be installed"),
];
/// New advisories find old faults in an unchanged app; a changed one may have brought what they are about.
const MEASURED_BY_IF_UNCHANGED: [(&str, &str); 1] = [("advisories_of", "the day of the advisories")];

/// The ids that entered the composite.
pub(super) fn scored_ids(report: &Report) -> BTreeSet<ScorerId> {
    report.scorers.values().filter(|scorer| scorer.score.is_some()).filter_map(|scorer| scorer.id).collect()
}

/// One scorer on both sides.
pub(super) fn change(key: &str, before: Side, after: Side, same_set: bool) -> ScorerChange {
    let old = before.report.scorers.get(key);
    let new = after.report.scorers.get(key);
    let known = new.or(old);
    let id = known.and_then(|scorer| scorer.id);
    let (old_scores, new_scores) = (before.scores(key), after.scores(key));
    let delta = average(&new_scores).zip(average(&old_scores)).map(|(new, old)| new - old);
    let band = noise::band(id, &old_scores, new_scores.len());
    let because = old.zip(new).map(|(old, new)| causes(id, old, new, before.report, after.report)).unwrap_or_default();
    let comparable =
        old.zip(new).filter(|(old, new)| old.outcome == OutcomeKind::Scored && new.outcome == OutcomeKind::Scored);
    let [fixed, broken, moved] = comparable.map(|(old, new)| items::changes(old, new)).unwrap_or_default();
    ScorerChange {
        key: key.to_owned(),
        id,
        name: known.map(|scorer| scorer.name.clone()).unwrap_or_default(),
        before: old.map(|scorer| reading(scorer, &old_scores)),
        after: new.map(|scorer| reading(scorer, &new_scores)),
        delta,
        points: delta.filter(|_| same_set).map(|delta| delta * super::share(after.report, key)),
        change: verdict(delta, band.width, !old_scores.is_empty(), !new_scores.is_empty(), !because.is_empty()),
        band,
        because,
        fixed,
        broken,
        moved,
    }
}

fn reading(scorer: &ScorerReport, scores: &[f64]) -> Reading {
    Reading {
        outcome: scorer.outcome,
        score: average(scores).or(scorer.score),
        reason: scorer.reason.clone(),
        version: scorer.version.clone(),
    }
}

fn verdict(delta: Option<f64>, band: f64, before: bool, after: bool, other_instrument: bool) -> Change {
    match (delta, before, after) {
        (Some(delta), _, _) if delta.abs() <= EPSILON => Change::Same,
        (Some(delta), _, _) if delta.abs() <= band => Change::WithinNoise,
        (Some(_), _, _) if other_instrument => Change::OtherInstrument,
        (Some(delta), _, _) if delta > 0.0 => Change::Better,
        (Some(_), _, _) => Change::Worse,
        (None, true, false) => Change::NoLongerMeasured,
        (None, false, true) => Change::NowMeasured,
        (None, _, _) => Change::NotMeasured,
    }
}

/// What changed besides the app and moves this scorer.
fn causes(
    id: Option<ScorerId>,
    old: &ScorerReport,
    new: &ScorerReport,
    before: &Report,
    after: &Report,
) -> Vec<String> {
    let mut causes = Vec::new();
    if old.version != new.version {
        causes.push(format!("its definition went from version {} to {}", named(&old.version), named(&new.version)));
    }
    if before.methodology != after.methodology {
        causes.push(format!(
            "the methodology went from {} to {}",
            named(&before.methodology),
            named(&after.methodology)
        ));
    }
    if before.gate != after.gate {
        causes.push("a page that does not render was counted differently".to_owned());
    }
    let source = |report: &Report| report.provenance.hashes.get("source").cloned();
    let is_unchanged = source(before).is_some() && source(before) == source(after);
    let more = MEASURED_BY_IF_UNCHANGED.iter().filter(|_| is_unchanged);
    for (fact, what) in MEASURED_BY.iter().chain(more) {
        let [old, new] = [old, new].map(|scorer| said(scorer, fact));
        if old != new {
            causes.push(format!("{what} went from {} to {}", named(&old), named(&new)));
        }
    }
    if let Some(id) = id {
        causes.extend(instrument_changes(noise::instruments(id), before, after));
    }
    causes
}

fn instrument_changes(names: &[&str], before: &Report, after: &Report) -> Vec<String> {
    let version = |report: &Report, name: &str| report.provenance.versions.get(name).cloned();
    names
        .iter()
        .map(|name| (*name, version(before, name), version(after, name)))
        .filter(|(_, old, new)| old != new)
        .map(|(name, old, new)| {
            let [old, new] = [old, new].map(|version| version.unwrap_or_else(|| "none".to_owned()));
            format!("{name} went from {old} to {new}")
        })
        .collect()
}

fn said(scorer: &ScorerReport, fact: &str) -> String {
    let said = scorer.details.facts.get(fact);
    let word = said.and_then(serde_json::Value::as_bool).map(|yes| if yes { "yes" } else { "no" });
    word.or_else(|| said?.as_str()).unwrap_or_default().to_owned()
}

fn named(version: &str) -> &str {
    if version.is_empty() { "none" } else { version }
}

/// What a reader must know before trusting a difference.
pub(super) fn cautions(before: &Report, after: &Report) -> Vec<String> {
    let mut cautions = Vec::new();
    let mut say = |differs: bool, sentence: String| {
        if differs {
            cautions.push(sentence);
        }
    };
    let (old, new) = (scored_ids(before), scored_ids(after));
    let list = |ids: Vec<&ScorerId>| ids.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let gone = list(old.difference(&new).collect());
    let come = list(new.difference(&old).collect());
    say(
        !gone.is_empty(),
        format!("Measured before and not now: {gone}. The composites weigh different scorers and are not compared."),
    );
    say(
        !come.is_empty(),
        format!("Measured now and not before: {come}. The composites weigh different scorers and are not compared."),
    );
    let (url, prompt) = (&before.subject.url, &before.subject.prompt);
    say(*url != after.subject.url, format!("The addresses differ: {url} and {}.", after.subject.url));
    let id = |prompt: &Option<String>| prompt.clone().unwrap_or_else(|| "none".to_owned());
    say(
        *prompt != after.subject.prompt,
        format!("The prompts differ: {} and {}.", id(prompt), id(&after.subject.prompt)),
    );
    let hash = |report: &Report| report.provenance.hashes.get("prompt").cloned();
    let edited = *prompt == after.subject.prompt && hash(before) != hash(after);
    say(edited, "The prompt was edited in between.".to_owned());
    say(
        before.methodology != after.methodology,
        format!("The methodologies differ: {} and {}.", named(&before.methodology), named(&after.methodology)),
    );
    say(before.gate != after.gate, "A page that does not render was counted differently.".to_owned());
    let names: BTreeSet<&str> =
        [before, after].iter().flat_map(|r| r.provenance.versions.keys().map(String::as_str)).collect();
    let moved = instrument_changes(&names.into_iter().collect::<Vec<_>>(), before, after);
    say(!moved.is_empty(), format!("Other instruments: {}.", moved.join(", ")));
    let [old, new] = [before, after].map(|report| report.scorers.get("s3").map(|s3| said(s3, "advisories_of")));
    let dates = old.zip(new).filter(|(old, new)| old != new);
    let dates =
        dates.map(|(old, new)| format!("Advisories are of {} and {}, which moves S3.", named(&old), named(&new)));
    say(dates.is_some(), dates.unwrap_or_default());
    let machine = |report: &Report| ["cpu", "cores"].map(|name| report.provenance.machine.get(name).cloned());
    say(machine(before) != machine(after), "They ran on different machines, which moves C4.".to_owned());
    cautions
}
