//! What the tests share: models that say what a test tells them to, and the runs they leave behind.

use crate::support::Corner;
use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use serde_json::{Value, json};
use std::fs;
use std::path::PathBuf;

/// The prompt of a call: the last message.
pub fn asked(call: &LlmCall) -> String {
    let body: Value = serde_json::from_str(&call.body).unwrap();
    body["messages"].as_array().unwrap().last().unwrap()["content"].as_str().unwrap().to_owned()
}

/// A stream of these words, with the tokens counted.
pub fn stream(words: &str, finish: &str) -> LlmReply {
    let event = |value: Value| format!("data: {value}\n\n");
    let delta = |delta: Value, finish: Value| json!({ "choices": [{ "delta": delta, "finish_reason": finish }] });
    let mut text: String =
        words.split_inclusive(' ').map(|word| event(delta(json!({ "content": word }), Value::Null))).collect();
    text += &event(delta(json!({}), json!(finish)));
    let usage =
        json!({ "prompt_tokens": 420, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 300 } });
    text += &event(json!({ "choices": [], "usage": usage }));
    LlmReply::ok(text + "data: [DONE]\n\n")
}

/// A model that says the same to everything.
pub fn says(words: &'static str) -> ScriptedLlm {
    ScriptedLlm::start(move |_, _: &LlmCall| stream(words, "stop")).unwrap()
}

/// A corner where the quiz writes to its usual folder.
pub struct Table {
    pub corner: Corner,
}

impl Table {
    pub fn new() -> Self {
        Self { corner: Corner::new() }
    }

    pub fn out(&self) -> PathBuf {
        self.corner.path("work/benchwright-quiz")
    }

    /// The one run.
    pub fn run_folder(&self) -> PathBuf {
        let mut runs: Vec<_> =
            fs::read_dir(self.out().join("quiz")).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(runs.len(), 1, "{runs:?}");
        runs.remove(0)
    }

    pub fn file(&self, name: &str) -> String {
        fs::read_to_string(self.out().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn report(&self) -> Value {
        serde_json::from_str(&self.file("report.json")).unwrap()
    }

    /// How many answers the run has kept so far.
    pub fn kept(&self) -> usize {
        let Ok(runs) = fs::read_dir(self.out().join("quiz")) else { return 0 };
        let logs = runs.flatten().map(|run| fs::read_to_string(run.path().join("log")).unwrap_or_default());
        logs.map(|log| log.matches(r#""event":"evidence""#).count()).sum()
    }
}

/// The arguments of a quick run of three questions at an endpoint.
pub fn quick(llm: &ScriptedLlm) -> Vec<String> {
    let base = llm.base_url();
    ["quiz", "--model", "tiny", "--base-url", &base, "--questions", "3", "--seed", "7"].map(str::to_owned).to_vec()
}

pub fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}
