//! The words the rules know.

/// A word, as far as a rule cares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    /// Any other.
    Other,
    /// A single letter that is none of the four.
    Single,
    /// Begins with a digit.
    Number,
    Answer,
    /// Short for answer.
    Ans,
    /// Option, choice, letter.
    Option,
    Is,
    Be,
    /// Would, must, should, will, has to.
    Modal,
    /// Can, may, does, seems, and what else stands between a letter and what is said of it.
    Might,
    /// I, we, and both with a verb drawn into them.
    I,
    Choose,
    Go,
    With,
    Think,
    Therefore,
    So,
    It,
    ItIs,
    The,
    That,
    /// Correct, right.
    Correct,
    /// Best, true, final, and what else may stand before an answer.
    Best,
    My,
    Not,
    /// Wrong, incorrect, false.
    Wrong,
    /// What sets aside: except, eliminate, exclude, rule out, rather than, instead of.
    SetAside,
    /// If, whether, suppose.
    If,
    /// Because, since, as.
    Because,
    Or,
    And,
    /// Both, either.
    Both,
    /// None, all, neither: none of the four.
    NoneOrAll,
    But,
    /// Words that do not change what is said.
    Adverb,
    /// To, for, of: "the answer to the question is".
    Of,
    /// What a letter after it is the name of: vitamin C, degrees C, point A.
    Named,
    Boxed,
    /// LaTeX commands that only change the look.
    Look,
    Question,
    Spanish,
    French,
    German,
    Italian,
    Portuguese,
    Russian,
    /// Is, in other languages.
    IsAbroad,
    /// Not, in other languages.
    NotAbroad,
}

const WORDS: &[(&str, Word)] = &[
    ("answer", Word::Answer),
    ("ans", Word::Ans),
    ("option", Word::Option),
    ("choice", Word::Option),
    ("letter", Word::Option),
    ("is", Word::Is),
    ("are", Word::Is),
    ("was", Word::Is),
    ("be", Word::Be),
    ("would", Word::Modal),
    ("must", Word::Modal),
    ("should", Word::Modal),
    ("will", Word::Modal),
    ("can", Word::Might),
    ("could", Word::Might),
    ("may", Word::Might),
    ("might", Word::Might),
    ("does", Word::Might),
    ("did", Word::Might),
    ("has", Word::Might),
    ("seems", Word::Might),
    ("appears", Word::Might),
    ("looks", Word::Might),
    ("i", Word::I),
    ("we", Word::I),
    ("i'll", Word::I),
    ("i'd", Word::I),
    ("i'm", Word::I),
    ("we'll", Word::I),
    ("let's", Word::I),
    ("choose", Word::Choose),
    ("chose", Word::Choose),
    ("pick", Word::Choose),
    ("picked", Word::Choose),
    ("select", Word::Choose),
    ("selected", Word::Choose),
    ("say", Word::Choose),
    ("go", Word::Go),
    ("going", Word::Go),
    ("went", Word::Go),
    ("with", Word::With),
    ("think", Word::Think),
    ("believe", Word::Think),
    ("guess", Word::Think),
    ("therefore", Word::Therefore),
    ("thus", Word::Therefore),
    ("hence", Word::Therefore),
    ("so", Word::So),
    ("it", Word::It),
    ("it's", Word::ItIs),
    ("that's", Word::ItIs),
    ("the", Word::The),
    ("that", Word::That),
    ("correct", Word::Correct),
    ("right", Word::Correct),
    ("best", Word::Best),
    ("true", Word::Best),
    ("final", Word::Best),
    ("chosen", Word::Best),
    ("my", Word::My),
    ("not", Word::Not),
    ("never", Word::Not),
    ("neither", Word::Not),
    ("nor", Word::Not),
    ("cannot", Word::Not),
    ("wrong", Word::Wrong),
    ("incorrect", Word::Wrong),
    ("false", Word::Wrong),
    ("incorrectly", Word::Wrong),
    ("except", Word::SetAside),
    ("eliminate", Word::SetAside),
    ("eliminated", Word::SetAside),
    ("eliminates", Word::SetAside),
    ("eliminating", Word::SetAside),
    ("exclude", Word::SetAside),
    ("excluded", Word::SetAside),
    ("excludes", Word::SetAside),
    ("excluding", Word::SetAside),
    ("rule", Word::SetAside),
    ("ruled", Word::SetAside),
    ("rules", Word::SetAside),
    ("ruling", Word::SetAside),
    ("rather", Word::SetAside),
    ("instead", Word::SetAside),
    ("if", Word::If),
    ("whether", Word::If),
    ("suppose", Word::If),
    ("assuming", Word::If),
    ("unless", Word::If),
    ("because", Word::Because),
    ("since", Word::Because),
    ("as", Word::Because),
    ("or", Word::Or),
    ("and", Word::And),
    ("both", Word::Both),
    ("either", Word::Both),
    ("none", Word::NoneOrAll),
    ("all", Word::NoneOrAll),
    ("unknown", Word::NoneOrAll),
    ("but", Word::But),
    ("while", Word::But),
    ("although", Word::But),
    ("though", Word::But),
    ("however", Word::But),
    ("which", Word::But),
    ("then", Word::Adverb),
    ("definitely", Word::Adverb),
    ("clearly", Word::Adverb),
    ("likely", Word::Adverb),
    ("probably", Word::Adverb),
    ("indeed", Word::Adverb),
    ("actually", Word::Adverb),
    ("simply", Word::Adverb),
    ("most", Word::Adverb),
    ("obviously", Word::Adverb),
    ("also", Word::Adverb),
    ("just", Word::Adverb),
    ("only", Word::Adverb),
    ("still", Word::Adverb),
    ("to", Word::Of),
    ("for", Word::Of),
    ("of", Word::Of),
    ("vitamin", Word::Named),
    ("vitamins", Word::Named),
    ("hepatitis", Word::Named),
    ("influenza", Word::Named),
    ("degrees", Word::Named),
    ("degree", Word::Named),
    ("grade", Word::Named),
    ("type", Word::Named),
    ("group", Word::Named),
    ("class", Word::Named),
    ("point", Word::Named),
    ("points", Word::Named),
    ("vertex", Word::Named),
    ("node", Word::Named),
    ("angle", Word::Named),
    ("side", Word::Named),
    ("line", Word::Named),
    ("plane", Word::Named),
    ("set", Word::Named),
    ("sets", Word::Named),
    ("event", Word::Named),
    ("events", Word::Named),
    ("matrix", Word::Named),
    ("vector", Word::Named),
    ("variable", Word::Named),
    ("process", Word::Named),
    ("language", Word::Named),
    ("plan", Word::Named),
    ("part", Word::Named),
    ("figure", Word::Named),
    ("section", Word::Named),
    ("appendix", Word::Named),
    ("factor", Word::Named),
    ("protein", Word::Named),
    ("chlorophyll", Word::Named),
    ("boxed", Word::Boxed),
    ("fbox", Word::Boxed),
    ("text", Word::Look),
    ("mathrm", Word::Look),
    ("mathbf", Word::Look),
    ("textbf", Word::Look),
    ("textit", Word::Look),
    ("underline", Word::Look),
    ("mathit", Word::Look),
    ("mathsf", Word::Look),
    ("left", Word::Look),
    ("question", Word::Question),
    ("q", Word::Question),
    ("respuesta", Word::Spanish),
    ("reponse", Word::French),
    ("antwort", Word::German),
    ("risposta", Word::Italian),
    ("resposta", Word::Portuguese),
    ("es", Word::IsAbroad),
    ("est", Word::IsAbroad),
    ("ist", Word::IsAbroad),
    ("nicht", Word::NotAbroad),
    ("keine", Word::NotAbroad),
    ("pas", Word::NotAbroad),
    ("non", Word::NotAbroad),
    ("no", Word::NotAbroad),
    ("n'est", Word::NotAbroad),
];

/// Words with letters beyond ASCII, in the cases in which they occur.
const WORDS_ABROAD: [(&str, Word); 13] = [
    ("réponse", Word::French),
    ("Réponse", Word::French),
    ("RÉPONSE", Word::French),
    ("ответ", Word::Russian),
    ("Ответ", Word::Russian),
    ("ОТВЕТ", Word::Russian),
    ("è", Word::IsAbroad),
    ("é", Word::IsAbroad),
    ("это", Word::IsAbroad),
    ("não", Word::NotAbroad),
    ("не", Word::NotAbroad),
    ("Não", Word::NotAbroad),
    ("Не", Word::NotAbroad),
];

const LONGEST: usize = 16;
/// A power of two, several times the number of words.
const PLACES: usize = 512;

/// The letters of a word as numbers, eight to one.
type Key = [u64; 2];

/// The words as numbers, each at the place its number leads to or at the next free one.
static TABLE: [(Key, Word); PLACES] = table();

/// The word of some ASCII bytes, in any case.
pub(super) fn look_up(bytes: &[u8]) -> Word {
    match bytes {
        [b'0'..=b'9', ..] => return Word::Number,
        _ if bytes.len() <= LONGEST => {
            let key = packed(bytes);
            let mut at = place(key);
            while TABLE[at].0[0] != 0 {
                if TABLE[at].0 == key {
                    return TABLE[at].1;
                }
                at = (at + 1) % PLACES;
            }
        }
        _ => {}
    }
    match bytes {
        [_] => Word::Single,
        [.., b'n' | b'N', b'\'', b't' | b'T'] => Word::Not,
        _ => Word::Other,
    }
}

/// The word of a text with letters beyond ASCII.
pub(super) fn look_up_abroad(text: &str) -> Word {
    WORDS_ABROAD.iter().find(|(known, _)| *known == text).map_or(Word::Other, |(_, word)| *word)
}

/// Up to sixteen bytes, without regard to case: the bit that tells capitals is set in letters, and already in the rest.
const fn packed(bytes: &[u8]) -> Key {
    match bytes.split_at_checked(8) {
        Some((first, rest)) => [eight(first), eight(rest)],
        None => [eight(bytes), 0],
    }
}

const fn eight(bytes: &[u8]) -> u64 {
    let mut number = 0;
    let mut at = 0;
    while at < bytes.len() {
        number = number << 8 | (bytes[at] | 0x20) as u64;
        at += 1;
    }
    number
}

const fn place(key: Key) -> usize {
    let folded = key[0] ^ key[1].rotate_left(29);
    (folded.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 55) as usize
}

const fn table() -> [(Key, Word); PLACES] {
    let mut table = [([0, 0], Word::Other); PLACES];
    let mut index = 0;
    while index < WORDS.len() {
        let key = packed(WORDS[index].0.as_bytes());
        let mut at = place(key);
        while table[at].0[0] != 0 {
            at = (at + 1) % PLACES;
        }
        table[at] = (key, WORDS[index].1);
        index += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_in_any_case_and_nothing_else_is() {
        for (text, word) in WORDS {
            assert_eq!(look_up(text.as_bytes()), *word, "{text}");
            assert_eq!(look_up(text.to_uppercase().as_bytes()), *word, "{text}");
        }
        for (text, word) in WORDS_ABROAD {
            assert_eq!(look_up_abroad(text), word, "{text}");
        }
        for (text, word) in [("answers", Word::Other), ("x", Word::Single), ("14", Word::Number), ("isn't", Word::Not)]
        {
            assert_eq!(look_up(text.as_bytes()), word, "{text}");
        }
    }
}
