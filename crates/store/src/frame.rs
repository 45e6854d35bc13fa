//! One event as one line: `<crc32 of the JSON, 8 hex digits> <length of the JSON in bytes> <JSON>\n`. A person can read it, and a
//! machine can tell whether it is whole.

use crate::event::{Event, EventBody};

/// The longest line that is written or read.
pub const MAX_FRAME_BYTES: usize = 16 * 1024 * 1024;

/// The line of an event, or why it would not read back.
pub(crate) fn encode(event: &Event) -> Result<Vec<u8>, String> {
    let json = serde_json::to_vec(event).map_err(|error| error.to_string())?;
    let line = wrap(&json);
    if line.len() > MAX_FRAME_BYTES {
        return Err(format!("it is larger than {MAX_FRAME_BYTES} bytes; keep its content in a blob"));
    }
    // What was written is lost if it cannot be read, and JSON that nests too deeply is such a case.
    decode(&line).ok_or("its content nests too deeply to be read back")?;
    Ok(line)
}

/// The event of a line that includes its final line feed; nothing unless the line is exactly what `encode` would write for
/// its JSON.
pub(crate) fn decode(line: &[u8]) -> Option<Event> {
    let json = json(line)?;
    plain_note(json).or_else(|| serde_json::from_slice(json).ok())
}

/// The event of a note without escapes, as `encode` writes it. A long log is notes almost to the last line, and a page that shows a few of
/// them waits for all: this takes a fraction of what it takes to read any JSON.
fn plain_note(json: &[u8]) -> Option<Event> {
    let (sequence, rest) = number(json.strip_prefix(br#"{"sequence":"#)?)?;
    let (at_ms, rest) = number(rest.strip_prefix(br#","at_ms":"#)?)?;
    let text = rest.strip_prefix(br#","body":{"event":"note","text":""#)?.strip_suffix(br#""}}"#)?;
    let is_plain = |byte: &u8| *byte >= b' ' && !matches!(byte, b'"' | b'\\');
    let text = str::from_utf8(text).ok().filter(|_| text.iter().all(is_plain))?.to_owned();
    Some(Event { sequence, at_ms, body: EventBody::Note { text } })
}

/// The JSON of a whole line.
pub(crate) fn json(line: &[u8]) -> Option<&[u8]> {
    let (checksum, rest) = line.strip_suffix(b"\n")?.split_first_chunk()?;
    let (length, rest) = number(rest.strip_prefix(b" ")?)?;
    let json = rest.strip_prefix(b" ")?;
    (length == json.len() as u64 && *checksum == hex(crc32fast::hash(json))).then_some(json)
}

/// A whole number at the beginning of a text, in its only spelling, and what follows it.
fn number(text: &[u8]) -> Option<(u64, &[u8])> {
    let (digits, rest) = text.split_at(text.iter().position(|byte| !byte.is_ascii_digit())?);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with(b"0")) {
        return None;
    }
    let appended = |number: u64, digit: &u8| number.checked_mul(10)?.checked_add(u64::from(digit - b'0'));
    Some((digits.iter().try_fold(0, appended)?, rest))
}

fn hex(number: u32) -> [u8; 8] {
    std::array::from_fn(|place| b"0123456789abcdef"[(number >> (28 - 4 * place) & 0xf) as usize])
}

fn wrap(json: &[u8]) -> Vec<u8> {
    let mut line = format!("{:08x} {} ", crc32fast::hash(json), json.len()).into_bytes();
    line.extend_from_slice(json);
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    fn note(text: &str) -> Event {
        Event { sequence: 1, at_ms: 2, body: EventBody::Note { text: text.to_owned() } }
    }

    #[test]
    fn the_line_is_as_documented() {
        let line = String::from_utf8(encode(&note("a\nb")).unwrap()).unwrap();
        let json = r#"{"sequence":1,"at_ms":2,"body":{"event":"note","text":"a\nb"}}"#;
        assert_eq!(line, format!("{:08x} {} {json}\n", crc32fast::hash(json.as_bytes()), json.len()));
    }

    #[test]
    fn the_checksum_is_the_common_crc32() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(&wrap(b"123456789")[..11], b"cbf43926 9 ");
    }

    #[test]
    fn another_spelling_of_the_same_frame_is_not_a_frame() {
        let line = String::from_utf8(encode(&note("x")).unwrap()).unwrap();
        let (checksum, rest) = line.split_once(' ').unwrap();
        assert!(decode(line.as_bytes()).is_some());
        assert!(decode(line.trim_end().as_bytes()).is_none(), "without line feed");
        assert!(decode(format!("{checksum} 0{rest}").as_bytes()).is_none(), "padded length");
        assert!(decode(format!("{}x {rest}", &checksum[..7]).as_bytes()).is_none(), "another checksum");
    }

    #[test]
    fn content_that_could_not_be_read_back_is_refused() {
        let mut absence = Value::Null;
        for _ in 0..200 {
            absence = Value::Array(vec![absence]);
        }
        let event =
            Event { sequence: 0, at_ms: 0, body: EventBody::Absent { kind: "x".into(), absence, seconds: 0.0 } };
        assert!(encode(&event).unwrap_err().contains("nests too deeply"));
        assert!(encode(&note(&"x".repeat(MAX_FRAME_BYTES))).unwrap_err().contains("larger than"));
    }

    proptest! {
        #[test]
        fn every_note_reads_back(sequence: u64, at_ms: u64, text: String) {
            let event = Event { sequence, at_ms, body: EventBody::Note { text } };
            prop_assert_eq!(decode(&encode(&event).unwrap()), Some(event));
        }

        #[test]
        fn a_note_written_otherwise_reads_as_its_json_does(
            text in "[a-z\\\\\"\u{0}-\u{20}é]{0,8}", at in 0_usize..80, cut in 0_usize..3, put in "[0-9a-z\"\\\\{}, ]{0,3}",
        ) {
            let mut json = serde_json::to_vec(&note(&text)).unwrap();
            let at = at.min(json.len());
            let until = (at + cut).min(json.len());
            json.splice(at..until, put.into_bytes());
            prop_assert_eq!(decode(&wrap(&json)), serde_json::from_slice(&json).ok());
        }

        #[test]
        fn every_event_reads_back(sequence: u64, at_ms: u64, kind: String, seconds in 0.0..1e9_f64, version: u32) {
            let blob = benchwright_domain::BlobId("0".repeat(64));
            let event = Event { sequence, at_ms, body: EventBody::Evidence { kind, version, blob, seconds } };
            prop_assert_eq!(decode(&encode(&event).unwrap()), Some(event));
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
            prop_assert!(decode(&bytes).is_none());
        }
    }
}
