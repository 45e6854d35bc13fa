//! Verdicts: what a judge says of each substep, and when a workflow passes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A workflow passes when at least nine of ten substeps do.
const PASS_SHARE: (usize, usize) = (9, 10);

/// What a judge says of a substep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// The evidence shows that it works.
    Pass,
    /// The evidence shows that it does not.
    Fail,
    /// The judge cannot decide. It counts as a failure.
    Undecided,
}

/// Why an app failed a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureCategory {
    /// Signing up or logging in does not work, or the right role cannot be had.
    Authorization,
    /// The specification asks for something that is not there.
    MissingFeature,
    /// The app refuses what it should allow.
    ValidationOrPolicyBlock,
    /// Something does not show, or there is no way to get to it.
    UiOrNavigation,
    /// Wrong data are kept, or the back end does the wrong thing.
    DataOrBackend,
    /// Anything else.
    Other,
}

impl FailureCategory {
    /// All six.
    pub const ALL: [Self; 6] = [
        Self::Authorization,
        Self::MissingFeature,
        Self::ValidationOrPolicyBlock,
        Self::UiOrNavigation,
        Self::DataOrBackend,
        Self::Other,
    ];
}

/// The verdict on one substep.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SubstepVerdict {
    /// Which substep of the workflow, from 1 on.
    pub number: u32,
    /// The verdict itself.
    pub mark: Mark,
    /// Whether the workflow is broken without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub critical: bool,
    /// Whether it was never tried, because something before it blocked the way.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub not_attempted: bool,
    /// Why, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reason: String,
    /// Ids of the evidence the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<String>,
    /// What kind of failure it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<FailureCategory>,
    /// Whether the walker and not the app may be at fault.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub walker_suspected: bool,
}

impl SubstepVerdict {
    /// A verdict with nothing but a mark.
    pub fn new(number: u32, mark: Mark) -> Self {
        Self {
            number,
            mark,
            critical: false,
            not_attempted: false,
            reason: String::new(),
            evidence: Vec::new(),
            category: None,
            walker_suspected: false,
        }
    }

    /// Whether it passed. What could not be decided did not.
    pub fn passed(&self) -> bool {
        self.mark == Mark::Pass
    }
}

/// How the walk of a workflow ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowState {
    /// Walked to its end and judged.
    Judged,
    /// The app did not answer, or stopped answering.
    AppDown,
    /// The walker used up its steps or went in circles; what it did was judged.
    EvaluatorStuck,
    /// The specification can be read in two ways; judged by one of them.
    AmbiguousSpec,
    /// The evaluator ran out of time.
    TimedOut,
    /// The evaluator gave no structured answer.
    NoAnswer,
}

impl WorkflowState {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Judged, Self::AppDown, Self::EvaluatorStuck, Self::AmbiguousSpec, Self::TimedOut, Self::NoAnswer];

    /// Whether the workflow failed because of the evaluator, whatever the app does. Such failures count, and are counted apart.
    pub fn is_evaluator_failure(self) -> bool {
        matches!(self, Self::TimedOut | Self::NoAnswer)
    }

    /// Whether its substeps were judged, so that their verdicts decide.
    fn is_judged(self) -> bool {
        matches!(self, Self::Judged | Self::EvaluatorStuck | Self::AmbiguousSpec)
    }
}

/// What a workflow is for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WorkflowKind {
    /// What the app is for.
    #[default]
    Core,
    /// Unusual input and limits.
    Edge,
    /// What worked before a change and must still work.
    Regression,
}

/// The verdicts on one workflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkflowVerdict {
    /// Id of the workflow in its task.
    pub workflow: String,
    /// What it is for.
    #[serde(default)]
    pub kind: WorkflowKind,
    /// How its walk ended.
    pub state: WorkflowState,
    /// One verdict for each substep, in order.
    pub substeps: Vec<SubstepVerdict>,
    /// What evaluating it cost, in dollars; absent when nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation_usd: Option<f64>,
}

impl WorkflowVerdict {
    /// Whether it passes: 10 × passed ≥ 9 × total, without floating point. Nothing to judge is no pass.
    pub fn passes(&self) -> bool {
        let passed = self.substeps.iter().filter(|substep| substep.passed()).count();
        self.state.is_judged() && passes(passed, self.substeps.len())
    }

    /// The stricter reading: every critical substep must pass as well.
    pub fn passes_strictly(&self) -> bool {
        self.passes() && self.substeps.iter().all(|substep| substep.passed() || !substep.critical)
    }

    /// Why a workflow failed that the evaluator did not fail itself: the category of the first substep that was tried and
    /// failed, because what follows is often only its consequence.
    pub fn failure(&self) -> Option<FailureCategory> {
        if self.passes() || self.state.is_evaluator_failure() {
            return None;
        }
        let failed = || self.substeps.iter().filter(|substep| !substep.passed());
        let first = failed().find(|substep| !substep.not_attempted).or_else(|| failed().next());
        Some(first.and_then(|substep| substep.category).unwrap_or(FailureCategory::Other))
    }

    /// Whether each substep passes, in order, for comparing raters; absent where the evaluator failed, which says nothing of the app.
    pub fn marks(&self) -> Option<Vec<Option<bool>>> {
        let passed = self.substeps.iter().map(|substep| Some(substep.passed()));
        (!self.state.is_evaluator_failure()).then(|| passed.collect())
    }

    /// Whether there is exactly one verdict for each of so many substeps, in order.
    pub fn check(&self, substeps: usize) -> Result<(), VerdictError> {
        let found = self.substeps.len();
        let workflow = || self.workflow.clone();
        if found != substeps {
            return Err(VerdictError::Count { workflow: workflow(), substeps, found });
        }
        match self.substeps.iter().zip(1..).find(|(verdict, number)| verdict.number != *number) {
            Some((verdict, number)) => {
                Err(VerdictError::Order { workflow: workflow(), found: verdict.number, expected: number })
            }
            None => Ok(()),
        }
    }
}

/// Whether so many passed substeps of so many are enough.
pub fn passes(passed: usize, total: usize) -> bool {
    total > 0 && PASS_SHARE.1 * passed >= PASS_SHARE.0 * total
}

/// What is wrong with a list of verdicts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum VerdictError {
    /// Too many or too few.
    #[error("accept verdicts on `{workflow}`: it has {substeps} substeps and {found} verdicts")]
    Count {
        /// The workflow.
        workflow: String,
        /// How many substeps it has.
        substeps: usize,
        /// How many verdicts there are.
        found: usize,
    },
    /// Out of order, or one twice.
    #[error("accept verdicts on `{workflow}`: the one on substep {found} stands where {expected} belongs")]
    Order {
        /// The workflow.
        workflow: String,
        /// The number that is there.
        found: u32,
        /// The number that belongs there.
        expected: u32,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judged(marks: &[Mark]) -> WorkflowVerdict {
        WorkflowVerdict {
            workflow: "w1".to_owned(),
            kind: WorkflowKind::Core,
            state: WorkflowState::Judged,
            substeps: (1..).zip(marks).map(|(number, mark)| SubstepVerdict::new(number, *mark)).collect(),
            evaluation_usd: None,
        }
    }

    #[test]
    fn one_failure_is_allowed_from_ten_substeps_on() {
        assert!(!passes(8, 9) && passes(9, 9));
        assert!(passes(9, 10) && !passes(8, 10));
        assert!(!passes(17, 19) && passes(18, 20));
        assert!(!passes(0, 0));
    }

    #[test]
    fn undecided_fails() {
        assert!(!judged(&[Mark::Pass, Mark::Undecided]).passes());
        assert!(judged(&[Mark::Pass; 3]).passes());
    }

    #[test]
    fn a_critical_failure_fails_the_stricter_reading_alone() {
        let mut workflow = judged(&[Mark::Pass; 20]);
        workflow.substeps[3].mark = Mark::Fail;
        assert!(workflow.passes() && workflow.passes_strictly());
        workflow.substeps[3].critical = true;
        assert!(workflow.passes() && !workflow.passes_strictly());
    }

    #[test]
    fn an_evaluator_that_failed_passes_nothing_and_blames_nobody() {
        for state in WorkflowState::ALL {
            let all_passed = WorkflowVerdict { state, ..judged(&[Mark::Pass; 4]) };
            let by_verdicts =
                matches!(state, WorkflowState::Judged | WorkflowState::EvaluatorStuck | WorkflowState::AmbiguousSpec);
            assert_eq!(all_passed.passes(), by_verdicts, "{state:?}");
            let none_passed = WorkflowVerdict { state, ..judged(&[Mark::Fail; 4]) };
            assert_eq!(none_passed.failure().is_none(), state.is_evaluator_failure(), "{state:?}");
        }
    }

    #[test]
    fn the_first_failure_that_was_tried_says_why() {
        let mut workflow = judged(&[Mark::Pass, Mark::Fail, Mark::Fail, Mark::Fail]);
        workflow.substeps[1].not_attempted = true;
        workflow.substeps[2].category = Some(FailureCategory::Authorization);
        workflow.substeps[3].category = Some(FailureCategory::MissingFeature);
        assert_eq!(workflow.failure(), Some(FailureCategory::Authorization));
        assert_eq!(judged(&[Mark::Fail]).failure(), Some(FailureCategory::Other));
        assert_eq!(judged(&[Mark::Pass]).failure(), None);
        assert_eq!(
            WorkflowVerdict { state: WorkflowState::AppDown, ..judged(&[]) }.failure(),
            Some(FailureCategory::Other)
        );
    }

    #[test]
    fn verdicts_must_be_complete_and_in_order() {
        let mut workflow = judged(&[Mark::Pass; 3]);
        assert_eq!(workflow.check(3), Ok(()));
        assert_eq!(workflow.check(4), Err(VerdictError::Count { workflow: "w1".to_owned(), substeps: 4, found: 3 }));
        workflow.substeps[2].number = 2;
        let twice = workflow.check(3).unwrap_err();
        assert_eq!(twice.to_string(), "accept verdicts on `w1`: the one on substep 2 stands where 3 belongs");
    }

    proptest! {
        /// With n substeps, ⌊n / 10⌋ may fail.
        #[test]
        fn the_rule_allows_one_in_ten(total in 1_usize..500, failed in 0_usize..500) {
            prop_assert_eq!(passes(total.saturating_sub(failed), total), failed.min(total) <= total / 10);
        }
    }
}
