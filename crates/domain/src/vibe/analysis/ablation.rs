//! What changed settings change: the same model on the same tasks, with one thing set differently.

use super::comparison::PairedDifference;
use super::scores::{AppScore, Score, by_task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One thing that was set differently, such as `effort` or `vision`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ablation {
    /// What.
    pub factor: String,
    /// One row per model and value.
    pub rows: Vec<AblationRow>,
}

/// A model with one value of the setting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AblationRow {
    /// The model.
    pub model: String,
    /// The value.
    pub value: String,
    /// Its score with this value.
    pub score: Score,
    /// Its score with its usual settings on the same tasks; absent when it has none there.
    pub usual: Option<Score>,
    /// With this value minus with the usual settings.
    pub difference: Option<PairedDifference>,
}

/// A table for every setting that was changed alone.
pub fn ablations(models: &[&str], usual: &[AppScore], varied: &[AppScore]) -> Vec<Ablation> {
    let single = |score: &&AppScore| score.variant.len() == 1;
    let factors: BTreeSet<&String> = varied.iter().filter(single).flat_map(|score| score.variant.keys()).collect();
    factors.into_iter().map(|factor| ablation(factor, models, usual, varied)).collect()
}

fn ablation(factor: &str, models: &[&str], usual: &[AppScore], varied: &[AppScore]) -> Ablation {
    let usual = by_task(usual);
    let mut by_value: BTreeMap<(&str, &str), Vec<AppScore>> = BTreeMap::new();
    for score in varied.iter().filter(|score| score.variant.len() == 1) {
        if let Some(value) = score.variant.get(factor) {
            by_value.entry((&score.model, value)).or_default().push(score.clone());
        }
    }
    let place = |model: &str| models.iter().position(|known| *known == model);
    let mut rows: Vec<AblationRow> = by_value
        .into_iter()
        .filter_map(|((model, value), scores)| row(model, value, &scores, usual.get(model)))
        .collect();
    rows.sort_by_key(|row| place(&row.model).unwrap_or(usize::MAX));
    Ablation { factor: factor.to_owned(), rows }
}

fn row(model: &str, value: &str, scores: &[AppScore], usual: Option<&BTreeMap<&str, f64>>) -> Option<AblationRow> {
    let by_task = by_task(scores);
    let with = by_task.get(model)?;
    let pairs = with.iter().filter_map(|(task, changed)| Some((*changed, *usual?.get(task)?)));
    let (changed, as_usual): (Vec<f64>, Vec<f64>) = pairs.unzip();
    Some(AblationRow {
        model: model.to_owned(),
        value: value.to_owned(),
        score: Score::of(&with.values().copied().collect::<Vec<_>>())?,
        usual: Score::of(&as_usual),
        difference: PairedDifference::of(&changed, &as_usual),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_setting_is_held_against_the_same_tasks() {
        let usual: Vec<_> = [40.0, 60.0, 90.0]
            .iter()
            .enumerate()
            .map(|(at, value)| AppScore::new("m", &format!("t{at}"), 0, *value))
            .collect();
        let low = |task: &str, accuracy| AppScore {
            variant: BTreeMap::from([("effort".to_owned(), "low".to_owned())]),
            ..AppScore::new("m", task, 0, accuracy)
        };
        let tables = ablations(&["m"], &usual, &[low("t0", 30.0), low("t1", 40.0)]);
        let [Ablation { factor, rows }] = &tables[..] else { panic!("{tables:?}") };
        assert_eq!((factor.as_str(), rows.len(), rows[0].value.as_str()), ("effort", 1, "low"));
        assert_eq!((rows[0].score.mean, rows[0].usual.unwrap().mean), (35.0, 50.0));
        let difference = rows[0].difference.unwrap();
        assert_eq!((difference.mean, difference.tasks), (-15.0, 2));
    }
}
