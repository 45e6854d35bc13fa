//! The command line.

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
    #[command(after_help = "Example:\n  benchwright resume benchwright-report")]
    Resume(ResumeArguments),
    /// Say what is here, which versions, what is missing and how to get it.
    #[command(
        after_help = "Example:\n  benchwright doctor\n  benchwright doctor --calibrate\n  benchwright doctor --clean"
    )]
    Doctor(DoctorArguments),
    /// Explain a scorer: what it measures, why, how it is scored.
    #[command(after_help = "Example:\n  benchwright explain c3\n  benchwright explain")]
    Explain(ExplainArguments),
}

const SCORE_EXAMPLES: &str = "\
Examples:
  benchwright score https://app.example
  benchwright score http://localhost:3000 --source . --prompt prompt.yaml
  benchwright score https://app.example --only f1,c3,v4 --json
  benchwright score https://staging.example --basic-auth \"me:$PASSWORD\" --fail-under 80

Settings can also stand in benchwright.toml, under the names of the options:
  url = \"https://app.example\"
  only = [\"f1\", \"c3\"]
  fail-under = 80

  [[judge]]                       # its key comes from the environment: OPENROUTER_API_KEY
  model = \"google/gemini-2.5-pro\"

  [[scorer]]                      # a scorer of your own, at weight 0
  id = \"word-count\"
  command = [\"./word-count.sh\"]   # reads evidence JSON, writes {\"outcome\":\"scored\",\"score\":0.8}";

/// How a page that did not render counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GateChoice {
    /// Scorers that need the page become null.
    Null,
    /// They score 0.
    Zero,
}

/// `score` and `gather`.
#[derive(Debug, Args)]
pub struct ScoreArguments {
    /// Address of the deployed app (http or https).
    pub url: Option<String>,
    /// Prompt file (YAML) the app was built from.
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,
    /// Source folder of the app.
    #[arg(long, value_name = "DIR")]
    pub source: Option<PathBuf>,
    /// Only these scorers, comma-separated.
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub only: Option<Vec<String>>,
    /// How a page that did not render counts for the scorers that need it [default: null].
    #[arg(long, value_enum)]
    pub gate: Option<GateChoice>,
    /// Extra request header, sent to the app's own origin only. Repeatable.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<String>,
    /// Cookie for the app's own origin. Repeatable.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub cookies: Vec<String>,
    /// User and password for a basic-auth wall.
    #[arg(long, value_name = "USER:PASSWORD")]
    pub basic_auth: Option<String>,
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
    #[arg(long, value_name = "SECONDS")]
    pub timeout: Option<f64>,
    /// Settings file [default: benchwright.toml, if there is one].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Where reports and evidence go [default: benchwright-report].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Who judges.
    #[command(flatten)]
    pub judging: JudgeArguments,
    /// What to print.
    #[command(flatten)]
    pub printing: Printing,
}

/// Who judges what only a language model can judge, and what that may cost.
#[derive(Debug, Clone, Default, Args)]
pub struct JudgeArguments {
    /// Language model that judges, by its name at OpenRouter or in a `[[judge]]` table; a second one judges too, a third decides between them [default: google/gemini-2.5-pro].
    #[arg(long = "judge", value_name = "MODEL")]
    pub judges: Vec<String>,
    /// Dollars all judges of a run may cost; `inf` lifts the limit [default: 1.00].
    #[arg(long, value_name = "USD")]
    pub judge_budget: Option<f64>,
    /// Ask no language model: F4, V1 and C7 are left out.
    #[arg(long, conflicts_with = "judges")]
    pub no_judges: bool,
}

/// What is printed, and when the exit code is 1.
#[derive(Debug, Clone, Default, Args)]
pub struct Printing {
    /// Print report.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// End with exit code 1 when the composite is below N (0 to 100), or there is none.
    #[arg(long, value_name = "N")]
    pub fail_under: Option<f64>,
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
    /// Header, again: values of headers, cookies and passwords are never kept.
    #[arg(long = "header", value_name = "NAME:VALUE")]
    pub headers: Vec<String>,
    /// Cookie, again.
    #[arg(long = "cookie", value_name = "NAME=VALUE")]
    pub cookies: Vec<String>,
    /// User and password, again.
    #[arg(long, value_name = "USER:PASSWORD")]
    pub basic_auth: Option<String>,
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
