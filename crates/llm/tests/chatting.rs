//! A model under test over real HTTP: streams, whole answers, and what providers do instead of answering.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use benchwright_llm::{ApiKey, Chat, Client, Dialect, Endpoint, Finish, LlmError, Retry, Settings, Turn};
use serde_json::{Value, json};
use std::time::Duration;

fn client() -> Client {
    let wait = Duration::from_millis(2);
    let retry = Retry { attempts: 3, first_wait: wait, longest_wait: wait, longest_asked: wait, seed: 1 };
    Client::new(Settings { retry, ..Settings::default() })
}

fn endpoint(llm: &ScriptedLlm) -> Endpoint {
    Endpoint { dialect: Dialect::OpenAi, base_url: llm.base_url(), model: "tiny".to_owned(), price: None }
}

fn chat() -> Chat {
    let turns =
        vec![Turn { role: "system", content: "Answer.".to_owned() }, Turn { role: "user", content: "?".to_owned() }];
    Chat { turns, temperature: 0.1, top_p: 1.0, max_tokens: 400, seed: 7, is_streamed: true, thinking: None }
}

fn stream(words: &[&str]) -> String {
    let event = |value: Value| format!("data: {value}\n\n");
    let words: String =
        words.iter().map(|word| event(json!({ "choices": [{ "delta": { "content": word } }] }))).collect();
    let end = event(json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] }));
    let usage = event(json!({ "choices": [], "usage": { "prompt_tokens": 20, "completion_tokens": 3 } }));
    format!("{words}{end}{usage}data: [DONE]\n\n")
}

#[tokio::test]
async fn a_stream_is_heard_to_its_end_and_its_times_are_in_order() {
    let llm = ScriptedLlm::start(|_, _: &LlmCall| LlmReply::ok(stream(&["ANSWER", ": ", "C"]))).unwrap();
    let said = client().chat(&endpoint(&llm), None, &chat()).await.unwrap();
    assert_eq!(
        (said.text.as_str(), said.finish, said.tokens_in, said.tokens_out),
        ("ANSWER: C", Finish::Stop, Some(20), Some(3))
    );
    // The three tokens may come in one burst.
    assert!(said.first_token_ms.is_none_or(|first| first > 0.0 && first <= said.total_ms), "{said:?}");
    let call = &llm.calls()[0];
    assert_eq!(call.header("authorization"), None, "nobody asked for a key");
    let body: Value = serde_json::from_str(&call.body).unwrap();
    assert_eq!(
        (&body["messages"][0]["role"], &body["temperature"], &body["seed"]),
        (&json!("system"), &json!(0.1), &json!(7))
    );
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_asked_for_again_and_its_half_is_forgotten() {
    let half =
        stream(&["the answer is certainly A"]).split_once("data: {\"choices\":[{\"delta\":{},").unwrap().0.to_owned();
    let llm = ScriptedLlm::start(move |number, _: &LlmCall| match number {
        0 => LlmReply::CutOff { body: half.clone() },
        1 => LlmReply::ok(half.clone()),
        _ => LlmReply::ok(stream(&["B"])),
    })
    .unwrap();
    let said = client().chat(&endpoint(&llm), None, &chat()).await.unwrap();
    assert_eq!((said.text.as_str(), said.failed_attempts.len()), ("B", 2));
    assert_eq!(said.failed_attempts[1].what, "the answer broke off");
}

#[tokio::test]
async fn refusals_are_final_overload_is_not_and_the_key_stays_sealed() {
    let key = ApiKey::new("sk-s3cret").unwrap();
    let llm = ScriptedLlm::start(|_, _: &LlmCall| LlmReply::status(401, "no such key: sk-s3cret")).unwrap();
    let error = client().chat(&endpoint(&llm), Some(&key), &chat()).await.unwrap_err();
    assert!(matches!(&error, LlmError::Refused { status: 401, .. }), "{error}");
    assert!(!error.to_string().contains("s3cret"), "{error}");
    assert_eq!(llm.calls()[0].header("authorization"), Some("Bearer sk-s3cret"));
    let llm = ScriptedLlm::start(|_, _: &LlmCall| LlmReply::status(503, "busy")).unwrap();
    let error = client().chat(&endpoint(&llm), Some(&key), &chat()).await.unwrap_err();
    assert!(matches!(&error, LlmError::GaveUp { attempts: 3, .. }), "{error}");
}
