//! A small web server that also behaves badly on request.

use super::page_path;
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

/// What a path answers.
#[derive(Clone)]
pub enum Reply {
    /// Status, extra headers, body.
    Full(u16, Vec<(String, String)>, Vec<u8>),
    /// Accept and say nothing.
    Hang,
    /// Headers at once, then a piece of body for ever.
    Endless(&'static str, Vec<u8>),
    /// Headers and a first piece, then silence.
    Stall(&'static str, Vec<u8>),
    /// The whole answer after a pause.
    Late(Duration, Box<Reply>),
}

pub fn html(text: &str) -> Reply {
    Reply::Full(200, vec![("Content-Type".into(), "text/html; charset=utf-8".into())], text.as_bytes().to_vec())
}

pub fn status(code: u16, text: &str) -> Reply {
    Reply::Full(code, vec![("Content-Type".into(), "text/html".into())], text.as_bytes().to_vec())
}

pub fn with_headers(code: u16, headers: &[(&str, &str)], body: &[u8]) -> Reply {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Reply::Full(code, headers, body.to_vec())
}

pub fn redirect(to: &str) -> Reply {
    with_headers(302, &[("Location", to)], b"")
}

/// A file of tests/pages.
pub fn file(name: &str) -> Reply {
    html(&std::fs::read_to_string(page_path(name)).unwrap())
}

/// A request as it came: path with query, and its headers in lower case.
#[derive(Clone, Debug)]
pub struct Seen {
    pub path: String,
    pub headers: HashMap<String, String>,
}

pub struct Server {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
    accepting: JoinHandle<()>,
}

impl Server {
    pub async fn start(routes: impl Fn(&str) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (routes, record) = (Arc::new(routes), Arc::clone(&seen));
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (routes, record) = (Arc::clone(&routes), Arc::clone(&record));
                tokio::spawn(async move {
                    let _ = serve(stream, routes.as_ref(), &record).await;
                });
            }
        });
        Self { port, seen, accepting }
    }

    /// An address on this server.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The same server as another site.
    pub fn other_site(&self, path: &str) -> String {
        format!("http://localhost:{}{path}", self.port)
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

/// A port that nobody listens on.
pub async fn refused_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

async fn serve(
    mut stream: TcpStream,
    routes: &(impl Fn(&str) -> Reply + Send + Sync),
    record: &Mutex<Vec<Seen>>,
) -> std::io::Result<()> {
    let Some(seen) = read_request(&mut stream).await? else { return Ok(()) };
    let reply = routes(&seen.path);
    record.lock().unwrap().push(seen);
    answer(&mut stream, reply).await
}

async fn read_request(stream: &mut TcpStream) -> std::io::Result<Option<Seen>> {
    let mut text = Vec::new();
    let mut chunk = [0; 4096];
    while !text.windows(4).any(|window| window == b"\r\n\r\n") {
        let count = stream.read(&mut chunk).await?;
        if count == 0 {
            return Ok(None);
        }
        text.extend_from_slice(&chunk[..count]);
    }
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines = text.lines();
    let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or("/").to_owned();
    let headers = lines
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    Ok(Some(Seen { path, headers }))
}

async fn answer(stream: &mut TcpStream, reply: Reply) -> std::io::Result<()> {
    let head = |kind: &str| format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n");
    match reply {
        Reply::Full(code, headers, body) => {
            let mut text = format!("HTTP/1.1 {code} Status\r\nConnection: close\r\n");
            for (name, value) in headers {
                text.extend([name.as_str(), ": ", value.as_str(), "\r\n"]);
            }
            if code != 204 {
                text.extend(["Content-Length: ", &body.len().to_string(), "\r\n"]);
            }
            stream.write_all(format!("{text}\r\n").as_bytes()).await?;
            stream.write_all(&body).await?;
        }
        Reply::Hang => wait_for_hang_up(stream).await?,
        Reply::Endless(kind, piece) => {
            stream.write_all(head(kind).as_bytes()).await?;
            loop {
                stream.write_all(&piece).await?;
                tokio::task::yield_now().await;
            }
        }
        Reply::Stall(kind, piece) => {
            stream.write_all(head(kind).as_bytes()).await?;
            stream.write_all(&piece).await?;
            wait_for_hang_up(stream).await?;
        }
        Reply::Late(pause, reply) => {
            tokio::time::sleep(pause).await;
            Box::pin(answer(stream, *reply)).await?;
        }
    }
    stream.shutdown().await
}

async fn wait_for_hang_up(stream: &mut TcpStream) -> std::io::Result<()> {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await? > 0 {}
    Ok(())
}
