//! The prompt: what a submission was asked to be, as a YAML file.
//!
//! The format is the published one. Locators, assertions and custom checks stay the text they were written in, so that a run frozen
//! today reads the same for ever; they are read when the file is, and again when they are used. Everything that can be told from the
//! file alone is checked while it is read, so that a mistake in a prompt is an error with a line and never a low score.
//!
//! Every criterion starts in a fresh context, whatever stands before it, unless it says `chain: true`.

mod assertion;
mod custom;
mod fields;
mod lint;
mod locator;
mod read;
mod syntax;
mod written;

pub use assertion::{Assertion, Check};
pub use custom::{Comparison, CustomCheck, Side};
pub use lint::lint;
pub use locator::Locator;
pub use read::load;
pub use syntax::{MAX_CHARS, SyntaxError};

use fields::{ProbeFields, StepFields, kebab_case, optional_text, requirement, snake_case, text, tier};
use serde::{Deserialize, Serialize};

/// The largest prompt file that is read.
pub const MAX_PROMPT_BYTES: usize = 256 * 1024;

/// What a submission was asked to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prompt {
    /// Kebab-case name.
    #[serde(deserialize_with = "kebab_case")]
    pub id: String,
    /// How hard it is, 1 to 3.
    #[serde(deserialize_with = "tier")]
    pub tier: u8,
    /// The requirement as the builder was given it.
    #[serde(deserialize_with = "requirement")]
    pub prompt: String,
    /// Criteria that decide whether F2 passes.
    #[serde(default)]
    pub must_have: Vec<Criterion>,
    /// Criteria that count half.
    #[serde(default)]
    pub should_have: Vec<Criterion>,
    /// What must appear in the source word for word.
    #[serde(default)]
    pub verbatim_constraints: Vec<VerbatimConstraint>,
    /// Which SEO checks make sense for it.
    #[serde(default)]
    pub seo_applicable: Vec<SeoCheck>,
    /// What the visual judge is asked besides the standard criteria.
    #[serde(default)]
    pub visual_checklist: Checklist,
    /// What the intent judge is asked besides the standard criteria.
    #[serde(default)]
    pub functional_checklist: Checklist,
    /// What the backend must refuse.
    #[serde(default)]
    pub backend_probes: Vec<BackendProbe>,
    /// What users of the app make and keep, and the form it is made with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<RecordForm>,
}

/// What users of the app make and keep: a contact, an order, a note.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordForm {
    /// What one of them is called, in the singular.
    #[serde(deserialize_with = "text")]
    pub noun: String,
    /// The fields of its form in order; the first one without a value takes the mark it is recognised by.
    #[serde(default)]
    pub fields: Vec<RecordField>,
}

/// One field of the form a record is made with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordField {
    /// What it is labelled.
    #[serde(deserialize_with = "text")]
    pub label: String,
    /// What is filled in; something unique when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

/// One thing that must be true of the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criterion {
    /// Name, unique among all criteria of the prompt.
    #[serde(deserialize_with = "text")]
    pub id: String,
    /// What it asks, as a sentence for people.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it goes on where the criterion before it in its list ended, instead of in a fresh context.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub chain: bool,
    /// Which elements it is about.
    #[serde(deserialize_with = "text")]
    pub locator: String,
    /// What must hold of them.
    #[serde(deserialize_with = "text")]
    pub assert: String,
    /// A further check.
    #[serde(default, deserialize_with = "optional_text", skip_serializing_if = "Option::is_none")]
    pub custom: Option<String>,
    /// What to do first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<SetupStep>,
}

/// One step on the way to a criterion.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase", try_from = "StepFields")]
pub enum SetupStep {
    /// Run a script in the page.
    Evaluate { expr: String },
    /// Replace the content of a field; the value may be empty.
    Fill { locator: String, value: String },
    /// Click.
    Click { locator: String },
    /// Press a key in an element.
    Press { locator: String, key: String },
    /// Load the page again.
    Reload {},
    /// Wait until an element is visible.
    WaitFor { locator: String },
    /// Bring up the login form, wherever it hides.
    RevealLoginForm {},
}

/// How a text is looked for in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerbatimType {
    /// The exact text, case included.
    ExactCopy,
    /// A colour, in either case.
    HexValue,
    /// A name in markup or styles.
    Structural,
}

/// Something that must appear in the source word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerbatimConstraint {
    /// How it is looked for.
    #[serde(rename = "type")]
    pub kind: VerbatimType,
    /// What must appear.
    #[serde(deserialize_with = "text")]
    pub value: String,
    /// Where a reader would expect it; says nothing to the scorer.
    #[serde(rename = "where", deserialize_with = "text")]
    pub place: String,
}

/// The ten SEO checks of C9.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeoCheck {
    Title,
    MetaDescription,
    Canonical,
    OgTags,
    TwitterCard,
    JsonLd,
    Lang,
    HeadingHierarchy,
    RobotsTxt,
    SitemapXml,
}

impl SeoCheck {
    /// All checks in published order.
    pub const ALL: [Self; 10] = [
        Self::Title,
        Self::MetaDescription,
        Self::Canonical,
        Self::OgTags,
        Self::TwitterCard,
        Self::JsonLd,
        Self::Lang,
        Self::HeadingHierarchy,
        Self::RobotsTxt,
        Self::SitemapXml,
    ];

    /// The name in prompts and reports.
    pub fn id(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::MetaDescription => "meta_description",
            Self::Canonical => "canonical",
            Self::OgTags => "og_tags",
            Self::TwitterCard => "twitter_card",
            Self::JsonLd => "json_ld",
            Self::Lang => "lang",
            Self::HeadingHierarchy => "heading_hierarchy",
            Self::RobotsTxt => "robots_txt",
            Self::SitemapXml => "sitemap_xml",
        }
    }
}

/// Questions to a judge beyond the standard ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Checklist {
    /// The questions.
    #[serde(default)]
    pub extra: Vec<ChecklistItem>,
    /// Whether placeholder text is to be expected; matters to the visual judge only.
    #[serde(default)]
    pub placeholder_copy: bool,
}

/// One question to a judge.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChecklistItem {
    /// Snake-case name, unique in its list.
    #[serde(deserialize_with = "snake_case")]
    pub id: String,
    /// A few words.
    #[serde(deserialize_with = "text")]
    pub label: String,
    /// What the judge is to look at.
    #[serde(deserialize_with = "text")]
    pub description: String,
}

/// A request the backend must answer with one of the expected statuses.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", try_from = "ProbeFields")]
pub enum BackendProbe {
    /// Without logging in.
    UnauthGet { id: String, path: String, expect_status: Vec<u16> },
    /// As another user, whose answer must not contain a text.
    CrossUserGet { id: String, path: String, expect_status: Vec<u16>, forbid_body_contains: String },
}

impl BackendProbe {
    /// Name, unique among the probes of the prompt.
    pub fn id(&self) -> &str {
        match self {
            Self::UnauthGet { id, .. } | Self::CrossUserGet { id, .. } => id,
        }
    }
}

/// Why a prompt cannot be used. The message completes "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PromptError {
    #[error("read prompt {file}: it has {bytes} bytes, and at most {MAX_PROMPT_BYTES} are read; shorten it")]
    TooLarge { file: String, bytes: usize },
    #[error("read prompt {file}:{line}:{column}: {problem}")]
    Invalid { file: String, line: u64, column: u64, problem: String },
}

impl Prompt {
    /// The text whose hash stands for this prompt: the same for every way of writing the same prompt in YAML.
    pub fn hash_input(&self) -> String {
        serde_json::to_string(self).expect("a prompt consists of texts, numbers and lists, which JSON can hold")
    }
}
