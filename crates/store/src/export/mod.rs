//! All runs that are shown, for other programs: JSON lines with everything, CSV and Parquet with a column for each number.

mod columns;
mod csv;
#[cfg(feature = "parquet")]
mod parquet;

use crate::index::{Index, IndexError, IndexedRun, MOST_ROWS, State};
use std::io::{self, Write};

/// A form in which runs leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// One JSON object per line: the run's record.
    JsonLines,
    /// A header and one row per run. No cell is a formula.
    Csv,
    /// The columns of the CSV, typed.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Writes all runs that are shown, in the order of their ids, and says how many there were.
pub async fn export(index: &Index, format: ExportFormat, out: &mut (dyn Write + Send)) -> Result<usize, IndexError> {
    let mut sink: Box<dyn Sink + '_> = match format {
        ExportFormat::JsonLines => Box::new(JsonLines(out)),
        ExportFormat::Csv => Box::new(csv::Csv::new(out).map_err(|error| unwritten(&error))?),
        #[cfg(feature = "parquet")]
        ExportFormat::Parquet => Box::new(parquet::Parquet::new(out).map_err(|error| unwritten(&error))?),
    };
    let mut count = 0;
    let mut last = String::new();
    loop {
        let mut page = index.runs_by_id(&last, MOST_ROWS).await?;
        let Some(end) = page.last() else { break };
        last.clone_from(&end.record.run);
        page.retain(|run| run.state == State::Shown);
        count += page.len();
        sink.write(&page).map_err(|error| unwritten(&error))?;
    }
    sink.finish().map_err(|error| unwritten(&error))?;
    Ok(count)
}

/// What takes the runs of an export, a page at a time.
trait Sink: Send {
    fn write(&mut self, runs: &[IndexedRun]) -> io::Result<()>;
    fn finish(self: Box<Self>) -> io::Result<()>;
}

struct JsonLines<'a>(&'a mut (dyn Write + Send));

impl Sink for JsonLines<'_> {
    fn write(&mut self, runs: &[IndexedRun]) -> io::Result<()> {
        for run in runs {
            serde_json::to_writer(&mut self.0, &run.record)?;
            self.0.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<()> {
        self.0.flush()
    }
}

fn unwritten(error: &io::Error) -> IndexError {
    match error.kind() {
        io::ErrorKind::StorageFull => IndexError::DiskFull { doing: "write the export" },
        _ => IndexError::Failed { doing: "write the export", reason: error.to_string() },
    }
}
