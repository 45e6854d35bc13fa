use super::{is_public, resolve};
use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

const MAX_HEAD_BYTES: usize = 256 * 1024;
const HEAD_LIMIT: Duration = Duration::from_secs(30);
const CONNECT_LIMIT: Duration = Duration::from_secs(20);
const MAX_CONNECTIONS: usize = 512;
const MAX_UNREACHED: usize = 100;

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

/// A host that was not reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// Host and port as the page named them.
    pub host: String,
    /// Why.
    pub failure: Failure,
}

#[derive(Debug)]
pub(super) struct Proxy {
    /// Local addresses the user typed.
    allowed: Vec<SocketAddr>,
    unreached: Mutex<Vec<Unreached>>,
    connections: Arc<Semaphore>,
}

/// What a client asks the proxy for.
struct Order {
    host: String,
    port: u16,
    /// The head to send on, for a plain request; a tunnel has none.
    head: Option<Vec<u8>>,
    /// What came after the head.
    rest: Vec<u8>,
}

impl Proxy {
    pub fn new(allowed: Vec<SocketAddr>) -> Self {
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        Self { allowed, unreached: Mutex::default(), connections }
    }

    pub fn unreached(&self) -> Vec<Unreached> {
        self.unreached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        while let Ok(permit) = Arc::clone(&self.connections).acquire_owned().await {
            let Ok((client, _)) = listener.accept().await else { continue };
            let proxy = Arc::clone(&self);
            tokio::spawn(async move {
                // A connection that breaks is the browser's to notice.
                let _ = proxy.relay(client).await;
                drop(permit);
            });
        }
    }

    async fn relay(&self, mut client: TcpStream) -> io::Result<()> {
        let Ok(order) = timeout(HEAD_LIMIT, read_order(&mut client)).await? else {
            return client
                .write_all(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                .await;
        };
        let mut server = match self.connect(&order.host, order.port).await {
            Ok(server) => server,
            Err(failure) => {
                self.note(&order, failure);
                return client.write_all(refusal(failure).as_bytes()).await;
            }
        };
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        match &order.head {
            Some(head) => server.write_all(head).await?,
            None => client.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?,
        }
        server.write_all(&order.rest).await?;
        copy_bidirectional(&mut client, &mut server).await?;
        Ok(())
    }

    /// Connects to an address of the host that was looked at and found fit, and to no other.
    async fn connect(&self, host: &str, port: u16) -> Result<TcpStream, Failure> {
        let addresses = resolve(host, port).await;
        if addresses.is_empty() {
            return Err(Failure::NoSuchName);
        }
        let mut failure = Failure::Local;
        for address in addresses.into_iter().filter(|a| is_public(a.ip()) || self.allowed.contains(a)) {
            match timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => failure = Failure::Refused,
                Ok(Err(_)) => failure = Failure::Unreachable,
                Err(_) => failure = Failure::TimedOut,
            }
        }
        Err(failure)
    }

    fn note(&self, order: &Order, failure: Failure) {
        let unreached = Unreached { host: format!("{}:{}", order.host, order.port), failure };
        let mut list = self.unreached.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < MAX_UNREACHED && !list.contains(&unreached) {
            list.push(unreached);
        }
    }
}

fn refusal(failure: Failure) -> String {
    let status = if failure == Failure::Local { "403 Forbidden" } else { "502 Bad Gateway" };
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
}

async fn read_order(client: &mut TcpStream) -> io::Result<Order> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return parse(&bytes, rest).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData));
        }
        if bytes.len() > MAX_HEAD_BYTES || client.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

fn parse(head: &[u8], rest: Vec<u8>) -> Option<Order> {
    let text = std::str::from_utf8(head).ok()?;
    let (first, headers) = text.split_once("\r\n")?;
    let mut words = first.split(' ');
    let (method, target, _version) = (words.next()?, words.next()?, words.next()?);
    if method == "CONNECT" {
        let (host, port) = split_port(target, None)?;
        return Some(Order { host, port, head: None, rest });
    }
    let after_scheme = target.strip_prefix("http://")?;
    let end = after_scheme.find(['/', '?']).unwrap_or(after_scheme.len());
    let (host, port) = split_port(&after_scheme[..end], Some(80))?;
    let path = &after_scheme[end..];
    let slash = if path.starts_with('/') { "" } else { "/" };
    let mut forwarded = format!("{method} {slash}{path} HTTP/1.1\r\n");
    for line in headers.split("\r\n").filter(|line| !line.is_empty() && !is_for_the_proxy(line)) {
        forwarded.push_str(line);
        forwarded.push_str("\r\n");
    }
    // One request per connection: the next one may be for another host, which has to be looked at first.
    forwarded.push_str("Connection: close\r\n\r\n");
    Some(Order { host, port, head: Some(forwarded.into_bytes()), rest })
}

fn is_for_the_proxy(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
    name == "connection" || name.starts_with("proxy-")
}

fn split_port(authority: &str, default: Option<u16>) -> Option<(String, u16)> {
    let authority = authority.rsplit('@').next()?;
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        _ => (authority, default?),
    };
    (!host.is_empty()).then(|| (host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(head: &str) -> Option<Order> {
        parse(head.as_bytes(), Vec::new())
    }

    #[test]
    fn a_plain_request_is_sent_on_in_the_form_servers_expect() {
        let order =
            order("GET http://app.example/a?b HTTP/1.1\r\nHost: app.example\r\nProxy-Connection: keep-alive\r\n\r\n")
                .unwrap();
        assert_eq!((order.host.as_str(), order.port), ("app.example", 80));
        let head = String::from_utf8(order.head.unwrap()).unwrap();
        assert_eq!(head, "GET /a?b HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n");
    }

    #[test]
    fn hosts_are_read_with_ports_brackets_and_without_a_path() {
        for (target, host, port) in [
            ("http://[::1]:8080/x", "[::1]", 8080),
            ("http://[::1]/", "[::1]", 80),
            ("http://app.example", "app.example", 80),
            ("http://app.example:81?q", "app.example", 81),
        ] {
            let order = order(&format!("GET {target} HTTP/1.1\r\n\r\n")).unwrap();
            assert_eq!((order.host.as_str(), order.port), (host, port), "{target}");
        }
        let tunnel = order("CONNECT app.example:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!((tunnel.host.as_str(), tunnel.port, tunnel.head), ("app.example", 443, None));
    }

    #[test]
    fn what_is_no_order_for_a_proxy_is_none() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT app.example HTTP/1.1\r\n\r\n",
            "x\r\n\r\n",
            "GET ftp://a/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
        ] {
            assert!(order(head).is_none(), "{head:?}");
        }
    }
}
