use benchwright_fixtures::{Package, Registry};
use benchwright_sandbox::packages::{self, Job};
use benchwright_sandbox::{Instruments, Manager, RegistryAccess, Scratch};
use benchwright_scoring::conduct::Workbench;
use benchwright_scoring::evidence::install::{Attempt, FailureClass};
use benchwright_scoring::evidence::{Absence, Install};
use benchwright_scoring::gather::StepError;
use benchwright_scoring::gather::install::{Installed, within};
use benchwright_scoring::gather::judges::JudgeAccess;
use benchwright_scoring::gather::tree::Tree;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// Generous: the tests share two noisy cores with other tests.
pub const LONG: Duration = Duration::from_mins(2);

pub const APP: &str = r#"{"name":"app","version":"1.0.0","scripts":{"dev":"vite"},"dependencies":{"trunk":"^1.0.0"}}"#;

/// What a lockfile is made from: those of an app, and of a workspace with one.
const MANIFESTS: [&str; 3] = ["package.json", "pnpm-workspace.yaml", "apps/web/package.json"];

/// Two packages, one of which needs the other.
pub fn small_registry() -> Registry {
    Registry::start(small_packages()).unwrap()
}

pub fn small_packages() -> [Package; 2] {
    [Package::new("trunk", "1.0.0").needs("leaf", "^1.0.0"), Package::new("leaf", "1.0.1")]
}

pub fn instruments() -> Instruments {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../instruments");
    Instruments::locate(&root).expect("these tests need the instruments; run `cargo xtask setup`")
}

/// A place with a source tree, a cache and a scratch folder, all gone at the end.
pub struct Yard {
    pub base: TempDir,
    pub scratch: Scratch,
    pub bench: Workbench,
}

impl Yard {
    pub fn new(registry: &str) -> Self {
        Self::with_access(RegistryAccess::at(registry).unwrap())
    }

    pub fn with_access(access: RegistryAccess) -> Self {
        let base = tempfile::tempdir().unwrap();
        let scratch_base = base.path().join("scratch");
        let scratch = Scratch::new(&scratch_base, "test").unwrap();
        let registry = RegistryAccess { cache: Some(base.path().join("cache")), ..access };
        let bench = Workbench {
            chromium: PathBuf::new(),
            instruments: instruments(),
            scratch_base,
            quiet_lock: base.path().join("lock"),
            as_root: false,
            path_variable: String::new(),
            judges: JudgeAccess::default(),
            registry,
        };
        fs::create_dir(base.path().join("source")).unwrap();
        Self { base, scratch, bench }
    }

    pub fn source(&self) -> PathBuf {
        self.base.path().join("source")
    }

    pub fn put(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let path = self.source().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub fn tree(&self) -> Tree {
        Tree { root: self.source(), name: "app".to_owned(), left_out: Vec::new() }
    }

    /// Writes the lockfile that a manager makes for the present manifests.
    pub async fn lock(&self, manager: Manager) -> &Self {
        let (words, lockfile): (&[&str], _) = match manager {
            Manager::Npm => (&["install", "--package-lock-only", "--ignore-scripts"], "package-lock.json"),
            Manager::Pnpm => {
                (&["install", "--lockfile-only", "--ignore-scripts", "--no-frozen-lockfile"], "pnpm-lock.yaml")
            }
            Manager::YarnClassic => (&["install", "--ignore-scripts", "--no-progress"], "yarn.lock"),
            Manager::YarnBerry => (&["install", "--mode=update-lockfile", "--no-immutable"], "yarn.lock"),
            Manager::Bun => (&["install", "--lockfile-only", "--ignore-scripts", "--no-frozen-lockfile"], "bun.lock"),
        };
        let work = self.scratch.fresh_folder("lock").unwrap();
        let folder = work.join("app");
        fs::create_dir(&folder).unwrap();
        for manifest in MANIFESTS.iter().filter(|name| self.source().join(name).exists()) {
            let copy = folder.join(manifest);
            fs::create_dir_all(copy.parent().unwrap()).unwrap();
            fs::copy(self.source().join(manifest), copy).unwrap();
        }
        if manager == Manager::YarnBerry {
            fs::write(folder.join("yarn.lock"), "").unwrap();
        }
        let job = Job {
            manager,
            words,
            work: &work,
            folder: &folder,
            cache_key: "lock",
            time: LONG,
            output_bytes: 1024 * 1024,
        };
        // A cache of its own: what a test installs must come from the registry.
        let access = RegistryAccess { cache: None, ..self.bench.registry.clone() };
        let done = packages::run(&job, &self.bench.instruments, &access, &self.scratch).await.unwrap();
        let said = String::from_utf8_lossy(&done.finished.stdout).into_owned() + &done.finished.stderr_tail;
        assert!(done.finished.succeeded(), "{manager:?} made no lockfile: {said}");
        self.put(lockfile, fs::read(folder.join(lockfile)).unwrap())
    }

    pub async fn install(&self) -> (Install, Option<Installed>) {
        self.try_install().await.unwrap()
    }

    pub async fn try_install(&self) -> Result<(Install, Option<Installed>), StepError> {
        within(&self.tree(), &self.bench, &self.scratch, LONG).await
    }
}

pub fn class(attempt: &Attempt) -> Option<FailureClass> {
    attempt.failure.as_ref().map(|failure| failure.class)
}

pub fn absence<T: std::fmt::Debug>(result: Result<T, StepError>) -> Absence {
    match result.unwrap_err() {
        StepError::Absent(absence) => absence,
        other => panic!("{other}"),
    }
}
