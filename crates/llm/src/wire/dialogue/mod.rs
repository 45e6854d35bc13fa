//! Dialogues with tools, in both wire formats.

mod anthropic;
mod openai;

use super::{Reply, error_reply};
use crate::client::Arrived;
use crate::dialogue::{Dialogue, ToolCall, Utterance};
use crate::endpoint::{Dialect, Endpoint};
use serde_json::Value;

/// More calls than this in one answer are a model that has lost itself.
const MOST_CALLS: usize = 32;
const LONGEST_NAME: usize = 200;

/// The body of a request.
pub(crate) fn body(endpoint: &Endpoint, dialogue: &Dialogue) -> Vec<u8> {
    let value = match endpoint.dialect {
        Dialect::OpenAi => openai::body(endpoint, dialogue),
        Dialect::Anthropic => anthropic::body(endpoint, dialogue),
    };
    value.to_string().into_bytes()
}

/// What came back under status 200.
pub(crate) fn reply(endpoint: &Endpoint, arrived: &Arrived) -> Reply<Utterance> {
    let value: Value = match serde_json::from_slice(&arrived.bytes) {
        Ok(value) => value,
        Err(error) => return Reply::Nonsense(format!("the answer is no JSON: {error}")),
    };
    if let Some(error) = value.get("error").filter(|error| !error.is_null()) {
        return error_reply(error);
    }
    let mut reply = match endpoint.dialect {
        Dialect::OpenAi => openai::reply(&value),
        Dialect::Anthropic => anthropic::reply(&value),
    };
    if let Reply::Answer(utterance) = &mut reply {
        utterance.model = value["model"].as_str().unwrap_or_default().chars().take(LONGEST_NAME).collect();
        let counted = endpoint.price.zip(utterance.tokens).map(|(price, tokens)| price.of_call(&tokens));
        utterance.cost_usd = utterance.cost_usd.or(counted);
    }
    reply
}

/// A call as the provider has it; a call without a name is none, one without an id gets its place as id.
fn call(id: &Value, name: &Value, arguments: Result<Value, String>, place: usize) -> Option<ToolCall> {
    let short = |text: &str| text.chars().take(LONGEST_NAME).collect::<String>();
    let name = short(name.as_str()?);
    let id = id.as_str().filter(|id| !id.is_empty()).map_or_else(|| format!("call_{place}"), short);
    (place < MOST_CALLS && !name.is_empty()).then_some(ToolCall { id, name, arguments })
}

/// Arguments must be an object.
fn object(value: Value) -> Result<Value, String> {
    if value.is_object() { Ok(value) } else { Err("the arguments are no JSON object".to_owned()) }
}
