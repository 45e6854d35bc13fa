//! The same file read for where its texts stand.

use benchwright_domain::yaml::Text;
use serde::Deserialize;
use serde_saphyr::Spanned;

/// The parts of a prompt that are checked beyond their shape. What is missing or of another shape is told elsewhere.
#[derive(Deserialize)]
pub(super) struct Written {
    pub(super) id: Option<Text>,
    #[serde(default)]
    pub(super) must_have: Vec<WrittenCriterion>,
    #[serde(default)]
    pub(super) should_have: Vec<WrittenCriterion>,
    #[serde(default)]
    pub(super) verbatim_constraints: Vec<WrittenConstraint>,
    #[serde(default)]
    pub(super) seo_applicable: Vec<Text>,
    #[serde(default)]
    pub(super) visual_checklist: WrittenList,
    #[serde(default)]
    pub(super) functional_checklist: WrittenList,
    #[serde(default)]
    pub(super) backend_probes: Vec<Named>,
}

#[derive(Deserialize)]
pub(super) struct WrittenCriterion {
    pub(super) id: Text,
    pub(super) locator: Option<Text>,
    pub(super) assert: Option<Text>,
    pub(super) custom: Option<Text>,
    #[serde(default)]
    pub(super) chain: Option<Spanned<bool>>,
    #[serde(default)]
    pub(super) setup: Vec<WrittenStep>,
}

#[derive(Deserialize)]
pub(super) struct WrittenStep {
    pub(super) locator: Option<Text>,
    pub(super) key: Option<Text>,
    pub(super) expr: Option<Text>,
}

#[derive(Deserialize)]
pub(super) struct WrittenConstraint {
    pub(super) value: Option<Text>,
}

#[derive(Deserialize)]
pub(super) struct Named {
    pub(super) id: Text,
}

#[derive(Default, Deserialize)]
pub(super) struct WrittenList {
    #[serde(default)]
    pub(super) extra: Vec<Named>,
}
