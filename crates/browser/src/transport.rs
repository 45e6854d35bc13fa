//! Messages on the pipe: JSON texts with a NUL byte after each.

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};

/// The largest message we accept. A screenshot of a long page is tens of megabytes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 256 * 1024 * 1024;
/// What is kept of a message over the limit, enough to read its id.
const HEAD_BYTES: usize = 256;
/// A buffer that grew over this is given back after its message.
const KEEP_BYTES: usize = 4 * 1024 * 1024;

/// What came out of the pipe.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Incoming<'a> {
    /// A whole message.
    Message(&'a [u8]),
    /// The start of a message over the limit; the rest was thrown away.
    TooLarge(&'a [u8]),
}

/// Cuts the byte stream into messages.
pub(crate) struct MessageReader<R> {
    source: BufReader<R>,
    message: Vec<u8>,
    limit: usize,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(crate) fn new(source: R, limit: usize) -> Self {
        Self { source: BufReader::with_capacity(256 * 1024, source), message: Vec::new(), limit }
    }

    /// The next message, or none at the end of the stream. A torn last message is dropped.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Incoming<'_>>> {
        if self.message.capacity() > KEEP_BYTES {
            self.message = Vec::new();
        }
        self.message.clear();
        let mut over_limit = false;
        loop {
            let chunk = self.source.fill_buf().await?;
            if chunk.is_empty() {
                return Ok(None);
            }
            let end = chunk.iter().position(|&byte| byte == 0);
            let part = &chunk[..end.unwrap_or(chunk.len())];
            if over_limit || self.message.len() + part.len() > self.limit {
                over_limit = true;
                let room = HEAD_BYTES.saturating_sub(self.message.len()).min(part.len());
                self.message.extend_from_slice(&part[..room]);
            } else {
                self.message.extend_from_slice(part);
            }
            let used = part.len() + usize::from(end.is_some());
            self.source.consume(used);
            if end.is_some() {
                break;
            }
        }
        if over_limit {
            let head = self.message.len().min(HEAD_BYTES);
            return Ok(Some(Incoming::TooLarge(&self.message[..head])));
        }
        Ok(Some(Incoming::Message(&self.message)))
    }
}

/// The id of an answer whose text cannot be parsed as a whole. Chromium writes the id first.
pub(crate) fn id_of_unreadable(head: &[u8]) -> Option<u64> {
    let text = String::from_utf8_lossy(&head[..head.len().min(HEAD_BYTES)]);
    let digits = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"id\"")?;
    let digits = digits.trim_start().strip_prefix(':')?.trim_start();
    let end = digits.find(|c: char| !c.is_ascii_digit())?;
    digits[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn collect(bytes: &[u8], limit: usize) -> Vec<Result<String, String>> {
        let mut reader = MessageReader::new(bytes, limit);
        let mut seen = Vec::new();
        while let Some(incoming) = reader.next().await.unwrap() {
            seen.push(match incoming {
                Incoming::Message(bytes) => Ok(String::from_utf8_lossy(bytes).into_owned()),
                Incoming::TooLarge(head) => Err(String::from_utf8_lossy(head).into_owned()),
            });
        }
        seen
    }

    #[tokio::test]
    async fn messages_are_cut_at_nul_and_a_torn_one_is_dropped() {
        let seen = collect(b"{\"a\":1}\0\0{\"b\":2}\0{\"torn", 100).await;
        assert_eq!(seen, [Ok("{\"a\":1}".to_owned()), Ok(String::new()), Ok("{\"b\":2}".to_owned())]);
    }

    #[tokio::test]
    async fn a_message_over_the_limit_does_not_lose_the_next() {
        let mut bytes = b"{\"id\":7,\"result\":\"".to_vec();
        bytes.extend(vec![b'x'; 1_000_000]);
        bytes.extend(b"\"}\0{\"id\":8}\0");
        let seen = collect(&bytes, 1000).await;
        assert_eq!(seen.len(), 2);
        let head = seen[0].clone().unwrap_err();
        assert_eq!(id_of_unreadable(head.as_bytes()), Some(7));
        assert_eq!(seen[1], Ok("{\"id\":8}".to_owned()));
    }

    #[test]
    fn an_event_has_no_id() {
        assert_eq!(id_of_unreadable(b"{\"method\":\"Page.x\",\"id\":3}"), None);
        assert_eq!(id_of_unreadable(b"garbage"), None);
        assert_eq!(id_of_unreadable(b"{ \"id\" : 12 , "), Some(12));
    }
}
