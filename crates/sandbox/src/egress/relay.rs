//! What all proxies do alike once they are asked: take connections in, and carry bytes.

use std::future::poll_fn;
use std::io;
use std::sync::Arc;
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

const CHUNK_BYTES: usize = 64 * 1024;

/// Serves connections, so many at a time, until this future is dropped, and all connections with it.
pub(crate) async fn attend<S, F>(
    places: usize,
    mut accept: impl FnMut(&mut Context<'_>) -> Poll<io::Result<S>>,
    serve: impl Fn(S) -> F,
) where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let places = Arc::new(Semaphore::new(places));
    let mut connections = JoinSet::new();
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        let Ok(client) = poll_fn(&mut accept).await else {
            tokio::task::yield_now().await;
            continue;
        };
        let serving = serve(client);
        connections.spawn(async move {
            // A connection that breaks is the client's to notice.
            let _ = serving.await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

/// Carries bytes both ways until the far side has no more to say, or `goes_on`, which is told how many more came from there, says no.
pub(crate) async fn carry(
    near: impl AsyncRead + AsyncWrite,
    mut far: TcpStream,
    mut goes_on: impl FnMut(usize) -> bool,
) -> io::Result<()> {
    let (mut from_near, mut to_near) = tokio::io::split(near);
    let (mut from_far, mut to_far) = far.split();
    let out = async {
        tokio::io::copy(&mut from_near, &mut to_far).await?;
        to_far.shutdown().await?;
        // The answer may still be on its way.
        std::future::pending().await
    };
    let back = async {
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            let length = from_far.read(&mut chunk).await?;
            if length == 0 || !goes_on(length) {
                return to_near.shutdown().await;
            }
            to_near.write_all(&chunk[..length]).await?;
        }
    };
    tokio::select! {
        ended = out => ended,
        ended = back => ended,
    }
}
