//! The words of a name or a value.

/// Words in lower case, whatever joins them: `DB_PASSWORD`, `db-password` and `dbPassword` are all "db" and "password".
pub fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut previous_lower = false;
    for c in text.chars() {
        let begins = c.is_ascii_uppercase() && previous_lower;
        if !c.is_ascii_alphanumeric() || begins {
            words.push(String::new());
        }
        if c.is_ascii_alphanumeric() {
            words.last_mut().expect("it begins with one").push(c.to_ascii_lowercase());
        }
        previous_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_told_apart_by_signs_and_capitals() {
        for name in ["DB_PASSWORD", "db-password", "dbPassword", "db.password"] {
            assert_eq!(words(name), ["db", "password"], "{name}");
        }
        assert_eq!(words("s3Key2"), ["s3", "key2"]);
        assert!(words("_$").is_empty());
    }
}
