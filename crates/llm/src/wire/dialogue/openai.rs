//! Chat completions with tools.

use super::{call, object};
use crate::dialogue::{Dialogue, Speech, Tokens, Tool, ToolCall, ToolResult, Utterance};
use crate::endpoint::Endpoint;
use crate::question::{Finish, Part};
use crate::wire::openai::{content, finish, part};
use crate::wire::{Reply, error_reply};
use serde_json::{Value, json};

pub(super) fn body(endpoint: &Endpoint, dialogue: &Dialogue) -> Value {
    // OpenRouter hands marks for the cache on to Anthropic; others would stumble over them.
    let marks = endpoint.is_open_router() && endpoint.model.starts_with("anthropic/");
    let mut messages = vec![json!({ "role": "system", "content": texts(&dialogue.system, marks) })];
    for (place, turn) in dialogue.turns.iter().enumerate() {
        turn_messages(turn, marks && place + 1 == dialogue.lasting_turns, &mut messages);
    }
    let mut body = json!({ "model": endpoint.model, "messages": messages });
    body[endpoint.name_of_limit()] = json!(dialogue.max_tokens);
    if !dialogue.tools.is_empty() {
        body["tools"] = dialogue.tools.iter().map(tool).collect();
    }
    if let Some(schema) = &dialogue.schema {
        body["response_format"] = json!({ "type": "json_schema", "json_schema": { "name": schema.name, "strict": true, "schema": schema.schema } });
    }
    if endpoint.is_open_router() {
        body["usage"] = json!({ "include": true });
        if let Some(tokens) = dialogue.thinking_tokens {
            body["reasoning"] = json!({ "max_tokens": tokens });
        }
    }
    body
}

fn texts(text: &str, marked: bool) -> Value {
    if !marked {
        return json!(text);
    }
    json!([{ "type": "text", "text": text, "cache_control": { "type": "ephemeral" } }])
}

fn tool(tool: &Tool) -> Value {
    json!({ "type": "function", "function": { "name": tool.name, "description": tool.description, "parameters": tool.parameters } })
}

fn turn_messages(turn: &Speech, marked: bool, messages: &mut Vec<Value>) {
    match turn {
        Speech::Ours(parts) => messages.push(shown(parts, marked)),
        Speech::Model(utterance) => messages.push(said(utterance)),
        Speech::Results { results, parts } => {
            messages.extend(results.iter().map(result));
            // Tool messages hold words only, so pictures follow in a message of their own.
            if !parts.is_empty() {
                messages.push(shown(parts, marked));
            }
        }
    }
}

fn shown(parts: &[Part], marked: bool) -> Value {
    let mut content: Vec<Value> = parts.iter().map(part).collect();
    if let Some(last) = content.last_mut().filter(|_| marked) {
        last["cache_control"] = json!({ "type": "ephemeral" });
    }
    json!({ "role": "user", "content": content })
}

fn result(result: &ToolResult) -> Value {
    let text = if result.failed { format!("Failed: {}", result.text) } else { result.text.clone() };
    json!({ "role": "tool", "tool_call_id": result.call, "content": text })
}

fn said(utterance: &Utterance) -> Value {
    let mut message = json!({ "role": "assistant", "content": utterance.text });
    if !utterance.calls.is_empty() {
        message["tool_calls"] = utterance.calls.iter().map(called).collect();
    }
    if utterance.kept.is_array() {
        message["reasoning_details"] = utterance.kept.clone();
    }
    message
}

/// Arguments that could not be read are not sent back: the provider could not read them either.
fn called(call: &ToolCall) -> Value {
    let arguments = call.arguments.as_ref().map_or_else(|_| "{}".to_owned(), Value::to_string);
    json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments } })
}

pub(super) fn reply(value: &Value) -> Reply<Utterance> {
    let Some(choice) = value["choices"].get(0) else {
        return Reply::Nonsense("the answer has no choices".to_owned());
    };
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return error_reply(error);
    }
    let message = &choice["message"];
    let thoughts = [&message["reasoning_content"], &message["reasoning"]].into_iter().find_map(Value::as_str);
    let calls = message["tool_calls"].as_array().into_iter().flatten().enumerate();
    let calls = calls.filter_map(|(place, found)| {
        let function = &found["function"];
        call(&found["id"], &function["name"], arguments(&function["arguments"]), place)
    });
    let usage = &value["usage"];
    Reply::Answer(Utterance {
        text: content(&message["content"]),
        thoughts: thoughts.unwrap_or_default().to_owned(),
        calls: calls.collect(),
        kept: message["reasoning_details"].clone(),
        finish: match choice["finish_reason"].as_str() {
            Some("tool_calls" | "function_call") => Finish::Stop,
            other => other.map_or(Finish::Other, finish),
        },
        tokens: tokens(usage),
        cost_usd: usage["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0),
        ..Utterance::default()
    })
}

/// A text with JSON in it, as the format wants; some servers send the object itself, and some nothing when there is nothing to say.
fn arguments(value: &Value) -> Result<Value, String> {
    match value {
        Value::String(text) if text.trim().is_empty() => Ok(json!({})),
        Value::String(text) => {
            serde_json::from_str(text).map_err(|error| format!("the arguments are no JSON: {error}")).and_then(object)
        }
        Value::Null => Ok(json!({})),
        other => object(other.clone()),
    }
}

fn tokens(usage: &Value) -> Option<Tokens> {
    let (shown, output) = (usage["prompt_tokens"].as_u64()?, usage["completion_tokens"].as_u64()?);
    let details = &usage["prompt_tokens_details"];
    let cache_read = details["cached_tokens"].as_u64().unwrap_or(0).min(shown);
    let cache_write = details["cache_write_tokens"].as_u64().unwrap_or(0).min(shown - cache_read);
    Some(Tokens { input: shown - cache_read - cache_write, output, cache_read, cache_write })
}
