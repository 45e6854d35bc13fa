//! The part of the site that changes something, asked directly: no browser and no network in between.
#![expect(clippy::unwrap_used, reason = "all of this is test code, which fails by panicking")]

mod asking;
mod crowds;
mod forms;
mod hostile;
mod private;
mod site;
