//! Puts a trajectory together, event by event, whichever form it is read from.

use super::{Call, Category, Counter, MAX_EVENTS, MAX_NAME_BYTES, MAX_NAMES, Response, Trajectory, TrajectoryError};
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;

/// What is wrong with an event.
pub(super) type Wrong = &'static str;

/// A trajectory in the making.
pub(super) struct Tape {
    made: Trajectory,
    /// When each call was made; shares of time can only be told at the end.
    moments: Vec<Timestamp>,
    span: Option<(Timestamp, Timestamp)>,
    agent: Option<(Timestamp, Timestamp)>,
}

impl Tape {
    pub fn new() -> Self {
        let made = Trajectory {
            events: 0,
            first_timestamp: String::new(),
            last_timestamp: String::new(),
            seconds: 0.0,
            calls: Vec::new(),
            actions: BTreeMap::new(),
            observations: BTreeMap::new(),
            edit_views: 0,
            edit_writes: 0,
            invalid_calls: 0,
            error_observations: 0,
            failed_commands: 0,
            browser_errors: 0,
            responses: Vec::new(),
            counter: None,
            finished: false,
        };
        Self { made, moments: Vec::new(), span: None, agent: None }
    }

    /// The trajectory so far, for the counts that only one form knows how to make.
    pub fn made(&mut self) -> &mut Trajectory {
        &mut self.made
    }

    pub fn number(&self) -> usize {
        self.made.events
    }

    /// Begins the next event.
    pub fn event(&mut self, timestamp: &str) -> Result<Timestamp, Wrong> {
        self.made.events += 1;
        if self.made.events > MAX_EVENTS {
            return Err("there are more events than can be read");
        }
        let at = moment(timestamp).ok_or("its time cannot be read")?;
        if self.span.is_none() {
            timestamp.clone_into(&mut self.made.first_timestamp);
        }
        timestamp.clone_into(&mut self.made.last_timestamp);
        self.span = Some((self.span.map_or(at, |(first, _)| first), at));
        Ok(at)
    }

    /// The agent did something.
    pub fn agent_acts(&mut self, at: Timestamp) {
        self.agent = Some((self.agent.map_or(at, |(first, _)| first), at));
    }

    pub fn action(&mut self, name: &str) -> Result<(), Wrong> {
        count(&mut self.made.actions, name)
    }

    pub fn observation(&mut self, name: &str) -> Result<(), Wrong> {
        count(&mut self.made.observations, name)
    }

    pub fn call(&mut self, at: Timestamp, tool: &str) -> Result<(), Wrong> {
        if tool.len() > MAX_NAME_BYTES {
            return Err("the name of its tool is too long");
        }
        self.made.calls.push(Call { tool: tool.to_owned(), category: Category::of(tool), at: 0.0 });
        self.moments.push(at);
        Ok(())
    }

    pub fn response(&mut self, response: Response) {
        self.made.responses.push(response);
    }

    /// Keeps the counter that counted most.
    pub fn counter(&mut self, counter: Counter) {
        let cost = |counter: &Counter| counter.cost_usd.unwrap_or(-1.0);
        if self.made.counter.as_ref().is_none_or(|kept| cost(kept) <= cost(&counter)) {
            self.made.counter = Some(counter);
        }
    }

    pub fn finish(mut self) -> Result<Trajectory, TrajectoryError> {
        let (first, last) = self.span.ok_or(TrajectoryError::Empty)?;
        self.made.seconds = last.duration_since(first).as_secs_f64().max(0.0);
        let share = self.agent.map(|(first, last)| (first, last.duration_since(first)));
        for (call, at) in self.made.calls.iter_mut().zip(&self.moments) {
            call.at = share.map_or(0.0, |(first, whole)| ratio(at.duration_since(first), whole));
        }
        Ok(self.made)
    }
}

/// The part of a whole, from 0 to 1 even when events stand out of order; 0 of nothing.
fn ratio(part: SignedDuration, whole: SignedDuration) -> f64 {
    if whole > SignedDuration::ZERO { (part.as_secs_f64() / whole.as_secs_f64()).clamp(0.0, 1.0) } else { 0.0 }
}

/// A time with its offset, or without any, as OpenHands writes it.
fn moment(text: &str) -> Option<Timestamp> {
    if text.len() > MAX_NAME_BYTES {
        return None;
    }
    text.parse().ok().or_else(|| TimeZone::UTC.to_timestamp(text.parse::<DateTime>().ok()?).ok())
}

fn count(names: &mut BTreeMap<String, u64>, name: &str) -> Result<(), Wrong> {
    if let Some(count) = names.get_mut(name) {
        *count += 1;
        return Ok(());
    }
    if name.len() > MAX_NAME_BYTES || names.len() == MAX_NAMES {
        return Err("its kind has too long a name, or there are too many kinds");
    }
    names.insert(name.to_owned(), 1);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_offset() {
        let plain = moment("2026-02-26T04:49:17.800808").unwrap();
        assert_eq!(moment("2026-02-26T05:49:17.800808+01:00"), Some(plain));
        assert_eq!(moment("2026-02-26T04:49:17.800808Z"), Some(plain));
        assert_eq!(moment("yesterday"), None);
        assert_eq!(moment(&"2".repeat(1_000_000)), None);
    }

    #[test]
    fn events_out_of_order_give_no_negative_times() {
        let mut tape = Tape::new();
        for second in [30, 10, 20] {
            let at = tape.event(&format!("2026-01-01T00:00:{second}")).unwrap();
            tape.agent_acts(at);
            tape.call(at, "browser").unwrap();
        }
        let made = tape.finish().unwrap();
        assert_eq!(made.seconds, 0.0);
        assert!(made.calls.iter().all(|call| (0.0..=1.0).contains(&call.at)));
    }

    #[test]
    fn names_without_end_are_refused() {
        let mut names = BTreeMap::new();
        for number in 0..MAX_NAMES {
            count(&mut names, &number.to_string()).unwrap();
        }
        assert!(count(&mut names, "7").is_ok() && count(&mut names, "one more").is_err());
        assert!(count(&mut BTreeMap::new(), &"x".repeat(MAX_NAME_BYTES + 1)).is_err());
    }
}
