//! A model that calls tools, over real HTTP, in both wire formats.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use benchwright_llm::{
    ApiKey, Client, Dialect, Dialogue, Endpoint, Finish, Limits, LlmError, Part, Price, Retry, Schema, Settings,
    Speech, Tokens, Tool, ToolResult,
};
use serde_json::{Value, json};
use std::time::Duration;

fn settings() -> Settings {
    let wait = Duration::from_millis(2);
    let retry =
        Retry { attempts: 21, first_wait: wait, longest_wait: wait, longest_asked: Duration::from_secs(1), seed: 1 };
    Settings { retry, ..Settings::default() }
}

fn endpoint(llm: &ScriptedLlm, dialect: Dialect) -> Endpoint {
    let price = Price { input: 3.0, output: 15.0, cache_read: Some(0.3), cache_write: Some(3.75) };
    Endpoint { dialect, base_url: llm.base_url(), model: "walker".to_owned(), price: Some(price) }
}

fn dialogue() -> Dialogue {
    let tool = Tool {
        name: "click".to_owned(),
        description: "Clicks.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "ref": { "type": "string" } } }),
    };
    Dialogue {
        system: "Walk.".to_owned(),
        tools: vec![tool],
        turns: vec![Speech::Ours(vec![
            Part::Text("Page".to_owned()),
            Part::Image { media_type: "image/jpeg", bytes: vec![1, 2, 3] },
        ])],
        lasting_turns: 0,
        schema: None,
        max_tokens: 4_000,
        thinking_tokens: Some(2_000),
    }
}

/// The dialogue after the model called and was told what came of it.
fn went_on(dialogue: Dialogue, utterance: benchwright_llm::Utterance) -> Dialogue {
    let results = utterance.calls.iter().map(|call| ToolResult {
        call: call.id.clone(),
        text: "done".to_owned(),
        failed: call.arguments.is_err(),
    });
    let results = Speech::Results { results: results.collect(), parts: vec![Part::Text("Page two".to_owned())] };
    let mut turns = dialogue.turns;
    turns.extend([Speech::Model(utterance), results]);
    Dialogue { turns, lasting_turns: 1, ..dialogue }
}

fn sent(llm: &ScriptedLlm, number: usize) -> Value {
    serde_json::from_str(&llm.calls()[number].body).unwrap()
}

fn openai_call(arguments: &str) -> LlmReply {
    let call = json!({ "id": "c1", "type": "function", "function": { "name": "click", "arguments": arguments } });
    let message = json!({ "role": "assistant", "content": null, "reasoning": "hm", "tool_calls": [call] });
    let usage =
        json!({ "prompt_tokens": 1_000, "completion_tokens": 100, "prompt_tokens_details": { "cached_tokens": 600 } });
    let choice = json!({ "message": message, "finish_reason": "tool_calls" });
    LlmReply::ok(json!({ "model": "walker-1", "choices": [choice], "usage": usage }).to_string())
}

fn anthropic_call() -> LlmReply {
    let content = json!([
        { "type": "thinking", "thinking": "hm", "signature": "s1gned" },
        { "type": "text", "text": "" },
        { "type": "tool_use", "id": "t1", "name": "click", "input": { "ref": "e1" } },
    ]);
    let usage = json!({ "input_tokens": 400, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 100, "output_tokens": 100 });
    LlmReply::ok(
        json!({ "model": "walker-1", "content": content, "stop_reason": "tool_use", "usage": usage }).to_string(),
    )
}

#[tokio::test]
async fn chat_completions_carry_calls_results_pictures_and_the_price_of_cached_tokens() {
    let llm = ScriptedLlm::start(|_, _: &LlmCall| openai_call("{\"ref\":\"e1\"}")).unwrap();
    let client = Client::new(settings());
    let endpoint = endpoint(&llm, Dialect::OpenAi);
    let utterance = client.converse(&endpoint, None, &dialogue()).await.unwrap();
    assert_eq!(utterance.calls[0].arguments, Ok(json!({ "ref": "e1" })));
    assert_eq!((utterance.thoughts.as_str(), utterance.finish), ("hm", Finish::Stop));
    assert_eq!(utterance.tokens, Some(Tokens { input: 400, output: 100, cache_read: 600, cache_write: 0 }));
    let dollars = (400.0 * 3.0 + 600.0 * 0.3 + 100.0 * 15.0) / 1e6;
    assert!((utterance.cost_usd.unwrap() - dollars).abs() < 1e-12);
    client.converse(&endpoint, None, &went_on(dialogue(), utterance)).await.unwrap();
    let (first, second) = (sent(&llm, 0), sent(&llm, 1));
    assert!(first.get("temperature").is_none() && first.get("seed").is_none(), "sampling is left alone");
    assert_eq!(first["tools"][0]["function"]["name"], "click");
    assert!(first["messages"][1]["content"][1]["image_url"]["url"].as_str().unwrap().ends_with("base64,AQID"));
    let messages = second["messages"].as_array().unwrap();
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"ref\":\"e1\"}");
    assert_eq!(messages[3], json!({ "role": "tool", "tool_call_id": "c1", "content": "done" }));
    assert_eq!(messages[4]["content"][0]["text"], "Page two");
}

#[tokio::test]
async fn messages_give_signed_thoughts_back_and_mark_what_lasts() {
    let llm = ScriptedLlm::start(|_, _: &LlmCall| anthropic_call()).unwrap();
    let client = Client::new(settings());
    let endpoint = endpoint(&llm, Dialect::Anthropic);
    let key = ApiKey::new("sk-s3cret").unwrap();
    let utterance = client.converse(&endpoint, Some(&key), &dialogue()).await.unwrap();
    assert_eq!(utterance.tokens, Some(Tokens { input: 400, output: 100, cache_read: 500, cache_write: 100 }));
    let dollars = (400.0 * 3.0 + 500.0 * 0.3 + 100.0 * 3.75 + 100.0 * 15.0) / 1e6;
    assert!((utterance.cost_usd.unwrap() - dollars).abs() < 1e-12);
    client.converse(&endpoint, Some(&key), &went_on(dialogue(), utterance)).await.unwrap();
    let (first, second) = (sent(&llm, 0), sent(&llm, 1));
    assert_eq!(first["thinking"], json!({ "type": "enabled", "budget_tokens": 2_000 }));
    assert_eq!(first["system"][0]["cache_control"]["type"], "ephemeral");
    assert_eq!(first["messages"][0]["content"][1]["source"]["data"], "AQID");
    assert!(first.get("temperature").is_none());
    let messages = &second["messages"];
    assert_eq!(messages[0]["content"][1]["cache_control"]["type"], "ephemeral", "the lasting turn");
    let given_back = messages[1]["content"].as_array().unwrap();
    assert_eq!(given_back.len(), 2, "an empty text would be refused");
    assert_eq!(given_back[0]["signature"], "s1gned");
    let result = json!({ "type": "tool_result", "tool_use_id": "t1", "content": "done", "is_error": false });
    assert_eq!(messages[2]["content"][0], result);
    assert_eq!(messages[2]["content"][1]["text"], "Page two");
}

#[tokio::test]
async fn arguments_that_cannot_be_read_are_told_and_not_sent_back() {
    let llm = ScriptedLlm::start(|number, _: &LlmCall| openai_call(["{\"ref\": e1", "[1]"][number.min(1)])).unwrap();
    let client = Client::new(settings());
    let endpoint = endpoint(&llm, Dialect::OpenAi);
    let utterance = client.converse(&endpoint, None, &dialogue()).await.unwrap();
    let why = utterance.calls[0].arguments.clone().unwrap_err();
    assert!(why.starts_with("the arguments are no JSON"), "{why}");
    let next = client.converse(&endpoint, None, &went_on(dialogue(), utterance)).await.unwrap();
    assert_eq!(next.calls[0].arguments, Err("the arguments are no JSON object".to_owned()));
    let second = sent(&llm, 1);
    assert_eq!(second["messages"][2]["tool_calls"][0]["function"]["arguments"], "{}");
    assert_eq!(second["messages"][3]["content"], "Failed: done");
}

#[tokio::test]
async fn a_provider_that_takes_no_schema_is_told_it_in_words() {
    let refusal = r#"{"error":{"message":"Unsupported parameter.","param":"response_format"}}"#;
    let llm = ScriptedLlm::start(move |number, _: &LlmCall| match number % 2 {
        0 => LlmReply::status(400, refusal),
        _ => openai_call("{}"),
    })
    .unwrap();
    let schema = Some(Schema { name: "verdict".to_owned(), schema: json!({ "type": "object" }) });
    let judging = Dialogue { schema, ..dialogue() };
    let client = Client::new(settings());
    let utterance = client.converse(&endpoint(&llm, Dialect::OpenAi), None, &judging).await.unwrap();
    assert!(utterance.failed_attempts.is_empty(), "a refusal is no failure of the model's");
    let (mut first, second) = (sent(&llm, 0), sent(&llm, 1));
    assert!(first.as_object_mut().unwrap().remove("response_format").is_some());
    let instructions = second["messages"][0]["content"].as_str().unwrap();
    assert!(instructions.starts_with("Walk.") && instructions.ends_with(r#"{"type":"object"}"#), "{instructions}");
    first["messages"][0]["content"] = instructions.into();
    assert_eq!(first, second);
}

#[tokio::test]
async fn a_quota_that_is_used_up_is_said_at_once_and_haste_is_waited_out() {
    let used_up = r#"{"error":{"message":"You exceeded your current quota.","code":"insufficient_quota"}}"#;
    for (body, calls) in [(used_up, 1), (r#"{"error":{"message":"You exceeded your current quota."}}"#, 2)] {
        let llm = ScriptedLlm::start(move |number, _: &LlmCall| match number {
            0 => LlmReply::status(429, body),
            _ => openai_call("{}"),
        })
        .unwrap();
        let asked = Client::new(settings()).converse(&endpoint(&llm, Dialect::OpenAi), None, &dialogue()).await;
        assert_eq!(llm.calls().len(), calls);
        let remedy = asked.err().and_then(|error| error.remedy());
        assert_eq!(remedy.is_some_and(|remedy| remedy.contains("credit")), calls == 1, "{remedy:?}");
    }
}

#[tokio::test]
async fn twenty_retries_and_what_the_provider_asks_for_are_waited_out() {
    let llm = ScriptedLlm::start(|number, _: &LlmCall| match number {
        0 => LlmReply::status(429, "{}").with("retry-after", "0.05"),
        1..20 => LlmReply::status(529, "busy"),
        _ => openai_call("{}"),
    })
    .unwrap();
    let utterance =
        Client::new(settings()).converse(&endpoint(&llm, Dialect::OpenAi), None, &dialogue()).await.unwrap();
    assert_eq!((utterance.failed_attempts.len(), utterance.failed_attempts[0].waited_ms), (20, 50));
}

#[tokio::test]
async fn silence_is_cut_off_and_given_up_within_the_whole_limit() {
    let llm = ScriptedLlm::start(|_, _: &LlmCall| LlmReply::Silence).unwrap();
    let limits = Limits::of_walks(Duration::from_millis(100), Duration::from_millis(350));
    let client = Client::new(Settings { limits, ..settings() });
    let error = client.converse(&endpoint(&llm, Dialect::OpenAi), None, &dialogue()).await.unwrap_err();
    assert!(matches!(&error, LlmError::GaveUp { last, .. } if last.starts_with("no answer within")), "{error}");
}

#[tokio::test]
async fn the_budget_stops_a_dialogue_before_it_is_passed() {
    let llm = ScriptedLlm::start(|_, _: &LlmCall| openai_call("{}")).unwrap();
    let worst = 0.081;
    let client = Client::new(Settings { budget_usd: Some(worst), ..settings() });
    let endpoint = endpoint(&llm, Dialect::OpenAi);
    client.converse(&endpoint, None, &dialogue()).await.unwrap();
    let large = Dialogue { max_tokens: 5_000, ..dialogue() };
    let error = client.converse(&endpoint, None, &large).await.unwrap_err();
    assert!(matches!(error, LlmError::OverBudget { .. }), "{error}");
    assert_eq!(llm.calls().len(), 1);
}
