//! The two wire formats: what is sent, and what comes back.

mod anthropic;
pub(crate) mod chat;
pub(crate) mod dialogue;
mod openai;

use crate::endpoint::{Dialect, Endpoint};
use crate::key::ApiKey;
use crate::question::{Answer, Finish, Question, Schema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The body of a request. Equal questions give equal bytes.
pub(crate) fn body(endpoint: &Endpoint, question: &Question) -> Vec<u8> {
    let value = match endpoint.dialect {
        Dialect::OpenAi => openai::body(endpoint, question),
        Dialect::Anthropic => anthropic::body(endpoint, question),
    };
    value.to_string().into_bytes()
}

/// What a provider may refuse to be asked for, though it answers without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// Models that think often take no temperature but their own.
    Temperature,
    Seed,
    Schema,
}

impl Demand {
    fn named(word: &str) -> Option<Self> {
        match word {
            "temperature" => Some(Self::Temperature),
            "seed" => Some(Self::Seed),
            "response_format" | "json_schema" => Some(Self::Schema),
            _ => None,
        }
    }

    fn field(self) -> &'static str {
        match self {
            Self::Temperature => "temperature",
            Self::Seed => "seed",
            Self::Schema => "response_format",
        }
    }
}

/// The same body without what a complaint is about, if it demands that: the first that is named, as some providers go on with a list
/// of what they do take. A schema that is not taken stands in the instructions instead.
pub(crate) fn without_refused(
    body: &[u8],
    system: &str,
    schema: Option<&Schema>,
    complaint: &str,
) -> Option<(Demand, Vec<u8>)> {
    let mut value: Value = serde_json::from_slice(body).ok()?;
    let fields = value.as_object_mut()?;
    let complaint = complaint.to_lowercase();
    let words = complaint.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let demand = words.filter_map(Demand::named).find(|demand| fields.contains_key(demand.field()))?;
    fields.remove(demand.field());
    if let (Demand::Schema, Some(schema)) = (demand, schema) {
        let content = &mut value["messages"][0]["content"];
        let words = anthropic::with_schema(system, schema).into();
        // Instructions with a mark for the provider's cache are a list of one text.
        match content.get_mut(0) {
            Some(first) => first["text"] = words,
            None => *content = words,
        }
    }
    Some((demand, value.to_string().into_bytes()))
}

/// The headers that carry the key.
pub(crate) fn headers(dialect: Dialect, key: &ApiKey) -> Vec<(&'static str, String)> {
    match dialect {
        Dialect::OpenAi => vec![("authorization", format!("Bearer {}", key.open()))],
        Dialect::Anthropic => {
            vec![("x-api-key", key.open().to_owned()), ("anthropic-version", "2023-06-01".to_owned())]
        }
    }
}

/// What came back under status 200.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply<T> {
    /// An answer.
    Answer(T),
    /// An error that some providers send under 200, with the status it should have had.
    Error { status: u16, message: String },
    /// Nothing we understand.
    Nonsense(String),
}

pub(crate) fn reply(endpoint: &Endpoint, bytes: &[u8]) -> Reply<Answer> {
    let value: Value = match serde_json::from_slice(bytes) {
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
    if let Reply::Answer(answer) = &mut reply
        && answer.cost_usd.is_none()
        && let (Some(price), Some(read), Some(written)) = (endpoint.price, answer.tokens_in, answer.tokens_out)
    {
        answer.cost_usd = Some(price.of(read, written));
    }
    reply
}

fn error_reply<T>(error: &Value) -> Reply<T> {
    let status = error.get("code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
    Reply::Error { status: status.unwrap_or(502), message: message_of(error) }
}

/// Whether an error says that there is no credit left. OpenAI sends it with the status of haste, and haste alone passes.
pub(crate) fn says_quota_is_used_up(bytes: &[u8]) -> bool {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    let error = value.as_ref().and_then(|value| value.get("error"));
    error.is_some_and(|error| ["code", "type"].iter().any(|field| error[field] == "insufficient_quota"))
}

/// What an error body says, in a line; the body itself if it does not say it the usual way.
pub(crate) fn complaint(bytes: &[u8]) -> String {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    match value.as_ref().and_then(|value| value.get("error")) {
        Some(error) => message_of(error),
        None => one_line(&String::from_utf8_lossy(bytes)),
    }
}

fn message_of(error: &Value) -> String {
    let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str)).unwrap_or("no reason given");
    match error.get("param").and_then(Value::as_str) {
        Some(parameter) if !text.contains(parameter) => one_line(&format!("{parameter}: {text}")),
        _ => one_line(text),
    }
}

/// Providers quote requests, stack traces and whole pages; a line of it is enough.
fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.is_empty() {
        return "no reason given".to_owned();
    }
    line.chars().take(300).collect()
}

fn base64_of(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn answer(text: String, model: Option<&Value>, finish: Finish) -> Answer {
    let model: String = model.and_then(Value::as_str).unwrap_or_default().chars().take(200).collect();
    Answer { text, model, finish, ..Answer::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_mark_for_the_providers_cache_stays_where_a_schema_becomes_words() {
        let system = json!([{ "type": "text", "text": "Judge.", "cache_control": { "type": "ephemeral" } }]);
        let body = json!({ "messages": [{ "role": "system", "content": system }], "response_format": {} }).to_string();
        let schema = Schema { name: "verdict".to_owned(), schema: json!({ "type": "object" }) };
        let eased = without_refused(body.as_bytes(), "Judge.", Some(&schema), "no `response_format` here");
        let (demand, eased) = eased.unwrap();
        let eased: Value = serde_json::from_slice(&eased).unwrap();
        let said = &eased["messages"][0]["content"][0];
        assert_eq!((demand, &said["cache_control"]["type"]), (Demand::Schema, &json!("ephemeral")));
        let words = said["text"].as_str().unwrap();
        assert!(words.starts_with("Judge.") && words.ends_with(r#"{"type":"object"}"#), "{words}");
        assert!(eased.get("response_format").is_none());
    }
}
