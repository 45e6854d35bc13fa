//! One end of a connection, by name and port.

use std::fmt;
use std::net::IpAddr;

/// One end of a connection.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Endpoint {
    /// In lower case, without brackets and without the final dot.
    pub host: String,
    pub port: u16,
}

impl Endpoint {
    /// Of a web address.
    pub fn of(address: &str) -> Option<Self> {
        let (scheme, _, host) = split(address)?;
        Self::parse(host, if scheme == "http" { 80 } else { 443 })
    }

    /// Of `host:port`, `[v6]:port` or a host alone.
    pub fn parse(text: &str, default_port: u16) -> Option<Self> {
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !text.ends_with(']') => (host, port.parse().ok()?),
            _ => (text, default_port),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.').to_ascii_lowercase();
        (!host.is_empty() && host.len() <= 253).then_some(Self { host, port })
    }

    /// Whether it is this machine itself.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost" || self.host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

/// Scheme, credentials if any, and `host[:port]` of a web address.
pub(crate) fn split(address: &str) -> Option<(&'static str, Option<&str>, &str)> {
    let (scheme, rest) = address.trim().split_once("://")?;
    let scheme = if scheme.eq_ignore_ascii_case("https") {
        "https"
    } else if scheme.eq_ignore_ascii_case("http") {
        "http"
    } else {
        return None;
    };
    let authority = rest.split(['/', '?', '#']).next()?;
    let (credentials, host) = match authority.rsplit_once('@') {
        Some((credentials, host)) => (Some(credentials), host),
        None => (None, authority),
    };
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
    (!host.is_empty() && host.chars().all(is_host)).then_some((scheme, credentials, host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_read_with_and_without_ports() {
        let parsed = |text| Endpoint::parse(text, 443).map(|endpoint| endpoint.to_string());
        assert_eq!(parsed("Example.com.:80").as_deref(), Some("example.com:80"));
        assert_eq!(parsed("example.com").as_deref(), Some("example.com:443"));
        assert_eq!(parsed("[::1]:80").as_deref(), Some("[::1]:80"));
        assert_eq!(parsed("[::1]").as_deref(), Some("[::1]:443"));
        assert_eq!(parsed("a:99999"), None);
        assert!(Endpoint::parse("[::1]:80", 1).unwrap().is_loopback());
    }
}
