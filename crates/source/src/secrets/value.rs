//! Whether a value looks like a secret, or like words.

use super::placeholder::is_placeholder;

/// Shannon entropy in bits per character.
pub fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[byte as usize] += 1);
    let total = value.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|p| -p * p.log2()).sum()
}

#[derive(PartialEq, Clone, Copy)]
enum Kind {
    Lower,
    Upper,
    Digit,
    Other,
}

fn kind(c: char) -> Kind {
    match c {
        'a'..='z' => Kind::Lower,
        'A'..='Z' => Kind::Upper,
        '0'..='9' => Kind::Digit,
        _ => Kind::Other,
    }
}

/// Changes between letters of either case and digits, not counting a capital that begins a word.
fn jumps(value: &str) -> usize {
    let kinds: Vec<Kind> = value.chars().map(kind).collect();
    kinds
        .windows(2)
        .filter(|pair| {
            let between_words = pair[0] == Kind::Other || pair[1] == Kind::Other;
            pair[0] != pair[1] && !between_words && *pair != [Kind::Upper, Kind::Lower]
        })
        .count()
}

/// Whether a value looks drawn at random: long, without spaces, mixed beyond what words and identifiers are.
pub fn is_random(value: &str) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_graphic());
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    (16..=512).contains(&value.len())
        && plain
        && digits >= 2
        && letters >= 4
        && entropy(value) >= 3.3
        && jumps(value) * 6 >= value.len()
        && !value.contains("://")
        && !value.contains('(')
        && !value.starts_with(['/', '.', '#', '@'])
}

/// Whether a value looks like a password somebody chose: no spaces, letters with digits or signs, no path or message.
pub fn is_password(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    let has_sign =
        value.bytes().any(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?'));
    let is_path_or_call = value.contains("://")
        || value.contains(['(', '[', '{', '\\', '`', ';', ','])
        || value.starts_with(['/', '.', '#']);
    let lower = value.to_ascii_lowercase();
    let is_weak =
        ["letmein", "qwerty", "hunter2", "passw0rd", "adminadmin", "iloveyou", "superadmin"].contains(&lower.as_str());
    let only_last_sign = has_sign
        && !has_digit
        && value.ends_with(['!', '?'])
        && value[..value.len() - 1].bytes().all(|b| b.is_ascii_alphabetic());
    (5..=72).contains(&value.len())
        && value.bytes().all(|byte| byte.is_ascii_graphic())
        && !is_path_or_call
        && !is_placeholder(value)
        && (is_weak || has_letter && (has_digit || has_sign) && !only_last_sign)
        && !is_dotted_key(value)
}

/// `auth.password.label2`, `field-password-1`: keys of texts and names of fields, not passwords.
fn is_dotted_key(value: &str) -> bool {
    let parts: Vec<&str> = value.split(['.', '-', '_', ':']).collect();
    let is_word = |part: &&str| {
        part.len() <= 2
            || part.chars().skip(1).all(|c| c.is_ascii_lowercase())
                && part.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    parts.len() >= 2 && parts.iter().all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_values_are_told_from_words() {
        for value in
            ["9fK2xLq7TzRw3VbNcYdHpE8sUj4GmA1o", "4f8a1c92e7b350d6a8f19c2e7b350d6a", "X8n2WqKxT5vRm9LpZ3cYd7Hg"]
        {
            assert!(is_random(value), "{value}");
        }
        for value in [
            "app.accessToken.v2.persisted",
            "team-notes-auth-session-token",
            "/api/v1/auth/tokens/refresh",
            "getAccessTokenFromStorage2",
        ] {
            assert!(!is_random(value), "{value}");
        }
    }

    #[test]
    fn passwords_are_told_from_copy_and_keys() {
        for value in ["Tr7!kQ2#mXv9Lp", "password123", "admin123", "Demo!pass42x"] {
            assert!(is_password(value), "{value}");
        }
        for value in [
            "Must be at least 8 characters",
            "password",
            "Required!",
            "auth.password.hint",
            "/reset",
            "your-password1",
            "••••••••",
            "current-password",
        ] {
            assert!(!is_password(value), "{value}");
        }
    }
}
