//! The index: what boards, lists and feeds read. Everything in it but tokens, jobs and the keys of a site is derived from the runs and can
//! be made again.

pub(crate) mod database;
mod decided;
mod entry;
mod error;
#[cfg(feature = "postgres")]
mod postgres;
mod query;
pub mod quiz;
mod rebuild;
mod row;
mod schema;
mod sqlite;
mod tokens;
pub mod vibe;
pub(crate) mod write;

pub use decided::{Followed, follow_decisions, follow_shared_decisions};
pub use entry::{Entry, PlacedAct, State, record_in};
pub use error::IndexError;
pub use query::{
    ActPlace, Bucket as ScoreBucket, ClassSummary, MOST_ROWS, ModerationEntry, Newest, PromptSummary, RunFilter,
    RunPlace, Standing, Totals,
};
pub use rebuild::{BadRun, Rebuilt, Recorded, entry_of, rebuild};
pub use row::{IndexedRun, class_id};
pub use schema::SCHEMA_VERSION;
pub use sqlite::Durability;
pub use tokens::{KeptToken, Scope, Token, TokenTerms};

use database::Database;
use std::fmt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// An index, open. It may be shared by everything in a process.
pub struct Index {
    pub(crate) database: Box<dyn Database>,
    withdrawn: Arc<AtomicU64>,
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Index")
    }
}

impl Index {
    /// The index of a data folder, as a SQLite file; made if there is none, brought up to date if it is old.
    pub async fn sqlite(path: &Path, durability: Durability) -> Result<Self, IndexError> {
        Self::over(Box::new(sqlite::SqliteDatabase::open(path, durability).await?)).await
    }

    /// An index in PostgreSQL. The address is `postgres://user:password@host/database`.
    #[cfg(feature = "postgres")]
    pub async fn postgres(address: &str) -> Result<Self, IndexError> {
        Self::over(Box::new(postgres::PostgresDatabase::open(address).await?)).await
    }

    async fn over(database: Box<dyn Database>) -> Result<Self, IndexError> {
        let mut session = database.begin().await?;
        schema::migrate(&mut *session).await?;
        session.commit().await?;
        Ok(Self { database, withdrawn: Arc::default() })
    }

    /// Takes runs in, all in one transaction: they are durable and visible when this returns, or none is.
    ///
    /// Taking a run in again changes nothing; taking in a run that has changed replaces what was there. An entry that was made before a decision
    /// the index knows is left out.
    pub async fn take_in(&self, entries: &[Entry]) -> Result<(), IndexError> {
        let mut session = self.database.begin().await?;
        write::take_in(&mut *session, entries).await?;
        session.commit().await
    }

    /// Grows whenever something is withdrawn from view through this index. Whoever keeps what was made from an answer must not show it then,
    /// however young it is.
    pub fn withdrawals(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.withdrawn)
    }

    /// Closes all connections.
    pub async fn close(&self) -> Result<(), IndexError> {
        self.database.close().await
    }
}
