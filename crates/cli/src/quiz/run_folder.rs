//! The folder of a run: what was asked, frozen; every answer as it came; and what is derived from both.
//!
//! ```text
//! <out>/quiz/<id>/log        one checksummed line per event
//! <out>/quiz/<id>/blobs/     the answers by SHA-256
//! <out>/quiz/<id>/run.json   written last, when no answer is missing
//! <out>/quiz/<id>/shared.json  where it was shared, and the text that removes it there
//! ```

use super::banks::Asked;
use super::board::Receipt;
use super::engine::{Known, Place};
use crate::exit::Failure;
use crate::outputs;
use benchwright_quiz::{
    Answer, ClientReading, Derived, EXTRACTOR_VERSION, Extraction, FORMAT, Protocol, Question, SelfTest, Submission,
    derive, extract,
};
use benchwright_report::quiz::{FailedQuestion, QuizReport, QuizRun};
use benchwright_store::{Event, EventBody, RUN_FORMAT, RunDir, RunHeader};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Says that a run is one of the quiz.
const TRACK: &str = "quiz";
/// Before the id of a question in the log.
const ANSWER: &str = "answer/";
const ANSWER_VERSION: u32 = 1;
const SHARED_FILE: &str = "shared.json";

/// What is frozen at the start of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Frozen {
    /// [`TRACK`].
    track: String,
    /// Format version.
    format: u32,
    /// The layout of the prompts.
    pub protocol: Protocol,
    /// The questions.
    pub asked: Asked,
    /// Where the model is.
    pub place: Place,
    /// What is known of it.
    pub known: Known,
    /// Where it is to be shared, if anywhere.
    pub share: Option<Share>,
}

/// Where a run is to be shared.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The board.
    pub board: String,
    /// The ticket it was begun with.
    pub ticket: String,
}

impl Frozen {
    /// What is frozen.
    pub fn new(protocol: Protocol, asked: Asked, place: Place, known: Known, share: Option<Share>) -> Self {
        Self { track: TRACK.to_owned(), format: FORMAT, protocol, asked, place, known, share }
    }
}

/// A run that is being written.
pub struct LiveRun {
    folder: RunDir,
    begun: Instant,
    offset_ms: u64,
}

impl LiveRun {
    /// Begins a run below `out`.
    pub fn begin(out: &Path, frozen: &Frozen) -> Result<Self, Failure> {
        let now = jiff::Timestamp::now();
        let id = crate::run_folder::fresh_id(now);
        let header = RunHeader {
            format: RUN_FORMAT,
            id: id.clone(),
            started_at: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
            benchwright: env!("CARGO_PKG_VERSION").to_owned(),
            request: serde_json::to_value(frozen).map_err(|error| Failure::Bug(error.to_string()))?,
        };
        let folder = RunDir::create(&out.join(TRACK).join(id), &header)?;
        Ok(Self { folder, begun: Instant::now(), offset_ms: 0 })
    }

    /// Opens a run again and says that it goes on.
    pub fn reopen(path: &Path) -> Result<Self, Failure> {
        let (folder, events) = RunDir::open(path)?;
        let offset_ms = events.last().map_or(0, |event| event.at_ms);
        let mut run = Self { folder, begun: Instant::now(), offset_ms };
        run.append(EventBody::Resumed { benchwright: env!("CARGO_PKG_VERSION").to_owned() })?;
        Ok(run)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Keeps an answer. It is on the disk when this returns.
    pub fn answered(&mut self, answer: &Answer) -> Result<(), Failure> {
        let bytes = serde_json::to_vec(answer).map_err(|error| Failure::Bug(error.to_string()))?;
        let blob = self.folder.put_blob(&bytes)?;
        let kind = format!("{ANSWER}{}", answer.question_id);
        self.append(EventBody::Evidence { kind, version: ANSWER_VERSION, blob, seconds: answer.total_ms / 1000.0 })
    }

    /// Keeps the reason why there is no answer.
    pub fn failed(&mut self, question_id: &str, reason: &str, seconds: f64) -> Result<(), Failure> {
        let kind = format!("{ANSWER}{question_id}");
        self.append(EventBody::Absent { kind, absence: json!({ "failed": reason }), seconds })
    }

    /// Says why it stops before its end.
    pub fn interrupted(&mut self, reason: &str) -> Result<(), Failure> {
        self.append(EventBody::Interrupted { reason: reason.to_owned() })
    }

    /// Writes `run.json`, which says that no answer is missing.
    pub fn finish(&mut self, report: &QuizReport) -> Result<(), Failure> {
        self.append(EventBody::Finished {})?;
        let summary = json!({
            "format": RUN_FORMAT,
            "track": TRACK,
            "id": report.run.id,
            "extractor": report.derived.extractor,
            "accuracy": report.derived.accuracy,
            "strict": report.derived.strict,
        });
        Ok(self.folder.finish(&summary)?)
    }

    fn append(&mut self, body: EventBody) -> Result<(), Failure> {
        let at_ms = self.offset_ms + self.begun.elapsed().as_millis() as u64;
        Ok(self.folder.append(body, at_ms)?)
    }
}

/// What a run's folder says.
pub struct Replayed {
    /// What was frozen at the start.
    pub frozen: Frozen,
    /// The answers by question.
    pub answers: BTreeMap<String, Answer>,
    /// Whether `run.json` says that none is missing.
    pub finished: bool,
    failed: BTreeMap<String, String>,
    header: RunHeader,
    receipt: Option<Receipt>,
}

/// Reads a run without writing to it. The last word on a question counts.
pub fn read(path: &Path) -> Result<Replayed, Failure> {
    let run = RunDir::read(path)?;
    let unreadable = |what: String| Failure::BadInput(format!("{} {what}", path.display()));
    if run.header.request.get("track").and_then(Value::as_str) != Some(TRACK) {
        return Err(unreadable("is no run of the quiz; try `benchwright rescore` or `benchwright resume`".to_owned()));
    }
    let frozen: Frozen = serde_json::from_value(run.header.request.clone())
        .map_err(|error| unreadable(format!("was begun by a version this one cannot follow: {error}")))?;
    let mut replayed = Replayed {
        frozen,
        answers: BTreeMap::new(),
        finished: run.run_json.is_some(),
        failed: BTreeMap::new(),
        header: run.header,
        receipt: read_receipt(path)?,
    };
    for Event { body, .. } in run.events {
        replayed.apply(path, body)?;
    }
    Ok(replayed)
}

impl Replayed {
    fn apply(&mut self, path: &Path, body: EventBody) -> Result<(), Failure> {
        match body {
            EventBody::Evidence { kind, blob, .. } => {
                let Some(id) = kind.strip_prefix(ANSWER) else { return Ok(()) };
                let answer: Answer =
                    serde_json::from_slice(&benchwright_store::blob(path, &blob)?).map_err(|error| {
                        Failure::BadInput(format!("the answer to {id} in {} cannot be read: {error}", path.display()))
                    })?;
                self.failed.remove(id);
                self.answers.insert(id.to_owned(), answer);
            }
            EventBody::Absent { kind, absence, .. } => {
                let Some(id) = kind.strip_prefix(ANSWER) else { return Ok(()) };
                let reason = absence.get("failed").and_then(Value::as_str).unwrap_or("no reason was kept");
                self.failed.insert(id.to_owned(), reason.to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether it was shared already.
    pub fn is_shared(&self) -> bool {
        self.receipt.is_some()
    }

    /// The run as it is shared. How many threads ran tells how many cores there are, so it is said as coarsely as the page says it
    /// (`site/quiz/engine/coarse.ts`): rounded down to a power of two.
    pub fn shared(&self) -> Submission {
        let mut submission = self.submission();
        submission.engine.threads = submission.engine.threads.map(|threads| 1 << threads.max(1).ilog2());
        submission
    }

    /// The run with all that is known of it. Times and letters are the client's word; whoever takes it in derives its own.
    pub fn submission(&self) -> Submission {
        let Frozen { protocol, asked, known, share, .. } = &self.frozen;
        Submission {
            format: FORMAT,
            ticket: share.as_ref().map(|share| share.ticket.clone()).unwrap_or_default(),
            protocol: *protocol,
            template: known.template,
            set: asked.set.clone(),
            quick: asked.quick,
            model: known.model.clone(),
            engine: known.engine.clone(),
            extractor: EXTRACTOR_VERSION,
            app: format!("benchwright {}", self.header.benchwright),
            self_test: SelfTest::NotRun,
            device: known.device.clone(),
            day: self.header.started_at.get(..10).unwrap_or_default().to_owned(),
            answers: asked.questions.iter().filter_map(|question| self.answer_to(question)).collect(),
        }
    }

    /// An answer as the present extractor reads it: another version may have read it when it came.
    fn answer_to(&self, question: &Question) -> Option<Answer> {
        let answer = self.answers.get(&question.id)?;
        let Extraction { letter, tier, .. } = extract(&answer.output, &question.choices);
        Some(Answer { client: Some(ClientReading { letter, tier }), ..answer.clone() })
    }

    /// The report, from the folder alone.
    pub fn report(&self) -> Result<QuizReport, Failure> {
        let asked = &self.frozen.asked;
        let mut submission = self.submission();
        // The ticket is for the board alone.
        submission.ticket.clear();
        let find = |id: &str| asked.questions.iter().find(|question| question.id == id);
        let derived: Derived =
            derive(&submission.answers, find).map_err(|error| Failure::Bug(format!("failed to {error}")))?;
        let failed = asked.questions.iter().filter_map(|question| {
            let reason = self.failed.get(&question.id)?.clone();
            Some(FailedQuestion { question_id: question.id.clone(), reason })
        });
        let run = QuizRun {
            id: self.header.id.clone(),
            started_at: self.header.started_at.clone(),
            benchwright: self.header.benchwright.clone(),
            source: asked.source,
            set_sha256: asked.set_sha256.clone(),
            failed: failed.collect(),
            address: self.receipt.as_ref().map(|receipt| receipt.address.clone()),
        };
        Ok(QuizReport { format: FORMAT, run, submission, derived, questions: asked.questions.clone() })
    }
}

/// Keeps where a run was shared. The text that removes it there is the user's alone.
pub fn keep_receipt(run: &Path, receipt: &Receipt) -> Result<(), Failure> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = run.join(SHARED_FILE);
    let text = serde_json::to_string_pretty(receipt).map_err(|error| Failure::Bug(error.to_string()))?;
    outputs::replace(&path, text.as_bytes())?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600))
        .map_err(|error| Failure::Environment(format!("cannot keep {} to yourself: {error}", path.display())))
}

fn read_receipt(run: &Path) -> Result<Option<Receipt>, Failure> {
    let path = run.join(SHARED_FILE);
    match fs::read(&path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Failure::BadInput(format!("cannot read {}: {error}", path.display()))),
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|error| Failure::BadInput(format!("cannot read {}: {error}", path.display()))),
    }
}

/// The run folder a user means: the folder itself, or the newest run below a folder that `quiz` wrote to.
pub fn locate(path: &Path) -> Result<PathBuf, Failure> {
    if path.join("log").is_file() {
        return Ok(path.to_owned());
    }
    let entries = fs::read_dir(path.join(TRACK)).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    entries.filter(|folder| folder.join("log").is_file()).max().ok_or_else(|| {
        Failure::BadInput(format!(
            "{} holds no run of the quiz; name a folder that `benchwright quiz` wrote to",
            path.display()
        ))
    })
}

/// Where the reports of a run go when the user does not say.
pub fn reports_folder(run: &Path) -> PathBuf {
    match run.parent() {
        Some(runs) if runs.file_name().is_some_and(|name| name == TRACK) => {
            runs.parent().map_or_else(|| run.to_owned(), Path::to_owned)
        }
        _ => run.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::banks::Banks;
    use super::*;
    use benchwright_quiz::Letter;

    fn replayed(threads: Option<u32>) -> Replayed {
        let known = json!({
            "model": { "catalogue_id": null, "custom_name": "m", "quantisation": "q4_1", "file_sha256": null },
            "engine": { "name": "llama.cpp", "version": "v0.4.0", "backend": "native", "threads": threads },
            "device": null,
            "template": { "system_in_user": false, "thinking": false },
        });
        let place = json!({ "gguf": { "file": "m.gguf", "threads": 1, "unconfined": false } });
        let asked = Banks::open(None).unwrap().set("own-12").unwrap();
        let (known, place) = (serde_json::from_value(known).unwrap(), serde_json::from_value(place).unwrap());
        Replayed {
            frozen: Frozen::new(Protocol::OneMessage1, asked, place, known, None),
            answers: BTreeMap::new(),
            finished: false,
            failed: BTreeMap::new(),
            header: RunHeader {
                format: RUN_FORMAT,
                id: "1".to_owned(),
                started_at: "2026-11-18T09:00:00Z".to_owned(),
                benchwright: "0.1.0".to_owned(),
                request: Value::Null,
            },
            receipt: None,
        }
    }

    #[test]
    fn letters_that_an_older_extractor_read_were_shared_as_the_present_ones() {
        let mut run = replayed(None);
        let question = run.frozen.asked.questions[0].clone();
        let answer = json!({
            "question_id": question.id,
            "prompt_sha256": "",
            "output": format!("ANSWER: C) {}", question.choices[2]),
            "finish": "stop",
            "prompt_tokens": 1,
            "output_tokens": 1,
            "total_ms": 1.0,
            "hidden": false,
            "client": { "letter": null, "tier": 5 },
        });
        run.answers.insert(question.id, serde_json::from_value(answer).unwrap());
        let shared = run.shared();
        let present = ClientReading { letter: Some(Letter::C), tier: 1 };
        assert_eq!((shared.extractor, shared.answers[0].client), (EXTRACTOR_VERSION, Some(present)));
        assert_eq!(run.report().unwrap().derived.mismatches, [""; 0]);
    }

    #[test]
    fn the_exact_number_of_threads_was_shared() {
        for (ran, told) in
            [(Some(1), Some(1)), (Some(2), Some(2)), (Some(11), Some(8)), (Some(63), Some(32)), (None, None)]
        {
            let run = replayed(ran);
            assert_eq!(run.shared().engine.threads, told, "{ran:?}");
            assert_eq!(run.report().unwrap().submission.engine.threads, ran, "the report is the user's own");
        }
    }
}
