//! Scorers of the security dimension.

mod policy;
pub mod s1_secrets_and_headers;
pub mod s2_client_security;
pub mod s3_dependency_vulnerabilities;
pub mod s4_backend_probes;
mod secrets_half;
