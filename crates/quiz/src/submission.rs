//! What is shared of a run: the raw outputs, and how they came about. What they are worth is derived from them.

use crate::extraction::begins_with_reasoning;
use crate::prompt::{Protocol, Template};
use crate::question::Letter;
use crate::set::{QuickDraw, Selection};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Why the model stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Finish {
    /// By itself.
    Stop,
    /// At the limit of tokens.
    Length,
}

/// What the page or the command line read out of an output. Kept for comparison, never shown as truth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientReading {
    /// The letter, if any.
    pub letter: Option<Letter>,
    /// 1 to 5.
    pub tier: u8,
}

/// What an engine produced for one question. There is none for a question on which the engine failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer {
    /// The question.
    pub question_id: String,
    /// The hash of the prompt that was sent.
    pub prompt_sha256: String,
    /// Every character of it.
    pub output: String,
    /// Why it ended.
    pub finish: Finish,
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Those of them that were still there from the question before; absent where the engine does not say.
    pub cached_tokens: Option<u32>,
    /// Tokens of the output.
    pub output_tokens: u32,
    /// Milliseconds to the first token; absent where nothing came or the engine does not say.
    pub first_token_ms: Option<f64>,
    /// Milliseconds in all.
    pub total_ms: f64,
    /// Whether the page was hidden meanwhile, which makes its times unreliable.
    pub hidden: bool,
    /// What the client read out of it.
    pub client: Option<ClientReading>,
}

/// The model that was asked: one of the catalogue, or one the visitor brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ModelUnderTest {
    /// Its id in the catalogue; absent for a model the visitor brought.
    pub catalogue_id: Option<String>,
    /// The name a visitor's own model goes by. Nothing vouches for it.
    pub custom_name: Option<String>,
    /// How its weights are stored, such as `q8_0` or `q4f16_1`; `unknown` where nobody says.
    pub quantisation: String,
    /// The SHA-256 of its file, where there is one file and it was computed.
    pub file_sha256: Option<String>,
}

/// Where the computing was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Backend {
    /// A browser's graphics interface.
    Webgpu,
    /// WebAssembly on the processor.
    Wasm,
    /// A program on the machine.
    Native,
    /// An endpoint elsewhere.
    Endpoint,
}

/// The engine that ran the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// Such as `webllm`, `wllama`, `llama.cpp`, `openai-compatible`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// What it really used.
    pub backend: Backend,
    /// Threads on the processor; absent where that means nothing.
    pub threads: Option<u32>,
}

/// A browser by its family and major version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Browser {
    /// Such as `chromium`, `firefox`, `safari`.
    pub family: String,
    /// The major version.
    pub major: u32,
}

/// The device, as coarse as it is useful.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Device {
    /// As the browser gives it, made an identifier.
    pub gpu_vendor: Option<String>,
    /// As the browser gives it, made an identifier.
    pub gpu_architecture: Option<String>,
    /// Whether shaders can compute in half precision.
    pub f16: Option<bool>,
    /// The browser; absent on the command line.
    pub browser: Option<Browser>,
    /// Family of the operating system.
    pub os: Option<String>,
    /// Such as `1-2`, `3-4`, `5-8`, `9-16`, `17+`.
    pub cores_bucket: Option<String>,
    /// Such as `4 GB`, `8 GB or more`.
    pub memory_bucket: Option<String>,
}

/// What the known-answer test before the run said about the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SelfTest {
    /// The device computes.
    Passed,
    /// It computes garbage.
    Failed,
    /// There was none.
    NotRun,
}

/// A finished run as it is shared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submission {
    /// Format version.
    pub format: u32,
    /// The ticket the run was begun with.
    pub ticket: String,
    /// The protocol.
    pub protocol: Protocol,
    /// What the model's template needed.
    #[serde(default)]
    pub template: Template,
    /// The frozen set; absent for a quick run.
    pub set: Option<String>,
    /// The draw of a quick run; absent for a frozen set.
    pub quick: Option<QuickDraw>,
    /// The model.
    pub model: ModelUnderTest,
    /// The engine.
    pub engine: Engine,
    /// Version of the extractor the client used.
    pub extractor: u32,
    /// Version of the page or the program.
    pub app: String,
    /// What the self-test said.
    pub self_test: SelfTest,
    /// The device; absent where the engine is an endpoint.
    pub device: Option<Device>,
    /// The day the run began, `YYYY-MM-DD`.
    pub day: String,
    /// One answer for each question, in the order they were asked.
    pub answers: Vec<Answer>,
}

impl Submission {
    /// The same with its device told by no more than its family: the maker of the graphics processor, or that it is a processor.
    #[must_use]
    pub fn with_family_only(mut self) -> Self {
        let is_graphics = self.engine.backend == Backend::Webgpu;
        let family = |device: Device| Device { gpu_vendor: device.gpu_vendor, ..Device::default() };
        self.device = self.device.filter(|_| is_graphics).map(family);
        self.engine.threads = None;
        self
    }

    /// Whether the model was let think, or thought all the same: templates without a switch for it open a block of reasoning.
    pub fn thinks(&self) -> bool {
        self.template.thinking || self.answers.iter().any(|answer| begins_with_reasoning(&answer.output))
    }

    /// What the run asked; nothing when it names both a set and a draw, or neither.
    pub fn selection(&self) -> Option<Selection> {
        match (&self.set, self.quick) {
            (Some(id), None) => Some(Selection::Set(id.clone())),
            (None, Some(draw)) => Some(Selection::Quick(draw)),
            _ => None,
        }
    }
}
