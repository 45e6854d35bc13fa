//! The log file: reading back its valid prefix, and appending to it so that a failed write leaves no trace.

use crate::error::StoreError;
use crate::event::{Event, EventBody, RUN_FORMAT, RunHeader};
use crate::frame::{self, MAX_FRAME_BYTES};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, Read, Write};
use std::path::{Path, PathBuf};

/// The largest log that is written or read.
pub const MAX_LOG_BYTES: u64 = 1024 * 1024 * 1024;
/// The most events that are written or read.
pub const MAX_LOG_EVENTS: u64 = 1_000_000;

/// A place in the middle of a log from which on it cannot be trusted. A crash does not do this; a failing disk or a hand does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Where the damaged frame begins, in bytes.
    pub offset: u64,
    /// Bytes from there to the end of the log; they are not part of the run any more.
    pub bytes: u64,
}

/// What a log says.
#[derive(Debug, PartialEq)]
pub(crate) struct Replay {
    /// The events of the valid prefix.
    pub events: Vec<Event>,
    /// Length of the valid prefix in bytes.
    pub end: u64,
    /// Whether a last frame follows that was not written to its end.
    pub torn: bool,
    /// Set when more than a torn last frame follows.
    pub damage: Option<Damage>,
}

/// Reads the longest prefix of whole frames with gapless sequence numbers.
pub(crate) fn replay(mut log: impl BufRead, path: &Path) -> Result<Replay, StoreError> {
    let failed = |error| StoreError::io("read", path, error);
    let too_large = |limit, unit| StoreError::TooLarge { path: path.to_owned(), limit, unit };
    let mut replay = Replay { events: Vec::new(), end: 0, torn: false, damage: None };
    let mut line = Vec::new();
    loop {
        line.clear();
        log.by_ref().take(MAX_FRAME_BYTES as u64).read_until(b'\n', &mut line).map_err(failed)?;
        let sequence = replay.events.len() as u64;
        let Some(event) = frame::decode(&line).filter(|event| event.sequence == sequence) else { break };
        replay.events.push(event);
        replay.end += line.len() as u64;
        if replay.end > MAX_LOG_BYTES {
            return Err(too_large(MAX_LOG_BYTES, "bytes"));
        }
        if replay.events.len() as u64 > MAX_LOG_EVENTS {
            return Err(too_large(MAX_LOG_EVENTS, "events"));
        }
    }
    let rest = line.len() as u64 + io::copy(&mut log.take(MAX_LOG_BYTES), &mut io::sink()).map_err(failed)?;
    let has_line_feed = line.ends_with(b"\n");
    let is_last = rest == line.len() as u64;
    replay.torn = rest > 0 && is_last && !has_line_feed;
    replay.damage = (rest > 0 && !replay.torn).then_some(Damage { offset: replay.end, bytes: rest });
    Ok(replay)
}

impl Replay {
    /// The header of the run, if its first event is one this build can read.
    pub(crate) fn header(&self) -> Option<&RunHeader> {
        match &self.events.first()?.body {
            EventBody::Started { header } => Some(header),
            _ => None,
        }
    }
}

/// Refuses bytes that are not a whole log from its first frame to its last.
pub(crate) fn check_whole(log: &[u8], path: &Path) -> Result<(), StoreError> {
    check_format(log, path)?;
    let replay = replay(log, path)?;
    let is_whole = replay.header().is_some() && !replay.torn && replay.damage.is_none();
    if is_whole { Ok(()) } else { Err(StoreError::DamagedLog { path: path.to_owned() }) }
}

/// Refuses a log whose header says a newer format, however the rest of that header may look.
pub(crate) fn check_format(log: impl BufRead, path: &Path) -> Result<(), StoreError> {
    #[derive(Deserialize)]
    struct First {
        body: FirstBody,
    }
    #[derive(Deserialize)]
    struct FirstBody {
        header: FirstHeader,
    }
    #[derive(Deserialize)]
    struct FirstHeader {
        format: u32,
    }
    let mut line = Vec::new();
    log.take(MAX_FRAME_BYTES as u64)
        .read_until(b'\n', &mut line)
        .map_err(|error| StoreError::io("read", path, error))?;
    let first: Option<First> = frame::json(&line).and_then(|json| serde_json::from_slice(json).ok());
    match first.map(|first| first.body.header.format) {
        Some(found) if found > RUN_FORMAT => {
            Err(StoreError::NewerFormat { path: path.to_owned(), found, known: RUN_FORMAT })
        }
        _ => Ok(()),
    }
}

/// What the log needs of a file; a trait so that a test can fill the disk.
pub(crate) trait LogFile: Write {
    fn cut(&mut self, length: u64) -> io::Result<()>;
    fn sync(&mut self) -> io::Result<()>;
}

impl LogFile for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Appends frames. The file must be in append mode.
#[derive(Debug)]
pub(crate) struct LogWriter<F> {
    file: F,
    path: PathBuf,
    end: u64,
    next: u64,
    has_stale_tail: bool,
}

impl<F: LogFile> LogWriter<F> {
    pub(crate) fn new(file: F, path: PathBuf, end: u64, next: u64) -> Self {
        Self { file, path, end, next, has_stale_tail: false }
    }

    pub(crate) fn append(&mut self, body: EventBody, at_ms: u64) -> Result<(), StoreError> {
        let is_durable = body.is_durable();
        let frame = frame::encode(&Event { sequence: self.next, at_ms, body })
            .map_err(|reason| StoreError::Unwritable { path: self.path.clone(), reason })?;
        if self.end + frame.len() as u64 > MAX_LOG_BYTES || self.next >= MAX_LOG_EVENTS {
            return Err(StoreError::TooMuch { what: "the log", limit: MAX_LOG_BYTES });
        }
        if self.has_stale_tail {
            self.cut_to_end().map_err(|error| StoreError::io("write", &self.path, error))?;
        }
        if let Err(error) = self.write(&frame, is_durable) {
            // Half a frame in the middle of the log would end its valid prefix there; it has to go before the next one.
            self.has_stale_tail = true;
            let _ = self.cut_to_end();
            return Err(StoreError::io("write", &self.path, error));
        }
        self.end += frame.len() as u64;
        self.next += 1;
        Ok(())
    }

    fn write(&mut self, frame: &[u8], is_durable: bool) -> io::Result<()> {
        self.file.write_all(frame)?;
        if is_durable { self.file.sync() } else { Ok(()) }
    }

    fn cut_to_end(&mut self) -> io::Result<()> {
        self.file.cut(self.end)?;
        self.has_stale_tail = false;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
