//! The parts of a web address that scorers compare.

/// The host of an http(s) address, without user, port and brackets.
pub(crate) fn host(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return None;
    }
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    let address = authority.rsplit('@').next()?;
    let name = match address.strip_prefix('[') {
        Some(rest) => rest.split(']').next()?,
        None => address.split(':').next()?,
    };
    (!name.is_empty()).then(|| name.trim_end_matches('.').to_lowercase())
}

/// The path of an address, without query and fragment.
pub(crate) fn path(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = rest.find('/').map_or("/", |at| &rest[at..]);
    path.split(['?', '#']).next().unwrap_or("/")
}

/// Whether a host is `domain` or a name below it. `notsentry.io` is not below `sentry.io`.
pub(crate) fn is_within(host: &str, domain: &str) -> bool {
    host == domain || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.'))
}

/// Whether two addresses belong together: the same host, or one below the other.
pub(crate) fn is_same_site(left: &str, right: &str) -> bool {
    match (host(left), host(right)) {
        (Some(left), Some(right)) => is_within(&left, &right) || is_within(&right, &left),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_is_found_whatever_surrounds_it() {
        for url in ["https://App.test/x", "http://user:pw@app.test:8080?q", "https://app.test.#f"] {
            assert_eq!(host(url).as_deref(), Some("app.test"), "{url}");
        }
        assert_eq!(host("http://[::1]:3000/").as_deref(), Some("::1"));
        assert_eq!(host("data:text/html,https://app.test"), None);
        assert_eq!(host("blob:https://app.test/1"), None);
    }

    #[test]
    fn a_domain_is_matched_at_its_dots() {
        assert!(is_within("o1.ingest.sentry.io", "sentry.io"));
        assert!(!is_within("notsentry.io", "sentry.io"));
    }

    #[test]
    fn the_path_has_no_query() {
        assert_eq!(path("https://app.test/favicon.ico?v=1"), "/favicon.ico");
        assert_eq!(path("https://app.test"), "/");
    }
}
