use benchwright_sandbox::serve::tree;
use benchwright_sandbox::{Instruments, RegistryAccess};
use benchwright_vibe::bundle::Bundle;
use benchwright_vibe::deploy::{self, DeployError, Instance, Prepared, Settings, Workshop};
use std::path::Path;
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Generous: the tests share two noisy cores with other tests.
pub const LONG: Duration = Duration::from_mins(3);

/// A place of its own for each test.
pub struct Site {
    base: TempDir,
    pub settings: Settings,
}

impl Site {
    pub fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let instruments = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments");
        let instruments =
            Instruments::locate(&instruments).expect("these tests need the instruments; run `cargo xtask setup`");
        let workshop = Workshop {
            registry: RegistryAccess { cache: Some(base.path().join("cache")), ..instruments.public_registry.clone() },
            instruments,
            scratch_base: base.path().join("scratch"),
            quiet_lock: base.path().join("lock"),
            docker_host: None,
        };
        let settings = Settings { ahead: 0, ..Settings::new(workshop) };
        Self { base, settings }
    }

    pub fn bundle(&self, name: &str) -> Bundle {
        Bundle::open(&benchwright_fixtures::deployed_folder(name), self.base.path()).unwrap()
    }

    pub async fn prepare(&self, name: &str) -> Result<Prepared, DeployError> {
        deploy::prepare(&self.bundle(name), &self.settings, &|_| ()).await
    }

    /// Prepares an app in a container, with one more line about its service.
    pub async fn prepare_contained(&self, name: &str, line: &str) -> Result<Prepared, DeployError> {
        self.prepare_from(name, "", line).await
    }

    /// Prepares an app in a container that is built with one more step.
    pub async fn prepare_with_step(&self, name: &str, step: &str) -> Result<Prepared, DeployError> {
        self.prepare_from(name, step, "").await
    }

    async fn prepare_from(&self, name: &str, step: &str, line: &str) -> Result<Prepared, DeployError> {
        let folder = tempfile::tempdir().unwrap();
        let app = folder.path().join("app");
        tree::copy(&benchwright_fixtures::deployed_folder(name), &app, Path::new(""), &[]).unwrap();
        let recipe =
            format!("FROM node:22-alpine\nWORKDIR /app\nCOPY . .\n{step}\nEXPOSE 4173\nCMD [\"npm\", \"start\"]\n");
        std::fs::write(app.join("Dockerfile"), recipe).unwrap();
        let compose = format!(
            "services:\n  {name}:\n    build: .\n    ports: ['${{APP_PUBLIC_PORT}}:4173']\n    \
             environment: {{PORT: 4173, HOST: 0.0.0.0}}\n    {line}\nvolumes:\n  kept:\n"
        );
        std::fs::write(app.join("compose.yaml"), compose).unwrap();
        let bundle = Bundle::open(&app, folder.path()).unwrap();
        deploy::prepare(&bundle, &self.settings, &|_| ()).await
    }

    pub async fn start(&self, name: &str) -> (Prepared, Instance) {
        let prepared = self.prepare(name).await.unwrap();
        let instance = prepared.start().await.unwrap();
        (prepared, instance)
    }

    /// Waits until no process knows this place any more, and asserts that no folder is left.
    pub async fn assert_nothing_is_left(&self) {
        let place = self.settings.workshop.scratch_base.to_string_lossy().into_owned();
        eventually("no process is left", || processes_mentioning(&place).is_empty()).await;
        eventually("no folder is left", || {
            std::fs::read_dir(&self.settings.workshop.scratch_base).unwrap().count() == 0
        })
        .await;
    }

    pub fn processes(&self) -> Vec<u32> {
        processes_mentioning(&self.settings.workshop.scratch_base.to_string_lossy())
    }
}

/// The body of a page of the app.
pub async fn get(instance: &Instance, path: &str) -> String {
    let host = instance.origin().trim_start_matches("http://").trim_end_matches('/');
    let asking = async {
        let mut stream = TcpStream::connect(host).await.unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    };
    tokio::time::timeout(LONG, asking).await.unwrap()
}

/// Waits for something that must happen, however slow the machine is.
pub async fn eventually(what: &str, mut happened: impl FnMut() -> bool) {
    let deadline = tokio::time::Instant::now() + LONG;
    while !happened() {
        assert!(tokio::time::Instant::now() < deadline, "waited in vain for: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Living processes whose command line mentions a text; ourselves left out.
pub fn processes_mentioning(text: &str) -> Vec<u32> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|pid| {
            let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            *pid != std::process::id() && String::from_utf8_lossy(&line).contains(text)
        })
        .collect()
}
