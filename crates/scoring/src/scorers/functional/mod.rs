//! Scorers of the functional dimension.

pub mod f1_render_success;
pub mod f4_functional_intent;
pub mod f5_runtime_errors;
