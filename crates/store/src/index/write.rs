//! Taking runs in: rows, and with them everything that is summed over rows, in one transaction.

use super::database::{Cell, Row, Session};
use super::entry::{Entry, LONGEST_MOMENT, PlacedAct, State, part_of_a_key};
use super::error::IndexError;
use super::row::{self, COLUMNS, IndexedRun};
use super::vibe;
use benchwright_domain::board::Tally;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Rows per statement: few enough for both databases' limits on values. A power of two, as all statements have as many rows as one: so there
/// are few of them, and each is prepared once.
pub(super) const ROWS_AT_ONCE: usize = 128;
const BUCKETS: f64 = 20.0;
/// The row of `totals` that counts changes.
pub(super) const GENERATION: &str = "generation";

/// Takes runs in. A run that is there already is replaced, and its share in every sum with it.
pub(crate) async fn take_in(session: &mut dyn Session, entries: &[Entry]) -> Result<(), IndexError> {
    let entries = &up_to_date(session, entries, |entry| (&entry.run, entry.acts.len())).await?[..];
    let has_new_apps = vibe::take_in(session, entries).await?;
    let of_runs = entries.iter().filter(|entry| entry.evaluation.is_none());
    let after: BTreeMap<&str, IndexedRun> =
        of_runs.map(|entry| (entry.run.as_str(), IndexedRun::from(*entry))).collect();
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

/// Those entries that know every decision the index knows. One that was made before a decision and comes after it would show again what was
/// withdrawn.
pub(super) async fn up_to_date<'a, E: Sync>(
    session: &mut dyn Session,
    entries: &'a [E],
    decided: fn(&E) -> (&String, usize),
) -> Result<Vec<&'a E>, IndexError> {
    let runs: Vec<String> = entries.iter().map(|entry| decided(entry).0.clone()).collect();
    let mut known = BTreeMap::new();
    for some in runs.chunks(ROWS_AT_ONCE) {
        let (sql, cells) = acts_known(some);
        known.extend(counted(session.query(&sql, cells).await?)?);
    }
    // One and the same run may come twice.
    for (run, acts) in entries.iter().map(decided) {
        let most = known.entry(run.clone()).or_default();
        *most = acts.max(*most);
    }
    let is_current = |entry: &&E| {
        let (run, acts) = decided(entry);
        known.get(run).is_none_or(|most| acts >= *most)
    };
    Ok(entries.iter().filter(is_current).collect())
}

/// The statement that counts the decisions about runs; [`counted`] reads its answer.
pub(super) fn acts_known(runs: &[String]) -> (String, Vec<Cell>) {
    let (places, cells) = any_of(runs);
    (format!("SELECT run, COUNT(*) FROM moderation WHERE run IN {places} GROUP BY run"), cells)
}

/// How many decisions there are about each run; runs without any are left out.
pub(super) fn counted(rows: Vec<Row>) -> Result<BTreeMap<String, usize>, IndexError> {
    rows.into_iter().map(|mut row| Ok((row.text()?, row.integer()? as usize))).collect()
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
async fn write_acts(session: &mut dyn Session, entries: &[&Entry]) -> Result<(), IndexError> {
    let rows = entries.iter().flat_map(|entry| entry.acts.iter().map(|placed| act_cells(&entry.run, placed)));
    let table = "moderation (run, sequence, decision, reason, actor, at)";
    insert(session, table, rows.collect(), "ON CONFLICT (run, sequence) DO NOTHING").await
}

/// A row of `moderation`.
pub(super) fn act_cells(run: &str, placed: &PlacedAct) -> Vec<Cell> {
    let act = &placed.act;
    let place = [Cell::from(run), Cell::from(placed.sequence.cast_signed()), act.decision.key().into()];
    // Whoever wrote the log by hand may have put anything there, and the moment is part of a key.
    let at = part_of_a_key(&act.at, LONGEST_MOMENT);
    place.into_iter().chain([&act.reason, &act.by, &at].map(Cell::from)).collect()
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
    insert_returning(session, table, rows, conflict).await.map(|_| ())
}

/// Inserts rows, and gives back what the statement returns, in no particular order.
pub(super) async fn insert_returning(
    session: &mut dyn Session,
    table: &str,
    rows: Vec<Vec<Cell>>,
    rest: &str,
) -> Result<Vec<Row>, IndexError> {
    let mut rows = rows.into_iter();
    let mut returned = Vec::new();
    while rows.len() > 0 {
        let at_once = 1 << rows.len().min(ROWS_AT_ONCE).ilog2();
        let (mut sql, mut cells) = (format!("INSERT INTO {table} VALUES "), Vec::new());
        for row in rows.by_ref().take(at_once) {
            sql += if cells.is_empty() { "" } else { ", " };
            sql += &places(cells.len(), row.len());
            cells.extend(row);
        }
        returned.extend(session.query(&format!("{sql} {rest}"), cells).await?);
    }
    Ok(returned)
}

/// `($1, $2)` with its values, the last of them repeated until they are as many as a power of two.
pub(super) fn any_of(values: &[String]) -> (String, Vec<Cell>) {
    let count = values.len().next_power_of_two();
    let repeated = values.last().into_iter().cycle();
    (places(0, count), values.iter().chain(repeated).take(count).map(Cell::from).collect())
}

/// `($4, $5, $6)`: the places of `count` values after the first `used`.
pub(super) fn places(used: usize, count: usize) -> String {
    let mut places = String::with_capacity(6 * count + 2);
    for place in used + 1..=used + count {
        // Writing to a string cannot fail.
        let _ = write!(places, "{}${place}", if places.is_empty() { "(" } else { ", " });
    }
    places + ")"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_named_as_often_as_a_power_of_two_says() {
        let values = ["a", "b", "c"].map(str::to_owned);
        let cells = |texts: &[&str]| texts.iter().map(|text| Cell::from(*text)).collect::<Vec<_>>();
        assert_eq!(any_of(&values), ("($1, $2, $3, $4)".to_owned(), cells(&["a", "b", "c", "c"])));
        assert_eq!(any_of(&values[..1]), ("($1)".to_owned(), cells(&["a"])));
        assert_eq!(places(3, 2), "($4, $5)");
    }
}
