//! `benchwright prompts`: checks prompt files without running them, and shows those of the corpus.

use super::counted;
use crate::args::{PromptsCheckArguments, PromptsCommand, PromptsListArguments};
use crate::config::read_text;
use crate::exit::{BAD_INPUT, Failure};
use crate::{corpus, outputs};
use benchwright_domain::yaml::Severity;
use benchwright_scoring::prompt::{self, Prompt};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Most files looked at in one folder.
const MAX_FILES: usize = 1_000;

/// Runs the command.
pub fn run(command: &PromptsCommand) -> Result<ExitCode, Failure> {
    match command {
        PromptsCommand::Check(arguments) => check(arguments),
        PromptsCommand::List(arguments) => list(arguments),
        PromptsCommand::Show(arguments) => show(&arguments.id),
    }
}

fn check(arguments: &PromptsCheckArguments) -> Result<ExitCode, Failure> {
    let (mut errors, mut warnings) = (0, 0);
    for path in &arguments.files {
        for problem in prompt::lint(&read_text(path)?, &path.display().to_string()) {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
            println!("{problem}");
        }
    }
    let files = counted(arguments.files.len(), "file");
    if errors == 0 && warnings == 0 {
        println!("{files} checked, nothing wrong");
    } else {
        println!("{files} checked: {}, {}", counted(errors, "error"), counted(warnings, "warning"));
    }
    Ok(if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

fn list(arguments: &PromptsListArguments) -> Result<ExitCode, Failure> {
    let mut prompts = match &arguments.folder {
        Some(folder) => prompts_in(folder)?,
        None => corpus::PROMPTS.iter().filter_map(|(id, _)| corpus::find(id)).collect::<Result<_, _>>()?,
    };
    prompts.sort_by(|left: &Prompt, right| (left.tier, &left.id).cmp(&(right.tier, &right.id)));
    let width = prompts.iter().map(|prompt| prompt.id.len()).max().unwrap_or_default();
    println!("{:width$}  tier  must  should  verbatim  checklists", "id");
    for prompt in &prompts {
        let checklists = prompt.visual_checklist.extra.len() + prompt.functional_checklist.extra.len();
        println!(
            "{:width$}  {:>4}  {:>4}  {:>6}  {:>8}  {checklists:>10}",
            prompt.id,
            prompt.tier,
            prompt.must_have.len(),
            prompt.should_have.len(),
            prompt.verbatim_constraints.len(),
        );
    }
    Ok(ExitCode::SUCCESS)
}

fn prompts_in(folder: &Path) -> Result<Vec<Prompt>, Failure> {
    let mut prompts = Vec::new();
    for path in files_in(folder)? {
        let read = prompt::load(&read_text(&path)?, &path.display().to_string());
        prompts.push(read.map_err(|error| Failure::BadInput(error.to_string()))?);
    }
    if prompts.is_empty() {
        let folder = folder.display();
        return Err(Failure::BadInput(format!("{folder} holds no prompts; a prompt is a file that ends in .yaml")));
    }
    Ok(prompts)
}

fn show(id: &str) -> Result<ExitCode, Failure> {
    let Some((_, text)) = corpus::PROMPTS.iter().find(|(known, _)| *known == id) else {
        return Err(Failure::BadInput(format!("`{id}` is no prompt of the corpus, which has {}", corpus::ids())));
    };
    outputs::say(text);
    Ok(ExitCode::SUCCESS)
}

pub fn files_in(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let wrong = |error: std::io::Error| Failure::BadInput(format!("cannot read {}: {error}", folder.display()));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(wrong)?.take(MAX_FILES) {
        let path = entry.map_err(wrong)?.path();
        if path.is_file() && path.extension().is_some_and(|extension| extension == "yaml" || extension == "yml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
