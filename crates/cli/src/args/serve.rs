//! The arguments of the site.

use super::{DataPlace, Syncing};
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

pub const SERVE_EXAMPLES: &str = "\
Examples:
  benchwright serve --data benchwright-report
  benchwright serve --data s3://bucket/prefix --database postgres://me@db.example/benchwright --listen 0.0.0.0:8080
  benchwright serve --data runs --behind-tls --address https://bench.example
  benchwright serve --data runs --private

Reading needs no account, unless you say --private. Runs that are in the folder and not in the index are taken in at the
start, and those that `score --out` finishes later within seconds.
Who has a token (`benchwright token create`) can submit apps; `benchwright work` scores them.
Visitors can run the quiz in their browser and share it, once `cargo xtask setup` has made its files. MMLU is asked where
`benchwright quiz import mmlu` has put it into the data folder.
The site speaks plain HTTP; put a proxy with a certificate in front of it and say --behind-tls. The proxy has to append to
X-Forwarded-For whom it heard: how often somebody shares is counted by that.";

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// How surely.
    #[command(flatten)]
    pub syncing: Syncing,
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Where visitors reach the site; feeds and badges name it.
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// A proxy in front speaks TLS: tell browsers to insist on it.
    #[arg(long)]
    pub behind_tls: bool,
    /// Ask for a token everywhere, not only where something is submitted.
    #[arg(long)]
    pub private: bool,
    /// A folder with prompts of your own, each in <id>.yaml, that apps may be submitted for; the corpus is offered too.
    #[arg(long, value_name = "DIR")]
    pub prompts: Option<PathBuf>,
    /// Seed from which is drawn who reviews which app, and in which order; reviewers see it.
    #[arg(long, value_name = "TEXT", default_value = "benchwright")]
    pub review_seed: String,
    /// Runs of the quiz that one address may share in an hour; twice as many may be begun.
    #[arg(long, value_name = "NUMBER", default_value_t = 120)]
    pub quiz_shares_per_hour: u32,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}
