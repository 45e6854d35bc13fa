//! Bytes that go from one side to the other, and how it is noticed that none do.

use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::Notify;
use tokio::time::timeout;

const BYTES: usize = 16 * 1024;

/// Carries everything to the other side, and says each time that it did.
pub async fn pour(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    stirred: &Notify,
) -> io::Result<()> {
    let mut bytes = vec![0; BYTES];
    loop {
        let read = from.read(&mut bytes).await?;
        if read == 0 {
            return to.shutdown().await;
        }
        to.write_all(&bytes[..read]).await?;
        stirred.notify_one();
    }
}

/// Ends when nothing has stirred for so long, on either side.
pub async fn stillness(stirred: &Notify, patience: Duration) -> io::Error {
    while timeout(patience, stirred.notified()).await.is_ok() {}
    io::ErrorKind::TimedOut.into()
}
