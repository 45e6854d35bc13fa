//! Taking runs in: rows, and with them everything that is summed over rows, in one transaction.

use super::database::{Cell, Session};
use super::entry::{Entry, PlacedAct, State};
use super::error::IndexError;
use super::row::{self, COLUMNS, IndexedRun};
use super::vibe;
use benchwright_domain::board::Tally;
use std::collections::BTreeMap;

/// Rows per statement: few enough for both databases' limits on values.
pub(super) const ROWS_AT_ONCE: usize = 100;
const BUCKETS: f64 = 20.0;
/// The row of `totals` that counts changes.
pub(super) const GENERATION: &str = "generation";

/// Takes runs in. A run that is there already is replaced, and its share in every sum with it.
pub(crate) async fn take_in(session: &mut dyn Session, entries: &[Entry]) -> Result<(), IndexError> {
    let has_new_apps = vibe::take_in(session, entries).await?;
    let of_runs = entries.iter().filter(|entry| entry.evaluation.is_none());
    let after: BTreeMap<&str, IndexedRun> = of_runs.map(|entry| (entry.run.as_str(), entry.into())).collect();
    let before = existing(session, &after.keys().copied().collect::<Vec<_>>()).await?;
    let fresh: Vec<&IndexedRun> = after.values().filter(|run| before.get(&run.record.run) != Some(run)).collect();
    let mut changes = Changes::default();
    if has_new_apps || !fresh.is_empty() {
        changes.totals.insert(GENERATION, 1);
    }
    for run in &fresh {
        if let Some(old) = before.get(&run.record.run) {
            changes.count(old, -1);
        }
        changes.count(run, 1);
    }
    write_classes(session, &fresh).await?;
    write_runs(session, &fresh).await?;
    write_acts(session, entries).await?;
    changes.apply(session).await
}

/// Removes everything that can be made again from the runs.
pub(super) async fn clear(session: &mut dyn Session) -> Result<(), IndexError> {
    for table in ["runs", "classes", "standings", "distribution", "moderation"] {
        session.execute(&format!("DELETE FROM {table}"), Vec::new()).await?;
    }
    vibe::clear(session).await?;
    // Changes are counted on: whoever remembers an old number must not meet it again.
    session.execute("DELETE FROM totals WHERE name <> $1", vec![GENERATION.into()]).await?;
    let sql = "UPDATE totals SET runs = runs + 1 WHERE name = $1";
    session.execute(sql, vec![GENERATION.into()]).await?;
    Ok(())
}

async fn existing(session: &mut dyn Session, runs: &[&str]) -> Result<BTreeMap<String, IndexedRun>, IndexError> {
    let mut found = BTreeMap::new();
    for some in runs.chunks(ROWS_AT_ONCE) {
        let sql = format!("{} WHERE runs.run IN {}", row::SELECT, places(0, some.len()));
        for row in session.query(&sql, some.iter().map(|run| Cell::from(*run)).collect()).await? {
            let run = row::read(row)?;
            found.insert(run.record.run.clone(), run);
        }
    }
    Ok(found)
}

async fn write_classes(session: &mut dyn Session, runs: &[&IndexedRun]) -> Result<(), IndexError> {
    let classes: BTreeMap<_, _> =
        runs.iter().map(|run| (row::class_id(&run.record.class), row::definition(&run.record.class))).collect();
    let rows = classes.into_iter().map(|(class, definition)| vec![class.into(), definition.into()]);
    insert(session, "classes (class, definition)", rows.collect(), "ON CONFLICT (class) DO NOTHING").await
}

async fn write_runs(session: &mut dyn Session, runs: &[&IndexedRun]) -> Result<(), IndexError> {
    let replaced: Vec<String> = COLUMNS[1..].iter().map(|column| format!("{column} = excluded.{column}")).collect();
    let conflict = format!("ON CONFLICT (run) DO UPDATE SET {}", replaced.join(", "));
    let table = format!("runs ({})", COLUMNS.join(", "));
    insert(session, &table, runs.iter().map(|run| row::cells(run)).collect(), &conflict).await
}

/// The log of a run only grows, so acts that are there stay as they are.
async fn write_acts(session: &mut dyn Session, entries: &[Entry]) -> Result<(), IndexError> {
    let rows = entries.iter().flat_map(|entry| entry.acts.iter().map(|placed| act_cells(&entry.run, placed)));
    let table = "moderation (run, sequence, decision, reason, actor, at)";
    insert(session, table, rows.collect(), "ON CONFLICT (run, sequence) DO NOTHING").await
}

/// A row of `moderation`.
pub(super) fn act_cells(run: &str, placed: &PlacedAct) -> Vec<Cell> {
    let act = &placed.act;
    let place = [Cell::from(run), Cell::from(placed.sequence.cast_signed()), act.decision.key().into()];
    place.into_iter().chain([&act.reason, &act.by, &act.at].map(Cell::from)).collect()
}

/// What some runs add to the sums, or take from them.
#[derive(Default)]
struct Changes {
    standings: BTreeMap<[String; 3], Tally>,
    distribution: BTreeMap<(String, String, i64), i64>,
    totals: BTreeMap<&'static str, i64>,
}

/// The columns of `standings` that are sums, in the order of [`sums`].
const SUMS: [&str; 16] = [
    "runs",
    "verified",
    "points",
    "squares",
    "functional",
    "functional_runs",
    "code_quality",
    "code_quality_runs",
    "visual",
    "visual_runs",
    "security",
    "security_runs",
    "usd",
    "usd_runs",
    "build",
    "build_runs",
];

impl Changes {
    fn count(&mut self, run: &IndexedRun, sign: i64) {
        *self.totals.entry(run.state.key()).or_default() += sign;
        if run.state != State::Shown {
            return;
        }
        let record = &run.record;
        for (scorer, score) in &record.scores {
            let bucket = (score.score * BUCKETS).floor() as i64;
            *self.distribution.entry((scorer.clone(), score.version.clone(), bucket)).or_default() += sign;
        }
        if let Some(tally) = Tally::of(record) {
            *self.totals.entry("ranked").or_default() += sign;
            let prompt = record.prompt.clone().unwrap_or_default();
            let standing =
                self.standings.entry([prompt, row::class_id(&record.class), record.tool.clone()]).or_default();
            *standing += if sign < 0 { -tally } else { tally };
        }
    }

    async fn apply(self, session: &mut dyn Session) -> Result<(), IndexError> {
        let totals = self.totals.into_iter().map(|(name, runs)| vec![name.into(), runs.into()]);
        insert(session, "totals (name, runs)", totals.collect(), &adding("totals", "name", &["runs"])).await?;
        let scores = self
            .distribution
            .into_iter()
            .map(|((scorer, version, bucket), runs)| vec![scorer.into(), version.into(), bucket.into(), runs.into()]);
        let table = "distribution (scorer, version, bucket, runs)";
        let conflict = adding("distribution", "scorer, version, bucket", &["runs"]);
        insert(session, table, scores.collect(), &conflict).await?;
        let keys: Vec<[String; 3]> = self.standings.keys().cloned().collect();
        let table = format!("standings (prompt, class, tool, {})", SUMS.join(", "));
        let conflict = adding("standings", "prompt, class, tool", &SUMS);
        let rows = self
            .standings
            .into_iter()
            .map(|(key, tally)| key.into_iter().map(Cell::from).chain(sums(&tally)).collect());
        insert(session, &table, rows.collect(), &conflict).await?;
        for some in keys.chunks(ROWS_AT_ONCE) {
            mend_standings(session, some).await?;
        }
        Ok(())
    }
}

fn sums(tally: &Tally) -> impl Iterator<Item = Cell> {
    let counted =
        tally.dimensions.into_iter().chain([tally.usd, tally.build]).flat_map(|counted| [counted.sum, counted.runs]);
    [tally.runs, tally.verified, tally.points, tally.squares].into_iter().chain(counted).map(Cell::from)
}

/// Standings without runs go; the others learn which of their runs is the newest.
async fn mend_standings(session: &mut dyn Session, keys: &[[String; 3]]) -> Result<(), IndexError> {
    let rows: Vec<String> = (0..keys.len()).map(|index| places(index * 3, 3)).collect();
    let theirs = format!("(prompt, class, tool) IN (VALUES {})", rows.join(", "));
    let cells = || keys.iter().flatten().map(Cell::from).collect::<Vec<_>>();
    session.execute(&format!("DELETE FROM standings WHERE runs = 0 AND {theirs}"), cells()).await?;
    let newest = "SELECT runs.run FROM runs WHERE runs.prompt = standings.prompt AND runs.class = standings.class \
                  AND runs.tool = standings.tool AND ranked = 1 ORDER BY started_at DESC, runs.run DESC LIMIT 1";
    session.execute(&format!("UPDATE standings SET newest = ({newest}) WHERE {theirs}"), cells()).await?;
    Ok(())
}

/// What to do about rows that are there already: add to them.
pub(super) fn adding(table: &str, key: &str, columns: &[&str]) -> String {
    let sums: Vec<String> =
        columns.iter().map(|column| format!("{column} = {table}.{column} + excluded.{column}")).collect();
    format!("ON CONFLICT ({key}) DO UPDATE SET {}", sums.join(", "))
}

pub(super) async fn insert(
    session: &mut dyn Session,
    table: &str,
    rows: Vec<Vec<Cell>>,
    conflict: &str,
) -> Result<(), IndexError> {
    let mut rows = rows.into_iter().peekable();
    while rows.peek().is_some() {
        let some: Vec<Vec<Cell>> = rows.by_ref().take(ROWS_AT_ONCE).collect();
        let mut used = 0;
        let mut values = Vec::with_capacity(some.len());
        for row in &some {
            values.push(places(used, row.len()));
            used += row.len();
        }
        let sql = format!("INSERT INTO {table} VALUES {} {conflict}", values.join(", "));
        session.execute(&sql, some.into_iter().flatten().collect()).await?;
    }
    Ok(())
}

/// `($4, $5, $6)`: the places of `count` values after the first `used`.
pub(super) fn places(used: usize, count: usize) -> String {
    let places: Vec<String> = (used + 1..=used + count).map(|place| format!("${place}")).collect();
    format!("({})", places.join(", "))
}
