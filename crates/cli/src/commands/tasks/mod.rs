//! `benchwright tasks`: drafts, checks, reviews, audits, lists, freezes and imports tasks.

mod audit;
mod draft;
mod review;

use super::counted;
use crate::args::{TasksCommand, TasksImportArguments};
use crate::exit::{BAD_INPUT, Failure};
use crate::outputs;
use benchwright_domain::yaml::{Problem, Severity};
use benchwright_vibe::task::import::{Judgement, Published};
use benchwright_vibe::task::{self, Files, Freezing, Frozen, Task, Written, folder};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Runs the command.
pub fn run(command: &TasksCommand) -> Result<ExitCode, Failure> {
    match command {
        TasksCommand::Check(arguments) => Ok(check(&shelves(&arguments.folders)?)),
        TasksCommand::List(arguments) => list(&shelves(&arguments.folders)?),
        TasksCommand::Freeze(arguments) => freeze(shelves(&arguments.folders)?),
        TasksCommand::Draft(arguments) => draft::run(arguments),
        TasksCommand::Review(arguments) => review::run(arguments),
        TasksCommand::Audit(arguments) => audit::run(arguments),
        TasksCommand::Import(arguments) => import(arguments),
    }
}

/// The tasks that stand beside one `frozen.yaml`.
struct Shelf {
    file: PathBuf,
    frozen: Frozen,
    tasks: Vec<Files>,
}

/// The tasks in these folders, each once.
fn shelves(folders: &[PathBuf]) -> Result<Vec<Shelf>, Failure> {
    let mut found: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
    for folder in folders {
        for task in folder::tasks_in(folder).map_err(bad_input)? {
            let shelf = found.entry(task::beside(&task)).or_default();
            if !shelf.contains(&task) {
                shelf.push(task);
            }
        }
    }
    let mut shelves = Vec::new();
    for (file, tasks) in found {
        let frozen = if file.exists() {
            let text = folder::read_text(&file).map_err(bad_input)?;
            Frozen::read(&text, &file.display().to_string()).map_err(bad_input)?
        } else {
            Frozen::default()
        };
        let tasks = tasks.iter().map(|task| Files::read(task).map_err(bad_input)).collect::<Result<_, _>>()?;
        shelves.push(Shelf { file, frozen, tasks });
    }
    Ok(shelves)
}

fn check(shelves: &[Shelf]) -> ExitCode {
    let (mut tasks, mut errors, mut warnings) = (0, 0, 0);
    for shelf in shelves {
        tasks += shelf.tasks.len();
        let own = shelf.tasks.iter().flat_map(task::check);
        let problems: Vec<Problem> = own.chain(task::check_together(&shelf.tasks, &shelf.frozen)).collect();
        let (more_errors, more_warnings) = tell(&problems);
        errors += more_errors;
        warnings += more_warnings;
    }
    let tasks = counted(tasks, "task");
    if errors == 0 && warnings == 0 {
        println!("{tasks} checked, nothing wrong");
    } else {
        println!("{tasks} checked: {}, {}", counted(errors, "error"), counted(warnings, "warning"));
    }
    if errors == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) }
}

fn list(shelves: &[Shelf]) -> Result<ExitCode, Failure> {
    let mut rows = Vec::new();
    for shelf in shelves {
        for files in &shelf.tasks {
            let task = task::load(files).map_err(bad_input)?;
            let frozen = shelf.frozen.hash_of(&task.id, task.version).is_some_and(|hash| hash == task::hash(files));
            rows.push((task, frozen));
        }
    }
    rows.sort_by(|(left, _), (right, _)| {
        (left.written, left.domain, &left.id).cmp(&(right.written, right.domain, &right.id))
    });
    let width = rows.iter().map(|(task, _)| task.id.len()).max().unwrap_or_default();
    println!("{:width$}  domain        difficulty  split       workflows  substeps  version", "id");
    for (task, frozen) in &rows {
        println!(
            "{:width$}  {:12}  {:10}  {:10}  {:>9}  {:>8}  {:>7}{}{}",
            task.id,
            task.domain.name(),
            task.difficulty.name(),
            task.split.name(),
            task.workflows.len(),
            task.substeps(),
            task.version,
            if task.written == Written::Afterwards { "  written afterwards" } else { "" },
            if *frozen { "" } else { "  not frozen" },
        );
    }
    let workflows = rows.iter().map(|(task, _)| task.workflows.len()).sum();
    let substeps = rows.iter().map(|(task, _)| Task::substeps(task)).sum();
    println!("{}, {}, {}", counted(rows.len(), "task"), counted(workflows, "workflow"), counted(substeps, "substep"));
    Ok(ExitCode::SUCCESS)
}

fn freeze(shelves: Vec<Shelf>) -> Result<ExitCode, Failure> {
    for Shelf { file, mut frozen, tasks } in shelves {
        let mut changed = false;
        for files in &tasks {
            let task = task::load(files).map_err(bad_input)?;
            match frozen.freeze(&task.id, task.version, task::hash(files)).map_err(bad_input)? {
                Freezing::Done => {
                    changed = true;
                    println!("{} version {} is frozen", task.id, task.version);
                }
                Freezing::Already => println!("{} version {} was frozen before", task.id, task.version),
            }
        }
        if changed {
            outputs::replace(&file, frozen.written().as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn import(arguments: &TasksImportArguments) -> Result<ExitCode, Failure> {
    let judgement = Judgement { domain: arguments.domain.into(), difficulty: arguments.difficulty.into() };
    let tasks = Published::read(&arguments.from).and_then(|published| published.tasks(judgement)).map_err(bad_input)?;
    for files in &tasks {
        task::load(files).map_err(bad_input)?;
        let folder = arguments.out.join(&files.folder);
        if folder.exists() {
            return Err(Failure::BadInput(format!(
                "{} is there already; remove it or choose another --out",
                folder.display()
            )));
        }
    }
    for files in &tasks {
        println!("{}", write(files, &arguments.out)?.display());
    }
    println!("{} imported", counted(tasks.len(), "task"));
    Ok(ExitCode::SUCCESS)
}

/// Writes the folder of a task below another.
fn write(files: &Files, out: &Path) -> Result<PathBuf, Failure> {
    let folder = out.join(&files.folder);
    let refused = |error| Failure::Environment(format!("cannot write {}: {error}", folder.display()));
    fs::create_dir_all(&folder).map_err(refused)?;
    let texts = [(folder::TASK, &files.task), (folder::SPEC, &files.spec), (folder::WORKFLOWS, &files.workflows)];
    for (name, text) in texts {
        fs::write(folder.join(name), text).map_err(refused)?;
    }
    Ok(folder)
}

/// Prints problems and counts them: errors and warnings.
fn tell(problems: &[Problem]) -> (usize, usize) {
    for problem in problems {
        println!("{problem}");
    }
    let errors = problems.iter().filter(|problem| problem.severity == Severity::Error).count();
    (errors, problems.len() - errors)
}

fn bad_input(error: impl Display) -> Failure {
    Failure::BadInput(format!("failed to {error}"))
}
