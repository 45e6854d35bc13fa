//! Whether tokens and times can be.

use super::{Reason, ReasonCode};
use crate::board::prefill_rate;
use crate::prompt::MAX_TOKENS;
use crate::submission::{Answer, Backend, Finish, Submission};

/// An output that ended at the limit has at least so many tokens: engines count the last ones differently.
const NEAR_THE_LIMIT: u32 = MAX_TOKENS - 10;
/// Characters of a token, over a whole run.
const CHARACTERS_PER_TOKEN: (u64, u64) = (1, 12);
/// Tokens without text that an engine may count with an answer: the end of the turn and its kin.
const SILENT_TOKENS: u64 = 4;
/// What may pass between issuing a ticket and measuring time in the page, in milliseconds.
const SLACK_MS: f64 = 2_000.0;
/// Rates are told from so many tokens on.
const MIN_TOKENS_FOR_A_RATE: u32 = 20;
/// As many answers with exactly the same time are no coincidence.
const MIN_EQUAL_TIMES: usize = 3;

/// What cannot be, and what is not likely.
pub(super) fn problems(submission: &Submission, since_ticket_ms: f64) -> Vec<Reason> {
    let answers = &submission.answers;
    let mut found = Vec::new();
    if let Some(answer) = answers.iter().find(|answer| !has_possible_tokens(answer)) {
        let Answer { question_id, output_tokens, .. } = answer;
        found.push(Reason::new(
            ReasonCode::WrongTokens,
            format!("{output_tokens} tokens for {question_id}, where at most {MAX_TOKENS} are written, and an end that does not fit"),
        ));
    }
    if let Some(answer) = answers.iter().find(|answer| !has_possible_times(answer)) {
        found.push(Reason::new(ReasonCode::WrongTimes, format!("the times of {} cannot be", answer.question_id)));
    }
    let sum: f64 = answers.iter().map(|answer| answer.total_ms).sum();
    if sum > since_ticket_ms + SLACK_MS {
        let (took, passed) = (sum / 1000.0, since_ticket_ms / 1000.0);
        found.push(Reason::new(
            ReasonCode::WrongTimes,
            format!("the answers took {took:.0} s, and the ticket is {passed:.0} s old"),
        ));
    }
    if !has_likely_tokens(answers) {
        found.push(Reason::new(ReasonCode::UnlikelyTokens, "the texts are too short or too long for their tokens"));
    }
    found.extend(unlikely_times(submission));
    found
}

fn has_possible_tokens(answer: &Answer) -> bool {
    let cached_fits = answer.cached_tokens.is_none_or(|cached| cached <= answer.prompt_tokens);
    let end_fits = answer.finish == Finish::Stop || answer.output_tokens >= NEAR_THE_LIMIT;
    answer.output_tokens <= MAX_TOKENS
        && cached_fits
        && end_fits
        && (answer.output_tokens > 0 || answer.output.is_empty())
}

fn has_possible_times(answer: &Answer) -> bool {
    let first = answer.first_token_ms.unwrap_or_default();
    let positive = answer.total_ms > 0.0 || answer.output_tokens == 0;
    answer.total_ms.is_finite() && first.is_finite() && positive && (0.0..=answer.total_ms).contains(&first)
}

/// Over the whole run, as one answer may well be a row of dashes. The least is counted in bytes: a token may be one byte of a character.
fn has_likely_tokens(answers: &[Answer]) -> bool {
    let (least, most) = CHARACTERS_PER_TOKEN;
    let silent = SILENT_TOKENS * answers.len() as u64;
    let tokens: u64 = answers.iter().map(|answer| u64::from(answer.output_tokens)).sum();
    let bytes: u64 = answers.iter().map(|answer| answer.output.len() as u64).sum();
    let characters: u64 = answers.iter().map(|answer| answer.output.chars().count() as u64).sum();
    bytes + silent >= least * tokens && characters <= most * (tokens + silent)
}

fn unlikely_times(submission: &Submission) -> Option<Reason> {
    let (answers, backend) = (&submission.answers, submission.engine.backend);
    too_fast(answers, decode_rate, fastest_rate(backend), "the answer to")
        .or_else(|| too_fast(answers, prefill_rate, fastest_reading(backend), "the prompt of"))
        .or_else(|| equal_times(answers))
        .map(|text| Reason::new(ReasonCode::UnlikelyTimes, text))
}

fn too_fast(answers: &[Answer], rate: fn(&Answer) -> Option<f64>, fastest: f64, what: &str) -> Option<String> {
    let answer = answers.iter().find(|answer| rate(answer).is_some_and(|rate| rate > fastest))?;
    Some(format!("{what} {} went faster than {fastest} tokens a second", answer.question_id))
}

fn equal_times(answers: &[Answer]) -> Option<String> {
    let mut times = answers.iter().map(|answer| answer.total_ms);
    let first = times.next()?;
    let all_equal = answers.len() >= MIN_EQUAL_TIMES && times.all(|time| time == first);
    all_equal.then(|| "every question took exactly the same time".to_owned())
}

/// Tokens a second after the first, or over all where nobody knows when that came; nothing where there are too few to tell.
fn decode_rate(answer: &Answer) -> Option<f64> {
    let seconds = (answer.total_ms - answer.first_token_ms.unwrap_or_default()) / 1000.0;
    (answer.output_tokens >= MIN_TOKENS_FOR_A_RATE).then(|| f64::from(answer.output_tokens - 1) / seconds.max(1e-6))
}

/// More tokens a second than anybody has seen, for the small models that are asked here.
fn fastest_rate(backend: Backend) -> f64 {
    match backend {
        Backend::Wasm => 400.0,
        Backend::Webgpu => 1_500.0,
        Backend::Native => 3_000.0,
        Backend::Endpoint => 10_000.0,
    }
}

/// The same for reading a prompt, which is done many tokens at a time.
fn fastest_reading(backend: Backend) -> f64 {
    match backend {
        Backend::Wasm => 4_000.0,
        Backend::Webgpu => 50_000.0,
        Backend::Native => 200_000.0,
        // Some keep what they have read before and do not say so.
        Backend::Endpoint => 1_000_000.0,
    }
}
