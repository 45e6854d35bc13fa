//! The command line of jobs: who works, and who may ask for work.

use super::{DataPlace, JudgeArguments, Syncing};
use clap::{Args, Subcommand, ValueEnum};
use std::net::SocketAddr;
use std::path::PathBuf;

pub const WORK_EXAMPLES: &str = "\
Examples:
  benchwright work --data site
  benchwright work --data s3://bucket/site --database postgres://bench@db/bench --parallel 2
  benchwright work --data site --until-empty
  benchwright work --data site --review-listen 127.0.0.1:0

Takes jobs that somebody submitted to `benchwright serve` and scores them. Any number of workers may share a queue; a
worker that dies is noticed within a minute, and another one goes on from the evidence its jobs have. Ctrl-C or SIGTERM
hands back what is not finished.
Addresses that came through the web are never local ones, whatever they are called, unless you say --allow-local.
With --review-listen it also shows evaluated apps to people who review them on `/annotate`, each on an origin of its own. Let
site and apps be neighbours below one domain: on one machine open http://site.bench.localhost:8080/annotate, elsewhere
use names with a wildcard certificate and --review-address 'https://{app}.bench.example'. See docs/site.md.";

pub const TOKEN_EXAMPLES: &str = "\
Examples:
  benchwright token create --data site --name ada --scope submit
  benchwright token create --data site --name ann --scope review
  benchwright token create --data site --name ci --scope submit --days 90 --jobs-per-hour 20
  benchwright token list --data site
  benchwright token revoke 3f9a01b2c4 --data site

A token is shown once, when it is made; the index keeps its hash.";

/// `work`.
#[derive(Debug, Args)]
pub struct WorkArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// How surely.
    #[command(flatten)]
    pub syncing: Syncing,
    /// Jobs at the same time; Lighthouse stays alone whatever you say. 0 scores nothing and only shows apps [default: 1].
    #[arg(long, value_name = "N")]
    pub parallel: Option<usize>,
    /// Let pages, and the addresses that were submitted, be local ones.
    #[arg(long)]
    pub allow_local: bool,
    /// A folder with prompts of your own, each in <id>.yaml; the corpus is asked after it.
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
    /// Show apps to reviewers, too: where their browsers are listened for. Port 0 is any.
    #[arg(long, value_name = "ADDRESS")]
    pub review_listen: Option<SocketAddr>,
    /// How browsers reach it: {app} stands for a label of the app, {port} for the port [default: http://{app}.bench.localhost:{port}].
    #[arg(long, value_name = "URL", requires = "review_listen")]
    pub review_address: Option<String>,
    /// Apps shown at the same time [default: 2].
    #[arg(long, value_name = "N", requires = "review_listen")]
    pub reviews: Option<usize>,
    /// Minutes until an app that nobody closes is closed [default: 120].
    #[arg(long, value_name = "MINUTES", requires = "review_listen")]
    pub review_minutes: Option<usize>,
    /// Bundles of runs that keep none, each in DIR/<run> or DIR/<run>.zip.
    #[arg(long, value_name = "DIR", requires = "review_listen")]
    pub bundles: Option<PathBuf>,
    /// Minutes one job may take [default: 120].
    #[arg(long, value_name = "MINUTES")]
    pub job_minutes: Option<usize>,
    /// Seconds without a sign of life after which a worker is given up; the same for all workers [default: 60].
    #[arg(long, value_name = "SECONDS")]
    pub lease: Option<usize>,
    /// End when no job waits or runs.
    #[arg(long)]
    pub until_empty: bool,
    /// Browser to use instead of the one found on PATH.
    #[arg(long, value_name = "PATH")]
    pub browser: Option<PathBuf>,
    /// Who judges.
    #[command(flatten)]
    pub judging: JudgeArguments,
    /// Settings file; only what it says of judges and limits counts [default: benchwright.toml, if there is one].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `token`.
#[derive(Debug, Subcommand)]
pub enum TokenCommand {
    /// Make a token and print it, this once.
    #[command(after_help = "Example:\n  benchwright token create --data site --name ada --scope submit --days 90")]
    Create(TokenCreateArguments),
    /// List tokens: id, name, scopes, when made, when ended.
    #[command(after_help = "Example:\n  benchwright token list --data site --json")]
    List(TokenListArguments),
    /// Revoke a token for good.
    #[command(after_help = "Example:\n  benchwright token revoke 3f9a01b2c4 --data site")]
    Revoke(TokenRevokeArguments),
}

/// What a token may allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ScopeChoice {
    /// Reading, where the site is private.
    Read,
    /// Submitting jobs, and calling off one's own.
    Submit,
    /// Calling off anybody's job, and urgent ones.
    Moderate,
    /// Reviewing apps on `/annotate`, under the name of the token.
    Review,
}

/// `token create`.
#[derive(Debug, Args)]
pub struct TokenCreateArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Whose it is.
    #[arg(long, value_name = "NAME")]
    pub name: String,
    /// What it allows; repeatable.
    #[arg(long = "scope", value_enum, required = true, value_delimiter = ',')]
    pub scopes: Vec<ScopeChoice>,
    /// Days until it ends by itself [default: never].
    #[arg(long, value_name = "N")]
    pub days: Option<usize>,
    /// Jobs it may ask for in an hour [default: what the site allows everybody].
    #[arg(long, value_name = "N")]
    pub jobs_per_hour: Option<usize>,
}

/// `token list`.
#[derive(Debug, Args)]
pub struct TokenListArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

/// `token revoke`.
#[derive(Debug, Args)]
pub struct TokenRevokeArguments {
    /// Its id, as `list` prints it.
    pub id: String,
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
}
