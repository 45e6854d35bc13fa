//! Reads what was sent, within limits, and puts it into the queue.

use crate::access::form_token;
use crate::order::Asked;
use crate::places::Place;
use crate::refusal::Refused;
use crate::state::Intake;
use axum::extract::multipart::{Field, Multipart};
use axum::http::{HeaderMap, StatusCode};
use benchwright_domain::{BlobId, Order};
use benchwright_store::index::{Scope, Token};
use benchwright_store::jobs::{self, Job, JobState, NewJob, Priority, SubmitLimits, fresh_id};
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// How long a body may take to arrive.
pub const PATIENCE: Duration = Duration::from_mins(3);
const MOST_FIELDS: usize = 30;
const LONGEST_FIELD: usize = 4096;
const LONGEST_KEY: usize = 100;
/// The field that holds the ZIP.
const SOURCE: &str = "source";

/// What a form holds.
#[derive(Debug, Default)]
pub struct Sent {
    /// The fields that are text.
    pub fields: BTreeMap<String, String>,
    /// The ZIP.
    pub source: Option<Source>,
}

/// A ZIP in memory, and its place there: one goes with the other.
#[derive(Debug)]
pub struct Source {
    bytes: Vec<u8>,
    _place: Place,
}

/// Who sends a form, as far as that is known before it is read.
#[derive(Clone, Copy)]
pub enum Sender<'a> {
    /// A program, whose token was in the head of the request.
    Program(&'a Asking<'a>),
    /// A page with these headers; its proof and its token are among the fields.
    Page(&'a HeaderMap),
}

impl Sender<'_> {
    /// A place for a ZIP, if they may send one.
    async fn place(self, intake: &Intake, fields: &BTreeMap<String, String>) -> Result<Place, Refused> {
        match self {
            Self::Program(asking) => place(intake, asking).await,
            Self::Page(headers) => {
                let token = form_token(intake, headers, fields).await?;
                place(intake, &Asking { token: &token, once: None }).await
            }
        }
    }
}

impl Sent {
    /// Reads a form. What was read stays where reading ends early. Of a file nothing is kept before its sender has shown a token that
    /// may submit now, and has a place, so that nobody fills our memory.
    pub async fn read(
        &mut self,
        multipart: &mut Multipart,
        intake: &Intake,
        sender: Sender<'_>,
    ) -> Result<(), Refused> {
        let largest = intake.terms.largest_source;
        for _ in 0..MOST_FIELDS {
            let next = multipart.next_field().await;
            let Some(field) = next.map_err(|error| unreadable(&error, largest))? else { return Ok(()) };
            let name = field.name().unwrap_or_default().to_owned();
            if self.fields.contains_key(&name) || (name == SOURCE && self.source.is_some()) {
                return Err(Refused::Unreadable("A field stands there twice.".to_owned()));
            }
            if name == SOURCE {
                self.source = self.source(field, intake, sender).await?;
            } else {
                let text = String::from_utf8(bytes(field, LONGEST_FIELD).await?);
                let text = text.map_err(|_| Refused::Unreadable("A field is not text.".to_owned()))?;
                self.fields.insert(name, text);
            }
        }
        Err(Refused::Unreadable(format!("More than {MOST_FIELDS} fields are not taken.")))
    }

    async fn source(
        &self,
        mut field: Field<'_>,
        intake: &Intake,
        sender: Sender<'_>,
    ) -> Result<Option<Source>, Refused> {
        let most = intake.terms.largest_source;
        let (mut bytes, mut place) = (Vec::new(), None);
        while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error, most))? {
            // A file that nobody chose is sent too, and is empty.
            if place.is_none() && !chunk.is_empty() {
                place = Some(sender.place(intake, &self.fields).await?);
            }
            append(&mut bytes, &chunk, most)?;
        }
        Ok(place.map(|place| Source { bytes, _place: place }))
    }

    /// What is asked for; fields that are empty were not given.
    pub fn asked(&self) -> Result<Asked, Refused> {
        let text =
            |name: &str| self.fields.get(name).map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let number = |name: &'static str| match text(name).map(|text| text.parse::<f64>()) {
            None => Ok(None),
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err(Refused::field(name, "This must be a number.")),
        };
        let repeat = text("run_index").map_or(Ok(0), |text| text.parse::<u32>());
        let priority = match text("priority").as_deref() {
            None | Some("normal") => Priority::Normal,
            Some("low") => Priority::Low,
            Some("high") => Priority::High,
            Some(_) => return Err(Refused::field("priority", "The priority is low, normal or high.")),
        };
        Ok(Asked {
            url: text("url").unwrap_or_default(),
            prompt: text("prompt"),
            only: text("only").map(|text| text.split(',').map(|id| id.trim().to_owned()).collect()),
            tool: text("tool"),
            tool_version: text("tool_version"),
            run_index: repeat.map_err(|_| Refused::field("run_index", "The repetition is a number from 0 to 1000."))?,
            working_build_seconds: number("working_build_seconds")?,
            cost_usd: number("cost_usd")?,
            note: text("note"),
            priority,
        })
    }
}

async fn bytes(mut field: Field<'_>, most: usize) -> Result<Vec<u8>, Refused> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(|error| unreadable(&error, most))? {
        append(&mut bytes, &chunk, most)?;
    }
    Ok(bytes)
}

fn append(bytes: &mut Vec<u8>, chunk: &[u8], most: usize) -> Result<(), Refused> {
    if bytes.len() + chunk.len() > most {
        return Err(Refused::TooLarge(most));
    }
    bytes.extend_from_slice(chunk);
    Ok(())
}

fn unreadable(error: &axum::extract::multipart::MultipartError, largest: usize) -> Refused {
    if error.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Refused::TooLarge(largest);
    }
    Refused::Unreadable("The form cannot be read; send it as multipart/form-data.".to_owned())
}

/// What else is known of a request.
pub struct Asking<'a> {
    /// Who asks.
    pub token: &'a Token,
    /// The same key means the same job.
    pub once: Option<String>,
}

/// A place for a ZIP, as soon as there is one. Whoever has asked for enough is refused before anything large is read; nothing is counted
/// here, as what arrives may turn out to be no job.
async fn place(intake: &Intake, asking: &Asking<'_>) -> Result<Place, Refused> {
    let unknown = NewJob {
        order: Order::default(),
        id: String::new(),
        priority: Priority::default(),
        submitter: asking.token.id.clone(),
        once: asking.once.clone(),
    };
    if let Some(Err(refusal)) = intake.queue.foresee(&unknown, limits(intake, asking.token)).await? {
        return Err(refused(refusal));
    }
    intake.places.take(&asking.token.id, intake.terms.turn).await
}

fn limits(intake: &Intake, token: &Token) -> SubmitLimits {
    let per_hour = token.jobs_per_hour.unwrap_or(intake.terms.jobs_per_hour);
    SubmitLimits { waiting: intake.terms.waiting, per_hour }
}

fn refused(refusal: jobs::Refusal) -> Refused {
    match refusal {
        jobs::Refusal::QueueIsFull => Refused::Full,
        jobs::Refusal::TooOften => Refused::TooOften,
    }
}

/// Puts a job into the queue.
pub async fn put(
    intake: &Arc<Intake>,
    asking: Asking<'_>,
    asked: Asked,
    source: Option<Source>,
) -> Result<Job, Refused> {
    let priority = asked.priority;
    if priority == Priority::High && !asking.token.scopes.contains(&Scope::Moderate) {
        return Err(Refused::field("priority", "Urgent jobs need a token that may moderate."));
    }
    if asking.once.as_ref().is_some_and(|key| key.is_empty() || key.len() > LONGEST_KEY) {
        return Err(Refused::Unreadable(format!("Idempotency-Key has 1 to {LONGEST_KEY} characters.")));
    }
    if source.as_ref().is_some_and(|source| !looks_like_a_zip(&source.bytes)) {
        return Err(Refused::field("source", "The source must be a ZIP file."));
    }
    let new = NewJob {
        order: asked.order(&intake.terms)?,
        id: fresh_id(Timestamp::now())?,
        priority,
        submitter: asking.token.id.clone(),
        once: asking.once,
    };
    let limits = limits(intake, asking.token);
    let answer = match source {
        Some(source) => put_with_source(intake, new, source, limits).await?,
        None => intake.queue.submit(&new, limits).await?,
    };
    answer.map_err(refused)
}

/// The source is kept before the job is put in, as a worker may take it at once; and nothing is kept for somebody who is refused.
async fn put_with_source(
    intake: &Arc<Intake>,
    mut new: NewJob,
    source: Source,
    limits: SubmitLimits,
) -> Result<Result<Job, jobs::Refusal>, Refused> {
    if let Some(answer) = intake.queue.foresee(&new, limits).await? {
        return Ok(answer);
    }
    let blob = keep(intake, &new.id, source).await?;
    new.order.source = Some(blob.clone());
    let outcome = intake.queue.submit(&new, limits).await;
    // Others may have been faster in between.
    let is_ours = matches!(&outcome, Ok(Ok(job)) if job.id == new.id);
    if !is_ours {
        forget(intake, &new.id, blob).await?;
    }
    Ok(outcome?)
}

/// Calls a job off for somebody who may: its submitter, or a moderator.
pub async fn cancel(intake: &Arc<Intake>, token: &Token, id: &str) -> Result<Job, Refused> {
    let job = intake.queue.job(id).await?.ok_or(Refused::NotFound)?;
    if job.submitter != token.id && !token.scopes.contains(&Scope::Moderate) {
        return Err(Refused::NotAllowed(
            "This job is somebody else's; only its own token or a moderator's can call it off.",
        ));
    }
    let was_waiting = job.state == JobState::Queued;
    let job = intake.queue.cancel(id).await?.ok_or(Refused::NotFound)?;
    if let (true, true, Some(blob)) = (was_waiting, job.state.is_final(), job.order.source.clone()) {
        forget(intake, id, blob).await?;
    }
    Ok(job)
}

async fn keep(intake: &Arc<Intake>, id: &str, source: Source) -> Result<BlobId, Refused> {
    let (storage, id) = (Arc::clone(&intake.storage), id.to_owned());
    // The whole source goes along, with its place: this goes on where whoever asked has gone.
    let kept = tokio::task::spawn_blocking(move || {
        let source = source;
        storage.put_blob(&id, &source.bytes)
    })
    .await;
    Ok(kept.map_err(|error| Refused::Failed(error.to_string()))??)
}

async fn forget(intake: &Arc<Intake>, id: &str, blob: BlobId) -> Result<(), Refused> {
    let (storage, id) = (Arc::clone(&intake.storage), id.to_owned());
    let gone = tokio::task::spawn_blocking(move || storage.remove_blob(&id, &blob)).await;
    Ok(gone.map_err(|error| Refused::Failed(error.to_string()))??)
}

/// What is in it is for the worker's sandbox to find out.
fn looks_like_a_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04")
}
