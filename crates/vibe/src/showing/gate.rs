//! The one listener of a worker that shows apps, and what it lets through.

mod stream;

use super::address::{Address, AddressError};
use super::copies::{Copies, NoCopy};
use super::head::{self, Head, Sides};
use crate::deploy::{DeployError, Prepared};
use crate::hex::hex;
use std::collections::HashMap;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use stream::{pour, stillness};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};

const MOST_CONNECTIONS: usize = 512;
/// How long somebody may take to say what they want.
const REQUEST_PATIENCE: Duration = Duration::from_secs(20);
/// How long an app may take to begin its answer.
const ANSWER_PATIENCE: Duration = Duration::from_mins(2);
/// How long neither side may say anything while an answer is under way, or on a web socket. Somebody who reads says nothing for a while.
const STILL_PATIENCE: Duration = Duration::from_mins(15);
/// Between two tries to accept a connection that failed.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// The name of a copy has at most so many characters.
const LONGEST_NAME: usize = 20;

type Shown = Arc<Mutex<HashMap<String, Arc<Copies>>>>;

/// Listens for browsers of reviewers.
#[derive(Debug)]
pub struct Gate {
    address: Address,
    shown: Shown,
    listening: JoinHandle<()>,
}

/// Why nobody can be let in. Messages complete "failed to …".
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GateError {
    /// Nobody may listen there.
    #[error("listen on {at}: {source}")]
    Listen {
        /// Where.
        at: SocketAddr,
        /// The cause.
        source: io::Error,
    },
    /// There is no chance on this machine.
    #[error("draw a key: {0}")]
    NoKey(String),
    /// Browsers would not find it.
    #[error(transparent)]
    Address(#[from] AddressError),
}

impl Gate {
    /// Opens it. Must be called within the runtime that is to carry the connections.
    pub async fn open(listen: SocketAddr, address: Option<&str>) -> Result<Self, GateError> {
        Self::open_with(listen, address, STILL_PATIENCE).await
    }

    async fn open_with(listen: SocketAddr, address: Option<&str>, still: Duration) -> Result<Self, GateError> {
        let failed = |source| GateError::Listen { at: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = Address::of(address, listener.local_addr().map_err(failed)?)?;
        let shown = Shown::default();
        let listening = tokio::spawn(attend(listener, address.clone(), Arc::clone(&shown), still));
        Ok(Self { address, shown, listening })
    }

    /// A key that nobody can guess.
    pub fn fresh_key() -> Result<String, GateError> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| GateError::NoKey(error.to_string()))?;
        Ok(hex(&bytes))
    }

    /// Lets browsers in to an app under a key that nobody can guess.
    pub fn admit(&self, key: &str, prepared: Prepared) -> Showing {
        let copies = Arc::new(Copies::of(prepared));
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), Arc::clone(&copies));
        Showing { key: key.to_owned(), place: self.address.place(key), copies, shown: Arc::clone(&self.shown) }
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        self.listening.abort();
    }
}

/// An app that browsers can reach. Dropped without [`Showing::close`] it is gone as well, but nobody waits for that.
#[derive(Debug)]
pub struct Showing {
    key: String,
    place: String,
    copies: Arc<Copies>,
    shown: Shown,
}

impl Showing {
    /// Its address, with `{copy}` where the name of a copy belongs: letters and digits.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// Starts a copy before anybody asks for it, which shows whether the app starts at all.
    pub async fn start(&self, name: &str) -> Result<(), DeployError> {
        match self.copies.port(name).await {
            Err(NoCopy::Broken(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// Ends it, and waits until nothing is left.
    pub async fn close(self) {
        self.forget();
        self.copies.close().await;
    }

    fn forget(&self) {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.key);
    }
}

impl Drop for Showing {
    fn drop(&mut self) {
        self.forget();
    }
}

async fn attend(listener: TcpListener, address: Address, shown: Shown, still: Duration) {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let mut carried = JoinSet::new();
    while let Ok(permit) = Arc::clone(&free).acquire_owned().await {
        let Ok((client, _)) = listener.accept().await else {
            // Out of file descriptors, or the client has broken off.
            sleep(ACCEPT_AGAIN).await;
            continue;
        };
        let (address, shown) = (address.clone(), Arc::clone(&shown));
        carried.spawn(async move {
            // A connection that breaks is the browser's to notice.
            let _ = carry(client, &address, &shown, still).await;
            drop(permit);
        });
        while carried.try_join_next().is_some() {}
    }
}

/// Carries one request and its answer. Connections are not kept, so that every request is looked at.
async fn carry(mut client: TcpStream, address: &Address, shown: &Shown, still: Duration) -> io::Result<()> {
    client.set_nodelay(true)?;
    let read = timeout(REQUEST_PATIENCE, read_head(&mut client)).await.map_err(|_| io::ErrorKind::TimedOut)?;
    let Ok((request, body)) = read else { return refuse(&mut client, "400 Bad Request", "This is no request.").await };
    let host = request.value("host").unwrap_or_default();
    let label = host.split(['.', ':']).next().unwrap_or_default().to_ascii_lowercase();
    let found = found(&label, shown);
    let Some((name, copies)) = found else {
        return refuse(&mut client, "404 Not Found", "Nothing is shown here, or not any more.").await;
    };
    let Some(_line) = copies.line() else {
        return refuse(&mut client, "503 Service Unavailable", "This app has too many connections open.").await;
    };
    let port = match copies.port(name).await {
        Ok(port) => port,
        Err(why) => return refuse(&mut client, "503 Service Unavailable", words(&why)).await,
    };
    let mut app = TcpStream::connect(("127.0.0.1", port)).await?;
    app.set_nodelay(true)?;
    let sides = Sides { public: address.origin(&label), port, is_safe: address.is_safe() };
    let (mut from_client, mut to_client) = client.split();
    let (mut from_app, mut to_app) = app.split();
    let stirred = Notify::new();
    let up = async {
        to_app.write_all(&head::to_app(request, &sides).written()).await?;
        to_app.write_all(&body).await?;
        pour(&mut from_client, &mut to_app, &stirred).await
    };
    let down = async {
        let answer = timeout(ANSWER_PATIENCE, read_head(&mut from_app)).await.map_err(|_| io::ErrorKind::TimedOut)?;
        let (answer, body) = answer?;
        to_client.write_all(&head::to_browser(answer, &sides).written()).await?;
        to_client.write_all(&body).await?;
        pour(&mut from_app, &mut to_client, &stirred).await
    };
    tokio::select! {
        done = down => done,
        // What was sent is sent; the answer may take longer.
        failed = async { match up.await { Ok(()) => pending().await, Err(error) => error } } => Err(failed),
        too_still = stillness(&stirred, still) => Err(too_still),
    }
}

/// The name of a copy and the app it is of.
fn found<'a>(label: &'a str, shown: &Shown) -> Option<(&'a str, Arc<Copies>)> {
    let (name, key) = label.rsplit_once('-')?;
    let is_name =
        !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let copies = shown.lock().unwrap_or_else(PoisonError::into_inner).get(key).cloned()?;
    is_name.then_some((name, copies))
}

fn words(why: &NoCopy) -> &'static str {
    match why {
        NoCopy::Closed => "This app was closed.",
        NoCopy::TooMany => "Too many copies of this app were asked for. Close it and open it again.",
        NoCopy::Broken(_) => "This app did not start again.",
    }
}

async fn refuse(client: &mut TcpStream, status: &str, text: &str) -> io::Result<()> {
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nCache-Control: no-store\r\n\
         X-Content-Type-Options: nosniff\r\nConnection: close\r\n\r\n{text}"
    );
    client.write_all(answer.as_bytes()).await?;
    client.shutdown().await
}

/// Reads up to the end of a head, and what was read beyond it. What only announces an answer is passed over.
async fn read_head(from: &mut (impl AsyncRead + Unpin)) -> io::Result<(Head, Vec<u8>)> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if let Some(end) = head::end_of(&bytes) {
            let body = bytes.split_off(end);
            let head = Head::parse(&bytes).ok_or(io::ErrorKind::InvalidData)?;
            if !head.only_announces() {
                return Ok((head, body));
            }
            bytes = body;
            continue;
        }
        if bytes.len() > head::MOST_BYTES {
            return Err(io::ErrorKind::InvalidData.into());
        }
        if from.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
}

#[cfg(test)]
mod tests;
