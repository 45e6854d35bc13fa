//! Scorers of the visual dimension.

mod contrast;
pub mod v1_visual_judge;
pub mod v2_design_heuristics;
pub mod v4_responsive_design;
