//! What can be told from a source tree by reading it: verbatim texts, secrets, security anti-patterns. No network, no processes.
//!
//! [`survey`] reads every file once. All three questions are answered from that one reading, and nothing of a file is kept but the answers.

mod banner;
mod entities;
mod file;
mod findings;
mod graph;
mod mask;
mod patterns;
mod room;
mod script;
mod scrub;
mod secrets;
mod survey;
mod verbatim;
mod walk;

pub use banner::{are_banners_believed, says_generated};
pub use file::class_of;
pub use findings::{Class, PatternFinding, SecretFinding, Severity, Side};
pub use patterns::{PATTERNS, Pattern};
pub use scrub::{SCRUBBED, Thoroughness, scrubbed};
pub use secrets::{SECRETS, SecretRule, literals};
pub use survey::{Survey, SurveyError, survey};
pub use verbatim::{Constraint, ConstraintKind, Hit, Sighting};
pub use walk::{Limits, list};
