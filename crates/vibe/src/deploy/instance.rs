use super::{Enforced, compose, native};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpStream;
use url::Url;

/// Until somebody who listens at an address lets us in.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// What runs.
#[derive(Debug)]
pub(super) enum Running {
    /// Somebody else runs it.
    Address(String),
    Native(native::Running),
    Compose(compose::Running),
}

/// One running app with data of its own. It ends with the last value that speaks for it.
#[derive(Debug)]
pub struct Instance {
    running: Arc<Running>,
}

impl Instance {
    pub(super) fn new(running: Arc<Running>) -> Self {
        Self { running }
    }

    /// Its address, up to and including the slash after the port.
    pub fn origin(&self) -> &str {
        match &*self.running {
            Running::Address(url) => url,
            Running::Native(running) => running.origin(),
            Running::Compose(running) => running.origin(),
        }
    }

    /// The end of what it has written so far. An app that only consists of files writes nothing.
    pub fn log(&self) -> Option<String> {
        match &*self.running {
            Running::Address(_) => None,
            Running::Native(running) => running.log(),
            Running::Compose(running) => Some(running.log()),
        }
    }

    /// Whether it can still answer.
    pub fn is_running(&self) -> bool {
        self.running.is_running()
    }

    /// Whether it still answers. Of an app that somebody else runs nobody says when it ends, so it is asked.
    pub async fn answers(&self) -> bool {
        match &*self.running {
            Running::Address(url) => is_listening(url).await,
            running => running.is_running(),
        }
    }

    /// What holds each of its limits.
    pub fn enforced(&self) -> Enforced {
        match &*self.running {
            Running::Address(_) => Enforced::new(),
            Running::Native(running) => running.enforced(),
            Running::Compose(running) => running.enforced(),
        }
    }

    /// Ends it, unless somebody shares it, and waits until it is gone.
    pub async fn stop(self) {
        if let Some(running) = Arc::into_inner(self.running) {
            running.end().await;
        }
    }
}

impl Running {
    pub(super) fn is_running(&self) -> bool {
        match self {
            Self::Address(_) => true,
            Self::Native(running) => running.is_running(),
            Self::Compose(running) => running.is_running(),
        }
    }

    pub(super) async fn end(self) {
        match self {
            Self::Address(_) => {}
            Self::Native(running) => running.end().await,
            Self::Compose(running) => running.end().await,
        }
    }
}

/// Whether anybody listens at an address.
pub async fn is_listening(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_owned();
    let port = url.port_or_known_default().unwrap_or(80);
    matches!(tokio::time::timeout(ANSWER_LIMIT, TcpStream::connect((host, port))).await, Ok(Ok(_)))
}
