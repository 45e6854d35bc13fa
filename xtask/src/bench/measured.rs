//! What is measured, and what one run of one system took.

use super::memory::Watched;
use crate::failure::Failure;
use crate::json::Json;
use crate::verdict::median;
use std::path::Path;

/// What both systems are asked to score.
#[derive(Clone, Copy)]
pub(crate) struct Job<'a> {
    pub url: &'a str,
    /// Lower-case ids, comma-separated.
    pub scorers: &'a str,
    /// In the peer's format, which is also one of ours; named after its id.
    pub prompt: &'a Path,
    pub source: Option<&'a Path>,
    pub accounts: Option<&'a Accounts>,
}

/// Two test accounts, each with e-mail address and password.
pub(crate) struct Accounts {
    pub a: (&'static str, &'static str),
    pub b: (&'static str, &'static str),
}

impl Accounts {
    /// As YAML, each line moved in by so many blanks.
    pub fn yaml(&self, indent: usize) -> String {
        let blanks = " ".repeat(indent);
        let user = |name: &str, (email, password): (&str, &str)| {
            format!("{blanks}{name}: {{ email: {email}, password: {password} }}\n")
        };
        user("user_a", self.a) + &user("user_b", self.b)
    }
}

/// One run of one system.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub wall_seconds: f64,
    pub lighthouse_seconds: Option<f64>,
    pub lighthouse_runs: usize,
    pub own_peak_mb: f64,
    pub with_node_peak_mb: f64,
    pub scores: Json,
}

impl Measured {
    /// `score_of` tells the score of an id, where there is one.
    pub fn new(watched: &Watched, scorers: &str, score_of: impl Fn(&str) -> Option<f64>) -> Self {
        let scores =
            scorers.split(',').map(|id| (id.to_owned(), score_of(id).map_or(Json::Null, Json::Number))).collect();
        Self {
            wall_seconds: watched.seconds,
            lighthouse_seconds: None,
            lighthouse_runs: 0,
            own_peak_mb: watched.own_peak_mb,
            with_node_peak_mb: watched.with_node_peak_mb,
            scores: Json::Object(scores),
        }
    }

    /// Wall time minus the sum of the Lighthouse runs.
    pub fn outside_lighthouse(&self) -> Option<f64> {
        self.lighthouse_seconds.map(|seconds| self.wall_seconds - seconds)
    }

    pub fn to_json(&self) -> Json {
        Json::object([
            ("wall_seconds", self.wall_seconds.into()),
            ("lighthouse_seconds", optional(self.lighthouse_seconds)),
            ("lighthouse_runs", self.lighthouse_runs.into()),
            ("outside_lighthouse_seconds", optional(self.outside_lighthouse())),
            ("own_peak_mb", self.own_peak_mb.into()),
            ("with_node_peak_mb", self.with_node_peak_mb.into()),
            ("scores", self.scores.clone()),
        ])
    }

    /// The scorers that came to no score.
    fn unscored(&self) -> String {
        let Json::Object(scores) = &self.scores else { return String::new() };
        let ids: Vec<_> = scores.iter().filter(|(_, score)| **score == Json::Null).map(|(id, _)| id.as_str()).collect();
        if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
    }
}

pub(crate) fn optional(value: Option<f64>) -> Json {
    value.map_or(Json::Null, Json::from)
}

/// One run of each system, close together in time.
pub(crate) struct Pair {
    pub ours: Measured,
    pub peer: Measured,
}

impl Pair {
    pub fn to_json(&self) -> Json {
        Json::object([("ours", self.ours.to_json()), ("peer", self.peer.to_json())])
    }
}

/// Ratios are taken within each pair and then the median over pairs, so that a slow minute hits both sides.
pub(crate) fn ratio(pairs: &[Pair], of: impl Fn(&Pair) -> Option<f64>) -> Option<f64> {
    median(pairs.iter().filter_map(of).collect())
}

pub(crate) fn wall_ratio(pairs: &[Pair]) -> Option<f64> {
    ratio(pairs, |pair| Some(pair.ours.wall_seconds / pair.peer.wall_seconds))
}

pub(crate) fn most(pairs: &[Pair], of: impl Fn(&Pair) -> f64) -> Option<f64> {
    pairs.iter().map(of).reduce(f64::max)
}

/// Which scorers had nothing to say, on either side: a run that gives up early is quick.
pub(crate) fn unscored(pairs: &[Pair]) -> String {
    let Some(pair) = pairs.first() else { return String::new() };
    format!("Without a score: ours {}; the peer's {}.", pair.ours.unscored(), pair.peer.unscored())
}

/// Runs two things in turn, the order turned round each time, so that neither always runs on the warmer machine.
pub(crate) fn alternate<A, B>(
    pairs: usize,
    mut one: impl FnMut() -> Result<A, Failure>,
    mut other: impl FnMut() -> Result<B, Failure>,
    say: impl Fn(usize, &A, &B),
) -> Result<Vec<(A, B)>, Failure> {
    let mut measured = Vec::new();
    for number in 0..pairs {
        let (first, second) = if number % 2 == 0 {
            let first = one()?;
            (first, other()?)
        } else {
            let second = other()?;
            (one()?, second)
        };
        say(number + 1, &first, &second);
        measured.push((first, second));
    }
    Ok(measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn run(wall: f64, lighthouse: Option<f64>) -> Measured {
        Measured {
            wall_seconds: wall,
            lighthouse_seconds: lighthouse,
            lighthouse_runs: 3,
            own_peak_mb: wall,
            with_node_peak_mb: wall,
            scores: Json::parse(r#"{"c3": 0.5, "s3": null}"#).unwrap(),
        }
    }

    fn pair(ours: f64) -> Pair {
        Pair { ours: run(ours, Some(ours - 3.0)), peer: run(40.0, None) }
    }

    #[test]
    fn ratios_are_medians_over_pairs_and_what_was_not_measured_is_no_ratio() {
        let pairs = [pair(20.0), pair(80.0), pair(24.0)];
        assert_eq!(wall_ratio(&pairs), Some(0.6));
        assert_eq!(most(&pairs, |pair| pair.ours.own_peak_mb), Some(80.0));
        let outside = |pair: &Pair| Some(pair.ours.outside_lighthouse()? / pair.peer.outside_lighthouse()?);
        assert_eq!(ratio(&pairs, outside), None);
        assert_eq!(unscored(&pairs), "Without a score: ours s3; the peer's s3.");
    }

    #[test]
    fn the_order_turns_round() {
        let order = RefCell::new(String::new());
        let note = |letter: char| {
            order.borrow_mut().push(letter);
            Ok(letter)
        };
        let pairs = alternate(3, || note('a'), || note('b'), |_, _, _| {}).unwrap();
        assert_eq!(order.into_inner(), "abbaab");
        assert_eq!(pairs, [('a', 'b'); 3]);
    }

    #[test]
    fn accounts_are_written_as_both_systems_read_them() {
        let accounts = Accounts { a: ("a@x.test", "one-1"), b: ("b@x.test", "two-2") };
        assert!(accounts.yaml(2).starts_with("  user_a: { email: a@x.test, password: one-1 }\n  user_b:"));
    }
}
