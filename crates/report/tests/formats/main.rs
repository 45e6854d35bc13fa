//! All formats of a report, as one test program: what they show, and that nothing a page wrote can become markup.
#![allow(clippy::unwrap_used, reason = "the whole program is tests")]

mod escaping;
mod hostile;
mod machines;
mod page;
mod pages;
mod quiz;
mod sample;
mod schema;
mod snapshots;
mod vectors;
mod vibe;
