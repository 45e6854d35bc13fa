//! `POST /api/v1/quiz/tickets`: begins a run.

use super::LARGEST_REQUEST;
use super::desk::{Asker, QuizDesk};
use super::refusal::Refused;
use super::share::body;
use super::ticket::{LIFETIME, Ticket};
use crate::access::own_page;
use crate::refusal::json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use benchwright_quiz::{Example, Protocol, QUICK_COUNTS, Question, QuickDraw, Selection, Source};
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::json as value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The longest name of a visitor's own model.
const LONGEST_NAME: usize = 100;

/// What is asked for.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    #[serde(default)]
    set: Option<String>,
    #[serde(default)]
    quick: Option<AskedDraw>,
    /// Id of the model in the catalogue, or the name of a visitor's own.
    model: String,
    protocol: Protocol,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct AskedDraw {
    source: Source,
    count: usize,
    #[serde(default)]
    seed: Option<u32>,
}

/// Hands out a ticket, and the questions that go with it.
pub async fn issue(State(desk): State<Arc<QuizDesk>>, request: Request) -> Result<Response, Refused> {
    let (parts, rest) = request.into_parts();
    own_page(&parts.headers)?;
    desk.may_have_ticket(&Asker::of(&parts.extensions, &parts.headers))?;
    let bytes = body(Request::from_parts(parts, rest), LARGEST_REQUEST).await?;
    let asked: Asked = serde_json::from_slice(&bytes)
        .map_err(|error| Refused::Unreadable(format!("This is not what a ticket is asked for with: {error}")))?;
    let mut random = [0; 20];
    getrandom::fill(&mut random).map_err(|error| Refused::Failed(error.to_string()))?;
    let [a, b, c, d, id @ ..] = random;
    let (selection, chosen_seed) = selected(&asked, u32::from_le_bytes([a, b, c, d]))?;
    let name = asked.model.trim();
    if name.is_empty() || name.len() > LONGEST_NAME || name.chars().any(char::is_control) {
        return Err(Refused::Unknown(format!("`model` is a name of 1 to {LONGEST_NAME} bytes.")));
    }
    let none =
        || Refused::Unknown("There are no such questions here; `/api/v1/quiz/catalogue` lists the sets.".to_owned());
    let (source, order) = desk.library.order(&selection).ok_or_else(none)?;
    let ticket = Ticket::issue(id, Timestamp::now().as_second(), &selection, chosen_seed, name, asked.protocol);
    let questions: Vec<&Question> = order.iter().filter_map(|id| desk.library.question(id)).collect();
    let bank = desk.library.bank(source).ok_or_else(none)?;
    let examples: BTreeMap<&str, &[Example]> =
        questions.iter().map(|question| (question.subject.as_str(), bank.examples_for(question))).collect();
    let (set, quick) = match &selection {
        Selection::Set(id) => (Some(id), None),
        Selection::Quick(quick) => (None, Some(quick)),
    };
    let answer = value!({
        "format": benchwright_quiz::FORMAT,
        "ticket": ticket.sign(&desk.key),
        "expires_in_seconds": LIFETIME.as_secs(),
        "set": set,
        "quick": quick,
        "order": order,
        "questions": questions,
        "examples": examples,
    });
    Ok((StatusCode::CREATED, json(&answer)).into_response())
}

/// What is to be asked, and whether the visitor chose the seed of a draw.
fn selected(asked: &Asked, random: u32) -> Result<(Selection, bool), Refused> {
    match (&asked.set, &asked.quick) {
        (Some(id), None) => Ok((Selection::Set(id.clone()), false)),
        (None, Some(draw)) if !QUICK_COUNTS.contains(&draw.count) => {
            Err(Refused::Unknown(format!("`count` is one of {QUICK_COUNTS:?}.")))
        }
        (None, Some(AskedDraw { source, count, seed })) => {
            let quick = QuickDraw { source: *source, count: *count, seed: seed.unwrap_or(random) };
            Ok((Selection::Quick(quick), seed.is_some()))
        }
        _ => Err(Refused::Unreadable("Name a `set` or a `quick` draw, and not both.".to_owned())),
    }
}
