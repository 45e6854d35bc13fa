//! Which bytes of a file a request asks for.

use axum::http::HeaderMap;
use axum::http::header::{IF_RANGE, RANGE};

/// What to send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// All of it.
    Whole,
    /// From the first byte to the last, both included.
    Bytes(u64, u64),
    /// Nothing of what was asked for is there.
    Nothing,
}

impl Part {
    /// What a request asks for of a file of this length. Several ranges at once are answered with the whole, as is what makes no sense and
    /// a range of something that has changed since.
    pub fn asked(headers: &HeaderMap, tag: &str, length: u64) -> Self {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let is_stale = text(IF_RANGE).is_some_and(|known| known != tag);
        let Some(range) = text(RANGE).filter(|_| !is_stale) else { return Self::Whole };
        let Some(asked) = range.strip_prefix("bytes=").filter(|asked| !asked.contains(',')) else { return Self::Whole };
        Self::parse(asked.trim(), length).unwrap_or(Self::Whole)
    }

    /// `first-last`, `first-` or `-count`; nothing for something else.
    fn parse(asked: &str, length: u64) -> Option<Self> {
        let (first, last) = asked.split_once('-')?;
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u64>().ok())?;
        let part = match (first.is_empty(), last.is_empty()) {
            (true, true) => return None,
            (true, false) => match number(last)? {
                0 => Self::Nothing,
                count => Self::Bytes(length.saturating_sub(count), length.saturating_sub(1)),
            },
            (false, true) => Self::Bytes(number(first)?, length.saturating_sub(1)),
            (false, false) => {
                let (first, last) = (number(first)?, number(last)?);
                if last < first {
                    return None;
                }
                Self::Bytes(first, last.min(length.saturating_sub(1)))
            }
        };
        Some(match part {
            Self::Bytes(first, _) if first >= length => Self::Nothing,
            part => part,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: &str = "\"a-1\"";

    fn asked(range: &str, if_range: Option<&str>) -> Part {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, range.parse().unwrap());
        if let Some(tag) = if_range {
            headers.insert(IF_RANGE, tag.parse().unwrap());
        }
        Part::asked(&headers, TAG, 1000)
    }

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        for (range, part) in [
            ("bytes=0-99", Part::Bytes(0, 99)),
            ("bytes=0-0", Part::Bytes(0, 0)),
            ("bytes=900-", Part::Bytes(900, 999)),
            ("bytes=-100", Part::Bytes(900, 999)),
            ("bytes=-5000", Part::Bytes(0, 999)),
            ("bytes=500-5000", Part::Bytes(500, 999)),
            ("bytes=1000-", Part::Nothing),
            ("bytes=5000-6000", Part::Nothing),
            ("bytes=-0", Part::Nothing),
        ] {
            assert_eq!(asked(range, None), part, "{range}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_answered_with_the_whole() {
        for range in ["bytes=", "bytes=-", "bytes=9-1", "bytes=a-b", "bytes=0-1,5-6", "pages=1-2", "bytes=+1-2", "0-5"]
        {
            assert_eq!(asked(range, None), Part::Whole, "{range}");
        }
        assert_eq!(Part::asked(&HeaderMap::new(), TAG, 1000), Part::Whole);
    }

    #[test]
    fn a_range_of_what_has_changed_is_the_whole() {
        assert_eq!(asked("bytes=0-9", Some(TAG)), Part::Bytes(0, 9));
        assert_eq!(asked("bytes=0-9", Some("\"other\"")), Part::Whole);
        assert_eq!(asked("bytes=0-9", Some("W/\"a-1\"")), Part::Whole, "a weak tag promises too little");
    }

    #[test]
    fn an_empty_file_has_no_bytes() {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, "bytes=0-".parse().unwrap());
        assert_eq!(Part::asked(&headers, TAG, 0), Part::Nothing);
    }
}
