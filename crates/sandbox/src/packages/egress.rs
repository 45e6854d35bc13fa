//! The only way out of the walls: a proxy of ours that connects to the registry and to public addresses, and to nothing else.

use super::access::{Endpoint, RegistryAccess, split};
use crate::{Result, SandboxError};
use base64::Engine as _;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpStream, UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The socket's name in its folder.
pub(super) const SOCKET: &str = "socket";
/// Everything one program may fetch.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const MAX_CONNECTIONS: usize = 128;
const MAX_HEAD: usize = 32 * 1024;
const MAX_HOSTS: usize = 32;
const HEAD_LIMIT: Duration = Duration::from_secs(20);
const CONNECT_LIMIT: Duration = Duration::from_secs(20);

/// What a program asked of the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Hosts that were reached.
    pub reached: BTreeSet<String>,
    /// Hosts that were asked for in vain.
    pub unreachable: BTreeSet<String>,
    /// Hosts that are local and not the registry, or ports that are not the web's.
    pub refused: BTreeSet<String>,
    /// Bytes that came back.
    pub bytes: u64,
}

/// An open door, until it is dropped.
pub(super) struct Egress {
    door: Arc<Door>,
    listening: JoinHandle<()>,
}

struct Door {
    registry: Endpoint,
    proxy: Option<String>,
    traffic: Mutex<Traffic>,
}

impl Egress {
    /// Opens a socket in a folder, for whoever can see the folder.
    pub fn open(folder: &Path, access: &RegistryAccess) -> Result<Self> {
        let failed = |source| SandboxError::Scratch { path: folder.join(SOCKET), source };
        let listener = bind(folder).map_err(failed)?;
        let door = Arc::new(Door {
            registry: access.endpoint(),
            proxy: access.proxy.clone(),
            traffic: Mutex::new(Traffic::default()),
        });
        let listening = tokio::spawn(accept(listener, Arc::clone(&door)));
        Ok(Self { door, listening })
    }

    /// What has passed so far.
    pub fn traffic(&self) -> Traffic {
        self.door.locked().clone()
    }
}

impl Drop for Egress {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// A socket's path may have 107 bytes and a temporary folder's may have more, so it is named through the open folder.
fn bind(folder: &Path) -> io::Result<UnixListener> {
    let open = fs::File::open(folder)?;
    let listener = UnixListener::bind(format!("/proc/self/fd/{}/{SOCKET}", open.as_raw_fd()))?;
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    fs::set_permissions(folder.join(SOCKET), fs::Permissions::from_mode(0o666))?;
    Ok(listener)
}

async fn accept(listener: UnixListener, door: Arc<Door>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // Dropped with this task, and so are all connections.
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((inner, _)) = listener.accept().await {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        let door = Arc::clone(&door);
        connections.spawn(async move {
            // A broken connection is the program's business: it sees it, too.
            let _ = door.serve(inner).await;
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
}

impl Door {
    fn locked(&self) -> std::sync::MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn serve(&self, mut inner: UnixStream) -> io::Result<()> {
        let Some((head, rest)) = timeout(HEAD_LIMIT, read_head(&mut inner)).await?? else { return Ok(()) };
        let Some(request) = Request::parse(&head) else {
            return inner.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n").await;
        };
        let mut outer = match self.connect(&request).await {
            Ok(Some(outer)) => outer,
            Ok(None) => {
                self.note(|traffic| &mut traffic.refused, &request.target.host);
                return inner.write_all(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n").await;
            }
            Err(_) => {
                self.note(|traffic| &mut traffic.unreachable, &request.target.host);
                return inner.write_all(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n").await;
            }
        };
        self.note(|traffic| &mut traffic.reached, &request.target.host);
        if request.tunnel {
            inner.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
        } else {
            outer.write_all(&request.forwarded(self.proxy.is_some())).await?;
        }
        outer.write_all(&rest).await?;
        let (mut from_inner, mut to_inner) = inner.split();
        let (mut from_outer, mut to_outer) = outer.split();
        tokio::select! {
            sent = async { tokio::io::copy(&mut from_inner, &mut to_outer).await?; to_outer.shutdown().await?; std::future::pending().await } => sent,
            received = self.carry(&mut from_outer, &mut to_inner) => received,
        }
    }

    /// Carries what comes back, and counts it.
    async fn carry(&self, from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin)) -> io::Result<()> {
        let mut chunk = vec![0; 64 * 1024];
        loop {
            let length = from.read(&mut chunk).await?;
            let total = {
                let mut traffic = self.locked();
                traffic.bytes += length as u64;
                traffic.bytes
            };
            if length == 0 || total > MAX_BYTES {
                return to.shutdown().await;
            }
            to.write_all(&chunk[..length]).await?;
        }
    }

    /// A connection; none where it is refused.
    async fn connect(&self, request: &Request) -> io::Result<Option<TcpStream>> {
        let target = &request.target;
        let is_registry = *target == self.registry;
        if !is_registry && !matches!(target.port, 80 | 443) {
            return Ok(None);
        }
        match &self.proxy {
            Some(proxy) if !target.is_loopback() => {
                if !is_registry && is_local_name(&target.host) {
                    return Ok(None);
                }
                timeout(CONNECT_LIMIT, through(proxy, request)).await?.map(Some)
            }
            _ => {
                let found = tokio::net::lookup_host((target.host.as_str(), target.port));
                let found: Vec<SocketAddr> = timeout(CONNECT_LIMIT, found).await??.collect();
                if !is_registry && found.iter().any(|address| is_local(address.ip())) {
                    return Ok(None);
                }
                // Connected to is what was looked at, and nothing that the name may mean a moment later.
                timeout(CONNECT_LIMIT, TcpStream::connect(&found[..])).await?.map(Some)
            }
        }
    }

    fn note(&self, list: impl FnOnce(&mut Traffic) -> &mut BTreeSet<String>, host: &str) {
        let mut traffic = self.locked();
        let list = list(&mut traffic);
        if list.len() < MAX_HOSTS {
            list.insert(host.to_owned());
        }
    }
}

/// A connection through the user's own proxy; for a tunnel, with the tunnel made.
async fn through(proxy: &str, request: &Request) -> io::Result<TcpStream> {
    let unusable = || io::Error::new(io::ErrorKind::Unsupported, "the proxy's address is not http://host:port");
    let endpoint = Endpoint::of(proxy).filter(|_| proxy.trim().starts_with("http://")).ok_or_else(unusable)?;
    let mut outer = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
    if request.tunnel {
        let target = &request.target;
        let mut head = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n").into_bytes();
        if let Some((_, Some(credentials), _)) = split(proxy) {
            let encoded = base64::engine::general_purpose::STANDARD.encode(credentials);
            write!(head, "Proxy-Authorization: Basic {encoded}\r\n")?;
        }
        head.extend_from_slice(b"\r\n");
        outer.write_all(&head).await?;
        let answer = read_head(&mut outer).await?.map(|(head, _)| head).unwrap_or_default();
        if answer.split_whitespace().nth(1) != Some("200") {
            return Err(io::Error::other("the proxy refused"));
        }
    }
    Ok(outer)
}

/// The head of a request or answer, and what came after it.
async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::new();
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok(Some((String::from_utf8_lossy(&bytes).into_owned(), rest)));
        }
        let mut chunk = [0; 4096];
        let length = stream.read(&mut chunk).await?;
        if length == 0 || bytes.len() + length > MAX_HEAD {
            return Ok(None);
        }
        bytes.extend_from_slice(&chunk[..length]);
    }
}

/// What a proxy is asked: a tunnel, or a page by its whole address.
struct Request {
    tunnel: bool,
    target: Endpoint,
    address: String,
    method: String,
    headers: Vec<String>,
}

impl Request {
    fn parse(head: &str) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, address) = (words.next()?, words.next()?);
        let tunnel = method == "CONNECT";
        let target = if tunnel { Endpoint::parse(address, 443)? } else { Endpoint::of(address)? };
        let headers = lines.filter(|line| !line.is_empty()).map(str::to_owned).collect();
        Some(Self { tunnel, target, address: address.to_owned(), method: method.to_owned(), headers })
    }

    /// The head as the server is to see it. One request for each connection, so that the next one is looked at, too.
    fn forwarded(&self, whole_address: bool) -> Vec<u8> {
        let path = self.address.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..]));
        let address = if whole_address { self.address.as_str() } else { path.unwrap_or("/") };
        let mut head = format!("{} {address} HTTP/1.1\r\n", self.method);
        let ours = ["connection", "proxy-connection", "keep-alive", "proxy-authorization"];
        for line in &self.headers {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            if !ours.contains(&name.as_str()) {
                head.push_str(line);
                head.push_str("\r\n");
            }
        }
        head.push_str("Connection: close\r\n\r\n");
        head.into_bytes()
    }
}

/// Whether an address belongs to this machine, its network or its landlord.
fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            v4.is_loopback()
                || v4.is_private()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_broadcast()
                || first == 0
                || (first == 100 && (64..128).contains(&second))
                || (first == 198 && (18..20).contains(&second))
        }
        IpAddr::V6(v6) => {
            let embedded = v6.to_ipv4_mapped().or_else(|| nat64(v6.segments()));
            embedded.is_some_and(|v4| is_local(IpAddr::V4(v4)))
                || v6.is_loopback()
                || v6.is_unspecified()
                || v6.is_multicast()
                || v6.is_unique_local()
                || v6.is_unicast_link_local()
        }
    }
}

fn nat64(segments: [u16; 8]) -> Option<Ipv4Addr> {
    let [high, low] = [segments[6], segments[7]].map(u16::to_be_bytes);
    (segments[..6] == [0x64, 0xff9b, 0, 0, 0, 0]).then(|| Ipv4Addr::new(high[0], high[1], low[0], low[1]))
}

/// Names that mean something local, where a proxy resolves them and we cannot look at the address.
fn is_local_name(host: &str) -> bool {
    let local_ends = [".localhost", ".local", ".internal", ".lan", ".home.arpa"];
    host == "localhost"
        || host.parse().is_ok_and(is_local)
        || !host.contains(['.', ':'])
        || local_ends.iter().any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packages::PUBLIC_HOST;
    use tokio::net::TcpListener;

    #[test]
    fn local_addresses_are_told_from_public_ones() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "::1",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:10.0.0.1",
            "64:ff9b::a00:1",
            "224.0.0.1",
        ] {
            assert!(is_local(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "104.16.0.35", "2606:4700::6810:23", "64:ff9b::101:101", "172.32.0.1"] {
            assert!(!is_local(address.parse().unwrap()), "{address}");
        }
        assert!(is_local_name("metadata.google.internal") && is_local_name("intranet") && is_local_name("127.0.0.1"));
        assert!(!is_local_name(PUBLIC_HOST));
    }

    #[test]
    fn a_forwarded_request_closes_its_connection_and_keeps_no_proxy_headers() {
        let head = "GET http://npm.example:80/a?b HTTP/1.1\r\nHost: npm.example\r\nProxy-Authorization: Basic x\r\nConnection: keep-alive\r\n\r\n";
        let request = Request::parse(head).unwrap();
        assert_eq!(request.target.to_string(), "npm.example:80");
        let forwarded = String::from_utf8(request.forwarded(false)).unwrap();
        assert_eq!(forwarded, "GET /a?b HTTP/1.1\r\nHost: npm.example\r\nConnection: close\r\n\r\n");
        assert!(Request::parse("GET /relative HTTP/1.1\r\n\r\n").is_none());
    }

    async fn ask(folder: &Path, head: &str) -> String {
        let mut stream = UnixStream::connect(folder.join(SOCKET)).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        let mut answer = vec![0; 200];
        let length = stream.read(&mut answer).await.unwrap();
        String::from_utf8_lossy(&answer[..length]).into_owned()
    }

    #[tokio::test]
    async fn the_registry_is_reached_wherever_it_is_and_its_neighbours_are_not() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let neighbour = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let registry = server.local_addr().unwrap();
        let access = RegistryAccess::at(&format!("http://{registry}/")).unwrap();
        let egress = Egress::open(folder.path(), &access).unwrap();
        let connect = |target: String| format!("CONNECT {target} HTTP/1.1\r\n\r\n");
        assert!(ask(folder.path(), &connect(registry.to_string())).await.starts_with("HTTP/1.1 200"));
        for target in [neighbour.local_addr().unwrap().to_string(), "127.0.0.1:80".into(), "169.254.169.254:80".into()]
        {
            assert!(ask(folder.path(), &connect(target.clone())).await.starts_with("HTTP/1.1 403"), "{target}");
        }
        assert!(ask(folder.path(), "nonsense\r\n\r\n").await.starts_with("HTTP/1.1 400"));
        let traffic = egress.traffic();
        assert_eq!(traffic.reached, BTreeSet::from(["127.0.0.1".to_owned()]));
        assert_eq!(traffic.refused, BTreeSet::from(["127.0.0.1".to_owned(), "169.254.169.254".to_owned()]));
    }

    #[tokio::test]
    async fn a_registry_that_is_not_there_is_unreachable() {
        let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let access = RegistryAccess::at(&format!("http://127.0.0.1:{port}/")).unwrap();
        let egress = Egress::open(folder.path(), &access).unwrap();
        let answer = ask(folder.path(), &format!("CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
        assert_eq!(egress.traffic().unreachable, BTreeSet::from(["127.0.0.1".to_owned()]));
    }

    #[tokio::test]
    async fn the_users_proxy_is_asked_with_credentials_the_sandbox_never_sees() {
        let proxy = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = proxy.local_addr().unwrap();
        let asked = tokio::spawn(async move {
            let (mut connection, _) = proxy.accept().await.unwrap();
            let (head, _) = read_head(&mut connection).await.unwrap().unwrap();
            connection.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            head
        });
        let folder = tempfile::tempdir().unwrap();
        let access =
            RegistryAccess { proxy: Some(format!("http://joe:s3cret@{address}/")), ..RegistryAccess::default() };
        let _egress = Egress::open(folder.path(), &access).unwrap();
        let answer = ask(folder.path(), &format!("CONNECT {PUBLIC_HOST}:443 HTTP/1.1\r\n\r\n")).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let head = asked.await.unwrap();
        assert!(
            head.starts_with(&format!("CONNECT {PUBLIC_HOST}:443 "))
                && head.contains("Proxy-Authorization: Basic am9lOnMzY3JldA=="),
            "{head}"
        );
    }
}
