mod body;
pub mod clients;
mod error;
mod hop;
mod lookups;
mod resolver;
mod retry;
mod robots_cache;
mod wall;

pub use body::{Body, BodyLimit, read_body};
pub use error::NO_CONNECTION;
pub use hop::Want;
pub use resolver::{resolve, why_denied};
pub use robots_cache::{Permission, RobotsCache, fetch_robots};

use crate::{limits::FetchLimits, politeness::HostGates, settings::CrawlerSettings};
use analysis::observation::page_content::ResponseFacts;
use analysis::observation::page_url::normalise;
use analysis::observation::web_site::{FetchFailure, Fetched, Hop, Truncation};
use clients::Clients;
use domain::{
    kept_pages::Validators,
    ports::{clock::Clock, randomness::Randomness, site_turns::SiteTurns},
};
use error::Failed;
use hop::{HopAnswer, redirects};
use std::{sync::Arc, time::Duration};
use tokio::{sync::OwnedSemaphorePermit, time::Instant};
use url::Url;

pub struct Fetcher {
    pub settings: Arc<CrawlerSettings>,
    clients: Clients,
    gates: HostGates,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
}

pub struct Answer {
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
            gates: HostGates::default(),
            clock,
            randomness,
        }
    }

    pub fn sharing(self, turns: Arc<dyn SiteTurns>) -> Self {
        Self {
            gates: HostGates::sharing(turns),
            ..self
        }
    }

    /// One attempt with redirects, within `most`. robots.txt is checked for each hop but the first, which the caller
    /// has checked. With validators, the server may answer 304.
    async fn ask_once(&self, asking: &Asking<'_>, most: Duration) -> Answer {
        let Asking { want, robots, .. } = *asking;
        let mut trail = Trail::new(asking.url, most);
        loop {
            // Validators belong to the requested URL, not to redirect targets.
            let validators = asking.validators.filter(|_| trail.chain.is_empty());
            let gate = self.gates.gate(&trail.url, &self.settings);
            let crawl_delay = robots.and_then(|it| it.delay_of(&trail.url));
            let (delay, _) = self.settings.pace(&trail.url);
            let place = gate.enter(delay.max(crawl_delay.unwrap_or_default())).await;
            let begun = Instant::now();
            let limits = FetchLimits {
                total: self.settings.limits.total.min(trail.rest()),
                ..self.settings.limits.clone()
            };
            let (clients, settings) = (&self.clients, &self.settings);
            let answer = hop::send(clients, settings, &limits, &trail.url, want, validators).await;
            drop(place);
            trail.spent += begun.elapsed();
            match answer.and_then(|it| trail.take(it, &self.settings)) {
                Ok(Taken::Follow) => {}
                Ok(Taken::Final(answer)) => return self.conclude(&trail, Ok(*answer)),
                Err(failed) => return self.conclude(&trail, Err(failed)),
            }
            let Some(robots) = robots else {
                continue;
            };
            let asked = Box::pin(robots.permission_within(self, &trail.url, &mut trail.spent));
            match asked.await {
                Permission::Granted => {}
                Permission::Refused => return self.blocked(&trail),
                Permission::Unreachable(fetched) => {
                    return self.conclude(&trail, Err(Failed::from(&*fetched)));
                }
            }
        }
    }

    /// Waits for the host's throttle, for a load that is not sent from here; counts as one request while the permit
    /// is held.
    pub async fn turn(&self, url: &Url) -> OwnedSemaphorePermit {
        let gate = self.gates.gate(url, &self.settings);
        let (delay, _) = self.settings.pace(url);
        gate.enter(delay.max(gate.asked())).await
    }

    pub fn keep_distance(&self, url: &Url, distance: Duration) {
        self.gates.gate(url, &self.settings).ask_for(distance);
    }

    fn conclude(&self, trail: &Trail, answer: Result<HopAnswer, Failed>) -> Answer {
        let timed_out = matches!(&answer, Err(it) if it.failure == FetchFailure::Timeout);
        self.gates
            .gate(&trail.url, &self.settings)
            .saw_timeout(timed_out);
        let mut fetched = self.fetched(trail);
        tracing::debug!(
            host = trail.url.host_str(),
            status = fetched.status,
            failure = ?answer.as_ref().err().map(|it| it.failure),
            "asked"
        );
        match answer {
            Err(failed) => {
                if !failed.is_about_redirects() {
                    fetched.status = None;
                }
                fetched.failure = Some(failed.failure);
                fetched.detail = Some(failed.detail);
                Answer::bodiless(fetched, trail.spent)
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
                Answer {
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

    fn blocked(&self, trail: &Trail) -> Answer {
        Answer {
            blocked: true,
            ..Answer::bodiless(self.fetched(trail), trail.spent)
        }
    }

    fn fetched(&self, trail: &Trail) -> Fetched {
        Fetched {
            chain: trail.chain.clone(),
            final_url: normalise(&trail.url).0,
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

impl Answer {
    fn bodiless(fetched: Fetched, spent: Duration) -> Self {
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

struct Asking<'a> {
    url: &'a Url,
    want: Want,
    validators: Option<&'a Validators>,
    robots: Option<&'a RobotsCache>,
}

struct Trail {
    url: Url,
    chain: Vec<Hop>,
    spent: Duration,
    most: Duration,
}

enum Taken {
    Follow,
    Final(Box<HopAnswer>),
}

impl Trail {
    fn new(url: &Url, most: Duration) -> Self {
        Self {
            url: url.clone(),
            chain: Vec::new(),
            spent: Duration::ZERO,
            most,
        }
    }

    fn rest(&self) -> Duration {
        self.most.saturating_sub(self.spent)
    }

    /// Records a response, and follows it if it is an allowed redirect.
    fn take(&mut self, answer: HopAnswer, settings: &CrawlerSettings) -> Result<Taken, Failed> {
        self.chain.push(Hop {
            url: normalise(&self.url).0,
            status: answer.status,
        });
        let Some(location) = answer.location.as_deref() else {
            // Browsers show its body, which is not the requested page.
            if redirects(answer.status) {
                return Err(Failed::new(FetchFailure::InvalidRedirect, "noLocation"));
            }
            return Ok(Taken::Final(Box::new(answer)));
        };
        let invalid = || Failed::new(FetchFailure::InvalidRedirect, "invalidLocation");
        let next = self.url.join(location).map_err(|_| invalid())?;
        if !matches!(next.scheme(), "http" | "https") {
            return Err(invalid());
        }
        let limits = &settings.limits;
        let bare = normalise(&next).0;
        if self.chain.iter().any(|it| it.url == bare) {
            return Err(Failed::new(FetchFailure::RedirectLoop, "redirectLoop"));
        }
        if self.chain.len() > limits.redirects {
            let failure = FetchFailure::TooManyRedirects;
            return Err(Failed::new(failure, "tooManyRedirects"));
        }
        if self.spent >= self.most {
            return Err(Failed::new(FetchFailure::Timeout, "redirectsTooSlow"));
        }
        self.url = next;
        Ok(Taken::Follow)
    }
}
