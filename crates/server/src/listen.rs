//! Connections: how many, how long, how large; and an end that lets answers be finished.

use crate::carrier::{self, Arrival, Carrier};
use crate::front::Front;
use std::io;
use std::num::NonZero;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// What one client may take.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Connections at once; who comes later waits.
    pub connections: usize,
    /// How long a connection may take to send the head of a request, and how long it may be idle between two.
    pub head: Duration,
    /// How long a client may take nothing of an answer.
    pub write: Duration,
    /// How long a client may keep answers waiting in all. What it takes gives some of that back.
    pub patience: Duration,
    /// How much every byte gives back: whoever takes fewer in a second than are worth one is let go in the end.
    pub back_per_byte: Duration,
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
            // 10 KB a second, below what the slowest line people read with carries, and two minutes for tunnels and lifts.
            patience: Duration::from_mins(2),
            back_per_byte: Duration::from_micros(100),
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
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
    let carriers = (0..threads).map(|_| Carrier::start(front.clone(), limits)).collect::<io::Result<Vec<_>>>()?;
    let mut ended = std::pin::pin!(ended);
    for carrier in (0..carriers.len()).cycle() {
        let arrival = tokio::select! {
            arrival = next_arrival(&listener, &places) => arrival?,
            () = &mut ended => break,
        };
        carriers[carrier].take(arrival)?;
    }
    drop(listener);
    carrier::end(carriers).await;
    Ok(())
}

async fn next_arrival(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<Arrival> {
    loop {
        match accept(listener, places).await {
            Err(error) if !is_of_the_listener(&error) => {
                // Out of files or memory, or a client that broke off: nothing to do but wait a moment.
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            arrival => return arrival,
        }
    }
}

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> io::Result<Arrival> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok(Arrival { stream: stream.into_std()?, peer, place })
}

/// Errors after which nobody will ever be accepted. All others are of one connection or of a moment: what is pending on a connection
/// arrives here as well, and firewalls, networks and memory that runs out have errors of their own.
fn is_of_the_listener(error: &io::Error) -> bool {
    const BAD_FILE: i32 = 9;
    const NOT_LISTENING: i32 = 22;
    const NO_SOCKET: i32 = if cfg!(target_os = "linux") { 88 } else { 38 };
    matches!(error.raw_os_error(), Some(BAD_FILE | NOT_LISTENING | NO_SOCKET))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::routing::get;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpStream;
    use tokio::sync::oneshot;

    /// More than the system keeps of an answer that nobody takes.
    const LARGE: usize = 64 * 1024 * 1024;
    const PATIENCE: Duration = Duration::from_mins(1);

    /// EPERM of a firewall, ENOMEM, EPROTO, EOPNOTSUPP and ENETDOWN among others, which Linux hands over from a connection.
    #[cfg(target_os = "linux")]
    #[test]
    fn one_connection_that_could_not_be_accepted_ended_the_site() {
        for code in [1, 4, 11, 12, 23, 24, 71, 92, 95, 100, 101, 103, 104, 105, 110, 112, 113] {
            let error = io::Error::from_raw_os_error(code);
            assert!(!is_of_the_listener(&error), "{error}");
        }
        assert!(!is_of_the_listener(&io::Error::other("no code")));
        for code in [9, 22, 88] {
            let error = io::Error::from_raw_os_error(code);
            assert!(is_of_the_listener(&error), "{error}");
        }
    }

    async fn takes_nothing(client: TcpStream) {
        std::future::pending::<()>().await;
        drop(client);
    }

    async fn takes_a_little_at_a_time(mut client: TcpStream) {
        while client.read(&mut [0; 1000]).await.is_ok_and(|taken| taken > 0) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        takes_nothing(client).await;
    }

    /// The only connection there may be is that of a client that asks for much; then somebody else asks.
    async fn assert_the_next_is_served<F>(limits: Limits, taking: fn(TcpStream) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let router =
            Router::new().route("/large", get(async || vec![b'x'; LARGE])).route("/small", get(async || "all is well"));
        let limits = Limits { connections: 1, ..limits };
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (end, ended) = oneshot::channel::<()>();
        let ended = async {
            let _ = ended.await;
        };
        let site = tokio::spawn(serve(listener, Front::guarded(router), limits, ended));
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET /large HTTP/1.1\r\nhost: x\r\n\r\n").await.unwrap();
        let slow = tokio::spawn(taking(slow));
        let mut next = TcpStream::connect(address).await.unwrap();
        next.write_all(b"GET /small HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
        let mut answer = String::new();
        tokio::time::timeout(PATIENCE, next.read_to_string(&mut answer)).await.unwrap().unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("all is well"), "{answer}");
        slow.abort();
        end.send(()).unwrap();
        site.await.unwrap().unwrap();
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_never_reads_gives_its_place_to_the_next() {
        let limits = Limits { write: Duration::from_millis(100), ..Limits::default() };
        assert_the_next_is_served(limits, takes_nothing).await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_client_that_took_a_little_at_a_time_kept_its_place_for_as_long_as_it_liked() {
        let megabyte_a_second = Duration::from_micros(1);
        let limits =
            Limits { patience: Duration::from_millis(200), back_per_byte: megabyte_a_second, ..Limits::default() };
        assert_the_next_is_served(limits, takes_a_little_at_a_time).await;
    }
}
