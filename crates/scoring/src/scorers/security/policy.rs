//! What a Content-Security-Policy lets scripts do.

use std::collections::BTreeMap;

/// One policy: its directives by lower-case name, each with its sources in lower case.
pub(super) struct Policy {
    directives: BTreeMap<String, Vec<String>>,
}

/// All policies of a header value; a comma separates them.
pub(super) fn parse(value: &str) -> Vec<Policy> {
    value.split(',').filter(|policy| !policy.trim().is_empty()).map(Policy::parse).collect()
}

impl Policy {
    fn parse(text: &str) -> Self {
        let mut directives = BTreeMap::new();
        for directive in text.split(';') {
            let mut words = directive.split_ascii_whitespace().map(str::to_lowercase);
            if let Some(name) = words.next() {
                // The first directive of a name is the one that browsers follow.
                directives.entry(name).or_insert_with(|| words.collect());
            }
        }
        Self { directives }
    }

    /// Why the policy does not hold scripts back; nothing when it does.
    pub(super) fn weakness(&self) -> Option<&'static str> {
        let Some(sources) = self.directives.get("script-src").or_else(|| self.directives.get("default-src")) else {
            return Some("it does not restrict scripts at all");
        };
        let has = |wanted: &str| sources.iter().any(|source| source == wanted);
        let strict = has("'strict-dynamic'");
        let vouched =
            strict || sources.iter().any(|source| source.starts_with("'nonce-") || source.starts_with("'sha"));
        let any_host = sources.iter().any(|source| {
            matches!(
                source.as_str(),
                "*" | "http:" | "https:" | "http://*" | "https://*" | "*:*" | "http://*:*" | "https://*:*"
            )
        });
        if any_host && !strict {
            return Some("it allows scripts from any host");
        }
        if has("'unsafe-inline'") && !vouched && has("'unsafe-eval'") {
            return Some("it allows both inline scripts and eval");
        }
        None
    }

    /// Whether the policy says who may frame the page, other than everybody.
    pub(super) fn limits_framing(&self) -> bool {
        self.directives
            .get("frame-ancestors")
            .is_some_and(|sources| !sources.iter().any(|source| matches!(source.as_str(), "*" | "http:" | "https:")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weak(value: &str) -> bool {
        parse(value).iter().all(|policy| policy.weakness().is_some())
    }

    #[test]
    fn policies_that_hold_scripts_back() {
        for value in [
            "default-src 'self'",
            "default-src *; script-src 'self'",
            "script-src 'self' 'unsafe-inline'",
            "script-src 'self' 'unsafe-eval'",
            "script-src 'unsafe-inline' 'unsafe-eval' 'nonce-abc'",
            "script-src 'unsafe-inline' https: 'nonce-abc' 'strict-dynamic'",
            "script-src 'none'",
        ] {
            assert!(!weak(value), "{value}");
        }
    }

    #[test]
    fn policies_that_do_not() {
        for value in [
            "default-src *",
            "script-src 'self' https:",
            "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
            "default-src 'unsafe-eval' 'self' 'unsafe-inline'",
            "frame-ancestors 'none'",
            "SCRIPT-SRC *; script-src 'self'",
        ] {
            assert!(weak(value), "{value}");
        }
    }

    #[test]
    fn framing_is_limited_unless_everybody_is_named() {
        let limits = |value: &str| parse(value).iter().any(Policy::limits_framing);
        assert!(limits("frame-ancestors 'none'") && limits("default-src 'self'; frame-ancestors https://a.test"));
        assert!(limits("frame-ancestors") && !limits("frame-ancestors *") && !limits("default-src 'self'"));
    }
}
