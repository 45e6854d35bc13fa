//! The machine's own speed when idle, measured once by `benchwright doctor --calibrate` and kept for later runs.

use crate::environment;
use crate::exit::Failure;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

const FORMAT: u32 = 1;

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Format version of this file.
    pub format: u32,
    /// Median of Lighthouse's BenchmarkIndex.
    pub benchmark_index: f64,
    /// All values, in order.
    pub samples: Vec<f64>,
    /// When, RFC 3339.
    pub measured_at: String,
    /// The processor it was measured on; another one makes it void.
    pub cpu_model: String,
}

fn path() -> Option<PathBuf> {
    Some(environment::state_folder()?.join("calibration.json"))
}

/// The calibration of this machine, if there is one and the processor is still the same.
pub fn read() -> Option<Calibration> {
    let text = fs::read_to_string(path()?).ok()?;
    let calibration: Calibration = serde_json::from_str(&text).ok()?;
    let same_machine = calibration.cpu_model == benchwright_sandbox::machine::facts().cpu_model;
    (calibration.format == FORMAT && same_machine).then_some(calibration)
}

/// Keeps a calibration and says where.
pub fn write(samples: Vec<f64>, measured_at: String) -> Result<(Calibration, PathBuf), Failure> {
    let mut sorted = samples.clone();
    sorted.sort_by(f64::total_cmp);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or_default();
    let calibration = Calibration {
        format: FORMAT,
        benchmark_index: median,
        samples,
        measured_at,
        cpu_model: benchwright_sandbox::machine::facts().cpu_model,
    };
    let path =
        path().ok_or_else(|| Failure::Environment("no home folder to keep the calibration in (set HOME)".into()))?;
    let keep = || -> std::io::Result<()> {
        fs::create_dir_all(path.parent().unwrap_or(&path))?;
        fs::write(&path, serde_json::to_vec_pretty(&calibration)?)
    };
    keep()
        .map_err(|error| Failure::Environment(format!("cannot keep the calibration in {}: {error}", path.display())))?;
    Ok((calibration, path))
}
