//! `benchwright vibe analyse`: from evaluations to every table and figure.

use crate::args::AnalyseArguments;
use crate::exit::Failure;
use crate::outputs::{replace, say};
use crate::vibe::run_folder;
use crate::{commands::counted, models};
use benchwright_domain::vibe::analysis::{Analysis, Settings};
use benchwright_domain::vibe::collection::{Collection, Said};
use benchwright_domain::vibe::{Evaluation, Model, Split, Study};
use benchwright_report::vibe::{analysis_files, analysis_html};
use benchwright_store::Review;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const DEFAULT_OUT: &str = "benchwright-analysis";
const MAX_STUDY_BYTES: u64 = 512 * 1024 * 1024;

/// Runs the command.
pub fn run(arguments: &AnalyseArguments) -> Result<ExitCode, Failure> {
    let models = arguments.models.as_deref().map(models::read).transpose()?;
    let models = models.map(|known| known.models).unwrap_or_default();
    let study = match arguments.runs.as_slice() {
        [file] if file.is_file() => read_study(file)?,
        runs => collected(runs, &models, arguments)?,
    };
    let analysis =
        Analysis::of(&study, Settings::default()).map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_OUT));
    let written = benchwright_report::json::pretty(&analysis);
    write(&out, &study, &analysis, &written)?;
    if arguments.json {
        say(&written);
    } else if !arguments.quiet {
        say(&format!("{}\nAnalysis: {}\n", summary(&analysis), out.join("analysis.html").display()));
    }
    Ok(ExitCode::SUCCESS)
}

fn collected(runs: &[PathBuf], models: &[Model], arguments: &AnalyseArguments) -> Result<Study, Failure> {
    let (mut evaluations, mut reviews): (Vec<Evaluation>, Vec<Vec<Review>>) = (Vec::new(), Vec::new());
    let mut unfinished = 0;
    for path in run_folder::locate_all(runs)? {
        let run = run_folder::read(&path)?;
        match run.finished {
            Some(evaluation) => {
                evaluations.push(evaluation);
                reviews.push(run.reviews);
            }
            None => unfinished += 1,
        }
    }
    let mut collection = Collection::of(&evaluations, models, arguments.evaluator.as_deref())
        .map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
    collection
        .hear(evaluations.iter().zip(&reviews).flat_map(|(evaluation, reviews)| said(evaluation, reviews)).collect());
    if !arguments.quiet {
        let tell = |words: &str| eprintln!("benchwright: {words}");
        if unfinished > 0 {
            tell(&format!("left out: {} not finished", counted(unfinished, "evaluation")));
        }
        collection.left_out.iter().for_each(|words| tell(&format!("left out: {words}")));
        if !collection.undescribed.is_empty() && arguments.models.is_some() {
            tell(&format!("no entry in models.yaml: {}", collection.undescribed.join(", ")));
        }
    }
    Ok(collection.study)
}

/// What people said of an app.
fn said<'a>(evaluation: &'a Evaluation, reviews: &'a [Review]) -> impl Iterator<Item = Said<'a>> {
    reviews.iter().map(move |it| Said { evaluation, by: &it.by, workflow: &it.workflow, marks: &it.marks })
}

fn read_study(file: &Path) -> Result<Study, Failure> {
    let wrong = |what: String| Failure::BadInput(format!("cannot read {}: {what}", file.display()));
    let opened = File::open(file).map_err(|error| wrong(error.to_string()))?;
    serde_json::from_reader(BufReader::new(opened.take(MAX_STUDY_BYTES))).map_err(|error| wrong(error.to_string()))
}

fn write(out: &Path, study: &Study, analysis: &Analysis, written: &str) -> Result<(), Failure> {
    let outdated = tables_of_before(&out.join("analysis.json"));
    replace(&out.join("analysis.html"), analysis_html(analysis).as_bytes())?;
    replace(&out.join("analysis.json"), written.as_bytes())?;
    let study = serde_json::to_vec(study).map_err(|error| Failure::Bug(error.to_string()))?;
    replace(&out.join("study.json"), &study)?;
    let tables: BTreeMap<String, String> = analysis_files(analysis).into_iter().collect();
    for (name, text) in &tables {
        replace(&out.join("tables").join(name), text.as_bytes())?;
    }
    for name in outdated.iter().filter(|name| !tables.contains_key(*name)) {
        // Somebody may have taken it away already.
        let _ = fs::remove_file(out.join("tables").join(name));
    }
    Ok(())
}

/// What an analysis that is about to be replaced had written beside it. A table without a successor would be taken for one of the new
/// analysis; whatever else lies there is not ours.
fn tables_of_before(file: &Path) -> Vec<String> {
    let before: Option<Analysis> = File::open(file)
        .ok()
        .and_then(|opened| serde_json::from_reader(BufReader::new(opened.take(MAX_STUDY_BYTES))).ok());
    before.map(|analysis| analysis_files(&analysis).into_iter().map(|(name, _)| name).collect()).unwrap_or_default()
}

/// Who stands where, on each split.
fn summary(analysis: &Analysis) -> String {
    let mut text = format!("Verdicts of {}\n", analysis.evaluator);
    for (split, name) in [(Split::Test, "Test split"), (Split::Validation, "Validation split, no part of any score")] {
        let Some(found) = analysis.splits.get(&split) else { continue };
        let width = found.models.iter().map(|row| row.name.chars().count()).max().unwrap_or_default();
        let _ = writeln!(text, "\n{name}");
        for row in &found.models {
            let rank = row.rank.map_or_else(|| "–".to_owned(), benchwright_report::vibe::rank);
            let error = row.accuracy.standard_error.map(|error| format!(" ± {error:.1}")).unwrap_or_default();
            let cost =
                row.cost_usd.complete().map_or_else(|| "cost unknown".to_owned(), |cost| format!("${cost:.2} an app"));
            let _ = writeln!(
                text,
                "  {rank:>5}  {:width$}  {:.1} %{error}  {}, {cost}",
                row.name,
                row.accuracy.mean,
                counted(row.accuracy.apps, "app")
            );
        }
    }
    text
}
