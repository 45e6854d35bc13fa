//! Console lines and exceptions, read from the protocol's events.

use crate::records::{ConsoleRecord, ExceptionRecord, cut};
use serde_json::Value;

/// `Runtime.consoleAPICalled`.
pub(crate) fn console_call(params: &Value) -> ConsoleRecord {
    let words: Vec<String> = params["args"].as_array().into_iter().flatten().take(50).map(spell).collect();
    let place = &params["stackTrace"]["callFrames"][0];
    ConsoleRecord {
        level: params["type"].as_str().unwrap_or("log").to_owned(),
        text: cut(&words.join(" ")),
        url: url_of(&place["url"]),
        line: line_after(&place["lineNumber"]),
        source: "console-api".to_owned(),
    }
}

/// `Log.entryAdded`.
pub(crate) fn log_entry(params: &Value) -> ConsoleRecord {
    let entry = &params["entry"];
    ConsoleRecord {
        level: entry["level"].as_str().unwrap_or("info").to_owned(),
        text: cut(entry["text"].as_str().unwrap_or_default()),
        url: url_of(&entry["url"]),
        line: line_after(&entry["lineNumber"]),
        source: entry["source"].as_str().unwrap_or("other").to_owned(),
    }
}

/// `Runtime.exceptionThrown`.
pub(crate) fn exception(params: &Value) -> ExceptionRecord {
    let details = &params["exceptionDetails"];
    let place = &details["stackTrace"]["callFrames"][0];
    ExceptionRecord {
        text: cut(&exception_text(details)),
        url: url_of(&details["url"]).or_else(|| url_of(&place["url"])),
        line: line_after(&details["lineNumber"]).or_else(|| line_after(&place["lineNumber"])),
    }
}

/// What an exception says, with its stack where it has one.
pub(crate) fn exception_text(details: &Value) -> String {
    let said = details["text"].as_str().unwrap_or("Uncaught");
    let thrown = &details["exception"];
    match thrown["description"].as_str() {
        Some(description) => description.to_owned(),
        None if thrown.is_object() => format!("{said} {}", spell(thrown)),
        None => said.to_owned(),
    }
}

fn spell(argument: &Value) -> String {
    if let Some(text) = argument["value"].as_str() {
        return text.to_owned();
    }
    if let Some(value) = argument.get("value") {
        return value.to_string();
    }
    let name = argument["unserializableValue"].as_str().or_else(|| argument["description"].as_str());
    name.or_else(|| argument["type"].as_str()).unwrap_or_default().to_owned()
}

fn url_of(value: &Value) -> Option<String> {
    value.as_str().filter(|url| !url.is_empty()).map(cut)
}

/// The protocol counts lines from 0.
fn line_after(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|line| u32::try_from(line).ok()).map(|line| line.saturating_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn arguments_are_spelled_as_a_reader_expects() {
        let record = console_call(&json!({ "type": "error", "args": [
            { "type": "string", "value": "got" }, { "type": "number", "value": 3 },
            { "type": "object", "description": "Array(2)" }, { "type": "undefined" },
            { "type": "number", "unserializableValue": "NaN" },
        ], "stackTrace": { "callFrames": [ { "url": "http://h/a.js", "lineNumber": 4 } ] } }));
        assert_eq!(record.text, "got 3 Array(2) undefined NaN");
        assert_eq!((record.level.as_str(), record.line), ("error", Some(5)));
        assert_eq!(record.url.as_deref(), Some("http://h/a.js"));
    }

    #[test]
    fn a_shapeless_event_gives_an_empty_record() {
        assert_eq!(console_call(&json!(7)).text, "");
        assert_eq!(log_entry(&json!(null)).source, "other");
        assert_eq!(exception(&json!({})).text, "Uncaught");
    }

    #[test]
    fn a_thrown_text_is_kept() {
        let record = exception(&json!({ "exceptionDetails": { "text": "Uncaught", "lineNumber": 0,
            "exception": { "type": "string", "value": "oops" } } }));
        assert_eq!((record.text.as_str(), record.line), ("Uncaught oops", Some(1)));
    }
}
