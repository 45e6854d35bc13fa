//! Writes the report in every format and prints what the user asked for.

use crate::args::Printing;
use crate::environment;
use crate::exit::{self, Failure};
use benchwright_domain::{BlobId, Report};
use benchwright_report::{html, json, markdown, terminal};
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

/// Writes `report.html`, `report.json` and `report.md` to a folder.
pub fn write(report: &Report, run: &Path, folder: &Path) -> Result<(), Failure> {
    let blobs = |id: &BlobId| benchwright_store::blob(run, id).ok();
    for (name, text) in [
        ("report.html", html::render(report, &blobs)),
        ("report.json", json::render(report)),
        ("report.md", markdown::render(report)),
    ] {
        replace(&folder.join(name), text.as_bytes())?;
    }
    Ok(())
}

/// A reader never sees half a report: the old one stays until the new one is whole.
fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let part = path.with_extension("part");
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        fs::write(&part, bytes)?;
        fs::rename(&part, path)
    };
    write().map_err(|error| {
        let _ = fs::remove_file(&part);
        let full = error.kind() == std::io::ErrorKind::StorageFull;
        let why =
            if full { "the disk is full; free some space, then rescore the run".to_owned() } else { error.to_string() };
        Failure::Environment(format!("cannot write {}: {why}", path.display()))
    })
}

/// Prints the report as asked and decides on the exit code.
pub fn print(report: &Report, folder: &Path, printing: &Printing) -> ExitCode {
    let mut out = std::io::stdout().lock();
    // A reader that went away (`| head`) is not an error of ours.
    if printing.json {
        let _ = out.write_all(json::render(report).as_bytes());
    } else if !printing.quiet {
        let style = terminal::Style { color: environment::color(), width: 100 };
        let _ = out.write_all(terminal::render(report, style).as_bytes());
        let _ = writeln!(out, "\nReport: {}", folder.join("report.html").display());
    }
    verdict(report, printing.fail_under)
}

fn verdict(report: &Report, fail_under: Option<f64>) -> ExitCode {
    let Some(least) = fail_under else { return ExitCode::SUCCESS };
    match report.composite {
        Some(composite) if composite >= least => ExitCode::SUCCESS,
        Some(composite) => {
            eprintln!("benchwright: {composite:.1} is below the threshold of {least}");
            ExitCode::from(exit::BELOW_THRESHOLD)
        }
        None => {
            eprintln!("benchwright: there is no composite, so the threshold of {least} is not reached");
            ExitCode::from(exit::BELOW_THRESHOLD)
        }
    }
}
