//! How often somebody may ask. Who asks is a keyed hash of an address, with a key that lives for a day and is written nowhere.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

const KEY_LIVES: Duration = Duration::from_hours(24);
/// Addresses remembered at once. Those that have not asked for long are forgotten first.
const MOST_ADDRESSES: usize = 100_000;

/// So many at once, and so many in an hour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// At once.
    pub burst: f64,
    /// Within an hour.
    pub per_hour: f64,
}

impl Rate {
    /// So many in an hour, a quarter of them at once.
    pub fn per_hour(count: u32) -> Self {
        Self { burst: (f64::from(count) / 4.0).max(1.0), per_hour: f64::from(count) }
    }
}

/// Lets everybody through as often as a rate allows.
pub struct Door {
    rate: Rate,
    inside: Mutex<Inside>,
}

struct Inside {
    hasher: RandomState,
    since: Instant,
    buckets: HashMap<u64, Bucket>,
}

/// Empties as somebody asks, and fills again with time.
#[derive(Clone, Copy)]
struct Bucket {
    left: f64,
    seen: Instant,
}

impl Door {
    /// A door with a rate.
    pub fn new(rate: Rate, now: Instant) -> Self {
        Self { rate, inside: Mutex::new(Inside { hasher: RandomState::new(), since: now, buckets: HashMap::new() }) }
    }

    /// Whether somebody may pass.
    pub fn passes(&self, address: IpAddr, now: Instant) -> bool {
        // A thread that panicked inside has left nothing half done.
        let mut inside = self.inside.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if now.duration_since(inside.since) >= KEY_LIVES {
            *inside = Inside { hasher: RandomState::new(), since: now, buckets: HashMap::new() };
        }
        if inside.buckets.len() >= MOST_ADDRESSES {
            self.forget(&mut inside, now);
        }
        let who = inside.hasher.hash_one(network(address));
        let bucket = inside.buckets.entry(who).or_insert(Bucket { left: self.rate.burst, seen: now });
        bucket.left = self.refilled(*bucket, now);
        bucket.seen = now;
        let passes = bucket.left >= 1.0;
        if passes {
            bucket.left -= 1.0;
        }
        passes
    }

    fn refilled(&self, bucket: Bucket, now: Instant) -> f64 {
        let hours = now.duration_since(bucket.seen).as_secs_f64() / 3600.0;
        (bucket.left + hours * self.rate.per_hour).min(self.rate.burst)
    }

    /// Whoever's bucket is full again need not be remembered. If that is nobody, all are forgotten rather than nobody let in.
    fn forget(&self, inside: &mut Inside, now: Instant) {
        inside.buckets.retain(|_, bucket| self.refilled(*bucket, now) < self.rate.burst);
        if inside.buckets.len() >= MOST_ADDRESSES {
            inside.buckets.clear();
        }
    }
}

/// What one subscriber usually has: an address, or a /64 of IPv6.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
        v4 @ IpAddr::V4(_) => v4,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_burst_passes_then_nobody_until_time_has_passed() {
        let begun = Instant::now();
        let door = Door::new(Rate { burst: 3.0, per_hour: 60.0 }, begun);
        let passed = (0..5).filter(|_| door.passes(at("192.0.2.1"), begun)).count();
        assert_eq!(passed, 3);
        assert!(door.passes(at("192.0.2.2"), begun), "others are not held up");
        let later = begun + Duration::from_secs(61);
        assert!(door.passes(at("192.0.2.1"), later) && !door.passes(at("192.0.2.1"), later));
    }

    #[test]
    fn neighbours_in_one_network_of_ipv6_are_one() {
        let begun = Instant::now();
        let door = Door::new(Rate { burst: 1.0, per_hour: 1.0 }, begun);
        assert!(door.passes(at("2001:db8::1"), begun));
        assert!(!door.passes(at("2001:db8::ffff"), begun));
        assert!(door.passes(at("2001:db8:0:1::1"), begun));
        assert!(door.passes(at("::ffff:192.0.2.1"), begun) && !door.passes(at("192.0.2.1"), begun));
    }

    #[test]
    fn after_a_day_nobody_is_remembered() {
        let begun = Instant::now();
        let door = Door::new(Rate { burst: 1.0, per_hour: 0.0 }, begun);
        assert!(door.passes(at("192.0.2.1"), begun));
        assert!(!door.passes(at("192.0.2.1"), begun + Duration::from_hours(23)));
        assert!(door.passes(at("192.0.2.1"), begun + KEY_LIVES));
    }

    #[test]
    fn memory_is_bounded() {
        let begun = Instant::now();
        let door = Door::new(Rate { burst: 1.0, per_hour: 1.0 }, begun);
        for number in 0..MOST_ADDRESSES as u32 + 10 {
            door.passes(IpAddr::from(number.to_be_bytes()), begun);
        }
        assert!(door.inside.lock().unwrap().buckets.len() <= MOST_ADDRESSES);
    }
}
