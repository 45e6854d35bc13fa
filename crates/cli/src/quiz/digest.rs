//! SHA-256 of what does not fit into memory.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::io::{self, Read};

/// The SHA-256 of everything a reader gives, in hexadecimal digits.
pub fn sha256(mut reader: impl Read) -> io::Result<String> {
    let mut digest = Sha256::new();
    let mut piece = vec![0; 1024 * 1024];
    while let count @ 1.. = reader.read(&mut piece)? {
        digest.update(&piece[..count]);
    }
    Ok(digest.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_known_digest_of_abc() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(&b"abc"[..]).unwrap(), expected);
    }
}
