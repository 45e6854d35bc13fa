//! Writes the report in the formats that were asked for and prints it.

use crate::args::Printing;
use crate::environment;
use crate::exit::Failure;
use benchwright_domain::{BlobId, Report};
use benchwright_report::{csv, html, json, junit, markdown, sarif, terminal};
use clap::ValueEnum;
use serde::Deserialize;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The forms a report can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Format {
    /// report.html: one offline page.
    Html,
    /// report.json, with a published schema.
    Json,
    /// report.md, for pull requests.
    Md,
    /// junit.xml, for continuous integration.
    Junit,
    /// report.sarif, for code scanning.
    Sarif,
    /// report.csv, one row per scorer.
    Csv,
}

const DEFAULT_FORMATS: [Format; 3] = [Format::Html, Format::Json, Format::Md];

impl Format {
    fn file_name(self) -> &'static str {
        match self {
            Self::Html => "report.html",
            Self::Json => "report.json",
            Self::Md => "report.md",
            Self::Junit => "junit.xml",
            Self::Sarif => "report.sarif",
            Self::Csv => "report.csv",
        }
    }

    /// The format a file name asks for.
    fn of_file(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "html" | "htm" => Some(Self::Html),
            "json" => Some(Self::Json),
            "md" => Some(Self::Md),
            "xml" => Some(Self::Junit),
            "sarif" => Some(Self::Sarif),
            "csv" => Some(Self::Csv),
            _ => None,
        }
    }

    fn render(self, report: &Report, run: Option<&Path>) -> String {
        let blobs = |id: &BlobId| benchwright_store::blob(run?, id).ok();
        match self {
            Self::Html => html::render(report, &blobs),
            Self::Json => json::render(report),
            Self::Md => markdown::render(report),
            Self::Junit => junit::render(report),
            Self::Sarif => sarif::render(report),
            Self::Csv => csv::render(report),
        }
    }
}

/// Where reports go, and in which formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Destination {
    /// The folder of the reports, and of the runs below it.
    pub folder: PathBuf,
    /// What is written there.
    pub formats: Vec<Format>,
    /// A file the user named, besides.
    pub file: Option<(Format, PathBuf)>,
}

impl Destination {
    /// What `--out` and `--format` say together; a file in `--out` leaves the folder at its default.
    pub fn of(out: Option<&Path>, default_folder: &Path, formats: Option<&[Format]>) -> Self {
        let file = out.filter(|path| !path.is_dir()).and_then(|path| Some((Format::of_file(path)?, path.to_owned())));
        let folder = out.filter(|_| file.is_none()).unwrap_or(default_folder).to_owned();
        let mut formats = formats.map_or_else(|| DEFAULT_FORMATS.to_vec(), <[Format]>::to_vec);
        formats.sort_unstable();
        formats.dedup();
        Self { folder, formats, file }
    }

    /// A folder with the default formats.
    pub fn folder(folder: &Path) -> Self {
        Self::of(Some(folder), folder, None)
    }

    /// The report to point the user to.
    fn shown(&self) -> PathBuf {
        match (&self.file, self.formats.first()) {
            (Some((_, file)), _) => file.clone(),
            (None, Some(format)) => self.folder.join(format.file_name()),
            (None, None) => self.folder.clone(),
        }
    }
}

/// Writes the reports of a run.
pub fn write(report: &Report, run: &Path, to: &Destination) -> Result<(), Failure> {
    for format in &to.formats {
        replace(&to.folder.join(format.file_name()), format.render(report, Some(run)).as_bytes())?;
    }
    if let Some((format, file)) = &to.file {
        replace(file, format.render(report, Some(run)).as_bytes())?;
    }
    Ok(())
}

/// A reader never sees half a file: the old one stays until the new one is whole.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut part = path.as_os_str().to_owned();
    part.push(".part");
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

/// Prints the report as asked.
pub fn print(report: &Report, to: &Destination, printing: &Printing) {
    if printing.json {
        say(&json::render(report));
    } else if !printing.quiet {
        say(&format!("{}\nReport: {}\n", terminal::render(report, style()), to.shown().display()));
    }
}

/// Writes to standard output. A reader that went away (`| head`) is not an error of ours.
pub fn say(text: &str) {
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

/// How the terminal wants it.
pub fn style() -> terminal::Style {
    terminal::Style { color: environment::color(), width: 100 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_in_out_names_its_format_and_leaves_the_folder_alone() {
        let to = Destination::of(Some(Path::new("ci/scan.sarif")), Path::new("benchwright-report"), None);
        assert_eq!(to.folder, Path::new("benchwright-report"));
        assert_eq!(to.file, Some((Format::Sarif, PathBuf::from("ci/scan.sarif"))));
        assert_eq!(to.formats, DEFAULT_FORMATS);
        let to = Destination::of(Some(Path::new("my.report")), Path::new("d"), Some(&[Format::Csv, Format::Csv]));
        assert_eq!((to.folder.as_path(), to.file, to.formats), (Path::new("my.report"), None, vec![Format::Csv]));
    }
}
