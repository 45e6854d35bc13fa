//! Walking workflows: one stage, one trace format, several ways to decide what to do next.
//!
//! A [`Stage`](stage::Stage) is a fresh browser context with eyes ([`sight`]) and hands ([`hands`]). A [`Walker`] is told one substep at
//! a time and acts on the stage; [`walk`](course::walk) leads it through a workflow and writes down what happened.

pub mod agent;
pub mod course;
pub mod error;
pub mod facts;
pub mod hands;
pub mod hybrid;
pub mod keeper;
pub mod observation;
pub mod replay;
pub mod resolver;
pub mod rest;
pub mod sight;
pub(crate) mod slips;
pub mod stage;
pub mod target;
mod upload;

pub use agent::Agent;
pub use course::{Course, Walker, walk};
pub use error::{Limit, WalkError};
pub use hybrid::Hybrid;
pub use keeper::{Archive, InMemory, KeepError, Keeper};
pub use replay::{Plan, Replay};
pub use stage::{Settings, Stage};
