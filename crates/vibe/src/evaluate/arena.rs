//! The browser of an evaluation. It reaches the apps that are being walked and the public internet, and nothing else of this machine or
//! its network.

use super::EvaluateError;
use crate::walk::{Keeper, Settings, Stage, WalkError};
use benchwright_browser::{Browser, BrowserError, EngineSource};
use benchwright_sandbox::chromium::{self, Launch, RunningChromium};
use benchwright_sandbox::egress::{Admission, Egress};
use benchwright_sandbox::{Instruments, SandboxError, Scratch};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use url::Url;

const START_LIMIT: Duration = Duration::from_mins(1);

/// What a browser is started with. The command line finds it; libraries do not look around.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The program.
    pub chromium: PathBuf,
    /// The pinned npm instruments, which have the engine of locators.
    pub instruments: Instruments,
    /// Where temporary folders go.
    pub scratch_base: PathBuf,
    /// Whether this process is root's.
    pub as_root: bool,
}

/// A browser that is started when it is needed, and started again when it died.
pub struct Arena {
    surroundings: Surroundings,
    scratch: Scratch,
    egress: Egress,
    open: Mutex<Option<Open>>,
}

struct Open {
    running: RunningChromium,
    browser: Arc<Browser>,
}

impl Arena {
    /// Prepares one; no browser is started yet. `typed` is an address that the user named, and therefore may be a local one.
    pub async fn new(surroundings: Surroundings, typed: Option<&str>) -> Result<Self, EvaluateError> {
        let scratch = Scratch::new(&surroundings.scratch_base, "arena")?;
        let egress = match typed.and_then(host_and_port) {
            Some((host, port)) => Egress::start(&host, port).await,
            None => Egress::start_for_strangers().await,
        };
        let egress = egress.map_err(EvaluateError::Egress)?;
        Ok(Self { surroundings, scratch, egress, open: Mutex::new(None) })
    }

    /// The browser.
    pub async fn browser(&self) -> Result<Arc<Browser>, EvaluateError> {
        let mut open = self.open.lock().await;
        if let Some(Open { browser, .. }) = &*open
            && browser.is_connected()
        {
            return Ok(Arc::clone(browser));
        }
        if let Some(dead) = open.take() {
            dead.running.close().await;
        }
        let started = self.start().await?;
        let browser = Arc::clone(&started.browser);
        *open = Some(started);
        Ok(browser)
    }

    async fn start(&self) -> Result<Open, EvaluateError> {
        let mut running = chromium::launch(Launch {
            program: &self.surroundings.chromium,
            scratch: &self.scratch,
            debugging_port: false,
            as_root: self.surroundings.as_root,
            extra_args: self.egress.switches(),
            start_limit: START_LIMIT,
        })
        .await?;
        let (reader, writer) = running.take_pipe().ok_or(BrowserError::Disconnected)?;
        let engine = EngineSource(self.surroundings.instruments.engine_source()?);
        let browser = Arc::new(Browser::connect(reader, writer, Some(engine)).await?);
        Ok(Open { running, browser })
    }

    /// A stage in the browser, which is started once more when it died and nobody had noticed.
    pub async fn stage(
        &self,
        origin: &str,
        settings: Settings,
        keeper: impl Fn() -> Box<dyn Keeper>,
    ) -> Result<(Arc<Browser>, Stage), EvaluateError> {
        let browser = self.browser().await?;
        match Stage::open(&browser, origin, settings.clone(), keeper()).await {
            Err(WalkError::Browser(_)) if !browser.is_connected() => {}
            opened => return Ok((browser, opened?)),
        }
        let browser = self.browser().await?;
        let stage = Stage::open(&browser, origin, settings, keeper()).await?;
        Ok((browser, stage))
    }

    /// Lets the browser reach an app of ours until the value goes.
    pub fn admit(&self, origin: &str) -> Option<Admission> {
        let (host, port) = host_and_port(origin)?;
        let address: SocketAddr = (host.as_str(), port).to_socket_addrs().ok()?.next()?;
        Some(self.egress.admit(address))
    }

    /// An empty folder for the files of one walk.
    pub fn files(&self, name: &str) -> Result<PathBuf, SandboxError> {
        self.scratch.folder(name)
    }

    /// Ends the browser and waits until nothing is left of it.
    pub async fn close(self) {
        if let Some(Open { running, browser }) = self.open.into_inner() {
            drop(browser);
            running.close().await;
        }
        let scratch = self.scratch;
        let _ = tokio::task::spawn_blocking(move || drop(scratch)).await;
    }
}

/// Host and port of an address.
fn host_and_port(address: &str) -> Option<(String, u16)> {
    let url = Url::parse(address).ok()?;
    Some((url.host_str()?.to_owned(), url.port_or_known_default()?))
}
