//! The prompts that come with Benchwright, inside the binary.

use crate::exit::Failure;
use benchwright_scoring::prompt::{self, Prompt};

/// Id and text of every prompt of the corpus, in the order of their ids.
pub const PROMPTS: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// The prompt of the corpus with this id.
pub fn find(id: &str) -> Option<Result<Prompt, Failure>> {
    let (_, text) = PROMPTS.iter().find(|(known, _)| *known == id)?;
    Some(prompt::load(text, &format!("{id}.yaml")).map_err(|error| Failure::Bug(error.to_string())))
}

/// All ids, for messages.
pub fn ids() -> String {
    PROMPTS.iter().map(|(id, _)| *id).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prompt_of_the_corpus_loads_under_its_own_id() {
        assert!(!PROMPTS.is_empty());
        for (id, _) in PROMPTS {
            assert_eq!(find(id).unwrap().unwrap().id, *id);
        }
        assert!(find("no-such-prompt").is_none());
    }
}
