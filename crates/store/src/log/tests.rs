use super::*;
use proptest::prelude::*;
use std::io::ErrorKind;

fn header() -> RunHeader {
    RunHeader {
        format: RUN_FORMAT,
        id: "r1".to_owned(),
        started_at: "2026-11-16T00:00:00Z".to_owned(),
        benchwright: "0.1.0".to_owned(),
        request: serde_json::json!({ "url": "https://example.org/" }),
    }
}

fn events(count: u64) -> Vec<Event> {
    let body = |sequence| match sequence {
        0 => EventBody::Started { header: header() },
        n => EventBody::Note { text: format!("note {n} — ünïcode") },
    };
    (0..count).map(|sequence| Event { sequence, at_ms: 1000 + sequence, body: body(sequence) }).collect()
}

fn bytes(events: &[Event]) -> Vec<u8> {
    events.iter().flat_map(|event| frame::encode(event).unwrap()).collect()
}

fn read(bytes: &[u8]) -> Replay {
    replay(bytes, Path::new("log")).unwrap()
}

#[test]
fn a_log_cut_at_any_byte_yields_exactly_the_whole_frames_before_it() {
    let all = events(4);
    let log = bytes(&all);
    let ends: Vec<usize> = (0..=all.len()).map(|count| bytes(&all[..count]).len()).collect();
    for cut in 0..=log.len() {
        let whole = ends.iter().filter(|end| **end <= cut).count() - 1;
        let replay = read(&log[..cut]);
        assert_eq!(replay.events, all[..whole], "cut at {cut}");
        assert_eq!(replay.end, ends[whole] as u64, "cut at {cut}");
        assert_eq!(replay.torn, cut != ends[whole], "cut at {cut}");
        assert_eq!(replay.damage, None, "cut at {cut}");
    }
}

#[test]
fn a_damaged_frame_in_the_middle_ends_the_prefix_there_and_says_so() {
    let all = events(5);
    let before = bytes(&all[..2]).len();
    let frame = bytes(&all[2..3]).len();
    for position in before..before + frame {
        let mut log = bytes(&all);
        log[position] ^= 1;
        let replay = read(&log);
        assert_eq!(replay.events, all[..2], "flipped byte {position}");
        assert!(!replay.torn, "flipped byte {position}");
        assert_eq!(replay.damage, Some(Damage { offset: before as u64, bytes: (log.len() - before) as u64 }));
    }
}

#[test]
fn a_missing_or_repeated_frame_ends_the_prefix() {
    let all = events(4);
    let gap = [bytes(&all[..2]), bytes(&all[3..])].concat();
    assert_eq!(read(&gap).events, all[..2]);
    assert!(read(&gap).damage.is_some());
    let repeated = [bytes(&all[..2]), bytes(&all[1..2])].concat();
    assert_eq!(read(&repeated).events, all[..2]);
}

#[test]
fn zeros_that_a_power_loss_leaves_at_the_end_count_as_torn() {
    let all = events(2);
    let log = [bytes(&all), vec![0; 4096]].concat();
    assert_eq!(read(&log), Replay { events: all.clone(), end: bytes(&all).len() as u64, torn: true, damage: None });
}

#[test]
fn a_newer_format_is_recognised_whatever_else_its_header_says() {
    let line = |json: &str| format!("{:08x} {} {json}\n", crc32fast::hash(json.as_bytes()), json.len());
    let newer = line(r#"{"sequence":0,"body":{"event":"started","header":{"format":2,"run":{"id":7}}}}"#);
    let error = check_format(newer.as_bytes(), Path::new("run/log")).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 2, known: RUN_FORMAT, .. }));
    assert!(error.to_string().ends_with("update Benchwright"), "{error}");
    assert!(check_format(&bytes(&events(1))[..], Path::new("log")).is_ok());
    assert!(check_format(&b"garbage"[..], Path::new("log")).is_ok());
}

/// A disk with room for `room` bytes that, like a real one, takes what fits before it says no.
struct SmallDisk {
    written: Vec<u8>,
    room: usize,
    can_cut: bool,
    synced: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.room - self.written.len());
        if fits == 0 && !bytes.is_empty() {
            return Err(ErrorKind::StorageFull.into());
        }
        self.written.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl LogFile for SmallDisk {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        if !self.can_cut {
            return Err(ErrorKind::TimedOut.into());
        }
        self.written.truncate(length as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        self.synced = self.written.len();
        Ok(())
    }
}

fn writer(room: usize, can_cut: bool) -> LogWriter<SmallDisk> {
    let disk = SmallDisk { written: Vec::new(), room, can_cut, synced: 0 };
    LogWriter::new(disk, PathBuf::from("log"), 0, 0)
}

fn append_all(writer: &mut LogWriter<SmallDisk>, events: &[Event]) -> Result<(), StoreError> {
    events.iter().try_for_each(|event| writer.append(event.body.clone(), event.at_ms))
}

#[test]
fn a_full_disk_at_any_byte_leaves_whole_frames_and_the_run_goes_on_when_there_is_space_again() {
    let all = events(4);
    let log = bytes(&all);
    for room in 0..log.len() {
        let mut writer = writer(room, true);
        let error = append_all(&mut writer, &all).unwrap_err();
        assert!(matches!(error, StoreError::DiskFull { .. }), "{error}");
        let kept = read(&writer.file.written);
        assert!(!kept.torn && kept.damage.is_none(), "room {room}");
        writer.file.room = usize::MAX;
        append_all(&mut writer, &all[kept.events.len()..]).unwrap();
        assert_eq!(read(&writer.file.written).events, all, "room {room}");
    }
}

#[test]
fn nothing_is_appended_behind_half_a_frame_that_could_not_be_cut() {
    let all = events(3);
    let mut writer = writer(bytes(&all[..1]).len() + 5, false);
    assert!(append_all(&mut writer, &all).is_err());
    writer.file.room = usize::MAX;
    assert!(writer.append(all[1].body.clone(), 0).is_err(), "the half frame is still there");
    writer.file.can_cut = true;
    append_all(&mut writer, &all[1..]).unwrap();
    assert_eq!(read(&writer.file.written).events, all);
}

#[test]
fn evidence_and_the_end_are_synced_and_notes_are_not() {
    let mut writer = writer(usize::MAX, true);
    writer.append(EventBody::Note { text: "x".to_owned() }, 0).unwrap();
    assert_eq!(writer.file.synced, 0);
    let blob = benchwright_domain::BlobId("0".repeat(64));
    for body in
        [EventBody::Evidence { kind: "page".to_owned(), version: 1, blob, seconds: 0.5 }, EventBody::Finished {}]
    {
        writer.append(body, 0).unwrap();
        assert_eq!(writer.file.synced, writer.file.written.len());
    }
}

#[test]
fn an_event_that_cannot_be_written_changes_nothing() {
    let mut writer = writer(usize::MAX, true);
    assert!(matches!(writer.append(EventBody::Unknown, 0), Err(StoreError::Unwritable { .. })));
    assert!(writer.file.written.is_empty());
    writer.append(EventBody::Finished {}, 0).unwrap();
    assert_eq!(read(&writer.file.written).events.len(), 1);
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic_and_hold_no_events(bytes: Vec<u8>) {
        let replay = read(&bytes);
        prop_assert!(replay.events.is_empty());
        prop_assert_eq!(replay.torn || replay.damage.is_some(), !bytes.is_empty());
    }

    #[test]
    fn a_log_overwritten_anywhere_still_yields_a_prefix(at in 0_usize..600, junk: Vec<u8>) {
        let all = events(6);
        let mut log = bytes(&all);
        let at = at.min(log.len());
        let until = (at + junk.len()).min(log.len());
        log.splice(at..until, junk);
        let replay = read(&log);
        prop_assert!(all.starts_with(&replay.events));
        prop_assert!(replay.end <= log.len() as u64);
    }
}
