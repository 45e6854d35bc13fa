//! Apps that behave and apps that do not, deployed: what they may do, what they may not, and that nothing is left of them.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod compose;
mod limits;
mod native;
mod support;
