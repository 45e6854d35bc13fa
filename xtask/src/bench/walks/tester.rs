//! A scripted model that knows the way, and takes its time.

use crate::failure::{Failure, Naming};
use crate::json::Json;
use benchwright_fixtures::{LlmCall, LlmReply, ScriptedLlm};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Each workflow is known by its jam, whoever else is walking at the same time.
pub(super) const JAMS: [&str; 6] = ["Plum", "Cherry", "Quince", "Apple", "Pear", "Fig"];

/// What is done in each of the twelve substeps.
const WAY: [Act; 12] = [
    Act::Open,
    Act::Fill("Name"),
    Act::Fill("Jars"),
    Act::Click("Put on the shelf"),
    Act::Click("Eat one"),
    Act::Click("Eat one"),
    Act::Click("Eat one"),
    Act::Click("Eat one"),
    Act::Click("Eat one"),
    Act::Click("Eat one"),
    Act::Reload,
    Act::Click("Throw away"),
];

#[derive(Clone, Copy)]
enum Act {
    Open,
    Fill(&'static str),
    Click(&'static str),
    Reload,
}

/// How many answers each workflow got.
type Progress = Arc<Mutex<BTreeMap<&'static str, usize>>>;

pub(super) struct Tester {
    model: ScriptedLlm,
    progress: Progress,
}

impl Tester {
    pub(super) fn start(answers_after: Duration) -> Result<Self, Failure> {
        let progress = Progress::default();
        let known = Arc::clone(&progress);
        let model = ScriptedLlm::start(move |_, call| {
            std::thread::sleep(answers_after);
            answer(call, &known)
        });
        Ok(Self { model: model.naming("start a scripted model")?, progress })
    }

    pub(super) fn base_url(&self) -> String {
        self.model.base_url()
    }

    /// Forgets how far the workflows are; says how many answers there were.
    pub(super) fn begin(&self) -> usize {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.answers()
    }

    pub(super) fn answers(&self) -> usize {
        self.model.calls().len()
    }
}

/// Two answers to a substep: what is done, and that it is done.
fn answer(call: &LlmCall, progress: &Progress) -> LlmReply {
    let Some(jam) = JAMS.into_iter().find(|jam| call.body.contains(&format!("Type \\\"{jam} "))) else {
        return LlmReply::status(400, "no workflow of ours");
    };
    let number = {
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        let number = progress.entry(jam).or_default();
        *number += 1;
        *number - 1
    };
    let Some(act) = WAY.get(number / 2).filter(|_| number % 2 == 0) else {
        return tool("next_substep", [("outcome", "done".into()), ("note", "as it says".into())]);
    };
    match act {
        Act::Open => tool("navigate", [("url", "/".into())]),
        Act::Reload => tool("reload", []),
        Act::Click(name) => tool("click", [("ref", reference(call, &format!("button {name}")).into())]),
        Act::Fill(name) => {
            let text = if *name == "Name" { typed(call, jam) } else { "9".to_owned() };
            tool("fill", [("ref", reference(call, &format!("textbox {name}")).into()), ("text", text.into())])
        }
    }
}

fn tool<const N: usize>(name: &str, arguments: [(&str, Json); N]) -> LlmReply {
    let function = Json::object([("name", name.into()), ("arguments", Json::object(arguments).pretty().into())]);
    let call = Json::object([("id", "c0".into()), ("type", "function".into()), ("function", function)]);
    let calls = Json::List(vec![call]);
    let message = Json::object([("role", "assistant".into()), ("content", "".into()), ("tool_calls", calls)]);
    let choice = Json::object([("message", message), ("finish_reason", "stop".into())]);
    let usage = Json::object([("prompt_tokens", 900.0.into()), ("completion_tokens", 40.0.into())]);
    let body = Json::object([("model", "tester".into()), ("choices", Json::List(vec![choice])), ("usage", usage)]);
    LlmReply::ok(body.pretty())
}

/// The reference that stands before these words in what the model was shown last; an empty one is refused by whoever asked.
fn reference(call: &LlmCall, words: &str) -> String {
    let before = call.body.rfind(words).map_or("", |at| call.body[..at].trim_end());
    let start = before.rfind(|character: char| !character.is_ascii_alphanumeric()).map_or(0, |place| place + 1);
    // A line begins after an escaped line break.
    before[start..].trim_start_matches('n').to_owned()
}

/// The value of the variable, which is another word in every run.
fn typed(call: &LlmCall, jam: &str) -> String {
    let start = call.body.rfind(&format!("Type \\\"{jam} ")).map_or(0, |at| at + "Type \\\"".len());
    call.body[start..].chars().take_while(|character| character.is_ascii_alphanumeric() || *character == ' ').collect()
}
