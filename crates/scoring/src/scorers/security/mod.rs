//! Scorers of the security dimension.

pub mod s1_secrets_and_headers;
