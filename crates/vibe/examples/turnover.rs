//! What it takes to go from one workflow to the next: `BUNDLE ROUNDS` prints one line of JSON.
//!
//! An app start is everything from the bundle to the first answer. A turnover is what lies between two workflows: the old context is
//! closed, the instance goes with its data, one with the submitted data takes its place, and a fresh context is opened on it.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "this is a command-line program of the bench"
)]

#[path = "../../browser/tests/support/mod.rs"]
mod support;

use benchwright_sandbox::{Instruments, RegistryAccess};
use benchwright_vibe::bundle::Bundle;
use benchwright_vibe::deploy::{self, Backend, Settings, Workshop};
use benchwright_vibe::walk::{self, InMemory, Stage};
use serde_json::json;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;
use support::Chromium;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [bundle, rounds] = words.as_slice() else { return Err("usage: turnover BUNDLE ROUNDS".into()) };
    let scratch = tempfile::tempdir()?;
    let settings = Settings { backend: Backend::Native, ..Settings::new(workshop(scratch.path())?) };
    let chromium = Chromium::start().await;
    let began = Instant::now();
    let bundle = Bundle::open(Path::new(bundle), scratch.path())?;
    let prepared = deploy::prepare(&bundle, &settings, &|_| {}).await?;
    let mut instance = prepared.start().await?;
    let start = began.elapsed();
    let mut stage = open(&chromium, instance.origin()).await?;
    let mut turnovers = Vec::new();
    for _ in 0..rounds.parse::<u32>()? {
        // A workflow takes longer than the start of the instance that is made ready meanwhile.
        tokio::time::sleep(start).await;
        let began = Instant::now();
        stage.close().await?;
        instance.stop().await;
        instance = prepared.start().await?;
        stage = open(&chromium, instance.origin()).await?;
        turnovers.push(began.elapsed().as_secs_f64());
    }
    stage.close().await?;
    instance.stop().await;
    let once = prepared.took().as_secs_f64();
    prepared.finish().await;
    println!("{}", json!({ "start": start.as_secs_f64(), "prepared": once, "turnovers": turnovers }));
    Ok(())
}

async fn open(chromium: &Chromium, origin: &str) -> Result<Stage, Box<dyn Error>> {
    let settings = walk::Settings { screenshots: false, ..walk::Settings::default() };
    Ok(Stage::open(chromium.browser(), origin, settings, Box::new(InMemory::default())).await?)
}

fn workshop(scratch: &Path) -> Result<Workshop, Box<dyn Error>> {
    let instruments = Instruments::locate(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments"))?;
    let certificates = std::env::var_os("NODE_EXTRA_CA_CERTS").map(PathBuf::from);
    let public = instruments.public_registry.clone();
    let registry = RegistryAccess { cache: Some(scratch.join("cache")), certificates, ..public };
    let (scratch_base, quiet_lock) = (scratch.join("scratch"), scratch.join("lock"));
    Ok(Workshop { instruments, scratch_base, quiet_lock, registry, docker_host: None })
}
