//! What the page said over the first load and every context in which criteria were walked.

use crate::evidence::load::{ConsoleLine, Exception, Load, Request};
use crate::evidence::{Absence, Evidence};

/// Everything that was heard of a page, in order: the first load, then the criteria's contexts.
pub(crate) struct Heard<'a> {
    /// Where the page is.
    pub(crate) address: &'a str,
    pub(crate) console: Vec<&'a ConsoleLine>,
    pub(crate) exceptions: Vec<&'a Exception>,
    pub(crate) requests: Vec<&'a Request>,
    /// Records that were over a cap and not kept.
    pub(crate) dropped: u64,
    /// Contexts listened to besides the first load.
    pub(crate) contexts: usize,
    /// What a reader should know: criteria that should have been listened to and could not be.
    pub(crate) note: Option<String>,
}

impl<'a> Heard<'a> {
    pub(crate) fn of(evidence: &'a Evidence, load: &'a Load) -> Self {
        let visits = evidence.acceptance.value.as_ref().map_or(&[][..], |acceptance| &acceptance.visits);
        let note = match &evidence.acceptance.value {
            Err(Absence::Failed { .. }) => {
                Some("The prompt's criteria could not be walked, so only the first load was listened to.".to_owned())
            }
            _ => None,
        };
        Self {
            address: &load.final_url,
            console: load.console.iter().chain(visits.iter().flat_map(|visit| &visit.console)).collect(),
            exceptions: load.exceptions.iter().chain(visits.iter().flat_map(|visit| &visit.exceptions)).collect(),
            requests: load.requests.iter().chain(visits.iter().flat_map(|visit| &visit.requests)).collect(),
            dropped: load.dropped_records + visits.iter().map(|visit| visit.dropped_records).sum::<u64>(),
            contexts: visits.len(),
            note,
        }
    }
}
