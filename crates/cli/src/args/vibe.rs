//! The arguments of the commands that judge models.

use super::AskArguments;
use benchwright_vibe::deploy::Backend;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const VIBE_EXAMPLES: &str = "\
Examples:
  benchwright vibe evaluate --task plant-diary --bundle my-app
  benchwright vibe evaluate --task plant-diary --url http://localhost:3000 --workflow add-a-plant
  benchwright vibe resume benchwright-vibe
  benchwright vibe rejudge benchwright-vibe --judge anthropic/claude-sonnet-4.5
  benchwright vibe run --models models.yaml --bundles bundles --tasks my-pack
  benchwright vibe analyse benchwright-vibe --out analysis
  benchwright vibe export benchwright-vibe -o study.zip
  benchwright vibe trajectory *_trajectory.json.gz --json

How it works, from a bundle to an analysis: docs/vibe.md.";

const EVALUATE_EXAMPLES: &str = "\
Examples:
  benchwright vibe evaluate --task plant-diary --bundle my-app
  benchwright vibe evaluate --task leave-desk --bundle app.zip --model acme/one --concurrency 4 --score
  benchwright vibe evaluate --task plant-diary --url http://localhost:3000 --workflow add-a-plant
  benchwright vibe evaluate --task plant-diary --bundle my-app --evaluator agent --judge anthropic/claude-sonnet-4.5

The app is deployed, and for every workflow a fresh copy of it with the data as they were submitted is walked through in a
fresh browser; a judge who reads only what was recorded says of every substep whether it passes. A workflow passes when nine
of ten substeps do. Without a key the resolver walks and rules judge; with one, a model walks where the resolver is unsure.

Exit codes: 0 evaluated, whatever came of it · 1 below --fail-under · 2 bad input · 3 this machine lacks something, the
budget is used up, or a model takes no call · 130 interrupted; `benchwright vibe resume` goes on";

const RUN_EXAMPLES: &str = "\
Example:
  benchwright vibe run --models models.yaml --bundles bundles --tasks my-pack --out results --concurrency 2
  benchwright vibe analyse results

Layout of --bundles: <model>/<task>/<run>/ with the bundle in app/ or app.zip, and, where there are some, trajectory.jsonl (or
trajectory.json, packed with gzip or not) and variant.yaml (what was set differently, by name). A `/` in a model's id is `__` in the
name of its folder. Bundles that are missing are named; called again with the same --out, what is finished is kept.

Exit codes: 0 every bundle is evaluated · 2 bad input, or bundles are missing · 3 this machine lacks something, the budget is
used up, or a model takes no call · 130 interrupted; the same command goes on";

const ANALYSE_EXAMPLES: &str = "\
Examples:
  benchwright vibe analyse benchwright-vibe
  benchwright vibe analyse results other-results --models models.yaml --out analysis
  benchwright vibe analyse results --evaluator hybrid/rules --json

Writes analysis.html (every table and figure, one offline page), analysis.json, study.json, and every table as CSV and JSON in
tables/. Models are scored on the test split alone; validation tasks stand apart.";

const EXPORT_EXAMPLES: &str = "\
Examples:
  benchwright vibe export results -o study.zip
  benchwright vibe import study.zip --out copy && benchwright vibe analyse copy

The archive holds bundles, trajectories, traces with everything that was seen, verdicts and specifications. Secrets are taken
out of all texts first. Numbers that are made from an import are the same.";

/// `vibe`.
#[derive(Debug, Subcommand)]
pub enum VibeCommand {
    /// Try an app: walk it through the workflows of a task and judge every substep.
    #[command(after_help = EVALUATE_EXAMPLES)]
    Evaluate(Box<EvaluateArguments>),
    /// Go on with an evaluation that was interrupted; finished workflows are not walked again.
    #[command(after_help = "Example:\n  benchwright vibe resume benchwright-vibe")]
    Resume(Box<VibeResumeArguments>),
    /// Judge the stored traces of evaluations again, without a browser.
    #[command(
        after_help = "Examples:\n  benchwright vibe rejudge benchwright-vibe\n  benchwright vibe rejudge benchwright-vibe --judge anthropic/claude-sonnet-4.5\n\n\
                      The verdicts that count stay; those of another judge are kept beside them and enter the agreement matrix."
    )]
    Rejudge(Box<RejudgeArguments>),
    /// Evaluate the bundles of many models for many tasks; finished ones are kept, the rest is done on the next call.
    #[command(after_help = RUN_EXAMPLES)]
    Run(Box<VibeRunArguments>),
    /// Make every table and figure from evaluations.
    #[command(after_help = ANALYSE_EXAMPLES)]
    Analyse(AnalyseArguments),
    /// Pack evaluations with everything behind them into one archive, without secrets.
    #[command(after_help = EXPORT_EXAMPLES)]
    Export(VibeExportArguments),
    /// Take in an archive of evaluations.
    #[command(after_help = EXPORT_EXAMPLES)]
    Import(VibeImportArguments),
    /// Count what models did while they built apps: calls, shares, phases, cost.
    #[command(
        after_help = "Example:\n  benchwright vibe trajectory *_trajectory.json.gz --json\n\nOur own trajectories (JSON lines) and \
                      those of OpenHands (a JSON array) are read, packed with gzip or not."
    )]
    Trajectory(TrajectoryArguments),
}

/// Who walks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum WalkerChoice {
    /// No model: sentences are parsed and resolved on the page.
    Resolver,
    /// A model that calls tools.
    Agent,
    /// A recorded walk, verified step by step; the agent where it no longer fits.
    Replay,
    /// The resolver, and the agent where it is unsure.
    Hybrid,
}

/// What deploys a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BackendChoice {
    /// The package's own scripts, behind walls.
    Native,
    /// Its compose file.
    Compose,
}

impl From<BackendChoice> for Backend {
    fn from(choice: BackendChoice) -> Self {
        match choice {
            BackendChoice::Native => Self::Native,
            BackendChoice::Compose => Self::Compose,
        }
    }
}

/// The forms in which an evaluation is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum VibeFormat {
    /// report.html: one offline page.
    Html,
    /// report.json.
    Json,
    /// report.md, for pull requests.
    Md,
    /// report.csv, one row per substep.
    Csv,
}

/// How apps are evaluated, whoever names them.
#[derive(Debug, Clone, Args)]
pub struct EvaluatorArguments {
    /// Folder of tasks.
    #[arg(long, value_name = "DIR", default_value = "corpus/tasks")]
    pub tasks: PathBuf,
    /// Who walks [default: hybrid with a key or --evaluator-model, else resolver].
    #[arg(long, value_enum)]
    pub evaluator: Option<WalkerChoice>,
    /// The model that walks [default: anthropic/claude-sonnet-4.5].
    #[arg(long, value_name = "MODEL")]
    pub evaluator_model: Option<String>,
    /// Who judges: `rules`, or a model [default: rules].
    #[arg(long, value_name = "rules|MODEL")]
    pub judge: Option<String>,
    /// What deploys bundles [default: native where a package is all there is to the bundle, else compose].
    #[arg(long, value_enum)]
    pub backend: Option<BackendChoice>,
    /// One copy of the app for all workflows, with whatever others left in it, as the published benchmark has it.
    #[arg(long)]
    pub shared_state: bool,
    /// Workflows walked at once, each with its own copy of the app [default: 1].
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// Walk the workflows in an order shuffled by this seed instead of that of the file.
    #[arg(long, value_name = "NUMBER")]
    pub shuffle: Option<u64>,
    /// Seed of the values that workflows type; another one for every run when absent.
    #[arg(long, value_name = "TEXT")]
    pub seed: Option<String>,
    /// Steps of an agent in one workflow [default: the task's].
    #[arg(long, value_name = "N")]
    pub agent_steps: Option<u32>,
    /// Seconds for one answer of a model [default: the task's].
    #[arg(long, value_name = "SECONDS")]
    pub call_seconds: Option<u32>,
    /// Seconds for one step [default: the task's].
    #[arg(long, value_name = "SECONDS")]
    pub step_seconds: Option<u32>,
    /// Seconds until the app answers [default: the task's].
    #[arg(long, value_name = "SECONDS")]
    pub start_seconds: Option<u32>,
    /// Seconds for all workflows of an app together [default: the task's].
    #[arg(long, value_name = "SECONDS")]
    pub app_seconds: Option<u32>,
    /// How much of the machine each copy of an app may use.
    #[command(flatten)]
    pub allowance: AllowanceArguments,
    /// Browser to use instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Where models are, and what they may cost.
    #[command(flatten)]
    pub asking: AskArguments,
}

/// How much of the machine each copy of an app may use.
#[derive(Debug, Clone, Args)]
pub struct AllowanceArguments {
    /// Processors of a copy of the app [default: 2].
    #[arg(long = "app-cpus", value_name = "N")]
    pub cpus: Option<f64>,
    /// Memory of a copy of the app [default: 2048].
    #[arg(long = "app-memory", value_name = "MIB")]
    pub memory: Option<u64>,
    /// Processes and threads of a copy of the app [default: 512].
    #[arg(long = "app-processes", value_name = "N")]
    pub processes: Option<u64>,
    /// What a copy of the app may have on the disk [default: 1024].
    #[arg(long = "app-disk", value_name = "MIB")]
    pub disk: Option<u64>,
    /// The end of its log that is kept [default: 256].
    #[arg(long = "app-log", value_name = "KIB")]
    pub log: Option<u64>,
}

/// What is printed, and what is expected.
#[derive(Debug, Clone, Default, Args)]
pub struct VibePrinting {
    /// Reports to write, comma-separated [default: html,json,md].
    #[arg(long, value_enum, value_delimiter = ',', value_name = "FORMATS")]
    pub format: Option<Vec<VibeFormat>>,
    /// Print report.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// End with exit code 1 when fewer percent of workflows pass.
    #[arg(long, value_name = "PERCENT", allow_negative_numbers = true)]
    pub fail_under: Option<f64>,
}

/// `vibe evaluate`.
#[derive(Debug, Clone, Args)]
pub struct EvaluateArguments {
    /// Id of the task.
    #[arg(long, value_name = "ID")]
    pub task: String,
    /// The app: a folder or a ZIP.
    #[arg(long, value_name = "DIR|ZIP", required_unless_present = "url", conflicts_with = "url")]
    pub bundle: Option<PathBuf>,
    /// The app: an address at which somebody else runs it. Its data cannot be restored between workflows.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Only this workflow. Repeatable; such an evaluation enters no analysis.
    #[arg(long = "workflow", value_name = "ID")]
    pub workflows: Vec<String>,
    /// How it is evaluated.
    #[command(flatten)]
    pub evaluator: EvaluatorArguments,
    /// Evaluations of the same app, one after the other: how much the evaluator varies [default: 1].
    #[arg(long, value_name = "N")]
    pub repeat: Option<usize>,
    /// The model that built the app, or what its maker is called [default: unknown].
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Which of the model's apps for this task it is, from 0 on.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub run: u32,
    /// What the model did while it built the app.
    #[arg(long, value_name = "FILE")]
    pub trajectory: Option<PathBuf>,
    /// Also run the 23 scorers on the bundle, with the judges that benchwright.toml names; both results stand on one page.
    #[arg(long, requires = "bundle")]
    pub score: bool,
    /// Where reports and evidence go [default: benchwright-vibe].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: VibePrinting,
}

/// `vibe resume`.
#[derive(Debug, Clone, Args)]
pub struct VibeResumeArguments {
    /// The run, or the folder that `vibe evaluate` wrote to.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The bundle, if it is no longer where it was.
    #[arg(long, value_name = "DIR|ZIP")]
    pub bundle: Option<PathBuf>,
    /// Workflows walked at once [default: as before].
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// Browser to use instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Where models are, and what they may cost.
    #[command(flatten)]
    pub asking: AskArguments,
    /// Where reports go [default: where the run is].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: VibePrinting,
}

/// `vibe rejudge`.
#[derive(Debug, Clone, Args)]
pub struct RejudgeArguments {
    /// Runs, or folders with runs.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Who judges: `rules`, or a model.
    #[arg(long, value_name = "rules|MODEL", default_value = "rules")]
    pub judge: String,
    /// Which repetition of the same question this is: opinions with different numbers are kept beside each other.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub repeat: u32,
    /// Where models are, and what they may cost.
    #[command(flatten)]
    pub asking: AskArguments,
    /// Print what is found as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `vibe run`.
#[derive(Debug, Clone, Args)]
pub struct VibeRunArguments {
    /// Folder of bundles: <model>/<task>/<run>/.
    #[arg(long, value_name = "DIR")]
    pub bundles: PathBuf,
    /// Only these tasks. Repeatable [default: all of --tasks].
    #[arg(long = "task", value_name = "ID")]
    pub task: Vec<String>,
    /// Only these models. Repeatable [default: all of --models].
    #[arg(long = "model", value_name = "ID")]
    pub model: Vec<String>,
    /// Apps evaluated at once [default: 1].
    #[arg(long, value_name = "N")]
    pub apps: Option<usize>,
    /// Evaluations of each app [default: 1].
    #[arg(long, value_name = "N")]
    pub repeat: Option<usize>,
    /// How they are evaluated.
    #[command(flatten)]
    pub evaluator: EvaluatorArguments,
    /// Also run the 23 scorers on every bundle, with the judges that benchwright.toml names.
    #[arg(long)]
    pub score: bool,
    /// Where runs go [default: benchwright-vibe].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print what became of every bundle as JSON.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `vibe analyse`.
#[derive(Debug, Clone, Args)]
pub struct AnalyseArguments {
    /// Runs, folders with runs, or study.json.
    #[arg(required = true, value_name = "RUNS")]
    pub runs: Vec<PathBuf>,
    /// models.yaml: names, open weights, vision and prices of the models [default: as each run keeps them].
    #[arg(long, value_name = "FILE")]
    pub models: Option<PathBuf>,
    /// Whose verdicts count, such as resolver/rules; those of others become ratings.
    #[arg(long, value_name = "NAME")]
    pub evaluator: Option<String>,
    /// Where the analysis goes [default: benchwright-analysis].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print analysis.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `vibe export`.
#[derive(Debug, Clone, Args)]
pub struct VibeExportArguments {
    /// Runs, or folders with runs.
    #[arg(required = true, value_name = "RUNS")]
    pub runs: Vec<PathBuf>,
    /// The archive.
    #[arg(long, short, value_name = "FILE")]
    pub out: PathBuf,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `vibe import`.
#[derive(Debug, Clone, Args)]
pub struct VibeImportArguments {
    /// The archive.
    #[arg(value_name = "FILE")]
    pub archive: PathBuf,
    /// Where the runs go [default: benchwright-vibe].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `vibe trajectory`.
#[derive(Debug, Args)]
pub struct TrajectoryArguments {
    /// The trajectories.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print everything that is counted as JSON.
    #[arg(long)]
    pub json: bool,
}
