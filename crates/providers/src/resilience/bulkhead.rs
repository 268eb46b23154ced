use std::sync::{Mutex, PoisonError};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Limits concurrent calls: halves on a rate limit, grows by one after as many successes as the limit (AIMD).
#[derive(Debug)]
pub(super) struct Bulkhead {
    permits: Semaphore,
    max_limit: usize,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    limit: usize,
    /// Permits to discard once their calls end.
    surplus: usize,
    successes: usize,
}

#[derive(Debug)]
pub(super) struct BulkheadPermit<'b> {
    bulkhead: &'b Bulkhead,
    permit: Option<SemaphorePermit<'b>>,
}

impl Bulkhead {
    pub(super) fn new(max_limit: usize) -> Self {
        let max_limit = max_limit.max(1);
        let state = State {
            limit: max_limit,
            surplus: 0,
            successes: 0,
        };
        Self {
            permits: Semaphore::new(max_limit),
            max_limit,
            state: Mutex::new(state),
        }
    }

    pub(super) async fn acquire(&self) -> BulkheadPermit<'_> {
        let permit = self
            .permits
            .acquire()
            .await
            .expect("the semaphore is never closed");
        BulkheadPermit {
            bulkhead: self,
            permit: Some(permit),
        }
    }

    pub(super) fn shrink(&self) {
        self.change(|state| {
            let limit = (state.limit / 2).max(1);
            state.surplus += state.limit - limit;
            state.limit = limit;
            state.successes = 0;
            state.surplus -= self.permits.forget_permits(state.surplus);
        });
    }

    pub(super) fn grow(&self) {
        self.change(|state| {
            state.successes += 1;
            if state.limit == self.max_limit || state.successes < state.limit {
                return;
            }
            state.successes = 0;
            state.limit += 1;
            if state.surplus > 0 {
                state.surplus -= 1;
            } else {
                self.permits.add_permits(1);
            }
        });
    }

    fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        change(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for BulkheadPermit<'_> {
    fn drop(&mut self) {
        let goes = self.bulkhead.change(|state| {
            let goes = state.surplus > 0;
            state.surplus -= usize::from(goes);
            goes
        });
        if let Some(permit) = self.permit.take().filter(|_| goes) {
            permit.forget();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn rate_limit_halves_the_permits_and_successes_restore_them() {
        let bulkhead = Bulkhead::new(4);
        let inside = [
            bulkhead.acquire().await,
            bulkhead.acquire().await,
            bulkhead.acquire().await,
        ];
        bulkhead.shrink();
        drop(inside);
        assert_eq!(bulkhead.permits.available_permits(), 2);
        for _ in 0..5 {
            bulkhead.grow();
        }
        assert_eq!(bulkhead.permits.available_permits(), 4);
        for _ in 0..50 {
            bulkhead.grow();
        }
        assert_eq!(bulkhead.permits.available_permits(), 4);
    }

    #[tokio::test]
    async fn one_permit_always_remains() {
        let bulkhead = Bulkhead::new(2);
        for _ in 0..5 {
            bulkhead.shrink();
        }
        assert_eq!(bulkhead.permits.available_permits(), 1);
        drop(bulkhead.acquire().await);
        assert_eq!(bulkhead.permits.available_permits(), 1);
    }
}
