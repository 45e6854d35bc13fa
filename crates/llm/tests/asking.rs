//! A client against a model that misbehaves in every way providers do.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use benchwright_llm::{
    ApiKey, Client, Dialect, Endpoint, Finish, Limits, LlmError, Part, Price, Question, Retry, Schema, Settings,
};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

const KEY: &str = "sk-very-s3cret-0123456789";

fn quick() -> Settings {
    let retry = Retry {
        attempts: 4,
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_millis(8),
        longest_asked: Duration::from_secs(2),
        seed: 1,
    };
    Settings { retry, ..Settings::default() }
}

fn endpoint(llm: &ScriptedLlm) -> Endpoint {
    Endpoint { dialect: Dialect::OpenAi, base_url: llm.base_url(), model: "acme/judge".to_owned(), price: None }
}

fn priced(llm: &ScriptedLlm) -> Endpoint {
    // A thousand tokens at 100 dollars a million: 0.1 dollars for the answer at most, and something for the question.
    Endpoint { price: Some(Price { input: 1.0, output: 100.0, ..Price::default() }), ..endpoint(llm) }
}

fn question() -> Question {
    Question {
        system: "You judge.".to_owned(),
        parts: vec![Part::Text("Is it good?".to_owned())],
        schema: Schema { name: "verdict".to_owned(), schema: json!({ "type": "object" }) },
        max_tokens: 1_000,
        seed: 7,
        repeat: 0,
    }
}

fn key() -> ApiKey {
    ApiKey::new(KEY).unwrap()
}

fn chat(text: &str, cost: Option<f64>) -> LlmReply {
    let mut usage = json!({ "prompt_tokens": 100, "completion_tokens": 10 });
    if let Some(cost) = cost {
        usage["cost"] = json!(cost);
    }
    let choice = json!({ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    LlmReply::ok(json!({ "model": "acme/judge-2026", "choices": [choice], "usage": usage }).to_string())
}

/// Says these in turn, and the last one for ever.
fn says(replies: Vec<LlmReply>) -> ScriptedLlm {
    ScriptedLlm::start(move |number, _: &LlmCall| replies[number.min(replies.len() - 1)].clone()).unwrap()
}

async fn error_of(llm: &ScriptedLlm, settings: Settings) -> LlmError {
    let error = Client::new(settings).ask(&endpoint(llm), &key(), &question()).await.unwrap_err();
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error:?}");
    error
}

#[tokio::test]
async fn a_plain_answer_with_its_tokens_and_dollars() {
    let llm = says(vec![chat("{}", Some(0.02))]);
    let client = Client::new(quick());
    let answer = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.model.as_str(), answer.finish), ("{}", "acme/judge-2026", Finish::Stop));
    assert_eq!((answer.tokens_in, answer.tokens_out, answer.cost_usd), (Some(100), Some(10), Some(0.02)));
    assert!(answer.failed_attempts.is_empty() && !answer.cached);
    assert_eq!(client.budget().spent(), 0.02);
    let call = &llm.calls()[0];
    assert_eq!(
        (call.path.as_str(), call.header("authorization")),
        ("/v1/chat/completions", Some(&*format!("Bearer {KEY}")))
    );
    let body: Value = serde_json::from_str(&call.body).unwrap();
    assert_eq!((&body["model"], &body["temperature"]), (&json!("acme/judge"), &json!(0)));
    assert!(!call.body.contains("s3cret"));
}

#[tokio::test]
async fn anthropic_gets_its_own_path_and_headers() {
    let reply = json!({ "model": "claude", "content": [{ "type": "text", "text": "{}" }], "stop_reason": "end_turn",
        "usage": { "input_tokens": 5, "output_tokens": 2 } });
    let llm = says(vec![LlmReply::ok(reply.to_string())]);
    let endpoint = Endpoint { dialect: Dialect::Anthropic, ..endpoint(&llm) };
    let answer = Client::new(quick()).ask(&endpoint, &key(), &question()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.tokens_in, answer.cost_usd), ("{}", Some(5), None));
    let call = &llm.calls()[0];
    assert_eq!((call.path.as_str(), call.header("x-api-key")), ("/v1/messages", Some(KEY)));
    assert!(call.header("anthropic-version").is_some() && call.header("authorization").is_none());
}

#[tokio::test]
async fn overload_is_waited_out_as_the_provider_asks() {
    let llm = says(vec![
        LlmReply::status(429, r#"{"error":{"message":"slow down"}}"#).with("retry-after", "0.05"),
        LlmReply::status(503, "busy").with("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT"),
        chat("{}", None),
    ]);
    let answer = Client::new(quick()).ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    let attempts = &answer.failed_attempts;
    assert_eq!((attempts.len(), attempts[0].waited_ms), (2, 50));
    assert_eq!(attempts[0].what, "status 429: slow down");
    assert!(attempts[1].waited_ms <= 2, "a date gone by asks for no wait: {attempts:?}");
    assert_eq!(llm.calls().len(), 3);
}

#[tokio::test]
async fn a_wait_that_is_too_long_is_said_and_not_shortened() {
    let llm = says(vec![LlmReply::status(429, "{}").with("retry-after", "3600")]);
    let error = error_of(&llm, quick()).await;
    assert!(matches!(error, LlmError::AskedToWait { wait, .. } if wait.as_secs() == 3600), "{error}");
    assert_eq!(llm.calls().len(), 1);
}

#[tokio::test]
async fn a_server_that_stays_broken_is_given_up() {
    let llm = says(vec![LlmReply::status(500, "oops")]);
    let error = error_of(&llm, quick()).await;
    assert_eq!(error.to_string(), "ask acme/judge: gave up after 4 attempts; the last one: status 500: oops");
    assert_eq!(llm.calls().len(), 4);
}

#[tokio::test]
async fn a_refusal_is_not_repeated_and_a_quoted_key_is_masked() {
    let quoting = format!(r#"{{"error":{{"message":"Incorrect API key provided: {KEY}"}}}}"#);
    for (status, body) in [(401, quoting.as_str()), (400, "bad"), (402, ""), (404, "<html>gone</html>")] {
        let llm = says(vec![LlmReply::status(status, body)]);
        let error = error_of(&llm, quick()).await;
        assert!(matches!(error, LlmError::Refused { status: found, .. } if found == status), "{error}");
        assert_eq!(llm.calls().len(), 1, "{status}");
    }
}

#[tokio::test]
async fn a_model_that_takes_no_temperature_is_asked_once_more_without_and_the_answer_says_so() {
    let refusal = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.","param":"temperature"}}"#;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { cache: Some(folder.path().to_owned()), ..quick() };
    let llm = says(vec![LlmReply::status(400, refusal), chat("{}", Some(0.02))]);
    let client = Client::new(settings);
    let answer = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert!(answer.own_temperature && answer.failed_attempts.is_empty());
    assert_eq!(client.budget().spent(), 0.02, "a refusal is not billed");
    let bodies: Vec<Value> = llm.calls().iter().map(|call| serde_json::from_str(&call.body).unwrap()).collect();
    let mut expected = bodies[0].clone();
    assert_eq!(expected.as_object_mut().unwrap().remove("temperature"), Some(json!(0)));
    assert_eq!(bodies[1..], [expected]);
    client.keep(&[answer]);
    let kept = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert_eq!((kept.cached, kept.own_temperature, llm.calls().len()), (true, true, 2));

    let stubborn = says(vec![LlmReply::status(400, refusal)]);
    assert!(matches!(error_of(&stubborn, quick()).await, LlmError::Refused { status: 400, .. }));
    assert_eq!(stubborn.calls().len(), 2);
}

#[tokio::test]
async fn a_provider_that_takes_neither_seed_nor_schema_is_asked_without_and_the_answer_says_so() {
    let no_seed = r#"{"error":{"message":"Unrecognized request argument. Supported are model, messages and temperature.","param":"seed"}}"#;
    let no_schema = r#"{"detail":[{"loc":["body","response_format","type"],"msg":"Input should be 'text'"}]}"#;
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { cache: Some(folder.path().to_owned()), ..quick() };
    let llm = says(vec![LlmReply::status(400, no_seed), LlmReply::status(422, no_schema), chat("{}", Some(0.02))]);
    let client = Client::new(settings);
    let answer = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert_eq!((answer.own_temperature, answer.without_seed, answer.schema_in_words), (false, true, true));
    assert_eq!(client.budget().spent(), 0.02, "a refusal is not billed");
    let bodies: Vec<Value> = llm.calls().iter().map(|call| serde_json::from_str(&call.body).unwrap()).collect();
    let mut expected = bodies[0].clone();
    assert_eq!(expected.as_object_mut().unwrap().remove("seed"), Some(json!(7)));
    assert_eq!(bodies[1], expected);
    assert!(expected.as_object_mut().unwrap().remove("response_format").is_some());
    let instructions = bodies[2]["messages"][0]["content"].as_str().unwrap();
    assert!(instructions.starts_with("You judge.") && instructions.ends_with(r#"{"type":"object"}"#), "{instructions}");
    expected["messages"][0]["content"] = instructions.into();
    assert_eq!(bodies[2..], [expected]);
    client.keep(&[answer]);
    let kept = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert_eq!((kept.cached, kept.without_seed, kept.schema_in_words, llm.calls().len()), (true, true, true, 3));
}

#[tokio::test]
async fn what_a_provider_goes_on_refusing_is_its_last_word() {
    for (complaint, calls) in [("seed and response_format are refused", 3), ("no seeds, and that exceeds it", 1)] {
        let stubborn = says(vec![LlmReply::status(400, complaint)]);
        assert!(matches!(error_of(&stubborn, quick()).await, LlmError::Refused { status: 400, .. }), "{complaint}");
        assert_eq!(stubborn.calls().len(), calls, "{complaint}");
    }
}

#[tokio::test]
async fn a_redirect_is_refused_because_it_would_carry_the_key_away() {
    let other = says(vec![chat("{}", None)]);
    let llm = says(vec![LlmReply::status(307, "").with("location", &format!("{}/x", other.base_url()))]);
    assert!(matches!(error_of(&llm, quick()).await, LlmError::Refused { status: 307, .. }));
    assert!(other.calls().is_empty());
}

#[tokio::test]
async fn garbage_and_broken_connections_are_tried_again() {
    let llm = says(vec![
        LlmReply::ok("<html>not JSON</html>"),
        LlmReply::CutOff { body: r#"{"choices":[{"mess"#.to_owned() },
        LlmReply::ok(r#"{"error":{"code":502,"message":"upstream"}}"#),
        chat("{}", None),
    ]);
    let answer = Client::new(quick()).ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    let what: Vec<_> = answer.failed_attempts.iter().map(|attempt| attempt.what.as_str()).collect();
    assert!(what[0].starts_with("the answer is no JSON"), "{what:?}");
    assert!(what[1].starts_with("the connection broke"), "{what:?}");
    assert_eq!(what[2], "status 502: upstream");
}

#[tokio::test]
async fn nobody_there_is_given_up_with_the_reason() {
    let port = benchwright_fixtures::refused_port().unwrap();
    let endpoint = Endpoint {
        dialect: Dialect::OpenAi,
        base_url: format!("http://127.0.0.1:{port}/v1"),
        model: "m".to_owned(),
        price: Some(Price { input: 1.0, output: 100.0, ..Price::default() }),
    };
    let client = Client::new(Settings { budget_usd: Some(1.0), ..quick() });
    let error = client.ask(&endpoint, &key(), &question()).await.unwrap_err();
    assert!(error.to_string().contains("no connection"), "{error}");
    assert!(error.remedy().is_some_and(|remedy| remedy.contains("address")), "{error}");
    assert_eq!(client.budget().spent(), 0.0, "what never left us is not billed");
}

#[tokio::test]
async fn a_slow_answer_is_cut_off_tried_again_and_counted_at_its_worst() {
    let llm = says(vec![LlmReply::Silence, chat("{}", Some(0.01))]);
    let limits = Limits { attempt: Duration::from_millis(400), ..Limits::default() };
    let client = Client::new(Settings { budget_usd: Some(1.0), limits, ..quick() });
    let answer = client.ask(&priced(&llm), &key(), &question()).await.unwrap();
    assert_eq!(answer.failed_attempts[0].what, "no answer within 0.4 s");
    assert!(client.budget().spent() > 0.1 + 0.01, "{}", client.budget().spent());
}

#[tokio::test]
async fn a_client_with_other_limits_keeps_them_and_spends_the_same_budget() {
    let llm = says(vec![chat("{}", Some(0.08)), LlmReply::Silence]);
    let first = Client::new(Settings { budget_usd: Some(0.25), ..quick() });
    first.ask(&priced(&llm), &key(), &question()).await.unwrap();
    let limits = Limits { whole: Duration::from_millis(200), ..Limits::default() };
    let second = first.within(limits);
    let error = second.ask(&priced(&llm), &key(), &question()).await.unwrap_err();
    assert!(matches!(error, LlmError::GaveUp { attempts: 1, .. }), "{error}");
    let error = first.ask(&priced(&llm), &key(), &question()).await.unwrap_err();
    assert!(matches!(error, LlmError::OverBudget { .. }), "what the second may have been billed is spent: {error}");
}

#[tokio::test]
async fn all_attempts_together_have_a_limit_too() {
    let llm = says(vec![LlmReply::Silence]);
    let limits = Limits { attempt: Duration::from_mins(1), whole: Duration::from_millis(200), ..Limits::default() };
    let error = error_of(&llm, Settings { limits, ..quick() }).await;
    assert!(matches!(error, LlmError::GaveUp { attempts: 1, .. }), "{error}");
}

#[tokio::test]
async fn a_huge_answer_is_not_read_to_its_end() {
    let llm = says(vec![LlmReply::ok("x".repeat(300_000))]);
    let limits = Limits { answer_bytes: 100_000, ..Limits::default() };
    let error = error_of(&llm, Settings { limits, ..quick() }).await;
    assert!(matches!(error, LlmError::TooLarge { limit: 100_000, .. }), "{error}");
}

#[tokio::test]
async fn the_budget_stops_before_it_is_passed() {
    let llm = says(vec![chat("{}", Some(0.08))]);
    let client = Client::new(Settings { budget_usd: Some(0.2), ..quick() });
    for _ in 0..2 {
        client.ask(&priced(&llm), &key(), &question()).await.unwrap();
    }
    let error = client.ask(&priced(&llm), &key(), &question()).await.unwrap_err();
    assert!(matches!(error, LlmError::OverBudget { .. }), "{error}");
    assert_eq!(llm.calls().len(), 2, "the third call was never made");
    assert_eq!(client.budget().spent(), 0.16);
}

#[tokio::test]
async fn many_at_once_do_not_pass_the_budget_either() {
    let llm = says(vec![chat("{}", Some(0.1))]);
    let client = Client::new(Settings { budget_usd: Some(0.35), ..quick() });
    let (endpoint, key, question) = (priced(&llm), key(), question());
    let ask = || client.ask(&endpoint, &key, &question);
    let answers = tokio::join!(ask(), ask(), ask(), ask(), ask());
    let answers = [answers.0, answers.1, answers.2, answers.3, answers.4];
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 3);
    assert!(client.budget().spent() <= 0.35, "{}", client.budget().spent());
}

#[tokio::test]
async fn with_a_budget_a_model_without_a_price_is_not_asked() {
    let llm = says(vec![chat("{}", Some(0.1))]);
    let error = error_of(&llm, Settings { budget_usd: Some(5.0), ..quick() }).await;
    assert!(matches!(error, LlmError::PriceUnknown { .. }), "{error}");
    assert!(llm.calls().is_empty());
}

#[tokio::test]
async fn an_answer_that_was_kept_is_not_asked_for_again() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings { cache: Some(folder.path().to_owned()), ..quick() };
    let llm = says(vec![chat("first", Some(0.5)), chat("second", Some(0.5))]);
    let first = Client::new(settings.clone());
    let answer = first.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    first.keep(&[answer]);
    let again = Client::new(settings);
    let answer = again.ask(&endpoint(&llm), &key(), &question()).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.cached), ("first", true));
    assert_eq!((answer.cost_now(), answer.cost_usd, again.budget().spent()), (Some(0.0), Some(0.5), 0.0));
    let other = Question { repeat: 1, ..question() };
    assert_eq!(again.ask(&endpoint(&llm), &key(), &other).await.unwrap().text, "second");
    assert_eq!(llm.calls().len(), 2);
    for entry in walk(folder.path()) {
        assert!(!std::fs::read_to_string(&entry).unwrap().contains("s3cret"));
    }
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn overload_is_met_with_fewer_calls_at_once_and_all_are_answered_in_the_end() {
    let llm = ScriptedLlm::start(|number, _: &LlmCall| match number % 3 {
        2 => LlmReply::status(429, "{}").with("retry-after", "0"),
        _ => chat("{}", None),
    })
    .unwrap();
    let client = Arc::new(Client::new(Settings { retry: Retry { attempts: 12, ..quick().retry }, ..quick() }));
    let mut asked = JoinSet::new();
    for _ in 0..8 {
        let (client, endpoint) = (Arc::clone(&client), endpoint(&llm));
        asked.spawn(async move { client.ask(&endpoint, &key(), &question()).await });
    }
    let answers = asked.join_all().await;
    assert!(answers.iter().all(Result::is_ok), "{answers:?}");
    assert!(answers.iter().flatten().any(|answer| !answer.failed_attempts.is_empty()));
}

#[tokio::test]
async fn nothing_that_can_be_printed_holds_the_key() {
    let llm = says(vec![LlmReply::status(500, format!("your key {KEY} broke us"))]);
    let client = Client::new(quick());
    let error = client.ask(&endpoint(&llm), &key(), &question()).await.unwrap_err();
    assert!(error.to_string().contains("your key *** broke us"), "{error}");
    let printed = format!("{client:?} {:?} {error:?} {error:#?}", key());
    assert!(!printed.contains("s3cret"), "{printed}");
}
