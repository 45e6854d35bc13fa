//! What the index needs of a database, small enough for two: statements in the common subset of SQL, with `$1`, `$2` … for values.

use super::error::IndexError;
use std::pin::Pin;

/// What an asynchronous call of a trait object gives.
pub(crate) type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, IndexError>> + Send + 'a>>;

/// A database, open. Reads see what was committed before they began.
pub(crate) trait Database: Send + Sync {
    /// Begins a transaction that writes. There is one at a time, over all processes: others wait.
    fn begin(&self) -> Answer<'_, Box<dyn Session>>;

    /// Reads rows.
    fn query(&self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>>;

    /// Waits until everything is closed.
    fn close(&self) -> Answer<'_, ()>;
}

/// A transaction. Dropped without a commit, it leaves no trace.
pub(crate) trait Session: Send {
    /// Runs a statement and says how many rows it touched.
    fn execute(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, u64>;

    /// Reads rows, among them what this transaction wrote.
    fn query(&mut self, sql: &str, cells: Vec<Cell>) -> Answer<'_, Vec<Row>>;

    /// Runs statements without values, one after the other.
    fn script(&mut self, sql: &str) -> Answer<'_, ()>;

    /// Makes everything durable and visible, or nothing.
    fn commit(self: Box<Self>) -> Answer<'static, ()>;
}

/// A value in a statement or in a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
}

impl From<i64> for Cell {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}

impl From<bool> for Cell {
    fn from(value: bool) -> Self {
        Self::Integer(i64::from(value))
    }
}

impl From<f64> for Cell {
    fn from(value: f64) -> Self {
        Self::Real(value)
    }
}

impl From<&str> for Cell {
    /// PostgreSQL knows no NUL in a text, and a page may call itself anything.
    fn from(value: &str) -> Self {
        Self::Text(value.replace('\0', "\u{fffd}"))
    }
}

impl From<String> for Cell {
    fn from(value: String) -> Self {
        if value.contains('\0') { Self::from(value.as_str()) } else { Self::Text(value) }
    }
}

impl From<&String> for Cell {
    fn from(value: &String) -> Self {
        Self::from(value.as_str())
    }
}

impl<T: Into<Self>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row, read from its first column to its last.
#[derive(Debug)]
pub(crate) struct Row {
    cells: std::vec::IntoIter<Cell>,
}

impl Row {
    pub(crate) fn new(cells: Vec<Cell>) -> Self {
        Self { cells: cells.into_iter() }
    }

    pub(crate) fn text(&mut self) -> Result<String, IndexError> {
        self.optional_text()?.ok_or_else(|| unexpected("nothing"))
    }

    pub(crate) fn optional_text(&mut self) -> Result<Option<String>, IndexError> {
        match self.next()? {
            Cell::Null => Ok(None),
            Cell::Text(text) => Ok(Some(text)),
            other => Err(unexpected(&format!("{other:?}"))),
        }
    }

    pub(crate) fn integer(&mut self) -> Result<i64, IndexError> {
        self.optional_integer()?.ok_or_else(|| unexpected("nothing"))
    }

    pub(crate) fn optional_integer(&mut self) -> Result<Option<i64>, IndexError> {
        match self.next()? {
            Cell::Null => Ok(None),
            Cell::Integer(number) => Ok(Some(number)),
            other => Err(unexpected(&format!("{other:?}"))),
        }
    }

    pub(crate) fn real(&mut self) -> Result<f64, IndexError> {
        self.optional_real()?.ok_or_else(|| unexpected("nothing"))
    }

    pub(crate) fn optional_real(&mut self) -> Result<Option<f64>, IndexError> {
        match self.next()? {
            Cell::Null => Ok(None),
            Cell::Real(number) => Ok(Some(number)),
            other => Err(unexpected(&format!("{other:?}"))),
        }
    }

    fn next(&mut self) -> Result<Cell, IndexError> {
        self.cells.next().ok_or_else(|| unexpected("too few columns"))
    }
}

fn unexpected(what: &str) -> IndexError {
    IndexError::Failed { doing: "read a row", reason: format!("unexpected value: {what}") }
}
