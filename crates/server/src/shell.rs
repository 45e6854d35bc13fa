//! What surrounds every page: `site/templates/shell.html` takes it as the field `shell` and leaves the blocks `title` and `main`.

use crate::assets::Assets;
use benchwright_domain::METHODOLOGY_VERSION;

/// The parts of the site that the navigation names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Section {
    /// None of them: the home page, errors.
    Home,
    /// Rankings.
    Board,
    /// Runs, their reports and comparisons.
    Runs,
    /// Models that build apps, and whether those work.
    Vibe,
    /// Small models tested in the visitor's browser.
    Quiz,
    /// How numbers come about.
    Methodology,
    /// The API, dumps, feeds.
    Data,
    /// How the site is doing.
    Status,
    /// Submitting something.
    Submit,
}

/// An entry of the navigation.
#[derive(Debug, Clone, Copy)]
pub struct Link {
    /// Where it leads.
    pub href: &'static str,
    /// What it says.
    pub text: &'static str,
    /// Whether the page is in this part.
    pub is_here: bool,
}

/// What surrounds a page.
#[derive(Debug, Clone)]
pub struct Shell {
    /// The navigation.
    pub links: Vec<Link>,
    /// Address of the style sheet.
    pub style: String,
    /// Address of the script.
    pub script: String,
    /// Address of the icon.
    pub icon: String,
    /// Version of Benchwright.
    pub version: &'static str,
    /// Version of the methodology.
    pub methodology: &'static str,
}

const NAVIGATION: [(Section, &str, &str); 8] = [
    (Section::Board, "/board", "Board"),
    (Section::Runs, "/runs", "Runs"),
    (Section::Vibe, "/vibe", "Vibe"),
    (Section::Quiz, "/quiz", "Quiz"),
    (Section::Methodology, "/methodology", "Methodology"),
    (Section::Data, "/data", "Data & API"),
    (Section::Status, "/status", "Status"),
    (Section::Submit, "/submit", "Submit"),
];

impl Shell {
    pub(crate) fn new(section: Section, assets: &Assets, takes_jobs: bool) -> Self {
        let shown = NAVIGATION.iter().filter(|(of, ..)| takes_jobs || *of != Section::Submit);
        Self {
            links: shown.map(|&(of, href, text)| Link { href, text, is_here: of == section }).collect(),
            style: assets.style.path.clone(),
            script: assets.script.path.clone(),
            icon: assets.icon.path.clone(),
            version: env!("CARGO_PKG_VERSION"),
            methodology: METHODOLOGY_VERSION,
        }
    }
}
