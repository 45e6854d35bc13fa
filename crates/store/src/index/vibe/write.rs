//! Taking evaluations in.

use super::super::database::{Cell, Session};
use super::super::entry::Entry;
use super::super::error::IndexError;
use super::super::write::{ROWS_AT_ONCE, insert, places};
use super::row::{self, COLUMNS, IndexedApp};
use std::collections::BTreeMap;

/// Takes evaluations in and says whether anything is another now. Entries of other tracks remove what stood under their ids: of a run that
/// was taken down nobody can say any more which track it was of.
pub(in crate::index) async fn take_in(session: &mut dyn Session, entries: &[&Entry]) -> Result<bool, IndexError> {
    let apps: BTreeMap<&str, IndexedApp> =
        entries.iter().filter_map(|entry| Some((entry.run.as_str(), IndexedApp::of(entry)?))).collect();
    let others: Vec<&str> =
        entries.iter().filter(|entry| entry.evaluation.is_none()).map(|entry| entry.run.as_str()).collect();
    let mut is_changed = false;
    for some in others.chunks(ROWS_AT_ONCE) {
        let sql = format!("DELETE FROM vibe_runs WHERE run IN {}", places(0, some.len()));
        is_changed |= session.execute(&sql, some.iter().map(|run| Cell::from(*run)).collect()).await? > 0;
    }
    let before = existing(session, &apps.keys().copied().collect::<Vec<_>>()).await?;
    let fresh: Vec<&IndexedApp> = apps.values().filter(|app| before.get(&app.run) != Some(app)).collect();
    let replaced: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let conflict = format!("ON CONFLICT (run) DO UPDATE SET {}", replaced.join(", "));
    let table = format!("vibe_runs ({})", COLUMNS.join(", "));
    insert(session, &table, fresh.iter().map(|app| row::cells(app)).collect(), &conflict).await?;
    Ok(is_changed || !fresh.is_empty())
}

/// Removes everything that can be made again from the runs.
pub(in crate::index) async fn clear(session: &mut dyn Session) -> Result<(), IndexError> {
    session.execute("DELETE FROM vibe_runs", Vec::new()).await?;
    Ok(())
}

async fn existing(session: &mut dyn Session, runs: &[&str]) -> Result<BTreeMap<String, IndexedApp>, IndexError> {
    let mut found = BTreeMap::new();
    for some in runs.chunks(ROWS_AT_ONCE) {
        let sql = format!("{} WHERE run IN {}", row::SELECT, places(0, some.len()));
        for row in session.query(&sql, some.iter().map(|run| Cell::from(*run)).collect()).await? {
            let app = row::read(row)?;
            found.insert(app.run.clone(), app);
        }
    }
    Ok(found)
}
