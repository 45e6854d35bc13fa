//! What this site signs, so that it need not keep it.

use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The proof that we said something for some purpose.
pub fn mac(key: &[u8; 32], purpose: &str, said: &str) -> String {
    // The key has a fixed length and is hashed again, so that nothing can be appended.
    let inner = Sha256::new().chain_update(key).chain_update(purpose).chain_update([0]).chain_update(said).finalize();
    hex(&Sha256::new().chain_update(key).chain_update(inner).finalize())
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// Whether two proofs are the same. Comparing hashes of both tells nothing about either by how long it takes.
pub fn same(one: &str, other: &str) -> bool {
    Sha256::digest(one) == Sha256::digest(other)
}
