//! What every handler knows.

use crate::assets::Assets;
use crate::cache::PageCache;
use crate::downloads::Downloads;
use crate::methodology::Methodology;
use crate::pictures::Pictures;
use crate::quiz::Quiz;
use crate::shell::{Section, Shell};
use askama::Template;
use benchwright_domain::Report;
use benchwright_store::Storage;
use benchwright_store::index::Index;
use std::fmt;
use std::sync::Arc;

/// Makes the report of a run again from its evidence; for runs that were finished before reports were kept.
pub type Scored = dyn Fn(&str) -> Result<Report, String> + Send + Sync;

/// What the operator decides.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Where the site can be reached, without a slash at the end: `https://bench.example`. Feeds and badges need it.
    pub address: Option<String>,
    /// Whether a proxy in front speaks TLS, so that browsers may be told to insist on it.
    pub behind_tls: bool,
    /// The paths of the part that takes jobs in, as OpenAPI describes them; nothing where no jobs are taken.
    pub jobs: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Template)]
#[template(path = "framed.html")]
struct Framed<'a> {
    shell: Shell,
    title: &'a str,
    body: &'a str,
}

/// The site: where runs are, what is known of them, and how pages look.
pub struct Site {
    /// Where runs are kept.
    pub storage: Arc<dyn Storage>,
    /// What is known of them.
    pub index: Arc<Index>,
    /// What the operator decides.
    pub settings: Settings,
    /// What the scorers say of themselves.
    pub methodology: Methodology,
    /// For runs without a kept report.
    pub scored: Arc<Scored>,
    /// Questions, models and files of the quiz.
    pub quiz: Quiz,
    pub(crate) assets: Assets,
    pub(crate) pages: PageCache,
    /// Places for those who take much at once.
    pub(crate) downloads: Downloads,
    pub(crate) pictures: Pictures,
}

impl fmt::Debug for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Site").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Site {
    /// A site over runs and their index.
    pub fn new(
        storage: Arc<dyn Storage>,
        index: Arc<Index>,
        settings: Settings,
        methodology: Methodology,
        scored: Arc<Scored>,
        quiz: Quiz,
    ) -> Self {
        Self {
            pages: PageCache::new(index.withdrawals()),
            storage,
            index,
            settings,
            methodology,
            scored,
            quiz,
            assets: Assets::new(),
            downloads: Downloads::new(),
            pictures: Pictures::default(),
        }
    }

    /// What surrounds a page of a section.
    pub fn shell(&self, section: Section) -> Shell {
        Shell::new(section, &self.assets, self.settings.jobs.is_some())
    }

    /// A page of a part that takes something in: its body is HTML already.
    pub fn framed(&self, section: Section, title: &str, body: &str) -> String {
        Framed { shell: self.shell(section), title, body }.render().unwrap_or_default()
    }
}

#[cfg(test)]
pub(crate) mod sample {
    use super::*;
    use benchwright_domain::RunRecord;
    use benchwright_quiz::{Catalogue, Library};
    use benchwright_store::index::{Durability, Entry};
    use benchwright_store::{Folder, ReadRun, RunDir};
    use std::path::{Path, PathBuf};

    /// A run that was finished by the first version which kept records.
    pub fn fixture() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../store/tests/fixtures/finished-1")
    }

    /// That run under other ids, each changed.
    pub fn entries<T>(changes: &[T], change: impl Fn(&T, &mut RunRecord)) -> Vec<Entry> {
        let mut run: ReadRun = RunDir::read(&fixture()).unwrap();
        let record = run.run_json.take().unwrap()["record"].clone();
        let of = |(number, what): (usize, &T)| {
            let mut record: RunRecord = serde_json::from_value(record.clone()).unwrap();
            record.run = format!("20261116T020553Z-{number:04}");
            change(what, &mut record);
            run.header.id.clone_from(&record.run);
            Entry::of(&run, Some(record)).unwrap()
        };
        changes.iter().enumerate().map(of).collect()
    }

    /// A site that knows these runs.
    pub async fn site(folder: &Path, entries: &[Entry]) -> Site {
        let index = Index::sqlite(&folder.join("index.sqlite"), Durability::Process).await.unwrap();
        index.take_in(entries).await.unwrap();
        let quiz = Quiz {
            library: Arc::new(Library::of(Vec::new())),
            catalogue: Arc::new(Catalogue::shipped().unwrap()),
            bundle: None,
            weights: None,
        };
        let scored = Arc::new(|_: &str| -> Result<Report, String> { Err("nothing is scored here".to_owned()) });
        let (storage, settings) = (Arc::new(Folder::at(folder)), Settings::default());
        Site::new(storage, Arc::new(index), settings, Methodology::default(), scored, quiz)
    }
}
