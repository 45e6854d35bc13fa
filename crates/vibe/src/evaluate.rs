//! Evaluating an app: every workflow of its task is walked through a fresh copy of it, in a fresh browser, and judged from what was
//! recorded.
//!
//! [`Plan`] says what is done and how; [`conduct`] does what is not done yet; a [`Recorder`] keeps everything at once, so that a run that is
//! killed goes on where it was. [`Outcome`] makes the document of the run from what was recorded, and nothing else.

mod arena;
mod conduct;
mod grading;
mod outcome;
mod plan;
mod plans;
mod record;
mod unwalked;
mod walking;

pub use arena::{Arena, Surroundings};
pub use conduct::{Calendar, Conduct, Deployed, EvaluateError};
pub use grading::Grading;
pub use outcome::Outcome;
pub use plan::{Order, PLAN_FORMAT, Plan};
pub use plans::Plans;
pub use record::{Listener, Progress, RecordError, Recorder, SharedRecorder, Start};
pub use walking::Walking;
