//! How slowly a client may take what it is sent.

use crate::listen::Limits;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_io_timeout::TimeoutStream;

/// A connection that is given up when its client takes too little. Nobody is hurried while there is nothing to take.
pub(crate) struct Paced<S> {
    stream: Pin<Box<TimeoutStream<S>>>,
    patience: Patience,
    /// How long the client may take nothing.
    nothing: Duration,
    waiting_since: Option<Instant>,
}

/// How long a client may still keep us waiting. What it takes gives it time back, and nobody saves up more than everybody begins with.
struct Patience {
    left: Duration,
    most: Duration,
    back_per_byte: Duration,
}

impl Patience {
    fn spend(&mut self, waited: Duration, taken: usize) {
        let back = self.back_per_byte.saturating_mul(u32::try_from(taken).unwrap_or(u32::MAX));
        self.left = self.left.saturating_sub(waited).saturating_add(back).min(self.most);
    }
}

impl<S: AsyncRead + AsyncWrite> Paced<S> {
    pub fn new(stream: S, limits: &Limits) -> Self {
        let patience = Patience { left: limits.patience, most: limits.patience, back_per_byte: limits.back_per_byte };
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write.min(patience.left)));
        Self { stream: Box::pin(stream), patience, nothing: limits.write, waiting_since: None }
    }

    fn write(
        &mut self,
        write: impl FnOnce(Pin<&mut TimeoutStream<S>>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let written = write(self.stream.as_mut());
        if written.is_pending() {
            self.waiting_since.get_or_insert_with(Instant::now);
        }
        let taken = ready!(written)?;
        let waited = self.waiting_since.take().map_or(Duration::ZERO, |since| since.elapsed());
        self.patience.spend(waited, taken);
        self.stream.as_mut().set_write_timeout_pinned(Some(self.nothing.min(self.patience.left)));
        Poll::Ready(Ok(taken))
    }
}

impl<S: AsyncRead + AsyncWrite> AsyncRead for Paced<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_read(cx, buf)
    }
}

impl<S: AsyncRead + AsyncWrite> AsyncWrite for Paced<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        self.write(|stream| stream.poll_write(cx, buf))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.write(|stream| stream.poll_write_vectored(cx, bufs))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.as_mut().poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// 10 KB a second.
    fn patience() -> Patience {
        Patience { left: 10 * SECOND, most: 10 * SECOND, back_per_byte: Duration::from_micros(100) }
    }

    #[test]
    fn whoever_keeps_the_pace_may_take_for_ever_and_who_does_not_may_not() {
        let (mut steady, mut slow) = (patience(), patience());
        for second in 1..=1000 {
            steady.spend(SECOND, 10_000);
            slow.spend(SECOND, 5_000);
            assert_eq!(slow.left < SECOND, second >= 19, "nobody waits another second for it after {second} s");
        }
        assert!(steady.left >= 9 * SECOND, "{:?}", steady.left);
    }

    #[test]
    fn what_was_taken_fast_is_not_saved_up() {
        let mut patience = patience();
        patience.spend(SECOND, usize::MAX);
        assert_eq!(patience.left, 10 * SECOND);
        patience.spend(11 * SECOND, 1);
        assert_eq!(patience.left, Duration::from_micros(100));
    }
}
