//! Looking at a shared run: everything it says is derived again from its raw outputs, and everything it claims is checked.

use super::desk::{Pooled, QuizDesk, written};
use super::memory::Written;
use super::refusal::Refused;
use super::ticket::Ticket;
use crate::signed::hex;
use benchwright_quiz::board::RunSummary;
use benchwright_quiz::{
    Backend, BrowserEngine, Catalogue, Derived, Engine, Expected, Reason, ReasonCode, State, Submission, Verdict,
    check, derive, problems_of_form,
};
use benchwright_store::index::quiz::{QuizRecord, pool_id};
use benchwright_store::quiz::{FirstReading, SHARED_FORMAT, SharedRun, shared_id};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use sha2::{Digest as _, Sha256};

/// Servers that share tickets may have clocks that differ by so much.
const SKEW_MS: f64 = 5000.0;
/// A visitor's calendar may be a day ahead of ours or behind.
const DAYS_APART: i32 = 1;

/// A run that may be kept.
pub struct Examined {
    pub record: QuizRecord,
    pub document: Vec<u8>,
    pub delete_token: String,
    pub body_sha256: String,
    /// The engine's name, and what the model wrote, to compare later runs with.
    pub engine: String,
    pub written: Vec<Written>,
}

/// Reads and checks what arrived. It computes for milliseconds, so it is no work for a thread that serves others.
pub fn examine(desk: &QuizDesk, body: &[u8], now: Timestamp, pooled: &Pooled) -> Result<Examined, Refused> {
    let mut submission: Submission = serde_json::from_slice(body)
        .map_err(|error| Refused::Unreadable(format!("This is not what a shared run looks like: {error}")))?;
    let ticket = Ticket::read(&desk.key, &submission.ticket, now.as_second())?;
    let issued = Timestamp::from_second(ticket.issued).map_err(|error| Refused::Failed(error.to_string()))?;
    let day = issued.to_zoned(TimeZone::UTC).date();
    let is_near = submission.day.parse::<jiff::civil::Date>().is_ok_and(|claimed| {
        claimed.since(day).is_ok_and(|span| span.get_days().abs() <= DAYS_APART && span.get_months() == 0)
    });
    if !is_near {
        return Err(reject(ReasonCode::NotTheTicket, "The day is not that of the ticket."));
    }
    // A ticket holds the second it was issued; of that, only the day is kept.
    submission.ticket = String::new();
    let day = day.to_string();
    let (verdict, derived) = judged(desk, &submission, &ticket, since(now, ticket.issued), pooled)?;
    let delete_token = ticket.delete_token(&desk.key);
    let body_sha256 = hex(&Sha256::digest(body));
    let run = SharedRun {
        format: SHARED_FORMAT,
        id: shared_id(&day, &ticket.hash()),
        day,
        delete_sha256: hex(&Sha256::digest(&delete_token)),
        body_sha256: body_sha256.clone(),
        verdict,
        first_reading: FirstReading::of(&derived),
        submission,
    };
    let record = QuizRecord::of_derived(&run, &derived, &desk.library).map_err(Refused::Failed)?;
    Ok(Examined {
        record,
        document: run.bytes(),
        delete_token,
        body_sha256,
        engine: run.submission.engine.name.clone(),
        written: written(&run.submission),
    })
}

fn since(now: Timestamp, issued: i64) -> f64 {
    (now.as_millisecond() - 1000 * issued) as f64 + SKEW_MS
}

/// What the checks say, and what the extractor reads.
fn judged(
    desk: &QuizDesk,
    submission: &Submission,
    ticket: &Ticket,
    since_ticket_ms: f64,
    pooled: &Pooled,
) -> Result<(Verdict, Derived), Refused> {
    let gone = || Refused::Unknown("The questions of this ticket are no longer here.".to_owned());
    let selection = ticket.selection().ok_or_else(gone)?;
    let (source, order) = desk.library.order(&selection).ok_or_else(gone)?;
    let bank = desk.library.bank(source).ok_or_else(gone)?;
    let asked = submission.answers.iter().map(|answer| &answer.question_id);
    if !asked.eq(order.iter()) {
        return Err(reject(ReasonCode::WrongQuestions, "These are not the questions of the ticket in their order."));
    }
    refuse_unread(&desk.catalogue, submission)?;
    let derived = derive(&submission.answers, |id| desk.library.question(id))
        .map_err(|_| reject(ReasonCode::WrongQuestions, "One of the questions is not here."))?;
    let summary = RunSummary::of("", source, submission, &derived, State::Confirmed);
    let model = desk.catalogue.model(&ticket.model);
    let pool = pool_id(&summary.key);
    let earlier = desk.earlier(&pool, &submission.engine.name, &order, ticket.turn());
    let earlier: Vec<Vec<(&str, &str)>> =
        earlier.iter().map(|run| run.iter().map(|(id, output)| (id.as_str(), &**output)).collect()).collect();
    let canaries = desk.canaries(&pool)?;
    let expected = Expected {
        selection: &selection,
        protocol: ticket.protocol,
        model: &ticket.model,
        template: model.map(benchwright_quiz::CatalogueModel::template),
        order: &order,
        bank,
        since_ticket_ms,
        pooled: pooled.get(&pool).copied(),
        earlier: &earlier,
        canaries: &canaries,
        // Repeats are merged by the index, whichever of them came first.
        known_outputs: &[],
    };
    let mut verdict = check(submission, &derived, &expected);
    if verdict.state == State::Rejected {
        return Err(Refused::Rejected(verdict.reasons));
    }
    if ticket.chosen_seed {
        verdict.state = verdict.state.max(State::Unconfirmed);
        let code = ReasonCode::ChosenSeed;
        verdict.reasons.push(Reason { code, text: code.text().to_owned() });
    }
    Ok((verdict, derived))
}

/// Refuses what can be told without reading an output: what is longer than it may be is not read at all.
fn refuse_unread(catalogue: &Catalogue, submission: &Submission) -> Result<(), Refused> {
    if let Some(problem) = not_in_catalogue(catalogue, submission) {
        return Err(reject(ReasonCode::NotTheTicket, problem));
    }
    let problems = problems_of_form(submission);
    if problems.is_empty() { Ok(()) } else { Err(Refused::Rejected(problems)) }
}

/// What a run that names a model of the catalogue says otherwise than the catalogue.
fn not_in_catalogue(catalogue: &Catalogue, submission: &Submission) -> Option<&'static str> {
    let said = &submission.model;
    let id = said.catalogue_id.as_deref()?;
    let Some(model) = catalogue.model(id) else {
        return Some("The catalogue has no such model; a model of one's own goes by `custom_name`.");
    };
    // A model of one file is that file: one that somebody repacked is another, whatever it is called.
    let other_file =
        model.engine == BrowserEngine::Wllama && (said.file_sha256.is_none() || said.file_sha256 != model.sha256);
    match () {
        () if said.quantisation != model.quantisation => Some("The catalogue has this model with other weights."),
        () if !runs_it(model.engine, &submission.engine) => {
            Some("The catalogue has this model for another engine; a run by this one goes by `custom_name`.")
        }
        () if other_file => Some("This is not the file that the catalogue means; it goes by `custom_name`."),
        () => None,
    }
}

/// What is likely of tokens and times depends on the engine: whoever names a model of the catalogue cannot choose another. The file of a
/// model for wllama is also run natively.
fn runs_it(known: BrowserEngine, said: &Engine) -> bool {
    let named = (said.name.as_str(), said.backend);
    match known {
        BrowserEngine::Webllm => named == ("webllm", Backend::Webgpu),
        BrowserEngine::Wllama => matches!(named, ("wllama", Backend::Wasm) | ("llama.cpp", Backend::Native)),
    }
}

fn reject(code: ReasonCode, text: &str) -> Refused {
    Refused::Rejected(vec![Reason { code, text: text.to_owned() }])
}
