//! Watching over the others: jobs whose worker gives no sign of life for a whole lease are put back.

use super::hold::{Ended, Ending, Held, running, settle};
use super::queue::{Queue, moment};
use crate::index::IndexError;
use crate::index::database::Row;
use jiff::Timestamp;
use std::collections::HashMap;
use std::hash::Hash;
use std::time::{Duration, Instant};

/// Rows of workers that are gone stay for this many leases, so that somebody can see them.
const LEASES_OF_A_WORKER: u32 = 10;

/// What one watcher has seen, and since when. It measures with a clock that never jumps, and compares nothing with anybody's clock.
#[derive(Debug)]
pub struct Watch {
    lease: Duration,
    looked: Option<Instant>,
    jobs: Seen<Held>,
    workers: Seen<String>,
}

#[derive(Debug)]
struct Seen<K>(HashMap<K, (i64, Instant)>);

impl<K: Hash + Eq + Clone> Seen<K> {
    /// Those that have had the same beat for longer than `patience`.
    fn silent(&mut self, now: Instant, present: &[(K, i64)], patience: Duration) -> Vec<(K, i64)> {
        let mut seen = HashMap::with_capacity(present.len());
        let mut silent = Vec::new();
        for (key, beat) in present {
            let since = match self.0.get(key) {
                Some((known, since)) if known == beat => *since,
                _ => now,
            };
            if now.duration_since(since) > patience {
                silent.push((key.clone(), *beat));
            }
            seen.insert(key.clone(), (*beat, since));
        }
        self.0 = seen;
        silent
    }
}

impl Watch {
    /// Watches; who is silent for `lease` is given up.
    pub fn new(lease: Duration) -> Self {
        Self { lease, looked: None, jobs: Seen(HashMap::new()), workers: Seen(HashMap::new()) }
    }

    /// Notes that it looks now, and says whether it had to begin anew because its last look is long ago. What held it up, such as a
    /// rebuild that keeps all writers waiting, most likely held up everybody, so that nobody could give a sign of life.
    fn begins_anew(&mut self, now: Instant) -> bool {
        let was_held_up = self.looked.is_some_and(|last| now.duration_since(last) > self.lease / 2);
        if was_held_up {
            *self = Self::new(self.lease);
        }
        self.looked = Some(now);
        was_held_up
    }
}

impl Queue {
    /// Puts back the jobs of workers that have gone silent, and says which. Call it often.
    pub async fn put_back_orphans(&self, watch: &mut Watch, tries: i64) -> Result<Vec<String>, IndexError> {
        watch.begins_anew(Instant::now());
        let present = running(self).await?;
        let silent = watch.jobs.silent(Instant::now(), &present, watch.lease);
        let read = |mut row: Row| Ok((row.text()?, row.integer()?));
        let workers = self.index.database.query("SELECT worker, beat FROM workers", Vec::new()).await?;
        let workers = workers.into_iter().map(read).collect::<Result<Vec<_>, IndexError>>()?;
        let gone = watch.workers.silent(Instant::now(), &workers, watch.lease * LEASES_OF_A_WORKER);
        if silent.is_empty() && gone.is_empty() {
            return Ok(Vec::new());
        }
        let mut session = self.index.database.begin().await?;
        if watch.begins_anew(Instant::now()) {
            return Ok(Vec::new());
        }
        let now = moment(Timestamp::now());
        let mut put_back = Vec::new();
        for (held, beat) in silent {
            let sql = "SELECT failures, cancel_asked FROM jobs WHERE job = $1 AND attempt = $2 AND beat = $3 AND state = 'running'";
            let cells = vec![(&held.job).into(), held.attempt.into(), beat.into()];
            let Some(mut row) = session.query(sql, cells).await?.into_iter().next() else { continue };
            let ending = Ending::Again("its worker gave no sign of life".to_owned());
            let ended = Ended::of(&ending, row.integer()?, row.integer()? != 0, tries);
            settle(&mut *session, &held.job, &ended, 0, &now).await?;
            put_back.push(held.job);
        }
        for (worker, beat) in gone {
            let sql = "DELETE FROM workers WHERE worker = $1 AND beat = $2";
            session.execute(sql, vec![worker.into(), beat.into()]).await?;
        }
        session.commit().await?;
        Ok(put_back)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_who_is_silent_for_a_whole_lease_is_given_up() {
        let lease = Duration::from_secs(10);
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut seen = Seen(HashMap::new());
        assert!(seen.silent(begun, &[("a", 1), ("b", 1)], lease).is_empty());
        assert!(seen.silent(after(9), &[("a", 1), ("b", 2)], lease).is_empty());
        assert_eq!(seen.silent(after(11), &[("a", 1), ("b", 2)], lease), [("a", 1)]);
        assert!(seen.silent(after(18), &[("b", 2)], lease).is_empty());
        // Gone and back: what was seen before counts no more.
        assert!(seen.silent(after(40), &[("a", 1)], lease).is_empty());
    }

    #[test]
    fn who_was_held_up_for_half_a_lease_begins_to_watch_anew() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut watch = Watch::new(Duration::from_secs(10));
        let held = Held { job: "j".to_owned(), attempt: 1 };
        let mut look = |seconds| {
            let anew = watch.begins_anew(after(seconds));
            (anew, watch.jobs.silent(after(seconds), &[(held.clone(), 7)], watch.lease).len())
        };
        assert_eq!([0, 5, 10].map(&mut look), [(false, 0); 3]);
        // The beat has not changed for longer than a lease, but nobody could beat.
        assert_eq!(look(16), (true, 0));
        assert_eq!([21, 26].map(&mut look), [(false, 0); 2]);
        assert_eq!(look(27), (false, 1));
    }
}
