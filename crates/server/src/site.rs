//! What every handler knows.

use crate::assets::Assets;
use crate::cache::PageCache;
use crate::downloads::Downloads;
use crate::methodology::Methodology;
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
