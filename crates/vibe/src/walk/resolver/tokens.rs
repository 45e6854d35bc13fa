//! A sentence as a list of words and quoted texts.

/// A piece of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A word, in lower case.
    Word(String),
    /// A text in quotation marks, as it is typed or shown.
    Quote(String),
    /// A comma, a colon or a semicolon.
    Pause,
    /// The end of a sentence.
    Stop,
}

impl Token {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own == word)
    }
}

/// The pieces of a sentence. What stands in brackets is an aside and left out.
pub(super) fn tokens(sentence: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut aside = 0_usize;
    for (position, stretch) in sentence.split('"').enumerate() {
        if position % 2 == 1 {
            if aside == 0 {
                found.push(Token::Quote(stretch.to_owned()));
            }
            continue;
        }
        for character in stretch.split_inclusive(['(', ')']) {
            let (words, bracket) = match character.strip_suffix(['(', ')']) {
                Some(words) => (words, character.chars().next_back()),
                None => (character, None),
            };
            if aside == 0 {
                words_of(words, &mut found);
            }
            match bracket {
                Some('(') => aside += 1,
                Some(_) => aside = aside.saturating_sub(1),
                None => {}
            }
        }
    }
    found
}

fn words_of(text: &str, found: &mut Vec<Token>) {
    for piece in text.split_whitespace() {
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric());
        if piece.starts_with([',', ';', ':']) && !matches!(found.last(), Some(Token::Pause)) {
            found.push(Token::Pause);
        }
        if !word.is_empty() {
            found.push(Token::Word(word.to_lowercase()));
            if piece.ends_with([',', ';', ':']) {
                found.push(Token::Pause);
            }
        }
        if piece.ends_with(['.', '!', '?']) {
            found.push(Token::Stop);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_pauses_are_told_apart() {
        let word = |text: &str| Token::Word(text.to_owned());
        let quote = |text: &str| Token::Quote(text.to_owned());
        assert_eq!(
            tokens("Type \"A, b\" into \"Name\", then click \"Save (now)\"."),
            [
                word("type"),
                quote("A, b"),
                word("into"),
                quote("Name"),
                Token::Pause,
                word("then"),
                word("click"),
                quote("Save (now)"),
                Token::Stop,
            ]
        );
        assert_eq!(
            tokens("Click \"Copy\" (in the trip or on \"My trips\"), go"),
            [word("click"), quote("Copy"), Token::Pause, word("go")]
        );
    }
}
