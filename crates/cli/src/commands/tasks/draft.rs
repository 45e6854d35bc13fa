//! `benchwright tasks draft`: a model writes a task, the check reads it, and what is wrong goes back.

use super::{tell, write};
use crate::args::TasksDraftArguments;
use crate::commands::{block_on, counted};
use crate::exit::{BAD_INPUT, Failure};
use crate::models::{self, Asked};
use benchwright_domain::yaml::{Problem, Severity};
use benchwright_llm::Client;
use benchwright_vibe::task::draft::{self, Draft, Earlier, Wish};
use benchwright_vibe::task::{self, Files};
use std::process::ExitCode;
use std::time::Duration;

const MOST_ROUNDS: u32 = 10;
/// Twenty workflows are a long text.
const ANSWER_LIMIT: Duration = Duration::from_mins(15);

/// A draft that could be read, and what is wrong with it.
struct Made {
    answer: String,
    files: Files,
    problems: Vec<Problem>,
}

/// Runs the command.
pub fn run(arguments: &TasksDraftArguments) -> Result<ExitCode, Failure> {
    if arguments.idea.trim().is_empty() || arguments.rounds > MOST_ROUNDS {
        return Err(Failure::BadInput(format!("say what the app is about, and no more than {MOST_ROUNDS} rounds")));
    }
    let default = || models::default(&arguments.asking);
    let asked = models::find(arguments.model.as_deref().unwrap_or_else(default), &arguments.asking)?;
    let client = models::client(&arguments.asking, ANSWER_LIMIT)?;
    let wish = Wish {
        idea: arguments.idea.clone(),
        domain: arguments.domain.map(Into::into),
        difficulty: arguments.difficulty.map(Into::into),
        split: arguments.split.into(),
    };
    let made = block_on(until_right(&client, &asked, &wish, arguments.rounds))??;
    if arguments.out.join(&made.files.folder).exists() {
        let folder = arguments.out.join(&made.files.folder);
        return Err(Failure::BadInput(format!("{} is there already; choose another --out", folder.display())));
    }
    let folder = write(&made.files, &arguments.out)?;
    let (errors, warnings) = tell(&made.problems);
    println!("{}", folder.display());
    if errors == 0 {
        println!("drafted, with {}; next: benchwright tasks review {}", counted(warnings, "warning"), folder.display());
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "drafted, with {} left; mend the files, then: benchwright tasks check {}",
        counted(errors, "error"),
        folder.display()
    );
    Ok(ExitCode::from(BAD_INPUT))
}

/// Asks until the check finds no error, or the rounds are over. The best draft counts.
async fn until_right(client: &Client, asked: &Asked, wish: &Wish, rounds: u32) -> Result<Made, Failure> {
    let seed = format!("{} {}", jiff::Timestamp::now().as_nanosecond(), std::process::id());
    let mut best: Option<Made> = None;
    let mut complaints: Vec<String> = Vec::new();
    let mut last = String::new();
    for round in 0..=rounds {
        let earlier = Earlier { answer: &last, complaints: &complaints };
        let question = draft::question(wish, (round > 0).then_some(&earlier), round);
        let answer = client.ask(&asked.endpoint, &asked.key, &question).await;
        let answer = answer.map_err(|error| models::unanswered(&error))?;
        last.clone_from(&answer.text);
        let made = draft::read(&answer).and_then(|draft| checked(&draft, wish, &seed, &answer.text));
        let made = match made {
            Err(why) => {
                eprintln!("round {}: the answer could not be used: {why}", round + 1);
                complaints = vec![why];
                continue;
            }
            Ok(made) => made,
        };
        client.keep(&[answer]);
        let errors = errors(&made);
        eprintln!("round {}: {}", round + 1, counted(errors, "error"));
        complaints = draft::complaints(&made.files, &made.problems);
        last.clone_from(&made.answer);
        if best.as_ref().is_none_or(|best| errors <= self::errors(best)) {
            best = Some(made);
        }
        if errors == 0 {
            break;
        }
    }
    best.ok_or_else(|| Failure::Environment("the model gave no usable answer; try again, or another model".to_owned()))
}

fn checked(draft: &Draft, wish: &Wish, seed: &str, answer: &str) -> Result<Made, String> {
    if draft.id().is_empty() {
        return Err("the id is no kebab-case name".to_owned());
    }
    let files = draft.files(wish, seed)?;
    let problems = task::check(&files);
    Ok(Made { answer: answer.to_owned(), files, problems })
}

fn errors(made: &Made) -> usize {
    made.problems.iter().filter(|problem| problem.severity == Severity::Error).count()
}
