//! Which letter an output means, and by which rule.
//!
//! Five tiers in a fixed order; the first that yields a letter wins. The output is first made plain (`text`): what looks like ASCII is
//! read as ASCII, blocks of reasoning are set aside, tokens of chat templates end a line. Of a chat the first turn is read. It is taken apart
//! once (`tokens`), and the tiers look at the tokens: `explicit`, `phrased`, `quoted`, `vote`. None of them looks further around the place it
//! is at than a fixed number of tokens and the text of a choice, so the time is linear in the length of the output, whatever is in it.
//!
//! None of these steps is inlined: a browser makes the busy functions of a module fast one by one, and would be at a single large one for
//! longer than a run has outputs.

mod abroad;
mod canon;
mod explicit;
mod fold;
mod options;
mod phrased;
mod quoted;
mod reading;
mod slot;
mod tags;
mod text;
mod tokens;
mod vocabulary;
mod vote;
mod work;

use crate::question::Letter;
use reading::Reading;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::Text;
pub use text::begins_with_reasoning;
use tokens::Kind;
use vocabulary::Word;

/// Version of the rules. Equal output and choices give an equal result for ever under one version.
pub const EXTRACTOR_VERSION: u32 = 3;

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
    /// Tier 2: the word for answer in Chinese, and a letter.
    AnswerInChinese,
    /// Tier 2: the word for answer in Japanese, and a letter.
    AnswerInJapanese,
    /// Tier 2: the word for answer in Korean, and a letter.
    AnswerInKorean,
    /// Tier 2: the word for answer in Spanish, and a letter.
    AnswerInSpanish,
    /// Tier 2: the word for answer in French, and a letter.
    AnswerInFrench,
    /// Tier 2: the word for answer in German, and a letter.
    AnswerInGerman,
    /// Tier 2: the word for answer in Italian, and a letter.
    AnswerInItalian,
    /// Tier 2: the word for answer in Portuguese, and a letter.
    AnswerInPortuguese,
    /// Tier 2: the word for answer in Russian, and a letter.
    AnswerInRussian,
    /// Tier 3: the text of one choice.
    QuotedChoice,
    /// Tier 3: most of the distinctive words of one choice.
    QuotedWords,
    /// Tier 4: the weighted vote of all letters.
    LetterVote,
    /// Tier 5: no answer found.
    NoAnswer,
}

impl Rule {
    /// The tier it belongs to.
    pub fn tier(self) -> Tier {
        match self {
            Self::AnswerLine | Self::Bold | Self::Boxed | Self::Bare => 1,
            Self::QuotedChoice | Self::QuotedWords => 3,
            Self::LetterVote => 4,
            Self::NoAnswer => 5,
            _ => 2,
        }
    }

    /// Whether it reads another language than English.
    fn is_abroad(self) -> bool {
        self.tier() == 2 && !matches!(self, Self::AnswerIs | Self::IChoose | Self::Therefore | Self::IsCorrect)
    }
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
    /// It is longer than what is read: its middle was left out.
    PartlyRead,
}

impl Flag {
    const ALL: [Self; 12] = [
        Self::Empty,
        Self::Truncated,
        Self::FromReasoning,
        Self::RanOn,
        Self::ChangedMind,
        Self::LetterTextConflict,
        Self::Hedged,
        Self::Placeholder,
        Self::Homoglyph,
        Self::Negated,
        Self::Refused,
        Self::PartlyRead,
    ];
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

/// A letter, the rule that found it, and where it is in the plain text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Finding {
    letter: Letter,
    rule: Rule,
    start: usize,
    end: usize,
}

/// A set of flags.
#[derive(Debug, Clone, Copy, Default)]
struct Flags(u16);

impl Flags {
    fn insert(&mut self, flag: Flag) {
        self.0 |= 1 << flag as u16;
    }

    fn to_list(self) -> Vec<Flag> {
        Flag::ALL.into_iter().filter(|flag| self.0 >> *flag as u16 & 1 == 1).collect()
    }
}

/// The numbers a tier works with, in words; nothing for those that work without.
pub fn needs(tier: Tier) -> Option<String> {
    match tier {
        3 => Some(quoted::needs()),
        4 => Some(vote::needs()),
        _ => None,
    }
}

/// Reads the letter out of an output.
pub fn extract<C: AsRef<str>>(output: &str, choices: &[C; 4]) -> Extraction {
    extract_from(output, choices.each_ref().map(AsRef::as_ref))
}

fn extract_from(output: &str, choices: [&str; 4]) -> Extraction {
    let text = Text::of(output);
    let reading = Reading::of(&text, choices);
    let mut flags = Flags::default();
    if text.from_reasoning {
        flags.insert(Flag::FromReasoning);
    }
    if text.reasoning_is_cut {
        flags.insert(Flag::Truncated);
    }
    if !text::is_read_whole(output) {
        flags.insert(Flag::PartlyRead);
    }
    let found = explicit::explicit(&reading, &mut flags)
        .or_else(|| phrased::phrased(&reading, &mut flags))
        .or_else(|| quoted::quoted(&reading))
        .or_else(|| vote::vote(&reading));
    if found.is_none() {
        explain(&reading, &mut flags);
    }
    let span = found.map(|found| text.in_output(found.start..found.end));
    Extraction {
        version: EXTRACTOR_VERSION,
        letter: found.map(|found| found.letter),
        tier: found.map_or(5, |found| found.rule.tier()),
        rule: found.map_or(Rule::NoAnswer, |found| found.rule),
        span,
        utf16_span: span.map(|span| text.in_utf16(span)),
        flags: flags.to_list(),
    }
}

/// Why there is no letter: nothing was written, or the model declined.
fn explain(reading: &Reading, flags: &mut Flags) {
    const FIRST_WORDS: usize = 24;
    if reading.tokens.lines.is_empty() {
        return flags.insert(Flag::Empty);
    }
    let word = |index: usize| reading.tokens.str(index).to_ascii_lowercase();
    let apologises = |index: usize| matches!(word(index).as_str(), "sorry" | "apologize" | "apologise" | "unable");
    let declines = |index: usize| {
        let says_no = matches!(word(index).as_str(), "cannot" | "can't" | "won't");
        let as_what = word(index) == "ai" && reading.tokens.kind(index.saturating_sub(2)) == Kind::Word(Word::Because);
        as_what || says_no && reading.tokens.kind_before(index) == Kind::Word(Word::I)
    };
    if (0..reading.tokens.len().min(FIRST_WORDS)).any(|index| apologises(index) || declines(index)) {
        flags.insert(Flag::Refused);
    }
}
