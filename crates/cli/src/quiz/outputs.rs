//! Writes the report of a run in the formats that were asked for and prints it.

use crate::args::{QuizFormat, QuizPrinting};
use crate::exit::Failure;
use crate::outputs::{replace, say, style};
use benchwright_report::quiz::{QuizReport, csv, html, markdown, terminal};
use std::path::Path;

const DEFAULT_FORMATS: [QuizFormat; 3] = [QuizFormat::Html, QuizFormat::Json, QuizFormat::Md];

impl QuizFormat {
    fn file_name(self) -> &'static str {
        match self {
            Self::Html => "report.html",
            Self::Json => "report.json",
            Self::Md => "report.md",
            Self::Csv => "report.csv",
        }
    }

    fn render(self, report: &QuizReport) -> String {
        match self {
            Self::Html => html::render(report),
            Self::Json => report.json(),
            Self::Md => markdown::render(report),
            Self::Csv => csv::render(report),
        }
    }
}

/// Writes the reports into a folder and prints what was asked for.
pub fn publish(report: &QuizReport, folder: &Path, printing: &QuizPrinting) -> Result<(), Failure> {
    let mut formats = printing.format.clone().unwrap_or_else(|| DEFAULT_FORMATS.to_vec());
    formats.sort_unstable();
    formats.dedup();
    for format in &formats {
        replace(&folder.join(format.file_name()), format.render(report).as_bytes())?;
    }
    if printing.json {
        say(&report.json());
    } else if !printing.quiet {
        let shown = formats.first().map_or_else(|| folder.to_owned(), |format| folder.join(format.file_name()));
        say(&format!("{}\nReport: {}\n", terminal::render(report, style()), shown.display()));
    }
    Ok(())
}
