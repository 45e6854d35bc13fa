//! `benchwright data review`: what a person says of one workflow of an evaluated app.

use crate::args::{MarkChoice, ReviewArguments};
use crate::commands::block_on;
use crate::data_place;
use crate::exit::Failure;
use benchwright_store::index::entry_of;
use benchwright_store::{Review, review};
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ReviewArguments) -> Result<ExitCode, Failure> {
    let storage = data_place::storage(&arguments.place.data, true)?;
    let mark = |choice: &MarkChoice| match choice {
        MarkChoice::Pass => Some(true),
        MarkChoice::Fail => Some(false),
        MarkChoice::Unknown => None,
    };
    let said = Review {
        by: arguments.by.clone(),
        workflow: arguments.workflow.clone(),
        marks: arguments.marks.iter().map(mark).collect(),
        at: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    block_on(async {
        // Before the review is written down: it should not be, where the index cannot follow.
        let index = data_place::index(&arguments.place).await?;
        review(&*storage, &arguments.run, &said)?;
        let entry = entry_of(&*storage, &arguments.run, &*data_place::recorded(&storage))?;
        index.take_in(entry.as_slice()).await?;
        index.close().await?;
        Ok::<_, Failure>(())
    })??;
    println!("kept what {} says of workflow {} of run {}", said.by, said.workflow, arguments.run);
    Ok(ExitCode::SUCCESS)
}
