//! The word for answer in a few other languages, and the letter after it.

use super::Rule;
use super::reading::Reading;
use super::slot::Slot;
use super::tokens::Kind;
use super::vocabulary::Word;

/// Tokens that may stand between the word for answer and the letter.
const REACH: usize = 6;

/// Words for answer and choosing, and what they deny it with.
const EAST: [(&str, Rule); 10] = [
    ("答案", Rule::AnswerInChinese),
    ("选", Rule::AnswerInChinese),
    ("選", Rule::AnswerInChinese),
    ("答え", Rule::AnswerInJapanese),
    ("解答", Rule::AnswerInJapanese),
    ("正解", Rule::AnswerInJapanese),
    ("回答", Rule::AnswerInJapanese),
    ("정답", Rule::AnswerInKorean),
    ("답은", Rule::AnswerInKorean),
    ("답", Rule::AnswerInKorean),
];
const EASTERN_DENIALS: [&str; 5] = ["不", "ない", "ません", "아니", "않"];

/// `答案是B`, `答え：B`, `정답은 B`
pub(super) fn east(reading: &Reading, cue: usize) -> Option<(Rule, Slot)> {
    let said = tail(reading.tokens.str(cue));
    let (_, rule) = EAST.iter().find(|(word, _)| said.contains(word))?;
    let colon = usize::from(matches!(reading.tokens.kind(cue + 1), Kind::Mark(b':')));
    let slot = reading.slot(cue + 1 + colon);
    let Slot::Letter(filled) = slot else { return None };
    (!denies(said) && !reading.is_denied_after(filled)).then_some((*rule, slot))
}

/// Whether what stands around a letter in Chinese, Japanese or Korean denies it.
pub(super) fn denies(text: &str) -> bool {
    EASTERN_DENIALS.iter().any(|denial| head(text).contains(denial) || tail(text).contains(denial))
}

/// The last eight characters: a whole paragraph may be written without a break.
fn tail(text: &str) -> &str {
    let start = text.char_indices().rev().nth(7).map_or(0, |(start, _)| start);
    &text[start..]
}

fn head(text: &str) -> &str {
    let end = text.char_indices().nth(8).map_or(text.len(), |(end, _)| end);
    &text[..end]
}

/// `La respuesta correcta es la B`, `Antwort: B`
pub(super) fn west(reading: &Reading, cue: usize) -> Option<(Rule, Slot)> {
    let rule = match reading.tokens.kind(cue) {
        Kind::Word(Word::Spanish) => Rule::AnswerInSpanish,
        Kind::Word(Word::French) => Rule::AnswerInFrench,
        Kind::Word(Word::German) => Rule::AnswerInGerman,
        Kind::Word(Word::Italian) => Rule::AnswerInItalian,
        Kind::Word(Word::Portuguese) => Rule::AnswerInPortuguese,
        _ => Rule::AnswerInRussian,
    };
    let mut is_said = false;
    for at in cue + 1..=cue + REACH {
        match reading.tokens.kind(at) {
            Kind::Word(Word::IsAbroad) | Kind::Mark(b':' | b'=' | b'-') | Kind::Dash => is_said = true,
            Kind::Word(Word::NotAbroad | Word::Not) => return None,
            // The Portuguese article, and the Italian "è" without its accent.
            Kind::Small(_) if !reading.tokens.touches_next(at) => {}
            Kind::Word(_) => {}
            _ => {
                let slot = reading.slot(at);
                return (is_said && matches!(slot, Slot::Letter(_))).then_some((rule, slot));
            }
        }
    }
    None
}
