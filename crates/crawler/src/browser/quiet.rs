//! A page is loaded when the load event, first paint and all but two requests have been over for long enough.

use std::time::Duration;
use tokio::time::Instant;

/// Open requests that do not delay a load: streams, polling.
const MAX_OPEN_REQUESTS: usize = 2;

/// A loaded page that paints nothing is not waited for longer.
const PAINT_LIMIT: Duration = Duration::from_secs(15);

#[derive(Debug, Default)]
pub struct Quiet {
    loaded: Option<Instant>,
    painted: Option<Instant>,
    network: Option<Instant>,
}

impl Quiet {
    pub fn restart(&mut self) {
        *self = Self::default();
    }

    pub fn loaded(&mut self, now: Instant) {
        self.loaded.get_or_insert(now);
    }

    pub fn painted(&mut self, now: Instant) {
        self.painted.get_or_insert(now);
    }

    pub fn requests(&mut self, under_way: usize, now: Instant) {
        if under_way > MAX_OPEN_REQUESTS {
            self.network = None;
        } else {
            self.network.get_or_insert(now);
        }
    }

    pub fn has_lasted(&self, long_enough: Duration, now: Instant) -> bool {
        let over = |since: Option<Instant>| since.is_some_and(|it| now - it >= long_enough);
        let unpainted = self
            .loaded
            .is_some_and(|it| self.painted.is_none() && now - it >= PAINT_LIMIT);
        over(self.loaded) && over(self.network) && (over(self.painted) || unpainted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(5);

    fn after(begin: Instant, seconds: u64) -> Instant {
        begin + Duration::from_secs(seconds)
    }

    #[tokio::test(start_paused = true)]
    async fn load_paint_and_requests_must_all_be_over() {
        let begin = Instant::now();
        let mut quiet = Quiet::default();
        quiet.requests(0, begin);
        quiet.painted(begin);
        assert!(!quiet.has_lasted(LONG, after(begin, 60)));
        quiet.loaded(after(begin, 1));
        assert!(!quiet.has_lasted(LONG, after(begin, 5)));
        assert!(quiet.has_lasted(LONG, after(begin, 6)));
        quiet.requests(3, after(begin, 6));
        assert!(!quiet.has_lasted(LONG, after(begin, 20)));
        quiet.requests(2, after(begin, 20));
        assert!(quiet.has_lasted(LONG, after(begin, 25)));
        quiet.restart();
        assert!(!quiet.has_lasted(LONG, after(begin, 60)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_page_without_paint_is_quiet_after_the_limit() {
        let begin = Instant::now();
        let mut quiet = Quiet::default();
        quiet.requests(0, begin);
        quiet.loaded(begin);
        assert!(!quiet.has_lasted(LONG, after(begin, 14)));
        assert!(quiet.has_lasted(LONG, after(begin, 15)));
    }
}
