//! The forms: they work without script, and need a token and a page of ours.

use crate::accept::{self, Asking, PATIENCE, Sender, Sent};
use crate::access::{
    self, announced, check_form, form_cookie, form_token, leads_on, own_page, reading_cookie, sign_form,
};
use crate::api::NEWEST;
use crate::page::{answer, script_path};
use crate::refusal::{Fault, Refused, Wrong};
use crate::state::{Intake, PromptChoice};
use askama::Template;
use axum::extract::multipart::Multipart;
use axum::extract::{Form, Path, Query, State};
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Redirect, Response};
use benchwright_store::index::Scope;
use benchwright_store::jobs::{Counts, Job, JobEvent, JobState, SeenWorker};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::timeout;

/// Events on the page of a job; the newest count.
const SHOWN: usize = 200;
const SUBMIT_TITLE: &str = "Submit an app";
/// The fields that say how an app was built.
const FOLDED: [&str; 6] = ["tool", "tool_version", "run_index", "cost_usd", "working_build_seconds", "note"];

#[derive(Template)]
#[template(path = "submit.html")]
struct SubmitPage<'a> {
    prompts: &'a [PromptChoice],
    /// Bytes of the largest ZIP.
    most: usize,
    proof: &'a str,
    script: String,
    error: Option<String>,
    wrong: &'a [Wrong],
    fields: &'a BTreeMap<String, String>,
}

impl SubmitPage<'_> {
    /// What was typed, so that nobody has to type it again.
    fn value(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }

    fn is_wrong(&self, name: &str) -> bool {
        self.wrong.iter().any(|wrong| wrong.field == name)
    }

    fn megabytes(&self) -> usize {
        self.most / (1024 * 1024)
    }

    /// Whether something stands in the part that is folded away at first.
    fn says_more(&self) -> bool {
        FOLDED.iter().any(|name| !self.value(name).is_empty() || self.is_wrong(name))
    }
}

/// `GET /submit`.
pub async fn submit_page(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Result<Response, Refused> {
    show_submit(&intake, &headers, None, &BTreeMap::new())
}

fn show_submit(
    intake: &Intake,
    headers: &HeaderMap,
    refused: Option<&Refused>,
    fields: &BTreeMap<String, String>,
) -> Result<Response, Refused> {
    let (nonce, proof) = sign_form(intake, headers)?;
    let page = SubmitPage {
        prompts: &intake.terms.prompts,
        most: intake.terms.largest_source,
        proof: &proof,
        script: script_path(),
        error: refused.map(Refused::text),
        wrong: refused.map(Refused::wrong).unwrap_or_default(),
        fields,
    };
    show_form(intake, SUBMIT_TITLE, &page, refused, Some(&form_cookie(intake, &nonce)))
}

/// A form: at first, or again with why it was refused.
fn show_form(
    intake: &Intake,
    title: &str,
    form: &impl Template,
    refused: Option<&Refused>,
    cookie: Option<&str>,
) -> Result<Response, Refused> {
    let status = refused.map_or(StatusCode::OK, Refused::status);
    Ok(Fault::tell(answer(&*intake.frame, status, title, form, cookie)?, refused))
}

/// `POST /submit`: the form, with what is wrong said on the same page.
pub async fn submit(
    State(intake): State<Arc<Intake>>,
    headers: HeaderMap,
    mut multipart: Multipart,
) -> Result<Response, Refused> {
    let mut sent = Sent::default();
    let taken = timeout(PATIENCE, take(&intake, &headers, &mut multipart, &mut sent)).await;
    match taken.unwrap_or(Err(Refused::TooSlow)) {
        Ok(job) => Ok(Redirect::to(&format!("/jobs/{}", job.id)).into_response()),
        Err(refused) => {
            sent.fields.remove("token");
            show_submit(&intake, &headers, Some(&refused), &sent.fields)
        }
    }
}

async fn take(
    intake: &Arc<Intake>,
    headers: &HeaderMap,
    multipart: &mut Multipart,
    sent: &mut Sent,
) -> Result<Job, Refused> {
    announced(headers, intake.largest_body())?;
    sent.read(multipart, intake, Sender::Page(headers)).await?;
    let token = form_token(intake, headers, &sent.fields).await?;
    let asked = sent.asked()?;
    accept::put(intake, Asking { token: &token, once: None }, asked, sent.source.take()).await
}

#[derive(Template)]
#[template(path = "job.html")]
struct JobPage<'a> {
    job: &'a Job,
    state: &'static str,
    is_over: bool,
    is_done: bool,
    cost: String,
    lanes: Vec<(String, String)>,
    events: &'a [JobEvent],
    earlier: usize,
    last: i64,
    ahead: i64,
    script: String,
}

/// A state as people say it.
#[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
fn state_words(state: &JobState) -> &'static str {
    match state {
        JobState::Queued => "waiting",
        state => state.key(),
    }
}

/// A moment like `2026-11-16T10:15:00Z` for people.
fn moment(at: &str) -> String {
    match (at.get(..10), at.get(11..19)) {
        (Some(day), Some(hour)) => format!("{day} {hour} UTC"),
        _ => at.to_owned(),
    }
}

/// The time of day of a moment like `2026-11-16T10:15:00Z`.
fn hour(at: &str) -> &str {
    at.get(11..19).unwrap_or(at)
}

/// `GET /jobs/{id}`: the job as it stands, and live with script.
pub async fn job_page(State(intake): State<Arc<Intake>>, Path(id): Path<String>) -> Result<Response, Refused> {
    let job = intake.job(&id).await?;
    let events = intake.queue.events(&id, -1).await?;
    let earlier = events.len().saturating_sub(SHOWN);
    let page = JobPage {
        job: &job,
        state: job.state.key(),
        is_over: job.state.is_final(),
        is_done: job.state == JobState::Done,
        cost: format!("{:.2}", job.cost_micros as f64 / 1e6),
        lanes: lanes(&events),
        last: events.last().map_or(-1, |event| event.sequence),
        events: &events[earlier..],
        earlier,
        ahead: if job.state == JobState::Queued { intake.queue.counts().await?.queued - 1 } else { 0 },
        script: script_path(),
    };
    answer(&*intake.frame, StatusCode::OK, "Job", &page, None)
}

/// What each lane did last.
fn lanes(events: &[JobEvent]) -> Vec<(String, String)> {
    let mut lanes: BTreeMap<&str, &str> = BTreeMap::new();
    for event in events.iter().filter(|event| event.lane != "job") {
        lanes.insert(&event.lane, &event.text);
    }
    lanes.into_iter().map(|(lane, text)| (lane.to_owned(), text.to_owned())).collect()
}

/// The form that calls a job off. It is apart from the job: that page is loaded again and again where there is no script, and what
/// somebody was typing would be gone.
#[derive(Template)]
#[template(path = "cancel.html")]
struct CancelPage<'a> {
    job: &'a Job,
    proof: &'a str,
    error: Option<String>,
}

/// `GET /jobs/{id}/cancel`.
pub async fn cancel_page(
    State(intake): State<Arc<Intake>>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refused> {
    let job = intake.job(&id).await?;
    if job.state.is_final() {
        return Ok(Redirect::to(&format!("/jobs/{}", job.id)).into_response());
    }
    show_cancel(&intake, &headers, &job, None)
}

fn show_cancel(
    intake: &Intake,
    headers: &HeaderMap,
    job: &Job,
    refused: Option<&Refused>,
) -> Result<Response, Refused> {
    let (nonce, proof) = sign_form(intake, headers)?;
    let page = CancelPage { job, proof: &proof, error: refused.map(Refused::text) };
    show_form(intake, "Cancel a job", &page, refused, Some(&form_cookie(intake, &nonce)))
}

/// What that form sends.
#[derive(Deserialize)]
pub struct CancelForm {
    #[serde(default)]
    form: String,
    #[serde(default)]
    token: String,
}

/// `POST /jobs/{id}/cancel`.
pub async fn cancel(
    State(intake): State<Arc<Intake>>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Form(sent): Form<CancelForm>,
) -> Result<Response, Refused> {
    let cancelled = async {
        check_form(&intake, &headers, &sent.form)?;
        let index = intake.queue.index();
        let token = match access::token(index, &sent.token, Scope::Submit).await {
            Ok(token) => token,
            Err(_) => access::token(index, &sent.token, Scope::Moderate).await?,
        };
        accept::cancel(&intake, &token, &id).await
    };
    match cancelled.await {
        Ok(job) => Ok(Redirect::to(&format!("/jobs/{}", job.id)).into_response()),
        Err(refused) => show_cancel(&intake, &headers, &intake.job(&id).await?, Some(&refused)),
    }
}

#[derive(Template)]
#[template(path = "queue.html")]
struct QueuePage {
    counts: Counts,
    workers: Vec<SeenWorker>,
    newest: Vec<Job>,
}

/// `GET /queue`: how many jobs stand where, who works, what is new.
pub async fn queue_page(State(intake): State<Arc<Intake>>) -> Result<Response, Refused> {
    let page = QueuePage {
        counts: intake.queue.counts().await?,
        workers: intake.queue.workers().await?,
        newest: intake.newest(NEWEST).await?,
    };
    answer(&*intake.frame, StatusCode::OK, "Queue", &page, None)
}

#[derive(Template)]
#[template(path = "sign-in.html")]
struct SignInPage<'a> {
    /// Where somebody was going; empty where that was nowhere else.
    to: &'a str,
    error: Option<String>,
}

/// Where somebody was going who met the door.
#[derive(Deserialize)]
pub struct OnTheWay {
    #[serde(default)]
    to: String,
}

/// `GET /sign-in`: the door of a private site.
pub async fn sign_in_page(
    State(intake): State<Arc<Intake>>,
    Query(OnTheWay { to }): Query<OnTheWay>,
) -> Result<Response, Refused> {
    show_sign_in(&intake, &to, None)
}

fn show_sign_in(intake: &Intake, to: &str, refused: Option<&Refused>) -> Result<Response, Refused> {
    show_form(intake, "Sign in", &SignInPage { to, error: refused.map(Refused::text) }, refused, None)
}

/// The form of the door.
#[derive(Deserialize)]
pub struct SignInForm {
    #[serde(default)]
    token: String,
    #[serde(default)]
    to: String,
}

/// `POST /sign-in`: opens a private site for reading, and nothing else.
pub async fn sign_in(
    State(intake): State<Arc<Intake>>,
    headers: HeaderMap,
    Form(SignInForm { token, to }): Form<SignInForm>,
) -> Result<Response, Refused> {
    let token = token.trim();
    let good = match own_page(&headers) {
        Ok(()) => access::token(intake.queue.index(), token, Scope::Read).await.map(|_| ()),
        refused => refused,
    };
    if let Err(refused) = good {
        return show_sign_in(&intake, &to, Some(&refused));
    }
    let mut response = Redirect::to(if leads_on(&to) { &to } else { "/" }).into_response();
    // A token of ours is plain letters and digits, or it would not be known.
    let value = HeaderValue::from_str(&reading_cookie(&intake, token));
    response.headers_mut().insert(SET_COOKIE, value.map_err(|error| Refused::Failed(error.to_string()))?);
    Ok(response)
}
