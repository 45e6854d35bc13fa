//! Which letter an output means, and by which rule.

use crate::question::Letter;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Version of the rules. Equal output and choices give an equal result for ever under one version.
pub const EXTRACTOR_VERSION: u32 = 1;

/// Which of the five tiers decided.
pub type Tier = u8;

/// The rule that decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Tier 1: a line such as `ANSWER: C`.
    AnswerLine,
    /// Tier 1: `**C**`.
    Bold,
    /// Tier 1: `\boxed{C}`.
    Boxed,
    /// Tier 1: a letter alone, or a letter with that choice's own text.
    Bare,
    /// Tier 2: "the answer is C".
    AnswerIs,
    /// Tier 2: "I choose C".
    IChoose,
    /// Tier 2: "therefore C".
    Therefore,
    /// Tier 2: "option C is correct", "C is the correct answer".
    IsCorrect,
    /// Tier 2: the word for answer in another language, and a letter.
    OtherLanguage,
    /// Tier 3: the text of one choice.
    QuotedChoice,
    /// Tier 3: most of the distinctive words of one choice.
    QuotedWords,
    /// Tier 4: the weighted vote of all letters.
    LetterVote,
    /// Tier 5: no answer found.
    NoAnswer,
}

/// What else there is to know about an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// The output is empty.
    Empty,
    /// It ends where an answer or a reasoning block was begun.
    Truncated,
    /// The letter was found inside the reasoning block, because there is nothing else.
    FromReasoning,
    /// After its answer the model went on with a new exam item, which was not read.
    RanOn,
    /// Several explicit answers differ; the last one counts.
    ChangedMind,
    /// A letter and the text of another choice stand together.
    LetterTextConflict,
    /// An answer names several letters.
    Hedged,
    /// The answer is a placeholder, such as `X` or `<letter>`, or no letter of the four.
    Placeholder,
    /// The letter is a Cyrillic or Greek one that looks like a Latin one.
    Homoglyph,
    /// An answer is negated: "not B".
    Negated,
    /// The model declined to answer.
    Refused,
}

/// What an output was found to say.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Extraction {
    /// Version of the rules.
    pub version: u32,
    /// The letter; absent in tier 5.
    pub letter: Option<Letter>,
    /// 1 to 5.
    pub tier: Tier,
    /// The rule that decided.
    pub rule: Rule,
    /// Where in the output it is, in bytes of its UTF-8: begin and end.
    pub span: Option<[usize; 2]>,
    /// The same in UTF-16 code units, as a page counts.
    pub utf16_span: Option<[usize; 2]>,
    /// What else there is to know, in order and each once.
    pub flags: Vec<Flag>,
}

/// Reads the letter out of an output.
pub fn extract(output: &str, choices: &[String; 4]) -> Extraction {
    let _ = (output, choices);
    Extraction {
        version: EXTRACTOR_VERSION,
        letter: None,
        tier: 5,
        rule: Rule::NoAnswer,
        span: None,
        utf16_span: None,
        flags: Vec::new(),
    }
}
