//! Settings outside scripts: environment files, package scripts, container files.

use super::{Candidate, Scope};
use crate::file::Language;
use crate::secrets::is_own_machine;
use regex::Regex;
use std::sync::LazyLock;

static TLS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"NODE_TLS_REJECT_UNAUTHORIZED["']?\s*[=: ]\s*["']?0\b"#).expect("the pattern is fixed")
});
static API: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"(?m)^\s*(?:export\s+)?[A-Z0-9_]*(?:API|BACKEND|SERVER|ENDPOINT|SOCKET)[A-Z0-9_]*\s*=\s*["']?((?:http|ws)://[^\s"']+)"#).expect("the pattern is fixed")
});

/// Looks at a file that is no script.
pub fn candidates(text: &str, language: Language) -> Vec<Candidate> {
    if !matches!(language, Language::Env | Language::Config | Language::Json) {
        return Vec::new();
    }
    let mut seen: Vec<_> = TLS
        .find_iter(text)
        .filter(|found| !is_comment(text, found.start()))
        .map(|found| Candidate::new("tls_verification_off", found.start(), Scope::Anywhere))
        .collect();
    if language == Language::Env {
        let plain =
            API.captures_iter(text).filter_map(|found| found.get(1)).filter(|address| is_plain_http(address.as_str()));
        seen.extend(plain.map(|address| Candidate::new("insecure_transport", address.start(), Scope::Anywhere)));
    }
    seen
}

fn is_comment(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('#'))
}

/// Whether an address is plain http to another machine. Names of schemas look like addresses and are none.
pub fn is_plain_http(address: &str) -> bool {
    let Some(rest) = address.strip_prefix("http://").or_else(|| address.strip_prefix("ws://")) else { return false };
    let host = rest.split(['/', '?', '#', ':']).next().unwrap_or_default();
    let schemas = ["www.w3.org", "schema.org", "schemas.", "xmlns.", "purl.org", "ogp.me", "json-schema.org"];
    !host.is_empty()
        && !is_own_machine(host)
        && !schemas.iter().any(|schema| host.starts_with(schema) || host.ends_with(schema))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_http_to_others_is_told_from_schemas_and_own_machines() {
        assert!(is_plain_http("http://api.acme.io/v1") && is_plain_http("ws://live.acme.io"));
        for address in
            ["https://api.acme.io", "http://localhost:3000", "http://www.w3.org/2000/svg", "http://api:8080", "http://"]
        {
            assert!(!is_plain_http(address), "{address}");
        }
    }

    #[test]
    fn the_switch_is_found_in_package_scripts_and_environment() {
        assert_eq!(candidates(r#"{"dev": "NODE_TLS_REJECT_UNAUTHORIZED=0 node a.js"}"#, Language::Json).len(), 1);
        assert_eq!(candidates("NODE_TLS_REJECT_UNAUTHORIZED=0\n", Language::Env).len(), 1);
        assert!(
            candidates("# NODE_TLS_REJECT_UNAUTHORIZED=0\nNODE_TLS_REJECT_UNAUTHORIZED=1\n", Language::Env).is_empty()
        );
    }
}
