//! Trajectories of both forms: real ones where they are at hand, miniatures always, and hostile ones.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may fail at once, and says loudly what it skipped"
)]

mod hostile;
mod miniature;
mod real;
