//! Connections: how many, how long, how large; and an end that lets answers be finished.

use crate::front::Front;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

/// What one client may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once; who comes later waits.
    pub connections: usize,
    /// How long a connection may take to send the head of a request, and how long it may be idle between two.
    pub head: Duration,
    /// How long a client may take nothing of an answer.
    pub write: Duration,
    /// Bytes of the head of a request.
    pub head_bytes: usize,
    /// How long answers may take to be finished after the site was told to end.
    pub end: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 12_000,
            head: Duration::from_secs(20),
            write: Duration::from_secs(30),
            head_bytes: 32 * 1024,
            end: Duration::from_secs(10),
        }
    }
}

/// Serves until `ended`, then lets answers be finished.
pub async fn serve(
    listener: TcpListener,
    front: Front,
    limits: Limits,
    ended: impl Future<Output = ()>,
) -> io::Result<()> {
    let places = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut ended = std::pin::pin!(ended);
    loop {
        let accepted = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            () = &mut ended => break,
        };
        let (stream, peer, place) = match accepted {
            Ok(accepted) => accepted,
            Err(error) if is_passing(&error) => {
                // Out of file descriptors: nothing to do but wait until a connection ends.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
            Err(error) => return Err(error),
        };
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(limits.write));
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(limits.head_bytes);
        let connection =
            graceful.watch(builder.serve_connection(TokioIo::new(Box::pin(stream)), front.heard_from(peer)));
        tokio::spawn(async move {
            // A client that breaks off is no event.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    let _ = tokio::time::timeout(limits.end, graceful.shutdown()).await;
    Ok(())
}

async fn accept(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> io::Result<(TcpStream, SocketAddr, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, place))
}

/// Errors of one connection, or of a moment.
fn is_passing(error: &io::Error) -> bool {
    const TOO_MANY_FILES: [i32; 2] = [23, 24];
    let of_the_client = matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionRefused
    );
    of_the_client || error.raw_os_error().is_some_and(|code| TOO_MANY_FILES.contains(&code))
}
