//! The rule of every way out: names are resolved here, addresses are looked at, and connected to is exactly what was looked at.

use super::address::is_public;
use super::endpoint::Endpoint;
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;

const NAME_LIMIT: Duration = Duration::from_secs(10);
pub(crate) const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// Why a host was not reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Failure {
    /// All its addresses are local.
    Local,
    /// It has no address.
    NoSuchName,
    /// Nobody listens there.
    Refused,
    /// It did not answer in time.
    TimedOut,
    /// Anything else on the way.
    Unreachable,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Local => "it is a local address",
            Self::NoSuchName => "there is no such host",
            Self::Refused => "nobody listens there",
            Self::TimedOut => "it does not answer",
            Self::Unreachable => "it cannot be reached",
        })
    }
}

impl Failure {
    /// What a client of the proxy is told.
    pub(crate) fn answer(self) -> String {
        let status = if self == Self::Local { "403 Forbidden" } else { "502 Bad Gateway" };
        format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
    }
}

/// All addresses of a host, or none when it has none.
pub(crate) async fn resolve(host: &str, port: u16) -> Vec<SocketAddr> {
    match timeout(NAME_LIMIT, lookup_host((host, port))).await {
        Ok(Ok(addresses)) => addresses.collect(),
        _ => Vec::new(),
    }
}

/// Connects to an address of the host that is public, or that the user allowed, and to no other. What the name may mean a moment
/// later does not matter.
pub(crate) async fn connect(target: &Endpoint, is_allowed: impl Fn(&SocketAddr) -> bool) -> Result<TcpStream, Failure> {
    let addresses = resolve(&target.host, target.port).await;
    if addresses.is_empty() {
        return Err(Failure::NoSuchName);
    }
    let mut failure = Failure::Local;
    for address in addresses.into_iter().filter(|address| is_public(address.ip()) || is_allowed(address)) {
        match timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => return Ok(stream),
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => failure = Failure::Refused,
            Ok(Err(_)) => failure = Failure::Unreachable,
            Err(_) => failure = Failure::TimedOut,
        }
    }
    Err(failure)
}
