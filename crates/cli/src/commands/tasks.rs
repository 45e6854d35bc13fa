//! `benchwright tasks`: checks, lists, freezes and imports tasks.

use super::counted;
use crate::args::{TasksCommand, TasksImportArguments};
use crate::exit::{BAD_INPUT, Failure};
use benchwright_domain::yaml::Severity;
use benchwright_vibe::task::import::{Judgement, Published};
use benchwright_vibe::task::{self, Files, Freezing, Frozen, Task, folder};
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
        for problem in own.chain(task::check_together(&shelf.tasks, &shelf.frozen)) {
            match problem.severity {
                Severity::Error => errors += 1,
                Severity::Warning => warnings += 1,
            }
            println!("{problem}");
        }
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
    rows.sort_by(|(left, _), (right, _)| (left.domain, &left.id).cmp(&(right.domain, &right.id)));
    let width = rows.iter().map(|(task, _)| task.id.len()).max().unwrap_or_default();
    println!("{:width$}  domain        difficulty  split       workflows  substeps  version", "id");
    for (task, frozen) in &rows {
        println!(
            "{:width$}  {:12}  {:10}  {:10}  {:>9}  {:>8}  {:>7}{}",
            task.id,
            task.domain.name(),
            task.difficulty.name(),
            task.split.name(),
            task.workflows.len(),
            task.substeps(),
            task.version,
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
            replace(&file, &frozen.written())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes a file so that nobody ever sees half of it.
fn replace(file: &Path, text: &str) -> Result<(), Failure> {
    let refused = |error| Failure::Environment(format!("cannot write {}: {error}", file.display()));
    let draft = file.with_extension(format!("yaml.{}", std::process::id()));
    fs::write(&draft, text).and_then(|()| fs::rename(&draft, file)).map_err(refused)
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
        let folder = arguments.out.join(&files.folder);
        let refused = |error| Failure::Environment(format!("cannot write {}: {error}", folder.display()));
        fs::create_dir_all(&folder).map_err(refused)?;
        let texts = [(folder::TASK, &files.task), (folder::SPEC, &files.spec), (folder::WORKFLOWS, &files.workflows)];
        for (name, text) in texts {
            fs::write(folder.join(name), text).map_err(refused)?;
        }
        println!("{}", folder.display());
    }
    println!("{} imported", counted(tasks.len(), "task"));
    Ok(ExitCode::SUCCESS)
}

fn bad_input(error: impl Display) -> Failure {
    Failure::BadInput(format!("failed to {error}"))
}
