//! The vibe track on the command line: where evaluations are kept, how one is conducted, what is shown of it.

pub mod archive;
pub mod job;
pub mod outputs;
pub mod progress;
pub mod run_folder;
pub mod session;
