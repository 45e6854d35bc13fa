//! The pinned package managers, run behind walls on a copy of an app.
//!
//! A manager reads files that a stranger wrote and fetches what they name. Inside the walls there is no network; a small bridge
//! listens on the sandbox's own loopback and hands every connection to a proxy in our process, which reaches the registry and public
//! addresses only. See `docs/decisions/0008-package-managers.md`.

mod access;
mod cache;
pub mod checkout;
mod egress;
pub mod failure;
pub mod install;
pub mod lockfile;
mod manager;

pub use access::RegistryAccess;
pub(crate) use egress::Egress;
pub use egress::Traffic;
pub use manager::Manager;

use crate::egress::Endpoint;
use crate::instrument::Instruments;
use crate::process::{self, Finished, Limits, Program};
use crate::scratch::Scratch;
use crate::walls::{Walls, bounds};
use crate::{Result, SandboxError};
use egress::SOCKET;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// The heap of a manager that is JavaScript.
const HEAP_LIMIT: &str = "--max-old-space-size=2048";
const BRIDGE: &str = include_str!("bridge.mjs");
/// Where the bridge finds the way out.
const EGRESS_FOLDER: &str = "/egress";
/// Ports of the sandbox's own loopback, which nobody else uses; the second where the registry has the first.
const PROXY_PORTS: [u16; 2] = [3128, 3129];

/// Something for a package manager to do.
#[derive(Debug, Clone)]
pub struct Job<'a> {
    /// Which one.
    pub manager: Manager,
    /// What it is told.
    pub words: &'a [&'a str],
    /// The only folder it may write to, besides its cache. It is home, too.
    pub work: &'a Path,
    /// Where it starts: a folder in `work`.
    pub folder: &'a Path,
    /// Names what is installed and from where, for managers whose cache is not shared.
    pub cache_key: &'a str,
    /// From start to end.
    pub time: Duration,
    /// Of standard output.
    pub output_bytes: usize,
}

/// What came of it.
#[derive(Debug)]
pub struct Done {
    /// How it ended and what it said.
    pub finished: Finished,
    /// What it asked of the network.
    pub traffic: Traffic,
}

/// Does a job.
pub async fn run(job: &Job<'_>, instruments: &Instruments, access: &RegistryAccess, scratch: &Scratch) -> Result<Done> {
    let unusable = |source| SandboxError::Scratch { path: job.work.to_owned(), source };
    let registry = access.endpoint();
    let port = PROXY_PORTS.into_iter().find(|port| *port != registry.port).unwrap_or(PROXY_PORTS[0]);
    let proxy = format!("http://127.0.0.1:{port}");
    manager::write_home(job.work, access, &proxy).map_err(unusable)?;
    let cache = match &access.cache {
        Some(base) => cache::corner(base, job.manager, job.cache_key)?,
        None => job.work.join(".cache"),
    };
    fs::create_dir_all(&cache).map_err(unusable)?;
    let door = scratch.fresh_folder("egress")?;
    let egress = Egress::open(&door, access)?;
    let words = words(job, instruments, &registry, port)?;
    let mut walls = Walls::around(job.work)?
        .read_only(&instruments.root)
        .read_only(&instruments.node)
        .read_only_at(&door, Path::new(EGRESS_FOLDER))
        .start_in(job.folder)
        .open_tmp();
    if access.cache.is_some() {
        walls = walls.writable(&cache)?;
    }
    if let Some(certificates) = &access.certificates {
        walls = walls.read_only(certificates);
    }
    let program = surroundings(walls.program(words)?, access, &proxy);
    let program = job.manager.environment(program, &cache);
    let limits = Limits { time: job.time, stdout_bytes: job.output_bytes };
    let finished = process::run(&program, b"", limits, Some(scratch)).await?;
    let traffic = egress.traffic();
    drop(egress);
    let _ = fs::remove_dir_all(door);
    Ok(Done { finished, traffic })
}

/// The whole command line inside the walls: bounds, bridge, manager.
fn words(job: &Job<'_>, instruments: &Instruments, registry: &Endpoint, port: u16) -> Result<Vec<OsString>> {
    let local = registry.is_loopback().then(|| {
        let address = if registry.host == "localhost" { "127.0.0.1" } else { registry.host.as_str() };
        serde_json::json!({"address": address, "port": registry.port, "target": registry.to_string()})
    });
    let socket = format!("{EGRESS_FOLDER}/{SOCKET}");
    let settings = serde_json::json!({"socket": socket, "proxyPort": port, "local": local}).to_string();
    let mut words = bounds();
    words.push(instruments.node.clone().into());
    words.extend(["--input-type=module", "-e", BRIDGE, "--", &settings].map(Into::into));
    words.extend(job.manager.words(instruments)?);
    words.extend(job.words.iter().map(Into::into));
    Ok(words)
}

/// What every manager is told about the world.
fn surroundings(program: Program, access: &RegistryAccess, proxy: &str) -> Program {
    let mut program = program.env("CI", "1").env("NO_COLOR", "1").env("GIT_TERMINAL_PROMPT", "0");
    program = program.env("NODE_OPTIONS", HEAP_LIMIT);
    program = program.env("GIT_CONFIG_NOSYSTEM", "1").env("NO_PROXY", "127.0.0.1,localhost,::1");
    for name in ["HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"] {
        program = program.env(name, proxy);
    }
    if let Some(certificates) = &access.certificates {
        program = program.env("NODE_EXTRA_CA_CERTS", certificates).env("GIT_SSL_CAINFO", certificates);
        program = program.env("SSL_CERT_FILE", certificates);
    }
    program
}
