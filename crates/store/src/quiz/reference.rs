//! A reference run: made by whoever keeps a board, and put there without a ticket. It has to pass every check that needs no other runs.

use super::{FirstReading, SHARED_FORMAT, SharedRun, shared_id};
use benchwright_quiz::{Catalogue, Expected, Library, Reason, State, Submission, check, derive};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use thiserror::Error;

/// Why a run cannot be a reference.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum NotAReference {
    /// Its questions are not at hand.
    #[error(
        "its questions are not here; if their source was imported elsewhere, import it here as well (`benchwright quiz import`)"
    )]
    Questions,
    /// It is not finished, or something speaks against it.
    #[error("something speaks against it: {}", .0.iter().map(|reason| reason.text.as_str()).collect::<Vec<_>>().join("; "))]
    Doubtful(Vec<Reason>),
}

/// A run as a reference. A file that the catalogue knows by its hash goes by its name there. The id comes from what was run, so that a run
/// that is put twice is there once.
pub fn reference_run(
    mut submission: Submission,
    library: &Library,
    catalogue: &Catalogue,
) -> Result<SharedRun, NotAReference> {
    submission.ticket.clear();
    let hash = submission.model.file_sha256.clone();
    let known = catalogue.models.iter().find(|model| hash.is_some() && model.sha256 == hash);
    if let Some(known) = known {
        submission.model.catalogue_id = Some(known.id.clone());
        submission.model.custom_name = None;
        submission.model.quantisation.clone_from(&known.quantisation);
    }
    let selection = submission.selection().ok_or(NotAReference::Questions)?;
    let (source, order) = library.order(&selection).ok_or(NotAReference::Questions)?;
    let bank = library.bank(source).ok_or(NotAReference::Questions)?;
    let derived = derive(&submission.answers, |id| library.question(id)).map_err(|_| NotAReference::Questions)?;
    let model = submission.model.catalogue_id.as_deref().or(submission.model.custom_name.as_deref());
    let expected = Expected {
        selection: &selection,
        protocol: submission.protocol,
        model: model.unwrap_or_default(),
        template: known.map(benchwright_quiz::CatalogueModel::template),
        order: &order,
        bank,
        since_ticket_ms: f64::INFINITY,
        pooled: None,
        earlier: &[],
        canaries: &[],
        known_outputs: &[],
    };
    let mut verdict = check(&submission, &derived, &expected);
    if verdict.state != State::Confirmed {
        return Err(NotAReference::Doubtful(verdict.reasons));
    }
    verdict.state = State::Reference;
    let sha256 = sha256(&submission);
    Ok(SharedRun {
        format: SHARED_FORMAT,
        id: shared_id(&submission.day, &sha256),
        day: submission.day.clone(),
        // No text has this hash: whoever keeps the board takes it down with `benchwright data take-down`.
        delete_sha256: String::new(),
        body_sha256: sha256,
        verdict,
        first_reading: FirstReading::of(&derived),
        submission,
    })
}

fn sha256(submission: &Submission) -> String {
    let bytes = serde_json::to_vec(submission).unwrap_or_default();
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
