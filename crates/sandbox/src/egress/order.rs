//! What a client asks a proxy for: a tunnel, or a page by its whole address.

use super::endpoint::Endpoint;
use std::io;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::time::timeout;

const MAX_HEAD_BYTES: usize = 256 * 1024;
const HEAD_LIMIT: Duration = Duration::from_secs(30);

/// The answer to what is no order.
pub(crate) const BAD_REQUEST: &[u8] = b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
/// The answer to the order of a tunnel.
pub(crate) const TUNNEL_IS_OPEN: &[u8] = b"HTTP/1.1 200 Connection established\r\n\r\n";

/// An order, and what came with it.
pub(crate) struct Order {
    /// Where to.
    pub target: Endpoint,
    /// Whether bytes are to be carried as they are; otherwise the head is written anew.
    pub tunnel: bool,
    /// What came after the head.
    pub rest: Vec<u8>,
    method: String,
    address: String,
    headers: Vec<String>,
}

impl Order {
    /// Reads an order; none where something else was sent.
    pub async fn read(client: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<Self>> {
        let head = timeout(HEAD_LIMIT, read_head(client)).await??;
        Ok(head.and_then(|(head, rest)| Self::parse(&head, rest)))
    }

    fn parse(head: &str, rest: Vec<u8>) -> Option<Self> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, address, _version) = (words.next()?, words.next()?, words.next()?);
        let tunnel = method == "CONNECT";
        let target = if tunnel {
            Endpoint::parse(address, 443)?
        } else {
            Endpoint::of(address).filter(|_| address.starts_with("http://"))?
        };
        let headers = lines.filter(|line| !line.is_empty() && !is_for_the_proxy(line)).map(str::to_owned).collect();
        Some(Self { target, tunnel, rest, method: method.to_owned(), address: address.to_owned(), headers })
    }

    /// The head for the server.
    pub fn for_server(&self) -> Vec<u8> {
        let after_scheme = self.address.split_once("://").map_or("", |(_, rest)| rest);
        let path = after_scheme.find(['/', '?']).map_or("", |at| &after_scheme[at..]);
        let slash = if path.starts_with('/') { "" } else { "/" };
        self.head(&format!("{slash}{path}"))
    }

    /// The head for another proxy on the way.
    pub fn for_proxy(&self) -> Vec<u8> {
        self.head(&self.address)
    }

    fn head(&self, address: &str) -> Vec<u8> {
        let mut head = format!("{} {address} HTTP/1.1\r\n", self.method);
        for line in &self.headers {
            head.push_str(line);
            head.push_str("\r\n");
        }
        // One request per connection: the next one may be for another host, which has to be looked at first.
        head.push_str("Connection: close\r\n\r\n");
        head.into_bytes()
    }
}

fn is_for_the_proxy(line: &str) -> bool {
    let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
    name == "connection" || name == "keep-alive" || name.starts_with("proxy-")
}

/// The head of a request or answer, and what came after it; none where there is no end to it.
pub(crate) async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> io::Result<Option<(String, Vec<u8>)>> {
    let mut bytes = Vec::with_capacity(4096);
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = bytes.split_off(end + 4);
            return Ok(String::from_utf8(bytes).ok().map(|head| (head, rest)));
        }
        if bytes.len() > MAX_HEAD_BYTES || stream.read_buf(&mut bytes).await? == 0 {
            return Ok(None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(head: &str) -> Option<Order> {
        Order::parse(head, Vec::new())
    }

    #[test]
    fn a_plain_request_is_sent_on_in_the_form_its_reader_expects() {
        let head = "GET http://app.example/a?b HTTP/1.1\r\nHost: app.example\r\nConnection: keep-alive\r\n\
                    Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic x\r\n\r\n";
        let order = order(head).unwrap();
        assert_eq!((order.target.to_string().as_str(), order.tunnel), ("app.example:80", false));
        let sent = |head: Vec<u8>| String::from_utf8(head).unwrap();
        let rest = "HTTP/1.1\r\nHost: app.example\r\nConnection: close\r\n\r\n";
        assert_eq!(sent(order.for_server()), format!("GET /a?b {rest}"));
        assert_eq!(sent(order.for_proxy()), format!("GET http://app.example/a?b {rest}"));
    }

    #[test]
    fn hosts_are_read_with_ports_brackets_and_without_a_path() {
        for (target, endpoint, path) in [
            ("http://[::1]:8080/x", "[::1]:8080", "/x"),
            ("http://[::1]/", "[::1]:80", "/"),
            ("http://app.example", "app.example:80", "/"),
            ("http://me:word@app.example:81?q", "app.example:81", "/?q"),
        ] {
            let order = order(&format!("GET {target} HTTP/1.1\r\n\r\n")).unwrap();
            assert_eq!(order.target.to_string(), endpoint, "{target}");
            assert!(order.for_server().starts_with(format!("GET {path} HTTP/1.1\r\n").as_bytes()), "{target}");
        }
        let tunnel = order("CONNECT app.example:443 HTTP/1.1\r\n\r\n").unwrap();
        assert_eq!((tunnel.target.to_string().as_str(), tunnel.tunnel), ("app.example:443", true));
    }

    #[test]
    fn what_is_no_order_for_a_proxy_is_none() {
        for head in [
            "GET / HTTP/1.1\r\n\r\n",
            "CONNECT :443 HTTP/1.1\r\n\r\n",
            "x\r\n\r\n",
            "GET ftp://a/ HTTP/1.1\r\n\r\n",
            "GET https://a/ HTTP/1.1\r\n\r\n",
            "GET http:///x HTTP/1.1\r\n\r\n",
        ] {
            assert!(order(head).is_none(), "{head:?}");
        }
    }
}
