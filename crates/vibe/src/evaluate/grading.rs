//! Who judges.

use crate::judge::Judge as _;
use crate::judge::rules::Rules;
use crate::task::Kind;
use crate::walk::Archive;
use benchwright_domain::vibe::trace::Trace;
use benchwright_domain::vibe::verdict::WorkflowVerdict;

/// A judge, ready to be used for any number of traces.
#[derive(Debug, Clone, Default)]
pub enum Grading {
    /// Rules, without a model.
    #[default]
    Rules,
}

impl Grading {
    /// The name in results.
    pub fn name(&self) -> &str {
        match self {
            Self::Rules => "rules",
        }
    }

    /// Raised when it would decide differently.
    pub fn version(&self) -> u32 {
        match self {
            Self::Rules => Rules.version(),
        }
    }

    /// Judges a stored trace.
    pub async fn judge(&self, trace: &Trace, kind: Kind, sights: &(dyn Archive + Sync)) -> WorkflowVerdict {
        let verdict = match self {
            Self::Rules => Rules.judge(trace, sights),
        };
        let walking = trace.usage.as_ref().map_or(Some(0.0), |usage| usage.usd);
        let judging = verdict.evaluation_usd.or_else(|| matches!(self, Self::Rules).then_some(0.0));
        let evaluation_usd = walking.zip(judging).map(|(walking, judging)| walking + judging);
        WorkflowVerdict { kind: kind.into(), evaluation_usd, ..verdict }
    }
}
