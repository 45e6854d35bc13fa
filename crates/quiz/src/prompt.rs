//! What a model is asked, to the letter.

use crate::question::{Example, Question, sha256_hex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What every model is told, word for word as the published methodology has it.
pub const SYSTEM_TEXT: &str = "You are taking a multiple-choice exam. Each question has four options labeled A, B, C, and D. Exactly one is \
                               correct. Reason briefly, then end your response with a line in the form ANSWER: X where X is the chosen letter.";
/// So that the same question on the same model gives roughly the same answer between runs.
pub const TEMPERATURE: f64 = 0.1;
/// No other sampling knob.
pub const TOP_P: f64 = 1.0;
/// Enough to reason without letting loops eat the time.
pub const MAX_TOKENS: u32 = 400;

/// How examples and question are laid out. Results of different protocols are never pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Protocol {
    /// The official one: one user message with five examples and the question.
    #[serde(rename = "one-message-1")]
    OneMessage1,
    /// Each example is a turn of the user and one of the assistant.
    #[serde(rename = "chat-turns-1")]
    ChatTurns1,
}

impl Protocol {
    /// Both, the official one first.
    pub const ALL: [Self; 2] = [Self::OneMessage1, Self::ChatTurns1];

    /// Its id.
    pub fn as_str(self) -> &'static str {
        ["one-message-1", "chat-turns-1"][self as usize]
    }
}

/// What a model's chat template needs to be told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Template {
    /// The template knows no system turn (Gemma 2): the system text stands at the beginning of the first user turn.
    pub system_in_user: bool,
    /// Thinking was left on. Never so in the official protocol; such runs stand apart.
    pub thinking: bool,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The instructions.
    System,
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// The text.
    pub content: String,
}

/// How the model is sampled.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// [`TEMPERATURE`].
    pub temperature: f64,
    /// [`TOP_P`].
    pub top_p: f64,
    /// [`MAX_TOKENS`].
    pub max_tokens: u32,
    /// See [`question_seed`].
    pub seed: u32,
    /// Whether the template's switch for thinking, where it has one, is on.
    pub thinking: bool,
}

/// A prompt, ready to be sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Prompt {
    /// The turns.
    pub messages: Vec<Message>,
    /// How to sample.
    pub settings: Settings,
    /// The SHA-256 of `{"messages":…,"settings":…}` in this crate's compact JSON.
    pub sha256: String,
}

/// The part of a prompt that its hash covers.
#[derive(Serialize)]
struct Hashed<'a> {
    messages: &'a [Message],
    settings: &'a Settings,
}

/// The seed a question is sampled with: the first 31 bits of the SHA-256 of `<run seed>/<question id>`. The run's seed is that of a quick
/// draw, and 0 for a frozen set.
pub fn question_seed(run_seed: u32, question_id: &str) -> u32 {
    let digest = sha256_hex(format!("{run_seed}/{question_id}").as_bytes());
    u32::from_str_radix(&digest[..8], 16).unwrap_or_default() >> 1
}

/// The prompt of a question.
pub fn render(
    protocol: Protocol,
    template: Template,
    examples: &[Example],
    question: &Question,
    run_seed: u32,
) -> Prompt {
    let mut messages = match protocol {
        Protocol::OneMessage1 => one_message(examples, question),
        Protocol::ChatTurns1 => chat_turns(examples, question),
    };
    if template.system_in_user {
        messages[0].content = format!("{SYSTEM_TEXT}\n\n{}", messages[0].content);
    } else {
        messages.insert(0, Message { role: Role::System, content: SYSTEM_TEXT.to_owned() });
    }
    let settings = Settings {
        temperature: TEMPERATURE,
        top_p: TOP_P,
        max_tokens: MAX_TOKENS,
        seed: question_seed(run_seed, &question.id),
        thinking: template.thinking,
    };
    // Strings and finite numbers can always be written.
    let hashed = serde_json::to_vec(&Hashed { messages: &messages, settings: &settings }).unwrap_or_default();
    Prompt { messages, settings, sha256: sha256_hex(&hashed) }
}

fn one_message(examples: &[Example], question: &Question) -> Vec<Message> {
    let solved =
        |example: &Example| format!("{}\nANSWER: {}\n\n", asked(&example.question, &example.choices), example.answer);
    let content = examples.iter().map(solved).collect::<String>() + &asked(&question.question, &question.choices);
    vec![Message { role: Role::User, content }]
}

fn chat_turns(examples: &[Example], question: &Question) -> Vec<Message> {
    let mut messages = Vec::with_capacity(2 * examples.len() + 2);
    for example in examples {
        messages.push(Message { role: Role::User, content: asked(&example.question, &example.choices) });
        messages.push(Message { role: Role::Assistant, content: format!("ANSWER: {}", example.answer) });
    }
    messages.push(Message { role: Role::User, content: asked(&question.question, &question.choices) });
    messages
}

/// The question, then four lines from `A. …` to `D. …`.
fn asked(question: &str, [a, b, c, d]: &[String; 4]) -> String {
    format!("{question}\nA. {a}\nB. {b}\nC. {c}\nD. {d}")
}
