//! Trajectories of both forms: real ones where they are at hand, miniatures always, and hostile ones.
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

mod hostile;
mod miniature;
mod real;
