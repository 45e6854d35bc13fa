//! Language models: two wire formats, retry, pace, price, budget, cache. Owns money and secrets.
//!
//! One [`Client`] serves a run. It is the only place that opens an [`ApiKey`], that sends a request again, and that knows what a call may
//! cost before it is made. A judge is [asked](Client::ask) for an answer of a given shape, a model under test [chats](Client::chat) as it likes. What a model answers is returned as text: whoever asked decides whether it is an answer.

mod budget;
mod cache;
mod chat;
mod client;
mod dialogue;
mod endpoint;
mod error;
mod key;
mod pace;
mod question;
mod retry;
mod wire;

pub use budget::{Budget, Price};
pub use chat::{Chat, Said, Turn};
pub use client::{Client, Limits, Settings};
pub use dialogue::{Dialogue, Speech, Tokens, Tool, ToolCall, ToolResult, Utterance};
pub use endpoint::{Dialect, Endpoint};
pub use error::LlmError;
pub use key::ApiKey;
pub use question::{Answer, Attempt, Finish, Part, Question, Schema};
pub use retry::Retry;
