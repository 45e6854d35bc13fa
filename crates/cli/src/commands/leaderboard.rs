//! `benchwright leaderboard`: a static board from reports.

use crate::args::LeaderboardArguments;
use crate::exit::Failure;
use crate::{loaded, outputs};
use benchwright_domain::Report;
use benchwright_domain::board::{Board, Candidate};
use benchwright_report::{NoBlobs, board, csv, html, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const DEFAULT_OUT: &str = "benchwright-board";
const DEFAULT_RUNS: [&str; 2] = ["benchwright-batch", "benchwright-report"];
const MOST_REPORTS: usize = 10_000;
const DEEPEST: usize = 8;

/// A report that was found, and the page beside it.
struct Found {
    report: Report,
    file: PathBuf,
    link: String,
}

/// Runs the command.
pub fn run(arguments: &LeaderboardArguments) -> Result<ExitCode, Failure> {
    let found = name(read(&files(&roots(&arguments.runs)?)?, arguments.quiet));
    if found.is_empty() {
        eprintln!(
            "benchwright: no report was found, so the board is empty; `benchwright score` and `batch` write them"
        );
    }
    let candidates: Vec<_> = found.iter().map(|f| Candidate { report: &f.report, link: &f.link }).collect();
    let made = Board::of(&candidates);
    let folder = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let now = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let page = board::html(&made, board::Heading { title: &arguments.title, made_at: &now });
    for one in &found {
        let shown = fs::read(one.file.with_extension("html"))
            .unwrap_or_else(|_| html::render(&one.report, &NoBlobs).into_bytes());
        outputs::replace(&folder.join(&one.link), &shown)?;
    }
    outputs::replace(&folder.join("index.html"), page.as_bytes())?;
    outputs::replace(&folder.join("board.json"), json::pretty(&made).as_bytes())?;
    outputs::replace(&folder.join("board.csv"), csv::board(&made).as_bytes())?;
    if arguments.json {
        outputs::say(&json::pretty(&made));
    } else if !arguments.quiet {
        let ranked: usize =
            made.prompts.iter().flat_map(|p| &p.rankings).flat_map(|r| &r.rows).map(|r| r.runs.len()).sum();
        let apart = made.unranked.len();
        let prompts = match made.prompts.len() {
            1 => "1 prompt".to_owned(),
            count => format!("{count} prompts"),
        };
        let page = folder.join("index.html");
        outputs::say(&format!("{ranked} ranked runs on {prompts}, {apart} not ranked\nBoard: {}\n", page.display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn roots(named: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    if let Some(missing) = named.iter().find(|folder| !folder.is_dir()) {
        return Err(Failure::BadInput(format!("{} is not a folder with reports", missing.display())));
    }
    let usual: Vec<_> = DEFAULT_RUNS.iter().map(PathBuf::from).filter(|folder| folder.is_dir()).collect();
    match (named.is_empty(), usual.is_empty()) {
        (false, _) => Ok(named.to_vec()),
        (true, false) => Ok(usual),
        (true, true) => Err(Failure::BadInput("there are no reports here; say where they are: --runs DIR".to_owned())),
    }
}

/// Every report.json below the roots; one nearer the root comes first.
fn files(roots: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut found = Vec::new();
    for root in roots {
        walk(root, 0, &mut found)
            .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", root.display())))?;
    }
    if found.len() > MOST_REPORTS {
        return Err(Failure::BadInput(format!("more than {MOST_REPORTS} reports were found; name fewer folders")));
    }
    Ok(found)
}

fn walk(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let file = folder.join("report.json");
    if file.is_file() {
        found.push(file);
    }
    if depth >= DEEPEST || found.len() > MOST_REPORTS {
        return Ok(());
    }
    let mut folders: Vec<PathBuf> = fs::read_dir(folder)?
        .filter_map(|entry| entry.ok().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())))
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name != "blobs" && name != "node_modules"))
        .collect();
    folders.sort();
    folders.iter().try_for_each(|folder| walk(folder, depth + 1, found))
}

/// A file that is no report is said and left out.
fn read(files: &[PathBuf], quiet: bool) -> Vec<(Report, PathBuf)> {
    let mut seen = BTreeSet::new();
    let mut reports = Vec::new();
    for file in files {
        match loaded::report_file(file) {
            Ok(report) => {
                if seen.insert(report.provenance.run.clone()) {
                    reports.push((report, file.clone()));
                }
            }
            Err(failure) if !quiet => eprintln!("benchwright: left out: {failure}"),
            Err(_) => {}
        }
    }
    reports
}

/// Gives every report a page of its own in the board's folder.
fn name(reports: Vec<(Report, PathBuf)>) -> Vec<Found> {
    let mut taken = BTreeSet::new();
    reports
        .into_iter()
        .map(|(report, file)| {
            let plain: String =
                report.provenance.run.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            let plain = if plain.is_empty() { "run".to_owned() } else { plain };
            let names = std::iter::once(plain.clone()).chain((2..).map(|number| format!("{plain}-{number}")));
            let mut links = names.map(|name| format!("reports/{name}.html"));
            let link = links.find(|link| taken.insert(link.to_lowercase())).unwrap_or_default();
            Found { report, file, link }
        })
        .collect()
}
