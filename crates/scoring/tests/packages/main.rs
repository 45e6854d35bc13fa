//! Clean installs and audits with the pinned package managers, from a registry of our own.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod audits;
mod hostile;
mod installs;
mod support;
mod types;
