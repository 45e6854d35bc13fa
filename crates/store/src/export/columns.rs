//! The columns of a table of runs.

use crate::index::{IndexedRun, class_id};
use benchwright_domain::{Dimension, ScorerId};

/// A value of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    Text(Option<String>),
    Number(Option<f64>),
    Count(Option<i64>),
    Flag(bool),
}

/// The row of a run: name and value of each column. Every run has the same names and kinds in the same order.
pub(super) fn row(run: &IndexedRun) -> Vec<(&'static str, Value)> {
    let record = &run.record;
    let cost = record.cost.as_ref();
    let text = |text: &str| Value::Text(Some(text.to_owned()));
    let mut row = vec![
        ("run", text(&record.run)),
        ("started_at", text(&record.started_at)),
        ("tool", text(&record.tool)),
        ("tool_version", Value::Text(record.tool_version.clone())),
        ("run_index", Value::Count(record.run_index.map(i64::from))),
        ("prompt", Value::Text(record.prompt.clone())),
        ("tier", Value::Count(record.tier.map(i64::from))),
        ("url", text(&record.url)),
        ("title", Value::Text(record.title.clone())),
        ("composite", Value::Number(record.composite)),
        ("rankable", Value::Flag(record.rankable)),
        ("not_rankable_because", text(&record.not_rankable_because.join(" "))),
        ("class", text(&class_id(&record.class))),
        ("coverage", Value::Number(Some(record.coverage))),
        ("methodology", text(&record.class.methodology)),
        ("verified", Value::Flag(record.verified)),
    ];
    row.extend(Dimension::ALL.map(|key| (key.key(), Value::Number(record.dimensions.get(&key).copied()))));
    let score = |id: ScorerId| record.scores.get(id.key()).map(|score| score.score);
    row.extend(ScorerId::ALL.map(|id| (id.key(), Value::Number(score(id)))));
    row.extend([
        ("seconds", Value::Number(Some(record.seconds))),
        ("first_render_seconds", Value::Number(cost.and_then(|cost| cost.first_render_seconds))),
        ("working_build_seconds", Value::Number(cost.and_then(|cost| cost.working_build_seconds))),
        ("usd", Value::Number(cost.and_then(|cost| cost.usd))),
        ("benchwright", text(&record.benchwright)),
        ("headline", text(&record.headline)),
    ]);
    row
}

/// A run without content: what it has is the names and kinds of the columns.
pub(super) fn nothing() -> IndexedRun {
    IndexedRun::tombstone("", "")
}
