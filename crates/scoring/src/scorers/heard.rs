//! What the page said over the first load, every context in which criteria were walked, and every further route.

use crate::evidence::acceptance::Visit;
use crate::evidence::load::{ConsoleLine, Exception, Load, Request};
use crate::evidence::{Absence, Evidence};

/// Everything that was heard of a page, in order: the first load, then the criteria's contexts, then the routes.
pub(crate) struct Heard<'a> {
    /// Where the page is.
    pub(crate) address: &'a str,
    pub(crate) console: Vec<&'a ConsoleLine>,
    pub(crate) exceptions: Vec<&'a Exception>,
    pub(crate) requests: Vec<&'a Request>,
    /// Records that were over a cap and not kept.
    pub(crate) dropped: u64,
    /// Contexts of criteria that were listened to.
    pub(crate) contexts: usize,
    /// Further routes that were listened to.
    pub(crate) routes: usize,
    /// What a reader should know: what should have been listened to and could not be.
    pub(crate) notes: Vec<String>,
}

impl<'a> Heard<'a> {
    /// Says that not everything was kept, and what may be missing therefore.
    pub(crate) fn dropped_note(&self, missing: &str) -> Option<String> {
        let kept =
            format!("The page produced more records than are kept; {} were dropped, so {missing}.", self.dropped);
        (self.dropped > 0).then_some(kept)
    }

    pub(crate) fn of(evidence: &'a Evidence, load: &'a Load) -> Self {
        let criteria = evidence.acceptance.value.as_ref().map_or(&[][..], |acceptance| &acceptance.visits);
        let routes = evidence.routes.value.as_ref().map_or(&[][..], |routes| &routes.routes);
        let visits: Vec<&Visit> = criteria.iter().chain(routes.iter().map(|route| &route.visit)).collect();
        Self {
            address: &load.final_url,
            console: load.console.iter().chain(visits.iter().flat_map(|visit| &visit.console)).collect(),
            exceptions: load.exceptions.iter().chain(visits.iter().flat_map(|visit| &visit.exceptions)).collect(),
            requests: load.requests.iter().chain(visits.iter().flat_map(|visit| &visit.requests)).collect(),
            dropped: load.dropped_records + visits.iter().map(|visit| visit.dropped_records).sum::<u64>(),
            contexts: criteria.len(),
            routes: routes.len(),
            notes: unheard(evidence),
        }
    }
}

fn unheard(evidence: &Evidence) -> Vec<String> {
    let mut notes = Vec::new();
    if let Err(Absence::Failed { .. }) = &evidence.acceptance.value {
        notes.push("The prompt's criteria could not be walked, so they were not listened to.".to_owned());
    }
    if let Err(Absence::Failed { reason } | Absence::NoInput { reason }) = &evidence.routes.value {
        notes.push(format!("The further routes were not listened to: {reason}."));
    }
    for route in evidence.routes.value.iter().flat_map(|routes| &routes.routes) {
        if let Some(failure) = &route.failure {
            notes.push(format!("The route {} could not be looked at: {failure}.", route.path));
        }
    }
    notes
}
