//! Whether a submission is of the form it must have: formats, lengths, texts.

use super::{Reason, ReasonCode};
use crate::FORMAT;
use crate::submission::{Device, Submission};

/// The longest output, in bytes. 400 tokens are 2 to 3 kB.
const LONGEST_OUTPUT: usize = 16 * 1024;
/// All outputs of a run, in bytes.
const LONGEST_RUN: usize = 2 * 1024 * 1024;
/// The longest version of an engine or a build, in bytes.
const LONGEST_VERSION: usize = 40;
/// The longest of all other texts, in characters.
const LONGEST_TEXT: usize = 100;
/// The longest ticket, in bytes.
const LONGEST_TICKET: usize = 4096;
/// The longest name of a graphics processor, in bytes.
const LONGEST_GPU: usize = 32;

// What the page (`site/quiz/engine/coarse.ts`) and the command line say of a device. Nobody can write anything else onto a board.
const SYSTEMS: [&str; 7] = ["android", "chromeos", "freebsd", "ios", "linux", "macos", "windows"];
const BROWSERS: [&str; 6] = ["chromium", "edge", "firefox", "opera", "safari", "samsung"];
const CORES: [&str; 5] = ["1-2", "3-4", "5-8", "9-16", "17+"];
const MEMORY: [&str; 4] = ["2 GB", "2 GB or less", "4 GB", "8 GB or more"];

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
    let versions = [("the engine's version", &submission.engine.version), ("the build", &submission.app)];
    if let Some((what, _)) = versions.into_iter().find(|(_, text)| !is_version(text)) {
        found.push(Reason::new(
            ReasonCode::BadText,
            format!("{what} is empty, longer than {LONGEST_VERSION} characters, or has others than a version has"),
        ));
    }
    if submission.ticket.len() > LONGEST_TICKET || !is_day(&submission.day) || !hashes_are_hashes(submission) {
        found.push(Reason::new(ReasonCode::BadText, "a ticket, day or hash is not of its form"));
    }
    if !submission.device.as_ref().is_none_or(is_coarse) {
        found.push(Reason::new(ReasonCode::BadText, "a fact about the device is none of those that are shared"));
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

/// Every name that is there, and what it is called.
fn texts(submission: &Submission) -> Vec<(&'static str, &str)> {
    let Submission { model, engine, .. } = submission;
    let mut texts = vec![("the quantisation", model.quantisation.as_str()), ("the engine", &engine.name)];
    texts.extend(model.catalogue_id.as_deref().map(|text| ("the model", text)));
    texts.extend(model.custom_name.as_deref().map(|text| ("the model", text)));
    texts
}

/// Whether a device is told by names that are known, and its graphics processor by identifiers, as browsers do.
fn is_coarse(device: &Device) -> bool {
    let Device { gpu_vendor, gpu_architecture, browser, os, cores_bucket, memory_bucket, f16: _ } = device;
    let is_known = |text: Option<&String>, known: &[&str]| text.is_none_or(|text| known.contains(&text.as_str()));
    [gpu_vendor, gpu_architecture].into_iter().flatten().all(|text| is_identifier(text))
        && is_known(browser.as_ref().map(|browser| &browser.family), &BROWSERS)
        && is_known(os.as_ref(), &SYSTEMS)
        && is_known(cores_bucket.as_ref(), &CORES)
        && is_known(memory_bucket.as_ref(), &MEMORY)
}

fn is_identifier(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST_GPU).contains(&text.len()) && text.bytes().all(is_part)
}

/// Such as `0.2.85`, `v0.4.0`, `1.0.0-rc.1+b42` or `benchwright 0.1.0`: room for a version and not for a message.
fn is_version(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'+' | b'_' | b' ');
    text.len() <= LONGEST_VERSION && !text.trim().is_empty() && text.bytes().all(is_part)
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
