//! The one way into this crate for a page: JSON in, JSON out. Only what a model wrote goes in as it is: reading it as JSON first would take
//! as long as finding the letter.
//!
//! What a page has no use for is not offered: every type that is read here is code that the page must load.

use crate::derived::{Accuracy, derive};
use crate::extraction::{EXTRACTOR_VERSION, extract};
use crate::prompt::{MAX_TOKENS, Protocol, SYSTEM_TEXT, TEMPERATURE, TOP_P, Template, render};
use crate::question::{Example, Question};
use crate::submission::Answer;
use crate::{FORMAT, predicted_half_width};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Answers a request. What it is asked to do stands in `do`; the answer is `{"ok": …}` or `{"error": "…"}`.
///
/// | `do` | with | `ok` |
/// |---|---|---|
/// | `about` | – | `{format, extractor, system_text, temperature, top_p, max_tokens, protocols}` |
/// | `prompt` | `protocol`, `template` (may be left out), `examples`, `question`, `run_seed` | a [`crate::Prompt`] |
/// | `derive` | `answers`, `questions` | a [`crate::Derived`] |
/// | `wilson` | `correct`, `n` | an [`Accuracy`] |
/// | `predict_width` | `n` | `{half_width}`: what to expect on either side, as a share; null for no questions |
///
/// A request that is no JSON but begins with `extract` is answered with an [`crate::Extraction`]: the four choices and the output follow, each
/// after a NUL.
pub fn call(request: &str) -> String {
    // A text can always be written.
    request
        .strip_prefix(EXTRACT)
        .map_or_else(|| answer(request), extracted)
        .unwrap_or_else(|error| serde_json::to_string(&Said::<()>::Error(error)).unwrap_or_default())
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Said<T> {
    Ok(T),
    Error(String),
}

/// The whole answer, or what went wrong.
type Answered = Result<String, String>;

const EXTRACT: &str = "extract\0";

fn extracted(request: &str) -> Answered {
    let mut parts = request.splitn(5, '\0');
    let choices: [&str; 4] = std::array::from_fn(|_| parts.next().unwrap_or_default());
    let output = parts.next().ok_or("four choices and an output are needed")?;
    write(&extract(output, &choices))
}

#[derive(Deserialize)]
struct Request {
    #[serde(rename = "do")]
    what: String,
}

/// What is to be done. A page that says so first, without blanks, is understood without reading everything twice.
fn what(request: &str) -> Result<Cow<'_, str>, String> {
    let first = request.strip_prefix("{\"do\":\"").and_then(|rest| rest.split_once('"'));
    match first.filter(|(what, _)| !what.contains('\\')) {
        Some((what, _)) => Ok(Cow::Borrowed(what)),
        None => read::<Request>(request).map(|request| Cow::Owned(request.what)),
    }
}

fn answer(request: &str) -> Answered {
    match &*what(request)? {
        "about" => write(&ABOUT),
        "prompt" => prompt(&read(request)?),
        "derive" => derived(&read(request)?),
        "wilson" => read(request).and_then(|Share { correct, n }| write(&Accuracy::new(correct.min(n), n))),
        "predict_width" => read(request).and_then(|Count { n }| write(&Width { half_width: predicted_half_width(n) })),
        other => Err(["there is nothing called `", other, "` to do"].concat()),
    }
}

fn read<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

fn write(value: &impl Serialize) -> Answered {
    serde_json::to_string(&Said::Ok(value)).map_err(|error| error.to_string())
}

#[derive(Serialize)]
struct About {
    format: u32,
    extractor: u32,
    system_text: &'static str,
    temperature: f64,
    top_p: f64,
    max_tokens: u32,
    protocols: [Protocol; 2],
}

const ABOUT: About = About {
    format: FORMAT,
    extractor: EXTRACTOR_VERSION,
    system_text: SYSTEM_TEXT,
    temperature: TEMPERATURE,
    top_p: TOP_P,
    max_tokens: MAX_TOKENS,
    protocols: Protocol::ALL,
};

#[derive(Deserialize)]
struct Ask {
    protocol: Protocol,
    #[serde(default)]
    template: Template,
    examples: Vec<Example>,
    question: Question,
    run_seed: u32,
}

fn prompt(ask: &Ask) -> Answered {
    write(&render(ask.protocol, ask.template, &ask.examples, &ask.question, ask.run_seed))
}

#[derive(Deserialize)]
struct Answers {
    answers: Vec<Answer>,
    questions: Vec<Question>,
}

fn derived(run: &Answers) -> Answered {
    let derived = derive(&run.answers, |id| run.questions.iter().find(|one| one.id == id));
    derived.map_err(|error| error.to_string()).and_then(|run| write(&run))
}

#[derive(Deserialize)]
struct Share {
    correct: u64,
    n: u64,
}

#[derive(Deserialize)]
struct Count {
    n: u64,
}

#[derive(Serialize)]
struct Width {
    half_width: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn answered(request: &str) -> Value {
        let answer: Value = serde_json::from_str(&call(request)).unwrap();
        assert_eq!(answer.get("error"), None, "{request}");
        answer["ok"].clone()
    }

    fn ok(request: &Value) -> Value {
        answered(&request.to_string())
    }

    fn question() -> Value {
        json!({ "id": "q", "subject": "own_cs", "group": "cs", "difficulty": "easy", "question": "?", "choices": ["red", "green", "blue", "black"], "answer": "C" })
    }

    #[test]
    fn everything_that_can_be_done_is_answered() {
        assert_eq!(ok(&json!({ "do": "about" }))["protocols"], json!(["one-message-1", "chat-turns-1"]));
        let prompt = ok(
            &json!({ "do": "prompt", "protocol": "one-message-1", "examples": [], "question": question(), "run_seed": 1 }),
        );
        assert_eq!(
            (prompt["messages"][0]["role"].as_str(), prompt["sha256"].as_str().map(str::len)),
            (Some("system"), Some(64))
        );
        let extraction = answered("extract\0red\0green\0blue\0black\0é ANSWER: C");
        assert_eq!(
            (&extraction["letter"], &extraction["span"], &extraction["utf16_span"]),
            (&json!("C"), &json!([3, 12]), &json!([2, 11]))
        );
        let answer = json!({ "question_id": "q", "prompt_sha256": "", "output": "C", "finish": "stop", "prompt_tokens": 1, "cached_tokens": null,
            "output_tokens": 1, "first_token_ms": null, "total_ms": 5, "hidden": false, "client": null });
        let derived = ok(&json!({ "do": "derive", "answers": [answer], "questions": [question()] }));
        assert_eq!((&derived["accuracy"]["correct"], &derived["strict"]["n"]), (&json!(1), &json!(1)));
        assert_eq!(ok(&json!({ "do": "wilson", "correct": 5, "n": 10 }))["share"], json!(0.5));
        let width = ok(&json!({ "do": "predict_width", "n": 10 }))["half_width"].as_f64().unwrap();
        assert!((width - 0.263).abs() < 0.001, "{width}");
        assert_eq!(ok(&json!({ "do": "predict_width", "n": 0 }))["half_width"], Value::Null);
    }

    #[test]
    fn an_output_is_read_to_its_end_whatever_is_in_it() {
        let extraction = answered("extract\0red\0green\0blue\0black\0{\"do\"\0extract\0\nANSWER: B");
        assert_eq!((&extraction["letter"], &extraction["span"]), (&json!("B"), &json!([15, 24])));
        assert_eq!(answered("extract\0red\0green\0blue\0black\0")["flags"], json!(["empty"]));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (request, said) in [
            ("nonsense", "expected"),
            ("{}", "missing field `do`"),
            ("{\"do\":\"dance\"}", "`dance`"),
            ("{ \"do\": \"dance\" }", "`dance`"),
            ("{\"do\":\"da\\u006ece\"}", "`dance`"),
            ("{\"do\":\"about", "EOF"),
            ("extract\0red\0green\0blue\0black", "an output"),
            ("{\"do\":\"derive\",\"answers\":[],\"questions\":[1]}", "invalid type"),
        ] {
            let answer: Value = serde_json::from_str(&call(request)).unwrap();
            assert!(answer["error"].as_str().is_some_and(|error| error.contains(said)), "{request}: {answer}");
        }
    }
}
