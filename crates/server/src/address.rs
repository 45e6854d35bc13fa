//! Addresses of pages: everything that came from outside is encoded.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::fmt::Write as _;

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// A part of an address.
pub fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A path with the parts of the query that are set.
pub fn with_query<'a>(path: &str, parts: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> String {
    let mut address = path.to_owned();
    let set = parts.into_iter().filter_map(|(name, value)| Some((name, value?)));
    for (place, (name, value)) in set.enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(address, "{}{name}={}", if place == 0 { '?' } else { '&' }, encode(value));
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_out_of_a_query() {
        let address = with_query("/board", [("prompt", Some("a&b=c\"'<é")), ("tier", None), ("q", Some(""))]);
        assert_eq!(address, "/board?prompt=a%26b%3Dc%22%27%3C%C3%A9&q=");
        assert_eq!(with_query("/", []), "/");
    }
}
