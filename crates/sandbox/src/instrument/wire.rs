//! One JSON value per line, with a limit on the line.

use serde_json::Value;
use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// The longest answer an instrument may give.
const MAX_LINE: usize = 8 * 1024 * 1024;

/// What came over the wire.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Answer(Answer),
    Hangup,
    Nonsense(&'static str),
}

#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    Result(Value),
    Error { kind: String, message: String },
}

/// Reads the answer to request `id`.
pub(super) async fn read_answer<R: AsyncBufRead + Unpin>(reader: &mut R, id: u64) -> Incoming {
    match read_line(reader).await {
        Ok(Some(line)) => parse(&line, id).map_or_else(Incoming::Nonsense, Incoming::Answer),
        Ok(None) => Incoming::Hangup,
        Err(what) => Incoming::Nonsense(what),
    }
}

fn parse(line: &[u8], id: u64) -> Result<Answer, &'static str> {
    let mut value: Value = serde_json::from_slice(line).map_err(|_| "a line that is not JSON")?;
    if value.get("id").and_then(Value::as_u64) != Some(id) {
        return Err("an answer to another question");
    }
    if let Some(error) = value.get("error") {
        let text = |name| error.get(name).and_then(Value::as_str).unwrap_or("unknown").to_owned();
        return Ok(Answer::Error { kind: text("kind"), message: text("message") });
    }
    value.get_mut("result").map(|result| Answer::Result(result.take())).ok_or("neither result nor error")
}

/// `None` at the end of the stream; a last line without its end counts as the end, too.
async fn read_line<R: AsyncBufRead + Unpin>(reader: &mut R) -> Result<Option<Vec<u8>>, &'static str> {
    let mut line = Vec::new();
    loop {
        let available = reader.fill_buf().await.map_err(|_| "a broken pipe")?;
        if available.is_empty() {
            return Ok(None);
        }
        let end = available.iter().position(|byte| *byte == b'\n');
        let taken = end.unwrap_or(available.len());
        if line.len() + taken > MAX_LINE {
            return Err("an answer over 8 MB");
        }
        line.extend_from_slice(&available[..taken]);
        reader.consume(end.map_or(taken, |end| end + 1));
        if end.is_some() {
            return Ok(Some(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use tokio::io::BufReader;

    async fn answer_to(id: u64, bytes: &[u8]) -> Incoming {
        read_answer(&mut BufReader::with_capacity(7, bytes), id).await
    }

    #[tokio::test]
    async fn results_and_errors_are_told_apart() {
        let result = answer_to(3, b"{\"id\":3,\"result\":{\"a\":1}}\nrest").await;
        assert_eq!(result, Incoming::Answer(Answer::Result(json!({"a": 1}))));
        let error = answer_to(3, b"{\"id\":3,\"error\":{\"kind\":\"k\",\"message\":\"m\"}}\n").await;
        assert_eq!(error, Incoming::Answer(Answer::Error { kind: "k".into(), message: "m".into() }));
        let null = answer_to(3, b"{\"id\":3,\"result\":null}\n").await;
        assert_eq!(null, Incoming::Answer(Answer::Result(Value::Null)));
    }

    #[tokio::test]
    async fn what_is_no_answer_is_nonsense() {
        for bytes in [&b"hello\n"[..], b"{\"id\":4,\"result\":1}\n", b"{\"id\":3}\n", b"\xff\xfe\n", b"\n"] {
            assert!(matches!(answer_to(3, bytes).await, Incoming::Nonsense(_)), "{bytes:?}");
        }
    }

    #[tokio::test]
    async fn a_torn_line_is_a_hangup() {
        assert_eq!(answer_to(3, b"{\"id\":3,\"result\":").await, Incoming::Hangup);
    }

    #[tokio::test]
    async fn an_endless_line_is_cut_off() {
        let endless = tokio::io::repeat(b'x');
        let incoming = read_answer(&mut BufReader::new(endless), 3).await;
        assert_eq!(incoming, Incoming::Nonsense("an answer over 8 MB"));
    }
}
