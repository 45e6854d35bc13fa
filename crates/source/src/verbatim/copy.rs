//! When a text contains another word for word.
//!
//! "Get started" is not satisfied by a button that says "Get started for free": that is another label. "Nimbus Notes" is satisfied by "Welcome
//! to Nimbus Notes": a name stays itself within a sentence. And a whole sentence, an address or a price is itself wherever it stands. So a
//! label (a few words, the first with a capital, and nothing but words) must stand between the ends of the text or punctuation, its own
//! included; one that is a name (every word with a capital, short ones between them aside) may also stand between words that are not
//! capitalised; and any other value needs only whole words around it. A number or an address that goes on is another one: "$12.50" is not "$12".

/// White space folded to single spaces, ends trimmed.
pub fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Words from which a value is a sentence that cannot be mistaken for part of another label.
const SENTENCE: usize = 6;
/// Signs that end a sentence, and with it a label that is one.
const ENDS: [char; 4] = ['.', '!', '?', '…'];
/// Signs that stand in addresses, dates and prices, not in labels.
const NOT_OF_LABELS: [char; 7] = ['@', '/', '$', '€', '£', '¥', '₹'];

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
    if is_label(value) {
        return left_is_free(before, value) && right_is_free(after, value);
    }
    !is_hyphenated(after) && !number_goes_on(before, after, value) && !address_goes_on(before, after, value)
}

/// Whether the last word goes on behind a hyphen, as in the name of a class.
fn is_hyphenated(after: &str) -> bool {
    after.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
}

/// Whether digits beside a value belong to its number, as in 12.50, 12,000 and 18:00. What ends a sentence has no digit behind it.
fn number_goes_on(before: &str, after: &str, value: &str) -> bool {
    let is_digit = |c: char| c.is_ascii_digit();
    value.ends_with(is_digit) && after.strip_prefix(['.', ',', ':']).is_some_and(|rest| rest.starts_with(is_digit))
        || value.starts_with(is_digit)
            && before.strip_suffix(['.', ',', ':']).is_some_and(|rest| rest.ends_with(is_digit))
}

/// Whether letters beside a value belong to its address, as in harbor.example.org, the-harbor.example, hello@harbor.example and
/// harbor.example/menu/archive.
fn address_goes_on(before: &str, after: &str, value: &str) -> bool {
    let is_address = value.contains(['@', '/']) || value.contains('.') && !value.contains(' ');
    let (is_of_mail, is_path) = (value.contains('@'), value.contains('/'));
    let goes_on = |c: char| matches!(c, '.' | '-') || c == '/' && is_path && !is_of_mail;
    let began_before = |c: char| matches!(c, '.' | '+' | '-') || c == '@' && !is_of_mail;
    is_address
        && (after.strip_prefix(goes_on).is_some_and(|rest| rest.starts_with(char::is_alphanumeric))
            || before.strip_suffix(began_before).is_some_and(|rest| rest.ends_with(char::is_alphanumeric)))
}

fn is_label(value: &str) -> bool {
    value.starts_with(char::is_uppercase)
        && !value.contains(|c: char| c.is_numeric() || NOT_OF_LABELS.contains(&c))
        && value.split(' ').count() < SENTENCE
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
    let ends_here = !(first.is_alphanumeric() || glued && first == '-') || !glued && value.ends_with(ENDS);
    ends_here || is_name(value) && after.split(' ').next().is_none_or(|word| !is_capitalised(word))
}

/// Every word is capitalised; of those between the first and the last only the longer ones: "Bank of America", but not "Sign up".
fn is_name(value: &str) -> bool {
    let ends = [value.split(' ').next(), value.rsplit(' ').next()];
    ends.into_iter().flatten().all(is_capitalised)
        && value.split(' ').all(|word| word.chars().count() <= 3 || is_capitalised(word))
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
        assert!(!satisfies("Sign up for free", "Sign up") && satisfies("Sign up →", "Sign up"));
        assert!(!satisfies("Log in with Google", "Log in") && satisfies("Log in", "Log in"));
    }

    #[test]
    fn a_name_stays_itself_within_a_sentence() {
        assert!(
            satisfies("Welcome to Nimbus Notes", "Nimbus Notes")
                && satisfies("Nimbus Notes keeps your thoughts", "Nimbus Notes")
        );
        assert!(satisfies("Nimbus Notes — notes for teams", "Nimbus Notes"));
        assert!(satisfies("Welcome to Bank of America today", "Bank of America"));
        assert!(!satisfies("Nimbus Notes Pro", "Nimbus Notes") && !satisfies("Nimbus Notesbook", "Nimbus Notes"));
    }

    #[test]
    fn addresses_prices_and_parts_of_sentences_are_themselves_within_one() {
        for (text, value) in [
            ("Write to hello@harbor.example today", "hello@harbor.example"),
            ("Only $12 per month, billed yearly", "$12 per month"),
            ("Try it free for 14 days", "free for 14 days"),
            ("Open from 14 June to 29 September and in winter", "Open from 14 June to 29 September"),
            ("We close at 18:00 sharp", "18:00"),
            ("Now 9 € a week", "9 €"),
            ("Read the Terms/Privacy page", "Terms/Privacy"),
            ("All of it made by hand here", "made by hand"),
        ] {
            assert!(satisfies(text, value), "{value}");
        }
        assert!(!satisfies("Only $12 per months", "$12 per month") && !satisfies("$120", "$12"));
        assert!(!satisfies("flex beans-list", "beans") && satisfies("beans - and milk", "beans"));
        assert!(
            !satisfies("unmade by hand", "made by hand") && !satisfies("xhello@harbor.example", "hello@harbor.example")
        );
    }

    #[test]
    fn a_number_or_an_address_that_goes_on_is_another_one() {
        for (text, value) in [
            ("Only $12.50 per seat", "$12"),
            ("Only $12,000", "$12"),
            ("From 1.12 € a day", "12 €"),
            ("We close at 18:00:30", "18:00"),
            ("Built with v1.2.3", "v1.2"),
            ("Write to hello@harbor.example.org", "hello@harbor.example"),
            ("Write to hello@harbor.example-shop", "hello@harbor.example"),
            ("Write to say.hello@harbor.example", "hello@harbor.example"),
            ("Write to team+hello@harbor.example", "hello@harbor.example"),
            ("See shop.harbor.example/menu", "harbor.example/menu"),
            ("See harbor.example.org", "harbor.example"),
            ("See harbor.example/menu/archive", "harbor.example/menu"),
            ("Write to hello@harbor.example", "harbor.example"),
            ("Write to hello@harbor.example/menu", "harbor.example/menu"),
        ] {
            assert!(!satisfies(text, value), "{text}");
        }
        for (text, value) in [
            ("All of it for $12. Then $15.", "$12"),
            ("All of it for $12.", "$12"),
            ("$12, $15 or $20: you choose", "$12"),
            ("At 18:00, 19:00 and 20:00", "18:00"),
            ("In 2024: 12 €", "12 €"),
            ("Write to hello@harbor.example. We answer.", "hello@harbor.example"),
            ("mailto:hello@harbor.example", "hello@harbor.example"),
            ("See https://harbor.example/menu.", "harbor.example/menu"),
            ("Notes - harbor.example - Contact", "harbor.example"),
            ("See harbor.example/menu/ and more", "harbor.example/menu"),
            ("Follow @harbor.example", "harbor.example"),
        ] {
            assert!(satisfies(text, value), "{text}");
        }
    }

    #[test]
    fn a_value_that_ends_its_own_sentence_stands_before_the_next_one() {
        for value in ["Notes that think with you.", "Ready?", "Try it!", "And so on…"] {
            assert!(satisfies(&format!("{value} Try it free."), value), "{value}");
            assert!(satisfies(&format!("So: {value} then more"), value), "{value}");
            assert!(!satisfies(&format!("{value}Try it free."), value), "{value}");
        }
        assert!(!satisfies("The Notes that think with you. Try it free.", "Notes that think with you."));
        assert!(!satisfies("Notes that think with you Try it free.", "Notes that think with you"));
    }

    #[test]
    fn sentences_and_gaps() {
        let value = "Your notes, everywhere you are today";
        assert!(satisfies(&format!("And so: {value} and tomorrow"), value));
        assert!(satisfies("Hello \0 Get started \0", "Get started") && !satisfies("Get\0started", "Get started"));
    }
}
