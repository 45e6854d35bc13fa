//! The quiz on the command line: where questions come from, who answers them, where that is kept, and where it is shared.

pub mod asking;
pub mod banks;
pub mod board;
pub mod digest;
pub mod engine;
pub mod outputs;
pub mod progress;
pub mod run_folder;
