//! `benchwright tasks audit`: a model names tests that a correct app could fail.

use super::{bad_input, shelves};
use crate::args::TasksAuditArguments;
use crate::commands::{block_on, counted};
use crate::exit::{BAD_INPUT, Failure};
use crate::models::{self, Asked};
use crate::outputs;
use benchwright_llm::Client;
use benchwright_vibe::task::audit::{self, Finding};
use benchwright_vibe::task::{self, Files, Task, folder};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// Format version of what `--json` prints.
const FORMAT: u32 = 1;
const ANSWER_LIMIT: Duration = Duration::from_mins(5);
/// An answer that is none is asked for so often.
const ATTEMPTS: u32 = 3;

/// Runs the command.
pub fn run(arguments: &TasksAuditArguments) -> Result<ExitCode, Failure> {
    let default = || models::default(&arguments.asking);
    let asked = models::find(arguments.model.as_deref().unwrap_or_else(default), &arguments.asking)?;
    let client = models::client(&arguments.asking, ANSWER_LIMIT)?;
    let tasks: Vec<Files> = shelves(&arguments.folders)?.into_iter().flat_map(|shelf| shelf.tasks).collect();
    let mut told: Vec<Value> = Vec::new();
    let mut count = 0;
    for files in &tasks {
        let task = task::load(files).map_err(bad_input)?;
        let findings = block_on(audited(&client, &asked, &task))??;
        count += findings.len();
        for finding in &findings {
            if !arguments.json {
                println!("{}", line(files, finding));
            }
        }
        told.push(json!({ "task": task.id, "findings": findings }));
    }
    if arguments.json {
        let report = json!({ "format": FORMAT, "model": asked.endpoint.model, "tasks": told });
        outputs::say(&benchwright_report::json::pretty(&report));
    } else {
        println!(
            "{} audited by {}: {} named",
            counted(tasks.len(), "task"),
            asked.endpoint.model,
            counted(count, "mistake")
        );
    }
    Ok(if count == 0 { ExitCode::SUCCESS } else { ExitCode::from(BAD_INPUT) })
}

/// The form that editors understand.
fn line(files: &Files, finding: &Finding) -> String {
    let (line, column) = audit::place_of(files, finding);
    let (file, class) = (folder::WORKFLOWS, finding.class.name());
    format!("{}/{file}:{line}:{column}: {class}: {} ({})", files.folder, finding.why, finding.mend)
}

async fn audited(client: &Client, asked: &Asked, task: &Task) -> Result<Vec<Finding>, Failure> {
    let mut complaint: Option<String> = None;
    for attempt in 0..ATTEMPTS {
        let question = audit::question(task, complaint.as_deref(), attempt);
        let answer = client.ask(&asked.endpoint, &asked.key, &question).await;
        let answer = answer.map_err(|error| models::unanswered(&error))?;
        match audit::read(&answer, task) {
            Ok(findings) => {
                client.keep(&[answer]);
                return Ok(findings);
            }
            Err(why) => complaint = Some(why),
        }
    }
    let why = complaint.unwrap_or_default();
    Err(Failure::Environment(format!(
        "the model gave no usable answer about {}: {why}; try again, or another model",
        task.id
    )))
}
