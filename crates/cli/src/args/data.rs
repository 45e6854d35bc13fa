//! The arguments of the commands that look after a data folder.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const INDEX_EXAMPLES: &str = "\
Examples:
  benchwright index rebuild --data benchwright-report
  benchwright index rebuild --data s3://bucket/prefix --database postgres://me@db.example/benchwright

The runs are the truth; the index is made from them and can be made again at any time. Readers see the old index until the
new one is whole. Runs that cannot be read are named and left out.";

pub const DATA_EXAMPLES: &str = "\
Examples:
  benchwright data export --data benchwright-report --format csv --out runs.csv
  benchwright data backup --data benchwright-report --to /mnt/backup
  benchwright data restore --data benchwright-report --from /mnt/backup
  benchwright data gc --data benchwright-report --dry-run
  benchwright data quarantine 20261116T101500Z-3f9a --reason 'score looks copied' --by ada --data benchwright-report
  benchwright data take-down 20261116T101500Z-3f9a --reason 'asked for by its owner' --by ada --data benchwright-report
  benchwright data log --data benchwright-report

A data folder is what `score --out` writes to: runs/ and, once there is an index, index.sqlite.
A bucket is named s3://BUCKET/PREFIX; its keys come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, its address from
AWS_ENDPOINT_URL and AWS_REGION. An index in PostgreSQL is named by --database or BENCHWRIGHT_DATABASE.";

/// `index`.
#[derive(Debug, Subcommand)]
pub enum IndexCommand {
    /// Make the index again from the runs.
    #[command(after_help = "Example:\n  benchwright index rebuild --data benchwright-report")]
    Rebuild(IndexRebuildArguments),
}

/// Where runs and their index are.
#[derive(Debug, Clone, Args)]
pub struct DataPlace {
    /// The data folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR|S3")]
    pub data: String,
    /// The index: postgres://… or a SQLite file [default: index.sqlite in the data folder].
    #[arg(long, value_name = "ADDRESS|FILE")]
    pub database: Option<String>,
}

/// How much a commit to an index in SQLite survives; PostgreSQL has its own settings.
#[derive(Debug, Clone, Copy, Args)]
pub struct Syncing {
    /// Wait for the disk at every commit, so that what was acknowledged survives a power loss and not only a kill.
    #[arg(long)]
    pub fsync: bool,
}

/// `index rebuild`.
#[derive(Debug, Args)]
pub struct IndexRebuildArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// How surely.
    #[command(flatten)]
    pub syncing: Syncing,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `data`.
#[derive(Debug, Subcommand)]
pub enum DataCommand {
    /// Write all runs that are shown as JSON lines, CSV or Parquet.
    #[command(
        after_help = "Examples:\n  benchwright data export --data benchwright-report > runs.jsonl\n  benchwright data export --data benchwright-report --format parquet --out runs.parquet"
    )]
    Export(ExportArguments),
    /// Copy all runs elsewhere, byte for byte; called again, it copies what is new.
    #[command(after_help = "Example:\n  benchwright data backup --data benchwright-report --to s3://bucket/backup")]
    Backup(BackupArguments),
    /// Copy runs back and make the index again. What is there stays; what was taken down stays down.
    #[command(after_help = "Example:\n  benchwright data restore --data benchwright-report --from /mnt/backup")]
    Restore(RestoreArguments),
    /// Remove blobs of finished runs that nothing names, and sources whose job is over.
    #[command(after_help = "Example:\n  benchwright data gc --data benchwright-report --dry-run")]
    Gc(GcArguments),
    /// Keep a run off the boards and out of the lists until somebody has looked at it.
    #[command(
        after_help = "Example:\n  benchwright data quarantine 20261116T101500Z-3f9a --reason 'score looks copied' --by ada --data benchwright-report"
    )]
    Quarantine(ActArguments),
    /// Show a run again that was in quarantine.
    #[command(
        after_help = "Example:\n  benchwright data release 20261116T101500Z-3f9a --reason 'looked at it, all is well' --by ada --data benchwright-report"
    )]
    Release(ActArguments),
    /// Remove everything of a run but its events, for good.
    #[command(
        after_help = "Example:\n  benchwright data take-down 20261116T101500Z-3f9a --reason 'asked for by its owner' --by ada --data benchwright-report"
    )]
    TakeDown(ActArguments),
    /// Keep what a person says of one workflow of an evaluated app; it enters the agreement with judges.
    #[command(
        after_help = "Example:\n  benchwright data review 20261117T101500Z-3f9a --workflow add-item --marks pass,pass,fail,unknown --by 'Reviewer A' --data benchwright-report"
    )]
    Review(ReviewArguments),
    /// Print the public moderation log, newest first.
    #[command(after_help = "Example:\n  benchwright data log --data benchwright-report --json")]
    Log(LogArguments),
}

/// What a person says of a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MarkChoice {
    /// It works.
    Pass,
    /// It does not.
    Fail,
    /// The person cannot tell.
    Unknown,
}

/// `data review`.
#[derive(Debug, Args)]
pub struct ReviewArguments {
    /// Id of the run.
    pub run: String,
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Id of the workflow.
    #[arg(long, value_name = "ID")]
    pub workflow: String,
    /// One mark for each substep, in order. The last review of a person counts.
    #[arg(long, value_enum, value_delimiter = ',', required = true)]
    pub marks: Vec<MarkChoice>,
    /// Who reviews. It is public.
    #[arg(long, value_name = "NAME")]
    pub by: String,
}

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportChoice {
    /// One JSON object per line, with everything.
    Jsonl,
    /// A header and one row per run.
    Csv,
    /// The columns of the CSV, typed.
    Parquet,
}

/// `data export`.
#[derive(Debug, Args)]
pub struct ExportArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// The form.
    #[arg(long, value_enum, default_value = "jsonl")]
    pub format: ExportChoice,
    /// The file to write [default: standard output].
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// `data backup`.
#[derive(Debug, Args)]
pub struct BackupArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Where the copies go: a folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR|S3")]
    pub to: String,
}

/// `data restore`.
#[derive(Debug, Args)]
pub struct RestoreArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Where the copies are: a folder, or s3://BUCKET/PREFIX.
    #[arg(long, value_name = "DIR|S3")]
    pub from: String,
}

/// `data gc`.
#[derive(Debug, Args)]
pub struct GcArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Say what would be removed, and remove nothing.
    #[arg(long)]
    pub dry_run: bool,
}

/// `data quarantine`, `data release` and `data take-down`.
#[derive(Debug, Args)]
pub struct ActArguments {
    /// Id of the run.
    pub run: String,
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Why. It is public.
    #[arg(long, value_name = "TEXT")]
    pub reason: String,
    /// Who decides. It is public.
    #[arg(long, value_name = "NAME")]
    pub by: String,
}

/// `data log`.
#[derive(Debug, Args)]
pub struct LogArguments {
    /// Where.
    #[command(flatten)]
    pub place: DataPlace,
    /// Print one JSON object per line.
    #[arg(long)]
    pub json: bool,
}
