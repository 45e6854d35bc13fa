//! The first words with a browser.

use serde_json::Value;
use std::path::Path;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::sleep;

/// The first answer is a few hundred bytes; a program that says more is not a browser.
const MAX_ANSWER: u64 = 64 * 1024;

/// Asks for the version over the pipe. `None` when the other side hangs up or talks nonsense. Reads exactly to the end of
/// the answer, so that the pipe can be handed on.
pub(super) async fn exchange_version<R, W>(from_browser: &mut R, to_browser: &mut W) -> Option<String>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    to_browser.write_all(b"{\"id\":0,\"method\":\"Browser.getVersion\"}\0").await.ok()?;
    to_browser.flush().await.ok()?;
    let mut answer = Vec::new();
    let mut limited = from_browser.take(MAX_ANSWER);
    loop {
        match limited.read_u8().await.ok()? {
            0 => break,
            byte => answer.push(byte),
        }
    }
    let answer: Value = serde_json::from_slice(&answer).ok()?;
    Some(answer.pointer("/result/product")?.as_str()?.to_owned())
}

/// Waits for the file in which the browser writes the port it got.
pub(super) async fn await_port(profile: &Path) -> u16 {
    let file = profile.join("DevToolsActivePort");
    loop {
        let text = tokio::fs::read_to_string(&file).await.unwrap_or_default();
        // The second line is written after the first; when it is there, the number is complete.
        if let Some((port, _)) = text.split_once('\n')
            && let Ok(port) = port.trim().parse()
        {
            return port;
        }
        sleep(Duration::from_millis(10)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(text: &'static [u8]) -> (Option<String>, Vec<u8>) {
        let (mut ours, theirs) = tokio::io::duplex(1024);
        let (mut from_browser, mut to_browser) = tokio::io::split(theirs);
        ours.write_all(text).await.unwrap();
        let product = exchange_version(&mut from_browser, &mut to_browser).await;
        let mut rest = Vec::new();
        drop(ours);
        from_browser.read_to_end(&mut rest).await.unwrap();
        (product, rest)
    }

    #[tokio::test]
    async fn reads_the_product_and_not_a_byte_more() {
        let (product, rest) = answer(b"{\"id\":0,\"result\":{\"product\":\"Chrome/1.2\"}}\0{\"method\"").await;
        assert_eq!(product.as_deref(), Some("Chrome/1.2"));
        assert_eq!(rest, b"{\"method\"");
    }

    #[tokio::test]
    async fn nonsense_and_an_error_are_no_answer() {
        assert_eq!(answer(b"hello\0").await.0, None);
        assert_eq!(answer(b"{\"id\":0,\"error\":{}}\0").await.0, None);
    }

    #[tokio::test]
    async fn the_port_is_read_once_its_line_is_complete() {
        let profile = tempfile::tempdir().unwrap();
        let file = profile.path().join("DevToolsActivePort");
        std::fs::write(&file, "41").unwrap();
        let port = tokio::join!(await_port(profile.path()), async {
            tokio::task::yield_now().await;
            std::fs::write(&file, "4123\n/devtools/browser/x").unwrap();
        });
        assert_eq!(port.0, 4123);
    }
}
