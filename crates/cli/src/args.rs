//! The command line.

mod asking;
mod data;
mod jobs;
mod quiz;
mod serve;
mod tasks;
mod vibe;

pub use asking::*;
pub use data::*;
pub use jobs::*;
pub use quiz::*;
pub use serve::*;
pub use tasks::*;
pub use vibe::*;

use crate::outputs::Format;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes: 0 fine · 1 below the threshold you set · 2 bad input, or nothing answers at the address · \
                          3 this machine lacks something · 70 a bug of ours · 130 interrupted";

/// Judges AI-built web apps: one address in, one report out.
#[derive(Debug, Parser)]
#[command(name = "benchwright", version, about, after_help = EXIT_CODES, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Score a web app: gather evidence, score it, write the report.
    #[command(after_help = SCORE_EXAMPLES)]
    Score(ScoreArguments),
    /// Gather evidence only; `rescore` makes the report later.
    #[command(
        after_help = "Example:\n  benchwright gather https://app.example --out evidence\n  benchwright rescore evidence"
    )]
    Gather(ScoreArguments),
    /// Make the report of a run again from its evidence: no browser, no Node, no network.
    #[command(
        after_help = "Example:\n  benchwright rescore benchwright-report\n  benchwright rescore benchwright-report/runs/20261116T101500Z-3f9a --json"
    )]
    Rescore(RescoreArguments),
    /// Continue a run that was interrupted, from the evidence it has.
    #[command(
        after_help = "Example:\n  benchwright resume benchwright-report\n\nHeaders, cookies, passwords and accounts are never kept: give them again."
    )]
    Resume(ResumeArguments),
    /// Compare two runs: what moved, what was fixed, what broke, and whether it is more than noise.
    #[command(after_help = COMPARE_EXAMPLES)]
    Compare(CompareArguments),
    /// Score many apps from one file; finished ones are kept, the rest is done on the next call.
    #[command(after_help = BATCH_EXAMPLES)]
    Batch(BatchArguments),
    /// Make a static leaderboard from reports.
    #[command(after_help = LEADERBOARD_EXAMPLES)]
    Leaderboard(LeaderboardArguments),
    /// Say what is here, which versions, what is missing and how to get it.
    #[command(
        after_help = "Example:\n  benchwright doctor\n  benchwright doctor --calibrate\n  benchwright doctor --clean"
    )]
    Doctor(DoctorArguments),
    /// Explain a scorer: what it measures, why, how it is scored.
    #[command(after_help = "Example:\n  benchwright explain c3\n  benchwright explain")]
    Explain(ExplainArguments),
    /// Check prompt files without running them; list and show the prompts that come with Benchwright.
    #[command(
        subcommand,
        after_help = "Example:\n  benchwright prompts check my-prompts/*.yaml\n  benchwright prompts list\n  benchwright prompts show harbor-coffee-landing"
    )]
    Prompts(PromptsCommand),
    /// Ask a language model four-choice questions and show every word it writes.
    #[command(after_help = quiz::QUIZ_EXAMPLES)]
    Quiz(Box<QuizArguments>),
    /// Draft, check, review, audit, list, freeze and import the tasks by which models that build apps are tried.
    #[command(subcommand, after_help = tasks::TASKS_EXAMPLES)]
    Tasks(TasksCommand),
    /// Make the index of a data folder again from its runs.
    #[command(subcommand, after_help = data::INDEX_EXAMPLES)]
    Index(IndexCommand),
    /// Look after a data folder: export, backup, restore, garbage, quarantine, take-down.
    #[command(subcommand, after_help = data::DATA_EXAMPLES)]
    Data(DataCommand),
    /// Serve a data folder as a site with boards, reports and an API.
    #[command(after_help = serve::SERVE_EXAMPLES)]
    Serve(ServeArguments),
    /// Take jobs out of the queue and score them.
    #[command(after_help = jobs::WORK_EXAMPLES)]
    Work(WorkArguments),
    /// Make, list and revoke the tokens that let somebody submit through the web.
    #[command(subcommand, after_help = jobs::TOKEN_EXAMPLES)]
    Token(TokenCommand),
    /// Judge the models that build apps: what they did, and what came of it.
    #[command(subcommand, after_help = vibe::VIBE_EXAMPLES)]
    Vibe(VibeCommand),
}

const SCORE_EXAMPLES: &str = "\
Examples:
  benchwright score https://app.example
  benchwright score --serve my-app
  benchwright score http://localhost:3000 --source app.zip --prompt harbor-coffee-landing
  benchwright score https://app.example --only f1,c3,v4 --json
  benchwright score https://app.example --runs 3 --routes /pricing,/about
  benchwright score https://app.example/board --accounts accounts.yaml --signed-in
  benchwright score https://app.example --baseline main-report --format html,junit,sarif
  benchwright score https://staging.example --basic-auth \"me:$PASSWORD\" --fail-under 80

Settings can also stand in benchwright.toml, under the names of the options:
  url = \"https://app.example\"
  only = [\"f1\", \"c3\"]
  format = [\"html\", \"json\", \"junit\"]

  [fail-under]                    # or: fail-under = 80
  composite = 80                  # composite and dimensions: 0 to 100
  functional = 90
  c3 = 0.9                        # scorers: 0 to 1

  [[judge]]                       # its key comes from the environment: OPENROUTER_API_KEY
  model = \"google/gemini-2.5-pro\"

  [[scorer]]                      # a scorer of your own, at weight 0
  id = \"word-count\"
  command = [\"./word-count.sh\"]   # reads evidence JSON, writes {\"outcome\":\"scored\",\"score\":0.8}";

const COMPARE_EXAMPLES: &str = "\
Examples:
  benchwright compare old-report new-report
  benchwright compare benchwright-report/runs/20261116T101500Z-3f9a benchwright-report
  benchwright compare main/report.json report.json --json

A side may be a run folder, a folder that `score` wrote to, or a report.json. Run folders are scored anew, so that both
sides follow the same definitions. Deterministic scorers count any difference; C4 and the judged scorers only what is
beyond their noise: the spread of repeated runs (`score --runs 3`) where there are some, 8 points for C4 and 10 for
judges where not. A scorer whose instrument changed is shown and not blamed on the app.";

const BATCH_EXAMPLES: &str = "\
Example:
  benchwright batch submissions.yaml --out batch
  benchwright leaderboard --runs batch --out board

submissions.yaml:
  runs:
    - tool: kiln                    # lower-case words joined by dashes
      prompt: harbor-coffee-landing # id in the corpus or in --prompts DIR
      url: https://kiln.example
      source: kiln.zip              # folder or ZIP, seen from this file
      runIdx: 0
      cost: 1.20                    # dollars; shown, never ranked
      duration: 300                 # seconds to a working build
      backend:                      # two accounts; never written to disk
        user_a: { email: a@example.com, password: one }
        user_b: { email: b@example.com, password: two }
Further fields: toolVersion, promptSubmittedAt, firstRenderAt, workingBuildAt, note, routes.

An entry that cannot be scored does not stop the rest. Called again with the same --out, finished entries are skipped,
interrupted ones continued, failed ones tried again; so are those whose accounts were not let in, once the file has
changed.

Exit codes: 0 all entries scored · 2 an entry could not be scored · 3 a scorer of an entry could not be measured, or
this machine lacks something · 130 interrupted";

const LEADERBOARD_EXAMPLES: &str = "\
Examples:
  benchwright leaderboard --runs batch --out board
  benchwright leaderboard --runs kiln-report --runs forge-report

Takes every report.json below the given folders. One ranking per prompt, and only of runs that measured the same
things; tools that the runs do not tell apart share their ranks. Writes index.html, board.json, board.csv and the
reports.";

/// How a page that did not render counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateChoice {
    /// Scorers that need the page become null.
    Null,
    /// They score 0.
    Zero,
}

/// `score` and `gather`.
#[derive(Debug, Clone, Default, Args)]
pub struct ScoreArguments {
    /// Address of the deployed app (http or https).
    pub url: Option<String>,
    /// Serve this folder and score that, instead of an address: a package with a script `start`, `preview` or `serve` (built and started without network behind walls), or files with an index.html.
    #[arg(long, value_name = "DIR")]
    pub serve: Option<PathBuf>,
    /// Seconds a package has to answer once its script was started [default: 180].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub serve_timeout: Option<f64>,
    /// The prompt the app was built from: an id of the corpus, or a YAML file.
    #[arg(long, value_name = "ID|FILE")]
    pub prompt: Option<String>,
    /// Source of the app: a folder, or a ZIP [default: with --serve, the package's folder].
    #[arg(long, value_name = "DIR|ZIP")]
    pub source: Option<PathBuf>,
    /// Complete runs, one after the other; the report is of the one nearest the median [default: 1].
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// Further paths of the app, comma-separated: F5 and C5 listen to them, C3 scans them.
    #[arg(long, value_name = "PATHS", value_delimiter = ',')]
    pub routes: Option<Vec<String>>,
    /// Look at the page as user_a sees it after signing in (needs --accounts); C4 and F2 stay with the visitor.
    #[arg(long)]
    pub signed_in: bool,
    /// The tool that built the app, for the leaderboard.
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// How a page that did not render counts for the scorers that need it [default: null].
    #[arg(long, value_enum)]
    pub gate: Option<GateChoice>,
    /// What opens the door.
    #[command(flatten)]
    pub door: DoorArguments,
    /// Where reports and evidence go; a file such as out.sarif is written besides [default: benchwright-report].
    #[arg(long, value_name = "DIR|FILE")]
    pub out: Option<PathBuf>,
    /// How it is measured.
    #[command(flatten)]
    pub measuring: MeasureArguments,
    /// What to print.
    #[command(flatten)]
    pub printing: Printing,
}

/// What opens the door to the app. Values are never kept, so `resume` must be given them again.
#[derive(Debug, Clone, Default, Args)]
pub struct DoorArguments {
    /// Extra request header, sent to the app's own origin only. Repeatable.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<String>,
    /// Cookie for the app's own origin. Repeatable.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub cookies: Vec<String>,
    /// User and password for a basic-auth wall.
    #[arg(long, value_name = "USER:PASSWORD")]
    pub basic_auth: Option<String>,
    /// Two test accounts of the app (YAML: user_a and user_b, each email and password). They are never stored.
    #[arg(long, value_name = "FILE")]
    pub accounts: Option<PathBuf>,
}

/// How an app is measured, whoever names it: what `score` and `batch` have in common.
#[derive(Debug, Clone, Default, Args)]
pub struct MeasureArguments {
    /// Only these scorers, comma-separated. Such runs are not ranked.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub only: Option<Vec<String>>,
    /// Let the page reach local addresses that you did not name.
    #[arg(long)]
    pub allow_local: bool,
    /// Accept certificates nobody vouches for (self-signed).
    #[arg(long)]
    pub accept_invalid_certificates: bool,
    /// Browser to use instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Lighthouse runs [default: 3].
    #[arg(long, value_name = "N")]
    pub lighthouse_runs: Option<usize>,
    /// Seconds the server has to answer [default: 30].
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Settings file [default: benchwright.toml, if there is one].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Who judges.
    #[command(flatten)]
    pub judging: JudgeArguments,
}

/// Who judges what only a language model can judge, and what that may cost.
#[derive(Debug, Clone, Default, Args)]
pub struct JudgeArguments {
    /// Language model that judges, by its name at OpenRouter or in a `[[judge]]` table; a second one judges too, a third decides between them [default: google/gemini-2.5-pro].
    #[arg(long = "judge", value_name = "MODEL")]
    pub judges: Vec<String>,
    /// Dollars all judges of a run may cost; `inf` lifts the limit [default: 1.00].
    #[arg(long, value_name = "USD", allow_negative_numbers = true)]
    pub judge_budget: Option<f64>,
    /// Ask no language model: F4, V1 and C7 are left out.
    #[arg(long, conflicts_with = "judges")]
    pub no_judges: bool,
}

/// What is printed and written, and when the exit code is 1.
#[derive(Debug, Clone, Default, Args)]
pub struct Printing {
    /// Print report.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// End with exit code 1 when the composite is below N (0 to 100), or there is none.
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub fail_under: Option<f64>,
    /// End with exit code 1 when a scorer is worse than in this run by more than noise.
    #[arg(long, value_name = "RUN")]
    pub baseline: Option<PathBuf>,
    /// Reports to write, comma-separated [default: html,json,md].
    #[arg(long, value_enum, value_name = "FORMATS", value_delimiter = ',')]
    pub format: Option<Vec<Format>>,
}

/// `rescore`.
#[derive(Debug, Args)]
pub struct RescoreArguments {
    /// A run folder, or a folder that `score` wrote to (its newest run is taken).
    pub run: PathBuf,
    /// Count a page that did not render differently than the run did.
    #[arg(long, value_enum)]
    pub gate: Option<GateChoice>,
    /// Where the reports go [default: where the run's reports are].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: Printing,
}

/// `resume`.
#[derive(Debug, Args)]
pub struct ResumeArguments {
    /// A run folder, or a folder that `score` wrote to (its newest run is taken).
    pub run: PathBuf,
    /// What opens the door, again.
    #[command(flatten)]
    pub door: DoorArguments,
    /// Browser to use instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Where the reports go [default: where the run's reports are].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: Printing,
}

/// `compare`.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// What was before: a run folder, a folder that `score` wrote to, or a report.json.
    pub before: PathBuf,
    /// What is now.
    pub after: PathBuf,
    /// Where compare.html, compare.json and compare.md go [default: benchwright-compare].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print compare.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `batch`.
#[derive(Debug, Args)]
pub struct BatchArguments {
    /// The submissions (YAML).
    pub file: PathBuf,
    /// A folder with prompts of your own, each in <id>.yaml; the corpus is asked after it.
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
    /// Entries scored at the same time; Lighthouse stays alone whatever you say [default: 1].
    #[arg(long, value_name = "N")]
    pub concurrency: Option<usize>,
    /// How each is measured.
    #[command(flatten)]
    pub measuring: MeasureArguments,
    /// Reports to write for each entry, comma-separated [default: html,json,md].
    #[arg(long, value_enum, value_name = "FORMATS", value_delimiter = ',')]
    pub format: Option<Vec<Format>>,
    /// Where everything goes [default: benchwright-batch].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print batch.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `leaderboard`.
#[derive(Debug, Args)]
pub struct LeaderboardArguments {
    /// Folder with reports, searched through. Repeatable [default: benchwright-batch and benchwright-report].
    #[arg(long = "runs", value_name = "DIR")]
    pub runs: Vec<PathBuf>,
    /// Where the board goes [default: benchwright-board].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Title of the board.
    #[arg(long, value_name = "TEXT", default_value = "Which tool builds the best web apps")]
    pub title: String,
    /// Print board.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `doctor`.
#[derive(Debug, Args)]
pub struct DoctorArguments {
    /// Measure how fast this machine is when idle, so that contended Lighthouse runs can be told apart.
    #[arg(long)]
    pub calibrate: bool,
    /// Remove temporary folders and processes that a crash left behind.
    #[arg(long)]
    pub clean: bool,
    /// Browser to look at instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
}

/// `explain`.
#[derive(Debug, Args)]
pub struct ExplainArguments {
    /// Scorer id, such as c3; without one, all are listed.
    pub scorer: Option<String>,
    /// Print METHODOLOGY.md.
    #[arg(long, conflicts_with = "scorer")]
    pub methodology: bool,
}

/// `prompts`.
#[derive(Debug, Subcommand)]
pub enum PromptsCommand {
    /// Name every problem with file, line and column; exit code 2 when there is an error.
    Check(PromptsCheckArguments),
    /// List the prompts of the corpus, or of a folder: id, tier, how many criteria and constraints.
    List(PromptsListArguments),
    /// Print a prompt of the corpus: what a builder is asked for, and what is checked.
    Show(PromptsShowArguments),
}

/// `prompts check`.
#[derive(Debug, Args)]
pub struct PromptsCheckArguments {
    /// Prompt files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `prompts list`.
#[derive(Debug, Args)]
pub struct PromptsListArguments {
    /// Folder of prompt files [default: the corpus, which is inside the binary].
    #[arg(value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// `prompts show`.
#[derive(Debug, Args)]
pub struct PromptsShowArguments {
    /// Id in the corpus.
    pub id: String,
}
