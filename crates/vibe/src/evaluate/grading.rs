//! Who judges.

use crate::judge::Judge as _;
use crate::judge::rules::RuleJudge;
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
            Self::Rules => RuleJudge.version(),
        }
    }

    /// Judges a stored trace.
    pub async fn judge(&self, trace: &Trace, kind: Kind, sights: &(dyn Archive + Sync)) -> WorkflowVerdict {
        let verdict = match self {
            Self::Rules => RuleJudge.judge(trace, sights),
        };
        // Without a model a walk is free, which is known; with one it costs what it says, if it says so.
        let evaluation_usd = trace.usage.as_ref().map_or(Some(0.0), |usage| usage.usd);
        WorkflowVerdict { kind: kind.into(), evaluation_usd, ..verdict }
    }
}
