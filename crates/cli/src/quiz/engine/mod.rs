//! Who answers: a model behind an endpoint, or one in a file on this machine.

mod endpoint;
mod local;

pub use endpoint::{EndpointPlace, Remote};
pub use local::{Local, LocalPlace};

use benchwright_quiz::{Device, Engine as Description, Finish, ModelUnderTest, Prompt, Template};
use serde::{Deserialize, Serialize};

/// Where a model is, so that a run can be resumed. Nothing of it is shared, and no key is in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// Behind an address.
    Endpoint(EndpointPlace),
    /// In a file.
    Gguf(LocalPlace),
}

/// What is known of a model once it can be asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Who it is.
    pub model: ModelUnderTest,
    /// What runs it.
    pub engine: Description,
    /// Where it runs; absent where that is elsewhere.
    pub device: Option<Device>,
    /// What its chat template needs.
    pub template: Template,
}

/// What an engine produced for a prompt.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Produced {
    /// Every character.
    pub output: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Those that were still there from before, if the engine says.
    pub cached_tokens: Option<u32>,
    /// Tokens of the output.
    pub output_tokens: u32,
    /// Milliseconds to the first token, if the engine says.
    pub first_token_ms: Option<f64>,
    /// Milliseconds in all.
    pub total_ms: f64,
}

/// Why there is no answer. That is the engine's failure and never the model's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineFault {
    /// What happened.
    pub what: String,
    /// Whether every further question would fail the same way.
    pub is_final: bool,
}

impl EngineFault {
    fn passing(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_final: false }
    }

    fn last(what: impl Into<String>) -> Self {
        Self { what: what.into(), is_final: true }
    }
}

/// A model that can be asked.
pub enum Engine {
    /// Behind an endpoint.
    Remote(Box<Remote>),
    /// On this machine.
    Local(Box<Local>),
}

impl Engine {
    /// Asks, trying again where that may help.
    pub async fn ask(&mut self, prompt: &Prompt) -> Result<Produced, EngineFault> {
        match self {
            Self::Remote(remote) => remote.ask(prompt).await,
            Self::Local(local) => local.ask(prompt).await,
        }
    }

    /// Ends what was started for it.
    pub async fn close(self) {
        if let Self::Local(local) = self {
            local.close().await;
        }
    }
}
