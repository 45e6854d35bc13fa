//! The pages of reviewers: what is theirs, and one workflow of one app at a time.

use super::assigned::{self, Item};
use super::entrance::{Fields, Reviewer, enter, reviews};
use super::session::{self, Session, better_place, origin_of};
use super::{Reviews, saving};
use crate::access::{form_cookie, sign_form};
use crate::page::{ANNOTATE_SCRIPT, ANNOTATE_STYLE, answer};
use crate::refusal::{Fault, Refused};
use crate::state::Intake;
use askama::Template;
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, HOST};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::Response;
use benchwright_domain::vibe::review::{Sheet, SheetWorkflow};
use std::collections::BTreeMap;
use std::sync::Arc;

const TITLE: &str = "Review apps";
/// The name of the item everybody begins with, in forms.
const CALIBRATION: &str = "calibration";
const NOT_YOURS: &str = "This app is not yours to review, or not any more.";
const FIRST_THINGS: &str = "Begin with the practice app: mark all of its workflows first.";
/// Copies of an app that one workflow may be begun with.
const MOST_COPIES: usize = 99;

#[derive(Template)]
#[template(path = "annotate-door.html")]
struct DoorPage<'a> {
    style: String,
    proof: &'a str,
    error: Option<String>,
}

/// `GET /annotate`.
pub async fn door(State(intake): State<Arc<Intake>>, headers: HeaderMap) -> Result<Response, Refused> {
    show_door(&intake, &headers, None)
}

fn show_door(intake: &Intake, headers: &HeaderMap, refused: Option<&Refused>) -> Result<Response, Refused> {
    let frame = &*reviews(intake)?.frame;
    let (nonce, proof) = sign_form(intake, headers)?;
    let page = DoorPage { style: ANNOTATE_STYLE.path(), proof: &proof, error: refused.map(Refused::text) };
    let status = refused.map_or(StatusCode::OK, Refused::status);
    Ok(Fault::tell(answer(frame, status, TITLE, &page, Some(&form_cookie(intake, &nonce)))?, refused))
}

/// Somebody who reviews, and the site that they see.
struct Visit<'a> {
    intake: &'a Arc<Intake>,
    reviews: &'a Reviews,
    headers: &'a HeaderMap,
    fields: &'a Fields,
    reviewer: Reviewer,
}

/// What a page is about.
enum Subject {
    Calibration,
    App(Item),
}

impl Subject {
    fn run(&self) -> Option<&str> {
        match self {
            Self::Calibration => None,
            Self::App(item) => Some(&item.run),
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Calibration => CALIBRATION,
            Self::App(item) => &item.name,
        }
    }

    fn label(&self) -> &str {
        match self {
            Self::Calibration => "Practice app",
            Self::App(item) => &item.label,
        }
    }
}

/// What a form of somebody who reviews asks for.
#[derive(Debug, Clone, Copy)]
pub enum Wish {
    /// What is theirs to review.
    List,
    /// Have an app shown.
    Open,
    /// One workflow of an app.
    App,
    /// Keep the marks of a workflow, and go on to the next.
    Save,
    /// Close the app.
    Close,
}

/// Does what a form asks for. Whoever cannot go on stands at the door again, and reads why.
pub async fn fulfil(wish: Wish, intake: Arc<Intake>, headers: HeaderMap, fields: Fields) -> Result<Response, Refused> {
    match visit(&intake, &headers, &fields, wish).await {
        Err(refused) if intake.reviews.is_some() => show_door(&intake, &headers, Some(&refused)),
        shown => shown,
    }
}

async fn visit(intake: &Arc<Intake>, headers: &HeaderMap, fields: &Fields, wish: Wish) -> Result<Response, Refused> {
    let reviewer = enter(intake, headers, fields).await?;
    Visit { intake, reviews: reviews(intake)?, headers, fields, reviewer }.fulfil(wish).await
}

#[derive(Template)]
#[template(path = "annotate-list.html")]
struct ListPage<'a> {
    style: String,
    proof: &'a str,
    pass: &'a str,
    name: &'a str,
    seed: &'a str,
    practised: usize,
    practice: usize,
    is_practised: bool,
    tasks: Vec<(String, Vec<Item>)>,
    done: usize,
    workflows: usize,
}

#[derive(Template)]
#[template(path = "annotate-app.html")]
struct AppPage<'a> {
    style: String,
    script: String,
    proof: &'a str,
    pass: &'a str,
    item: &'a str,
    label: &'a str,
    sheet: &'a Sheet,
    workflow: &'a SheetWorkflow,
    number: usize,
    done: Vec<bool>,
    copy: usize,
    more_copies: bool,
    marks: Vec<Option<&'a str>>,
    frame: Option<String>,
    better_place: Option<String>,
    is_opening: bool,
    is_failed: bool,
    saved: Option<String>,
    error: Option<String>,
}

impl AppPage<'_> {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    fn is_marked(&self, place: &usize, mark: &str) -> bool {
        self.marks.get(*place).copied().flatten() == Some(mark)
    }

    fn marked(&self) -> usize {
        self.done.iter().filter(|done| **done).count()
    }
}

impl Visit<'_> {
    async fn fulfil(mut self, wish: Wish) -> Result<Response, Refused> {
        match wish {
            Wish::List => self.list().await,
            Wish::Open => {
                let subject = self.subject().await?;
                session::open(self.intake, &self.reviewer, subject.run()).await?;
                self.app(&subject, None, None).await
            }
            Wish::App => self.app(&self.subject().await?, self.number("workflow"), None).await,
            Wish::Save => {
                let subject = self.subject().await?;
                self.save(&subject).await
            }
            Wish::Close => {
                session::close(self.intake, &self.reviewer).await?;
                self.list().await
            }
        }
    }

    /// A number of the form, from 0 on.
    fn number(&self, field: &str) -> Option<usize> {
        self.fields.get(field)?.parse().ok()
    }

    fn is_practised(&self) -> bool {
        let (_, key) = &*self.reviews.calibration;
        self.reviewer.calibration.as_ref().is_some_and(|said| said.is_done(key))
    }

    async fn items(&self) -> Result<Vec<Item>, Refused> {
        let candidates = assigned::candidates(self.intake, self.reviews).await?;
        Ok(assigned::items(self.reviews, &candidates, &self.reviewer))
    }

    /// What the form names, if it is this reviewer's and it is time for it.
    async fn subject(&self) -> Result<Subject, Refused> {
        let name = self.fields.get("item").map_or("", String::as_str);
        if name == CALIBRATION {
            return Ok(Subject::Calibration);
        }
        let item = self.items().await?.into_iter().find(|item| item.name == name);
        let item = item.ok_or_else(|| Refused::field("item", NOT_YOURS))?;
        self.is_practised().then_some(Subject::App(item)).ok_or_else(|| Refused::field("item", FIRST_THINGS))
    }

    async fn list(&self) -> Result<Response, Refused> {
        let (nonce, proof) = sign_form(self.intake, self.headers)?;
        let items = self.items().await?;
        let (done, workflows) = items.iter().fold((0, 0), |(done, all), item| (done + item.done, all + item.workflows));
        let mut tasks: Vec<(String, Vec<Item>)> = Vec::new();
        for item in items {
            match tasks.last_mut().filter(|(title, _)| *title == item.title) {
                Some((_, items)) => items.push(item),
                None => tasks.push((item.title.clone(), vec![item])),
            }
        }
        let page = ListPage {
            style: ANNOTATE_STYLE.path(),
            proof: &proof,
            pass: &self.reviewer.pass,
            name: &self.reviewer.name,
            seed: &self.reviews.seed,
            practised: self.reviewer.calibration.as_ref().map_or(0, |said| said.marks.len()),
            practice: self.reviews.calibration.0.workflows.len(),
            is_practised: self.is_practised(),
            tasks,
            done,
            workflows,
        };
        answer(&*self.reviews.frame, StatusCode::OK, TITLE, &page, Some(&form_cookie(self.intake, &nonce)))
    }

    /// What to read of an app, and what this reviewer said of it so far.
    async fn sheet(&self, subject: &Subject, session: &Session) -> Result<(Sheet, Said), Refused> {
        let Subject::App(item) = subject else {
            let (sheet, key) = &*self.reviews.calibration;
            let said = self.reviewer.calibration.clone().filter(|said| said.item == key.item);
            return Ok((sheet.clone(), said.map(|said| said.marks).unwrap_or_default()));
        };
        let (seed, day) = match session {
            Session::Open { seed, day, .. } | Session::Opening { seed, day } => (seed.clone(), day.clone()),
            Session::Closed | Session::Failed => (item.name.clone(), today()),
        };
        let (make, run) = (Arc::clone(&self.reviews.sheet), item.run.clone());
        let made = tokio::task::spawn_blocking(move || make(&run, &seed, &day)).await;
        let sheet = made.map_err(|error| Refused::Failed(error.to_string()))?.map_err(Refused::Failed)?;
        let app = self.intake.queue.index().app(&item.run).await?;
        let reviews = app.into_iter().flat_map(|app| app.reviews).filter(|review| review.by == self.reviewer.name);
        Ok((sheet, reviews.map(|review| (review.workflow, review.marks)).collect()))
    }

    async fn save(&mut self, subject: &Subject) -> Result<Response, Refused> {
        let session = session::of(self.intake, &self.reviewer, subject.run()).await?;
        let (sheet, _) = self.sheet(subject, &session).await?;
        let place = self.number("workflow").filter(|place| *place < sheet.workflows.len());
        let place = place.ok_or_else(|| Refused::Unreadable("There is no such workflow.".to_owned()))?;
        let workflow = &sheet.workflows[place];
        let marks = match saving::complete(self.fields, workflow) {
            Ok(marks) => marks,
            Err(refused) => return self.app(subject, Some(place), Some(Err(refused))).await,
        };
        match subject {
            Subject::Calibration => saving::of_calibration(self.intake, &self.reviewer, &workflow.id, marks).await?,
            Subject::App(item) => saving::of_app(self.intake, &self.reviewer, &item.run, &workflow.id, marks).await?,
        }
        // What is theirs has changed with what they said.
        self.reviewer = enter(self.intake, self.headers, self.fields).await?;
        self.app(subject, None, Some(Ok(workflow.title.clone()))).await
    }

    /// One workflow of an app: the one that is asked for, or the first without marks.
    async fn app(
        &self,
        subject: &Subject,
        wanted: Option<usize>,
        saved: Option<Result<String, Refused>>,
    ) -> Result<Response, Refused> {
        let session = session::of(self.intake, &self.reviewer, subject.run()).await?;
        let (sheet, said) = self.sheet(subject, &session).await?;
        let done: Vec<bool> = sheet.workflows.iter().map(|workflow| said.contains_key(&workflow.id)).collect();
        let first_left = done.iter().position(|done| !done).unwrap_or(0);
        let number = wanted.filter(|place| *place < sheet.workflows.len()).unwrap_or(first_left);
        let workflow =
            sheet.workflows.get(number).ok_or_else(|| Refused::Failed("a task without workflows".to_owned()))?;
        let copy = if wanted.is_some() { self.number("copy").unwrap_or(0).min(MOST_COPIES) } else { 0 };
        let frame = match &session {
            Session::Open { place, .. } => origin_of(place, &format!("w{number}x{copy}")),
            _ => None,
        };
        let (nonce, proof) = sign_form(self.intake, self.headers)?;
        let (saved, error) = match saved {
            Some(Ok(title)) => (Some(title), None),
            Some(Err(refused)) => (None, Some(refused)),
            None => (None, None),
        };
        let marks = match &error {
            Some(_) => saving::marked(self.fields, workflow.substeps.len()),
            None => said.get(&workflow.id).into_iter().flatten().map(|mark| Some(word(*mark))).collect(),
        };
        let page = AppPage {
            style: ANNOTATE_STYLE.path(),
            script: ANNOTATE_SCRIPT.path(),
            proof: &proof,
            pass: &self.reviewer.pass,
            item: subject.name(),
            label: subject.label(),
            sheet: &sheet,
            workflow,
            number,
            done,
            copy,
            more_copies: copy < MOST_COPIES,
            marks,
            is_opening: matches!(session, Session::Opening { .. }),
            is_failed: matches!(session, Session::Failed),
            better_place: frame.as_deref().and_then(|frame| better_place(host_of(self.headers), frame)),
            frame: frame.clone(),
            saved,
            error: error.as_ref().map(Refused::text),
        };
        let title = format!("{} · {}", sheet.title, subject.label());
        let status = error.as_ref().map_or(StatusCode::OK, Refused::status);
        let cookie = form_cookie(self.intake, &nonce);
        let mut response = answer(&*self.reviews.frame, status, &title, &page, Some(&cookie))?;
        if let Some(origin) = frame {
            let policy = HeaderValue::try_from(policy(&origin)).map_err(|error| Refused::Failed(error.to_string()))?;
            response.headers_mut().insert(CONTENT_SECURITY_POLICY, policy);
        }
        Ok(response)
    }
}

fn host_of(headers: &HeaderMap) -> &str {
    headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default()
}

/// Marks by workflow.
type Said = BTreeMap<String, Vec<Option<bool>>>;

fn word(mark: Option<bool>) -> &'static str {
    match mark {
        Some(true) => "pass",
        Some(false) => "fail",
        None => "none",
    }
}

/// As strict as that of every page, and one origin may be shown in a frame.
fn policy(origin: &str) -> String {
    format!(
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; \
         base-uri 'none'; frame-ancestors 'none'; frame-src {origin}"
    )
}

fn today() -> String {
    jiff::Timestamp::now().strftime("%Y-%m-%d").to_string()
}
