//! Evidence: frozen facts about a submission. Gathered once, stored by hash, and the only thing a scorer ever sees.

pub mod acceptance;
pub mod audit;
pub mod axe;
pub mod backend;
pub mod content;
pub mod design;
pub mod element;
pub mod install;
pub mod judgement;
pub mod lighthouse;
pub mod lint;
pub mod load;
pub mod patterns;
pub mod routes;
#[cfg(test)]
pub(crate) mod sample;
pub mod scroll;
pub mod secrets;
pub mod source;
pub mod survey;
pub mod types;
pub mod verbatim;
pub mod viewports;

pub use acceptance::Acceptance;
pub use audit::Audit;
pub use axe::Axe;
pub use backend::Backend;
pub use content::Content;
pub use design::Design;
pub use install::Install;
pub use judgement::Judgement;
pub use lighthouse::Lighthouse;
pub use lint::Lint;
pub use load::Load;
pub use patterns::Patterns;
pub use routes::Routes;
pub use scroll::Scroll;
pub use secrets::Secrets;
pub use source::Source;
pub use types::Types;
pub use verbatim::Verbatim;
pub use viewports::Viewports;

use crate::plan::Plan;
use crate::prompt::Prompt;
use crate::request::Request;
use benchwright_domain::{Assessment, Outcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// One table of all kinds: what is stored under which key, with which type and version. Everything that must name every kind is made from it.
macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $field:ident: $type:ty, $module:ident, $since:literal;)*) => {
        /// The kinds of evidence. One kind is one unit of work: gathered whole or not at all, and not gathered again on resume.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum EvidenceKind {
            $($(#[$doc])* $kind,)*
        }

        impl EvidenceKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The name used in the run's log.
            pub fn key(self) -> &'static str {
                match self {
                    $(Self::$kind => stringify!($field),)*
                }
            }

            /// The format of requests since which it is gathered. Runs that are older never had it, which is nobody's fault.
            pub fn since(self) -> u32 {
                match self {
                    $(Self::$kind => $since,)*
                }
            }

            /// Format version of what is stored under this kind.
            pub fn version(self) -> u32 {
                match self {
                    $(Self::$kind => $module::VERSION,)*
                }
            }
        }

        /// All evidence of one run, and what was asked of it.
        #[derive(Debug, Clone, Default)]
        pub struct Evidence {
            /// The prompt, if one was given.
            pub prompt: Option<Prompt>,
            $($(#[$doc])* pub $field: Piece<$type>,)*
            /// Answers of the scorers the user added, by id.
            pub commands: BTreeMap<String, Piece<Assessment>>,
        }

        impl Evidence {
            /// Seconds spent on a kind.
            pub fn seconds(&self, kind: EvidenceKind) -> f64 {
                match kind {
                    $(EvidenceKind::$kind => self.$field.seconds,)*
                }
            }

            /// Why a kind is not there, if it is not.
            pub fn absence(&self, kind: EvidenceKind) -> Option<&Absence> {
                match kind {
                    $(EvidenceKind::$kind => self.$field.value.as_ref().err(),)*
                }
            }

            /// Says why a kind is not there.
            pub fn set_absent(&mut self, kind: EvidenceKind, absence: Absence) {
                match kind {
                    $(EvidenceKind::$kind => self.$field = Piece::absent(absence),)*
                }
            }

            /// Takes over a kind from another lane's evidence.
            pub fn adopt(&mut self, kind: EvidenceKind, from: &mut Self) {
                match kind {
                    $(EvidenceKind::$kind => self.$field = std::mem::take(&mut from.$field),)*
                }
            }

            /// Puts a stored piece in its place. `stored` is the blob's JSON, or the absence.
            pub fn restore(
                &mut self,
                kind: EvidenceKind,
                stored: Result<&[u8], Absence>,
                seconds: f64,
            ) -> Result<(), serde_json::Error> {
                match kind {
                    $(EvidenceKind::$kind => self.$field = Piece::restored(stored, seconds)?,)*
                }
                Ok(())
            }
        }
    };
}

kinds! {
    /// Navigation, network and console of the first load.
    Load load: Load, load, 1;
    /// What the document says of itself: title, meta tags, headings.
    Content content: Content, content, 1;
    /// Text samples, style sheets and pixels for the design heuristics.
    Design design: Design, design, 1;
    /// What axe-core found.
    Axe axe: Axe, axe, 1;
    /// The page at three viewports.
    Viewports viewports: Viewports, viewports, 1;
    /// The page scrolled half-way down, for the judges.
    Scroll scroll: Scroll, scroll, 2;
    /// The prompt's criteria, walked in the browser.
    Acceptance acceptance: Acceptance, acceptance, 2;
    /// What two accounts could do, and what they could see of each other.
    Backend backend: Backend, backend, 2;
    /// Further routes of the app.
    Routes routes: Routes, routes, 2;
    /// Lighthouse runs in the quiet lane.
    Lighthouse lighthouse: Lighthouse, lighthouse, 1;
    /// Sizes and hash of the source tree.
    Source source: Source, source, 1;
    /// Where the prompt's verbatim constraints stand in the source.
    Verbatim verbatim: Verbatim, verbatim, 2;
    /// Secrets in the source.
    Secrets secrets: Secrets, secrets, 2;
    /// Security anti-patterns in the source.
    Patterns patterns: Patterns, patterns, 2;
    /// What ESLint and the complexity rule say.
    Lint lint: Lint, lint, 2;
    /// What the TypeScript compiler says.
    Types types: Types, types, 2;
    /// Clean installs from the committed lockfiles.
    Install install: Install, install, 2;
    /// What the registry's advisories say of the dependencies.
    Audit audit: Audit, audit, 2;
    /// Judges on functional intent.
    Intent intent: Judgement, judgement, 2;
    /// Judges on looks.
    Looks looks: Judgement, judgement, 2;
    /// Judges on maintainability.
    Maintainability maintainability: Judgement, judgement, 2;
}

impl EvidenceKind {
    /// The kind with that name, if this version knows it.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.key() == key)
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// Why a piece of evidence is not there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Absence {
    /// No scorer of this run needs it.
    NotAsked {
        /// In words.
        reason: String,
    },
    /// The user did not give what it takes.
    NoInput {
        /// In words.
        reason: String,
    },
    /// The page did not render, so nothing can be said of it.
    NotRendered,
    /// Our fault: a tool crashed or ran out of time.
    Failed {
        /// In words.
        reason: String,
    },
    /// Judges were asked and came to no verdict. What was paid for is kept.
    Unjudged {
        /// In words.
        reason: String,
        /// What each of them said until then, with every call it answered.
        opinions: Vec<judgement::Opinion>,
        /// Dollars that the budget of the run's judges had been charged by then; see [`Judgement::charged_usd`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        charged_usd: Option<f64>,
        /// Whether nobody could be asked in the last try because something was not given, such as a key: then that is what is missing.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        without_input: bool,
    },
}

/// The reason every gated scorer gives when the page did not render.
pub const DID_NOT_RENDER: &str = "page did not render";

impl Absence {
    /// The outcome of a scorer that needs what is absent.
    pub fn outcome(&self) -> Outcome {
        match self.clone() {
            Self::NotAsked { reason } => Outcome::NotApplicable { reason },
            Self::NoInput { reason } | Self::Unjudged { reason, without_input: true, .. } => {
                Outcome::NoInput { reason }
            }
            Self::NotRendered => Outcome::NoInput { reason: DID_NOT_RENDER.to_owned() },
            Self::Failed { reason } | Self::Unjudged { reason, .. } => Outcome::Errored { reason },
        }
    }

    /// Whether it is our fault, so that it is worth another try.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed { .. } | Self::Unjudged { without_input: false, .. })
    }
}

/// A piece of evidence, or why there is none, and how long it took to find out.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece<T> {
    /// What was gathered.
    pub value: Result<T, Absence>,
    /// Wall seconds it took.
    pub seconds: f64,
}

impl<T> Piece<T> {
    /// Evidence that was gathered.
    pub fn present(value: T, seconds: f64) -> Self {
        Self { value: Ok(value), seconds }
    }

    /// Evidence that is not there.
    pub fn absent(absence: Absence) -> Self {
        Self { value: Err(absence), seconds: 0.0 }
    }

    /// A piece as it was stored: the blob's JSON, or the absence.
    fn restored(stored: Result<&[u8], Absence>, seconds: f64) -> Result<Self, serde_json::Error>
    where
        T: DeserializeOwned,
    {
        let value = match stored {
            Ok(bytes) => Ok(serde_json::from_slice(bytes)?),
            Err(absence) => Err(absence),
        };
        Ok(Self { value, seconds })
    }

    /// The value, or the outcome of a scorer that needs it. Scorers use it with `?`.
    pub fn get(&self) -> Result<&T, Outcome> {
        self.value.as_ref().map_err(Absence::outcome)
    }
}

impl<T> Default for Piece<T> {
    fn default() -> Self {
        Self::absent(Absence::NotAsked { reason: "not gathered".to_owned() })
    }
}

impl Evidence {
    /// Whether a kind is absent through our fault, so that it is worth another try.
    pub fn has_failed(&self, kind: EvidenceKind) -> bool {
        self.absence(kind).is_some_and(Absence::is_failure)
    }

    /// Gives every kind that the request does not need the reason why it is not there.
    pub fn fill_unplanned(&mut self, request: &Request) {
        let plan = Plan::of(request);
        for kind in EvidenceKind::ALL.iter().copied() {
            if let Some(absence) = plan.absence(request, kind).filter(|_| self.absence(kind).is_some()) {
                self.set_absent(kind, absence);
            }
        }
    }
}
