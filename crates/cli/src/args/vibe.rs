//! The arguments of the commands that judge models.

use clap::{Args, Subcommand};
use std::path::PathBuf;

pub const VIBE_EXAMPLES: &str = "\
Example:
  benchwright vibe trajectory run/trajectory.jsonl
  benchwright vibe trajectory *_trajectory.json.gz --json";

/// `vibe`.
#[derive(Debug, Subcommand)]
pub enum VibeCommand {
    /// Count what models did while they built apps: calls, shares, phases, cost.
    #[command(
        after_help = "Example:\n  benchwright vibe trajectory *_trajectory.json.gz --json\n\nOur own trajectories (JSON lines) and \
                      those of OpenHands (a JSON array) are read, packed with gzip or not."
    )]
    Trajectory(TrajectoryArguments),
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
