//! Messages with tools.

use super::{call, object};
use crate::dialogue::{Dialogue, Speech, Tokens, Tool, ToolResult, Utterance};
use crate::endpoint::Endpoint;
use crate::question::Finish;
use crate::wire::Reply;
use crate::wire::anthropic::{part, with_schema};
use serde_json::{Value, json};

/// The least the provider accepts.
const LEAST_THINKING: u32 = 1_024;

pub(super) fn body(endpoint: &Endpoint, dialogue: &Dialogue) -> Value {
    let turns = dialogue.turns.iter().enumerate();
    let messages: Vec<Value> = turns.map(|(place, turn)| message(turn, place + 1 == dialogue.lasting_turns)).collect();
    let system = match &dialogue.schema {
        Some(schema) => with_schema(&dialogue.system, schema),
        None => dialogue.system.clone(),
    };
    // The mark on the system message covers the tools as well, which stand before it.
    let mut body = json!({
        "model": endpoint.model,
        "max_tokens": dialogue.max_tokens,
        "system": [{ "type": "text", "text": system, "cache_control": { "type": "ephemeral" } }],
        "messages": messages,
    });
    if !dialogue.tools.is_empty() {
        body["tools"] = dialogue.tools.iter().map(tool).collect();
    }
    if let Some(tokens) = dialogue.thinking_tokens.filter(|_| dialogue.max_tokens > LEAST_THINKING) {
        let tokens = tokens.clamp(LEAST_THINKING, dialogue.max_tokens - 1);
        body["thinking"] = json!({ "type": "enabled", "budget_tokens": tokens });
    }
    body
}

fn tool(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description, "input_schema": tool.parameters })
}

fn message(turn: &Speech, marked: bool) -> Value {
    let (role, mut content): (_, Vec<Value>) = match turn {
        Speech::Ours(parts) => ("user", parts.iter().map(part).collect()),
        Speech::Results { results, parts } => {
            ("user", results.iter().map(result).chain(parts.iter().map(part)).collect())
        }
        Speech::Model(utterance) => ("assistant", said(utterance)),
    };
    if let Some(last) = content.last_mut().filter(|_| marked) {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    json!({ "role": role, "content": content })
}

fn result(result: &ToolResult) -> Value {
    json!({ "type": "tool_result", "tool_use_id": result.call, "content": result.text, "is_error": result.failed })
}

/// The blocks as they came, signatures and all. The provider refuses a turn without any.
fn said(utterance: &Utterance) -> Vec<Value> {
    match utterance.kept.as_array() {
        Some(blocks) if !blocks.is_empty() => blocks.clone(),
        _ if utterance.text.is_empty() => vec![json!({ "type": "text", "text": "(nothing)" })],
        _ => vec![json!({ "type": "text", "text": utterance.text })],
    }
}

pub(super) fn reply(value: &Value) -> Reply<Utterance> {
    let Some(blocks) = value["content"].as_array() else {
        return Reply::Nonsense("the answer has no content".to_owned());
    };
    let of_kind = |kind: &'static str| blocks.iter().filter(move |block| block["type"] == kind);
    let calls = of_kind("tool_use").enumerate();
    let calls =
        calls.filter_map(|(place, block)| call(&block["id"], &block["name"], object(block["input"].clone()), place));
    // A block of text that is empty is given, and refused when it is given back.
    let kept = blocks.iter().filter(|block| block["type"] != "text" || block["text"] != "").map(returned);
    Reply::Answer(Utterance {
        text: of_kind("text").filter_map(|block| block["text"].as_str()).collect(),
        thoughts: of_kind("thinking").filter_map(|block| block["thinking"].as_str()).collect(),
        calls: calls.collect(),
        kept: kept.collect(),
        finish: match value["stop_reason"].as_str() {
            Some("end_turn" | "stop_sequence" | "tool_use") => Finish::Stop,
            Some("max_tokens") => Finish::Length,
            _ => Finish::Other,
        },
        tokens: tokens(&value["usage"]),
        ..Utterance::default()
    })
}

/// A block as it can be sent back: input that is no object would be refused.
fn returned(block: &Value) -> Value {
    let mut block = block.clone();
    if block["type"] == "tool_use" && !block["input"].is_object() {
        block["input"] = json!({});
    }
    block
}

fn tokens(usage: &Value) -> Option<Tokens> {
    let count = |name: &str| usage[name].as_u64();
    Some(Tokens {
        input: count("input_tokens")?,
        output: count("output_tokens")?,
        cache_read: count("cache_read_input_tokens").unwrap_or(0),
        cache_write: count("cache_creation_input_tokens").unwrap_or(0),
    })
}
