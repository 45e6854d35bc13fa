//! What further judges said of an evaluation after its end. `run.json` never changes; their opinions are events of the log.

use super::entry::{MOST_OPINIONS, evaluation_in, is_sound};
use crate::event::{Event, EventBody};
use crate::run_dir::ReadRun;
use crate::storage::Storage;
use benchwright_domain::BlobId;
use benchwright_domain::vibe::Evaluation;
use benchwright_domain::vibe::evaluation::SecondOpinion;

/// Kinds of evidence that are opinions begin with it.
pub const OPINION: &str = "opinion/";

/// The evaluation of a finished run with all opinions on it; none of a run of another track.
///
/// An opinion that cannot be read is left out, because what was taken down must not take the verdicts that count along.
pub fn evaluation_of(storage: &dyn Storage, run: &ReadRun) -> Result<Option<Evaluation>, String> {
    let Some(mut evaluation) = run.run_json.as_ref().map_or(Ok(None), evaluation_in)? else { return Ok(None) };
    for blob in run.events.iter().filter_map(opinion_in) {
        let Ok(bytes) = storage.blob(&run.header.id, blob) else { continue };
        let Ok(opinion) = serde_json::from_slice::<SecondOpinion>(&bytes) else { continue };
        if is_sound(&opinion.verdict) {
            evaluation.add_opinion(opinion, MOST_OPINIONS);
        }
    }
    Ok(Some(evaluation))
}

fn opinion_in(event: &Event) -> Option<&BlobId> {
    match &event.body {
        EventBody::Evidence { kind, blob, .. } if kind.starts_with(OPINION) => Some(blob),
        _ => None,
    }
}
