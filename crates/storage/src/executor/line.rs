//! Who waits for a connection, and since when; reported by readiness and metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After the queue was empty for so long, a new waiter starts a fresh stall measurement.
const FORGOTTEN: Duration = Duration::from_secs(1);

/// In the order of arrival.
#[derive(Debug, Default)]
pub struct Line(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    since: BTreeMap<u64, Instant>,
    /// Since when nothing has succeeded while somebody waited; outlives the waiters, which give up after seconds.
    stuck_since: Option<Instant>,
    left_at: Option<Instant>,
}

/// Leaves the queue when dropped.
pub struct Place<'l> {
    line: &'l Line,
    number: u64,
}

impl Line {
    pub fn enter(&self) -> Place<'_> {
        let (mut waiting, now) = (self.lock(), Instant::now());
        let is_new =
            waiting.since.is_empty() && waiting.left_at.is_none_or(|at| now - at > FORGOTTEN);
        if is_new || waiting.stuck_since.is_none() {
            waiting.stuck_since = Some(now);
        }
        waiting.last += 1;
        let number = waiting.last;
        waiting.since.insert(number, now);
        Place { line: self, number }
    }

    /// Call it when a statement has succeeded.
    pub fn moves(&self) {
        let mut waiting = self.lock();
        waiting.stuck_since = (!waiting.since.is_empty()).then(Instant::now);
    }

    pub fn length(&self) -> usize {
        self.lock().since.len()
    }

    /// The longer of the first waiter's wait and the time without success while somebody waited.
    pub fn age(&self) -> Duration {
        let waiting = self.lock();
        let first = waiting.since.first_key_value().map(|(_, at)| *at);
        let stuck = waiting.stuck_since.filter(|_| first.is_some());
        let since = first.into_iter().chain(stuck).min();
        since.map_or(Duration::ZERO, |at| at.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut waiting = self.line.lock();
        waiting.since.remove(&self.number);
        waiting.left_at = Some(Instant::now());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::time::advance;

    const PAUSE: Duration = Duration::from_millis(30);

    #[tokio::test(start_paused = true)]
    async fn the_age_is_that_of_the_first_who_still_waits_while_others_get_on() {
        let line = Line::default();
        assert_eq!((line.length(), line.age()), (0, Duration::ZERO));
        let first = line.enter();
        advance(PAUSE).await;
        let second = line.enter();
        assert!(line.length() == 2 && line.age() >= PAUSE);
        drop(first);
        line.moves();
        assert!(line.length() == 1 && line.age() < PAUSE);
        drop(second);
        assert_eq!((line.length(), line.age()), (0, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_follows_one_who_gave_up_waits_for_the_same_reason() {
        let line = Line::default();
        let first = line.enter();
        advance(PAUSE).await;
        drop(first);
        let second = line.enter();
        assert!(line.age() >= PAUSE);
        line.moves();
        assert!(line.age() < PAUSE);
        drop(second);
    }
}
