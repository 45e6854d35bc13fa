//! The copies of one app that somebody looks at.

use crate::deploy::{DeployError, Instance, Prepared};
use std::sync::Arc;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use url::Url;

/// Copies that live at the same time: the one that is looked at, and those somebody may want to go back to.
const MOST_LIVE: usize = 3;
/// Copies in all. An app knows its own address, and could ask for more and more.
const MOST_STARTED: usize = 300;
/// Connections to all copies of one app at the same time. Other apps are shown through the same gate.
const MOST_LINES: usize = 128;

/// Why there is no copy.
#[derive(Debug)]
pub enum NoCopy {
    /// The app is closed.
    Closed,
    /// Too many were asked for.
    TooMany,
    /// It does not start.
    Broken(DeployError),
}

/// The copies of one app.
#[derive(Debug)]
pub struct Copies {
    state: Mutex<Option<State>>,
    closing: watch::Sender<bool>,
    lines: Arc<Semaphore>,
}

#[derive(Debug)]
struct State {
    prepared: Prepared,
    /// The one that was asked for last is last.
    live: Vec<(String, Instance)>,
    started: usize,
}

impl Copies {
    pub fn of(prepared: Prepared) -> Self {
        let state = State { prepared, live: Vec::new(), started: 0 };
        let lines = Arc::new(Semaphore::new(MOST_LINES));
        Self { state: Mutex::new(Some(state)), closing: watch::Sender::new(false), lines }
    }

    /// Leave to have one more connection, for as long as it is kept.
    pub fn line(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.lines).try_acquire_owned().ok()
    }

    /// The port of a copy; one that is not there is started, with the data as they were submitted.
    pub async fn port(&self, name: &str) -> Result<u16, NoCopy> {
        let mut closing = self.closing.subscribe();
        tokio::select! {
            biased;
            _ = closing.wait_for(|closing| *closing) => Err(NoCopy::Closed),
            port = async { self.state.lock().await.as_mut().ok_or(NoCopy::Closed)?.port(name).await } => port,
        }
    }

    /// Ends every copy and waits until nothing is left.
    pub async fn close(&self) {
        // Whoever waits for a copy lets go of it, and of the state.
        self.closing.send_replace(true);
        let Some(State { prepared, live, .. }) = self.state.lock().await.take() else { return };
        for (_, instance) in live {
            instance.stop().await;
        }
        prepared.finish().await;
    }
}

impl State {
    async fn port(&mut self, name: &str) -> Result<u16, NoCopy> {
        let there = self.live.iter().position(|(known, instance)| known == name && instance.is_running());
        if let Some(place) = there {
            let copy = self.live.remove(place);
            let port = port_of(&copy.1);
            self.live.push(copy);
            return Ok(port);
        }
        if self.started >= MOST_STARTED {
            return Err(NoCopy::TooMany);
        }
        self.started += 1;
        while let Some(place) = self.live.iter().position(|(known, _)| known == name) {
            self.live.remove(place).1.stop().await;
        }
        while self.live.len() >= MOST_LIVE {
            self.live.remove(0).1.stop().await;
        }
        let instance = self.prepared.start().await.map_err(NoCopy::Broken)?;
        let port = port_of(&instance);
        self.live.push((name.to_owned(), instance));
        Ok(port)
    }
}

fn port_of(instance: &Instance) -> u16 {
    Url::parse(instance.origin()).ok().and_then(|url| url.port_or_known_default()).unwrap_or(80)
}
