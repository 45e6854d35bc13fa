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
        Self { lease, jobs: Seen(HashMap::new()), workers: Seen(HashMap::new()) }
    }
}

impl Queue {
    /// Puts back the jobs of workers that have gone silent, and says which. Call it often.
    pub async fn put_back_orphans(&self, watch: &mut Watch, tries: i64) -> Result<Vec<String>, IndexError> {
        let present = running(self).await?;
        let silent = watch.jobs.silent(Instant::now(), &present, watch.lease);
        let read = |mut row: Row| Ok((row.text()?, row.integer()?));
        let workers = self.index.database.query("SELECT worker, beat FROM workers", Vec::new()).await?;
        let workers = workers.into_iter().map(read).collect::<Result<Vec<_>, IndexError>>()?;
        let gone = watch.workers.silent(Instant::now(), &workers, watch.lease * LEASES_OF_A_WORKER);
        if silent.is_empty() && gone.is_empty() {
            return Ok(Vec::new());
        }
        let asked = Instant::now();
        let mut session = self.index.database.begin().await?;
        if asked.elapsed() > watch.lease / 2 {
            // Somebody held up all writers, so nobody could give a sign of life either.
            *watch = Watch::new(watch.lease);
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
}
