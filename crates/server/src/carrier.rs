//! Threads that move bytes. Each has connections of its own and nothing else to do, so that what is sent from memory waits for nobody.

use crate::front::Front;
use crate::listen::Limits;
use crate::pace::Paced;
use hyper::server::conn::http1::Builder;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::thread;
use tokio::runtime::{self, Handle};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, oneshot};

/// A connection that was accepted.
pub(crate) struct Arrival {
    pub stream: TcpStream,
    pub peer: SocketAddr,
    /// Among all connections; free again when this one has ended. It also limits how many arrivals can wait.
    pub place: OwnedSemaphorePermit,
}

/// A thread with its connections.
pub(crate) struct Carrier {
    arrivals: UnboundedSender<Arrival>,
    ended: oneshot::Receiver<()>,
}

impl Carrier {
    /// Starts a thread. What needs more than memory is thought about by the runtime that calls this.
    pub fn start(front: Front, limits: Limits) -> io::Result<Self> {
        let runtime = runtime::Builder::new_current_thread().enable_all().build()?;
        let thinking = Handle::current();
        let (arrivals, received) = unbounded_channel();
        let (end, ended) = oneshot::channel();
        thread::Builder::new().name("connections".to_owned()).spawn(move || {
            runtime.block_on(carry(received, front, limits, thinking));
            let _ = end.send(());
        })?;
        Ok(Self { arrivals, ended })
    }

    pub fn take(&self, arrival: Arrival) -> io::Result<()> {
        self.arrivals.send(arrival).map_err(|_| io::Error::other("a thread for connections has ended"))
    }
}

/// Lets all answers be finished, as long as the limits allow.
pub(crate) async fn end(carriers: Vec<Carrier>) {
    let ended: Vec<_> = carriers.into_iter().map(|carrier| carrier.ended).collect();
    for carrier in ended {
        let _ = carrier.await;
    }
}

async fn carry(mut arrivals: UnboundedReceiver<Arrival>, front: Front, limits: Limits, thinking: Handle) {
    let graceful = GracefulShutdown::new();
    while let Some(Arrival { stream, peer, place }) = arrivals.recv().await {
        // Fails where the client has broken off already.
        let Ok(stream) = tokio::net::TcpStream::from_std(stream) else { continue };
        let _ = stream.set_nodelay(true);
        let stream = Paced::new(stream, &limits);
        let mut builder = Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(limits.head).max_buf_size(limits.head_bytes);
        let conversation = front.heard_from(peer, &thinking);
        let connection = graceful.watch(builder.serve_connection(TokioIo::new(stream), conversation));
        tokio::spawn(async move {
            // A client that breaks off is no event.
            let _ = connection.await;
            drop(place);
        });
    }
    let _ = tokio::time::timeout(limits.end, graceful.shutdown()).await;
}
