//! Assignments: a name that says secret, and a value that looks like one.

use super::Found;
use super::formats::window;
use super::made_up::is_made_up;
use super::placeholder::is_placeholder;
use super::value::{entropy, is_password, is_random};
use super::words::words;
use crate::file::{Language, Nature};
use crate::findings::Class;
use regex::Regex;
use std::ops::Range;
use std::sync::LazyLock;

/// Bytes looked at before and after a keyword.
const NAME_REACH: usize = 64;
const VALUE_REACH: usize = 700;

/// After the name: an operator, maybe an environment variable with a fallback, then a quoted value.
static QUOTED: LazyLock<Regex> = LazyLock::new(|| {
    let operator = r"(?:\s*[!?]?:\s*(?:string|String|any)\s*=|\s*(?:={1,3}|:=?|\|\||\?\?=?))";
    let environment = r"(?:\s*(?:process\.env|import\.meta\.env)[\w.\[\]'!]*\s*(?:\|\||\?\?))?";
    let value = r#"(?:"([^"\n\r]{1,512})"|'([^'\n\r]{1,512})'|`([^`\n\r]{1,512})`)"#;
    Regex::new(&format!(r#"^["'\]]{{0,2}}{operator}{environment}\s*\(?\s*{value}"#)).expect("the pattern is fixed")
});

/// `NAME=value` and `name: value` without quotes.
static BARE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"^["']?[ \t]*[=:][ \t]*["']?([^\s"'#][^\n\r"']{0,511})"#).expect("the pattern is fixed")
});

/// Whose `pass` is a password; a boarding pass is none.
const PASS_OF: [&str; 30] = [
    "admin",
    "app",
    "auth",
    "database",
    "db",
    "email",
    "ftp",
    "gmail",
    "imap",
    "mail",
    "mailer",
    "mailtrap",
    "mariadb",
    "mongo",
    "mongodb",
    "mssql",
    "mysql",
    "nodemailer",
    "pg",
    "postgres",
    "postgresql",
    "rabbitmq",
    "redis",
    "root",
    "sender",
    "server",
    "sftp",
    "smtp",
    "sql",
    "user",
];

/// A class or a colour with its shade, which lists of results give to what passed: `text-green-500`, `success.700`, `bg-green-500/20`.
static SHADE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[a-z]+(?:[-:.][a-z]+)*[-.]\d{2,3}(?:/\d+)?$").expect("the pattern is fixed"));

#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Password,
    SigningSecret,
    AwsSecret,
    Secret,
}

/// The secret that is assigned to the name around a keyword, if one is.
pub fn at(text: &str, keyword: Range<usize>, nature: Nature) -> Option<Found> {
    let name = name_around(text, &keyword);
    let meaning = meaning_of(&text[name.clone()])?;
    let after = window(text, name.end, VALUE_REACH);
    let value = quoted(after).or_else(|| bare(after, nature.language))?;
    let value = name.end + value.start..name.end + value.end;
    let rule = rule_of(meaning, &text[value.clone()], nature, &text[name.clone()])?;
    if is_made_up(text, &name, &text[value.clone()], nature.language) {
        return Some(Found { rule, value, class: Class::Fixture, fixture_by_name: false });
    }
    Some(Found::by_name(rule, value, nature.is_fixture))
}

fn name_around(text: &str, keyword: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let in_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'$');
    let mut start = keyword.start;
    while start > 0 && keyword.start - start < NAME_REACH && in_name(bytes[start - 1]) {
        start -= 1;
    }
    let mut end = keyword.end;
    while end < bytes.len() && end - keyword.end < NAME_REACH && in_name(bytes[end]) {
        end += 1;
    }
    start..end
}

/// What a name promises. Names that go on after the keyword (`tokenEndpoint`, `password_hint`) promise nothing.
fn meaning_of(name: &str) -> Option<Meaning> {
    let words = words(name);
    let joined = words.join("_");
    let last = words.last()?.trim_end_matches(|c: char| c.is_ascii_digit()).to_owned();
    let has = |word: &str| words.iter().any(|one| one == word);
    let public = ["publishable", "anon", "public", "site", "csrf", "vapid", "sitekey"].iter().any(|word| has(word));
    if public && !joined.contains("secret") {
        return None;
    }
    if is_pass(&words, &last) || ["password", "passwd", "pwd", "passphrase"].contains(&last.as_str()) {
        return Some(Meaning::Password);
    }
    if joined.contains("aws") && joined.ends_with("secret_access_key") || joined.ends_with("secret_access_key") {
        return Some(Meaning::AwsSecret);
    }
    let signs = ["jwt", "session", "nextauth", "auth", "cookie", "signing", "refresh", "access"];
    if last == "secret" && signs.iter().any(|word| has(word)) || joined == "jwt_key" || joined.ends_with("signing_key")
    {
        return Some(Meaning::SigningSecret);
    }
    let key_of = [
        "api",
        "secret",
        "private",
        "access",
        "auth",
        "encryption",
        "service",
        "role",
        "admin",
        "master",
        "secure",
        "store",
    ];
    let is_key = last == "key" && key_of.iter().any(|word| has(word)) || last == "apikey" || last == "accesskey";
    (is_key || last == "secret" || last == "token").then_some(Meaning::Secret)
}

/// A `pass` alone, or of somebody: `pass`, `SMTP_PASS`, `SMTPPASS`.
fn is_pass(words: &[String], last: &str) -> bool {
    let Some(of) = last.strip_suffix("pass") else { return false };
    let is_whose = |word: &str| PASS_OF.binary_search(&word).is_ok();
    if of.is_empty() { words.len() == 1 || words.iter().any(|word| is_whose(word)) } else { is_whose(of) }
}

fn quoted(after: &str) -> Option<Range<usize>> {
    let captures = QUOTED.captures(after)?;
    (1..=3).find_map(|group| captures.get(group)).map(|value| value.range())
}

fn bare(after: &str, language: Language) -> Option<Range<usize>> {
    if !matches!(language, Language::Env | Language::Config) {
        return None;
    }
    let value = BARE.captures(after)?.get(1)?;
    let text = value.as_str();
    let end = text.find(" #").unwrap_or(text.len());
    Some(value.start()..value.start() + text[..end].trim_end().len())
}

fn rule_of(meaning: Meaning, value: &str, nature: Nature, name: &str) -> Option<&'static str> {
    if is_placeholder(value) || is_public_value(value) {
        return None;
    }
    let built_in = ["VITE_", "NEXT_PUBLIC_", "REACT_APP_", "EXPO_PUBLIC_", "NUXT_PUBLIC_", "PUBLIC_", "GATSBY_"]
        .iter()
        .any(|prefix| name.starts_with(prefix));
    match meaning {
        Meaning::Password if nature.language == Language::Env => {
            (value.len() >= 6 && !is_common_word(value) && !value.contains(' ')).then_some("hardcoded_password")
        }
        Meaning::Password if name.eq_ignore_ascii_case("pass") && SHADE.is_match(value) => None,
        Meaning::Password => is_password(value).then_some("hardcoded_password"),
        Meaning::SigningSecret => is_signing_secret(value).then_some("jwt_signing_secret"),
        Meaning::AwsSecret => (value.len() >= 38 && entropy(value) > 3.5).then_some("aws_secret_key"),
        // What a bundler writes into every page is public, unless its name says otherwise.
        Meaning::Secret if built_in && !name.contains("SECRET") && !name.contains("PRIVATE") => None,
        Meaning::Secret => is_random(value).then_some("generic_secret"),
    }
}

fn is_signing_secret(value: &str) -> bool {
    let is_name_or_path = value.contains([' ', '/', '(', '{']) && !is_random(value) || value.starts_with('.');
    (8..=512).contains(&value.len()) && value.is_ascii() && !is_name_or_path && !is_common_word(value)
}

fn is_common_word(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    ["password", "changeme", "secret", "postgres", "undefined", "required", "disabled", "optional", "string", "false"]
        .contains(&lower.as_str())
}

/// Values that are made to be seen: publishable keys, tokens judged by their claims, keys judged by their format.
fn is_public_value(value: &str) -> bool {
    [
        "data:",
        "AIza",
        "pk_live_",
        "pk_test_",
        "sb_publishable_",
        "eyJ",
        "phc_",
        "pk.eyJ",
        "http://",
        "https://",
        "G-",
        "UA-",
    ]
    .iter()
    .any(|start| value.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_promises_a_secret_only_by_its_last_word() {
        assert!(meaning_of("PAYMENT_API_SECRET") == Some(Meaning::Secret));
        assert!(meaning_of("dbPassword") == Some(Meaning::Password));
        assert!(meaning_of("JWT_SECRET") == Some(Meaning::SigningSecret));
        assert!(meaning_of("secretAccessKey") == Some(Meaning::AwsSecret));
        assert!(PASS_OF.is_sorted());
        for name in ["pass", "SMTP_PASS", "dbPass2", "SMTPPASS", "dbpass", "APP_EMAILPASS"] {
            assert!(meaning_of(name) == Some(Meaning::Password), "{name}");
        }
        for name in [
            "boardingPass",
            "bypass",
            "serverBypass",
            "compass",
            "userPassRate",
            "tokenEndpoint",
            "passwordPlaceholder",
            "resetPasswordPath",
            "STRIPE_PUBLISHABLE_KEY",
            "tokens",
            "storageKey",
        ] {
            assert!(meaning_of(name).is_none(), "{name}");
        }
    }
}
