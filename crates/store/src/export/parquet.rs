//! Parquet for analysis: the columns of the CSV, each with its type.

use super::Sink;
use super::columns::{Value, nothing, row};
use crate::index::IndexedRun;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use std::io::{self, Write};
use std::sync::Arc;

/// Rows per group: large enough to compress, small enough to hold.
const GROUP: usize = 20_000;

pub(super) struct Parquet<'a> {
    writer: SerializedFileWriter<&'a mut (dyn Write + Send)>,
    waiting: Vec<Vec<(&'static str, Value)>>,
}

impl<'a> Parquet<'a> {
    pub(super) fn new(out: &'a mut (dyn Write + Send)) -> io::Result<Self> {
        let schema = Arc::new(parse_message_type(&schema()).map_err(other)?);
        let properties = Arc::new(WriterProperties::builder().set_created_by("benchwright".to_owned()).build());
        let writer = SerializedFileWriter::new(out, schema, properties).map_err(other)?;
        Ok(Self { writer, waiting: Vec::new() })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.waiting);
        let mut group = self.writer.next_row_group().map_err(other)?;
        for place in 0..rows.first().map_or(0, Vec::len) {
            write_column(&mut group, rows.iter().map(|row| &row[place].1)).map_err(other)?;
        }
        group.close().map(|_| ()).map_err(other)
    }
}

impl Sink for Parquet<'_> {
    fn write(&mut self, runs: &[IndexedRun]) -> io::Result<()> {
        self.waiting.extend(runs.iter().map(row));
        if self.waiting.len() >= GROUP { self.write_group() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.waiting.is_empty() {
            self.write_group()?;
        }
        self.writer.close().map(|_| ()).map_err(other)
    }
}

fn schema() -> String {
    let columns = row(&nothing()).into_iter().map(|(name, value)| match value {
        Value::Text(_) => format!("optional binary {name} (STRING);"),
        Value::Number(_) => format!("optional double {name};"),
        Value::Count(_) => format!("optional int64 {name};"),
        Value::Flag(_) => format!("optional boolean {name};"),
    });
    format!("message runs {{ {} }}", columns.collect::<String>())
}

fn write_column<'v>(
    group: &mut SerializedRowGroupWriter<&mut (dyn Write + Send)>,
    values: impl Iterator<Item = &'v Value> + Clone,
) -> Result<(), ParquetError> {
    let missing = || ParquetError::General("a column is missing".to_owned());
    let column = group.next_column()?.ok_or_else(missing)?;
    match values.clone().next().ok_or_else(missing)? {
        Value::Text(_) => write_typed::<ByteArrayType>(
            column,
            values.map(|value| match value {
                Value::Text(Some(text)) => Some(ByteArray::from(text.as_str())),
                _ => None,
            }),
        ),
        Value::Number(_) => write_typed::<DoubleType>(
            column,
            values.map(|value| match value {
                Value::Number(number) => *number,
                _ => None,
            }),
        ),
        Value::Count(_) => write_typed::<Int64Type>(
            column,
            values.map(|value| match value {
                Value::Count(count) => *count,
                _ => None,
            }),
        ),
        Value::Flag(_) => write_typed::<BoolType>(
            column,
            values.map(|value| match value {
                Value::Flag(flag) => Some(*flag),
                _ => None,
            }),
        ),
    }
}

fn write_typed<T: DataType>(
    mut column: SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = values.collect();
    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
    let present: Vec<T::T> = values.into_iter().flatten().collect();
    column.typed::<T>().write_batch(&present, Some(&levels), None)?;
    column.close()
}

fn other(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        error => io::Error::other(error),
    }
}
