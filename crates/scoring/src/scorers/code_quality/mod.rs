//! Scorers of the code quality dimension.

pub mod c1_eslint_density;
pub mod c2_typescript_safety;
pub mod c3_accessibility;
pub mod c4_lighthouse_performance;
pub mod c5_bundle_payload;
pub mod c6_ast_complexity;
pub mod c7_maintainability;
pub mod c8_clean_install;
pub mod c9_seo_hygiene;
mod source_findings;
