//! A run as a tar archive: the plainest form that keeps a folder together.

use axum::body::Bytes;
use benchwright_store::{Storage, StoreError, garbage};

const BLOCK: usize = 512;

/// Whoever asked for the archive went away.
pub struct Broken;

/// Sends the archive of a run piece by piece: its log, its result, and the blobs that these name. What was submitted with it is not the
/// site's to give away, and may still be there where a worker was killed. The error is none when the receiver went away.
pub fn send(
    storage: &dyn Storage,
    run: &str,
    mut send: impl FnMut(Bytes) -> Result<(), Broken>,
) -> Result<(), Option<StoreError>> {
    let mut put = |name: &str, bytes: Bytes| {
        send(header(run, name, bytes.len()).into()).map_err(|Broken| None)?;
        let padding = bytes.len().next_multiple_of(BLOCK) - bytes.len();
        send(bytes).map_err(|Broken| None)?;
        send(vec![0; padding].into()).map_err(|Broken| None)
    };
    let (log, result) = (Bytes::from(storage.log(run)?), storage.result(run)?.map(Bytes::from));
    put("log", log.clone())?;
    if let Some(result) = &result {
        put("run.json", result.clone())?;
    }
    garbage::each_named(storage, run, (&log, result.as_deref()), |id, bytes| {
        put(&format!("blobs/{}/{}", id.0.get(..2).unwrap_or_default(), id.0), bytes.into())
    })?;
    send(vec![0; 2 * BLOCK].into()).map_err(|Broken| None)
}

/// The head of a file, as POSIX wants it (ustar): the run is the folder.
fn header(run: &str, name: &str, length: usize) -> Vec<u8> {
    let mut block = vec![0; BLOCK];
    let mut set = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    set(0, name);
    set(100, "0000644\0");
    set(108, "0000000\0");
    set(116, "0000000\0");
    set(124, &format!("{length:011o}\0"));
    set(136, "00000000000\0");
    set(148, "        ");
    set(156, "0");
    set(257, "ustar\u{0}00");
    set(345, run);
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    block
}

#[cfg(test)]
mod tests {
    use super::*;
    use benchwright_store::{EventBody, Folder, RUN_FORMAT, RunHeader};
    use serde_json::{Value, json};

    fn archive(storage: &dyn Storage, run: &str) -> Vec<u8> {
        let mut archive = Vec::new();
        let kept = send(storage, run, |bytes| {
            archive.extend_from_slice(&bytes);
            Ok(())
        });
        assert!(kept.is_ok());
        archive
    }

    /// A worker was killed after the run was finished and before it removed what was submitted.
    #[test]
    fn a_submitted_source_is_no_part_of_the_archive_though_no_worker_removed_it() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Folder::at(folder.path());
        storage.put_blob("job1", b"PK\x03\x04 somebody's source").unwrap();
        let header = RunHeader {
            format: RUN_FORMAT,
            id: "job1".to_owned(),
            started_at: "2026-11-16T08:00:00Z".to_owned(),
            benchwright: "0.1.0".to_owned(),
            request: Value::Null,
        };
        let mut run = storage.create(&header).unwrap();
        let shot = run.put_blob(b"\x89PNG pixels").unwrap();
        let blob = run.put_blob(json!({ "shot": shot }).to_string().as_bytes()).unwrap();
        run.append(EventBody::Evidence { kind: "page".to_owned(), version: 1, blob, seconds: 0.5 }, 1).unwrap();
        run.append(EventBody::Finished {}, 2).unwrap();
        let report = run.put_blob(b"{\"composite\":81.5}").unwrap();
        run.finish(&json!({ "record": { "report": report } })).unwrap();
        let archive = archive(&storage, "job1");
        let has = |part: &[u8]| archive.windows(part.len()).any(|bytes| bytes == part);
        for part in ["run.json", "\"evidence\"", "\"shot\":", "PNG pixels", "\"composite\":81.5"] {
            assert!(has(part.as_bytes()), "{part}");
        }
        assert!(!has(b"somebody's source"));
    }

    #[test]
    fn the_head_of_a_file_is_what_posix_wants() {
        let header = header("run-1", "log", 1000);
        assert_eq!(&header[..4], b"log\0");
        assert_eq!(&header[124..136], b"00000001750\0");
        assert_eq!(&header[257..263], b"ustar\0");
        assert_eq!(&header[345..351], b"run-1\0");
        let unsummed =
            header.iter().enumerate().map(|(at, byte)| if (148..156).contains(&at) { 32 } else { u32::from(*byte) });
        assert_eq!(format!("{:06o}\0 ", unsummed.sum::<u32>()).as_bytes(), &header[148..156]);
    }
}
