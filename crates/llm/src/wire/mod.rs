//! The two wire formats: what is sent, and what comes back.

mod anthropic;
pub(crate) mod chat;
pub(crate) mod dialogue;
mod openai;

use crate::endpoint::{Dialect, Endpoint};
use crate::key::ApiKey;
use crate::question::{Answer, Finish, Question};
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

/// The same body for a model that takes no temperature but its own.
pub(crate) fn without_temperature(body: &[u8]) -> Vec<u8> {
    let mut value: Value = serde_json::from_slice(body).unwrap_or_default();
    if let Some(fields) = value.as_object_mut() {
        fields.remove("temperature");
    }
    value.to_string().into_bytes()
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

/// What an error body says, in a line; the body itself if it does not say it the usual way.
pub(crate) fn complaint(bytes: &[u8]) -> String {
    let value: Option<Value> = serde_json::from_slice(bytes).ok();
    match value.as_ref().and_then(|value| value.get("error")) {
        Some(error) => message_of(error),
        None => one_line(&String::from_utf8_lossy(bytes)),
    }
}

fn message_of(error: &Value) -> String {
    let text = error.as_str().or_else(|| error.get("message").and_then(Value::as_str));
    one_line(text.unwrap_or("no reason given"))
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
    Answer {
        text,
        model,
        finish,
        tokens_in: None,
        tokens_out: None,
        cost_usd: None,
        own_temperature: false,
        cached: false,
        name: String::new(),
        failed_attempts: Vec::new(),
    }
}
