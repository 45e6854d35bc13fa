//! The deterministic scorers, bit for bit the same every time.

use super::{difference, score, verdicts};
use crate::failure::Failure;
use crate::json::Json;
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) struct Repeated {
    pub first: Json,
    pub differing: Vec<String>,
    /// The longest of the undisturbed runs: kills are spread over this time.
    pub longest: Duration,
    count: usize,
}

impl Repeated {
    pub fn to_json(&self) -> Json {
        Json::object([
            ("count", self.count.into()),
            ("differing", self.differing.clone().into()),
            ("longest_seconds", self.longest.as_secs_f64().into()),
        ])
    }
}

pub(crate) fn run(count: usize, url: &str, scratch: &Path) -> Result<Repeated, Failure> {
    let mut repeated = Repeated { first: Json::Null, differing: Vec::new(), longest: Duration::ZERO, count };
    for number in 0..count {
        let out = scratch.join(format!("repeat-{number}"));
        let started = Instant::now();
        score(url, &out, scratch).run()?;
        repeated.longest = repeated.longest.max(started.elapsed());
        let said = verdicts(&Json::read(&out.join("report.json"))?)?;
        let _ = std::fs::remove_dir_all(&out);
        if number == 0 {
            repeated.first = said;
        } else if let Some(place) = difference(&repeated.first, &said, "") {
            println!("soak: repeat {} differs at {place}", number + 1);
            repeated.differing.push(place);
        }
    }
    println!("soak: {count} repeats, {} differ from the first", repeated.differing.len());
    Ok(repeated)
}
