//! Clients that ask for one page again and again: as often as they can, or at a rate.

mod steady;

pub(super) use steady::{Steady, steady};

use crate::call::{Call, find_program};
use crate::failure::Failure;
use crate::setup;

/// Connections of either client.
pub(super) const CONNECTIONS: usize = 64;

/// What is asked.
#[derive(Clone, Copy)]
pub(super) struct Target<'a> {
    pub host: &'a str,
    pub path: &'a str,
    /// The value of `Accept-Encoding`.
    pub coding: &'a str,
}

/// What wrk saw.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Fastest {
    pub per_second: f64,
    pub p99_ms: f64,
}

pub(super) fn install() -> Result<(), Failure> {
    setup::debian_package("wrk", "wrk")
}

/// As often as it goes, for so many seconds.
pub(super) fn fastest(target: Target<'_>, seconds: usize) -> Result<Fastest, Failure> {
    let wrk = find_program(&["wrk"]).ok_or_else(|| Failure::environment("wrk is missing"))?;
    let said = Call::new(wrk)
        .words(&format!("--threads 2 --connections {CONNECTIONS} --duration {seconds}s --latency"))
        .arg("--header")
        .arg(format!("accept-encoding: {}", target.coding))
        .arg(format!("http://{}{}", target.host, target.path))
        .text()?;
    parse(&said).ok_or_else(|| Failure::check(format!("wrk was not content:\n{said}")))
}

/// Nothing where an answer was missing or not what was asked for.
fn parse(said: &str) -> Option<Fastest> {
    if said.contains("Socket errors") || said.contains("Non-2xx") {
        return None;
    }
    let after = |name: &str| said.lines().find_map(|line| line.trim().strip_prefix(name)).map(str::trim);
    Some(Fastest { per_second: after("Requests/sec:")?.parse().ok()?, p99_ms: milliseconds(after("99%")?)? })
}

/// `3.40ms`, `812.00us` or `1.02s`.
fn milliseconds(text: &str) -> Option<f64> {
    let unit = [("us", 0.001), ("ms", 1.0), ("s", 1000.0)].into_iter().find(|(unit, _)| text.ends_with(unit))?;
    text.strip_suffix(unit.0)?.parse::<f64>().ok().map(|number| number * unit.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAID: &str = "Running 5s test @ http://127.0.0.1:1/\n  2 threads and 64 connections\n  Latency Distribution\n     50%  675.00us\n     \
                        99%    3.40ms\n  431221 requests in 5.00s, 15.1GB read\nRequests/sec:  86244.11\nTransfer/sec:      3.02GB\n";

    #[test]
    fn the_rate_and_the_slow_end_are_read() {
        assert_eq!(parse(SAID), Some(Fastest { per_second: 86_244.11, p99_ms: 3.4 }));
        assert_eq!(milliseconds("812.00us"), Some(0.812));
        assert_eq!(milliseconds("1.02s"), Some(1020.0));
    }

    #[test]
    fn answers_that_went_wrong_are_no_measurement() {
        assert_eq!(parse(&format!("{SAID}  Non-2xx or 3xx responses: 4\n")), None);
        assert_eq!(parse(&format!("  Socket errors: connect 0, read 1\n{SAID}")), None);
        assert_eq!(parse(""), None);
    }
}
