//! Scorers the user added: a command reads all evidence as JSON and writes an outcome. Its answer is evidence too, so that
//! rescoring never runs it again. It has weight 0.

use crate::evidence::{Absence, Evidence, Piece};
use crate::request::CommandScorer;
use benchwright_domain::{Assessment, Details, Outcome, UnitScore};
use benchwright_sandbox::process::{self, Limits, Program};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::time::Duration;

/// Format version of the evidence a command reads and of the answer it writes.
pub const VERSION: u32 = 1;

const LIMITS: Limits = Limits { time: Duration::from_mins(2), stdout_bytes: 1024 * 1024 };

/// What a command writes to its standard output.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    outcome: AnswerKind,
    #[serde(default)]
    score: Option<f64>,
    #[serde(default)]
    passed: Option<bool>,
    #[serde(default)]
    reason: Option<String>,
    #[serde(default)]
    details: Details,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum AnswerKind {
    Scored,
    NotApplicable,
    NoInput,
    Errored,
}

/// The name its answer has in the run's log.
pub fn evidence_name(id: &str) -> String {
    format!("command/{id}")
}

/// Runs one command. Whatever goes wrong is an errored outcome that says what.
pub async fn ask(scorer: &CommandScorer, evidence: &Evidence, path_variable: &str) -> Assessment {
    let Some((program, arguments)) = scorer.command.split_first() else {
        return errored("the command is empty");
    };
    let input = evidence_json(evidence).to_string().into_bytes();
    let program = Program::new(program).args(arguments).env("PATH", path_variable);
    match process::run(&program, &input, LIMITS, None).await {
        Err(error) => errored(&error.to_string()),
        Ok(done) if done.timed_out => errored("the command was over its limit of 120 s"),
        Ok(done) if done.truncated => errored("the command wrote more than 1 MB"),
        Ok(done) if !done.succeeded() => errored(&format!("the command failed: {}", done.stderr_tail.trim())),
        Ok(done) => read_answer(&done.stdout),
    }
}

/// All evidence as one JSON value: each kind is its value, or `{"absent": reason}`.
pub fn evidence_json(evidence: &Evidence) -> Value {
    fn piece<T: Serialize>(piece: &Piece<T>) -> Value {
        match &piece.value {
            Ok(value) => serde_json::to_value(value).unwrap_or(Value::Null),
            Err(absence) => json!({ "absent": Absence::outcome(absence).reason() }),
        }
    }
    json!({
        "format": VERSION,
        "prompt": evidence.prompt,
        "load": piece(&evidence.load),
        "content": piece(&evidence.content),
        "design": piece(&evidence.design),
        "axe": piece(&evidence.axe),
        "viewports": piece(&evidence.viewports),
        "lighthouse": piece(&evidence.lighthouse),
        "source": piece(&evidence.source),
    })
}

fn read_answer(stdout: &[u8]) -> Assessment {
    let answer: Answer = match serde_json::from_slice(stdout) {
        Ok(answer) => answer,
        Err(error) => return errored(&format!("the command's answer cannot be read: {error}")),
    };
    let reason = answer.reason.unwrap_or_else(|| "the command gave no reason".to_owned());
    let outcome = match (answer.outcome, answer.score) {
        (AnswerKind::Scored, Some(score)) if (0.0..=1.0).contains(&score) => {
            Outcome::scored(UnitScore::new(score), answer.passed.unwrap_or(score >= 0.5))
        }
        (AnswerKind::Scored, _) => return errored("the command's answer has no score between 0 and 1"),
        (AnswerKind::NotApplicable, _) => Outcome::NotApplicable { reason },
        (AnswerKind::NoInput, _) => Outcome::NoInput { reason },
        (AnswerKind::Errored, _) => Outcome::Errored { reason },
    };
    Assessment { outcome, details: answer.details }
}

fn errored(reason: &str) -> Assessment {
    Outcome::Errored { reason: reason.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scorer(command: &[&str]) -> CommandScorer {
        CommandScorer { id: "mine".into(), command: command.iter().map(|&word| word.to_owned()).collect() }
    }

    async fn answer_of(command: &[&str]) -> Outcome {
        ask(&scorer(command), &Evidence::default(), "/usr/bin:/bin").await.outcome
    }

    #[tokio::test]
    async fn a_command_reads_evidence_and_its_score_is_taken() {
        let script = r#"grep -q '"load":{"absent"' && echo '{"outcome":"scored","score":0.25}'"#;
        assert_eq!(answer_of(&["sh", "-c", script]).await, Outcome::scored(UnitScore::new(0.25), false));
    }

    #[tokio::test]
    async fn a_command_that_fails_or_answers_nonsense_is_an_errored_outcome() {
        for command in [
            &["sh", "-c", "echo broken >&2; exit 3"][..],
            &["sh", "-c", "echo '{\"outcome\":\"scored\",\"score\":7}'"],
            &["sh", "-c", "echo hello"],
            &["no-such-program-anywhere"],
            &[],
        ] {
            let outcome = answer_of(command).await;
            assert!(matches!(outcome, Outcome::Errored { .. }), "{command:?}: {outcome:?}");
        }
    }
}
