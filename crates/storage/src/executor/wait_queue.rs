//! Who waits for a connection, and since when; reported by readiness and metrics.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// After the queue was empty for so long, a new waiter starts a fresh stall measurement.
const STALL_RESET: Duration = Duration::from_secs(1);

/// In the order of arrival.
#[derive(Debug, Default)]
pub struct WaitQueue(Mutex<QueueState>);

#[derive(Debug, Default)]
struct QueueState {
    last: u64,
    since: BTreeMap<u64, Instant>,
    /// Since when nothing has succeeded while a caller waited; outlives the waiters, which give up after seconds.
    stalled_since: Option<Instant>,
    left_at: Option<Instant>,
}

/// Leaves the queue when dropped.
pub struct Waiter<'l> {
    queue: &'l WaitQueue,
    number: u64,
}

impl WaitQueue {
    pub fn join(&self) -> Waiter<'_> {
        let (mut waiting, now) = (self.lock(), Instant::now());
        let is_new =
            waiting.since.is_empty() && waiting.left_at.is_none_or(|at| now - at > STALL_RESET);
        if is_new || waiting.stalled_since.is_none() {
            waiting.stalled_since = Some(now);
        }
        waiting.last += 1;
        let number = waiting.last;
        waiting.since.insert(number, now);
        Waiter {
            queue: self,
            number,
        }
    }

    /// Call it when a statement has succeeded.
    pub fn record_progress(&self) {
        let mut waiting = self.lock();
        waiting.stalled_since = (!waiting.since.is_empty()).then(Instant::now);
    }

    pub fn length(&self) -> usize {
        self.lock().since.len()
    }

    /// The longer of the first waiter's wait and the time without success while a caller waited.
    pub fn longest_wait(&self) -> Duration {
        let waiting = self.lock();
        let first = waiting.since.first_key_value().map(|(_, at)| *at);
        let stuck = waiting.stalled_since.filter(|_| first.is_some());
        let since = first.into_iter().chain(stuck).min();
        since.map_or(Duration::ZERO, |at| at.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Waiter<'_> {
    fn drop(&mut self) {
        let mut waiting = self.queue.lock();
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
    async fn longest_wait_is_that_of_the_first_waiter() {
        let line = WaitQueue::default();
        assert_eq!((line.length(), line.longest_wait()), (0, Duration::ZERO));
        let first = line.join();
        advance(PAUSE).await;
        let second = line.join();
        assert!(line.length() == 2 && line.longest_wait() >= PAUSE);
        drop(first);
        line.record_progress();
        assert!(line.length() == 1 && line.longest_wait() < PAUSE);
        drop(second);
        assert_eq!((line.length(), line.longest_wait()), (0, Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_stall_outlives_the_waiter_that_gave_up() {
        let line = WaitQueue::default();
        let first = line.join();
        advance(PAUSE).await;
        drop(first);
        let second = line.join();
        assert!(line.longest_wait() >= PAUSE);
        line.record_progress();
        assert!(line.longest_wait() < PAUSE);
        drop(second);
    }
}
