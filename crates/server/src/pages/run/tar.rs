//! A run as a tar archive: the plainest form that keeps a folder together.

use axum::body::Bytes;
use benchwright_store::{Storage, StoreError};

const BLOCK: usize = 512;

/// Whoever asked for the archive went away.
pub struct Broken;

/// Sends the archive of a run piece by piece. The error is none when the receiver went away.
pub fn send(
    storage: &dyn Storage,
    run: &str,
    mut send: impl FnMut(Bytes) -> Result<(), Broken>,
) -> Result<(), Option<StoreError>> {
    let mut put = |name: &str, bytes: Vec<u8>| {
        send(header(run, name, bytes.len()).into()).map_err(|Broken| None)?;
        let padding = bytes.len().next_multiple_of(BLOCK) - bytes.len();
        send(bytes.into()).map_err(|Broken| None)?;
        send(vec![0; padding].into()).map_err(|Broken| None)
    };
    put("log", storage.log(run)?)?;
    if let Some(result) = storage.result(run)? {
        put("run.json", result)?;
    }
    for blob in storage.blobs(run)? {
        let name = format!("blobs/{}/{}", blob.id.0.get(..2).unwrap_or_default(), blob.id.0);
        put(&name, storage.blob(run, &blob.id)?)?;
    }
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
