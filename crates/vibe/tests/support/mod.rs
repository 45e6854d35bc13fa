//! A Chromium, a server of pages, and a stage between them.

#![allow(dead_code, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, reason = "a test may fail at once")]

use benchwright_browser::{Browser, EngineSource};
use benchwright_domain::BlobId;
use benchwright_domain::vibe::trace::{Sight, SightRef, Trace};
use benchwright_domain::vibe::verdict::{Mark, WorkflowVerdict};
use benchwright_fixtures::{Server, Site};
use benchwright_sandbox::chromium::{RunningChromium, find, launch};
use benchwright_sandbox::{Launch, Scratch};
use benchwright_vibe::judge::rules;
use benchwright_vibe::task::{Expectation, Kind, Substep, Workflow};
use benchwright_vibe::walk::resolver::Resolver;
use benchwright_vibe::walk::{Archive, Course, InMemory, KeepError, Keeper, Settings, Stage, walk};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Keeps in memory what stage and judge share.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<InMemory>>);

impl Keeper for Shared {
    fn keep(&mut self, bytes: &[u8]) -> Result<BlobId, KeepError> {
        self.0.lock().unwrap().keep(bytes)
    }
}

impl Archive for Shared {
    fn sight(&self, reference: &SightRef) -> Option<Sight> {
        self.0.lock().unwrap().sight(reference)
    }

    fn picture(&self, id: &BlobId) -> Option<Vec<u8>> {
        self.0.lock().unwrap().picture(id)
    }
}

/// A browser and the pathological pages.
pub struct House {
    pub browser: Browser,
    pub kept: Shared,
    server: Server,
    files: PathBuf,
    chromium: Option<RunningChromium>,
    scratch: Scratch,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl House {
    pub async fn build() -> Self {
        Self::serving(Site::folder(root().join("fixtures/walk"))).await
    }

    pub async fn serving(site: Site) -> Self {
        let scratch = Scratch::new(&std::env::temp_dir(), "walk").unwrap();
        let files = scratch.folder("files").unwrap();
        let program = find(None, std::env::var_os("PATH").as_deref()).unwrap();
        let mut chromium = launch(Launch {
            program: &program,
            scratch: &scratch,
            debugging_port: false,
            as_root: true,
            extra_args: Vec::new(),
            start_limit: Duration::from_mins(3),
        })
        .await
        .unwrap();
        let (reader, writer) = chromium.take_pipe().unwrap();
        let engine = std::fs::read_to_string(root().join("instruments/generated/injected-engine.js"))
            .expect("the engine is missing: run `cargo xtask setup`");
        let browser = Browser::connect(reader, writer, Some(EngineSource(engine))).await.unwrap();
        let server = Server::start(site).unwrap();
        Self { browser, kept: Shared::default(), server, files, chromium: Some(chromium), scratch }
    }

    pub fn url(&self, path: &str) -> String {
        format!("{}/{}", self.server.url().trim_end_matches('/'), path)
    }

    pub async fn stage(&self) -> Stage {
        self.stage_with(Settings { screenshots: false, ..Settings::default() }).await
    }

    pub async fn stage_with(&self, settings: Settings) -> Stage {
        let settings = Settings { files: Some(self.files.clone()), ..settings };
        Stage::open(&self.browser, &self.server.url(), settings, Box::new(self.kept.clone())).await.unwrap()
    }

    /// Opens a page, walks the sentences on it and judges them by rules.
    pub async fn walked(&self, page: &str, substeps: Vec<Substep>) -> (Trace, WorkflowVerdict) {
        let mut stage = self.stage().await;
        stage.perform(&benchwright_domain::vibe::trace::Action::Navigate { url: page.to_owned() }).await.unwrap();
        let workflow = Workflow {
            id: "w".to_owned(),
            title: String::new(),
            purpose: String::new(),
            kind: Kind::Core,
            variables: BTreeMap::new(),
            substeps,
        };
        let course = Course { task: "t", task_hash: "", workflow: &workflow };
        let trace = walk(&mut stage, course, &mut Resolver::default()).await;
        stage.close().await.unwrap();
        let verdict = rules::judge(&trace, &self.kept);
        assert_eq!(verdict.check(trace.substeps.len()), Ok(()));
        (trace, verdict)
    }

    /// Asserts that the sentences come out as said.
    pub async fn expects(&self, page: &str, substeps: Vec<Substep>, marks: &[Mark]) {
        let (trace, verdict) = self.walked(page, substeps).await;
        let found: Vec<Mark> = verdict.substeps.iter().map(|substep| substep.mark).collect();
        assert_eq!(found, marks, "{page}: {:#?}\n{:#?}", verdict.substeps, trace.substeps);
    }

    pub async fn leave(mut self) {
        let _ = self.browser.close().await;
        if let Some(chromium) = self.chromium.take() {
            chromium.close().await;
        }
    }
}

/// A substep without an expectation.
pub fn act(text: &str) -> Substep {
    Substep { text: text.to_owned(), expect: Vec::new(), critical: false }
}

/// A substep after which texts can be seen.
pub fn see(text: &str, seen: &[&str]) -> Substep {
    Substep { expect: seen.iter().map(|text| Expectation::Text((*text).to_owned())).collect(), ..act(text) }
}

/// A substep with one expectation.
pub fn expect(text: &str, expected: Expectation) -> Substep {
    Substep { expect: vec![expected], ..act(text) }
}

pub fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
