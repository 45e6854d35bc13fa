//! A site that is being served.
#![allow(dead_code, reason = "every test file uses some of it")]

use crate::support::Corner;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Child;

/// A running site, ended with the test.
pub struct Running {
    child: Child,
    pub base: String,
}

impl Running {
    pub fn start(corner: &Corner, more: &[&str]) -> Self {
        let arguments = [&["serve", "--data", "data", "--listen", "127.0.0.1:0"], more].concat();
        Self::of(corner.start(&arguments))
    }

    /// A site whose command somebody else made.
    pub fn of(mut child: Child) -> Self {
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let base = lines.find_map(|line| Some(line.ok()?.split_once(" on ")?.1.trim_end_matches('/').to_owned()));
        Self { child, base: base.expect("the site says where it listens") }
    }

    /// Status, head and body of an answer. The target is sent as it is.
    pub fn get(&self, target: &str) -> (u16, String, Vec<u8>) {
        self.ask("GET", target, "")
    }

    pub fn ask(&self, method: &str, target: &str, headers: &str) -> (u16, String, Vec<u8>) {
        self.send(method, target, headers, b"")
    }

    /// The same with a body; its length is said.
    pub fn post(&self, target: &str, headers: &str, body: &[u8]) -> (u16, String, Vec<u8>) {
        self.send("POST", target, &format!("{headers}content-length: {}\r\n", body.len()), body)
    }

    pub fn host(&self) -> &str {
        self.base.trim_start_matches("http://")
    }

    /// Any request, with a body whose length the headers say.
    pub fn send(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> (u16, String, Vec<u8>) {
        let host = self.host();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(stream, "{method} {target} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n").unwrap();
        stream.write_all(body).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("an answer has a head");
        let head = String::from_utf8_lossy(&answer[..end]).to_lowercase();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head, answer[end + 4..].to_vec())
    }
}

impl Running {
    /// Ends it; what it said on standard error.
    pub fn stderr(mut self) -> String {
        let mut stderr = self.child.stderr.take().expect("standard error is kept");
        self.child.kill().unwrap();
        let mut said = String::new();
        stderr.read_to_string(&mut said).unwrap();
        said
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
