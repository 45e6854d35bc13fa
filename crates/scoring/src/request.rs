//! What the user asks for.

mod accounts;
mod judging;
mod submission;

pub use accounts::{Account, Accounts, AccountsError, MAX_ACCOUNTS_BYTES};
pub use judging::{DEFAULT_BUDGET_USD, DEFAULT_MODEL, Judge, Judging, OPEN_ROUTER, Provider};
pub use submission::Submission;

use crate::prompt::Prompt;
use benchwright_domain::{Gate, ScorerId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// Format version of [`Request`] as frozen into a run.
///
/// Format 2 came with the complete scoring track: criteria, accounts, judges and the source tools.
pub const REQUEST_FORMAT: u32 = 2;

/// A submission and how to score it. It is frozen into the run; what must stay secret is in [`Access`] and is not.
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line, and none excludes another")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Format version.
    pub format: u32,
    /// The address, without credentials.
    pub url: String,
    /// The folder behind that address, where we serve it ourselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serve: Option<Serve>,
    /// The prompt.
    pub prompt: Option<Prompt>,
    /// Source folder. Only its name is shown.
    pub source: Option<PathBuf>,
    /// The scorers to run; all when absent.
    pub only: Option<BTreeSet<ScorerId>>,
    /// How a page that did not render counts.
    pub gate: Gate,
    /// Whether certificates nobody vouches for are accepted.
    pub accept_invalid_certificates: bool,
    /// Lighthouse settings.
    pub lighthouse: LighthouseSettings,
    /// Scorers the user added.
    pub commands: Vec<CommandScorer>,
    /// Names of headers and cookies that were sent, and whether a login was; their values are not kept.
    pub access_names: Vec<String>,
    /// Time limits of the page lane.
    pub limits: Limits,
    /// Whether two test accounts were given; who they are is not kept.
    #[serde(default)]
    pub accounts: bool,
    /// Further routes of the app that count as part of the page.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<String>,
    /// Whether the page is looked at as a signed-in user.
    #[serde(default)]
    pub signed_in: bool,
    /// Whether the page may reach local addresses the user did not type.
    #[serde(default)]
    pub allow_local: bool,
    /// Whether a stranger typed the address, so that not even the address itself may be local.
    #[serde(default)]
    pub from_stranger: bool,
    /// Who judges, and at what price.
    #[serde(default = "Judging::nobody")]
    pub judging: Judging,
    /// Who built the app and what it cost, as the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submission: Option<Submission>,
}

impl Request {
    /// Scores an address with every default.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            format: REQUEST_FORMAT,
            url: url.into(),
            serve: None,
            prompt: None,
            source: None,
            only: None,
            gate: Gate::default(),
            accept_invalid_certificates: false,
            lighthouse: LighthouseSettings::default(),
            commands: Vec::new(),
            access_names: Vec::new(),
            limits: Limits::default(),
            accounts: false,
            routes: Vec::new(),
            signed_in: false,
            allow_local: false,
            from_stranger: false,
            judging: Judging::default(),
            submission: None,
        }
    }
}

/// A folder that is served for the run, because nobody else does.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Serve {
    /// The folder. Only its name is shown.
    pub folder: PathBuf,
    /// For a package to answer once its script was started.
    pub start_seconds: f64,
}

impl Serve {
    /// What the folder is called.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or(self.folder.as_os_str()).to_string_lossy().into_owned()
    }
}

/// Time and size limits of the page lane.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// For the server to answer and the document to be read.
    pub navigation_seconds: f64,
    /// For the network to fall silent after that.
    pub idle_seconds: f64,
    /// For one script in the page.
    pub script_seconds: f64,
    /// For axe-core.
    pub axe_seconds: f64,
    /// For one screenshot.
    pub screenshot_seconds: f64,
    /// Bytes the page may load in all.
    pub page_bytes: u64,
    /// For one assertion or one setup action of a criterion to come true.
    #[serde(default = "assertion_seconds")]
    pub assertion_seconds: f64,
}

fn assertion_seconds() -> f64 {
    5.0
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            navigation_seconds: 30.0,
            idle_seconds: 8.0,
            script_seconds: 20.0,
            axe_seconds: 60.0,
            screenshot_seconds: 20.0,
            page_bytes: 100 * 1024 * 1024,
            assertion_seconds: assertion_seconds(),
        }
    }
}

/// Seconds as a duration.
pub fn seconds(value: f64) -> Duration {
    Duration::try_from_secs_f64(value).unwrap_or(Duration::from_secs(30))
}

/// How C4 measures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LighthouseSettings {
    /// Runs wanted.
    pub runs: usize,
    /// Limit of one run.
    pub run_seconds: f64,
    /// Limit of all runs, repeats included.
    pub total_seconds: f64,
    /// The machine's calibrated BenchmarkIndex, if known.
    pub calibrated_index: Option<f64>,
    /// Lowest acceptable share of it.
    pub min_index_share: f64,
    /// Highest acceptable share of stolen CPU time.
    pub max_steal_share: f64,
}

impl Default for LighthouseSettings {
    fn default() -> Self {
        Self {
            runs: 3,
            run_seconds: 90.0,
            total_seconds: 240.0,
            calibrated_index: None,
            min_index_share: 0.8,
            max_steal_share: 0.05,
        }
    }
}

/// A scorer the user added: a command that reads evidence as JSON and writes an outcome. It has weight 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandScorer {
    /// The id it has in the report.
    pub id: String,
    /// Program and arguments.
    pub command: Vec<String>,
}

/// What opens the door to the page: never stored, never shown.
#[derive(Clone, Default)]
pub struct Access {
    /// Extra request headers, sent to the page's own origin only.
    pub headers: Vec<(String, String)>,
    /// Cookies for the page's own origin.
    pub cookies: Vec<(String, String)>,
    /// Basic-auth user and password.
    pub basic_auth: Option<(String, String)>,
    /// Two accounts of the app under test.
    pub accounts: Option<Accounts>,
}

impl std::fmt::Debug for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Access").field("names", &self.names()).finish_non_exhaustive()
    }
}

impl Access {
    /// What was given, by name only.
    pub fn names(&self) -> Vec<String> {
        let headers = self.headers.iter().map(|(name, _)| format!("header {name}"));
        let cookies = self.cookies.iter().map(|(name, _)| format!("cookie {name}"));
        let login = self.basic_auth.iter().map(|_| "basic auth".to_owned());
        let accounts = self.accounts.iter().map(|_| "two test accounts".to_owned());
        headers.chain(cookies).chain(login).chain(accounts).collect()
    }
}
