//! robots.txt of each origin in a crawl, fetched once.

use super::{BodyLimit, Fetcher, Want};
use crate::guard::count_blocked;
use crate::robots::{MAX_BYTES, RobotsRules};
use analysis::observation::page_url::normalize;
use analysis::observation::web_site::{FetchFailure, Fetched, RobotsFact, RobotsState};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::sync::OnceCell;
use url::Url;

/// Redirects of a robots.txt; with more it counts as absent.
const MAX_REDIRECTS: usize = 5;

/// Rules by origin, for one crawl.
#[derive(Default)]
pub struct RobotsCache {
    hosts: Mutex<HashMap<String, Arc<OnceCell<Arc<CachedRules>>>>>,
}

struct CachedRules {
    rules: RobotsRules,
    unreachable: Option<Fetched>,
    spent: Duration,
}

pub enum Permission {
    Granted,
    /// Forbidden by robots.txt, or robots.txt is unavailable.
    Refused,
    /// The host does not answer, which RFC 9309 treats as a refusal; links to it are broken.
    Unreachable(Box<Fetched>),
}

impl RobotsCache {
    pub fn set(&self, fact: &RobotsFact, product: &str) -> RobotsRules {
        let rules = rules_of(fact, product);
        let known = Arc::new(CachedRules {
            rules: rules.clone(),
            unreachable: None,
            spent: Duration::ZERO,
        });
        let cell = Arc::new(OnceCell::new_with(Some(known)));
        self.lock().insert(fact.origin.clone(), cell);
        rules
    }

    pub async fn permission(&self, fetcher: &Fetcher, url: &Url) -> Permission {
        let mut spent = Duration::ZERO;
        self.permission_within(fetcher, url, &mut spent).await
    }

    /// Adds the time for fetching the rules to `spent`.
    pub async fn permission_within(
        &self,
        fetcher: &Fetcher,
        url: &Url,
        spent: &mut Duration,
    ) -> Permission {
        let cell = Arc::clone(self.lock().entry(origin(url)).or_default());
        let known = cell
            .get_or_init(|| async {
                let known = CachedRules::fetch(fetcher, url).await;
                *spent += known.spent;
                known
            })
            .await;
        match &known.unreachable {
            Some(failed) => Permission::Unreachable(Box::new(Fetched {
                chain: Vec::new(),
                final_url: normalize(url).0,
                status: None,
                ..failed.clone()
            })),
            None if known.rules.allow(url) => Permission::Granted,
            None => {
                count_blocked("robots");
                Permission::Refused
            }
        }
    }

    pub async fn allows(&self, fetcher: &Fetcher, url: &Url) -> bool {
        matches!(self.permission(fetcher, url).await, Permission::Granted)
    }

    /// Crawl delay of the URL's host, if its robots.txt is known.
    pub fn crawl_delay(&self, url: &Url) -> Option<Duration> {
        let cell = self.lock().get(&origin(url)).map(Arc::clone)?;
        cell.get().and_then(|it| it.rules.delay)
    }

    /// Whether that host requested a longer delay than the maximum.
    pub fn is_delay_capped(&self, url: &Url) -> bool {
        let cell = self.lock().get(&origin(url)).map(Arc::clone);
        cell.is_some_and(|it| it.get().is_some_and(|it| it.rules.is_delay_capped()))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<OnceCell<Arc<CachedRules>>>>> {
        self.hosts.lock().expect("no code panics while holding it")
    }
}

impl CachedRules {
    async fn fetch(fetcher: &Fetcher, url: &Url) -> Arc<Self> {
        let timeout = fetcher.settings.limits.robots_timeout;
        let (fact, brought, spent) = fetch_robots(fetcher, url, timeout).await;
        // An unreadable response forbids, but says nothing about the host.
        let network_failed = fact.state == RobotsState::Unavailable
            && brought.failure.is_some()
            && brought.unread_body().is_none();
        Arc::new(Self {
            rules: rules_of(&fact, &fetcher.settings.product),
            unreachable: network_failed.then_some(brought),
            spent,
        })
    }
}

fn origin(url: &Url) -> String {
    url.origin().ascii_serialization()
}

fn rules_of(fact: &RobotsFact, product: &str) -> RobotsRules {
    match fact.state {
        RobotsState::Rules => RobotsRules::parse(&fact.text, product),
        RobotsState::Absent => RobotsRules::default(),
        RobotsState::Unavailable => RobotsRules::forbid_all(),
    }
}

/// Also returns the time spent.
pub async fn fetch_robots(
    fetcher: &Fetcher,
    url: &Url,
    time_limit: Duration,
) -> (RobotsFact, Fetched, Duration) {
    let mut robots_url = url.clone();
    robots_url.set_path("/robots.txt");
    robots_url.set_query(None);
    let limit = BodyLimit {
        encoded: MAX_BYTES,
        decoded: MAX_BYTES,
    };
    let answer = fetcher
        .fetch_within(&robots_url, Want::Everything(limit), None, time_limit)
        .await;
    let state = state_of(&answer.fetched);
    let body = answer.body.filter(|_| state == RobotsState::Rules);
    let text = body.map(|it| RobotsRules::text(&it.bytes));
    let fact = RobotsFact {
        origin: origin(url),
        state,
        text: text.unwrap_or_default(),
    };
    (fact, answer.fetched, answer.spent)
}

fn state_of(fetched: &Fetched) -> RobotsState {
    let is_redirect_error = matches!(
        fetched.failure,
        Some(
            FetchFailure::RedirectLoop
                | FetchFailure::TooManyRedirects
                | FetchFailure::InvalidRedirect
        )
    );
    match (fetched.failure, fetched.status) {
        _ if is_redirect_error => RobotsState::Absent,
        (None, _) if fetched.hops() > MAX_REDIRECTS => RobotsState::Absent,
        (None, Some(200..=299)) => RobotsState::Rules,
        // 429 asks to come back later, like a server error.
        (None, Some(400..=428 | 430..=499 | 300..=399)) => RobotsState::Absent,
        _ => RobotsState::Unavailable,
    }
}
