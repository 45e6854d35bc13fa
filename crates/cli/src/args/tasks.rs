//! The command line of tasks.

use super::AskArguments;
use benchwright_vibe::task::{Difficulty, Domain, Split};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const TASKS_EXAMPLES: &str = "\
Examples:
  benchwright tasks check
  benchwright tasks check my-pack my-pack/leave-desk
  benchwright tasks list corpus/tasks
  benchwright tasks freeze corpus/tasks
  benchwright tasks draft \"A lending list for the tools of a neighbourhood\" --out my-pack
  benchwright tasks review my-pack/leave-desk --reviewer ann
  benchwright tasks audit my-pack/leave-desk
  benchwright tasks import vcb/data/zeeter --out my-pack --domain solo-founder --difficulty hard

A task is a folder with task.yaml, spec.md (all that a model sees) and workflows.yaml (what a tester does). A freeze writes
hashes to frozen.yaml beside the folders; a task that is edited afterwards needs a new version.

Exit codes: 0 fine · 2 a mistake in a task, or a task that changed after it was frozen · 3 the disk refused";

const DRAFT_EXAMPLES: &str = "\
Examples:
  benchwright tasks draft \"A lending list for the tools of a neighbourhood\" --out my-pack
  benchwright tasks draft \"Leave requests with approval\" --domain enterprise --difficulty hard --model openai/gpt-5.2 --budget inf

A model writes the specification and 6 to 23 workflows. What `tasks check` finds goes back to it, --rounds times at most. The last
draft is written in any case, and what is still wrong with it is named. Then comes `tasks review`.";

const REVIEW_EXAMPLES: &str = "\
Examples:
  benchwright tasks review my-pack/leave-desk
  benchwright tasks review my-pack/leave-desk --reviewer ann
  benchwright tasks review my-pack/leave-desk --reviewer ben --decisions opinions.yaml

Every workflow is looked at in two passes by different reviewers, each with a checklist and a decision: accept, modify or reject. What they
say is kept in review.yaml in the task's folder, and holds as long as the workflow and the specification stay as they are. Without
--reviewer the state of the review is shown.

opinions.yaml:
  workflows:
    ask-for-leave:
      decision: accept           # accept, modify, reject
      checklist: { in_spec: true, in_browser: true, isolated: true, sign_in: true, unambiguous: true, worthwhile: true }
    cancel-leave:
      decision: modify
      note: The specification does not say that leave can be cancelled.

Exit codes: 0 every workflow is accepted by two reviewers, or the decisions were taken down · 2 something is open, or bad input";

const AUDIT_EXAMPLES: &str = "\
Example:
  benchwright tasks audit my-pack --model anthropic/claude-sonnet-4.5

A model looks for what rules cannot tell and names it with file, line and column, by four classes: spec/test mismatch, impossible in a
browser, anonymous-auth inconsistency, isolation violation. What it says is advice; it may be wrong.

Exit codes: 0 nothing was named · 2 something was named, or bad input · 3 the model gave no usable answer";

/// `tasks`.
#[derive(Debug, Subcommand)]
pub enum TasksCommand {
    /// Name every mistake with file, line and column; exit code 2 when there is an error.
    Check(TaskFolders),
    /// List tasks: domain, difficulty, split, workflows, substeps, version, and whether it is frozen.
    List(TaskFolders),
    /// Freeze tasks without mistakes: write their hashes to frozen.yaml beside them.
    Freeze(TaskFolders),
    /// Let a model draft a task from an idea, then check it.
    #[command(after_help = DRAFT_EXAMPLES)]
    Draft(TasksDraftArguments),
    /// Decide workflow by workflow: accept, modify or reject, in two passes by different people.
    #[command(after_help = REVIEW_EXAMPLES)]
    Review(TasksReviewArguments),
    /// Let a model look for tests that a correct app could fail.
    #[command(after_help = AUDIT_EXAMPLES)]
    Audit(TasksAuditArguments),
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

/// `tasks draft`.
#[derive(Debug, Args)]
pub struct TasksDraftArguments {
    /// The app, in a few words or sentences.
    #[arg(value_name = "IDEA")]
    pub idea: String,
    /// The folder in which to make the folder of the task.
    #[arg(long, value_name = "DIR", default_value = "drafts")]
    pub out: PathBuf,
    /// For whom somebody would build it [default: as the model thinks].
    #[arg(long)]
    pub domain: Option<DomainChoice>,
    /// How hard it should be [default: as the model thinks].
    #[arg(long)]
    pub difficulty: Option<DifficultyChoice>,
    /// Which results it will count for.
    #[arg(long, default_value = "validation")]
    pub split: SplitChoice,
    /// How often what is wrong goes back to the model.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub rounds: u32,
    /// The model that drafts [default: anthropic/claude-sonnet-4.5].
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Where it is, and what it may cost.
    #[command(flatten)]
    pub asking: AskArguments,
}

/// `tasks review`.
#[derive(Debug, Args)]
pub struct TasksReviewArguments {
    /// The folder of the task.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Who reviews; without a name, the state of the review is shown.
    #[arg(long, value_name = "NAME")]
    pub reviewer: Option<String>,
    /// Take the decisions from this file instead of asking for them.
    #[arg(long, value_name = "FILE", requires = "reviewer")]
    pub decisions: Option<PathBuf>,
}

/// `tasks audit`.
#[derive(Debug, Args)]
pub struct TasksAuditArguments {
    /// Folders of tasks, or of many tasks.
    #[arg(value_name = "DIR", default_value = "corpus/tasks")]
    pub folders: Vec<PathBuf>,
    /// The model that audits [default: anthropic/claude-sonnet-4.5].
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Where it is, and what it may cost.
    #[command(flatten)]
    pub asking: AskArguments,
    /// Print what was found as JSON.
    #[arg(long)]
    pub json: bool,
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

/// `--split`.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum SplitChoice {
    Validation,
    Test,
}

impl From<SplitChoice> for Split {
    fn from(choice: SplitChoice) -> Self {
        match choice {
            SplitChoice::Validation => Self::Validation,
            SplitChoice::Test => Self::Test,
        }
    }
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
