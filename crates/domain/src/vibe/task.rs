//! What the analysis must know of a task.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who would want such an app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum AppDomain {
    /// Somebody for themselves.
    Individual,
    /// Somebody who starts a business.
    SoloFounder,
    /// A business, for its own work.
    Enterprise,
}

impl AppDomain {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Individual, Self::SoloFounder, Self::Enterprise];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Individual => "individual",
            Self::SoloFounder => "solo-founder",
            Self::Enterprise => "enterprise",
        }
    }
}

/// How hard a task is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Difficulty {
    /// Most models can do it.
    Easy,
    /// In between.
    Medium,
    /// Hardly any model can do it.
    Hard,
}

impl Difficulty {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Easy, Self::Medium, Self::Hard];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Easy => "easy",
            Self::Medium => "medium",
            Self::Hard => "hard",
        }
    }
}

/// Which outside services an app must use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Integration {
    /// No service.
    None,
    /// It sends e-mail.
    Email,
    /// It takes payments.
    Payments,
    /// It does both.
    Both,
}

impl Integration {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::None, Self::Email, Self::Payments, Self::Both];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Email => "email",
            Self::Payments => "payments",
            Self::Both => "both",
        }
    }

    /// By what a task needs.
    pub fn of(email: bool, payments: bool) -> Self {
        match (email, payments) {
            (false, false) => Self::None,
            (true, false) => Self::Email,
            (false, true) => Self::Payments,
            (true, true) => Self::Both,
        }
    }
}

/// What a task is for. Models are scored on the test split alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Split {
    /// Held back; what scores are made of.
    Test,
    /// In the open, for developing.
    Validation,
}

/// When a task was written. Tasks that the resolver was tuned on say less about it than those it had never seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Written {
    /// Before the resolver was tuned.
    #[default]
    Before,
    /// After the resolver was finished; reported apart.
    Afterwards,
}

impl Written {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Before, Self::Afterwards];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::Afterwards => "afterwards",
        }
    }

    /// Whether it goes without saying, as in files from before there was a choice.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    pub fn is_before(&self) -> bool {
        *self == Self::Before
    }
}

/// What the analysis knows of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFacts {
    /// Its id.
    pub id: String,
    /// Who would want it.
    pub domain: AppDomain,
    /// Which services it needs.
    pub integration: Integration,
    /// How hard it was thought to be before any model tried it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judged_difficulty: Option<Difficulty>,
    /// What it is for.
    pub split: Split,
    /// Whether it was written before the resolver was tuned, or afterwards.
    #[serde(default, skip_serializing_if = "Written::is_before")]
    pub written: Written,
    /// How many substeps each of its workflows has.
    pub workflow_substeps: Vec<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_written_ones() {
        fn written(value: impl Serialize) -> serde_json::Value {
            serde_json::to_value(value).unwrap()
        }
        assert!(AppDomain::ALL.iter().all(|domain| written(domain) == domain.name()));
        assert!(Difficulty::ALL.iter().all(|difficulty| written(difficulty) == difficulty.name()));
        assert!(Integration::ALL.iter().all(|integration| written(integration) == integration.name()));
        assert!(Written::ALL.iter().all(|one| written(one) == one.name()));
    }

    #[test]
    fn services_make_four_groups() {
        let groups = [(false, false), (true, false), (false, true), (true, true)].map(|(e, p)| Integration::of(e, p));
        assert_eq!(groups, Integration::ALL);
    }
}
