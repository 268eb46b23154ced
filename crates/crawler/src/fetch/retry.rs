//! Asking again where that may help.

use super::{Answer, Fetcher, Want};
use crate::robots::RobotsCache;
use analysis::observation::web_site::FetchFailure;
use domain::kept_pages::Validators;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

impl Fetcher {
    /// Asks, and asks again after an answer that may have been bad luck.
    pub async fn ask_patiently(
        &self,
        url: &Url,
        want: Want,
        robots: Option<&RobotsCache>,
    ) -> Answer {
        self.patiently(url, want, None, robots).await
    }

    /// The same for a page of which an earlier version is kept: 304 where it did not change.
    pub async fn ask_whether_changed(
        &self,
        url: &Url,
        validators: &Validators,
        robots: Option<&RobotsCache>,
    ) -> Answer {
        self.patiently(url, Want::Html, Some(validators), robots)
            .await
    }

    async fn patiently(
        &self,
        url: &Url,
        want: Want,
        validators: Option<&Validators>,
        robots: Option<&RobotsCache>,
    ) -> Answer {
        let limits = &self.settings.limits;
        let mut pause = limits.retry_wait;
        let mut attempt = 1;
        loop {
            let mut answer = self.ask_if(url, want, validators, robots).await;
            answer.fetched.attempts = attempt;
            let gate = self.gates.gate(url, &self.settings);
            let asked_to_wait = answer.retry_after.filter(|_| is_overloaded(&answer));
            if let Some(time) = asked_to_wait {
                gate.pause(time.min(limits.retry_after));
            }
            // Who says "come back in an hour" is not asked again within this crawl.
            let is_sent_away = asked_to_wait.is_some_and(|it| it > limits.retry_after);
            let give_up = attempt > limits.retries
                || is_sent_away
                || !may_be_bad_luck(&answer)
                || !gate.deserves_patience();
            if give_up {
                return answer;
            }
            sleep(self.jittered(pause)).await;
            pause *= 2;
            attempt += 1;
        }
    }

    /// Up to a quarter more, so that many do not come back at once.
    fn jittered(&self, wait: Duration) -> Duration {
        let mut byte = [0];
        self.randomness.fill(&mut byte);
        wait + wait.mul_f64(f64::from(byte[0]) / 1_024.0)
    }
}

fn is_overloaded(answer: &Answer) -> bool {
    matches!(answer.fetched.status, Some(429 | 503))
}

/// 5xx, 408, 429, timeouts and broken answers; never a connection that could not be made.
fn may_be_bad_luck(answer: &Answer) -> bool {
    let fetched = &answer.fetched;
    if answer.blocked || fetched.challenge {
        return false;
    }
    match (fetched.failure, fetched.status) {
        (Some(failure), _) => {
            matches!(failure, FetchFailure::Timeout | FetchFailure::Incomplete)
        }
        (None, Some(status)) => matches!(status, 408 | 429 | 500..=599),
        (None, None) => false,
    }
}
