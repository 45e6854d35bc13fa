//! Whether a submission is of the form it must have: formats, lengths, texts.

use super::{Reason, ReasonCode};
use crate::FORMAT;
use crate::submission::{Device, Submission};

/// The longest output, in bytes. 400 tokens are 2 to 3 kB.
const LONGEST_OUTPUT: usize = 16 * 1024;
/// All outputs of a run, in bytes.
const LONGEST_RUN: usize = 2 * 1024 * 1024;
/// The longest of all other texts, in characters.
const LONGEST_TEXT: usize = 100;
/// The longest ticket, in bytes.
const LONGEST_TICKET: usize = 4096;

/// What is wrong with the form.
pub(super) fn problems(submission: &Submission) -> Vec<Reason> {
    let mut found = Vec::new();
    if submission.format != FORMAT {
        found.push(Reason::new(
            ReasonCode::UnknownFormat,
            format!("it has format {}, and {FORMAT} is read here", submission.format),
        ));
    }
    if let Some((what, _)) = texts(submission).into_iter().find(|(_, text)| !is_plain(text)) {
        found.push(Reason::new(
            ReasonCode::BadText,
            format!("{what} is empty, longer than {LONGEST_TEXT} characters, or has characters that are none"),
        ));
    }
    if submission.ticket.len() > LONGEST_TICKET || !is_day(&submission.day) || !hashes_are_hashes(submission) {
        found.push(Reason::new(ReasonCode::BadText, "a ticket, day or hash is not of its form"));
    }
    if submission.model.catalogue_id.is_some() == submission.model.custom_name.is_some() {
        found.push(Reason::new(ReasonCode::BadText, "a model has either an id in the catalogue or a name of its own"));
    }
    let lengths = || submission.answers.iter().map(|answer| answer.output.len());
    if lengths().any(|length| length > LONGEST_OUTPUT) || lengths().sum::<usize>() > LONGEST_RUN {
        found.push(Reason::new(
            ReasonCode::OutputTooLong,
            format!("an output is longer than {LONGEST_OUTPUT} bytes, or all of them than {LONGEST_RUN}"),
        ));
    }
    found
}

/// Every short text that is there, and what it is called.
fn texts(submission: &Submission) -> Vec<(&'static str, &str)> {
    let Submission { model, engine, app, device, .. } = submission;
    let mut texts = vec![
        ("the quantisation", model.quantisation.as_str()),
        ("the engine", &engine.name),
        ("the engine's version", &engine.version),
        ("the build", app),
    ];
    texts.extend(model.catalogue_id.as_deref().map(|text| ("the model", text)));
    texts.extend(model.custom_name.as_deref().map(|text| ("the model", text)));
    texts.extend(device.iter().flat_map(device_texts).map(|text| ("a fact about the device", text)));
    texts
}

fn device_texts(device: &Device) -> impl Iterator<Item = &str> {
    let Device { gpu_vendor, gpu_architecture, browser, os, cores_bucket, memory_bucket, f16: _ } = device;
    let plain = [gpu_vendor, gpu_architecture, os, cores_bucket, memory_bucket].into_iter().flatten();
    plain.chain(browser.iter().map(|browser| &browser.family)).map(String::as_str)
}

fn is_plain(text: &str) -> bool {
    !text.trim().is_empty() && text.chars().count() <= LONGEST_TEXT && !text.chars().any(char::is_control)
}

fn is_day(day: &str) -> bool {
    let bytes = day.as_bytes();
    bytes.len() == 10
        && bytes
            .iter()
            .enumerate()
            .all(|(at, byte)| if at == 4 || at == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
}

fn hashes_are_hashes(submission: &Submission) -> bool {
    let prompts = submission.answers.iter().map(|answer| answer.prompt_sha256.as_str());
    let mut hashes = prompts.chain(submission.model.file_sha256.as_deref());
    hashes.all(|hash| hash.len() == 64 && hash.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
}
