//! Jobs: what is still to be scored, who works on it, and what became of it. They are kept in the index's database.
//!
//! A job's id is the id of its run. Whoever takes a job goes on from the evidence its run already has, and a run ends once, so a job
//! that is done twice is recorded once.
//!
//! There is no clock in this. Whoever works on a job makes its `beat` grow; whoever sees the same beat for a whole lease, by a clock of
//! their own that never jumps, puts the job back. The `attempt` a worker was given tells whether it still speaks for the job.

mod events;
mod hold;
mod queue;
mod row;
mod watch;
mod worker;

pub use events::JobEvent;
pub use hold::{Ending, Held, News, Taken, Word};
pub use queue::{NewJob, Queue, Refusal, SubmitLimits, fresh_id};
pub use row::{Counts, Job, JobState, Priority, SeenWorker};
pub use watch::Watch;
pub use worker::{Executed, Executor, JobDesk, Stop, Worked, Worker, WorkerSettings};
