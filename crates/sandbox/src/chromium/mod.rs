//! Chromium: finding it, starting it so that it cannot outlive us, ending it.

mod find;
mod flags;
mod launch;
mod startup;

pub use find::{find, version};
pub use launch::{Launch, RunningChromium, launch};
