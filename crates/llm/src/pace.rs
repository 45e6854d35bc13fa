//! How many calls an endpoint bears at once. Nobody says; so it is found out: quickly up, carefully on, and half as many when it is too much.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::sync::Notify;

const FIRST: f64 = 2.0;
const MOST: f64 = 16.0;

/// Admits calls to one endpoint.
#[derive(Debug)]
pub(crate) struct Pace {
    state: Mutex<State>,
    freed: Notify,
}

#[derive(Debug)]
struct State {
    limit: f64,
    /// Below it the limit grows with every good answer; above it with every round of them.
    careful_from: f64,
    under_way: usize,
}

impl Pace {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::new(State { limit: FIRST, careful_from: MOST, under_way: 0 }), freed: Notify::new() }
    }

    /// Waits for a place.
    pub(crate) async fn enter(&self) -> Place<'_> {
        loop {
            let freed = self.freed.notified();
            tokio::pin!(freed);
            freed.as_mut().enable();
            {
                let mut state = self.locked();
                if state.under_way < state.limit as usize {
                    state.under_way += 1;
                    return Place { pace: self };
                }
            }
            freed.await;
        }
    }

    /// How many calls are admitted at once.
    #[cfg(test)]
    pub(crate) fn limit(&self) -> usize {
        self.locked().limit as usize
    }

    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A place among the calls under way; it is free again when dropped.
#[derive(Debug)]
pub(crate) struct Place<'a> {
    pace: &'a Pace,
}

impl Place<'_> {
    /// The endpoint answered.
    pub(crate) fn answered(&self) {
        let mut state = self.pace.locked();
        let step = if state.limit < state.careful_from { 1.0 } else { 1.0 / state.limit };
        state.limit = (state.limit + step).min(MOST);
    }

    /// The endpoint had too much to do.
    pub(crate) fn overloaded(&self) {
        let mut state = self.pace.locked();
        state.limit = (state.limit / 2.0).max(1.0);
        state.careful_from = state.limit;
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.pace.locked().under_way -= 1;
        self.pace.freed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(pace: &Pace, times: usize) {
        for _ in 0..times {
            pace.enter().await.answered();
        }
    }

    #[tokio::test]
    async fn it_starts_small_grows_with_every_answer_and_has_a_ceiling() {
        let pace = Pace::new();
        assert_eq!(pace.limit(), 2);
        answer(&pace, 3).await;
        assert_eq!(pace.limit(), 5);
        answer(&pace, 100).await;
        assert_eq!(pace.limit(), 16);
    }

    #[tokio::test]
    async fn overload_halves_it_and_from_there_it_grows_by_one_a_round() {
        let pace = Pace::new();
        answer(&pace, 6).await;
        assert_eq!(pace.limit(), 8);
        pace.enter().await.overloaded();
        assert_eq!(pace.limit(), 4);
        answer(&pace, 4).await;
        assert_eq!(pace.limit(), 4, "four answers at four at once are not quite one more");
        answer(&pace, 1).await;
        assert_eq!(pace.limit(), 5);
        for _ in 0..9 {
            pace.enter().await.overloaded();
        }
        assert_eq!(pace.limit(), 1, "one call may always be made");
    }

    #[tokio::test]
    async fn nobody_enters_beyond_the_limit_until_somebody_leaves() {
        let pace = std::sync::Arc::new(Pace::new());
        let (first, _second) = (pace.enter().await, pace.enter().await);
        let other = std::sync::Arc::clone(&pace);
        let third = tokio::spawn(async move { drop(other.enter().await) });
        tokio::task::yield_now().await;
        assert!(!third.is_finished());
        drop(first);
        third.await.unwrap();
    }
}
