//! `benchwright quiz extract`: which letter an output means, and by which rule.

use crate::args::ExtractArguments;
use crate::config::read_text;
use crate::exit::Failure;
use crate::outputs::say;
use benchwright_quiz::extract;
use serde::Deserialize;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::Path;
use std::process::ExitCode;

/// Of one output. A run keeps at most 400 tokens; this is ample for anything else.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// One line of many.
#[derive(Deserialize)]
struct Line {
    output: String,
    choices: Option<[String; 4]>,
    #[serde(alias = "question_id")]
    id: Option<Value>,
}

/// Runs the command.
pub fn run(arguments: &ExtractArguments) -> Result<ExitCode, Failure> {
    let choices = arguments.choices.as_deref().map(read_choices).transpose()?;
    match (arguments.jsonl, choices) {
        (true, choices) => many(choices.as_ref()),
        (false, Some(choices)) => one(&choices),
        (false, None) => Err(Failure::BadInput("name the choices with --choices FILE".to_owned())),
    }
}

fn read_choices(path: &Path) -> Result<[String; 4], Failure> {
    serde_json::from_str(&read_text(path)?).map_err(|error| {
        Failure::BadInput(format!("{} is no JSON array of the four choices' texts: {error}", path.display()))
    })
}

fn one(choices: &[String; 4]) -> Result<ExitCode, Failure> {
    let mut output = String::new();
    let read = std::io::stdin().lock().take(MAX_BYTES + 1).read_to_string(&mut output);
    read.map_err(|error| Failure::BadInput(format!("cannot read standard input: {error}")))?;
    if output.len() as u64 > MAX_BYTES {
        return Err(too_long("the output"));
    }
    let found = serde_json::to_string(&extract(&output, choices)).map_err(|error| Failure::Bug(error.to_string()))?;
    say(&format!("{found}\n"));
    Ok(ExitCode::SUCCESS)
}

fn many(usual: Option<&[String; 4]>) -> Result<ExitCode, Failure> {
    let mut lines = BufReader::with_capacity(1024 * 1024, std::io::stdin().lock());
    let mut printed = std::io::BufWriter::new(std::io::stdout().lock());
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = lines.by_ref().take(MAX_BYTES + 1).read_until(b'\n', &mut line);
        let count = read.map_err(|error| Failure::BadInput(format!("cannot read standard input: {error}")))?;
        if count == 0 {
            break;
        }
        if count as u64 > MAX_BYTES {
            return Err(too_long(&format!("line {number}")));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let found = of_line(&line, usual).map_err(|what| Failure::BadInput(format!("line {number} {what}")))?;
        // A reader that went away (`| head`) is not an error of ours.
        if writeln!(printed, "{found}").is_err() {
            break;
        }
    }
    let _ = printed.flush();
    Ok(ExitCode::SUCCESS)
}

fn of_line(line: &[u8], usual: Option<&[String; 4]>) -> Result<String, String> {
    let line: Line = serde_json::from_slice(line).map_err(|error| format!("cannot be read: {error}"))?;
    let choices = line.choices.as_ref().or(usual).ok_or("has no `choices`, and --choices names none")?;
    let mut found = serde_json::to_value(extract(&line.output, choices)).map_err(|error| error.to_string())?;
    if let Some(id) = line.id {
        found["id"] = id;
    }
    Ok(found.to_string())
}

fn too_long(what: &str) -> Failure {
    Failure::BadInput(format!("{what} is longer than {} MB", MAX_BYTES >> 20))
}
