//! How the addresses of apps that are shown are written.

use std::net::{IpAddr, SocketAddr};
use url::Url;

/// Stands for the label of an app in an address.
const APP: &str = "{app}";
/// Stands for the port that is listened on.
const PORT: &str = "{port}";
/// Stands for the name of a copy in an address that is handed on.
const COPY: &str = "{copy}";
/// Where apps are on one machine. Browsers find every name below `localhost` there; the part before it makes the site a neighbour, which can be
/// opened as `site.bench.localhost`.
const THIS_MACHINE: &str = "bench.localhost";

/// How a browser reaches an app: scheme, host and port, with a place for the label of the app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(String);

/// Why an address cannot be used. Messages complete "failed to …".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It has no place for the label, or is no origin.
    #[error("show apps at {0}: say it like https://{{app}}.review.example, with {{app}} as the first part of the host")]
    NoOrigin(String),
    /// Nothing was said, and only this machine's own name for itself is known.
    #[error("show apps on {0}: say with --review-address how browsers reach it, like https://{{app}}.review.example")]
    NotSaid(IpAddr),
}

impl Address {
    /// The address that an operator wrote, or the one of this machine, where browsers know every name below `localhost`.
    pub fn of(written: Option<&str>, at: SocketAddr) -> Result<Self, AddressError> {
        let Some(written) = written else {
            return if at.ip().is_loopback() {
                Ok(Self(format!("http://{APP}.{THIS_MACHINE}:{}", at.port())))
            } else {
                Err(AddressError::NotSaid(at.ip()))
            };
        };
        let wrong = || AddressError::NoOrigin(written.to_owned());
        let filled = written.trim_end_matches('/').replace(PORT, &at.port().to_string());
        let url = Url::parse(&filled.replace(APP, "x")).map_err(|_| wrong())?;
        let is_origin =
            matches!(url.scheme(), "http" | "https") && url.origin().ascii_serialization() == filled.replace(APP, "x");
        let starts_with_app = filled.split_once("://").is_some_and(|(_, host)| host.starts_with(&format!("{APP}.")));
        (is_origin && starts_with_app && filled.matches(APP).count() == 1).then_some(Self(filled)).ok_or_else(wrong)
    }

    /// Where copies of an app are, with a place for the name of the copy.
    pub(super) fn place(&self, key: &str) -> String {
        self.0.replace(APP, &format!("{COPY}-{key}"))
    }

    /// The origin of one label.
    pub(super) fn origin(&self, label: &str) -> String {
        self.0.replace(APP, label)
    }

    /// Whether a browser keeps what is only for safe connections.
    pub(super) fn is_safe(&self) -> bool {
        let host = self.0.split_once("://").map_or("", |(_, host)| host.split(':').next().unwrap_or_default());
        self.0.starts_with("https://") || host.ends_with(".localhost")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(written: Option<&str>, at: &str) -> Result<Address, AddressError> {
        Address::of(written, at.parse().unwrap())
    }

    #[test]
    fn every_app_has_a_name_of_its_own_on_this_machine_and_elsewhere() {
        let here = of(None, "127.0.0.1:4000").unwrap();
        assert_eq!(here.place("ab"), "http://{copy}-ab.bench.localhost:4000");
        assert!(here.is_safe());
        let there = of(Some("https://{app}.review.example/"), "0.0.0.0:80").unwrap();
        assert_eq!(there.origin("w0-ab"), "https://w0-ab.review.example");
        let ported = of(Some("http://{app}.lab.example:{port}"), "10.0.0.1:4000").unwrap();
        assert_eq!((ported.origin("x").as_str(), ported.is_safe()), ("http://x.lab.example:4000", false));
    }

    #[test]
    fn an_address_that_gives_no_origin_of_its_own_is_refused() {
        for wrong in [
            "https://review.example",
            "https://review.example/{app}",
            "https://a.{app}.example",
            "https://{app}",
            "ftp://{app}.example",
            "https://{app}.example/path",
            "https://{app}.{app}.example",
            "{app}",
        ] {
            assert!(matches!(of(Some(wrong), "127.0.0.1:1"), Err(AddressError::NoOrigin(_))), "{wrong}");
        }
        assert!(matches!(of(None, "10.0.0.1:4000"), Err(AddressError::NotSaid(_))));
    }
}
