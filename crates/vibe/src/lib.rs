//! Track 2: can this model build a working app from a description, end to end?
//!
//! So far the tasks: what a model under test is asked for, and how a tester tries what it made.

mod answer;
pub mod task;
