//! Key formats that are recognised by themselves.

use super::Found;
use super::placeholder::{is_placeholder, is_placeholder_host};
use super::value::entropy;
use crate::file::Nature;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use regex::Regex;
use std::ops::Range;
use std::sync::OnceLock;

/// A literal and what must follow from its place on.
pub struct Format {
    pub rule: &'static str,
    pub literal: &'static str,
    pattern: &'static str,
    /// What the match must pass besides.
    check: Check,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Check {
    /// Mixed characters and no placeholder.
    Random,
    /// Random, and not a key that is made for browsers.
    Google,
    /// A token whose role claim is `service_role`.
    ServiceRole,
    /// A password in an address of another machine.
    DatabaseUrl,
    /// The match is enough.
    None,
}

const fn format(rule: &'static str, literal: &'static str, pattern: &'static str, check: Check) -> Format {
    Format { rule, literal, pattern, check }
}

/// How far a value may reach from its literal.
const WINDOW: usize = 4096;

const DATABASE: &str = r#"^(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)://[^:/@\s"'`]*:([^@\s"'`/]+)@([^/\s:"'`?,]+)"#;

pub const FORMATS: &[Format] = &[
    format("openai_key", "sk-proj-", r"^sk-proj-[A-Za-z0-9_-]{30,}", Check::Random),
    format("openai_key", "sk-svcacct-", r"^sk-svcacct-[A-Za-z0-9_-]{30,}", Check::Random),
    format("openai_key", "sk-admin-", r"^sk-admin-[A-Za-z0-9_-]{30,}", Check::Random),
    format("anthropic_key", "sk-ant-", r"^sk-ant-[A-Za-z0-9_-]{40,}", Check::Random),
    format("ai_provider_key", "sk-or-v1-", r"^sk-or-v1-[0-9a-f]{48,}", Check::Random),
    format("openai_key", "sk-", r"^sk-[A-Za-z0-9]{32,64}\b", Check::Random),
    format("ai_provider_key", "gsk_", r"^gsk_[A-Za-z0-9]{40,}", Check::Random),
    format("ai_provider_key", "pplx-", r"^pplx-[A-Za-z0-9]{40,}", Check::Random),
    format("ai_provider_key", "xai-", r"^xai-[A-Za-z0-9]{60,}", Check::Random),
    format("ai_provider_key", "r8_", r"^r8_[A-Za-z0-9]{30,}", Check::Random),
    format("aws_access_key", "AKIA", r"^AKIA[A-Z0-9]{16}\b", Check::Random),
    format("aws_access_key", "ASIA", r"^ASIA[A-Z0-9]{16}\b", Check::Random),
    format("github_token", "ghp_", r"^ghp_[A-Za-z0-9]{36,}", Check::Random),
    format("github_token", "gho_", r"^gho_[A-Za-z0-9]{36,}", Check::Random),
    format("github_token", "ghs_", r"^ghs_[A-Za-z0-9]{36,}", Check::Random),
    format("github_token", "ghu_", r"^ghu_[A-Za-z0-9]{36,}", Check::Random),
    format("github_token", "github_pat_", r"^github_pat_[A-Za-z0-9_]{50,}", Check::Random),
    format("google_api_key", "AIza", r"^AIza[0-9A-Za-z_-]{30,45}", Check::Google),
    format("provider_token", "GOCSPX-", r"^GOCSPX-[A-Za-z0-9_-]{24,}", Check::Random),
    format("stripe_secret_key", "sk_live_", r"^sk_live_[A-Za-z0-9]{20,}", Check::Random),
    format("stripe_secret_key", "sk_test_", r"^sk_test_[A-Za-z0-9]{20,}", Check::Random),
    format("stripe_secret_key", "rk_live_", r"^rk_live_[A-Za-z0-9]{20,}", Check::Random),
    format("slack_token", "xoxb-", r"^xoxb-[A-Za-z0-9-]{20,}", Check::Random),
    format("slack_token", "xoxp-", r"^xoxp-[A-Za-z0-9-]{20,}", Check::Random),
    format("slack_token", "xoxa-", r"^xoxa-[A-Za-z0-9-]{20,}", Check::Random),
    format("slack_token", "xoxs-", r"^xoxs-[A-Za-z0-9-]{20,}", Check::Random),
    format(
        "slack_webhook",
        "https://hooks.slack.com/services/",
        r"^https://hooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]{20,}",
        Check::Random,
    ),
    format(
        "provider_token",
        "https://discord.com/api/webhooks/",
        r"^https://discord\.com/api/webhooks/\d+/[\w-]{50,}",
        Check::Random,
    ),
    format("sendgrid_key", "SG.", r"^SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{30,}", Check::Random),
    format("npm_token", "npm_", r"^npm_[A-Za-z0-9]{30,}", Check::Random),
    format("gitlab_token", "glpat-", r"^glpat-[A-Za-z0-9_-]{20,}", Check::Random),
    format("huggingface_token", "hf_", r"^hf_[A-Za-z0-9]{30,}", Check::Random),
    format("supabase_secret_key", "sb_secret_", r"^sb_secret_[A-Za-z0-9_-]{20,}", Check::Random),
    format("provider_token", "sbp_", r"^sbp_[0-9a-f]{40}", Check::Random),
    format("provider_token", "re_", r"^re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{18,}", Check::Random),
    format("provider_token", "shpat_", r"^shpat_[0-9a-fA-F]{32}", Check::Random),
    format("provider_token", "lin_api_", r"^lin_api_[A-Za-z0-9]{30,}", Check::Random),
    format("provider_token", "ntn_", r"^ntn_[A-Za-z0-9]{40,}", Check::Random),
    format("provider_token", "dop_v1_", r"^dop_v1_[0-9a-f]{64}", Check::Random),
    format(
        "supabase_service_role_jwt",
        "eyJ",
        r"^eyJ[A-Za-z0-9_-]{10,}\.(eyJ[A-Za-z0-9_-]{10,})\.[A-Za-z0-9_-]{10,}",
        Check::ServiceRole,
    ),
    format(
        "private_key",
        "-----BEGIN ",
        r"^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----(?:\\r|\\n|\s)*[A-Za-z0-9+/=]{20,}(?:(?:\\r|\\n|\s)+[A-Za-z0-9+/=]{4,})*",
        Check::None,
    ),
    format(
        "gcp_service_account",
        "\"service_account\"",
        r#"^"service_account"(?s:.){0,3000}?"private_key""#,
        Check::None,
    ),
    format("database_url", "postgres", DATABASE, Check::DatabaseUrl),
    format("database_url", "mysql://", DATABASE, Check::DatabaseUrl),
    format("database_url", "mariadb://", DATABASE, Check::DatabaseUrl),
    format("database_url", "mongodb", DATABASE, Check::DatabaseUrl),
    format("database_url", "redis://", DATABASE, Check::DatabaseUrl),
    format("database_url", "rediss://", DATABASE, Check::DatabaseUrl),
    format("database_url", "amqp", DATABASE, Check::DatabaseUrl),
];

/// Compiled one by one, when their literal is first met: most never are.
static PATTERNS: [OnceLock<Regex>; FORMATS.len()] = [const { OnceLock::new() }; FORMATS.len()];

fn pattern(index: usize) -> &'static Regex {
    PATTERNS[index].get_or_init(|| Regex::new(FORMATS[index].pattern).expect("the patterns are fixed and tested"))
}

/// The key of a known format that begins at `start`, if it is one.
pub fn at(text: &str, start: usize, index: usize, nature: Nature) -> Option<Found> {
    let format = &FORMATS[index];
    if !text[start..].starts_with(format.literal) || continues_a_word(text, start) {
        return None;
    }
    let window = window(text, start, WINDOW);
    let captures = pattern(index).captures(window)?;
    let whole = captures.get(0)?;
    let value = start + whole.start()..start + whole.end();
    let holds = match format.check {
        Check::None => true,
        Check::Random => is_key(&text[value.clone()]),
        Check::Google => is_key(&text[value.clone()]) && !is_for_browsers(text, &value),
        Check::ServiceRole => has_service_role(captures.get(1)?.as_str()),
        Check::DatabaseUrl => return database(format.rule, start, &captures, nature),
    };
    let is_fixture = format.rule == "private_key" && nature.is_fixture;
    holds.then(|| Found::by_name(format.rule, value, is_fixture))
}

fn database(rule: &'static str, start: usize, captures: &regex::Captures<'_>, nature: Nature) -> Option<Found> {
    let (password, host) = (captures.get(1)?, captures.get(2)?.as_str());
    let common = ["password", "pass", "postgres", "root", "secret", "pwd", "admin", "guest", "mysql", "user", "test"];
    let lower = password.as_str().to_ascii_lowercase();
    let is_real = !common.contains(&lower.as_str()) && !is_placeholder(password.as_str()) && !lower.starts_with('[');
    let value = start + password.start()..start + password.end();
    (is_real && !is_own_machine(host) && !nature.is_example).then(|| Found::by_name(rule, value, nature.is_fixture))
}

/// Hosts that are this machine, a container beside it, or a placeholder.
pub fn is_own_machine(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let local = ["localhost", "0.0.0.0", "[::1]", "host.docker.internal"].contains(&host.as_str());
    let private = ["127.", "10.", "192.168.", "169.254."].iter().any(|start| host.starts_with(start));
    let reserved = [
        ".local",
        ".localhost",
        ".test",
        ".internal",
        ".invalid",
        ".example",
        "example.com",
        "example.org",
        "example.net",
    ]
    .iter()
    .any(|end| host.ends_with(end));
    local || private || reserved || is_private_172(&host) || !host.contains('.') || is_placeholder_host(&host)
}

fn is_private_172(host: &str) -> bool {
    let second =
        host.strip_prefix("172.").and_then(|rest| rest.split('.').next()).and_then(|part| part.parse::<u8>().ok());
    second.is_some_and(|second| (16..32).contains(&second))
}

fn is_key(value: &str) -> bool {
    let has = |test: fn(&u8) -> bool| value.bytes().any(|byte| test(&byte));
    let mixed = has(u8::is_ascii_digit) || has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase);
    mixed && entropy(value) >= 3.2 && !is_placeholder(value)
}

/// A Firebase web config and a maps key are sent to every browser by design.
fn is_for_browsers(text: &str, value: &Range<usize>) -> bool {
    let mut from = value.start.saturating_sub(400);
    while !text.is_char_boundary(from) {
        from -= 1;
    }
    let around = window(text, from, value.len() + 900).to_ascii_lowercase();
    let line = text[from..value.start].rsplit('\n').next().unwrap_or_default().to_ascii_lowercase();
    around.contains("authdomain")
        || around.contains("messagingsenderid")
        || line.contains("firebase")
        || line.contains("maps")
}

/// Whether a token's payload names the role that passes every policy. The keys of Supabase's local demo are known to all and excepted.
fn has_service_role(payload: &str) -> bool {
    let Ok(bytes) = URL_SAFE_NO_PAD.decode(payload) else { return false };
    let Ok(claims) = serde_json::from_slice::<serde_json::Value>(&bytes) else { return false };
    claims["role"] == "service_role" && claims["iss"] != "supabase-demo"
}

fn continues_a_word(text: &str, start: usize) -> bool {
    text[..start].bytes().next_back().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// At most `length` bytes from `start`, ending between characters.
pub fn window(text: &str, start: usize, length: usize) -> &str {
    let mut end = (start + length).min(text.len());
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}

/// What kind of key a string of a program is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Passes every policy of a Supabase project.
    SupabaseSecret,
    /// A secret key of Stripe.
    Stripe,
    /// A key of OpenAI.
    OpenAi,
    /// Any other key that must not leave a server.
    Other,
}

/// The shape of a secret by the rule that found it.
pub fn shape_of(rule: &str) -> Option<Shape> {
    match rule {
        "supabase_service_role_jwt" | "supabase_secret_key" => Some(Shape::SupabaseSecret),
        "stripe_secret_key" => Some(Shape::Stripe),
        "openai_key" => Some(Shape::OpenAi),
        "generic_secret" | "hardcoded_password" | "jwt_signing_secret" => None,
        _ => Some(Shape::Other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_patterns_compile_and_begin_anchored() {
        for (index, format) in FORMATS.iter().enumerate() {
            assert!(pattern(index).as_str().starts_with('^'), "{}", format.pattern);
        }
    }

    #[test]
    fn own_machines_are_told_from_others() {
        for host in ["localhost", "127.0.0.1", "db", "172.20.0.3", "api.local", "example.com"] {
            assert!(is_own_machine(host), "{host}");
        }
        for host in ["db.acme.io", "172.40.0.3", "8.8.8.8", "todo-db.acme.io", "your.acme.io"] {
            assert!(!is_own_machine(host), "{host}");
        }
    }
}
