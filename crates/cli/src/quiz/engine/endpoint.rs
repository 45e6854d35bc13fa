//! A model behind an endpoint that speaks chat completions.

use super::{EngineFault, Known, Produced};
use crate::environment;
use crate::exit::Failure;
use benchwright_llm::{ApiKey, Chat, Client, Dialect, Endpoint, Limits, LlmError, Said, Settings, Turn};
use benchwright_quiz::{
    Backend, Engine as Description, Finish, ModelUnderTest, Prompt, Role, Template, begins_with_reasoning,
};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// A model on an old laptop takes minutes for four hundred tokens.
const LIMITS: Limits =
    Limits { attempt: Duration::from_mins(10), whole: Duration::from_mins(30), answer_bytes: 2 * 1024 * 1024 };

/// Where the model is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndpointPlace {
    /// Up to and including the version.
    pub base_url: String,
    /// The model's name there.
    pub model: String,
    /// The variable its key is in; empty where none is needed.
    pub key_variable: String,
}

/// The model, and how it is spoken to.
pub struct Remote {
    client: Client,
    endpoint: Endpoint,
    key: Option<ApiKey>,
    may_think: bool,
    manner: Manner,
}

/// How the endpoint is asked. Not every server knows everything that is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Manner {
    /// Not every server counts tokens in a stream. Whoever does not is asked for whole answers.
    is_streamed: bool,
    /// Whether the switch for thinking is sent.
    has_switch: bool,
}

impl Manner {
    const FIRST: Self = Self { is_streamed: true, has_switch: true };

    /// What to try when the server did not like this: without the switch, then without the stream, then without both.
    fn after_refusal(self) -> Option<Self> {
        match self {
            Self { has_switch: true, .. } => Some(Self { has_switch: false, ..self }),
            Self { is_streamed: true, .. } => Some(Self { is_streamed: false, has_switch: true }),
            _ => None,
        }
    }
}

impl EndpointPlace {
    /// The place, with the variable its key is usually in.
    pub fn new(base_url: &str, model: &str, key_variable: Option<&str>) -> Result<Self, Failure> {
        let endpoint = endpoint(base_url, model);
        check(&endpoint, key_variable)?;
        let host = url::Url::parse(base_url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
        let usual = match host.as_str() {
            "openrouter.ai" => Some("OPENROUTER_API_KEY"),
            "api.openai.com" => Some("OPENAI_API_KEY"),
            _ if endpoint.is_on_this_machine() => Some(""),
            _ => None,
        };
        let variable = key_variable.or(usual).ok_or_else(|| {
            Failure::BadInput(format!(
                "say which environment variable holds the key for {base_url}, with --key-variable NAME"
            ))
        })?;
        Ok(Self { base_url: base_url.to_owned(), model: model.to_owned(), key_variable: variable.to_owned() })
    }

    /// What is known of the model without having asked it.
    pub fn known(&self, thinking: bool) -> Known {
        Known {
            model: ModelUnderTest {
                catalogue_id: None,
                custom_name: Some(self.model.clone()),
                quantisation: "unknown".to_owned(),
                file_sha256: None,
            },
            engine: Description {
                name: "openai-compatible".to_owned(),
                version: "unknown".to_owned(),
                backend: Backend::Endpoint,
                threads: None,
            },
            device: None,
            template: Template { system_in_user: false, thinking },
        }
    }

    /// Opens it: finds the key, asks nothing yet.
    pub fn open(&self, thinking: bool) -> Result<Remote, Failure> {
        let key = environment::key(&self.key_variable);
        if key.is_none() && !self.key_variable.is_empty() {
            return Err(Failure::BadInput(format!(
                "{} holds no key for {}; set it and try again",
                self.key_variable, self.base_url
            )));
        }
        let client = Client::new(Settings { limits: LIMITS, ..Settings::default() });
        let endpoint = endpoint(&self.base_url, &self.model);
        Ok(Remote { client, endpoint, key, may_think: thinking, manner: Manner::FIRST })
    }
}

/// Whether requests may go there, with a key from this variable or without one.
fn check(endpoint: &Endpoint, key_variable: Option<&str>) -> Result<(), Failure> {
    let open = endpoint.check_without_key();
    if key_variable == Some("") {
        return open.map_err(|error| Failure::BadInput(format!("failed to {error}")));
    }
    // What only the key is refused for goes without one.
    let way_out = if open.is_ok() { "; a server that needs no key is asked with --key-variable \"\"" } else { "" };
    endpoint.check().map_err(|error| Failure::BadInput(format!("failed to {error}{way_out}")))
}

fn endpoint(base_url: &str, model: &str) -> Endpoint {
    Endpoint { dialect: Dialect::OpenAi, base_url: base_url.to_owned(), model: model.to_owned(), price: None }
}

impl Remote {
    /// Asks. The client under it repeats what may pass.
    pub async fn ask(&mut self, prompt: &Prompt) -> Result<Produced, EngineFault> {
        loop {
            let said = self.client.chat(&self.endpoint, self.key.as_ref(), &self.chat(prompt)).await;
            match (said, self.manner.after_refusal()) {
                // A server that does not know the switch or the options of streams says so with 400.
                (Err(LlmError::Refused { status: 400 | 422, .. }), Some(next)) => self.manner = next,
                (Err(error), _) => return Err(fault(&error)),
                (Ok(said), _) if self.manner.is_streamed && said.tokens_out.is_none() => {
                    self.manner.is_streamed = false;
                }
                (Ok(said), _) => return self.produced(&said),
            }
        }
    }

    fn chat(&self, prompt: &Prompt) -> Chat {
        let turn =
            |message: &benchwright_quiz::Message| Turn { role: role(message.role), content: message.content.clone() };
        let settings = &prompt.settings;
        Chat {
            turns: prompt.messages.iter().map(turn).collect(),
            temperature: settings.temperature,
            top_p: settings.top_p,
            max_tokens: settings.max_tokens,
            seed: u64::from(settings.seed),
            is_streamed: self.manner.is_streamed,
            thinking: self.manner.has_switch.then_some(settings.thinking),
        }
    }

    fn produced(&self, said: &Said) -> Result<Produced, EngineFault> {
        let finish = match said.finish {
            benchwright_llm::Finish::Stop => Finish::Stop,
            benchwright_llm::Finish::Length => Finish::Length,
            benchwright_llm::Finish::Other => {
                return Err(EngineFault::passing(
                    "the provider ended the answer for a reason of its own, such as a filter",
                ));
            }
        };
        let (Some(read), Some(written)) = (said.tokens_in, said.tokens_out) else {
            return Err(EngineFault::last(
                "the endpoint does not say how many tokens it read and wrote (`usage`), which a run needs",
            ));
        };
        let count = |tokens: u64| u32::try_from(tokens).unwrap_or(u32::MAX);
        Ok(Produced {
            output: self.words(said)?,
            finish,
            prompt_tokens: count(read),
            cached_tokens: said.tokens_cached.map(count),
            output_tokens: count(written),
            first_token_ms: said.first_token_ms,
            total_ms: said.total_ms,
        })
    }

    /// Everything the model wrote. Thoughts that the provider kept apart stand before it, as the model would have written them.
    fn words(&self, said: &Said) -> Result<String, EngineFault> {
        let is_apart = !said.thoughts.trim().is_empty();
        if !self.may_think && (is_apart || begins_with_reasoning(&said.text)) {
            return Err(EngineFault::last(
                "the model thinks before it answers, which the official protocol does not allow; turn that off at the endpoint, or run it with --thinking, which stands apart",
            ));
        }
        Ok(if is_apart { format!("<think>{}</think>\n{}", said.thoughts, said.text) } else { said.text.clone() })
    }
}

fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
    }
}

/// What is refused for one question is refused for all; what was given up may work for the next.
fn fault(error: &LlmError) -> EngineFault {
    let is_final = !matches!(error, LlmError::GaveUp { .. } | LlmError::TooLarge { .. });
    EngineFault { what: format!("failed to {error}"), is_final }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exit::tests::text_of;

    #[test]
    fn the_usual_places_have_their_variable_and_others_are_asked_for_theirs() {
        let variable = |base: &str| EndpointPlace::new(base, "m", None).map(|place| place.key_variable);
        assert_eq!(variable("https://openrouter.ai/api/v1").unwrap(), "OPENROUTER_API_KEY");
        assert_eq!(variable("https://api.openai.com/v1").unwrap(), "OPENAI_API_KEY");
        assert_eq!(variable("http://localhost:11434/v1").unwrap(), "");
        assert!(text_of(variable("https://llm.example/v1")).contains("--key-variable"));
        assert!(text_of(variable("http://llm.example/v1")).contains("https"));
        assert!(!text_of(variable("ftp://llm.example/v1")).contains("--key-variable"));
        let named = EndpointPlace::new("https://llm.example/v1", "m", Some("MY_KEY")).unwrap();
        assert_eq!(named.key_variable, "MY_KEY");
    }

    #[test]
    fn a_server_in_the_local_network_is_asked_without_a_key_and_never_with_one() {
        let place = |variable| EndpointPlace::new("http://192.168.1.20:11434/v1", "m", variable);
        assert_eq!(place(Some("")).unwrap().key_variable, "");
        assert!(place(Some("")).unwrap().open(false).is_ok());
        for variable in [None, Some("MY_KEY")] {
            assert!(text_of(place(variable)).contains("--key-variable \"\""), "{variable:?}");
        }
    }

    #[test]
    fn a_refusal_ends_the_run_and_a_bad_moment_does_not() {
        let refused = LlmError::Refused { model: "m".to_owned(), status: 401, message: "no".to_owned() };
        let gave_up = LlmError::GaveUp { model: "m".to_owned(), attempts: 5, last: "busy".to_owned(), reached: true };
        assert_eq!((fault(&refused).is_final, fault(&gave_up).is_final), (true, false));
    }
}
