//! Scorers of the functional dimension.

pub mod f1_render_success;
pub mod f2_acceptance;
pub mod f4_functional_intent;
pub mod f5_runtime_errors;
pub mod f6_verbatim;
pub mod f7_auth_round_trip;
pub mod f8_cross_session_persistence;
mod lifecycle;
