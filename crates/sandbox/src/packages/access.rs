use crate::egress::{Endpoint, split};
use std::fmt;
use std::path::PathBuf;

/// How packages are fetched. No credentials for a registry are part of it: what is installed must be there for everybody.
#[derive(Clone, PartialEq, Eq)]
pub struct RegistryAccess {
    /// Address of the registry, without credentials.
    pub registry: String,
    /// A file of further certificate authorities, where the registry needs one.
    pub certificates: Option<PathBuf>,
    /// The HTTP proxy that leads out, possibly with credentials. It is used by our own process and never shown to a package manager.
    pub proxy: Option<String>,
    /// Where downloads are kept from run to run. Without it every run begins with nothing.
    pub cache: Option<PathBuf>,
}

impl fmt::Debug for RegistryAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RegistryAccess")
            .field("registry", &self.registry)
            .field("certificates", &self.certificates)
            .field("proxy", &self.proxy.is_some())
            .field("cache", &self.cache)
            .finish()
    }
}

impl RegistryAccess {
    /// A registry by its address. Credentials in it are dropped, and what is no web address is refused.
    pub fn at(address: &str) -> Option<Self> {
        let (scheme, _, host) = split(address)?;
        let path = address.split_once("://")?.1.split_once('/').map_or("", |(_, path)| path);
        let path = path.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        let slash = if path.is_empty() { "" } else { "/" };
        let registry = format!("{scheme}://{host}{slash}{path}/");
        Endpoint::of(&registry)?;
        Some(Self { registry, certificates: None, proxy: None, cache: None })
    }

    /// The host of the registry.
    pub fn host(&self) -> String {
        self.endpoint().host
    }

    /// Host and port of the registry; an address that is none leads nowhere.
    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint::of(&self.registry).unwrap_or(Endpoint { host: String::new(), port: 443 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_in_the_address_of_a_registry_are_dropped() {
        let access = RegistryAccess::at("https://joe:s3cret@npm.example:8443/team?x=1").unwrap();
        assert_eq!(access.registry, "https://npm.example:8443/team/");
        assert_eq!(access.endpoint(), Endpoint { host: "npm.example".into(), port: 8443 });
        assert_eq!(RegistryAccess::at("http://127.0.0.1:4873").unwrap().registry, "http://127.0.0.1:4873/");
    }

    #[test]
    fn what_is_no_web_address_is_no_registry() {
        for address in ["", "file:///etc", "ftp://x/", "https://", "https://a b/", "npm.example"] {
            assert_eq!(RegistryAccess::at(address), None, "{address}");
        }
    }

    #[test]
    fn a_proxy_is_not_shown_when_access_is_printed() {
        let access = RegistryAccess::at("https://npm.example/").unwrap();
        let access = RegistryAccess { proxy: Some("http://joe:s3cret@proxy:3128".into()), ..access };
        assert!(!format!("{access:?}").contains("s3cret"));
    }
}
