//! Evaluations as one archive: everything behind them, without secrets.
//!
//! ```text
//! manifest.json              what is in it
//! runs/<id>/events.jsonl     the events of the run, one a line
//! runs/<id>/run.json         its result
//! runs/<id>/blobs/<sha256>   what the events name
//! prompts/<who>-<n>.json     what models that walk and judge are told by version n, whatever the task
//! ```
//!
//! A blob that loses a secret gets another name, and so do the blobs that name it. Whoever reads the archive makes run folders again
//! that say the same; numbers come from verdicts, which hold no secrets.

use super::run_folder::{START, TRAJECTORY};
use crate::exit::Failure;
use benchwright_domain::BlobId;
use benchwright_sandbox::archive::{ArchiveLimits, Packing, unpack};
use benchwright_sandbox::{Scratch, archive};
use benchwright_source::{Thoroughness, scrubbed};
use benchwright_store::{Event, EventBody, MAX_BLOB_BYTES, RunDir, RunHeader};
use benchwright_vibe::evaluate::Start;
use benchwright_vibe::judge;
use benchwright_vibe::walk::agent;
use benchwright_vibe::walk::keeper::blob_id;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, BufWriter, Cursor, Read as _};
use std::path::{Path, PathBuf};

/// Format version of an archive.
const FORMAT: u32 = 1;
const MANIFEST: &str = "manifest.json";
const EVENTS: &str = "events.jsonl";
const RUN: &str = "run.json";
const HASH_LENGTH: usize = 64;
/// What is printed is searched as a file of this name would be: it may be settings, with values that stand in no quotes.
const PRINTED: &str = "printed.conf";
/// Keys of our own texts under which the end of what an app printed may be quoted.
const QUOTING: [&str; 3] = ["note", "reason", "start_note"];
const MAX_LINE_BYTES: u64 = 32 * 1024 * 1024;
/// Of an archive that is taken in: hundreds of apps with screenshots.
const LIMITS: ArchiveLimits = ArchiveLimits {
    archive_bytes: 64 * 1024 * 1024 * 1024,
    entries: 2_000_000,
    file_bytes: MAX_BLOB_BYTES,
    total_bytes: 128 * 1024 * 1024 * 1024,
};

/// `manifest.json`.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest {
    format: u32,
    benchwright: String,
    runs: Vec<Listed>,
}

/// A run in the manifest.
#[derive(Debug, Serialize, Deserialize)]
struct Listed {
    id: String,
    events: usize,
    blobs: usize,
    /// Secrets that were taken out.
    scrubbed: usize,
}

/// What an export came to.
pub struct Exported {
    /// Runs in the archive.
    pub runs: usize,
    /// Secrets that were taken out.
    pub scrubbed: usize,
}

/// Packs runs into a file. A reader never sees half of one.
pub fn export(runs: &[PathBuf], to: &Path, scratch_base: &Path) -> Result<Exported, Failure> {
    let refused = |error: std::io::Error| Failure::Environment(format!("cannot write {}: {error}", to.display()));
    let part = to.with_extension("part");
    let mut packing = Packing::new(BufWriter::new(File::create(&part).map_err(refused)?));
    let mut manifest = Manifest { format: FORMAT, benchwright: env!("CARGO_PKG_VERSION").to_owned(), runs: Vec::new() };
    let packed = (|| {
        for path in runs {
            manifest.runs.push(pack_run(&mut packing, path, scratch_base)?);
        }
        for (name, prompt) in prompts() {
            packing.add(&name, benchwright_report::json::pretty(&prompt).as_bytes()).map_err(refused)?;
        }
        packing.add(MANIFEST, benchwright_report::json::pretty(&manifest).as_bytes()).map_err(refused)
    })();
    let finished = packed.and_then(|()| {
        packing
            .finish()
            .map_err(refused)?
            .into_inner()
            .map_err(|error| refused(error.into_error()))?
            .sync_all()
            .map_err(refused)?;
        fs::rename(&part, to).map_err(refused)
    });
    if finished.is_err() {
        let _ = fs::remove_file(&part);
    }
    finished?;
    Ok(Exported { runs: manifest.runs.len(), scrubbed: manifest.runs.iter().map(|run| run.scrubbed).sum() })
}

/// What models are told, by name of the file. A run says by which version of walker and judge it was made.
fn prompts() -> [(String, Value); 2] {
    let (rules, tools) = agent::instructions();
    let tools: Vec<Value> = tools
        .into_iter()
        .map(|it| json!({ "name": it.name, "description": it.description, "parameters": it.parameters }))
        .collect();
    [
        (format!("prompts/walker-{}.json", agent::VERSION), json!({ "system": rules, "tools": tools })),
        (format!("prompts/judge-{}.json", judge::llm::VERSION), json!({ "system": judge::llm::instructions() })),
    ]
}

fn pack_run<W: std::io::Write + std::io::Seek>(
    packing: &mut Packing<W>,
    path: &Path,
    scratch_base: &Path,
) -> Result<Listed, Failure> {
    let run = RunDir::read(path)?;
    let result = run.run_json.ok_or_else(|| {
        let path = path.display();
        Failure::BadInput(format!("{path} is not finished; go on with it first: benchwright vibe resume {path}"))
    })?;
    let refused = |error: std::io::Error| Failure::Environment(format!("cannot pack {}: {error}", path.display()));
    let mut cleaner = Cleaner {
        path,
        scratch_base,
        foreign: foreign(path, &run.events),
        renamed: BTreeMap::new(),
        clean: BTreeMap::new(),
        scrubbed: 0,
    };
    let mut lines = String::new();
    for event in &run.events {
        let line = serde_json::to_string(event).map_err(|error| Failure::Bug(error.to_string()))?;
        lines.push_str(&cleaner.text("event.json", &line)?);
        lines.push('\n');
    }
    let result = cleaner.text(RUN, &benchwright_report::json::pretty(&result))?;
    let folder = format!("runs/{}", run.header.id);
    packing.add(&format!("{folder}/{EVENTS}"), lines.as_bytes()).map_err(refused)?;
    packing.add(&format!("{folder}/{RUN}"), result.as_bytes()).map_err(refused)?;
    for (id, bytes) in &cleaner.clean {
        packing.add(&format!("{folder}/blobs/{id}"), bytes).map_err(refused)?;
    }
    let blobs = cleaner.clean.len();
    Ok(Listed { id: run.header.id, events: run.events.len(), blobs, scrubbed: cleaner.scrubbed })
}

/// A text that others wrote, and that may look like one of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Foreign {
    /// What a model did, as JSON.
    Trajectory,
    /// What an app printed.
    Log,
}

/// The blobs of a run that others wrote, by what the events say.
fn foreign(path: &Path, events: &[Event]) -> BTreeMap<String, Foreign> {
    let named = events.iter().filter_map(|event| match &event.body {
        EventBody::Evidence { kind, blob, .. } if kind == TRAJECTORY => Some((blob.0.clone(), Foreign::Trajectory)),
        EventBody::Evidence { kind, blob, .. } if kind == START => {
            let start: Start = serde_json::from_slice(&benchwright_store::blob(path, blob).ok()?).ok()?;
            Some((start.log?.0, Foreign::Log))
        }
        _ => None,
    });
    named.collect()
}

/// Takes the secrets out of a run.
struct Cleaner<'a> {
    path: &'a Path,
    scratch_base: &'a Path,
    foreign: BTreeMap<String, Foreign>,
    /// New names of blobs by old ones.
    renamed: BTreeMap<String, String>,
    /// Blobs by new names.
    clean: BTreeMap<String, Vec<u8>>,
    scrubbed: usize,
}

impl Cleaner<'_> {
    /// One of our own texts: blobs that it names are cleaned first and named anew, then keys are taken out of it, and what it quotes is cleaned as
    /// what was printed.
    fn text(&mut self, name: &str, text: &str) -> Result<String, Failure> {
        let mut renamed = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = next_hash(rest) {
            let (before, from) = rest.split_at(at);
            let (hash, after) = from.split_at(HASH_LENGTH);
            renamed.push_str(before);
            renamed.push_str(&self.blob(hash)?.unwrap_or_else(|| hash.to_owned()));
            rest = after;
        }
        renamed.push_str(rest);
        let (clean, quoted) = quotes_scrubbed(&renamed);
        let (clean, keys) = scrubbed(name, &clean, Thoroughness::Formats);
        self.scrubbed += quoted + keys;
        Ok(clean)
    }

    /// The new name of a blob, if it is one of this run's.
    fn blob(&mut self, hash: &str) -> Result<Option<String>, Failure> {
        if let Some(known) = self.renamed.get(hash) {
            return Ok(Some(known.clone()));
        }
        let id = BlobId(hash.to_owned());
        let Ok(bytes) = benchwright_store::blob(self.path, &id) else { return Ok(None) };
        let clean = self.cleaned(bytes, self.foreign.get(hash).copied())?;
        let name = blob_id(&clean).0;
        self.renamed.insert(hash.to_owned(), name.clone());
        self.clean.insert(name.clone(), clean);
        Ok(Some(name))
    }

    fn cleaned(&mut self, bytes: Vec<u8>, foreign: Option<Foreign>) -> Result<Vec<u8>, Failure> {
        if bytes.starts_with(b"PK\x03\x04") {
            return self.bundle(&bytes);
        }
        let text = match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(picture) => return Ok(picture.into_bytes()),
        };
        // What we wrote is JSON and names blobs; what the app and the model wrote may hold secrets under any name.
        if foreign.is_none() && serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok() {
            return Ok(self.text("kept.json", &text)?.into_bytes());
        }
        let (clean, count) = match foreign {
            Some(Foreign::Trajectory) => trajectory_scrubbed(&text),
            _ => scrubbed(PRINTED, &text, Thoroughness::FormatsAndNames),
        };
        self.scrubbed += count;
        Ok(clean.into_bytes())
    }

    /// A bundle, file by file.
    fn bundle(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        let refused = |error: std::io::Error| Failure::Environment(format!("cannot clean a bundle: {error}"));
        let scratch = Scratch::new(self.scratch_base, "export")?;
        let (file, folder) = (scratch.folder("packed")?.join("app.zip"), scratch.folder("app")?);
        fs::write(&file, bytes).map_err(refused)?;
        let limits = ArchiveLimits { archive_bytes: MAX_BLOB_BYTES, ..ArchiveLimits::default() };
        unpack(&file, &folder, limits).map_err(|error| Failure::BadInput(format!("failed to {error}")))?;
        let mut packing = Packing::new(Cursor::new(Vec::new()));
        for name in files_below(&folder).map_err(refused)? {
            let content = fs::read(folder.join(&name)).map_err(refused)?;
            let content = match String::from_utf8(content) {
                Ok(text) => {
                    let (clean, count) = scrubbed(&name, &text, Thoroughness::FormatsAndNames);
                    self.scrubbed += count;
                    clean.into_bytes()
                }
                Err(other) => other.into_bytes(),
            };
            packing.add(&name, &content).map_err(refused)?;
        }
        Ok(packing.finish().map_err(refused)?.into_inner())
    }
}

/// A trajectory without the secrets in its strings, each of which is searched as what is assigned to its key.
fn trajectory_scrubbed(text: &str) -> (String, usize) {
    let (mut clean, count, rest) = strings_scrubbed(text, assigned_scrubbed);
    // A line that was cut off may end within a string.
    let (rest, more) = scrubbed(PRINTED, rest, Thoroughness::FormatsAndNames);
    clean.push_str(&rest);
    let (clean, keys) = scrubbed("trajectory.json", &clean, Thoroughness::Formats);
    (clean, count + more + keys)
}

/// One of our own JSON texts without the secrets in what it quotes.
fn quotes_scrubbed(text: &str) -> (String, usize) {
    let (mut clean, count, rest) = strings_scrubbed(text, |key, value| {
        if QUOTING.contains(&key) {
            scrubbed(PRINTED, value, Thoroughness::FormatsAndNames)
        } else {
            (String::new(), 0)
        }
    });
    clean.push_str(rest);
    (clean, count)
}

/// A JSON text whose strings are cleaned by somebody who is told the key of each, and says how many secrets were in it. It stays the JSON it was,
/// because nothing else of it is touched. What stands behind the last whole string comes back as it was.
fn strings_scrubbed(text: &str, clean_one: impl Fn(&str, &str) -> (String, usize)) -> (String, usize, &str) {
    let (mut clean, mut count, mut rest) = (String::with_capacity(text.len()), 0, text);
    let mut key = String::new();
    while let Some((before, literal, after)) = next_string(rest) {
        clean.push_str(before);
        rest = after;
        let Ok(value) = serde_json::from_str::<String>(literal) else {
            clean.push_str(literal);
            continue;
        };
        if after.trim_start().starts_with(':') {
            clean.push_str(literal);
            key = value;
            continue;
        }
        match clean_one(&std::mem::take(&mut key), &value) {
            (_, 0) => clean.push_str(literal),
            (value, secrets) => {
                clean.push_str(&Value::from(value).to_string());
                count += secrets;
            }
        }
    }
    (clean, count, rest)
}

/// A text without its secrets, searched as what is assigned to a key.
fn assigned_scrubbed(key: &str, value: &str) -> (String, usize) {
    let (clean, count) = scrubbed(PRINTED, &format!("{key}={value}"), Thoroughness::FormatsAndNames);
    match clean.strip_prefix(key).and_then(|rest| rest.strip_prefix('=')) {
        Some(value) => (value.to_owned(), count),
        // The key itself is one.
        None => scrubbed(PRINTED, value, Thoroughness::FormatsAndNames),
    }
}

/// What stands before the next string of a JSON text, the string with its quotes, and what stands behind it.
fn next_string(text: &str) -> Option<(&str, &str, &str)> {
    let start = text.find('"')?;
    let inside = &text.as_bytes()[start + 1..];
    let mut length = 0;
    while *inside.get(length)? != b'"' {
        length += if inside[length] == b'\\' { 2 } else { 1 };
    }
    let (before, from) = text.split_at(start);
    let (literal, after) = from.split_at(length + 2);
    Some((before, literal, after))
}

/// Names of all files below a folder with forward slashes, sorted.
fn files_below(root: &Path) -> std::io::Result<Vec<String>> {
    let mut names = BTreeSet::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if let Ok(inside) = entry.path().strip_prefix(root) {
                names.insert(inside.to_string_lossy().replace('\\', "/"));
            }
        }
    }
    Ok(names.into_iter().collect())
}

/// Where the next word begins that could be the name of a blob.
fn next_hash(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    let mut start = 0;
    while start < bytes.len() {
        let length = bytes[start..].iter().take_while(|byte| is_hex(byte)).count();
        if length == HASH_LENGTH {
            return Some(start);
        }
        start += length + 1;
    }
    None
}

/// Unpacks an archive and makes its runs again below `out`. A run that is there already stays as it is.
pub fn import(file: &Path, out: &Path, scratch_base: &Path) -> Result<(usize, usize), Failure> {
    let scratch = Scratch::new(scratch_base, "import")?;
    let folder = scratch.folder("archive")?;
    let wrong = |what: String| Failure::BadInput(format!("cannot take in {}: {what}", file.display()));
    archive::unpack(file, &folder, LIMITS).map_err(|error| wrong(format!("failed to {error}")))?;
    let manifest = fs::read(folder.join(MANIFEST)).map_err(|_| wrong("it is no export of evaluations".to_owned()))?;
    let manifest: Manifest = serde_json::from_slice(&manifest).map_err(|error| wrong(error.to_string()))?;
    if manifest.format != FORMAT {
        return Err(wrong(format!("it has format {}; this version reads format {FORMAT}", manifest.format)));
    }
    let (mut taken, mut there) = (0, 0);
    for listed in &manifest.runs {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        if listed.id.is_empty() || listed.id.starts_with('.') || !listed.id.bytes().all(plain) {
            return Err(wrong("a run has an id that cannot be one".to_owned()));
        }
        let to = out.join("runs").join(&listed.id);
        if to.join(RUN).exists() {
            there += 1;
            continue;
        }
        unpack_run(&folder.join("runs").join(&listed.id), &to).map_err(|failure| match failure {
            Failure::BadInput(what) => wrong(format!("{}: {what}", listed.id)),
            other => other,
        })?;
        taken += 1;
    }
    Ok((taken, there))
}

/// Makes one run again: its blobs, its events in order, its result.
fn unpack_run(from: &Path, to: &Path) -> Result<(), Failure> {
    let wrong = |what: &dyn std::fmt::Display| Failure::BadInput(what.to_string());
    let events = File::open(from.join(EVENTS)).map_err(|error| wrong(&error))?;
    let mut lines = BufReader::new(events);
    let mut run: Option<RunDir> = None;
    loop {
        let mut line = String::new();
        if (&mut lines).take(MAX_LINE_BYTES).read_line(&mut line).map_err(|error| wrong(&error))? == 0 {
            break;
        }
        let event: Event = serde_json::from_str(&line).map_err(|error| wrong(&error))?;
        match (&mut run, event.body) {
            (None, EventBody::Started { header }) => run = Some(begin(from, to, &header)?),
            (None, _) => return Err(wrong(&"it has no beginning")),
            (Some(_), EventBody::Started { .. } | EventBody::Unknown) => {}
            (Some(run), body) => run.append(body, event.at_ms)?,
        }
    }
    let mut run = run.ok_or_else(|| wrong(&"it has no events"))?;
    let result = fs::read(from.join(RUN)).map_err(|error| wrong(&error))?;
    let result: Value = serde_json::from_slice(&result).map_err(|error| wrong(&error))?;
    Ok(run.finish(&result)?)
}

fn begin(from: &Path, to: &Path, header: &RunHeader) -> Result<RunDir, Failure> {
    let wrong = |what: &dyn std::fmt::Display| Failure::BadInput(what.to_string());
    let mut run = RunDir::create(to, header)?;
    let blobs = from.join("blobs");
    if !blobs.is_dir() {
        return Ok(run);
    }
    for entry in fs::read_dir(&blobs).map_err(|error| wrong(&error))? {
        let path = entry.map_err(|error| wrong(&error))?.path();
        let bytes = fs::read(&path).map_err(|error| wrong(&error))?;
        let kept = run.put_blob(&bytes)?;
        if path.file_name().is_none_or(|name| name.to_string_lossy() != kept.0.as_str()) {
            return Err(wrong(&"a blob is not what its name says"));
        }
    }
    Ok(run)
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_domain::vibe::trajectory::Trajectory;

    #[test]
    fn names_of_blobs_are_found_as_whole_words() {
        let hash = "a".repeat(HASH_LENGTH);
        assert_eq!(next_hash(&hash), Some(0));
        assert_eq!(next_hash(&format!("x \"{hash}\" y")), Some(3));
        assert_eq!(next_hash(&format!("a{hash}")), None);
        assert_eq!(next_hash(&hash[1..]), None);
        assert_eq!(next_hash("é"), None);
    }

    /// A secret that no provider's format tells, in what a model's tools printed and in a file that it wrote.
    #[test]
    fn a_trajectory_loses_what_its_model_saw_of_passwords_and_stays_the_same_trajectory() {
        let (password, token) = ("Vq7xK2mTz9RwL4", "9fK2xLq7TzRw3VbNcYdHpE8sUj4GmA1o");
        let event = |second: u32, rest: Value| {
            let mut event = json!({ "timestamp": format!("2026-03-01T10:00:0{second}"), "source": "agent" });
            event.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
            event
        };
        let printed = format!("$ cat .env\nPOSTGRES_PASSWORD={password}\nPORT=3000\n\"quoted\"");
        let (run, call) = ("run", json!({ "function_name": "execute_bash" }));
        let events = json!([
            event(0, json!({ "action": run, "tool_call_metadata": call, "args": { "API_TOKEN": token } })),
            event(1, json!({ "observation": run, "content": printed })),
        ]);
        let text = events.to_string();
        let (clean, count) = trajectory_scrubbed(&text);
        assert_eq!(count, 2, "{clean}");
        assert!(!clean.contains(password) && !clean.contains(token), "{clean}");
        assert!(clean.contains(r#"POSTGRES_PASSWORD=[scrubbed]\nPORT=3000\n\"quoted\""#), "{clean}");
        let facts = |text: &str| Trajectory::read(text.as_bytes()).unwrap().facts();
        assert_eq!(facts(&clean), facts(&text));
        let plain = text.replace(password, "").replace(token, "");
        assert_eq!(trajectory_scrubbed(&plain), (plain.clone(), 0), "nothing else is touched");
    }

    #[test]
    fn a_trajectory_that_was_cut_off_within_a_string_keeps_no_secret_in_its_end() {
        let (clean, count) = trajectory_scrubbed(r#"{"output": "$ env\nDB_PASSWORD=Vq7xK2mTz9RwL4"#);
        assert_eq!((clean.as_str(), count), (r#"{"output": "$ env\nDB_PASSWORD=[scrubbed]"#, 1));
    }

    #[test]
    fn what_a_crashing_app_printed_is_cleaned_wherever_its_end_is_quoted() {
        let password = "Vq7xK2mTz9RwL4";
        let reason =
            format!("failed to start the app: it ended; the end of its log:\n  DB_PASSWORD={password}\n  no \"db\"");
        let text = benchwright_report::json::pretty(&json!({
            "start_note": reason,
            "workflows": [{ "substeps": [{ "reason": reason }, { "reason": "it said: hello" }] }],
            "start": { "note": reason, "log": "a".repeat(HASH_LENGTH) },
        }));
        let (clean, count) = quotes_scrubbed(&text);
        assert_eq!(count, 3, "{clean}");
        assert!(!clean.contains(password), "{clean}");
        assert_eq!(clean, text.replace(password, "[scrubbed]"), "nothing else is touched");
    }

    #[test]
    fn an_archive_holds_no_password_that_a_crashing_app_printed() {
        let (base, password) = (tempfile::tempdir().unwrap(), "Vq7xK2mTz9RwL4");
        let header = RunHeader {
            format: benchwright_store::RUN_FORMAT,
            id: "crashed".to_owned(),
            started_at: "2026-11-19T08:00:00Z".to_owned(),
            benchwright: "0.1.0".to_owned(),
            request: Value::Null,
        };
        let path = base.path().join("crashed");
        let mut run = RunDir::create(&path, &header).unwrap();
        let printed = format!("DB_PASSWORD={password}\n");
        let reason = format!("failed to start the app: it ended; the end of its log:\n  {printed}");
        let log = run.put_blob(printed.as_bytes()).unwrap();
        let start = json!({ "started": false, "note": reason, "log": log, "backend": "native" });
        let judged = json!({ "verdict": { "substeps": [{ "reason": reason, "mark": "fail" }] } });
        for (kind, kept) in [(START, &start), ("workflow/one", &judged)] {
            let blob = run.put_blob(benchwright_report::json::pretty(kept).as_bytes()).unwrap();
            run.append(EventBody::Evidence { kind: kind.to_owned(), version: 1, blob, seconds: 0.0 }, 1).unwrap();
        }
        run.append(EventBody::Interrupted { reason: reason.clone() }, 2).unwrap();
        run.finish(&json!({ "evaluation": { "start_note": reason, "log": log, "workflows": [judged] } })).unwrap();
        let archive = base.path().join("study.zip");
        let exported = export(&[path], &archive, base.path()).unwrap();
        assert_eq!((exported.runs, exported.scrubbed), (1, 6), "log, note, two verdicts, one reason, one start note");
        let unpacked = base.path().join("unpacked");
        fs::create_dir(&unpacked).unwrap();
        unpack(&archive, &unpacked, LIMITS).unwrap();
        let names = files_below(&unpacked).unwrap();
        assert!(names.len() >= 6, "{names:?}");
        for name in names {
            let text = fs::read_to_string(unpacked.join(&name)).unwrap();
            assert!(!text.contains(password), "{name}: {text}");
        }
        assert_eq!(import(&archive, &base.path().join("copy"), base.path()).unwrap(), (1, 0));
    }
}
