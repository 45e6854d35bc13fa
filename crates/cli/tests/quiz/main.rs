//! The quiz with the real binary: endpoints that behave and that do not, boards, imports, extraction, and a real model.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test may fail at once, and says what it skips")]

mod endpoint;
mod import;
mod interruptions;
mod module;
mod reading;
mod real_model;
#[path = "../support/running.rs"]
mod running;
mod sharing;
#[path = "../support/mod.rs"]
mod support;
mod table;
