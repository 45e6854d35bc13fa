//! Writes the reports of an evaluation, prints what was asked for, and decides on the exit code.

use crate::args::{VibeFormat, VibePrinting};
use crate::exit::{BELOW_THRESHOLD, Failure};
use crate::outputs::{replace, say, style};
use benchwright_domain::BlobId;
use benchwright_domain::vibe::Evaluation;
use benchwright_report::vibe::{evaluation_csv, evaluation_html, evaluation_markdown, evaluation_terminal};
use std::path::Path;
use std::process::ExitCode;

const DEFAULT_FORMATS: [VibeFormat; 3] = [VibeFormat::Html, VibeFormat::Json, VibeFormat::Md];

impl VibeFormat {
    fn file_name(self) -> &'static str {
        match self {
            Self::Html => "report.html",
            Self::Json => "report.json",
            Self::Md => "report.md",
            Self::Csv => "report.csv",
        }
    }

    fn render(self, evaluation: &Evaluation, run: &Path) -> String {
        let blobs = |id: &BlobId| benchwright_store::blob(run, id).ok();
        match self {
            Self::Html => evaluation_html(evaluation, &blobs),
            Self::Json => benchwright_report::json::pretty(evaluation),
            Self::Md => evaluation_markdown(evaluation, &blobs),
            Self::Csv => evaluation_csv(evaluation, &blobs),
        }
    }
}

/// Refuses a threshold that cannot be meant, before anything is walked.
pub fn check(printing: &VibePrinting) -> Result<(), Failure> {
    match printing.fail_under {
        Some(least) if !(0.0..=100.0).contains(&least) => {
            Err(Failure::BadInput(format!("--fail-under {least} is not between 0 and 100")))
        }
        _ => Ok(()),
    }
}

/// Writes the reports into a folder.
pub fn write(evaluation: &Evaluation, run: &Path, folder: &Path, printing: &VibePrinting) -> Result<(), Failure> {
    for format in formats(printing) {
        replace(&folder.join(format.file_name()), format.render(evaluation, run).as_bytes())?;
    }
    Ok(())
}

/// Prints what was asked for.
pub fn print(evaluation: &Evaluation, folder: &Path, printing: &VibePrinting) {
    if printing.json {
        say(&benchwright_report::json::pretty(evaluation));
    } else if !printing.quiet {
        let shown = formats(printing).first().map_or_else(|| folder.to_owned(), |it| folder.join(it.file_name()));
        say(&format!("{}\nReport: {}\n", evaluation_terminal(evaluation, style()), shown.display()));
    }
}

fn formats(printing: &VibePrinting) -> Vec<VibeFormat> {
    let mut formats = printing.format.clone().unwrap_or_else(|| DEFAULT_FORMATS.to_vec());
    formats.sort_unstable();
    formats.dedup();
    formats
}

/// Says what is not met, and decides on the exit code. Over several evaluations their mean counts.
pub fn judge(evaluations: &[Evaluation], printing: &VibePrinting) -> ExitCode {
    let Some(least) = printing.fail_under else { return ExitCode::SUCCESS };
    let known: Vec<f64> = evaluations.iter().filter_map(Evaluation::accuracy).collect();
    if known.is_empty() {
        eprintln!("benchwright: no workflow was tried, so the threshold of {least} is not reached");
        return ExitCode::from(BELOW_THRESHOLD);
    }
    let mean = known.iter().sum::<f64>() / known.len() as f64;
    if mean >= least - 1e-9 {
        return ExitCode::SUCCESS;
    }
    eprintln!("benchwright: {mean:.1} % of workflows is below the threshold of {least}");
    ExitCode::from(BELOW_THRESHOLD)
}
