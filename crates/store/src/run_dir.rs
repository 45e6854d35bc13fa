//! A run directory, open for writing or just read.

use crate::blob;
use crate::disk;
use crate::error::StoreError;
use crate::event::{Event, EventBody, RUN_FORMAT, RunHeader};
use crate::log::{self, Damage, LogWriter, MAX_LOG_BYTES, Replay};
use crate::storage;
use benchwright_domain::BlobId;
use serde_json::Value;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufReader, Read as _, Seek, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

/// The largest `run.json` that is written or read.
pub const MAX_RUN_JSON_BYTES: u64 = 64 * 1024 * 1024;

/// A run open for writing. It holds an exclusive lock on the log until it is dropped or its process ends, however that happens.
#[derive(Debug)]
pub struct RunDir {
    path: PathBuf,
    log: LogWriter<File>,
    damage: Option<Damage>,
}

/// What a run directory says, without having touched it.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadRun {
    /// The header of the run, which is also in its first event.
    pub header: RunHeader,
    /// The events of the valid prefix.
    pub events: Vec<Event>,
    /// Whether a last frame follows that was not written to its end: the run was killed, or is being written right now.
    pub torn: bool,
    /// Set when the log is damaged in the middle; `events` ends there.
    pub damage: Option<Damage>,
    /// The result, if the run was finished.
    pub run_json: Option<Value>,
}

impl RunDir {
    /// Makes the folder and starts a run in it. Refuses a folder that already holds a run; other files in it do not matter.
    pub fn create(path: &Path, header: &RunHeader) -> Result<Self, StoreError> {
        let log_path = log_path(path);
        if header.format != RUN_FORMAT {
            let reason = format!("its header says format {}, this build writes {RUN_FORMAT}", header.format);
            return Err(StoreError::Unwritable { path: log_path, reason });
        }
        disk::make_folder(path)?;
        let holds_something_else = log_path.symlink_metadata().is_ok_and(|log| !log.is_file());
        if holds_something_else || run_json_path(path).exists() {
            return Err(StoreError::HoldsRun { path: path.to_owned() });
        }
        let failed = |error| StoreError::io("create", &log_path, error);
        // An empty log is left by a process killed between these lines; such a folder is as good as new.
        let file = OpenOptions::new().read(true).append(true).create(true).open(&log_path).map_err(failed)?;
        lock(&file, path)?;
        if file.metadata().map_err(failed)?.len() > 0 {
            return Err(StoreError::HoldsRun { path: path.to_owned() });
        }
        disk::sync_folder(path)?;
        let mut run = Self { path: path.to_owned(), log: LogWriter::new(file, log_path, 0, 0), damage: None };
        run.log.append(EventBody::Started { header: header.clone() }, 0)?;
        Ok(run)
    }

    /// Opens a run to go on with it: takes the lock, cuts a torn last frame and returns the events so far.
    ///
    /// What follows a damaged frame in the middle is moved to `log.damaged-<offset>` and reported by [`RunDir::damage`].
    pub fn open(path: &Path) -> Result<(Self, Vec<Event>), StoreError> {
        let log_path = log_path(path);
        if !disk::is_file(&log_path) {
            return Err(StoreError::NotARun { path: path.to_owned() });
        }
        let failed = |error| StoreError::io("open", &log_path, error);
        let mut file = OpenOptions::new().read(true).append(true).open(&log_path).map_err(failed)?;
        lock(&file, path)?;
        let replay = replay(&mut file, path)?;
        if let Some(damage) = &replay.damage {
            set_aside(&mut file, path, damage)?;
        }
        if replay.torn || replay.damage.is_some() {
            file.set_len(replay.end).and_then(|()| file.sync_all()).map_err(failed)?;
        }
        blob::sweep(path);
        let next = replay.events.len() as u64;
        let log = LogWriter::new(file, log_path, replay.end, next);
        Ok((Self { path: path.to_owned(), log, damage: replay.damage }, replay.events))
    }

    /// Reads a run without a lock and without writing anything, so also one that is running or on a read-only disk.
    pub fn read(path: &Path) -> Result<ReadRun, StoreError> {
        let log_path = log_path(path);
        check_begun(path)?;
        let mut file = File::open(&log_path).map_err(|error| StoreError::io("read", &log_path, error))?;
        let replay = replay(&mut file, path)?;
        let header = replay.header().cloned().ok_or_else(|| StoreError::NotARun { path: path.to_owned() })?;
        let run_json = read_run_json(path)?;
        Ok(ReadRun { header, events: replay.events, torn: replay.torn, damage: replay.damage, run_json })
    }

    /// Appends an event. Evidence, absences, interruptions and the end are on the disk when this returns.
    ///
    /// When it fails, the log is as it was before, and appending may be tried again.
    pub fn append(&mut self, body: EventBody, at_ms: u64) -> Result<(), StoreError> {
        self.log.append(body, at_ms)
    }

    /// Keeps bytes in the run under their SHA-256. They are on the disk when this returns, so that an event may name them.
    pub fn put_blob(&mut self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        blob::put(&self.path, bytes)
    }

    /// Writes `run.json`, all at once. Append [`EventBody::Finished`] before. A second time is refused unless the value is the
    /// same.
    pub fn finish(&mut self, run_json: &Value) -> Result<(), StoreError> {
        let bytes = storage::result_bytes(run_json, || run_json_path(&self.path))?;
        put_result(&self.path, &bytes)
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was found damaged in the middle of the log when it was opened.
    pub fn damage(&self) -> Option<&Damage> {
        self.damage.as_ref()
    }
}

fn log_path(run: &Path) -> PathBuf {
    run.join("log")
}

pub(crate) fn run_json_path(run: &Path) -> PathBuf {
    run.join("run.json")
}

/// A folder that holds blobs and no log is that of a job which nobody has begun: its source was kept already.
fn check_begun(run: &Path) -> Result<(), StoreError> {
    let path = run.to_owned();
    let log = log_path(run);
    if disk::is_file(&log) {
        return Ok(());
    }
    let is_new = log.symlink_metadata().is_err() && run.join("blobs").is_dir();
    Err(if is_new { StoreError::NeverStarted { path } } else { StoreError::NotARun { path } })
}

fn lock(file: &File, run: &Path) -> Result<(), StoreError> {
    file.try_lock().map_err(|error| match error {
        TryLockError::WouldBlock => StoreError::AlreadyRunning { path: run.to_owned() },
        TryLockError::Error(error) => StoreError::io("lock", &log_path(run), error),
    })
}

/// Reads the log from its start and refuses one that is not ours to go on with.
fn replay(file: &mut File, run: &Path) -> Result<Replay, StoreError> {
    let path = log_path(run);
    let failed = |error| StoreError::io("read", &path, error);
    log::check_format(BufReader::new(&mut *file), &path)?;
    file.rewind().map_err(failed)?;
    let replay = log::replay(BufReader::new(&mut *file), &path)?;
    match (replay.header(), replay.end == 0 && replay.damage.is_none()) {
        (Some(_), _) => Ok(replay),
        (None, true) => Err(StoreError::NeverStarted { path: run.to_owned() }),
        (None, false) => Err(StoreError::NotARun { path: run.to_owned() }),
    }
}

/// Keeps what follows a damaged frame for a person to look at, before it is cut from the log.
fn set_aside(log: &mut File, run: &Path, damage: &Damage) -> Result<(), StoreError> {
    let path = run.join(format!("log.damaged-{}", damage.offset));
    let mut copy = || -> io::Result<()> {
        log.seek(SeekFrom::Start(damage.offset))?;
        let mut aside = disk::create_fresh(&path)?;
        io::copy(log, &mut aside)?;
        aside.sync_all()
    };
    copy().map_err(|error| StoreError::io("write", &path, error))?;
    disk::sync_folder(run)
}

/// The valid prefix of a run's log.
pub(crate) fn valid_log(run: &Path) -> Result<Vec<u8>, StoreError> {
    let path = log_path(run);
    check_begun(run)?;
    let failed = |error| StoreError::io("read", &path, error);
    let mut file = File::open(&path).map_err(failed)?;
    let end = replay(&mut file, run)?.end;
    let mut bytes = Vec::new();
    file.rewind().map_err(failed)?;
    file.take(end).read_to_end(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

/// Makes the log hold exactly `wanted`, of which it may hold a beginning already. A torn frame is part of no beginning and goes.
pub(crate) fn extend_log(run: &Path, wanted: &[u8]) -> Result<(), StoreError> {
    let path = log_path(run);
    log::check_whole(wanted, &path)?;
    disk::make_folder(run)?;
    if path.symlink_metadata().is_ok_and(|log| !log.is_file()) {
        return Err(StoreError::HoldsRun { path: run.to_owned() });
    }
    let failed = |error| StoreError::io("write", &path, error);
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed)?;
    lock(&file, run)?;
    let mut kept = Vec::new();
    (&mut file).take(MAX_LOG_BYTES + 1).read_to_end(&mut kept).map_err(failed)?;
    let shared = kept.iter().zip(wanted).take_while(|(kept, wanted)| kept == wanted).count();
    let valid = log::replay(&kept[..], &path)?.end as usize;
    if shared < valid {
        return Err(StoreError::HoldsRun { path: run.to_owned() });
    }
    file.set_len(valid as u64).and_then(|()| file.write_all(&wanted[valid..])).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    disk::sync_folder(run)
}

/// Puts `run.json` if it is absent, all at once.
pub(crate) fn put_result(run: &Path, bytes: &[u8]) -> Result<(), StoreError> {
    if bytes.len() as u64 > MAX_RUN_JSON_BYTES {
        return Err(StoreError::TooMuch { what: "`run.json`", limit: MAX_RUN_JSON_BYTES });
    }
    match read_run_json(run)? {
        Some(kept) if storage::parse_result(bytes).is_ok_and(|wanted| wanted == kept) => disk::sync_folder(run),
        Some(_) => Err(StoreError::AlreadyFinished { path: run.to_owned() }),
        None => disk::replace(&run.join("run.json.part"), &run_json_path(run), bytes),
    }
}

/// Removes everything from the folder of a run but its log, also what was put there beside the run.
pub(crate) fn withdraw(run: &Path) -> Result<(), StoreError> {
    let log = log_path(run);
    let others: Vec<PathBuf> = disk::entries(run)?.into_iter().filter(|path| *path != log).collect();
    others.iter().try_for_each(|path| disk::remove_all(path))?;
    if others.is_empty() { Ok(()) } else { disk::sync_folder(run) }
}

/// The bytes of `run.json`, if there is one.
pub(crate) fn result_bytes(run: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    disk::read(&run_json_path(run), MAX_RUN_JSON_BYTES)
}

fn read_run_json(run: &Path) -> Result<Option<Value>, StoreError> {
    let Some(bytes) = result_bytes(run)? else { return Ok(None) };
    let damaged = |reason| StoreError::DamagedResult { path: run_json_path(run), reason };
    storage::parse_result(&bytes).map(Some).map_err(damaged)
}
