//! When a failed call is made again, and after how long. Nothing else in the project repeats a call to a provider.

use std::time::{Duration, SystemTime};

/// How often and how patiently.
#[derive(Debug, Clone, PartialEq)]
pub struct Retry {
    /// Attempts in all.
    pub attempts: u32,
    /// Wait before the second; each further wait is twice as long.
    pub first_wait: Duration,
    /// The longest wait of our own choosing.
    pub longest_wait: Duration,
    /// The longest wait a provider may ask for.
    pub longest_asked: Duration,
    /// Spreads the waits of runs that failed together, the same way every time.
    pub seed: u64,
}

impl Default for Retry {
    fn default() -> Self {
        Self {
            attempts: 5,
            first_wait: Duration::from_secs(1),
            longest_wait: Duration::from_secs(20),
            longest_asked: Duration::from_mins(1),
            seed: 0,
        }
    }
}

impl Retry {
    /// As patient as the published evaluation: twenty retries, each after 15 to 120 seconds.
    pub fn patient() -> Self {
        Self {
            attempts: 21,
            // Half of it is the shortest wait.
            first_wait: Duration::from_secs(30),
            longest_wait: Duration::from_mins(2),
            longest_asked: Duration::from_mins(10),
            seed: 0,
        }
    }

    /// The wait after attempt number `attempt` (from 0): doubled each time, and between half and all of that.
    pub(crate) fn wait(&self, attempt: u32, salt: u64) -> Duration {
        let whole = self.first_wait.saturating_mul(1 << attempt.min(16)).min(self.longest_wait);
        let share = 0.5 + 0.5 * fraction(self.seed ^ salt.rotate_left(17) ^ u64::from(attempt));
        whole.mul_f64(share)
    }
}

/// Whether a status means "later", not "never".
pub(crate) fn is_worth_repeating(status: u16) -> bool {
    matches!(status, 408 | 409 | 425 | 429 | 500..=599)
}

/// Whether a status means that the endpoint has too much to do.
pub(crate) fn is_overload(status: u16) -> bool {
    matches!(status, 429 | 503 | 529)
}

/// What a `retry-after` header asks for: seconds, or a date.
pub(crate) fn asked_wait(value: &str, now: SystemTime) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// A number in 0..1 that follows from another (SplitMix64).
fn fraction(number: u64) -> f64 {
    let mut mixed = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_limit_and_are_spread_the_same_way_every_time() {
        let retry = Retry::default();
        for attempt in 0..12 {
            let whole = Duration::from_secs(1).saturating_mul(1 << attempt).min(retry.longest_wait);
            let wait = retry.wait(attempt, 7);
            assert!(wait >= whole / 2 && wait <= whole, "{attempt}: {wait:?}");
            assert_eq!(wait, retry.wait(attempt, 7));
        }
        assert_ne!(retry.wait(3, 7), retry.wait(3, 8), "two questions that failed together come back apart");
        assert_eq!(retry.wait(u32::MAX, 0), retry.wait(u32::MAX, 0));
    }

    #[test]
    fn patience_is_twenty_waits_of_fifteen_seconds_to_two_minutes() {
        let retry = Retry::patient();
        let waits: Vec<Duration> = (0..retry.attempts - 1).map(|attempt| retry.wait(attempt, 3)).collect();
        assert_eq!(waits.len(), 20);
        assert!(waits.iter().all(|wait| (15..=120).contains(&wait.as_secs())), "{waits:?}");
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        assert_eq!(asked_wait(" 7 ", now), Some(Duration::from_secs(7)));
        assert_eq!(asked_wait("0.5", now), Some(Duration::from_millis(500)));
        assert_eq!(asked_wait("Sun, 06 Nov 1994 08:49:47 GMT", now), Some(Duration::from_secs(10)));
        assert_eq!(asked_wait("Sun, 06 Nov 1994 08:00:00 GMT", now), Some(Duration::ZERO), "a date gone by");
        for nonsense in ["", "soon", "-3", "NaN", "1e300"] {
            assert_eq!(asked_wait(nonsense, now), None, "{nonsense}");
        }
    }

    #[test]
    fn only_what_may_pass_is_tried_again() {
        for status in [408, 409, 429, 500, 502, 503, 504, 529] {
            assert!(is_worth_repeating(status), "{status}");
        }
        for status in [400, 401, 402, 403, 404, 413, 422, 301, 302] {
            assert!(!is_worth_repeating(status), "{status}");
        }
    }
}
