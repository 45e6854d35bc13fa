//! `benchwright index`: makes the index again from the runs.

use super::block_on;
use crate::args::{IndexCommand, IndexRebuildArguments};
use crate::data_place;
use crate::exit::{BAD_INPUT, Failure};
use crate::progress::Counter;
use benchwright_store::index::{Rebuilt, rebuild};
use std::process::ExitCode;

/// Runs the command.
pub fn run(command: &IndexCommand) -> Result<ExitCode, Failure> {
    let IndexCommand::Rebuild(arguments) = command;
    let rebuilt = block_on(rebuild_all(arguments))??;
    if !arguments.quiet {
        println!("{}", said(&rebuilt));
    }
    for bad in &rebuilt.bad {
        eprintln!("benchwright: left out run {}: {}", bad.run, bad.reason);
    }
    Ok(if rebuilt.bad.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

async fn rebuild_all(arguments: &IndexRebuildArguments) -> Result<Rebuilt, Failure> {
    let storage = data_place::storage(&arguments.place.data, true)?;
    let index = data_place::index_or_new(&arguments.place, arguments.syncing).await?;
    let counter = Counter::new("runs", arguments.quiet);
    let recorded = data_place::recorded(&storage);
    let library = data_place::library(&arguments.place.data)?;
    let rebuilt = rebuild(storage, &index, recorded, library, |seen, of| counter.show(seen, of)).await;
    counter.clear();
    index.close().await?;
    Ok(rebuilt?)
}

/// One sentence.
pub fn said(rebuilt: &Rebuilt) -> String {
    let mut parts = vec![format!("{} runs in the index", rebuilt.indexed)];
    parts.extend((rebuilt.shared > 0).then(|| format!("{} shared runs of the quiz", rebuilt.shared)));
    parts.extend((rebuilt.unfinished > 0).then(|| format!("{} not finished", rebuilt.unfinished)));
    parts.extend((!rebuilt.bad.is_empty()).then(|| format!("{} could not be read", rebuilt.bad.len())));
    parts.join(", ")
}
