//! One event as one line: `<crc32 of the JSON, 8 hex digits> <length of the JSON in bytes> <JSON>\n`. A person can read it, and a
//! machine can tell whether it is whole.

use crate::event::Event;

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
    serde_json::from_slice(json(line)?).ok()
}

/// The JSON of a whole line.
pub(crate) fn json(line: &[u8]) -> Option<&[u8]> {
    let whole = line.strip_suffix(b"\n")?;
    let json = whole.splitn(3, |byte| *byte == b' ').nth(2)?;
    let before = &whole[..whole.len() - json.len()];
    (before == head(json).as_bytes()).then_some(json)
}

fn head(json: &[u8]) -> String {
    format!("{:08x} {} ", crc32fast::hash(json), json.len())
}

fn wrap(json: &[u8]) -> Vec<u8> {
    let mut line = head(json).into_bytes();
    line.extend_from_slice(json);
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::EventBody;
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
