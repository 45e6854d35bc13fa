use std::fmt;

/// A key to a provider. It can be made and handed on by anyone, read by nobody outside this crate, and neither printed nor serialised.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Seals a key. White space around it, which shells and files like to add, is not part of it. Empty text is no key.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        (!text.is_empty() && plain).then(|| Self(text.to_owned()))
    }

    pub(crate) fn open(&self) -> &str {
        &self.0
    }

    /// A text from outside without the key in it, should a provider quote it back.
    pub(crate) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "***")
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_shows_nothing_of_itself() {
        let key = ApiKey::new(" sk-s3cret\n").unwrap();
        assert_eq!(format!("{key:?} {:#?}", Some(&key)), "*** Some(\n    ***,\n)");
        assert_eq!(key.open(), "sk-s3cret");
        assert_eq!(key.scrub("wrong key sk-s3cret!"), "wrong key ***!");
    }

    #[test]
    fn what_cannot_be_a_key_is_none() {
        for text in ["", "  ", "two words", "line\nbreak", "schlüssel"] {
            assert_eq!(ApiKey::new(text), None, "{text}");
        }
    }
}
