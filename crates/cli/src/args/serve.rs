//! The arguments of the site.

use super::DataPlace;
use clap::Args;
use std::net::SocketAddr;

pub const SERVE_EXAMPLES: &str = "\
Examples:
  benchwright serve --data benchwright-report
  benchwright serve --data s3://bucket/prefix --database postgres://me@db.example/benchwright --listen 0.0.0.0:8080
  benchwright serve --data runs --behind-tls --address https://bench.example

Reading needs no account. Runs that are in the folder and not in the index are taken in at the start; a run that `score`
finishes later appears after `benchwright index rebuild` or when the site starts again.
The site speaks plain HTTP; put a proxy with a certificate in front of it and say --behind-tls.";

/// `serve`.
#[derive(Debug, Args)]
pub struct ServeArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Where visitors reach the site; feeds and badges name it.
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// A proxy in front speaks TLS: tell browsers to insist on it.
    #[arg(long)]
    pub behind_tls: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}
