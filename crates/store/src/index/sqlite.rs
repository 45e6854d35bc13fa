//! The index in a SQLite file: one connection that writes, a few that read.

use super::database::{Answer, Cell, Database, Row, Session};
use super::error::IndexError;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePool, SqlitePoolOptions,
    SqliteRow, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Column as _, ConnectOptions as _, Connection as _, Row as _, TypeInfo as _, ValueRef as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// How long a writer waits for another process, such as a rebuild of a large index.
const PATIENCE: Duration = Duration::from_mins(2);
const READERS: u32 = 4;
/// Rows that SQLite's thread may be ahead of who reads them: at fewer, the two wake each other for every row of a long answer.
const ROWS_AHEAD: usize = 4_096;

/// What an acknowledged write survives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of every process. After a power loss the last moments may be missing; a rebuild brings them back.
    #[default]
    Process,
    /// Power loss as well, at the price of one sync per commit.
    Power,
}

pub(super) struct SqliteDatabase {
    options: SqliteConnectOptions,
    /// Absent after a transaction that was not committed: what state SQLite left the connection in is anybody's guess.
    writer: Arc<Mutex<Option<SqliteConnection>>>,
    readers: SqlitePool,
}

impl SqliteDatabase {
    pub(super) async fn open(path: &Path, durability: Durability) -> Result<Self, IndexError> {
        let failed = |error: sqlx::Error| IndexError::Open { path: path.to_owned(), reason: reason(&error) };
        let options = SqliteConnectOptions::new()
            .filename(path)
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(match durability {
                Durability::Process => SqliteSynchronous::Normal,
                Durability::Power => SqliteSynchronous::Full,
            })
            .busy_timeout(PATIENCE)
            .row_buffer_size(ROWS_AHEAD)
            // What a large transaction leaves behind is given back.
            .pragma("journal_size_limit", "67108864");
        let writer = options.connect().await.map_err(failed)?;
        let pool = SqlitePoolOptions::new().max_connections(READERS).acquire_timeout(PATIENCE);
        let readers = pool.connect_with(options.clone().read_only(true)).await.map_err(failed)?;
        Ok(Self { options, writer: Arc::new(Mutex::new(Some(writer))), readers })
    }
}

impl Database for SqliteDatabase {
    fn begin(&self) -> Answer<'_, Box<dyn Session>> {
        Box::pin(async {
            let failed = |error: sqlx::Error| sort("begin", &error);
            let waited = tokio::time::timeout(PATIENCE, Arc::clone(&self.writer).lock_owned()).await;
            let mut writer = waited.map_err(|_| IndexError::Busy { doing: "begin" })?;
            let mut connection = match writer.take() {
                Some(connection) => connection,
                None => self.options.connect().await.map_err(failed)?,
            };
            sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await.map_err(failed)?;
            Ok(Box::new(SqliteSession { connection, home: writer }) as Box<dyn Session>)
        })
    }

    fn query(&self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>> {
        let sql = native(sql);
        Box::pin(async move {
            let rows = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).fetch_all(&self.readers).await;
            rows.map_err(|error| sort("read the index", &error))?.iter().map(row).collect()
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async {
            self.readers.close().await;
            match self.writer.lock().await.take() {
                Some(writer) => writer.close().await.map_err(|error| sort("close the index", &error)),
                None => Ok(()),
            }
        })
    }
}

/// A transaction. Its connection goes home when it was committed; otherwise it is closed, which undoes everything. A full disk ends a
/// transaction without being asked, so undoing it by a statement would not be reliable.
struct SqliteSession {
    connection: SqliteConnection,
    home: OwnedMutexGuard<Option<SqliteConnection>>,
}

impl Session for SqliteSession {
    fn execute(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, u64> {
        let sql = native(sql);
        Box::pin(async move {
            let done = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).execute(&mut self.connection).await;
            Ok(done.map_err(|error| sort("write to the index", &error))?.rows_affected())
        })
    }

    fn query(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>> {
        let sql = native(sql);
        Box::pin(async move {
            let rows = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).fetch_all(&mut self.connection).await;
            rows.map_err(|error| sort("read the index", &error))?.iter().map(row).collect()
        })
    }

    fn script(&mut self, sql: &str) -> Answer<'_, ()> {
        let sql = sql.to_owned();
        Box::pin(async move {
            let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut self.connection).await;
            done.map(|_| ()).map_err(|error| sort("change the index", &error))
        })
    }

    fn commit(self: Box<Self>) -> Answer<'static, ()> {
        Box::pin(async move {
            let Self { mut connection, mut home } = *self;
            let committed = sqlx::query("COMMIT").execute(&mut connection).await;
            committed.map_err(|error| sort("commit to the index", &error))?;
            *home = Some(connection);
            Ok(())
        })
    }
}

/// SQLite takes `$1` for the name of a value, and `?1` for its place. Either is looked up in a list of all of them, for each: where values
/// stand in the order of their numbers, as they do in every long statement, a plain `?` does without.
fn native(sql: &str) -> String {
    in_order(sql).unwrap_or_else(|| sql.replace('$', "?"))
}

fn in_order(sql: &str) -> Option<String> {
    let (before, rest) = sql.split_once('$')?;
    let mut plain = String::with_capacity(sql.len());
    plain += before;
    for (place, part) in (1_usize..).zip(rest.split('$')) {
        let after = part.trim_start_matches(|digit: char| digit.is_ascii_digit());
        part[..part.len() - after.len()].parse().ok().filter(|number: &usize| *number == place)?;
        plain.push('?');
        plain += after;
    }
    Some(plain)
}

fn arguments(cells: Vec<Cell>) -> Result<SqliteArguments, IndexError> {
    let mut arguments = SqliteArguments::default();
    for cell in cells {
        let added = match cell {
            Cell::Null => sqlx::Arguments::add(&mut arguments, None::<i64>),
            Cell::Integer(value) => sqlx::Arguments::add(&mut arguments, value),
            Cell::Real(value) => sqlx::Arguments::add(&mut arguments, value),
            Cell::Text(value) => sqlx::Arguments::add(&mut arguments, value),
        };
        added.map_err(|error| IndexError::Failed { doing: "prepare a statement", reason: error.to_string() })?;
    }
    Ok(arguments)
}

fn row(row: &SqliteRow) -> Result<Row, IndexError> {
    let cell = |place: usize| {
        let raw = row.try_get_raw(place)?;
        if raw.is_null() {
            return Ok(Cell::Null);
        }
        Ok(match raw.type_info().name() {
            "INTEGER" => Cell::Integer(row.try_get_unchecked(place)?),
            "REAL" => Cell::Real(row.try_get_unchecked(place)?),
            _ => Cell::Text(row.try_get_unchecked(place)?),
        })
    };
    let cells: Result<Vec<Cell>, sqlx::Error> = row.columns().iter().map(|column| cell(column.ordinal())).collect();
    Ok(Row::new(cells.map_err(|error| sort("read a row", &error))?))
}

/// Result codes of SQLite; an extended code has its plain one in the lowest byte.
const BUSY: u32 = 5;
const READ_ONLY: u32 = 8;
const FULL: u32 = 13;
const CANNOT_OPEN: u32 = 14;

fn sort(doing: &'static str, error: &sqlx::Error) -> IndexError {
    let code = match error {
        sqlx::Error::Database(error) => error.code().and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff),
        _ => None,
    };
    match code {
        Some(BUSY) => IndexError::Busy { doing },
        Some(FULL) => IndexError::DiskFull { doing },
        Some(READ_ONLY | CANNOT_OPEN) => IndexError::Denied { doing },
        _ => IndexError::Failed { doing, reason: reason(error) },
    }
}

fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::PoolTimedOut => "no connection became free".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_the_order_of_their_numbers_need_none() {
        assert_eq!(native("VALUES ($1, $2), ($3, $4)"), "VALUES (?, ?), (?, ?)");
        assert_eq!(native("a = $1 OR b = $1"), "a = ?1 OR b = ?1");
        assert_eq!(native("a = $2 OR b = $1"), "a = ?2 OR b = ?1");
        assert_eq!(native("SELECT 1"), "SELECT 1");
    }
}
