use super::{FetchOutcome, FetchRequest, Fetcher, RobotsCache, Want};
use analysis::observation::web_site::FetchFailure;
use domain::kept_pages::Validators;
use std::time::Duration;
use tokio::time::sleep;
use url::Url;

impl Fetcher {
    /// Fetches, with retries after transient failures.
    pub async fn fetch_with_retries(
        &self,
        url: &Url,
        want: Want,
        robots: Option<&RobotsCache>,
    ) -> FetchOutcome {
        self.fetch_within(url, want, robots, self.settings.limits.url_timeout)
            .await
    }

    /// The same within another time limit.
    pub async fn fetch_within(
        &self,
        url: &Url,
        want: Want,
        robots: Option<&RobotsCache>,
        time_limit: Duration,
    ) -> FetchOutcome {
        let request = FetchRequest {
            url,
            want,
            validators: None,
            robots,
        };
        self.run_with_retries(&request, time_limit).await
    }

    /// As [`Self::fetch_with_retries`], but conditional: 304 if the earlier version did not change.
    pub async fn fetch_if_changed(
        &self,
        url: &Url,
        validators: &Validators,
        robots: Option<&RobotsCache>,
    ) -> FetchOutcome {
        let request = FetchRequest {
            url,
            want: Want::Html,
            validators: Some(validators),
            robots,
        };
        self.run_with_retries(&request, self.settings.limits.url_timeout)
            .await
    }

    /// One `HEAD` request within half of the time limit; the rest is left for `GET`.
    pub async fn fetch_head(&self, url: &Url, robots: Option<&RobotsCache>) -> FetchOutcome {
        let request = FetchRequest {
            url,
            want: Want::Head,
            validators: None,
            robots,
        };
        self.fetch_once(&request, self.settings.limits.url_timeout / 2)
            .await
    }

    async fn run_with_retries(
        &self,
        request: &FetchRequest<'_>,
        time_limit: Duration,
    ) -> FetchOutcome {
        let limits = &self.settings.limits;
        let mut pause = limits.retry_wait;
        let mut spent = Duration::ZERO;
        let mut earlier: Option<FetchOutcome> = None;
        let mut attempt = 1;
        loop {
            let rest = time_limit.saturating_sub(spent);
            let mut answer = self.fetch_once(request, rest).await;
            spent += answer.spent;
            // An attempt cut by the time limit says less than the one before.
            let is_cut = rest < limits.total
                && answer.fetched.failure == Some(FetchFailure::Timeout)
                && spent >= time_limit;
            if let Some(earlier) = earlier.filter(|_| is_cut) {
                answer = earlier;
            }
            answer.fetched.attempts = attempt;
            answer.spent = spent;
            let limiter = self.limiters.limiter(request.url, &self.settings);
            let retry_after = answer.retry_after.filter(|_| is_overloaded(&answer));
            if let Some(time) = retry_after {
                limiter.pause(time.min(limits.retry_after)).await;
            }
            let wait = retry_after.unwrap_or_default().max(self.jittered(pause));
            // A host that asks for a long pause is not retried in this crawl.
            let give_up = attempt > limits.retries
                || spent + wait >= time_limit
                || !is_transient(&answer)
                || !limiter.may_retry();
            if give_up {
                return answer;
            }
            sleep(wait).await;
            spent += wait;
            pause *= 2;
            attempt += 1;
            earlier = Some(answer);
        }
    }

    /// Adds up to 25 % of jitter.
    fn jittered(&self, wait: Duration) -> Duration {
        let mut byte = [0];
        self.randomness.fill(&mut byte);
        wait + wait.mul_f64(f64::from(byte[0]) / 1_024.0)
    }
}

fn is_overloaded(answer: &FetchOutcome) -> bool {
    matches!(answer.fetched.status, Some(429 | 503))
}

/// 5xx, 408, 429, timeouts and incomplete answers; never connection failures.
fn is_transient(answer: &FetchOutcome) -> bool {
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
