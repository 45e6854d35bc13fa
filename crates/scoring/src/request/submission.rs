use serde::{Deserialize, Serialize};

/// Who built the app and what it cost, as the submitter says. Shown, never ranked.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Submission {
    /// The tool that built the app, in lower-case kebab form.
    pub tool: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
    /// Which repetition of the same tool and prompt this is, from 0.
    #[serde(default)]
    pub run_index: u32,
    /// Seconds from the prompt to the first render.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_render_seconds: Option<f64>,
    /// Seconds from the prompt to a working build.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_build_seconds: Option<f64>,
    /// Dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// Anything else the submitter says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}
