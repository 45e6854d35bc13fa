//! The site being served, as users get it, and asked as a client asks it.

use crate::call::Call;
use crate::failure::{Failure, Naming};
use crate::project;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long an answer may take, and how long a site may take to begin.
const PATIENCE: Duration = Duration::from_mins(5);

/// The site, ended with this.
pub struct Running {
    child: Child,
    /// Where it is, with a slash at the end.
    pub address: String,
    /// How long it took to begin, with everything it had to take in before.
    pub began_after: Duration,
}

impl Running {
    /// Serves a data folder on a free port; `more` are further words for the command.
    pub fn start(data: &Path, more: &str) -> Result<Self, Failure> {
        let begun = Instant::now();
        let call =
            Call::new(project::release_binary()).words("serve --listen 127.0.0.1:0 --data").arg(data).words(more);
        let mut child = call.into_command().stdout(Stdio::piped()).spawn().naming("start the site")?;
        let lines = child.stdout.take().map(BufReader::new).into_iter().flat_map(BufRead::lines);
        let address = lines.map_while(Result::ok).find_map(|line| Some(line.split_once(" on ")?.1.to_owned()));
        let address = address.ok_or_else(|| Failure::check("the site did not say where it listens"))?;
        Ok(Self { child, address, began_after: begun.elapsed() })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// `127.0.0.1:4711`.
    pub fn host(&self) -> &str {
        self.address.trim_start_matches("http://").trim_end_matches('/')
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer, and when it came.
pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
    /// Until the first so many bytes of the body were there, or all of a shorter one.
    pub until_first_screen: Duration,
}

/// What fits on a screen and above it, with room to spare.
const FIRST_SCREEN: usize = 16 * 1024;

/// Asks over a connection of its own.
pub fn get(host: &str, path: &str, headers: &str) -> Result<Answer, Failure> {
    let doing = format!("ask for {path}");
    let mut stream = TcpStream::connect(host).naming(&doing)?;
    stream.set_read_timeout(Some(PATIENCE)).naming(&doing)?;
    let begun = Instant::now();
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).naming(&doing)?;
    let mut bytes = Vec::new();
    let mut chunk = vec![0; FIRST_SCREEN];
    let (mut head, mut first) = (None, None);
    loop {
        let read = stream.read(&mut chunk).naming(&doing)?;
        bytes.extend_from_slice(&chunk[..read]);
        head = head.or_else(|| bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4));
        if first.is_none() && (read == 0 || head.is_some_and(|head| bytes.len() - head >= FIRST_SCREEN)) {
            first = Some(begun.elapsed());
        }
        if read == 0 {
            break;
        }
    }
    let head = head.ok_or_else(|| Failure::check(format!("no answer to {path}")))?;
    let status = String::from_utf8_lossy(&bytes[..head]).split(' ').nth(1).and_then(|status| status.parse().ok());
    Ok(Answer {
        status: status.unwrap_or(0),
        body: bytes.split_off(head),
        until_first_screen: first.unwrap_or_default(),
    })
}
