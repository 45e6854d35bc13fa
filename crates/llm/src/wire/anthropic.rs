//! Messages. The format has no seed, and not every model takes a schema, so the schema stands in the instructions.

use super::{Reply, answer, base64_of};
use crate::endpoint::Endpoint;
use crate::question::{Answer, Finish, Part, Question, Schema};
use serde_json::{Value, json};

pub(super) fn body(endpoint: &Endpoint, question: &Question) -> Value {
    let parts: Vec<Value> = question.parts.iter().map(part).collect();
    let system = with_schema(&question.system, &question.schema);
    json!({
        "model": endpoint.model,
        "max_tokens": question.max_tokens,
        "temperature": 0,
        "system": system,
        "messages": [{ "role": "user", "content": parts }],
    })
}

/// Instructions that say what shape the answer must have.
pub(super) fn with_schema(system: &str, schema: &Schema) -> String {
    format!(
        "{system}\n\nAnswer with one JSON object and nothing else. It must fit this JSON schema:\n{}",
        schema.schema
    )
}

pub(super) fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { media_type, bytes } => {
            json!({ "type": "image", "source": { "type": "base64", "media_type": media_type, "data": base64_of(bytes) } })
        }
    }
}

pub(super) fn reply(value: &Value) -> Reply<Answer> {
    let Some(blocks) = value["content"].as_array() else {
        return Reply::Nonsense("the answer has no content".to_owned());
    };
    let text = blocks.iter().filter(|block| block["type"] == "text").filter_map(|block| block["text"].as_str());
    let finish = match value["stop_reason"].as_str() {
        Some("end_turn" | "stop_sequence") => Finish::Stop,
        Some("max_tokens") => Finish::Length,
        _ => Finish::Other,
    };
    let mut answer = answer(text.collect(), value.get("model"), finish);
    let usage = &value["usage"];
    let cached = ["cache_creation_input_tokens", "cache_read_input_tokens"];
    let cached: u64 = cached.iter().filter_map(|field| usage[*field].as_u64()).sum();
    answer.tokens_in = usage["input_tokens"].as_u64().map(|read| read + cached);
    answer.tokens_out = usage["output_tokens"].as_u64();
    Reply::Answer(answer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Price;
    use crate::endpoint::Dialect;

    fn endpoint() -> Endpoint {
        Endpoint {
            dialect: Dialect::Anthropic,
            base_url: "https://api.anthropic.com/v1".to_owned(),
            model: "claude".to_owned(),
            price: Some(Price { input: 1.0, output: 10.0, ..Price::default() }),
        }
    }

    #[test]
    fn the_schema_stands_in_the_instructions_and_pictures_are_blocks() {
        let question = Question {
            system: "You judge.".to_owned(),
            parts: vec![Part::Image { media_type: "image/png", bytes: vec![1, 2, 3] }],
            schema: Schema { name: "verdict".to_owned(), schema: json!({ "type": "object" }) },
            max_tokens: 100,
            seed: 7,
            repeat: 0,
        };
        let body = body(&endpoint(), &question);
        let system = body["system"].as_str().unwrap();
        assert!(system.starts_with("You judge.") && system.ends_with("{\"type\":\"object\"}"), "{system}");
        assert_eq!(body["messages"][0]["content"][0]["source"]["data"], "AQID");
        assert_eq!((&body["temperature"], &body["max_tokens"]), (&json!(0), &json!(100)));
        assert!(body.get("seed").is_none() && body.get("tools").is_none());
    }

    #[test]
    fn text_blocks_are_joined_and_tokens_from_the_providers_cache_count() {
        let value = json!({
            "model": "claude-1",
            "content": [{ "type": "thinking", "thinking": "hm" }, { "type": "text", "text": "{}" }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 10, "cache_read_input_tokens": 90, "output_tokens": 5 },
        });
        let Reply::Answer(answer) = super::super::reply(&endpoint(), value.to_string().as_bytes()) else { panic!() };
        assert_eq!((answer.text.as_str(), answer.model.as_str(), answer.finish), ("{}", "claude-1", Finish::Stop));
        assert_eq!((answer.tokens_in, answer.tokens_out), (Some(100), Some(5)));
        assert_eq!(answer.cost_usd, Some(150.0 / 1e6));
    }

    #[test]
    fn an_error_object_is_an_error() {
        let value = json!({ "type": "error", "error": { "type": "overloaded_error", "message": "Overloaded" } });
        let reply = super::super::reply(&endpoint(), value.to_string().as_bytes());
        assert_eq!(reply, Reply::Error { status: 502, message: "Overloaded".to_owned() });
    }
}
