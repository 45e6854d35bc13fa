//! `benchwright vibe trajectory`: what models did while they built apps.

use crate::args::TrajectoryArguments;
use crate::exit::Failure;
use crate::outputs;
use benchwright_domain::vibe::Generation;
use benchwright_domain::vibe::trajectory::{Category, Facts, MAX_BYTES, METHOD, Trajectory};
use flate2::read::MultiGzDecoder;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::process::ExitCode;

/// Format version of what `--json` prints.
const FORMAT: u32 = 1;
const GZIP: [u8; 2] = [0x1f, 0x8b];
const ENDINGS: [&str; 4] = [".gz", ".jsonl", ".json", "_trajectory"];

/// What `--json` prints.
#[derive(Serialize)]
struct Counted {
    format: u32,
    method: &'static str,
    models: BTreeMap<String, Facts>,
}

/// Runs the command.
pub fn run(arguments: &TrajectoryArguments) -> Result<ExitCode, Failure> {
    let mut counted = Counted { format: FORMAT, method: METHOD, models: BTreeMap::new() };
    for file in &arguments.files {
        let facts = read(file)?.facts();
        let name = Some(short_name(file)).filter(|name| !counted.models.contains_key(name));
        counted.models.insert(name.unwrap_or_else(|| file.display().to_string()), facts);
    }
    if arguments.json {
        outputs::say(&benchwright_report::json::pretty(&counted));
    } else {
        outputs::say(&table(&counted.models));
    }
    Ok(ExitCode::SUCCESS)
}

fn read(file: &Path) -> Result<Trajectory, Failure> {
    read_with_bytes(file).map(|(_, trajectory)| trajectory)
}

/// A trajectory as it stands in its file, unpacked, and what building the app took by it.
pub fn with_facts(file: &Path) -> Result<(Vec<u8>, Generation), Failure> {
    read_with_bytes(file).map(|(bytes, trajectory)| (bytes, trajectory.generation()))
}

fn read_with_bytes(file: &Path) -> Result<(Vec<u8>, Trajectory), Failure> {
    let bytes =
        unpacked(file).map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", file.display())))?;
    let trajectory = Trajectory::read(&bytes)
        .map_err(|error| Failure::BadInput(format!("{}: failed to {error}", file.display())))?;
    Ok((bytes, trajectory))
}

/// The file's bytes, unpacked if they are packed, and one more than the limit at the most.
fn unpacked(file: &Path) -> io::Result<Vec<u8>> {
    let mut packed = BufReader::new(File::open(file)?);
    let limit = MAX_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if packed.fill_buf()?.starts_with(&GZIP) {
        MultiGzDecoder::new(packed).take(limit).read_to_end(&mut bytes)?;
    } else {
        packed.take(limit).read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

/// The file's name without what all trajectories have in common.
fn short_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
    ENDINGS.iter().fold(name, |name, ending| match name.strip_suffix(ending) {
        Some(rest) if !rest.is_empty() => rest.to_owned(),
        _ => name,
    })
}

fn table(models: &BTreeMap<String, Facts>) -> String {
    let width = models.keys().map(|name| name.chars().count()).max().unwrap_or_default().max("trajectory".len());
    let mut text = format!(
        "{:width$}  events  minutes  calls  bash %  edit %  browser %  sql %  migrate %  other %  first look  dollars\n",
        "trajectory"
    );
    for (name, facts) in models {
        let share = |category: Category| {
            facts.category_share_pct.map_or_else(|| "–".to_owned(), |shares| format!("{:.1}", shares.get(category)))
        };
        let known =
            |value: Option<f64>, none: &str| value.map_or_else(|| none.to_owned(), |value| format!("{value:.2}"));
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{name:width$}  {:>6}  {:>7.1}  {:>5}  {:>6}  {:>6}  {:>9}  {:>5}  {:>9}  {:>7}  {:>10}  {:>7}",
            facts.events,
            facts.duration_s / 60.0,
            facts.tool_calls,
            share(Category::Bash),
            share(Category::Edit),
            share(Category::Browser),
            share(Category::Sql),
            share(Category::Migrate),
            share(Category::Other),
            known(facts.first_browser_call_at_fraction_of_time, "never"),
            known(facts.accumulated_cost_usd, "unknown"),
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_all_have_in_common() {
        assert_eq!(short_name(Path::new("runs/grok_trajectory.json.gz")), "grok");
        assert_eq!(short_name(Path::new("runs/one.jsonl")), "one");
        assert_eq!(short_name(Path::new(".json")), ".json");
    }
}
