//! From verdicts to everything that is said about models: accuracies with their uncertainty, breakdowns, trade-offs, failures,
//! habits, and whether differences are real.
//!
//! Models are scored on the test split; the validation split is analysed apart. Results with changed settings enter the ablations
//! and nothing else. What cannot be computed from the data is absent, never 0.

pub mod ablation;
pub mod agreement;
pub mod association;
pub mod breakdown;
pub mod comparison;
pub mod distribution;
pub mod failures;
pub mod frontier;
pub mod repetition;
pub mod scores;
pub mod standing;
pub mod tiers;
pub mod tools;
pub mod variance;

use super::app::AppResult;
use super::study::{SplitSize, Study, StudyError};
use super::task::{AppDomain, Difficulty, Integration, Split, TaskFacts, Written};
use crate::statistics::TestPlan;
use schemars::JsonSchema;
use scores::AppScore;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Format version of [`Analysis`].
pub const ANALYSIS_FORMAT: u32 = 1;
/// Of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// What may be chosen.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Settings {
    /// How tasks are split by how hard they proved.
    pub tiers: tiers::TierRule,
    /// What comparisons are asked for.
    pub plan: TestPlan,
    /// How many models count as the top, and how many as the bottom.
    pub ends: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { tiers: tiers::TierRule::default(), plan: TestPlan::default(), ends: 5 }
    }
}

/// The whole analysis. Its JSON form is `analysis.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Analysis {
    /// Format version.
    pub format: u32,
    /// What was chosen.
    pub settings: Settings,
    /// Who gave the verdicts.
    pub evaluator: String,
    /// How much there is to each split.
    pub sizes: BTreeMap<Split, SplitSize>,
    /// What is said of models, for each split with results.
    pub splits: BTreeMap<Split, SplitAnalysis>,
    /// How far raters agree; absent without further raters.
    pub agreement: Option<agreement::AgreementMatrix>,
}

/// What is said of models on one split.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SplitAnalysis {
    /// The models, best first.
    pub models: Vec<standing::Standing>,
    /// Every pair of models.
    pub comparisons: Vec<comparison::ModelComparison>,
    /// Tasks by how hard they proved.
    pub tiers: Vec<tiers::Tier>,
    /// Accuracy by those tiers.
    pub by_difficulty: breakdown::Breakdown,
    /// Accuracy by how hard tasks were thought to be.
    pub by_judged_difficulty: breakdown::Breakdown,
    /// Accuracy by the services apps must use.
    pub by_integration: breakdown::Breakdown,
    /// Accuracy by who would want the app.
    pub by_domain: breakdown::Breakdown,
    /// Accuracy on tasks from before the resolver was tuned and on those written afterwards.
    #[serde(default)]
    pub by_written: breakdown::Breakdown,
    /// Accuracy against cost, time, tokens and turns.
    pub frontiers: Vec<frontier::Frontier>,
    /// How app scores are spread.
    pub distribution: distribution::Distribution,
    /// Why workflows failed.
    pub failures: failures::Failures,
    /// What tools were used for; absent without trajectories.
    pub tools: Option<tools::ToolUse>,
    /// What goes along with accuracy.
    pub associations: Vec<association::Association>,
    /// What changed settings change.
    pub ablations: Vec<ablation::Ablation>,
    /// How much results move by building again and by evaluating again.
    pub variance: Vec<variance::VarianceRow>,
    /// What several tries would give; only of models with several runs.
    pub repetition: Vec<repetition::Repeated>,
}

impl Analysis {
    /// Analyses a study.
    pub fn of(study: &Study, settings: Settings) -> Result<Self, StudyError> {
        study.check()?;
        let mut splits = BTreeMap::new();
        for split in [Split::Test, Split::Validation] {
            let tasks: Vec<&TaskFacts> = study.tasks.iter().filter(|task| task.split == split).collect();
            let is_of_split = |app: &&AppResult| tasks.iter().any(|task| task.id == app.task);
            let apps: Vec<&AppResult> = study.apps.iter().filter(is_of_split).collect();
            if !apps.is_empty() {
                splits.insert(split, SplitAnalysis::of(study, &tasks, &apps, &settings));
            }
        }
        Ok(Self {
            format: ANALYSIS_FORMAT,
            settings,
            evaluator: study.evaluator.clone(),
            sizes: study.sizes(),
            splits,
            agreement: agreement::AgreementMatrix::of(study),
        })
    }
}

impl SplitAnalysis {
    fn of(study: &Study, tasks: &[&TaskFacts], apps: &[&AppResult], settings: &Settings) -> Self {
        let (plain, varied): (Vec<&AppResult>, Vec<&AppResult>) = apps.iter().partition(|app| app.variant.is_empty());
        let scores = scores::of_apps(&plain);
        let comparisons = comparison::compare(&scores, settings.plan);
        let tiers = tiers::tiers(&scores, tasks, settings.tiers);
        let models = standing::standings(&study.models, tasks, &scores, &plain, &comparisons);
        let order: Vec<&str> = models.iter().map(|row| row.model.as_str()).collect();
        let fact = |task: &str| tasks.iter().find(|facts| facts.id == task).copied();
        let breakdown = |groups: &[&str], group_of: &dyn Fn(&AppScore) -> Option<usize>| {
            breakdown::breakdown(&scores, &order, groups, group_of)
        };
        let tools = tools::ToolUse::of(&order, &plain);
        Self {
            by_difficulty: breakdown(&Difficulty::ALL.map(Difficulty::name), &|score| {
                tiers.iter().position(|tier| tier.tasks.iter().any(|task| task.task == score.task))
            }),
            by_judged_difficulty: breakdown(&Difficulty::ALL.map(Difficulty::name), &|score| {
                fact(&score.task)?.judged_difficulty.map(|difficulty| difficulty as usize)
            }),
            by_integration: breakdown(&Integration::ALL.map(Integration::name), &|score| {
                fact(&score.task).map(|facts| facts.integration as usize)
            }),
            by_domain: breakdown(&AppDomain::ALL.map(AppDomain::name), &|score| {
                fact(&score.task).map(|facts| facts.domain as usize)
            }),
            by_written: breakdown(&Written::ALL.map(Written::name), &|score| {
                fact(&score.task).map(|facts| facts.written as usize)
            }),
            frontiers: frontier::frontiers(&models),
            distribution: distribution::Distribution::of(&order, &scores, settings.ends),
            failures: failures::Failures::of(&order, &plain),
            associations: association::associations(&models, tools.as_ref(), &plain),
            ablations: ablation::ablations(&order, &scores, &scores::of_apps(&varied)),
            variance: variance::variances(&order, &scores),
            repetition: repetition::repeated(&order, &plain),
            tools,
            tiers,
            comparisons,
            models,
        }
    }
}
