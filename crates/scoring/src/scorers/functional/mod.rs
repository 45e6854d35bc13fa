//! Scorers of the functional dimension.

pub mod f1_render_success;
pub mod f2_acceptance;
pub mod f5_runtime_errors;
