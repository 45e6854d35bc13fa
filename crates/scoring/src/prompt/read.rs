//! From the text of a file to a prompt, or to an error with a line.

use super::written::Written;
use super::{MAX_PROMPT_BYTES, Prompt, PromptError, lint};
use benchwright_domain::yaml::{self, Refusal, readable};
use serde::Deserialize;
use std::collections::BTreeSet;

const MAX_NODES: usize = 10_000;

/// Reads a prompt from the text of a YAML file; `file_name` is for messages only.
pub fn load(text: &str, file_name: &str) -> Result<Prompt, PromptError> {
    let prompt = shape(text, file_name)?;
    match lint::errors(text, &written(text, file_name)?).into_iter().next() {
        None => Ok(numbered(prompt)),
        Some(((line, column), problem)) => {
            Err(PromptError::Invalid { file: file_name.to_owned(), line, column, problem: readable(&problem) })
        }
    }
}

/// Files that were written for another harness may name two criteria alike. Here each has a name of its own, so the later ones get a number.
fn numbered(mut prompt: Prompt) -> Prompt {
    let mut taken: BTreeSet<String> =
        prompt.must_have.iter().chain(&prompt.should_have).map(|criterion| criterion.id.clone()).collect();
    let mut seen = BTreeSet::new();
    for criterion in prompt.must_have.iter_mut().chain(&mut prompt.should_have) {
        if seen.insert(criterion.id.clone()) {
            continue;
        }
        let mut names = (2..).map(|number: usize| format!("{}-{number}", criterion.id));
        if let Some(free) = names.find(|name| taken.insert(name.clone())) {
            criterion.id = free;
        }
    }
    prompt
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
    yaml::read(text, MAX_NODES).map_err(|Refusal { line, column, mut problem }| {
        if problem.contains("mapping values are not allowed") {
            // The usual cause is a locator such as `getByRole('link', { name: 'Home' })` without quotes.
            problem.push_str("; put a text that contains `: ` in quotes");
        }
        PromptError::Invalid { file: file_name.to_owned(), line, column, problem }
    })
}
