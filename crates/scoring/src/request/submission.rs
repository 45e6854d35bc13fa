use benchwright_domain::report::Cost;
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

impl Submission {
    /// The cost block of the report; none when nothing was reported. Numbers that make no sense are left out.
    pub fn cost(&self) -> Option<Cost> {
        let sensible = |value: Option<f64>| value.filter(|value| value.is_finite() && *value >= 0.0);
        let cost = Cost {
            source: "user-reported".to_owned(),
            first_render_seconds: sensible(self.first_render_seconds),
            working_build_seconds: sensible(self.working_build_seconds),
            usd: sensible(self.cost_usd),
            note: self.note.clone(),
        };
        let said =
            cost.first_render_seconds.or(cost.working_build_seconds).or(cost.usd).is_some() || cost.note.is_some();
        said.then_some(cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_submission_that_says_nothing_about_cost_has_none() {
        assert_eq!(Submission { tool: "kiln".to_owned(), ..Submission::default() }.cost(), None);
    }

    #[test]
    fn a_cost_that_makes_no_sense_is_left_out() {
        let submission = Submission { cost_usd: Some(-1.0), first_render_seconds: Some(4.0), ..Submission::default() };
        let cost = submission.cost().unwrap();
        assert_eq!((cost.usd, cost.first_render_seconds, cost.source.as_str()), (None, Some(4.0), "user-reported"));
    }
}
