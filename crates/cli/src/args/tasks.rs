//! The command line of tasks.

use benchwright_vibe::task::{Difficulty, Domain};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const TASKS_EXAMPLES: &str = "\
Examples:
  benchwright tasks check
  benchwright tasks check my-pack my-pack/leave-desk
  benchwright tasks list corpus/tasks
  benchwright tasks freeze corpus/tasks
  benchwright tasks import vcb/data/zeeter --out my-pack --domain solo-founder --difficulty hard

A task is a folder with task.yaml, spec.md (all that a model sees) and workflows.yaml (what a tester does). A freeze writes
hashes to frozen.yaml beside the folders; a task that is edited afterwards needs a new version.

Exit codes: 0 fine · 2 a mistake in a task, or a task that changed after it was frozen · 3 the disk refused";

/// `tasks`.
#[derive(Debug, Subcommand)]
pub enum TasksCommand {
    /// Name every mistake with file, line and column; exit code 2 when there is an error.
    Check(TaskFolders),
    /// List tasks: domain, difficulty, split, workflows, substeps, version, and whether it is frozen.
    List(TaskFolders),
    /// Freeze tasks without mistakes: write their hashes to frozen.yaml beside them.
    Freeze(TaskFolders),
    /// Make tasks of a folder in the layout of VCB-1-100: one for every iteration.
    Import(TasksImportArguments),
}

/// Which tasks.
#[derive(Debug, Args)]
pub struct TaskFolders {
    /// Folders of tasks, or of many tasks.
    #[arg(value_name = "DIR", default_value = "corpus/tasks")]
    pub folders: Vec<PathBuf>,
}

/// `tasks import`.
#[derive(Debug, Args)]
pub struct TasksImportArguments {
    /// The folder with task.yaml, tests.yaml, base_prompt.md and prompts/.
    #[arg(value_name = "DIR")]
    pub from: PathBuf,
    /// The folder in which to make the folders of the tasks.
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// For whom somebody would build it; the layout does not say.
    #[arg(long)]
    pub domain: DomainChoice,
    /// How hard it is; the layout does not say.
    #[arg(long)]
    pub difficulty: DifficultyChoice,
}

/// `--domain`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DomainChoice {
    Individual,
    SoloFounder,
    Enterprise,
}

/// `--difficulty`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum DifficultyChoice {
    Easy,
    Medium,
    Hard,
}

impl From<DomainChoice> for Domain {
    fn from(choice: DomainChoice) -> Self {
        match choice {
            DomainChoice::Individual => Self::Individual,
            DomainChoice::SoloFounder => Self::SoloFounder,
            DomainChoice::Enterprise => Self::Enterprise,
        }
    }
}

impl From<DifficultyChoice> for Difficulty {
    fn from(choice: DifficultyChoice) -> Self {
        match choice {
            DifficultyChoice::Easy => Self::Easy,
            DifficultyChoice::Medium => Self::Medium,
            DifficultyChoice::Hard => Self::Hard,
        }
    }
}
