//! Asks what has no answer yet, one question after the other.

use super::engine::{Engine, EngineFault};
use super::progress::Watch;
use super::run_folder::{Frozen, LiveRun};
use crate::exit::Failure;
use benchwright_quiz::{Answer, ClientReading, Prompt, Question, extract, render};
use std::collections::BTreeMap;
use tokio::time::{Duration, Instant};

/// An engine that fails so often in a row will not recover by itself.
const MOST_FAILURES: usize = 2;

/// How asking ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every question was asked; some may have failed.
    Done,
    /// The time was up.
    OutOfTime,
    /// The engine gave up for good.
    Broken(String),
}

/// Asks what has no answer yet. Every answer is on the disk before the next question is asked.
pub async fn ask_all(
    engine: &mut Engine,
    frozen: &Frozen,
    answers: &BTreeMap<String, Answer>,
    run: &mut LiveRun,
    limit: Option<Duration>,
    watch: &Watch,
) -> Result<Ended, Failure> {
    let deadline = limit.map(|limit| Instant::now() + limit);
    let mut failures = 0;
    for (at, question) in frozen.asked.questions.iter().enumerate() {
        if answers.contains_key(&question.id) {
            continue;
        }
        watch.asks(at, question);
        let begun = Instant::now();
        let prompt = prompt(frozen, question);
        let Some(outcome) = within(deadline, engine.ask(&prompt)).await else { return Ok(Ended::OutOfTime) };
        match outcome {
            Ok(produced) => {
                failures = 0;
                let reading = extract(&produced.output, &question.choices);
                watch.answered(at, question, &reading, produced.total_ms);
                run.answered(&Answer {
                    question_id: question.id.clone(),
                    prompt_sha256: prompt.sha256,
                    output: produced.output,
                    finish: produced.finish,
                    prompt_tokens: produced.prompt_tokens,
                    cached_tokens: produced.cached_tokens,
                    output_tokens: produced.output_tokens,
                    first_token_ms: produced.first_token_ms,
                    total_ms: produced.total_ms,
                    hidden: false,
                    client: Some(ClientReading { letter: reading.letter, tier: reading.tier }),
                })?;
            }
            Err(EngineFault { what, is_final }) => {
                failures += 1;
                watch.failed(at, question, &what);
                run.failed(&question.id, &what, begun.elapsed().as_secs_f64())?;
                if is_final || failures >= MOST_FAILURES {
                    return Ok(Ended::Broken(what));
                }
            }
        }
    }
    Ok(Ended::Done)
}

fn prompt(frozen: &Frozen, question: &Question) -> Prompt {
    let asked = &frozen.asked;
    render(frozen.protocol, frozen.known.template, asked.examples_for(question), question, asked.run_seed())
}

/// Nothing when the deadline comes first.
async fn within<T>(deadline: Option<Instant>, work: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) => tokio::time::timeout_at(deadline, work).await.ok(),
        None => Some(work.await),
    }
}
