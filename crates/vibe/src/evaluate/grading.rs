//! Who judges.

use super::EvaluateError;
use crate::judge::llm::LlmJudge;
use crate::judge::{self, Judge as _, rules::RuleJudge};
use crate::task::Kind;
use crate::walk::Archive;
use benchwright_domain::vibe::trace::Trace;
use benchwright_domain::vibe::verdict::WorkflowVerdict;

/// A judge, ready to be used for any number of traces.
#[derive(Debug, Clone)]
pub enum Grading {
    /// Rules, without a model.
    Rules,
    /// A model.
    Model(LlmJudge),
}

impl Grading {
    /// The name in results.
    pub fn name(&self) -> &str {
        match self {
            Self::Rules => "rules",
            Self::Model(judge) => judge.name(),
        }
    }

    /// Raised when it would decide differently.
    pub fn version(&self) -> u32 {
        match self {
            Self::Rules => RuleJudge.version(),
            Self::Model(_) => judge::llm::VERSION,
        }
    }

    /// Judges a stored trace. What the whole evaluation of the workflow cost, walking included, is part of the verdict.
    pub async fn judge(
        &self,
        trace: &Trace,
        kind: Kind,
        kept: &(dyn Archive + Sync),
    ) -> Result<WorkflowVerdict, EvaluateError> {
        // Without a model a walk is free, which is known; with one it costs what it says, if it says so.
        let walking = trace.usage.as_ref().map_or(Some(0.0), |usage| usage.usd);
        let (verdict, judging) = match self {
            Self::Rules => (RuleJudge.judge(trace, kept), Some(0.0)),
            Self::Model(judge) => {
                let judgement = judge.judge(trace, kept).await;
                if let Some(stop) = judgement.stopped {
                    return Err(stop.into());
                }
                let judging = judgement.verdict.evaluation_usd;
                (judgement.verdict, judging)
            }
        };
        let evaluation_usd = walking.zip(judging).map(|(walking, judging)| walking + judging);
        Ok(WorkflowVerdict { kind: kind.into(), evaluation_usd, ..verdict })
    }
}
