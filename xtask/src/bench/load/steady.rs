//! Requests at a rate that does not depend on the answers.
//!
//! A client that waits for each answer before it sends the next request asks less while the server is slow, and so does not see what
//! people would who come meanwhile. Here every request has its moment. One that could not be sent then, because the answer before it was
//! still missing, has waited since its moment.

use super::{CONNECTIONS, Target};
use crate::failure::{Failure, Naming};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);
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
    let asked: Vec<Result<Vec<f64>, Failure>> = thread::scope(|scope| {
        let clients: Vec<_> = (0..CONNECTIONS)
            .map(|number| {
                let first = begun + Duration::from_secs_f64(number as f64 / per_second);
                scope.spawn(move || ask_in_turn(target, first, apart, seconds))
            })
            .collect();
        let ended = |_| Failure::check("a client ended early");
        clients.into_iter().map(|client| client.join().map_err(ended).and_then(|asked| asked)).collect()
    });
    let mut waited: Vec<f64> = asked.into_iter().collect::<Result<Vec<_>, _>>()?.concat();
    waited.sort_by(f64::total_cmp);
    let counted = seconds * (1.0 - NOT_COUNTED);
    Ok(Steady {
        per_second: waited.len() as f64 / counted,
        p50_ms: percentile(&waited, 0.5) * 1000.0,
        p99_ms: percentile(&waited, 0.99) * 1000.0,
    })
}

/// The seconds that one connection's requests waited for the end of their answers.
fn ask_in_turn(target: Target<'_>, first: Instant, apart: f64, seconds: f64) -> Result<Vec<f64>, Failure> {
    let mut stream = TcpStream::connect(target.host).naming("connect")?;
    stream.set_nodelay(true).and_then(|()| stream.set_read_timeout(Some(PATIENCE))).naming("connect")?;
    let Target { host, path, coding } = target;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {host}\r\naccept-encoding: {coding}\r\n\r\n");
    let mut buffer = vec![0; 256 * 1024];
    let mut waited = Vec::new();
    let mut answered = first;
    for number in 0.. {
        let at = f64::from(number) * apart;
        if at >= seconds {
            break;
        }
        let moment = first + Duration::from_secs_f64(at);
        let now = Instant::now();
        if moment > now {
            thread::sleep(moment - now);
        }
        // Waking up late is this client's fault; finding the connection busy is the server's.
        let since = if answered > moment { moment } else { Instant::now() };
        stream.write_all(request.as_bytes()).naming("ask")?;
        read_answer(&mut stream, &mut buffer)?;
        answered = Instant::now();
        if at >= seconds * NOT_COUNTED {
            waited.push((answered - since).as_secs_f64());
        }
    }
    Ok(waited)
}

/// Reads one answer to its end. Nothing follows it: the next request has not been sent.
fn read_answer(stream: &mut TcpStream, buffer: &mut [u8]) -> Result<(), Failure> {
    let mut used = 0;
    let (head, length) = loop {
        let read = stream.read(&mut buffer[used..]).naming("read an answer")?;
        used += read;
        if read == 0 {
            return Err(Failure::check("a connection was closed in the middle of an answer"));
        }
        if let Some(end) = buffer[..used].windows(4).position(|four| four == b"\r\n\r\n") {
            break (end + 4, announced(&buffer[..end])?);
        }
    };
    let mut missing = (head + length).saturating_sub(used);
    while missing > 0 {
        let read = stream.read(buffer).naming("read an answer")?;
        if read == 0 {
            return Err(Failure::check("a connection was closed in the middle of an answer"));
        }
        missing = missing.saturating_sub(read);
    }
    Ok(())
}

fn announced(head: &[u8]) -> Result<usize, Failure> {
    let head = String::from_utf8_lossy(head).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse().ok());
    match length {
        Some(length) if head.starts_with("http/1.1 200") => Ok(length),
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

    #[test]
    fn who_waits_behind_a_slow_answer_has_waited_since_its_moment() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let host = listener.local_addr().unwrap().to_string();
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut buffer = [0; 1024];
            for number in 0.. {
                if stream.read(&mut buffer).unwrap_or(0) == 0 {
                    return;
                }
                // The first answer takes as long as ten requests are apart.
                thread::sleep(Duration::from_millis(if number == 0 { 300 } else { 0 }));
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
            }
        });
        let target = Target { host: &host, path: "/", coding: "gzip" };
        let waited = ask_in_turn(target, Instant::now(), 0.03, 0.3).unwrap();
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
