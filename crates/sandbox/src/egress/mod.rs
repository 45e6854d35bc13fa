//! The one way out for the browser: a proxy on the loopback interface that resolves every name itself, looks at the addresses, and
//! connects to exactly the address it looked at. A page, a redirect or a name that changes its mind cannot lead to this machine or
//! its network. The proxy of the package managers keeps the same rule with the same parts.

mod address;
mod dial;
mod endpoint;
mod order;
mod proxy;
mod relay;

pub use address::is_public;
pub use dial::Failure;
pub use proxy::Unreached;

pub(crate) use address::is_local_name;
pub(crate) use dial::{CONNECT_LIMIT, connect, resolve};
pub(crate) use endpoint::{Endpoint, split};
pub(crate) use order::{BAD_REQUEST, Order, TUNNEL_IS_OPEN, read_head};
pub(crate) use relay::{attend, carry};

use proxy::Proxy;
use std::net::SocketAddr;
use std::sync::Arc;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// A running proxy. It ends with this value.
#[derive(Debug)]
pub struct Egress {
    proxy: Arc<Proxy>,
    listener: JoinHandle<()>,
    address: SocketAddr,
    /// Hosts (with their port) the browser reaches directly.
    direct: Vec<String>,
    /// A host that leads nowhere, and must not lead anywhere later.
    nowhere: Option<String>,
}

impl Egress {
    /// Starts a proxy for a user who typed this host and port. A local one the user typed is reached directly, because that is what
    /// they asked for; nothing else local is reached at all.
    pub async fn start(host: &str, port: u16) -> std::io::Result<Self> {
        let typed = resolve(host.trim_start_matches('[').trim_end_matches(']'), port).await;
        // A name that leads nowhere is left to the browser, which says so in its own words, and does not look it up again: it could lead
        // to this machine by then.
        let nowhere = typed.is_empty().then(|| host.to_owned());
        let direct = typed.iter().all(|address| !is_public(address.ip()));
        let allowed = if direct { typed } else { Vec::new() };
        let around = if direct { vec![format!("{host}:{port}")] } else { Vec::new() };
        Self::listen(allowed, around, nowhere).await
    }

    /// Starts a proxy for an address that somebody else typed. Everything goes through it, and nothing local is reached, whatever
    /// a name leads to when it is looked up.
    pub async fn start_for_strangers() -> std::io::Result<Self> {
        Self::listen(Vec::new(), Vec::new(), None).await
    }

    /// Lets the browser reach a local address until the value goes: an app that we started ourselves.
    pub fn admit(&self, address: SocketAddr) -> Admission {
        self.proxy.allow(address);
        Admission { proxy: Arc::clone(&self.proxy), address }
    }

    async fn listen(allowed: Vec<SocketAddr>, direct: Vec<String>, nowhere: Option<String>) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let proxy = Arc::new(Proxy::new(allowed));
        let listener = tokio::spawn(Arc::clone(&proxy).serve(listener));
        Ok(Self { proxy, listener, address, direct, nowhere })
    }

    /// The switches that leave the browser no other way out.
    pub fn switches(&self) -> Vec<String> {
        // By default Chromium goes around any proxy for this machine's own addresses; the first entry ends that.
        let around: Vec<&str> = std::iter::once("<-loopback>").chain(self.direct.iter().map(String::as_str)).collect();
        let mut switches = vec![
            format!("--proxy-server=http://{}", self.address),
            format!("--proxy-bypass-list={}", around.join(";")),
            "--force-webrtc-ip-handling-policy=disable_non_proxied_udp".to_owned(),
        ];
        switches.extend(self.nowhere.iter().map(|host| format!("--host-resolver-rules=MAP {host} ~NOTFOUND")));
        switches
    }

    /// What could not be reached, and why; each host once.
    pub fn unreached(&self) -> Vec<Unreached> {
        self.proxy.unreached()
    }
}

/// A local address that the browser may reach. It ends with this value.
#[derive(Debug)]
pub struct Admission {
    proxy: Arc<Proxy>,
    address: SocketAddr,
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.proxy.forbid(self.address);
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

#[cfg(test)]
mod tests;
