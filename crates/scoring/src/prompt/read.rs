//! From the text of a file to a prompt, or to an error with a line.

use super::written::Written;
use super::{MAX_PROMPT_BYTES, Prompt, PromptError, lint};
use serde::Deserialize;
use serde_saphyr::options::MergeKeyPolicy;
use serde_saphyr::{MessageFormatter, UserMessageFormatter};

/// Reads a prompt from the text of a YAML file; `file_name` is for messages only.
pub fn load(text: &str, file_name: &str) -> Result<Prompt, PromptError> {
    let prompt = shape(text, file_name)?;
    match lint::errors(text, &written(text, file_name)?).into_iter().next() {
        None => Ok(prompt),
        Some(((line, column), problem)) => {
            Err(PromptError::Invalid { file: file_name.to_owned(), line, column, problem: readable(&problem) })
        }
    }
}

/// Reads a prompt whose locators, assertions and names are not looked at yet.
pub(super) fn shape(text: &str, file_name: &str) -> Result<Prompt, PromptError> {
    if text.len() > MAX_PROMPT_BYTES {
        return Err(PromptError::TooLarge { file: file_name.to_owned(), bytes: text.len() });
    }
    read(text, file_name)
}

/// Reads where the texts of a prompt stand.
pub(super) fn written(text: &str, file_name: &str) -> Result<Written, PromptError> {
    if text.len() > MAX_PROMPT_BYTES {
        return Err(PromptError::TooLarge { file: file_name.to_owned(), bytes: text.len() });
    }
    read(text, file_name)
}

fn read<'a, T: Deserialize<'a>>(text: &'a str, file_name: &str) -> Result<T, PromptError> {
    serde_saphyr::from_str_with_options(text, yaml_options()).map_err(|error| invalid(&error, file_name))
}

/// A prompt is small and flat. The budget leaves ample room for real ones and ends alias bombs at once.
pub(crate) fn yaml_options() -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: 20_000,
            max_nodes: 10_000,
            max_depth: 16,
            max_aliases: 64,
            max_anchors: 64,
            max_documents: 1,
            max_total_scalar_bytes: MAX_PROMPT_BYTES,
        },
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: 2_000,
            max_replay_stack_depth: 4,
            max_alias_expansions_per_anchor: 64,
        },
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        with_snippet: false,
    }
}

fn invalid(error: &serde_saphyr::Error, file_name: &str) -> PromptError {
    let (line, column) = error.location().map_or((1, 1), |location| (location.line(), location.column()));
    let mut message = UserMessageFormatter.format_message(error.without_snippet()).into_owned();
    if message.contains("mapping values are not allowed") {
        // The usual cause is a locator such as `getByRole('link', { name: 'Home' })` without quotes.
        message.push_str("; put a text that contains `: ` in quotes");
    }
    PromptError::Invalid { file: file_name.to_owned(), line, column, problem: readable(&message) }
}

/// A message may quote the file, and a terminal should not obey what is in it.
pub(super) fn readable(problem: &str) -> String {
    problem.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect()
}
