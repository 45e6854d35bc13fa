//! Deploys a bundle and says how long it takes: `cargo run -p benchwright-vibe --example deploy -- BUNDLE [native|compose] [DOCKER_HOST]`.

#![allow(clippy::print_stdout, reason = "it is what it is for")]

use benchwright_sandbox::{Instruments, RegistryAccess};
use benchwright_vibe::bundle::Bundle;
use benchwright_vibe::deploy::{self, Backend, Settings, Workshop};
use std::path::{Path, PathBuf};
use std::time::Instant;

const WORKFLOWS: u32 = 5;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let bundle = words.first().ok_or("name a bundle")?;
    let base = std::env::temp_dir().join("benchwright-deploy-example");
    let instruments = Instruments::locate(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments"))?;
    let certificates = std::env::var_os("NODE_EXTRA_CA_CERTS").map(PathBuf::from);
    let public = instruments.public_registry.clone();
    let registry = RegistryAccess { cache: Some(base.join("cache")), certificates, ..public };
    let (scratch_base, quiet_lock) = (base.join("scratch"), base.join("lock"));
    std::fs::create_dir_all(&base)?;
    let workshop = Workshop {
        instruments,
        scratch_base: scratch_base.clone(),
        quiet_lock,
        registry,
        docker_host: words.get(2).cloned(),
    };
    let backend = match words.get(1).map(String::as_str) {
        Some("compose") => Backend::Compose,
        Some("native") => Backend::Native,
        _ => Backend::Auto,
    };
    let settings = Settings { backend, ..Settings::new(workshop) };
    let began = Instant::now();
    let bundle = Bundle::open(Path::new(bundle), &scratch_base)?;
    let prepared = deploy::prepare(&bundle, &settings, &|what| println!("  {what}")).await?;
    let mut instance = prepared.start().await?;
    let start = began.elapsed();
    println!("{} from bundle to answer: {start:.2?} ({:.2?} of it once per app)", prepared.backend(), prepared.took());
    println!("{:?}", instance.enforced());
    let mut restoring = std::time::Duration::ZERO;
    for _ in 0..WORKFLOWS {
        // A workflow takes longer than the start of the instance that is made ready meanwhile.
        tokio::time::sleep(start).await;
        let began = Instant::now();
        instance.stop().await;
        instance = prepared.start().await?;
        restoring += began.elapsed();
    }
    let each = restoring / WORKFLOWS;
    println!("data restored in {each:.2?}, {:.3} of a start", each.as_secs_f64() / start.as_secs_f64());
    instance.stop().await;
    prepared.finish().await;
    let left = std::fs::read_dir(&scratch_base)?.count();
    println!("folders left: {left}");
    Ok(())
}
