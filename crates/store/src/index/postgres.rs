//! The index in PostgreSQL, for many machines.

use super::database::{Answer, Cell, Database, Row, Session};
use super::error::IndexError;
use sqlx::postgres::{PgArguments, PgConnectOptions, PgPool, PgPoolOptions, PgRow};
use sqlx::{AssertSqlSafe, Column as _, Postgres, Row as _, Transaction, TypeInfo as _, ValueRef as _};
use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Mutex, OwnedMutexGuard};

const CONNECTIONS: u32 = 8;
const PATIENCE: Duration = Duration::from_secs(30);
/// How long a writer waits for another process, and before that for others of its own.
const LOCK_PATIENCE: Duration = Duration::from_mins(2);
const STATEMENT_PATIENCE: &str = "300s";
/// Any number will do, as long as all of us use the same.
const WRITER_LOCK: &str = "SELECT pg_advisory_xact_lock(7203961455107282435)";

pub(super) struct PostgresDatabase {
    pool: PgPool,
    /// Whoever has it waits for writers of other processes. It is the only one, so that the connections are left to readers.
    turn: Arc<Mutex<()>>,
}

impl PostgresDatabase {
    /// `address` is `postgres://user@host/database`, with a password where one is needed.
    pub(super) async fn open(address: &str) -> Result<Self, IndexError> {
        let failed = |error: sqlx::Error| {
            // The address holds a password, and errors go to logs.
            IndexError::Failed { doing: "open the index in PostgreSQL", reason: reason(&error) }
        };
        let lock_patience = format!("{}s", LOCK_PATIENCE.as_secs());
        let options = PgConnectOptions::from_str(address)
            .map_err(failed)?
            .application_name("benchwright")
            .options([("lock_timeout", lock_patience.as_str()), ("statement_timeout", STATEMENT_PATIENCE)]);
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE);
        Ok(Self { pool: pool.connect_with(options).await.map_err(failed)?, turn: Arc::default() })
    }
}

impl Database for PostgresDatabase {
    fn begin(&self) -> Answer<'_, Box<dyn Session>> {
        Box::pin(async {
            let waited = tokio::time::timeout(LOCK_PATIENCE, Arc::clone(&self.turn).lock_owned()).await;
            let turn = waited.map_err(|_| IndexError::Busy { doing: "begin" })?;
            let mut begun = self.pool.begin().await.map_err(|error| sort("begin", &error))?;
            sqlx::query(WRITER_LOCK).execute(&mut *begun).await.map_err(|error| sort("begin", &error))?;
            Ok(Box::new(PostgresSession { begun, _turn: turn }) as Box<dyn Session>)
        })
    }

    fn query(&self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>> {
        let sql = sql.to_owned();
        Box::pin(async move {
            let rows = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).fetch_all(&self.pool).await;
            rows.map_err(|error| sort("read the index", &error))?.iter().map(row).collect()
        })
    }

    fn close(&self) -> Answer<'_, ()> {
        Box::pin(async {
            self.pool.close().await;
            Ok(())
        })
    }
}

struct PostgresSession {
    begun: Transaction<'static, Postgres>,
    /// Given back after the transaction has ended: fields are dropped in this order.
    _turn: OwnedMutexGuard<()>,
}

impl Session for PostgresSession {
    fn execute(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, u64> {
        let sql = sql.to_owned();
        Box::pin(async move {
            let done = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).execute(&mut *self.begun).await;
            Ok(done.map_err(|error| sort("write to the index", &error))?.rows_affected())
        })
    }

    fn query(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>> {
        let sql = sql.to_owned();
        Box::pin(async move {
            let rows = sqlx::query_with(AssertSqlSafe(sql), arguments(cells)?).fetch_all(&mut *self.begun).await;
            rows.map_err(|error| sort("read the index", &error))?.iter().map(row).collect()
        })
    }

    /// Texts must sort byte by byte, as SQLite has it, whatever the database's language is.
    fn script(&mut self, sql: &str) -> Answer<'_, ()> {
        let sql = sql.replace(" TEXT", " TEXT COLLATE \"C\"");
        Box::pin(async move {
            let done = sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *self.begun).await;
            done.map(|_| ()).map_err(|error| sort("change the index", &error))
        })
    }

    fn commit(self: Box<Self>) -> Answer<'static, ()> {
        Box::pin(async move {
            let Self { begun, _turn } = *self;
            begun.commit().await.map_err(|error| sort("commit to the index", &error))
        })
    }
}

fn arguments(cells: Vec<Cell>) -> Result<PgArguments, IndexError> {
    let mut arguments = PgArguments::default();
    for cell in cells {
        let added = match cell {
            Cell::Null => sqlx::Arguments::add(&mut arguments, Untyped),
            Cell::Integer(value) => sqlx::Arguments::add(&mut arguments, value),
            Cell::Real(value) => sqlx::Arguments::add(&mut arguments, value),
            Cell::Text(value) => sqlx::Arguments::add(&mut arguments, value),
        };
        added.map_err(|error| IndexError::Failed { doing: "prepare a statement", reason: error.to_string() })?;
    }
    Ok(arguments)
}

/// A NULL of whatever type the statement expects there.
struct Untyped;

impl sqlx::Type<Postgres> for Untyped {
    fn type_info() -> sqlx::postgres::PgTypeInfo {
        sqlx::postgres::PgTypeInfo::with_oid(sqlx::postgres::types::Oid(0))
    }
}

impl sqlx::Encode<'_, Postgres> for Untyped {
    fn encode_by_ref(
        &self,
        _: &mut sqlx::postgres::PgArgumentBuffer,
    ) -> Result<sqlx::encode::IsNull, sqlx::error::BoxDynError> {
        Ok(sqlx::encode::IsNull::Yes)
    }
}

fn row(row: &PgRow) -> Result<Row, IndexError> {
    let cell = |place: usize| {
        let raw = row.try_get_raw(place)?;
        if raw.is_null() {
            return Ok(Cell::Null);
        }
        Ok(match raw.type_info().name() {
            "INT8" => Cell::Integer(row.try_get_unchecked(place)?),
            "FLOAT8" => Cell::Real(row.try_get_unchecked(place)?),
            _ => Cell::Text(row.try_get_unchecked(place)?),
        })
    };
    let cells: Result<Vec<Cell>, sqlx::Error> = row.columns().iter().map(|column| cell(column.ordinal())).collect();
    Ok(Row::new(cells.map_err(|error| sort("read a row", &error))?))
}

fn sort(doing: &'static str, error: &sqlx::Error) -> IndexError {
    let code = match error {
        sqlx::Error::Database(error) => error.code().map(std::borrow::Cow::into_owned),
        _ => None,
    };
    match code.as_deref() {
        Some("55P03") => IndexError::Busy { doing },
        Some("53100") => IndexError::DiskFull { doing },
        Some("42501" | "25006") => IndexError::Denied { doing },
        _ => IndexError::Failed { doing, reason: reason(error) },
    }
}

fn reason(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(error) => error.message().to_owned(),
        sqlx::Error::PoolTimedOut => "no connection became free; is PostgreSQL running and reachable?".to_owned(),
        sqlx::Error::Configuration(_) => {
            "the address is not one of PostgreSQL; it looks like postgres://user@host/database".to_owned()
        }
        other => other.to_string(),
    }
}
