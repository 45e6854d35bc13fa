//! When a text contains another word for word.
//!
//! "Get started" is not satisfied by a button that says "Get started for free": that is another label. "Nimbus Notes" is satisfied by "Welcome
//! to Nimbus Notes": a name stays itself within a sentence. And a whole sentence is itself wherever it stands. So a match must stand between
//! the ends of the text or punctuation; a name (every word with a capital) may also stand between words that are not capitalised; and a value
//! of six words or more needs only whole words around it.

/// White space folded to single spaces, ends trimmed.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words from which a value is a sentence that cannot be mistaken for part of another label.
const SENTENCE: usize = 6;

/// Whether a text satisfies a value that is already folded. `\0` separates what need not stand together.
pub fn satisfies(text: &str, value: &str) -> bool {
    if value.is_empty() || text.len() < value.len() {
        return false;
    }
    text.split('\0').any(|part| {
        let part = folded(part);
        part.match_indices(value).any(|(at, _)| stands_alone(&part[..at], &part[at + value.len()..], value))
    })
}

fn stands_alone(before: &str, after: &str, value: &str) -> bool {
    let (last, first) = (before.chars().next_back(), after.chars().next());
    let cuts_word = |edge: Option<char>, neighbour: Option<char>| {
        edge.is_some_and(char::is_alphanumeric) && neighbour.is_some_and(|c| c.is_alphanumeric() || c == '_')
    };
    if cuts_word(value.chars().next(), last) || cuts_word(value.chars().next_back(), first) {
        return false;
    }
    let is_sentence = value.split(' ').count() >= SENTENCE;
    is_sentence || left_is_free(before, value) && right_is_free(after, value)
}

fn left_is_free(before: &str, value: &str) -> bool {
    let before = before.trim_end();
    let Some(last) = before.chars().next_back() else { return true };
    !last.is_alphanumeric()
        || is_name(value) && before.rsplit(' ').next().is_none_or(|word| before == word || !is_capitalised(word))
}

fn right_is_free(after: &str, value: &str) -> bool {
    let glued = !after.starts_with(' ');
    let after = after.trim_start();
    let Some(first) = after.chars().next() else { return true };
    let ends_here = !(first.is_alphanumeric() || glued && first == '-');
    ends_here || is_name(value) && after.split(' ').next().is_none_or(|word| !is_capitalised(word))
}

/// Every word of some length begins with a capital or a digit.
fn is_name(value: &str) -> bool {
    value.split(' ').all(|word| word.chars().count() <= 3 && word != value || is_capitalised(word))
        && value.split(' ').next().is_some_and(is_capitalised)
}

fn is_capitalised(word: &str) -> bool {
    word.chars().next().is_some_and(|c| c.is_uppercase() || c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_goes_on_is_another_label() {
        assert!(satisfies("Get started", "Get started") && satisfies("  Get\n started ", "Get started"));
        assert!(satisfies("Get started →", "Get started") && satisfies("Get started!", "Get started"));
        assert!(
            !satisfies("Get started for free", "Get started") && !satisfies("Let us Get started now", "Get started")
        );
        assert!(!satisfies("Get Started Free", "Get Started"));
        assert!(!satisfies("get started", "Get started"));
    }

    #[test]
    fn a_name_stays_itself_within_a_sentence() {
        assert!(
            satisfies("Welcome to Nimbus Notes", "Nimbus Notes")
                && satisfies("Nimbus Notes keeps your thoughts", "Nimbus Notes")
        );
        assert!(satisfies("Nimbus Notes — notes for teams", "Nimbus Notes"));
        assert!(!satisfies("Nimbus Notes Pro", "Nimbus Notes") && !satisfies("Nimbus Notesbook", "Nimbus Notes"));
    }

    #[test]
    fn sentences_and_gaps() {
        let value = "Your notes, everywhere you are today";
        assert!(satisfies(&format!("And so: {value} and tomorrow"), value));
        assert!(satisfies("Hello \0 Get started \0", "Get started") && !satisfies("Get\0started", "Get started"));
    }
}
