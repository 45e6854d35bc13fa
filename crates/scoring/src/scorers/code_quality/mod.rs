//! Scorers of the code quality dimension.

pub mod c3_accessibility;
pub mod c4_lighthouse_performance;
pub mod c5_bundle_payload;
pub mod c8_clean_install;
pub mod c9_seo_hygiene;
