//! `benchwright data export`.

use crate::args::{ExportArguments, ExportChoice};
use crate::commands::block_on;
use crate::data_place;
use crate::exit::Failure;
use benchwright_store::{ExportFormat, export};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

pub fn run(arguments: &ExportArguments) -> Result<ExitCode, Failure> {
    let format = format(arguments.format)?;
    match &arguments.out {
        None => block_on(write(arguments, format, &mut BufWriter::new(std::io::stdout())))?.map(|_| ())?,
        Some(path) => {
            let count = into_file(arguments, format, path)?;
            println!("{count} runs written to {}", path.display());
        }
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg_attr(feature = "parquet", expect(clippy::unnecessary_wraps, reason = "a build without Parquet refuses it"))]
fn format(choice: ExportChoice) -> Result<ExportFormat, Failure> {
    match choice {
        ExportChoice::Jsonl => Ok(ExportFormat::JsonLines),
        ExportChoice::Csv => Ok(ExportFormat::Csv),
        #[cfg(feature = "parquet")]
        ExportChoice::Parquet => Ok(ExportFormat::Parquet),
        #[cfg(not(feature = "parquet"))]
        ExportChoice::Parquet => Err(Failure::Environment(data_place::without("Parquet", "parquet"))),
    }
}

/// A reader never sees half an export: the old file stays until the new one is whole.
fn into_file(arguments: &ExportArguments, format: ExportFormat, path: &Path) -> Result<usize, Failure> {
    let failed = |error: std::io::Error| Failure::Environment(format!("cannot write {}: {error}", path.display()));
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
    let mut out = BufWriter::new(File::create(&part).map_err(failed)?);
    let written = block_on(write(arguments, format, &mut out))?;
    let count = written.inspect_err(|_| {
        let _ = std::fs::remove_file(&part);
    })?;
    out.into_inner().map_err(|error| failed(error.into_error()))?.sync_all().map_err(failed)?;
    std::fs::rename(&part, path).map_err(failed)?;
    Ok(count)
}

async fn write(
    arguments: &ExportArguments,
    format: ExportFormat,
    out: &mut (dyn Write + Send),
) -> Result<usize, Failure> {
    let index = data_place::index(&arguments.place).await?;
    let written = export(&index, format, out).await;
    index.close().await?;
    Ok(written?)
}
