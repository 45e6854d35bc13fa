use super::dial::{Failure, connect};
use super::order::{BAD_REQUEST, Order, TUNNEL_IS_OPEN};
use super::relay::{attend, carry};
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Context;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

const MAX_CONNECTIONS: usize = 512;
const MAX_UNREACHED: usize = 100;

/// A host that was not reached.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Unreached {
    /// Host and port.
    pub host: String,
    /// Why.
    pub failure: Failure,
}

#[derive(Debug)]
pub(super) struct Proxy {
    /// Local addresses the user typed, or somebody lets the browser reach for a while.
    allowed: Mutex<Vec<SocketAddr>>,
    unreached: Mutex<Vec<Unreached>>,
}

impl Proxy {
    pub fn new(allowed: Vec<SocketAddr>) -> Self {
        Self { allowed: Mutex::new(allowed), unreached: Mutex::default() }
    }

    pub fn allow(&self, address: SocketAddr) {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).push(address);
    }

    pub fn forbid(&self, address: SocketAddr) {
        let mut allowed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = allowed.iter().position(|known| *known == address) {
            allowed.swap_remove(place);
        }
    }

    fn is_allowed(&self, address: &SocketAddr) -> bool {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).contains(address)
    }

    pub fn unreached(&self) -> Vec<Unreached> {
        self.unreached.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub async fn serve(self: Arc<Self>, listener: TcpListener) {
        let accept = |context: &mut Context<'_>| listener.poll_accept(context).map_ok(|(client, _)| client);
        attend(MAX_CONNECTIONS, accept, |client| Arc::clone(&self).relay(client)).await;
    }

    async fn relay(self: Arc<Self>, mut client: TcpStream) -> io::Result<()> {
        let Some(order) = Order::read(&mut client).await? else { return client.write_all(BAD_REQUEST).await };
        let mut server = match connect(&order.target, |address| self.is_allowed(address)).await {
            Ok(server) => server,
            Err(failure) => {
                self.note(order.target.to_string(), failure);
                return client.write_all(failure.answer().as_bytes()).await;
            }
        };
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        if order.tunnel {
            client.write_all(TUNNEL_IS_OPEN).await?;
        } else {
            server.write_all(&order.for_server()).await?;
        }
        server.write_all(&order.rest).await?;
        carry(client, server, |_| true).await
    }

    fn note(&self, host: String, failure: Failure) {
        let unreached = Unreached { host, failure };
        let mut list = self.unreached.lock().unwrap_or_else(PoisonError::into_inner);
        if list.len() < MAX_UNREACHED && !list.contains(&unreached) {
            list.push(unreached);
        }
    }
}
