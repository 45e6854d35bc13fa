//! `benchwright explain`: what a scorer means, from the same text as METHODOLOGY.md.

use crate::args::ExplainArguments;
use crate::exit::Failure;
use crate::methodology;
use benchwright_domain::ScorerId;
use std::io::Write as _;
use std::process::ExitCode;

/// Runs the command.
pub fn run(arguments: &ExplainArguments) -> Result<ExitCode, Failure> {
    let text = match &arguments.scorer {
        _ if arguments.methodology => methodology::document(),
        None => methodology::list(),
        Some(id) => {
            let id: ScorerId = id.parse().map_err(|error| Failure::BadInput(format!("{error}")))?;
            methodology::scorer_page(id)
        }
    };
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    Ok(ExitCode::SUCCESS)
}
