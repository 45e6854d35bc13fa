//! Asks language models to judge what was gathered.

use super::tree::Tree;
use super::{Desk, StepError};
use crate::conduct::Workbench;
use crate::evidence::{Evidence, EvidenceKind, Judgement};
use crate::request::Request;

/// What judges are shown, and who they are.
pub struct Panel<'a, 'd> {
    /// Where screenshots are read from.
    pub desk: &'a Desk<'d>,
    /// What was asked for.
    pub request: &'a Request,
    /// Who judges.
    pub bench: &'a Workbench,
    /// What was gathered from the page.
    pub gathered: &'a Evidence,
    /// The source, if it was given.
    pub tree: Option<&'a Tree>,
}

impl Panel<'_, '_> {
    /// Asks for one kind of judgement.
    pub async fn ask(&self, _kind: EvidenceKind) -> Result<Judgement, StepError> {
        Err(StepError::Page("this version does not gather it yet".to_owned()))
    }
}
