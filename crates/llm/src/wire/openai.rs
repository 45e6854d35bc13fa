//! Chat completions.

use super::{Reply, answer, base64_of};
use crate::endpoint::Endpoint;
use crate::question::{Answer, Finish, Part, Question};
use serde_json::{Value, json};

pub(super) fn body(endpoint: &Endpoint, question: &Question) -> Value {
    let parts: Vec<Value> = question.parts.iter().map(part).collect();
    let mut body = json!({
        "model": endpoint.model,
        "messages": [
            { "role": "system", "content": question.system },
            { "role": "user", "content": parts },
        ],
        "temperature": 0,
        "seed": question.seed,
        "response_format": {
            "type": "json_schema",
            "json_schema": { "name": question.schema.name, "strict": true, "schema": question.schema.schema },
        },
    });
    body[endpoint.name_of_limit()] = json!(question.max_tokens);
    if endpoint.is_open_router() {
        body["usage"] = json!({ "include": true });
        // Thinking comes out of the same tokens as the answer; a third of them is enough for either.
        body["reasoning"] = json!({ "max_tokens": question.max_tokens / 3 });
    }
    body
}

pub(super) fn part(part: &Part) -> Value {
    match part {
        Part::Text(text) => json!({ "type": "text", "text": text }),
        Part::Image { media_type, bytes } => {
            json!({ "type": "image_url", "image_url": { "url": format!("data:{media_type};base64,{}", base64_of(bytes)) } })
        }
    }
}

pub(super) fn reply(value: &Value) -> Reply<Answer> {
    let Some(choice) = value["choices"].get(0) else {
        return Reply::Nonsense("the answer has no choices".to_owned());
    };
    if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
        return super::error_reply(error);
    }
    let finish = choice["finish_reason"].as_str().map_or(Finish::Other, finish);
    let mut answer = answer(content(&choice["message"]["content"]), value.get("model"), finish);
    let usage = &value["usage"];
    answer.tokens_in = usage["prompt_tokens"].as_u64();
    answer.tokens_out = usage["completion_tokens"].as_u64();
    answer.cost_usd = usage["cost"].as_f64().filter(|cost| cost.is_finite() && *cost >= 0.0);
    Reply::Answer(answer)
}

/// Why it stopped.
pub(super) fn finish(reason: &str) -> Finish {
    match reason {
        "stop" => Finish::Stop,
        "length" => Finish::Length,
        _ => Finish::Other,
    }
}

/// A text, or a list of parts with texts.
pub(super) fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Price;
    use crate::endpoint::Dialect;
    use crate::question::Schema;

    fn endpoint(base_url: &str) -> Endpoint {
        Endpoint {
            dialect: Dialect::OpenAi,
            base_url: base_url.to_owned(),
            model: "google/gemini".to_owned(),
            price: Some(Price { input: 1.0, output: 10.0, ..Price::default() }),
        }
    }

    fn question() -> Question {
        Question {
            system: "You judge.".to_owned(),
            parts: vec![Part::Text("Look:".to_owned()), Part::Image { media_type: "image/jpeg", bytes: vec![1, 2, 3] }],
            schema: Schema { name: "verdict".to_owned(), schema: json!({ "type": "object" }) },
            max_tokens: 9_000,
            seed: 7,
            repeat: 0,
        }
    }

    #[test]
    fn temperature_seed_schema_and_pictures_are_sent_and_no_tools() {
        let body = body(&endpoint("https://llm.example/v1"), &question());
        assert_eq!((&body["temperature"], &body["seed"], &body["max_tokens"]), (&json!(0), &json!(7), &json!(9_000)));
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
        assert_eq!(body["messages"][1]["content"][1]["image_url"]["url"], "data:image/jpeg;base64,AQID");
        for absent in ["tools", "usage", "reasoning"] {
            assert!(body.get(absent).is_none(), "{absent}");
        }
    }

    #[test]
    fn open_router_is_asked_for_the_cost_and_to_limit_its_thinking() {
        let body = body(&endpoint("https://openrouter.ai/api/v1"), &question());
        assert_eq!(body["usage"], json!({ "include": true }));
        assert_eq!(body["reasoning"], json!({ "max_tokens": 3_000 }));
    }

    #[test]
    fn open_ai_itself_wants_the_limit_under_another_name() {
        let body = body(&endpoint("https://api.openai.com/v1"), &question());
        assert_eq!(body["max_completion_tokens"], 9_000);
        assert!(body.get("max_tokens").is_none());
    }

    fn answered(value: &Value) -> crate::question::Answer {
        match super::super::reply(&endpoint("https://llm.example/v1"), value.to_string().as_bytes()) {
            Reply::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn cost_is_what_the_provider_says_or_what_the_price_gives_or_unknown() {
        let choice = json!([{ "message": { "content": "{}" }, "finish_reason": "stop" }]);
        let told = json!({ "model": "m-1", "choices": choice, "usage": { "prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25 } });
        assert_eq!(answered(&told).cost_usd, Some(0.25));
        assert_eq!(answered(&told).model, "m-1");
        let counted =
            json!({ "choices": choice, "usage": { "prompt_tokens": 1_000_000, "completion_tokens": 100_000 } });
        assert_eq!(answered(&counted).cost_usd, Some(2.0));
        let silent = json!({ "choices": choice });
        assert_eq!((answered(&silent).cost_usd, answered(&silent).tokens_in), (None, None));
    }

    #[test]
    fn errors_under_status_200_are_errors() {
        let endpoint = endpoint("https://llm.example/v1");
        let reply = |value: Value| super::super::reply(&endpoint, value.to_string().as_bytes());
        let outer = reply(json!({ "error": { "code": 429, "message": "slow down" } }));
        assert_eq!(outer, Reply::Error { status: 429, message: "slow down".to_owned() });
        let inner = reply(json!({ "choices": [{ "error": { "code": 502, "message": "upstream" } }] }));
        assert_eq!(inner, Reply::Error { status: 502, message: "upstream".to_owned() });
        assert!(matches!(reply(json!({ "choices": [] })), Reply::Nonsense(_)));
        assert!(matches!(reply(json!([1, 2])), Reply::Nonsense(_)));
    }

    #[test]
    fn an_answer_in_parts_or_cut_short_is_read() {
        let value = json!({ "choices": [{ "message": { "content": [{ "type": "text", "text": "a" }, { "text": "b" }] }, "finish_reason": "length" }] });
        assert_eq!((answered(&value).text.as_str(), answered(&value).finish), ("ab", Finish::Length));
        let empty = json!({ "choices": [{ "message": { "content": null } }] });
        assert_eq!((answered(&empty).text.as_str(), answered(&empty).finish), ("", Finish::Other));
    }
}
