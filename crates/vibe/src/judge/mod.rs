//! Judging walks. Who acts does not grade: a judge reads the stored trace and its sights, and nothing else.

pub mod expectation;
pub mod llm;
pub mod rules;

use crate::walk::Archive;
use benchwright_domain::vibe::trace::Trace;
use benchwright_domain::vibe::verdict::WorkflowVerdict;

/// Somebody who grades walks without a model.
pub trait Judge {
    /// Version of the judge; raised when it would decide differently.
    fn version(&self) -> u32;

    /// Exactly one verdict for each substep of the trace, in order.
    fn judge(&self, trace: &Trace, sights: &dyn Archive) -> WorkflowVerdict;
}
