//! Clean installs, audits and apps to serve, with the pinned package managers, from a registry of our own.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod audits;
mod hostile;
mod installs;
mod serving;
mod support;
mod types;
