//! Further routes of the app, each loaded in turn: what they said, and what axe-core found on them.

use super::Axe;
use super::acceptance::Visit;
use benchwright_domain::report::Screenshot;
use serde::{Deserialize, Serialize};

/// Format version of [`Routes`].
pub const VERSION: u32 = 1;

/// The further routes the user named.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Routes {
    /// Format version.
    pub version: u32,
    /// In the order they were named.
    pub routes: Vec<Route>,
}

/// One route, loaded.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Route {
    /// Path and query, as they were named.
    pub path: String,
    /// Why it could not be looked at; absent when it could.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// What it said while it was loaded.
    pub visit: Visit,
    /// What axe-core found, where C3 asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axe: Option<Axe>,
    /// Why axe-core could not be run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axe_failure: Option<String>,
    /// The whole page.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<Screenshot>,
}

/// The name under which a route's screenshot is shown.
pub fn screenshot_name(path: &str) -> String {
    format!("route {path}")
}
