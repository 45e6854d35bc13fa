//! The 23 published scorer ids and the four dimensions they belong to.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// One of the four dimensions of the composite.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dimension {
    /// Does it do what was asked?
    Functional,
    /// Is it well built?
    CodeQuality,
    /// Does it look right?
    Visual,
    /// Is it safe?
    Security,
}

impl Dimension {
    /// All dimensions in the order reports show them.
    pub const ALL: [Self; 4] = [Self::Functional, Self::CodeQuality, Self::Visual, Self::Security];

    /// The name a reader sees.
    pub fn title(self) -> &'static str {
        match self {
            Self::Functional => "Functional",
            Self::CodeQuality => "Code quality",
            Self::Visual => "Visual",
            Self::Security => "Security",
        }
    }

    /// The name used as a key in JSON.
    pub fn key(self) -> &'static str {
        match self {
            Self::Functional => "functional",
            Self::CodeQuality => "code_quality",
            Self::Visual => "visual",
            Self::Security => "security",
        }
    }
}

macro_rules! scorer_ids {
    ($($id:ident $key:literal $dimension:ident $name:literal),+ $(,)?) => {
        /// The published id of a scorer. F3 and V3 were never published, hence the gaps.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub enum ScorerId { $(#[doc = $name] $id),+ }

        impl ScorerId {
            /// All ids in published order.
            pub const ALL: [Self; 23] = [$(Self::$id),+];

            /// The lower-case id, as in `report.json` and on the command line.
            pub fn key(self) -> &'static str { match self { $(Self::$id => $key),+ } }

            /// The plain phrase that goes with the id.
            pub fn name(self) -> &'static str { match self { $(Self::$id => $name),+ } }

            /// The dimension this scorer counts towards.
            pub fn dimension(self) -> Dimension { match self { $(Self::$id => Dimension::$dimension),+ } }
        }
    };
}

scorer_ids! {
    F1 "f1" Functional "Render success",
    F2 "f2" Functional "Acceptance criteria",
    F4 "f4" Functional "Functional intent judge",
    F5 "f5" Functional "Runtime errors",
    F6 "f6" Functional "Verbatim constraints",
    F7 "f7" Functional "Auth round-trip",
    F8 "f8" Functional "Cross-session persistence",
    C1 "c1" CodeQuality "ESLint density",
    C2 "c2" CodeQuality "TypeScript safety",
    C3 "c3" CodeQuality "Accessibility",
    C4 "c4" CodeQuality "Lighthouse performance",
    C5 "c5" CodeQuality "Bundle payload",
    C6 "c6" CodeQuality "Cognitive complexity",
    C7 "c7" CodeQuality "Maintainability judge",
    C8 "c8" CodeQuality "Clean install",
    C9 "c9" CodeQuality "SEO hygiene",
    V1 "v1" Visual "Visual judge",
    V2 "v2" Visual "Design heuristics",
    V4 "v4" Visual "Responsive design",
    S1 "s1" Security "Secrets and deployed headers",
    S2 "s2" Security "Client-security anti-patterns",
    S3 "s3" Security "Dependency vulnerabilities",
    S4 "s4" Security "Backend security probes",
}

impl ScorerId {
    /// Whether the F1 gate makes this scorer null when the page did not render (the seed's closing list).
    pub fn is_gated(self) -> bool {
        use ScorerId::{C3, C4, C9, F2, F4, F5, V1, V2, V4};
        matches!(self, F2 | F4 | F5 | C3 | C4 | C9 | V1 | V2 | V4)
    }
}

impl fmt::Display for ScorerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.key().to_uppercase())
    }
}

/// A text that names no published scorer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scorer; the scorers are {known}", known = known_ids())]
pub struct UnknownScorer(pub String);

fn known_ids() -> String {
    ScorerId::ALL.map(ScorerId::key).join(", ")
}

impl FromStr for ScorerId {
    type Err = UnknownScorer;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wanted = text.trim().to_lowercase();
        Self::ALL.into_iter().find(|id| id.key() == wanted).ok_or_else(|| UnknownScorer(text.trim().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_id_reads_back_from_its_key_in_any_case() {
        for id in ScorerId::ALL {
            assert_eq!(id.key().parse(), Ok(id));
            assert_eq!(id.to_string().parse(), Ok(id));
        }
    }

    #[test]
    fn an_unknown_id_is_refused_and_the_known_ones_are_named() {
        let error = "f3".parse::<ScorerId>().unwrap_err().to_string();
        assert!(error.contains("`f3`") && error.contains("f1, f2, f4"), "{error}");
    }

    #[test]
    fn the_gate_covers_exactly_the_nine_browser_scorers_of_the_methodology() {
        let gated: Vec<_> = ScorerId::ALL.into_iter().filter(|id| id.is_gated()).map(ScorerId::key).collect();
        assert_eq!(gated, ["f2", "f4", "f5", "c3", "c4", "c9", "v1", "v2", "v4"]);
    }
}
