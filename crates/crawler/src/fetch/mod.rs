mod body;
mod bot_challenge;
pub mod clients;
mod error;
mod hop;
mod lookups;
mod resolver;
mod retry;
mod robots_cache;

pub use body::{Body, BodyLimit, read_body};
pub use error::CONNECT_TIMED_OUT;
pub use hop::Want;
pub use resolver::{denial_reason, resolve};
pub use robots_cache::{Permission, RobotsCache, fetch_robots};

use crate::{limits::FetchLimits, politeness::HostLimiters, settings::CrawlerSettings};
use analysis::observation::page_content::ResponseFacts;
use analysis::observation::page_url::normalize;
use analysis::observation::web_site::{FetchFailure, Fetched, Hop, Truncation};
use clients::Clients;
use domain::{
    kept_pages::Validators,
    ports::{clock::Clock, host_throttle::HostThrottle, randomness::Randomness},
};
use error::FetchError;
use hop::{HopResponse, is_redirect};
use std::{sync::Arc, time::Duration};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use url::Url;

pub struct Fetcher {
    pub settings: Arc<CrawlerSettings>,
    clients: Clients,
    limiters: HostLimiters,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

pub struct FetchOutcome {
    pub fetched: Fetched,
    pub body: Option<Body>,
    pub charset: Option<String>,
    pub response: ResponseFacts,
    pub retry_after: Option<Duration>,
    /// Whether robots.txt forbade a URL of the redirect chain.
    pub blocked: bool,
    /// Time taken, without politeness delays.
    pub spent: Duration,
}

impl Fetcher {
    pub fn new(
        settings: CrawlerSettings,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
    ) -> Self {
        let settings = Arc::new(settings);
        Self {
            clients: Clients::new(Arc::clone(&settings)),
            settings,
            limiters: HostLimiters::default(),
            clock,
            randomness,
        }
    }

    pub fn with_shared_throttle(self, throttle: Arc<dyn HostThrottle>) -> Self {
        Self {
            limiters: HostLimiters::with_shared_throttle(throttle),
            ..self
        }
    }

    /// One attempt with redirects, within `time_limit`. robots.txt is checked for each hop but the first, which the
    /// caller has checked. With validators, the server may answer 304.
    async fn fetch_once(&self, request: &FetchRequest<'_>, time_limit: Duration) -> FetchOutcome {
        let FetchRequest { want, robots, .. } = *request;
        let mut trail = RedirectTrail::new(request.url, time_limit);
        loop {
            // Validators belong to the requested URL, not to redirect targets.
            let validators = request.validators.filter(|_| trail.chain.is_empty());
            let limiter = self.limiters.limiter(&trail.url, &self.settings);
            let crawl_delay = robots.and_then(|it| it.crawl_delay(&trail.url));
            let (delay, _) = self.settings.pace(&trail.url);
            let permit = limiter
                .acquire(delay.max(crawl_delay.unwrap_or_default()))
                .await;
            let begun = Instant::now();
            let limits = FetchLimits {
                total: self.settings.limits.total.min(trail.remaining()),
                ..self.settings.limits.clone()
            };
            let (clients, settings) = (&self.clients, &self.settings);
            let answer = hop::send(clients, settings, &limits, &trail.url, want, validators).await;
            drop(permit);
            trail.spent += begun.elapsed();
            match answer.and_then(|it| trail.record_hop(it, &self.settings)) {
                Ok(HopStep::Follow) => {}
                Ok(HopStep::Final(answer)) => return self.conclude(&trail, Ok(*answer)),
                Err(failed) => return self.conclude(&trail, Err(failed)),
            }
            let Some(robots) = robots else {
                continue;
            };
            let permission = Box::pin(robots.permission_within(self, &trail.url, &mut trail.spent));
            match permission.await {
                Permission::Granted => {}
                Permission::Refused => return self.blocked(&trail),
                Permission::Unreachable(fetched) => {
                    return self.conclude(&trail, Err(FetchError::from(&*fetched)));
                }
            }
        }
    }

    /// Waits for the host's throttle, for a load that is not sent from here; counts as one request while the permit
    /// is held.
    pub async fn acquire_host_permit(&self, url: &Url) -> OwnedSemaphorePermit {
        let limiter = self.limiters.limiter(url, &self.settings);
        let (delay, _) = self.settings.pace(url);
        limiter.acquire(delay.max(limiter.crawl_delay())).await
    }

    pub fn set_crawl_delay(&self, url: &Url, distance: Duration) {
        self.limiters
            .limiter(url, &self.settings)
            .set_crawl_delay(distance);
    }

    fn conclude(
        &self,
        trail: &RedirectTrail,
        answer: Result<HopResponse, FetchError>,
    ) -> FetchOutcome {
        let timed_out = matches!(&answer, Err(it) if it.failure == FetchFailure::Timeout);
        self.limiters
            .limiter(&trail.url, &self.settings)
            .record_timeout(timed_out);
        let mut fetched = self.fetched(trail);
        tracing::debug!(
            host = trail.url.host_str(),
            status = fetched.status,
            failure = ?answer.as_ref().err().map(|it| it.failure),
            "asked"
        );
        match answer {
            Err(failed) => {
                if !failed.is_redirect_error() {
                    fetched.status = None;
                }
                fetched.failure = Some(failed.failure);
                fetched.detail = Some(failed.detail);
                FetchOutcome::without_body(fetched, trail.spent)
            }
            Ok(answer) => {
                let response = answer.response_facts();
                fetched.max_age = response.headers.max_age();
                fetched.content_type = answer.content_type;
                fetched.challenge = answer.challenge;
                fetched.truncation = answer
                    .body
                    .as_ref()
                    .map_or(Truncation::None, |it| it.truncation);
                fetched.bytes = answer.length.or_else(|| {
                    let body = answer
                        .body
                        .as_ref()
                        .filter(|it| it.truncation == Truncation::None)?;
                    Some(body.received as u64)
                });
                if let Some(failed) = answer.body_failure {
                    fetched.failure = Some(failed.failure);
                    fetched.detail = Some(failed.detail);
                }
                FetchOutcome {
                    fetched,
                    body: answer.body,
                    charset: answer.charset,
                    response,
                    retry_after: answer.retry_after,
                    blocked: false,
                    spent: trail.spent,
                }
            }
        }
    }

    fn blocked(&self, trail: &RedirectTrail) -> FetchOutcome {
        FetchOutcome {
            blocked: true,
            ..FetchOutcome::without_body(self.fetched(trail), trail.spent)
        }
    }

    fn fetched(&self, trail: &RedirectTrail) -> Fetched {
        Fetched {
            chain: trail.chain.clone(),
            final_url: normalize(&trail.url).0,
            status: trail.chain.last().map(|it| it.status),
            failure: None,
            detail: None,
            attempts: 1,
            at: self.clock.now(),
            content_type: None,
            challenge: false,
            truncation: Truncation::None,
            bytes: None,
            max_age: None,
        }
    }
}

impl FetchOutcome {
    fn without_body(fetched: Fetched, spent: Duration) -> Self {
        Self {
            fetched,
            body: None,
            charset: None,
            response: ResponseFacts::default(),
            retry_after: None,
            blocked: false,
            spent,
        }
    }
}

struct FetchRequest<'a> {
    url: &'a Url,
    want: Want,
    validators: Option<&'a Validators>,
    robots: Option<&'a RobotsCache>,
}

struct RedirectTrail {
    url: Url,
    chain: Vec<Hop>,
    spent: Duration,
    time_limit: Duration,
}

enum HopStep {
    Follow,
    Final(Box<HopResponse>),
}

impl RedirectTrail {
    fn new(url: &Url, time_limit: Duration) -> Self {
        Self {
            url: url.clone(),
            chain: Vec::new(),
            spent: Duration::ZERO,
            time_limit,
        }
    }

    fn remaining(&self) -> Duration {
        self.time_limit.saturating_sub(self.spent)
    }

    /// Records a response, and follows it if it is an allowed redirect.
    fn record_hop(
        &mut self,
        answer: HopResponse,
        settings: &CrawlerSettings,
    ) -> Result<HopStep, FetchError> {
        self.chain.push(Hop {
            url: normalize(&self.url).0,
            status: answer.status,
        });
        let Some(location) = answer.location.as_deref() else {
            // Browsers show its body, which is not the requested page.
            if is_redirect(answer.status) {
                return Err(FetchError::new(FetchFailure::InvalidRedirect, "noLocation"));
            }
            return Ok(HopStep::Final(Box::new(answer)));
        };
        let invalid = || FetchError::new(FetchFailure::InvalidRedirect, "invalidLocation");
        let next = self.url.join(location).map_err(|_| invalid())?;
        if !matches!(next.scheme(), "http" | "https") {
            return Err(invalid());
        }
        let limits = &settings.limits;
        let bare = normalize(&next).0;
        if self.chain.iter().any(|it| it.url == bare) {
            return Err(FetchError::new(FetchFailure::RedirectLoop, "redirectLoop"));
        }
        if self.chain.len() > limits.redirects {
            let failure = FetchFailure::TooManyRedirects;
            return Err(FetchError::new(failure, "tooManyRedirects"));
        }
        if self.spent >= self.time_limit {
            return Err(FetchError::new(FetchFailure::Timeout, "redirectsTooSlow"));
        }
        self.url = next;
        Ok(HopStep::Follow)
    }
}
