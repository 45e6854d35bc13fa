//! Texts that mark the records of one run, so that no seed data can be taken for them.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// A number nobody can foresee, from the operating system.
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A word of letters and digits that a form accepts as a name and before the @ of an e-mail address: `Bwf7` and 9 characters.
pub fn marker(scorer: &str, random: u64) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut left = random;
    let mut word = format!("Bw{scorer}");
    for _ in 0..9 {
        word.push(char::from(LETTERS[(left % 32) as usize]));
        left /= 32;
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_one_word_and_depends_on_all_it_is_given() {
        assert_eq!(marker("f7", 0), "Bwf7aaaaaaaaa");
        assert_ne!(marker("f7", 1), marker("f7", 2));
        assert_ne!(marker("f8", random()), marker("f8", random()));
        assert!(marker("f8", u64::MAX).chars().all(|c| c.is_ascii_alphanumeric()));
    }
}
