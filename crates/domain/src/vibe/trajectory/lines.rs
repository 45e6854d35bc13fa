//! Our own form of a trajectory: JSON lines that are only ever appended to, so that a run that was killed leaves what it did.
//!
//! The first line says what the file is ([`Body::Begin`]); a last line that was cut off is left out.

use super::facts::ResponseTokens;
use super::tape::{Tape, Wrong};
use super::{Category, Counter, Response, Trajectory, TrajectoryError};
use crate::vibe::model::Tokens;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Format version of these lines.
pub const TRAJECTORY_FORMAT: u32 = 1;
/// The longest line that is read.
pub const MAX_LINE_BYTES: usize = 8 << 20;
/// The tool by which a model says that it is done.
const FINISH: &str = "finish";

/// One line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// When, with its offset.
    pub at: String,
    /// What.
    pub body: Body,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Body {
    /// The first line.
    Begin {
        /// Format version.
        format: u32,
        /// Id of the task.
        task: String,
        /// Id of the model.
        model: String,
    },
    /// Somebody said something.
    Message {
        /// Who.
        from: Speaker,
        /// What.
        text: String,
    },
    /// The model answered.
    Response {
        /// Number of the answer.
        id: u64,
        /// Dollars; absent when nobody knows.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cost_usd: Option<f64>,
        /// How long it took.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        seconds: Option<f64>,
        /// Tokens by kind.
        #[serde(default)]
        tokens: Tokens,
        /// Of the tokens it wrote, those that were thoughts.
        #[serde(default)]
        reasoning_tokens: u64,
    },
    /// The model called a tool.
    Call {
        /// Id of the call.
        id: String,
        /// Which answer asked for it.
        response: u64,
        /// The tool.
        tool: String,
        /// For edits: whether it only looked.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        looked: bool,
        /// What the tool was given.
        #[serde(default)]
        input: Value,
    },
    /// A tool came to an end, or a call was refused.
    Result {
        /// Which call; absent for a call that was refused.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<String>,
        /// How it ended.
        ended: Ending,
        /// The code a command ended with.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
        /// What the tool gave back.
        #[serde(default)]
        output: Value,
    },
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Speaker {
    /// Whoever wants the app.
    User,
    /// The model.
    Agent,
    /// The harness.
    Environment,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// As it should.
    Ok,
    /// With an error.
    Error,
    /// It was not a call that could be made.
    Refused,
}

impl Line {
    /// The line as it stands in the file, with its end.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        serde_json::to_string(self).map(|text| text + "\n")
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<Trajectory, TrajectoryError> {
    let mut reading = Reading::default();
    let mut tape = Tape::new();
    let whole = |line: &&[u8]| !line.iter().all(u8::is_ascii_whitespace);
    let mut lines = bytes.split_inclusive(|byte| *byte == b'\n').filter(whole).zip(1_usize..).peekable();
    while let Some((text, number)) = lines.next() {
        let complain = |what: &dyn std::fmt::Display| TrajectoryError::invalid(&format!("line {number}: {what}"));
        if text.len() > MAX_LINE_BYTES {
            return Err(complain(&"it is too long"));
        }
        let line: Line = match serde_json::from_slice(text) {
            Ok(line) => line,
            // A last line without an end was cut off when the run was killed.
            Err(_) if lines.peek().is_none() && !text.ends_with(b"\n") && number > 1 => break,
            Err(error) => return Err(complain(&error)),
        };
        reading.take(&mut tape, &line, number).map_err(|wrong| complain(&wrong))?;
    }
    reading.close(&mut tape);
    tape.finish()
}

/// What must be remembered from line to line.
#[derive(Default)]
struct Reading {
    model: String,
    answers: BTreeSet<u64>,
    open: BTreeMap<String, Category>,
    counted: Tokens,
    last_turn: u64,
}

impl Reading {
    fn take(&mut self, tape: &mut Tape, line: &Line, number: usize) -> Result<(), Wrong> {
        if (number == 1) != matches!(line.body, Body::Begin { .. }) {
            return Err("a trajectory of ours begins with one line that says so");
        }
        if let Body::Begin { format, model, .. } = &line.body {
            model.clone_into(&mut self.model);
            return if *format == TRAJECTORY_FORMAT { Ok(()) } else { Err("it has a format of another version") };
        }
        let at = tape.event(&line.at)?;
        match &line.body {
            Body::Begin { .. } => Ok(()),
            Body::Message { from, .. } => {
                if *from == Speaker::Agent {
                    tape.agent_acts(at);
                }
                tape.action("message")
            }
            Body::Response { id, cost_usd, seconds, tokens, reasoning_tokens } => {
                if !self.answers.insert(*id) {
                    return Err("an answer of this number was there before");
                }
                self.count(tokens);
                let amount = |value: &Option<f64>| value.filter(|value| value.is_finite() && *value >= 0.0);
                let (cost_usd, seconds) = (amount(cost_usd), amount(seconds));
                tape.response(Response { cost_usd, seconds, tokens: by_kind(tokens, *reasoning_tokens) });
                Ok(())
            }
            Body::Call { id, response, tool, looked, .. } => {
                if !self.answers.contains(response) {
                    return Err("no answer of this number asked for it");
                }
                tape.agent_acts(at);
                tape.call(at, tool)?;
                tape.made().finished = tool == FINISH;
                let category = Category::of(tool);
                if category == Category::Edit {
                    let edits = tape.made();
                    *if *looked { &mut edits.edit_views } else { &mut edits.edit_writes } += 1;
                }
                self.open.insert(id.clone(), category);
                tape.action(tool)
            }
            Body::Result { call, ended, exit_code, .. } => self.take_result(tape, call.as_deref(), *ended, *exit_code),
        }
    }

    fn take_result(
        &mut self,
        tape: &mut Tape,
        call: Option<&str>,
        ended: Ending,
        exit_code: Option<i64>,
    ) -> Result<(), Wrong> {
        let category = call.and_then(|call| self.open.remove(call));
        let made = tape.made();
        made.error_observations += u64::from(ended != Ending::Ok);
        made.invalid_calls += u64::from(ended == Ending::Refused);
        match category {
            Some(Category::Bash) => made.failed_commands += u64::from(exit_code.is_some_and(|code| code != 0)),
            Some(Category::Browser) => made.browser_errors += u64::from(ended == Ending::Error),
            _ => {}
        }
        tape.observation(if ended == Ending::Ok { "result" } else { "error" })
    }

    fn count(&mut self, tokens: &Tokens) {
        let sum = &mut self.counted;
        sum.input = sum.input.saturating_add(tokens.input);
        sum.output = sum.output.saturating_add(tokens.output);
        sum.cache_read = sum.cache_read.saturating_add(tokens.cache_read);
        sum.cache_write = sum.cache_write.saturating_add(tokens.cache_write);
        self.last_turn = tokens.total();
    }

    /// All answers are in the file, so their sum is the counter.
    fn close(self, tape: &mut Tape) {
        if self.answers.is_empty() {
            return;
        }
        let costs: Option<f64> = tape.made().responses.iter().map(|response| response.cost_usd).sum();
        tape.counter(Counter {
            cost_usd: costs,
            model: self.model,
            prompt_tokens: self.counted.input,
            completion_tokens: self.counted.output,
            cache_read_tokens: self.counted.cache_read,
            cache_write_tokens: self.counted.cache_write,
            context_window: 0,
            per_turn_token: self.last_turn,
            response_id: String::new(),
        });
    }
}

fn by_kind(tokens: &Tokens, reasoning: u64) -> ResponseTokens {
    let reasoning_tokens = reasoning.min(tokens.output);
    ResponseTokens {
        in_tokens: tokens.input,
        out_tokens: tokens.output - reasoning_tokens,
        reasoning_tokens,
        cache_read_tokens: tokens.cache_read,
        cache_write_tokens: tokens.cache_write,
        total_input_tokens: tokens.total().saturating_sub(tokens.output),
        total_output_tokens: tokens.output,
    }
}
