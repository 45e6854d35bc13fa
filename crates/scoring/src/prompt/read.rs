//! From the text of a file to a prompt, or to an error with a line.

use super::{MAX_PROMPT_BYTES, Prompt, PromptError};
use serde::Deserialize;
use serde_saphyr::options::MergeKeyPolicy;
use serde_saphyr::{MessageFormatter, Spanned, UserMessageFormatter};
use std::collections::BTreeSet;

/// Reads a prompt from the text of a YAML file; `file_name` is for messages only.
pub fn load(text: &str, file_name: &str) -> Result<Prompt, PromptError> {
    let file = file_name.to_owned();
    if text.len() > MAX_PROMPT_BYTES {
        return Err(PromptError::TooLarge { file, bytes: text.len() });
    }
    let prompt: Prompt = read(text, file_name)?;
    let names: Names = read(text, file_name)?;
    match names.first_repetition() {
        None => Ok(prompt),
        Some(Repetition { name, list, line, column }) => {
            let problem = format!("`{name}` stands twice in {list}; give each entry a name of its own");
            Err(PromptError::Invalid { file, line, column, problem })
        }
    }
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
    // The message may quote the file, and a terminal should not obey what is in it.
    let problem = message.chars().map(|c| if c.is_control() { ' ' } else { c }).take(500).collect();
    PromptError::Invalid { file: file_name.to_owned(), line, column, problem }
}

/// The same file read for nothing but names and where they stand.
#[derive(Deserialize)]
struct Names {
    #[serde(default)]
    must_have: Vec<Named>,
    #[serde(default)]
    should_have: Vec<Named>,
    #[serde(default)]
    seo_applicable: Vec<Spanned<String>>,
    #[serde(default)]
    visual_checklist: NamedList,
    #[serde(default)]
    functional_checklist: NamedList,
    #[serde(default)]
    backend_probes: Vec<Named>,
}

#[derive(Deserialize)]
struct Named {
    id: Spanned<String>,
}

#[derive(Default, Deserialize)]
struct NamedList {
    #[serde(default)]
    extra: Vec<Named>,
}

struct Repetition<'a> {
    name: &'a str,
    list: &'static str,
    line: u64,
    column: u64,
}

impl Names {
    fn first_repetition(&self) -> Option<Repetition<'_>> {
        fn ids(list: &[Named]) -> Vec<&Spanned<String>> {
            list.iter().map(|named| &named.id).collect()
        }
        let lists = [
            ("the criteria", [ids(&self.must_have), ids(&self.should_have)].concat()),
            ("`seo_applicable`", self.seo_applicable.iter().collect()),
            ("`visual_checklist`", ids(&self.visual_checklist.extra)),
            ("`functional_checklist`", ids(&self.functional_checklist.extra)),
            ("`backend_probes`", ids(&self.backend_probes)),
        ];
        lists.into_iter().find_map(|(list, names)| {
            let mut seen = BTreeSet::new();
            let again = names.into_iter().find(|name| !seen.insert(name.value.as_str()))?;
            let (line, column) = (again.referenced.line(), again.referenced.column());
            Some(Repetition { name: &again.value, list, line, column })
        })
    }
}
