//! The arguments of the quiz.

use super::DataPlace;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

pub const QUIZ_EXAMPLES: &str = "\
Examples:
  benchwright quiz --gguf SmolLM2-135M-Instruct.Q4_1.gguf
  benchwright quiz --model llama3.2:1b --base-url http://localhost:11434/v1 --set own-120
  benchwright quiz --model qwen/qwen-2.5-7b-instruct --questions 10 --seed 7
  benchwright quiz --gguf model.gguf --set mmlu-36 --data quiz-data --format html,json,csv
  benchwright quiz --gguf model.gguf --share https://board.example
  benchwright quiz --resume benchwright-quiz
  benchwright quiz rescore benchwright-quiz
  benchwright quiz questions --set own-36
  benchwright quiz extract --choices choices.json < output.txt
  benchwright quiz import mmlu mmlu/data --data quiz-data
  benchwright quiz seed --data site

A model answers four-choice questions after five worked examples, at temperature 0.1 and with at most 400 tokens. Every
word it writes is kept and shown; letters are read out of it by published rules, and the share of right ones has its 95 %
interval beside it. A question on which the engine failed is no wrong answer: the run is incomplete until it is resumed.

The key of an endpoint comes from an environment variable: OPENROUTER_API_KEY for openrouter.ai, OPENAI_API_KEY for
api.openai.com, none for this machine, and --key-variable NAME for any other; --key-variable \"\" asks without a key.

Exit codes: 0 every question has an answer · 2 bad input, or the endpoint refused · 3 the run is incomplete, or this machine
lacks something · 130 interrupted; what was gathered is kept";

const RESCORE_EXAMPLES: &str = "Examples:\n  benchwright quiz rescore benchwright-quiz\n  benchwright quiz rescore benchwright-quiz/quiz/20261116T101500Z-3f9a --format csv";

const EXTRACT_EXAMPLES: &str = "\
Examples:
  echo '[\"Paris\",\"Rome\",\"Oslo\",\"Bonn\"]' > choices.json
  echo 'The answer is B.' | benchwright quiz extract --choices choices.json
  benchwright quiz extract --jsonl < outputs.jsonl

Prints one JSON object: `letter` (or null), `tier` (1 to 5), `rule`, `span` (bytes: begin and end, or null), `utf16_span`,
`flags` and `version`. Of an output above 64 KB the first and the last 32 KB are read, and the flag `partly_read` says so.
With --jsonl every line of standard input is an object with `output` and `choices` (--choices stands in where a line has none);
one object is printed for each, with the line's `id` or `question_id` where it has one.";

const QUESTIONS_EXAMPLES: &str = "\
Examples:
  benchwright quiz questions
  benchwright quiz questions --set own-36
  benchwright quiz questions --set mmlu-12 --data quiz-data --json";

const SEED_EXAMPLES: &str = "\
Examples:
  benchwright quiz seed --data site
  benchwright quiz seed --data site benchwright-quiz
  benchwright quiz seed --data site benchwright-quiz/quiz/20261117T101500Z-3f9a submission.json

Whoever can write to a data folder keeps the board of it. Such runs count, are called reference, and other runs of the same
model are held against what they agree on. A run is a folder that `benchwright quiz` wrote to, or its raw outputs as JSON. It
has to pass the checks that shared runs pass. Putting a run twice changes nothing; `benchwright data take-down` removes it.";

const IMPORT_EXAMPLES: &str = "\
Example:
  benchwright quiz import mmlu mmlu/data --data quiz-data

The folder holds the original files: dev/<subject>_dev.csv and test/<subject>_test.csv. Of the 57 subjects the 18 of computer
science, engineering, mathematics and science are read. Rows that repeat an earlier one or have two equal choices are left
out and named. What is written, DIR/questions/mmlu.json, may be given on under MMLU's own licence (MIT).";

/// `quiz`.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct QuizArguments {
    /// What else to do.
    #[command(subcommand)]
    pub command: Option<QuizCommand>,
    /// A run.
    #[command(flatten)]
    pub run: QuizRunArguments,
}

/// What else there is to do.
#[derive(Debug, Subcommand)]
pub enum QuizCommand {
    /// Make the report of a run again from its raw answers, with the rules of this version.
    #[command(after_help = RESCORE_EXAMPLES)]
    Rescore(QuizRescoreArguments),
    /// Read a letter out of a model's output and say by which rule.
    #[command(after_help = EXTRACT_EXAMPLES)]
    Extract(ExtractArguments),
    /// Print a frozen set with its hash, or list them all.
    #[command(after_help = QUESTIONS_EXAMPLES)]
    Questions(QuestionsArguments),
    /// Put runs that you made yourself onto a board as reference runs; without any, those that come with Benchwright.
    #[command(after_help = SEED_EXAMPLES)]
    Seed(SeedArguments),
    /// Take in questions that others wrote.
    #[command(subcommand, after_help = IMPORT_EXAMPLES)]
    Import(ImportCommand),
}

/// How examples and question are laid out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ProtocolChoice {
    /// One message with five examples and the question: the official one.
    #[default]
    #[value(name = "one-message-1")]
    OneMessage1,
    /// Each example is a turn of the user and one of the assistant.
    #[value(name = "chat-turns-1")]
    ChatTurns1,
}

/// Where questions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum SourceChoice {
    /// Written by this project.
    Own,
    /// MMLU, once it was imported.
    Mmlu,
}

/// The forms a report of the quiz can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum QuizFormat {
    /// report.html: one offline page.
    Html,
    /// report.json: the raw outputs and what they come to.
    Json,
    /// report.md.
    Md,
    /// report.csv, one row per answer.
    Csv,
}

/// A run of the quiz.
#[derive(Debug, Clone, Default, Args)]
pub struct QuizRunArguments {
    /// The model's name at the endpoint; with --gguf, the name it goes by in the report [default there: the file's name].
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// An endpoint that speaks chat completions, up to its version [default: https://openrouter.ai/api/v1].
    #[arg(long, value_name = "URL", conflicts_with = "gguf")]
    pub base_url: Option<String>,
    /// The environment variable that holds the endpoint's key.
    #[arg(long, value_name = "NAME", conflicts_with = "gguf")]
    pub key_variable: Option<String>,
    /// A model in a GGUF file, run on this machine by llama.cpp behind walls.
    #[arg(long, value_name = "FILE")]
    pub gguf: Option<PathBuf>,
    /// Threads for --gguf [default: one less than there are cores].
    #[arg(long, value_name = "N", requires = "gguf", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Run --gguf without walls, with your own rights: only for files you trust, where bubblewrap is not to be had.
    #[arg(long, requires = "gguf")]
    pub unconfined: bool,
    /// The frozen set to ask [default: own-36, or mmlu-36 where --data holds MMLU].
    #[arg(long, value_name = "ID", conflicts_with_all = ["questions", "seed", "source"])]
    pub set: Option<String>,
    /// A quick run instead of a frozen set: 3, 10, 20 or 40 questions, drawn evenly.
    #[arg(long, value_name = "N")]
    pub questions: Option<usize>,
    /// The seed of a quick run's draw [default: another one every time].
    #[arg(long, value_name = "S", requires = "questions")]
    pub seed: Option<u32>,
    /// Where a quick run's questions come from [default: as for --set].
    #[arg(long, value_enum, requires = "questions")]
    pub source: Option<SourceChoice>,
    /// The layout of the prompt; results of different ones are never pooled.
    #[arg(long, value_enum, default_value_t)]
    pub protocol: ProtocolChoice,
    /// Let a model think that cannot be kept from it. Such runs stand apart.
    #[arg(long)]
    pub thinking: bool,
    /// A data folder that holds imported questions.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Seconds after which no more is asked; the run can be resumed.
    #[arg(long, value_name = "SECONDS")]
    pub limit_time: Option<f64>,
    /// Share the finished run, raw outputs and all, on the board at this address.
    #[arg(long, value_name = "URL")]
    pub share: Option<String>,
    /// Go on with a run: its folder, or a folder that `quiz` wrote to (its newest run is taken).
    #[arg(long, value_name = "RUN", conflicts_with_all = ["model", "base_url", "gguf", "set", "questions", "share", "thinking", "data"])]
    pub resume: Option<PathBuf>,
    /// Where reports and runs go [default: benchwright-quiz].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: QuizPrinting,
}

/// What is printed and written.
#[derive(Debug, Clone, Default, Args)]
pub struct QuizPrinting {
    /// Reports to write, comma-separated [default: html,json,md].
    #[arg(long, value_enum, value_name = "FORMATS", value_delimiter = ',')]
    pub format: Option<Vec<QuizFormat>>,
    /// Print report.json to standard output instead of the summary.
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `quiz rescore`.
#[derive(Debug, Args)]
pub struct QuizRescoreArguments {
    /// A run folder, or a folder that `quiz` wrote to (its newest run is taken).
    pub run: PathBuf,
    /// Where the reports go [default: where the run's reports are].
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// What to print.
    #[command(flatten)]
    pub printing: QuizPrinting,
}

/// `quiz extract`.
#[derive(Debug, Args)]
pub struct ExtractArguments {
    /// A JSON array with the texts of the four choices.
    #[arg(long, value_name = "FILE", required_unless_present = "jsonl")]
    pub choices: Option<PathBuf>,
    /// One JSON object per line in, one per line out.
    #[arg(long)]
    pub jsonl: bool,
}

/// `quiz questions`.
#[derive(Debug, Args)]
pub struct QuestionsArguments {
    /// The set; without one, all are listed.
    #[arg(long, value_name = "ID")]
    pub set: Option<String>,
    /// A data folder that holds imported questions.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Print JSON, with the questions and their right answers.
    #[arg(long)]
    pub json: bool,
}

/// `quiz seed`.
#[derive(Debug, Args)]
pub struct SeedArguments {
    /// Runs: folders that `quiz` wrote to, or raw outputs as JSON [default: those that come with Benchwright].
    #[arg(value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// Where the board is.
    #[command(flatten)]
    pub place: DataPlace,
}

/// `quiz import`.
#[derive(Debug, Subcommand)]
pub enum ImportCommand {
    /// MMLU (Hendrycks et al., 2021) from its original CSV files.
    #[command(after_help = IMPORT_EXAMPLES)]
    Mmlu(ImportMmluArguments),
}

/// `quiz import mmlu`.
#[derive(Debug, Args)]
pub struct ImportMmluArguments {
    /// The folder with `dev` and `test`.
    pub folder: PathBuf,
    /// The data folder it goes to.
    #[arg(long, value_name = "DIR")]
    pub data: PathBuf,
}
