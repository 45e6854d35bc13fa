//! A report as a user names it: a run folder, a folder that `score` wrote to, or a report.json.

use crate::commands::report_of;
use crate::exit::Failure;
use crate::run_folder;
use benchwright_domain::comparison::Side;
use benchwright_domain::repeats::{Repeats, representative};
use benchwright_domain::report::REPORT_FORMAT;
use benchwright_domain::{BlobId, Report};
use std::fs;
use std::path::{Path, PathBuf};

/// The name of the file that says which runs belong together.
pub const RUNS_FILE: &str = "runs.json";
const MAX_REPORT_BYTES: u64 = 64 * 1024 * 1024;

/// A report, its repeated runs, and where its screenshots are.
#[derive(Debug)]
pub struct Loaded {
    /// The report.
    pub report: Report,
    /// The reports of all runs, when there are several.
    pub repeats: Vec<Report>,
    /// The run folder of the report, where it is at hand.
    run: Option<PathBuf>,
}

impl Loaded {
    /// Reads what the user names.
    pub fn read(path: &Path) -> Result<Self, Failure> {
        if path.is_file() {
            return Self::of_file(path);
        }
        if path.join(RUNS_FILE).is_file() {
            return Self::of_series(path);
        }
        let run = run_folder::locate(path)?;
        Ok(Self { report: report_of(run_folder::read(&run)?), repeats: Vec::new(), run: Some(run) })
    }

    fn of_file(path: &Path) -> Result<Self, Failure> {
        let report = report_file(path)?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let candidates = [folder.to_owned(), folder.join("runs").join(plain_name(&report.provenance.run))];
        let run = candidates.into_iter().find(|candidate| candidate.join("log").is_file());
        Ok(Self { report, repeats: Vec::new(), run })
    }

    fn of_series(folder: &Path) -> Result<Self, Failure> {
        let file = folder.join(RUNS_FILE);
        let series: Repeats = parse(&file)?;
        let runs: Vec<PathBuf> = series.runs.iter().map(|run| folder.join("runs").join(plain_name(&run.run))).collect();
        let repeats: Vec<Report> =
            runs.iter().map(|run| Ok(report_of(run_folder::read(run)?))).collect::<Result<_, Failure>>()?;
        let index =
            representative(&repeats).ok_or_else(|| Failure::BadInput(format!("{} names no run", file.display())))?;
        Ok(Self { report: repeats[index].clone(), run: Some(runs[index].clone()), repeats })
    }

    /// As one side of a comparison.
    pub fn side(&self) -> Side<'_> {
        Side { report: &self.report, repeats: &self.repeats }
    }

    /// The bytes of a screenshot, where they are at hand.
    pub fn blob(&self, id: &BlobId) -> Option<Vec<u8>> {
        benchwright_store::blob(self.run.as_deref()?, id).ok()
    }
}

/// Reads a report.json.
pub fn report_file(path: &Path) -> Result<Report, Failure> {
    let report: Report = parse(path)?;
    if report.format > REPORT_FORMAT {
        let text = format!("{} was written by a newer Benchwright (format {})", path.display(), report.format);
        return Err(Failure::BadInput(text));
    }
    Ok(report)
}

fn parse<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", path.display()));
    let size = fs::metadata(path).map_err(|error| wrong(error.to_string()))?.len();
    if size > MAX_REPORT_BYTES {
        return Err(wrong(format!("it is larger than {} MB", MAX_REPORT_BYTES >> 20)));
    }
    let bytes = fs::read(path).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| wrong(format!("it is not what Benchwright writes: {error}")))
}

/// A run's id as a folder name: a report that was tampered with leads nowhere else.
fn plain_name(run: &str) -> String {
    run.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_id_leads_nowhere_else() {
        assert_eq!(plain_name("20261116T101500Z-3f9a"), "20261116T101500Z-3f9a");
        assert_eq!(plain_name("../../etc"), "etc");
    }
}
