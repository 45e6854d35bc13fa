//! One reading of a folder, and what it came to: for measuring it as a process of its own. `--literals` prints what is searched for.

#![allow(clippy::print_stdout, reason = "this is a command-line program")]

use benchwright_source::{Limits, literals, survey};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(word) = std::env::args().nth(1) else { return ExitCode::from(2) };
    if word == "--literals" {
        for literal in literals() {
            println!("{literal}");
        }
        return ExitCode::SUCCESS;
    }
    let Ok(told) = survey(Path::new(&word), &[], &Limits::default()) else { return ExitCode::from(3) };
    println!(
        r#"{{"files": {}, "bytes": {}, "scripts": {}, "unparsed": {}, "secrets": {}, "patterns": {}}}"#,
        told.files,
        told.bytes,
        told.scripts,
        told.unparsed,
        told.secrets.len(),
        told.patterns.len()
    );
    ExitCode::SUCCESS
}
