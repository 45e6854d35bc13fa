//! Requests at a rate that does not depend on the answers.
//!
//! A client that waits for each answer before it sends the next request asks less while the server is slow, and so does not see what
//! people would who come meanwhile. Here every request has its moment. One that could not be sent then, because the answer before it was
//! still missing, has waited since its moment.

use super::{CONNECTIONS, Target};
use crate::failure::{Failure, Naming};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::{RecvFlags, recv};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

/// As many as wrk has. Few threads with many connections each: the server needs the processor too.
const THREADS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(20);
/// More than either server's head is long.
const HEAD: usize = 2048;
/// What is known to be the body is dropped by the system and not copied out of it: the server needs the processor more. Other systems copy.
#[cfg(target_os = "linux")]
const DROPPED: RecvFlags = RecvFlags::TRUNC;
#[cfg(not(target_os = "linux"))]
const DROPPED: RecvFlags = RecvFlags::empty();
/// Of the time: the caches and the connections are cold at first.
const NOT_COUNTED: f64 = 0.2;

/// What was seen at a steady rate.
#[derive(Debug, Clone, Copy)]
pub(in crate::bench) struct Steady {
    pub per_second: f64,
    pub p50_ms: f64,
    pub p99_ms: f64,
}

/// So many requests a second, over all connections.
pub(in crate::bench) fn steady(target: Target<'_>, per_second: f64, seconds: f64) -> Result<Steady, Failure> {
    let apart = CONNECTIONS as f64 / per_second;
    let begun = Instant::now() + Duration::from_millis(50);
    let schedule = Schedule { begun, apart: Duration::from_secs_f64(apart), seconds };
    let asked: Vec<Result<Vec<f64>, Failure>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..THREADS)
            .map(|thread| {
                scope.spawn(move || {
                    // The connections' moments lie between each other's, and so do the threads'.
                    let places = (0..CONNECTIONS).skip(thread).step_by(THREADS);
                    let firsts: Vec<_> =
                        places.map(|place| begun + Duration::from_secs_f64(place as f64 / per_second)).collect();
                    ask_in_turn(target, schedule, &firsts)
                })
            })
            .collect();
        let ended = |_| Failure::check("a client ended early");
        clients.into_iter().map(|client| client.join().map_err(ended).and_then(|asked| asked)).collect()
    });
    let mut waited: Vec<f64> = asked.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    waited.sort_by(f64::total_cmp);
    Ok(Steady {
        per_second: waited.len() as f64 / (seconds * (1.0 - NOT_COUNTED)),
        p50_ms: percentile(&waited, 0.5) * 1000.0,
        p99_ms: percentile(&waited, 0.99) * 1000.0,
    })
}

/// When requests have their moments.
#[derive(Debug, Clone, Copy)]
struct Schedule {
    begun: Instant,
    /// Between two requests of one connection.
    apart: Duration,
    seconds: f64,
}

impl Schedule {
    fn end(&self) -> Instant {
        self.begun + Duration::from_secs_f64(self.seconds)
    }

    fn counts(&self, moment: Instant) -> bool {
        moment >= self.begun + Duration::from_secs_f64(self.seconds * NOT_COUNTED)
    }
}

/// A connection.
struct Line {
    stream: TcpStream,
    /// Of the next request, or of the one that waits for its answer.
    moment: Instant,
    /// When the last answer had ended.
    answered: Instant,
    /// What waits for its answer, since when, and how much of the answer is known to be missing.
    waiting: Option<(Instant, Missing)>,
}

/// What is missing of an answer.
enum Missing {
    /// This is what is there of its head.
    Head(Vec<u8>),
    Bytes(usize),
}

/// The seconds that the requests of some connections waited for the end of their answers.
fn ask_in_turn(target: Target<'_>, schedule: Schedule, firsts: &[Instant]) -> Result<Vec<f64>, Failure> {
    let Target { host, path, coding } = target;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\naccept-encoding: {coding}\r\n\r\n");
    let mut lines = firsts.iter().map(|first| Line::open(host, *first)).collect::<Result<Vec<_>, _>>()?;
    let mut buffer = vec![0; 256 * 1024];
    let mut waited = Vec::new();
    loop {
        let now = Instant::now();
        for line in lines.iter_mut().filter(|line| line.waiting.is_none() && line.moment < schedule.end()) {
            if line.moment <= now {
                line.ask(&request, schedule.apart)?;
            }
        }
        let idle = lines.iter().filter(|line| line.waiting.is_none() && line.moment < schedule.end());
        let next = idle.map(|line| line.moment).min();
        if next.is_none() && lines.iter().all(|line| line.waiting.is_none()) {
            return Ok(waited);
        }
        for place in ready(&lines, next)? {
            let line = &mut lines[place];
            let moment = line.moment;
            if let Some(seconds) = line.read(&mut buffer)? {
                waited.extend(schedule.counts(moment).then_some(seconds));
                line.moment = moment + schedule.apart;
            }
        }
    }
}

/// The connections on which something has arrived, at the latest when the next request is due.
fn ready(lines: &[Line], next: Option<Instant>) -> Result<Vec<usize>, Failure> {
    let waiting: Vec<usize> = (0..lines.len()).filter(|place| lines[*place].waiting.is_some()).collect();
    let mut polled: Vec<_> = waiting.iter().map(|place| PollFd::new(&lines[*place].stream, PollFlags::IN)).collect();
    let patience = next.map_or(PATIENCE, |next| next.saturating_duration_since(Instant::now()));
    let timeout = Timespec { tv_sec: patience.as_secs().cast_signed(), tv_nsec: i64::from(patience.subsec_nanos()) };
    let count = poll(&mut polled, Some(&timeout)).naming("wait for answers")?;
    if count == 0 && next.is_none() {
        return Err(Failure::check("an answer did not come"));
    }
    Ok(waiting.into_iter().zip(&polled).filter(|(_, one)| !one.revents().is_empty()).map(|(place, _)| place).collect())
}

impl Line {
    fn open(host: &str, moment: Instant) -> Result<Self, Failure> {
        let stream = TcpStream::connect(host).naming("connect")?;
        stream.set_nodelay(true).and_then(|()| stream.set_nonblocking(true)).naming("connect")?;
        Ok(Self { stream, moment, answered: moment, waiting: None })
    }

    fn ask(&mut self, request: &str, apart: Duration) -> Result<(), Failure> {
        // Being late by itself is this client's fault; finding the connection busy is the server's.
        let since = if self.answered > self.moment {
            self.moment
        } else {
            let now = Instant::now();
            // Moments that this client slept through are left out: asked for now, one behind the other, they would find the connection busy.
            while self.moment + apart <= now {
                self.moment += apart;
            }
            now
        };
        self.stream.write_all(request.as_bytes()).naming("ask")?;
        self.waiting = Some((since, Missing::Head(Vec::new())));
        Ok(())
    }

    /// Reads what is there; at the end of an answer, how long it took.
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<f64>, Failure> {
        let Some((since, missing)) = &mut self.waiting else { return Ok(None) };
        loop {
            match missing.take(&self.stream, buffer) {
                Ok(0) => return Err(Failure::check("a connection was closed in the middle of an answer")),
                Ok(read) => missing.arrived(read, buffer)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(None),
                Err(error) => return Err(error).naming("read an answer"),
            }
            if matches!(missing, Missing::Bytes(0)) {
                self.answered = Instant::now();
                let seconds = (self.answered - *since).as_secs_f64();
                self.waiting = None;
                return Ok(Some(seconds));
            }
        }
    }
}

impl Missing {
    /// How many bytes came. Of a head they are in the buffer; a body is only counted, and what follows it is left alone.
    fn take(&self, stream: &TcpStream, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Head(_) => (&*stream).read(&mut buffer[..HEAD]),
            Self::Bytes(count) => {
                let most = buffer.len().min(*count);
                Ok(recv(stream, &mut buffer[..most], DROPPED)?.1)
            }
        }
    }

    fn arrived(&mut self, read: usize, buffer: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Bytes(count) => *count = count.saturating_sub(read),
            Self::Head(head) => {
                head.extend_from_slice(&buffer[..read]);
                if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
                    let length = announced(&head[..end])?;
                    *self = Self::Bytes((end + 4 + length).saturating_sub(head.len()));
                }
            }
        }
        Ok(())
    }
}

fn announced(head: &[u8]) -> Result<usize, Failure> {
    let head = String::from_utf8_lossy(head);
    let length = |line: &str| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    };
    match head.lines().find_map(length) {
        Some(length) if head.starts_with("HTTP/1.1 200") => Ok(length),
        _ => Err(Failure::check(format!("not the answer that was asked for: {head}"))),
    }
}

/// Of sorted values.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(place.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn percentiles_are_values_that_were_seen() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((percentile(&values, 0.5), percentile(&values, 0.99)), (100.0, 198.0));
        assert!(percentile(&[], 0.5).is_nan());
    }

    /// A server for one connection, whose first answer takes so long; answers come in two pieces.
    fn server(first: Duration) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 1024];
            for number in 0.. {
                if stream.read(&mut buffer).unwrap_or(0) == 0 {
                    return;
                }
                thread::sleep(if number == 0 { first } else { Duration::ZERO });
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Le");
                let _ = stream.write_all(b"ngth: 2\r\n\r\nhi");
            }
        });
        host
    }

    #[test]
    fn requests_that_this_client_slept_through_had_waited_for_the_server() {
        let host = server(Duration::ZERO);
        let target = Target { host: &host, path: "/", coding: "gzip" };
        let begun = Instant::now().checked_sub(Duration::from_millis(300)).unwrap();
        let schedule = Schedule { begun, apart: Duration::from_millis(30), seconds: 0.6 };
        let waited = ask_in_turn(target, schedule, &[begun]).unwrap();
        // Ten of twenty lie behind it; the last of these is asked now.
        assert!(waited.len() <= 11, "{waited:?}");
    }

    #[test]
    fn who_waits_behind_a_slow_answer_has_waited_since_its_moment() {
        // As long as ten requests are apart.
        let host = server(Duration::from_millis(300));
        let target = Target { host: &host, path: "/", coding: "gzip" };
        let begun = Instant::now();
        let schedule = Schedule { begun, apart: Duration::from_millis(30), seconds: 0.3 };
        let waited = ask_in_turn(target, schedule, &[begun]).unwrap();
        // Eight of ten are counted; the first of them had its moment 60 ms after the slow one.
        assert_eq!(waited.len(), 8, "{waited:?}");
        assert!(waited[0] >= 0.2, "{waited:?}");
    }

    #[test]
    fn an_error_is_no_answer() {
        assert!(announced(b"HTTP/1.1 503 Busy\r\ncontent-length: 0").is_err());
        assert_eq!(announced(b"HTTP/1.1 200 OK\r\nContent-Length: 42").unwrap(), 42);
    }
}
