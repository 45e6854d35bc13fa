//! Track 2: can this model build a working app from a description, end to end?
//!
//! A task says what a model under test is asked for and how a tester tries what it made. What it made is deployed, walked through the
//! workflows of its task, and judged from what was recorded.

mod answer;
pub mod bundle;
pub mod deploy;
pub mod evaluate;
mod hex;
pub mod judge;
mod line;
pub mod llm;
pub mod reading;
pub mod showing;
pub mod task;
pub mod walk;
