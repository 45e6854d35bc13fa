//! Scorers of the functional dimension.

pub mod f1_render_success;
pub mod f5_runtime_errors;
pub mod f6_verbatim;
