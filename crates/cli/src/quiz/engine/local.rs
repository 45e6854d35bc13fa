//! A model in a GGUF file, run by llama.cpp among the instruments.

use super::{EngineFault, Known, Produced};
use crate::environment;
use crate::exit::Failure;
use crate::quiz::digest;
use benchwright_quiz::{Backend, Device, Engine as Description, ModelUnderTest, Prompt, Template};
use benchwright_sandbox::{Confinement, Instrument, InstrumentError, QuietLock, Role, Scratch, machine, quiet};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Large files on slow disks take their time.
const LOAD_LIMIT: Duration = Duration::from_mins(10);
/// A large model on a small machine takes minutes for an answer.
const ANSWER_LIMIT: Duration = Duration::from_mins(30);
/// How long Lighthouse may keep us waiting.
const QUIET_LIMIT: Duration = Duration::from_mins(30);
/// An engine that died is started anew and asked once more.
const ATTEMPTS: usize = 2;
/// The longest name a board takes, in bytes.
const LONGEST_NAME: usize = 100;
/// As the quiz page calls it.
const NO_NAME: &str = "a file without a name";

/// Where the model is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalPlace {
    /// The file.
    pub file: PathBuf,
    /// Threads to compute with.
    pub threads: u32,
    /// Whether the user wants no walls around the engine.
    pub unconfined: bool,
}

/// What the engine says of a model it has loaded.
#[derive(Debug, Deserialize)]
struct Loaded {
    quantisation: String,
    system_in_user: bool,
    engine_version: String,
}

/// The model in its engine.
pub struct Local {
    place: LocalPlace,
    instrument: Instrument,
    is_loaded: bool,
    /// The engine's folder; it goes last.
    _scratch: Scratch,
}

impl LocalPlace {
    /// The place of a file that is there.
    pub fn new(file: &Path, threads: Option<u32>, unconfined: bool) -> Result<Self, Failure> {
        let found = file.canonicalize().ok().filter(|file| file.is_file());
        let file = found.ok_or_else(|| Failure::BadInput(format!("there is no file {}", file.display())))?;
        // One core is left for everybody else: threads that wait for each other crawl when one of them has no core.
        let spare = || u32::try_from(machine::facts().cores.saturating_sub(1)).unwrap_or(1).max(1);
        Ok(Self { file, threads: threads.unwrap_or_else(spare), unconfined })
    }

    /// Starts the engine and loads the model.
    pub async fn open(&self, name: Option<&str>, thinking: bool) -> Result<(Local, Known), Failure> {
        let scratch = Scratch::new(&environment::scratch_base(), "quiz")?;
        let confinement = if self.unconfined { Confinement::Plain } else { Confinement::Bubblewrap };
        let role = Role::Model { file: self.file.clone(), confinement };
        let instrument = Instrument::start(&environment::instruments()?, &role, &scratch)?;
        let mut local = Local { place: self.clone(), instrument, is_loaded: false, _scratch: scratch };
        let loaded = local.load().await.map_err(|error| self.cannot_load(&error))?;
        let known = Known {
            model: ModelUnderTest {
                catalogue_id: None,
                custom_name: Some(self.name(name)),
                quantisation: loaded.quantisation,
                file_sha256: Some(self.sha256()?),
            },
            engine: Description {
                name: "llama.cpp".to_owned(),
                version: loaded.engine_version,
                backend: Backend::Native,
                threads: Some(self.threads),
            },
            device: Some(device()),
            template: Template { system_in_user: loaded.system_in_user, thinking },
        };
        Ok((local, known))
    }

    fn cannot_load(&self, error: &InstrumentError) -> Failure {
        match error {
            InstrumentError::Failed { kind, message } if matches!(kind.as_str(), "bad-model" | "no-template") => {
                Failure::BadInput(format!("cannot ask {}: {message}", self.file.display()))
            }
            error => Failure::Environment(format!("cannot run {}: failed to {error}", self.file.display())),
        }
    }

    fn name(&self, given: Option<&str>) -> String {
        let stem = self.file.file_stem().unwrap_or_default().to_string_lossy();
        name_of(given.unwrap_or(&stem))
    }

    fn sha256(&self) -> Result<String, Failure> {
        let failed =
            |error: std::io::Error| Failure::Environment(format!("cannot read {}: {error}", self.file.display()));
        std::fs::File::open(&self.file).and_then(digest::sha256).map_err(failed)
    }
}

/// A name as long as a board takes it, and the same with and without what a board cuts off: it compares the run's with the ticket's.
fn name_of(said: &str) -> String {
    let plain: String = said.chars().filter(|c| !c.is_control()).collect();
    let plain = plain.trim();
    let name = plain[..plain.floor_char_boundary(LONGEST_NAME)].trim_end();
    if name.is_empty() { NO_NAME.to_owned() } else { name.to_owned() }
}

impl Local {
    async fn load(&mut self) -> Result<Loaded, InstrumentError> {
        let params = json!({ "file": self.place.file, "threads": self.place.threads });
        let answer = self.instrument.call("load", params, LOAD_LIMIT).await?;
        let loaded =
            serde_json::from_value(answer).map_err(|_| InstrumentError::Garbled("something else than it should"))?;
        self.is_loaded = true;
        Ok(loaded)
    }

    /// Asks. Computing keeps quiet while Lighthouse measures.
    pub async fn ask(&mut self, prompt: &Prompt) -> Result<Produced, EngineFault> {
        let quiet = QuietLock::shared(&quiet::default_lock_path(), QUIET_LIMIT).await;
        let _busy = quiet.map_err(|error| EngineFault::passing(format!("failed to {error}")))?;
        let mut last = EngineFault::passing("the engine was not asked");
        for _ in 0..ATTEMPTS {
            match self.attempt(prompt).await {
                Ok(produced) => return Ok(produced),
                Err(fault) if fault.is_final || self.is_loaded => return Err(fault),
                Err(fault) => last = fault,
            }
        }
        Err(last)
    }

    async fn attempt(&mut self, prompt: &Prompt) -> Result<Produced, EngineFault> {
        if !self.is_loaded {
            self.load().await.map_err(|error| fault(&error))?;
        }
        let params = json!({ "messages": prompt.messages, "settings": prompt.settings });
        match self.instrument.call("ask", params, ANSWER_LIMIT).await {
            Ok(answer) => serde_json::from_value(answer).map_err(|error| EngineFault::last(error.to_string())),
            Err(error) => {
                // Whoever reports a failure is still there; everything else has cost the process its life, and the model with it.
                self.is_loaded = matches!(error, InstrumentError::Failed { .. });
                Err(fault(&error))
            }
        }
    }

    /// Ends the engine.
    pub async fn close(self) {
        self.instrument.close().await;
    }
}

fn fault(error: &InstrumentError) -> EngineFault {
    match error {
        // What is wrong with the model stays wrong; what is wrong with a question says nothing about the next one.
        InstrumentError::Failed { kind, message } => {
            let is_final = matches!(kind.as_str(), "bad-model" | "no-template" | "no-engine" | "bad-params");
            EngineFault { what: message.clone(), is_final }
        }
        InstrumentError::Restart(_) => EngineFault::last(format!("failed to {error}")),
        _ => EngineFault::passing(format!("failed to {error}")),
    }
}

/// This machine, as coarse as it is useful.
fn device() -> Device {
    let facts = machine::facts();
    let cores = match facts.cores {
        0..=2 => "1-2",
        3..=4 => "3-4",
        5..=8 => "5-8",
        9..=16 => "9-16",
        _ => "17+",
    };
    let memory = match facts.memory_mb {
        0 => None,
        1..=3_000 => Some("2 GB"),
        3_001..=6_000 => Some("4 GB"),
        _ => Some("8 GB or more"),
    };
    Device {
        gpu_vendor: None,
        gpu_architecture: None,
        f16: None,
        browser: None,
        os: Some(std::env::consts::OS.to_owned()),
        cores_bucket: Some(cores.to_owned()),
        memory_bucket: memory.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_began_or_ended_with_a_blank_made_a_finished_run_unshareable() {
        let cut = format!("{} and more", "x".repeat(LONGEST_NAME - 1));
        for (said, name) in [
            (" tiny ", "tiny"),
            ("ti\u{7}ny\n", "tiny"),
            ("two words", "two words"),
            (&cut, &cut[..LONGEST_NAME - 1]),
            (" \u{a0}\t", NO_NAME),
            ("", NO_NAME),
        ] {
            assert_eq!(name_of(said), name, "{said:?}");
        }
    }

    #[test]
    fn names_in_any_writing_are_cut_by_whole_characters() {
        let name = name_of(&"é模".repeat(40));
        assert_eq!((name.len(), name.chars().count()), (100, 40));
        assert_eq!(name_of(&"模".repeat(40)).len(), 99);
    }
}
