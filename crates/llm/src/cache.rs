//! Answers by the hash of their question, so that the same question is asked once.

use crate::endpoint::{Dialect, Endpoint};
use crate::question::Answer;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read as _, Write as _};
use std::path::PathBuf;

const FORMAT: u32 = 1;
const MAX_ENTRY_BYTES: u64 = 4 * 1024 * 1024;

/// A folder of answers. Keys to providers are part of neither names nor contents.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    format: u32,
    question: String,
    answer: Answer,
}

/// Names a question: whom, what, and which repetition.
pub(crate) fn name_of(endpoint: &Endpoint, repeat: u32, body: &[u8]) -> String {
    let dialect: &[u8] = match endpoint.dialect {
        Dialect::OpenAi => b"openai",
        Dialect::Anthropic => b"anthropic",
    };
    let base = endpoint.base_url.trim_end_matches('/').as_bytes();
    let mut digest = Sha256::new();
    for part in [dialect, base, endpoint.model.as_bytes(), &repeat.to_le_bytes(), body] {
        digest.update((part.len() as u64).to_le_bytes());
        digest.update(part);
    }
    digest.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The answer, if it is there and whole. Anything else is as good as nothing and will be replaced.
    pub(crate) fn read(&self, name: &str) -> Option<Answer> {
        let file = fs::File::open(self.path(name)).ok()?;
        let mut bytes = Vec::new();
        file.take(MAX_ENTRY_BYTES).read_to_end(&mut bytes).ok()?;
        let entry: Entry = serde_json::from_slice(&bytes).ok()?;
        (entry.format == FORMAT && entry.question == name).then_some(Answer { cached: true, ..entry.answer })
    }

    /// Keeps an answer: whole or not at all, also when two runs keep it at once.
    pub(crate) fn write(&self, name: &str, answer: &Answer) -> io::Result<()> {
        let path = self.path(name);
        let folder = path.parent().unwrap_or(&self.folder);
        fs::create_dir_all(folder)?;
        let entry = Entry { format: FORMAT, question: name.to_owned(), answer: answer.clone() };
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&serde_json::to_vec(&entry)?)?;
        file.persist(path)?;
        Ok(())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name.get(..2).unwrap_or("00")).join(format!("{name}.json"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::question::Finish;

    fn endpoint() -> Endpoint {
        Endpoint {
            dialect: Dialect::OpenAi,
            base_url: "https://llm.example/v1".to_owned(),
            model: "a/b".to_owned(),
            price: None,
        }
    }

    fn answer() -> Answer {
        Answer {
            text: "{}".to_owned(),
            model: "a/b-1".to_owned(),
            finish: Finish::Stop,
            tokens_in: Some(10),
            tokens_out: None,
            cost_usd: Some(0.1 + 0.2),
            own_temperature: true,
            without_seed: true,
            schema_in_words: true,
            ..Answer::default()
        }
    }

    #[test]
    fn an_answer_comes_back_as_it_was_and_costs_nothing_now() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().join("not/yet/there"));
        let name = name_of(&endpoint(), 0, b"question");
        assert_eq!(cache.read(&name), None);
        cache.write(&name, &answer()).unwrap();
        let found = cache.read(&name).unwrap();
        assert_eq!(found, Answer { cached: true, ..answer() });
        assert_eq!((found.cost_now(), found.cost_usd), (Some(0.0), Some(0.1 + 0.2)));
    }

    #[test]
    fn a_broken_entry_is_ignored_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path().to_owned());
        let (name, other) = (name_of(&endpoint(), 0, b"a"), name_of(&endpoint(), 0, b"b"));
        cache.write(&name, &answer()).unwrap();
        for broken in ["", "{", "{\"format\":99}", "\u{0}"] {
            fs::write(cache.path(&name), broken).unwrap();
            assert_eq!(cache.read(&name), None, "{broken}");
        }
        cache.write(&name, &answer()).unwrap();
        assert!(cache.read(&name).is_some());
        fs::create_dir_all(cache.path(&other).parent().unwrap()).unwrap();
        fs::copy(cache.path(&name), cache.path(&other)).unwrap();
        assert_eq!(cache.read(&other), None, "an entry under another question's name");
    }

    #[test]
    fn every_part_of_a_question_is_part_of_its_name() {
        let name = name_of(&endpoint(), 0, b"question");
        let other_model = Endpoint { model: "a/c".to_owned(), ..endpoint() };
        let other_base = Endpoint { base_url: "https://other.example/v1".to_owned(), ..endpoint() };
        let other_dialect = Endpoint { dialect: Dialect::Anthropic, ..endpoint() };
        for other in [&other_model, &other_base, &other_dialect] {
            assert_ne!(name_of(other, 0, b"question"), name);
        }
        assert_ne!(name_of(&endpoint(), 1, b"question"), name, "another repetition");
        assert_ne!(name_of(&endpoint(), 0, b"questions"), name);
    }
}
