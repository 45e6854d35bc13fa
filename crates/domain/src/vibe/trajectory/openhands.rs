//! Reads the JSON array of events that OpenHands writes, one event at a time, without keeping their texts.

use super::facts::ResponseTokens;
use super::tape::{Tape, Wrong};
use super::{Counter, Response, Trajectory, TrajectoryError};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

/// What is looked at of an event. The rest is passed over unread.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default)]
    timestamp: String,
    #[serde(default)]
    source: Option<String>,
    #[serde(default)]
    action: Option<String>,
    #[serde(default)]
    observation: Option<String>,
    #[serde(default, borrow)]
    cause: Option<&'a RawValue>,
    #[serde(default, borrow)]
    extras: Option<&'a RawValue>,
    #[serde(default, borrow)]
    tool_call_metadata: Option<&'a RawValue>,
    #[serde(default, borrow)]
    llm_metrics: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct CallMetadata<'a> {
    function_name: String,
    #[serde(default, borrow)]
    model_response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct ModelResponse {
    metadata: ResponseMetadata,
}

#[derive(Deserialize)]
struct ResponseMetadata {
    #[serde(default)]
    cost: Option<ResponseCost>,
    #[serde(default)]
    duration_seconds: Option<f64>,
    #[serde(default)]
    in_tokens: Option<u64>,
    #[serde(default)]
    out_tokens: Option<u64>,
    #[serde(default)]
    reasoning_tokens: Option<u64>,
    #[serde(default)]
    cache_read_tokens: Option<u64>,
    #[serde(default)]
    cache_write_tokens: Option<u64>,
    #[serde(default)]
    total_input_tokens: Option<u64>,
    #[serde(default)]
    total_output_tokens: Option<u64>,
}

#[derive(Deserialize)]
struct ResponseCost {
    #[serde(default)]
    total: Option<f64>,
}

#[derive(Deserialize)]
struct Metrics<'a> {
    #[serde(default)]
    accumulated_cost: Option<f64>,
    #[serde(default, borrow)]
    accumulated_token_usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RunExtras {
    metadata: RunMetadata,
}

#[derive(Deserialize)]
struct RunMetadata {
    exit_code: i64,
}

#[derive(Deserialize)]
struct BrowseExtras {
    error: bool,
}

pub(super) fn read(bytes: &[u8]) -> Result<Trajectory, TrajectoryError> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let tape = deserializer.deserialize_seq(Events).map_err(|error| TrajectoryError::invalid(&error))?;
    deserializer.end().map_err(|error| TrajectoryError::invalid(&error))?;
    tape.finish().map(without_unknown_costs)
}

struct Events;

impl<'de> Visitor<'de> for Events {
    type Value = Tape;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an array of events")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut events: A) -> Result<Tape, A::Error> {
        let mut tape = Tape::new();
        let mut seen = BTreeSet::new();
        while let Some(event) = events.next_element::<Event>()? {
            take(&mut tape, &mut seen, &event)
                .map_err(|wrong| A::Error::custom(format!("event {}: {wrong}", tape.number())))?;
        }
        Ok(tape)
    }
}

fn take(tape: &mut Tape, seen: &mut BTreeSet<u64>, event: &Event) -> Result<(), Wrong> {
    let at = tape.event(&event.timestamp)?;
    tape.made().finished = event.action.as_deref() == Some("finish");
    if let Some(metrics) = event.llm_metrics.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
        tape.counter(counter(&metrics));
    }
    if let Some(action) = &event.action {
        tape.action(action)?;
        match action.as_str() {
            "read" => tape.made().edit_views += 1,
            "edit" => tape.made().edit_writes += 1,
            _ => {}
        }
        if event.source.as_deref() == Some("agent") {
            tape.agent_acts(at);
            if let Some(call) = event.tool_call_metadata.and_then(|raw| serde_json::from_str(raw.get()).ok()) {
                take_call(tape, seen, at, &call)?;
            }
        }
    }
    match &event.observation {
        Some(observation) => take_observation(tape, event, observation),
        None => Ok(()),
    }
}

/// One answer may hold several calls, and then stands with each of them.
fn take_call(tape: &mut Tape, seen: &mut BTreeSet<u64>, at: jiff::Timestamp, call: &CallMetadata) -> Result<(), Wrong> {
    tape.call(at, &call.function_name)?;
    let Some(raw) = call.model_response.filter(|raw| raw.get() != "null") else { return Ok(()) };
    let mut hasher = DefaultHasher::new();
    raw.get().hash(&mut hasher);
    if seen.insert(hasher.finish()) {
        tape.response(part::<ModelResponse>(Some(raw)).map(response).unwrap_or_default());
    }
    Ok(())
}

fn take_observation(tape: &mut Tape, event: &Event, observation: &str) -> Result<(), Wrong> {
    tape.observation(observation)?;
    let made = tape.made();
    match observation {
        "error" => {
            made.error_observations += 1;
            // A call that was refused never became an action that could be its cause.
            let has_cause = event.cause.is_some_and(|cause| cause.get() != "null");
            made.invalid_calls += u64::from(!has_cause && event.tool_call_metadata.is_none());
        }
        "run" => {
            let failed = part::<RunExtras>(event.extras).is_some_and(|extras| extras.metadata.exit_code != 0);
            made.failed_commands += u64::from(failed);
        }
        "browse" => made.browser_errors += u64::from(part::<BrowseExtras>(event.extras).is_some_and(|it| it.error)),
        _ => {}
    }
    Ok(())
}

/// A part that has the shape we know; harnesses differ, and what has another shape is not known.
fn part<T: DeserializeOwned>(raw: Option<&RawValue>) -> Option<T> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok())
}

fn counter(metrics: &Metrics) -> Counter {
    let usage: Counter = part(metrics.accumulated_token_usage).unwrap_or_default();
    Counter { cost_usd: amount(metrics.accumulated_cost), ..usage }
}

/// What tokens cost. A harness that knows no price of a model counts them at 0 dollars, which is not known to be true.
fn known(cost: Option<f64>, tokens: u64) -> Option<f64> {
    cost.filter(|cost| *cost > 0.0 || tokens == 0)
}

/// The counter speaks for all answers, so it is read beside them all: a harness may count dollars and no tokens.
fn without_unknown_costs(mut trajectory: Trajectory) -> Trajectory {
    let mut of_answers = 0_u64;
    for response in &mut trajectory.responses {
        let tokens = response.tokens.total();
        response.cost_usd = known(response.cost_usd, tokens);
        of_answers = tokens.saturating_add(of_answers);
    }
    if let Some(counter) = &mut trajectory.counter {
        counter.cost_usd = known(counter.cost_usd, counter.tokens().max(of_answers));
    }
    trajectory
}

fn response(ModelResponse { metadata }: ModelResponse) -> Response {
    Response {
        cost_usd: amount(metadata.cost.and_then(|cost| cost.total)),
        seconds: amount(metadata.duration_seconds),
        tokens: ResponseTokens {
            in_tokens: metadata.in_tokens.unwrap_or(0),
            out_tokens: metadata.out_tokens.unwrap_or(0),
            reasoning_tokens: metadata.reasoning_tokens.unwrap_or(0),
            cache_read_tokens: metadata.cache_read_tokens.unwrap_or(0),
            cache_write_tokens: metadata.cache_write_tokens.unwrap_or(0),
            total_input_tokens: metadata.total_input_tokens.unwrap_or(0),
            total_output_tokens: metadata.total_output_tokens.unwrap_or(0),
        },
    }
}

fn amount(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite() && *value >= 0.0)
}
