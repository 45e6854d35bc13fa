//! Ctrl-C, and polite requests to end.

use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears every request to end from the moment it is made. Once somebody has listened, the system no longer ends us by itself, so
/// what comes between two steps of a run must not be missed.
pub struct Interruption {
    typed: Option<Signal>,
    asked: Option<Signal>,
}

impl Interruption {
    /// Begins to listen.
    pub fn listen() -> Self {
        Self { typed: signal(SignalKind::interrupt()).ok(), asked: signal(SignalKind::terminate()).ok() }
    }

    /// Waits for the next request, or takes one that came meanwhile.
    pub async fn arrives(&mut self) {
        tokio::select! {
            () = next(&mut self.typed) => {}
            () = next(&mut self.asked) => {}
        }
    }
}

async fn next(signal: &mut Option<Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}
