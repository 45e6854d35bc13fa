//! The only way out of the walls: a proxy of ours that connects to the registry and to public addresses, and to nothing else.

use super::access::RegistryAccess;
use crate::egress::{
    BAD_REQUEST, CONNECT_LIMIT, Endpoint, Failure, Order, TUNNEL_IS_OPEN, attend, carry, connect, is_local_name,
    read_head, split,
};
use crate::{Result, SandboxError};
use base64::Engine as _;
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The socket's name in its folder.
pub(super) const SOCKET: &str = "socket";
/// Everything one program may fetch.
const MAX_BYTES: u64 = 2 * 1024 * 1024 * 1024;
const MAX_CONNECTIONS: usize = 128;
const MAX_HOSTS: usize = 32;

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
pub(crate) struct Egress {
    door: Arc<Door>,
    listening: JoinHandle<()>,
    address: Option<SocketAddr>,
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
        let door = Arc::new(Door::to(access));
        let listening = tokio::spawn(Arc::clone(&door).attend(listener));
        Ok(Self { door, listening, address: None })
    }

    /// Listens at a free port of an address of this machine, for whoever is in the network that the address belongs to.
    pub async fn listen(address: IpAddr, access: &RegistryAccess) -> Result<Self> {
        let failed = |source| SandboxError::Listen { address, source };
        let listener = TcpListener::bind((address, 0)).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let door = Arc::new(Door::to(access));
        let listening = tokio::spawn(Arc::clone(&door).attend_network(listener));
        Ok(Self { door, listening, address: Some(address) })
    }

    /// Where it listens, if it does so in a network.
    pub fn address(&self) -> Option<SocketAddr> {
        self.address
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

impl Door {
    fn to(access: &RegistryAccess) -> Self {
        let traffic = Mutex::new(Traffic::default());
        Self { registry: access.endpoint(), proxy: access.proxy.clone(), traffic }
    }

    fn locked(&self) -> std::sync::MutexGuard<'_, Traffic> {
        self.traffic.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn attend(self: Arc<Self>, listener: UnixListener) {
        let accept = |context: &mut Context<'_>| listener.poll_accept(context).map_ok(|(inner, _)| inner);
        attend(MAX_CONNECTIONS, accept, |inner| Arc::clone(&self).serve(inner)).await;
    }

    async fn attend_network(self: Arc<Self>, listener: TcpListener) {
        let accept = |context: &mut Context<'_>| listener.poll_accept(context).map_ok(|(inner, _)| inner);
        attend(MAX_CONNECTIONS, accept, |inner| Arc::clone(&self).serve(inner)).await;
    }

    async fn serve(self: Arc<Self>, mut inner: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        let Some(order) = Order::read(&mut inner).await? else { return inner.write_all(BAD_REQUEST).await };
        let mut outer = match self.connect(&order).await {
            Ok(outer) => outer,
            Err(failure) => {
                self.note(&order.target.host, |traffic| match failure {
                    Failure::Local => &mut traffic.refused,
                    _ => &mut traffic.unreachable,
                });
                return inner.write_all(failure.answer().as_bytes()).await;
            }
        };
        self.note(&order.target.host, |traffic| &mut traffic.reached);
        if order.tunnel {
            inner.write_all(TUNNEL_IS_OPEN).await?;
        } else {
            outer
                .write_all(&if self.is_proxied(&order.target) { order.for_proxy() } else { order.for_server() })
                .await?;
        }
        outer.write_all(&order.rest).await?;
        carry(inner, outer, |length| self.counts(length)).await
    }

    /// Counts what came back; whether more may come.
    fn counts(&self, length: usize) -> bool {
        let mut traffic = self.locked();
        traffic.bytes += length as u64;
        traffic.bytes <= MAX_BYTES
    }

    async fn connect(&self, order: &Order) -> Result<TcpStream, Failure> {
        let target = &order.target;
        let is_registry = *target == self.registry;
        if !is_registry && !matches!(target.port, 80 | 443) {
            return Err(Failure::Local);
        }
        let Some(proxy) = self.proxy.as_ref().filter(|_| self.is_proxied(target)) else {
            return connect(target, |_| is_registry).await;
        };
        if !is_registry && is_local_name(&target.host) {
            return Err(Failure::Local);
        }
        match timeout(CONNECT_LIMIT, through(proxy, order)).await {
            Ok(reached) => reached.map_err(|_| Failure::Unreachable),
            Err(_) => Err(Failure::TimedOut),
        }
    }

    fn is_proxied(&self, target: &Endpoint) -> bool {
        self.proxy.is_some() && !target.is_loopback()
    }

    fn note(&self, host: &str, list: impl FnOnce(&mut Traffic) -> &mut BTreeSet<String>) {
        let mut traffic = self.locked();
        let list = list(&mut traffic);
        if list.len() < MAX_HOSTS {
            list.insert(host.to_owned());
        }
    }
}

/// A connection through the user's own proxy; for a tunnel, with the tunnel made.
async fn through(proxy: &str, order: &Order) -> io::Result<TcpStream> {
    let unusable = || io::Error::new(io::ErrorKind::Unsupported, "the proxy's address is not http://host:port");
    let endpoint = Endpoint::of(proxy).filter(|_| proxy.trim().starts_with("http://")).ok_or_else(unusable)?;
    let mut outer = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
    if order.tunnel {
        let target = &order.target;
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

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::AsyncReadExt;
    use tokio::net::UnixStream;

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
        let access = RegistryAccess::at("https://npm.example.com/").unwrap();
        let access = RegistryAccess { proxy: Some(format!("http://joe:s3cret@{address}/")), ..access };
        let _egress = Egress::open(folder.path(), &access).unwrap();
        let answer = ask(folder.path(), "CONNECT npm.example.com:443 HTTP/1.1\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        let head = asked.await.unwrap();
        assert!(
            head.starts_with("CONNECT npm.example.com:443 ")
                && head.contains("Proxy-Authorization: Basic am9lOnMzY3JldA=="),
            "{head}"
        );
    }
}
