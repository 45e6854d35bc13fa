//! Taking shared runs in: rows, how they stand to each other, and everything that is summed over them, in one transaction.

use super::super::database::{Cell, Session};
use super::super::error::IndexError;
use super::super::write::{GENERATION, ROWS_AT_ONCE, adding, any_of, insert, up_to_date};
use super::entry::QuizEntry;
use super::pool::Changes;
use super::row::{self, COLUMNS, IndexedShare};
use super::settle::settle;
use std::collections::{BTreeMap, BTreeSet};

const TABLES: [&str; 5] = ["quiz_runs", "quiz_pools", "quiz_questions", "quiz_question_days", "quiz_days"];

/// Takes shared runs in. One that is there already is replaced, and its share in every sum with it. Says how all runs stand now that had
/// to be looked at; one that was decided about since its entry was made is left as it is.
pub(in super::super) async fn take_in(
    session: &mut dyn Session,
    entries: &[QuizEntry],
) -> Result<BTreeMap<String, IndexedShare>, IndexError> {
    let entries = &up_to_date(session, entries, |entry| (&entry.run, entry.acts.len())).await?[..];
    if entries.is_empty() {
        return Ok(BTreeMap::new());
    }
    let fresh: BTreeMap<String, IndexedShare> =
        entries.iter().map(|entry| (entry.run.clone(), IndexedShare::from(*entry))).collect();
    let before = existing(session, &fresh).await?;
    let mut after = before.clone();
    after.extend(fresh);
    settle(&mut after);
    let changed: Vec<&IndexedShare> = after.values().filter(|run| before.get(&run.run) != Some(run)).collect();
    let mut changes = Changes::default();
    for run in &changed {
        if let Some(old) = before.get(&run.run) {
            changes.count(old, -1);
        }
        changes.count(run, 1);
    }
    // Pools before runs: a run is read together with its pool.
    changes.apply(session).await?;
    write_runs(session, &changed).await?;
    write_acts(session, entries).await?;
    if !changed.is_empty() {
        let row = vec![GENERATION.into(), Cell::from(1_i64)];
        insert(session, "totals (name, runs)", vec![row], &adding("totals", "name", &["runs"])).await?;
    }
    Ok(after)
}

/// Removes everything that can be made again from what was shared.
pub(in super::super) async fn clear(session: &mut dyn Session) -> Result<(), IndexError> {
    for table in TABLES {
        session.execute(&format!("DELETE FROM {table}"), Vec::new()).await?;
    }
    Ok(())
}

/// The runs that are there already, the outliers of all pools that are touched, and all runs with the same outputs as any of these.
async fn existing(
    session: &mut dyn Session,
    fresh: &BTreeMap<String, IndexedShare>,
) -> Result<BTreeMap<String, IndexedShare>, IndexError> {
    let mut found = BTreeMap::new();
    find(session, "quiz_runs.run", fresh.keys().cloned(), &mut found).await?;
    let pools: BTreeSet<String> = fresh.values().chain(found.values()).map(IndexedShare::pool).collect();
    find(session, "outlier = 1 AND quiz_runs.pool", pools.into_iter(), &mut found).await?;
    let outputs = fresh.values().chain(found.values()).map(|run| run.outputs_sha256.clone());
    let outputs: BTreeSet<String> = outputs.filter(|hash| !hash.is_empty()).collect();
    find(session, "outputs", outputs.into_iter(), &mut found).await?;
    Ok(found)
}

async fn find(
    session: &mut dyn Session,
    column: &str,
    values: impl Iterator<Item = String>,
    found: &mut BTreeMap<String, IndexedShare>,
) -> Result<(), IndexError> {
    let values: Vec<String> = values.collect();
    for some in values.chunks(ROWS_AT_ONCE) {
        let (places, cells) = any_of(some);
        for row in session.query(&format!("{} WHERE {column} IN {places}", row::SELECT), cells).await? {
            let run = row::read(row)?;
            found.insert(run.run.clone(), run);
        }
    }
    Ok(())
}

async fn write_runs(session: &mut dyn Session, runs: &[&IndexedShare]) -> Result<(), IndexError> {
    let replaced: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let conflict = format!("ON CONFLICT (run) DO UPDATE SET {}", replaced.join(", "));
    let table = format!("quiz_runs ({})", COLUMNS.join(", "));
    insert(session, &table, runs.iter().map(|run| row::cells(run)).collect(), &conflict).await
}

/// Decisions are only ever added, so those that are there stay as they are.
async fn write_acts(session: &mut dyn Session, entries: &[&QuizEntry]) -> Result<(), IndexError> {
    let rows = entries
        .iter()
        .flat_map(|entry| entry.acts.iter().map(|placed| super::super::write::act_cells(&entry.run, placed)));
    let table = "moderation (run, sequence, decision, reason, actor, at)";
    insert(session, table, rows.collect(), "ON CONFLICT (run, sequence) DO NOTHING").await
}
