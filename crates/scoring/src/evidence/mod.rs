//! Evidence: frozen facts about a submission. Gathered once, stored by hash, and the only thing a scorer ever sees.

pub mod axe;
pub mod content;
pub mod design;
pub mod element;
pub mod lighthouse;
pub mod load;
#[cfg(test)]
pub(crate) mod sample;
pub mod source;
pub mod viewports;

pub use axe::Axe;
pub use content::Content;
pub use design::Design;
pub use lighthouse::Lighthouse;
pub use load::Load;
pub use source::Source;
pub use viewports::Viewports;

use crate::plan::Plan;
use crate::prompt::Prompt;
use crate::request::Request;
use benchwright_domain::{Assessment, Outcome};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The kinds of evidence. One kind is one unit of work: gathered whole or not at all, and not gathered again on resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// Navigation, network and console of the first load.
    Load,
    /// What the document says of itself: title, meta tags, headings.
    Content,
    /// Text samples, style sheets and pixels for the design heuristics.
    Design,
    /// What axe-core found.
    Axe,
    /// The page at three viewports.
    Viewports,
    /// Lighthouse runs in the quiet lane.
    Lighthouse,
    /// Sizes and hash of the source tree.
    Source,
}

impl EvidenceKind {
    /// All kinds in the order they are gathered.
    pub const ALL: [Self; 7] =
        [Self::Load, Self::Content, Self::Design, Self::Axe, Self::Viewports, Self::Lighthouse, Self::Source];

    /// The name used in the run's log.
    pub fn key(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Content => "content",
            Self::Design => "design",
            Self::Axe => "axe",
            Self::Viewports => "viewports",
            Self::Lighthouse => "lighthouse",
            Self::Source => "source",
        }
    }

    /// The kind with that name, if this version knows it.
    pub fn from_key(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.key() == key)
    }

    /// Format version of what is stored under this kind.
    pub fn version(self) -> u32 {
        match self {
            Self::Load => load::VERSION,
            Self::Content => content::VERSION,
            Self::Design => design::VERSION,
            Self::Axe => axe::VERSION,
            Self::Viewports => viewports::VERSION,
            Self::Lighthouse => lighthouse::VERSION,
            Self::Source => source::VERSION,
        }
    }
}

impl fmt::Display for EvidenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.key())
    }
}

/// Why a piece of evidence is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
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
}

/// The reason every gated scorer gives when the page did not render.
pub const DID_NOT_RENDER: &str = "page did not render";

impl Absence {
    /// The outcome of a scorer that needs what is absent.
    pub fn outcome(&self) -> Outcome {
        match self.clone() {
            Self::NotAsked { reason } => Outcome::NotApplicable { reason },
            Self::NoInput { reason } => Outcome::NoInput { reason },
            Self::NotRendered => Outcome::NoInput { reason: DID_NOT_RENDER.to_owned() },
            Self::Failed { reason } => Outcome::Errored { reason },
        }
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

/// All evidence of one run, and what was asked of it.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// The prompt, if one was given.
    pub prompt: Option<Prompt>,
    /// First load.
    pub load: Piece<Load>,
    /// Document facts.
    pub content: Piece<Content>,
    /// Design facts.
    pub design: Piece<Design>,
    /// axe-core result.
    pub axe: Piece<Axe>,
    /// Three viewports.
    pub viewports: Piece<Viewports>,
    /// Lighthouse runs.
    pub lighthouse: Piece<Lighthouse>,
    /// Source tree.
    pub source: Piece<Source>,
    /// Answers of the scorers the user added, by id.
    pub commands: BTreeMap<String, Piece<Assessment>>,
}

impl Evidence {
    /// Seconds spent on a kind.
    pub fn seconds(&self, kind: EvidenceKind) -> f64 {
        match kind {
            EvidenceKind::Load => self.load.seconds,
            EvidenceKind::Content => self.content.seconds,
            EvidenceKind::Design => self.design.seconds,
            EvidenceKind::Axe => self.axe.seconds,
            EvidenceKind::Viewports => self.viewports.seconds,
            EvidenceKind::Lighthouse => self.lighthouse.seconds,
            EvidenceKind::Source => self.source.seconds,
        }
    }

    /// Whether a kind is absent through our fault, so that it is worth another try.
    pub fn has_failed(&self, kind: EvidenceKind) -> bool {
        matches!(self.absence(kind), Some(Absence::Failed { .. }))
    }

    /// Why a kind is not there, if it is not.
    pub fn absence(&self, kind: EvidenceKind) -> Option<&Absence> {
        match kind {
            EvidenceKind::Load => self.load.value.as_ref().err(),
            EvidenceKind::Content => self.content.value.as_ref().err(),
            EvidenceKind::Design => self.design.value.as_ref().err(),
            EvidenceKind::Axe => self.axe.value.as_ref().err(),
            EvidenceKind::Viewports => self.viewports.value.as_ref().err(),
            EvidenceKind::Lighthouse => self.lighthouse.value.as_ref().err(),
            EvidenceKind::Source => self.source.value.as_ref().err(),
        }
    }

    /// Says why a kind is not there.
    pub fn set_absent(&mut self, kind: EvidenceKind, absence: Absence) {
        match kind {
            EvidenceKind::Load => self.load = Piece::absent(absence),
            EvidenceKind::Content => self.content = Piece::absent(absence),
            EvidenceKind::Design => self.design = Piece::absent(absence),
            EvidenceKind::Axe => self.axe = Piece::absent(absence),
            EvidenceKind::Viewports => self.viewports = Piece::absent(absence),
            EvidenceKind::Lighthouse => self.lighthouse = Piece::absent(absence),
            EvidenceKind::Source => self.source = Piece::absent(absence),
        }
    }

    /// Gives every kind that the request does not need the reason why it is not there.
    pub fn fill_unplanned(&mut self, request: &Request) {
        let plan = Plan::of(request);
        for kind in EvidenceKind::ALL {
            if let Some(absence) = plan.absence(request, kind).filter(|_| self.absence(kind).is_some()) {
                self.set_absent(kind, absence);
            }
        }
    }

    /// Puts a stored piece in its place. `stored` is the blob's JSON, or the absence.
    pub fn restore(
        &mut self,
        kind: EvidenceKind,
        stored: Result<&[u8], Absence>,
        seconds: f64,
    ) -> Result<(), serde_json::Error> {
        fn piece<T: DeserializeOwned>(
            stored: Result<&[u8], Absence>,
            seconds: f64,
        ) -> Result<Piece<T>, serde_json::Error> {
            let value = match stored {
                Ok(bytes) => Ok(serde_json::from_slice(bytes)?),
                Err(absence) => Err(absence),
            };
            Ok(Piece { value, seconds })
        }
        match kind {
            EvidenceKind::Load => self.load = piece(stored, seconds)?,
            EvidenceKind::Content => self.content = piece(stored, seconds)?,
            EvidenceKind::Design => self.design = piece(stored, seconds)?,
            EvidenceKind::Axe => self.axe = piece(stored, seconds)?,
            EvidenceKind::Viewports => self.viewports = piece(stored, seconds)?,
            EvidenceKind::Lighthouse => self.lighthouse = piece(stored, seconds)?,
            EvidenceKind::Source => self.source = piece(stored, seconds)?,
        }
        Ok(())
    }
}
