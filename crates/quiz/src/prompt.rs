//! What a model is asked, to the letter.

use crate::question::{Example, Question, hex, sha256_hex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

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

/// How the seed of a question is made, in words; see [`question_seed`].
pub const RULE_OF_SEEDS: &str = "The seed of a question is the first 31 bits of the SHA-256 of the run’s seed, a slash and the \
                                 question’s id. The run’s seed is that of the draw, and 0 for a frozen set.";

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
    let messages = messages(protocol, template, examples, asked(&question.question, &question.choices));
    let settings = settings(template, question, run_seed);
    let hashed = json(&Hashed { messages: &messages, settings: &settings });
    Prompt { messages, settings, sha256: sha256_hex(hashed.as_bytes()) }
}

/// The hashes of prompts that begin alike: those of one protocol, template and subject. What they begin with is hashed once.
#[derive(Debug, Clone)]
pub(crate) struct PromptHashes {
    template: Template,
    begun: Sha256,
    begun_bytes: usize,
}

/// How the JSON of messages ends after the text of the last one.
const AFTER_MESSAGES: &str = "\"}]";

impl PromptHashes {
    pub fn new(protocol: Protocol, template: Template, examples: &[Example]) -> Self {
        // The question stands at the end of the last message, so what is written without it is what stands before it.
        let messages = json(&messages(protocol, template, examples, String::new()));
        let before = messages.strip_suffix(AFTER_MESSAGES).unwrap_or(&messages);
        let begun = Sha256::new().chain_update("{\"messages\":").chain_update(before);
        Self { template, begun, begun_bytes: before.len() }
    }

    /// No fewer bytes than the prompt of this question has: what it begins with is counted as JSON, which only adds to it.
    pub fn bytes_at_most(&self, question: &Question) -> usize {
        self.begun_bytes + asked(&question.question, &question.choices).len()
    }

    /// [`Prompt::sha256`] of the prompt that [`render`] makes.
    pub fn sha256(&self, question: &Question, run_seed: u32) -> String {
        let asked = json(&asked(&question.question, &question.choices));
        // Without its quotation marks: it goes on in the middle of a text.
        let asked = asked.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default();
        let settings = json(&settings(self.template, question, run_seed));
        let mut hash = self.begun.clone();
        for part in [asked, AFTER_MESSAGES, ",\"settings\":", &settings, "}"] {
            hash.update(part);
        }
        hex(&hash.finalize())
    }
}

fn json(value: &impl Serialize) -> String {
    // Strings and finite numbers can always be written.
    serde_json::to_string(value).unwrap_or_default()
}

fn settings(template: Template, question: &Question, run_seed: u32) -> Settings {
    Settings {
        temperature: TEMPERATURE,
        top_p: TOP_P,
        max_tokens: MAX_TOKENS,
        seed: question_seed(run_seed, &question.id),
        thinking: template.thinking,
    }
}

fn messages(protocol: Protocol, template: Template, examples: &[Example], asked: String) -> Vec<Message> {
    let mut messages = match protocol {
        Protocol::OneMessage1 => one_message(examples, &asked),
        Protocol::ChatTurns1 => chat_turns(examples, asked),
    };
    if template.system_in_user {
        messages[0].content = format!("{SYSTEM_TEXT}\n\n{}", messages[0].content);
    } else {
        messages.insert(0, Message { role: Role::System, content: SYSTEM_TEXT.to_owned() });
    }
    messages
}

fn one_message(examples: &[Example], question: &str) -> Vec<Message> {
    let solved =
        |example: &Example| format!("{}\nANSWER: {}\n\n", asked(&example.question, &example.choices), example.answer);
    let content = examples.iter().map(solved).collect::<String>() + question;
    vec![Message { role: Role::User, content }]
}

fn chat_turns(examples: &[Example], question: String) -> Vec<Message> {
    let mut messages = Vec::with_capacity(2 * examples.len() + 2);
    for example in examples {
        messages.push(Message { role: Role::User, content: asked(&example.question, &example.choices) });
        messages.push(Message { role: Role::Assistant, content: format!("ANSWER: {}", example.answer) });
    }
    messages.push(Message { role: Role::User, content: question });
    messages
}

/// The question, then four lines from `A. …` to `D. …`.
fn asked(question: &str, [a, b, c, d]: &[String; 4]) -> String {
    format!("{question}\nA. {a}\nB. {b}\nC. {c}\nD. {d}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::{Difficulty, Group, Letter, question_id};

    fn choices() -> [String; 4] {
        ["one", "two", "three", "four"].map(str::to_owned)
    }

    fn question() -> Question {
        Question {
            id: question_id("own_math", 3, "How many?", &choices(), Letter::B),
            subject: "own_math".to_owned(),
            group: Group::Math,
            difficulty: Difficulty::Easy,
            question: "How many?".to_owned(),
            choices: choices(),
            answer: Letter::B,
        }
    }

    fn examples() -> Vec<Example> {
        let example = |number: usize| Example {
            question: format!("Example {number}?"),
            choices: choices(),
            answer: Letter::ALL[number % 4],
        };
        (0..5).map(example).collect()
    }

    fn prompt(protocol: Protocol, template: Template) -> Prompt {
        render(protocol, template, &examples(), &question(), 7)
    }

    #[test]
    fn the_system_text_is_the_methodologys_own() {
        let words = "You are taking a multiple-choice exam. Each question has four options labeled A, B, C, and D. Exactly one is correct. Reason briefly, then end your response with a line in the form ANSWER: X where X is the chosen letter.";
        assert_eq!(SYSTEM_TEXT, words);
    }

    #[test]
    fn the_official_protocol_is_one_message_with_five_solved_examples() {
        let prompt = prompt(Protocol::OneMessage1, Template::default());
        let roles: Vec<_> = prompt.messages.iter().map(|message| message.role).collect();
        assert_eq!(roles, [Role::System, Role::User]);
        let text = &prompt.messages[1].content;
        assert!(text.starts_with("Example 0?\nA. one\nB. two\nC. three\nD. four\nANSWER: A\n\nExample 1?\n"), "{text}");
        assert!(text.ends_with("ANSWER: A\n\nHow many?\nA. one\nB. two\nC. three\nD. four"), "{text}");
        assert_eq!(text.matches("ANSWER: ").count(), 5);
    }

    #[test]
    fn the_other_protocol_speaks_in_turns() {
        let prompt = prompt(Protocol::ChatTurns1, Template::default());
        assert_eq!(prompt.messages.len(), 12);
        assert_eq!((prompt.messages[2].role, prompt.messages[2].content.as_str()), (Role::Assistant, "ANSWER: A"));
        assert_eq!(prompt.messages[11].content, "How many?\nA. one\nB. two\nC. three\nD. four");
    }

    #[test]
    fn a_template_without_a_system_turn_gets_the_text_in_the_first_users() {
        let prompt = prompt(Protocol::ChatTurns1, Template { system_in_user: true, thinking: false });
        assert_eq!(prompt.messages.len(), 11);
        assert!(prompt.messages[0].content.starts_with(&format!("{SYSTEM_TEXT}\n\nExample 0?")));
    }

    #[test]
    fn whatever_changes_the_prompt_changes_its_hash() {
        let base = prompt(Protocol::OneMessage1, Template::default());
        assert_eq!(base, prompt(Protocol::OneMessage1, Template::default()));
        let mut other = question();
        other.question.push('!');
        let hashes = [
            base.sha256,
            prompt(Protocol::ChatTurns1, Template::default()).sha256,
            prompt(Protocol::OneMessage1, Template { system_in_user: true, thinking: false }).sha256,
            prompt(Protocol::OneMessage1, Template { system_in_user: false, thinking: true }).sha256,
            render(Protocol::OneMessage1, Template::default(), &examples(), &question(), 8).sha256,
            render(Protocol::OneMessage1, Template::default(), &examples()[..4], &question(), 7).sha256,
            render(Protocol::OneMessage1, Template::default(), &examples(), &other, 7).sha256,
        ];
        let distinct: std::collections::BTreeSet<_> = hashes.iter().collect();
        assert_eq!(distinct.len(), hashes.len());
    }

    #[test]
    fn prompts_that_begin_alike_have_the_hashes_they_have_alone() {
        let mut odd = question();
        odd.question = "\"How\" many\n\\ or {}? é \u{1} 🙂".to_owned();
        let templates = [(false, false), (true, false), (false, true), (true, true)]
            .map(|(system_in_user, thinking)| Template { system_in_user, thinking });
        for (protocol, template) in Protocol::ALL.into_iter().flat_map(|one| templates.map(|other| (one, other))) {
            for examples in [&examples()[..], &[]] {
                let hashes = PromptHashes::new(protocol, template, examples);
                for (question, seed) in [(&question(), 7), (&odd, 8)] {
                    let alone = render(protocol, template, examples, question, seed).sha256;
                    assert_eq!(hashes.sha256(question, seed), alone, "{protocol:?} {template:?}");
                }
            }
        }
    }

    /// A prompt that hashes otherwise makes every run that was shared before one of another protocol.
    #[test]
    fn the_hash_is_that_of_the_compact_json_for_ever() {
        let prompt = prompt(Protocol::OneMessage1, Template::default());
        assert_eq!(
            (prompt.settings.seed, prompt.sha256.as_str()),
            (2_091_463_971, "bfd40620ec87ee5f9200ca8d0a48d3f1054b186486d48cf6abacd77080e8af37")
        );
    }

    #[test]
    fn seeds_fit_every_engine_and_differ() {
        let seeds: std::collections::BTreeSet<u32> = (0..100).map(|run| question_seed(run, "own_math/3/0")).collect();
        assert!(seeds.len() == 100 && seeds.iter().all(|seed| i32::try_from(*seed).is_ok()));
    }
}
