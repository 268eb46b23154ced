//! robots.txt of every origin that a crawl touches, asked for once.

use super::rules::{MOST_BYTES, RobotsRules};
use crate::fetch::{BodyLimit, Fetcher, Want};
use analysis::observation::web_site::{FetchFailure, RobotsFact, RobotsState};
use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::sync::OnceCell;
use url::Url;

/// Redirects that a robots.txt may have; with more it counts as absent.
const MOST_REDIRECTS: usize = 5;

/// The rules by origin, for the time of one crawl.
#[derive(Default)]
pub struct RobotsCache {
    rules: Mutex<HashMap<String, Arc<OnceCell<Arc<RobotsRules>>>>>,
}

impl RobotsCache {
    /// Sets the rules of an origin that is known already.
    pub fn set(&self, fact: &RobotsFact, product: &str) -> Arc<RobotsRules> {
        let rules = Arc::new(rules_of(fact, product));
        let cell = Arc::new(OnceCell::new_with(Some(Arc::clone(&rules))));
        self.lock().insert(fact.origin.clone(), cell);
        rules
    }

    /// Whether a URL may be asked for.
    pub async fn allows(&self, fetcher: &Fetcher, url: &Url) -> bool {
        let cell = Arc::clone(self.lock().entry(origin(url)).or_default());
        let rules = cell
            .get_or_init(|| async {
                let (fact, failure) = fetch_robots(fetcher, url).await;
                // A host that cannot be reached forbids nothing: the check itself will say so.
                let silent = matches!(
                    failure,
                    Some(FetchFailure::Dns | FetchFailure::Connect | FetchFailure::Tls)
                );
                Arc::new(if silent {
                    RobotsRules::default()
                } else {
                    rules_of(&fact, &fetcher.settings.product)
                })
            })
            .await;
        rules.allow(url)
    }

    /// The delay that the host of a URL asked for, as far as its robots.txt is known.
    pub fn delay_of(&self, url: &Url) -> Option<Duration> {
        let cell = self.lock().get(&origin(url)).map(Arc::clone)?;
        cell.get().and_then(|it| it.delay)
    }

    fn lock(
        &self,
    ) -> std::sync::MutexGuard<'_, HashMap<String, Arc<OnceCell<Arc<RobotsRules>>>>> {
        self.rules.lock().expect("no code panics while holding it")
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

/// Asks for the robots.txt of a URL's origin.
pub async fn fetch_robots(fetcher: &Fetcher, url: &Url) -> (RobotsFact, Option<FetchFailure>) {
    let mut fact = RobotsFact {
        origin: origin(url),
        state: RobotsState::Unavailable,
        text: String::new(),
    };
    let Ok(place) = url.join("/robots.txt") else {
        return (fact, None);
    };
    let limit = BodyLimit {
        encoded: MOST_BYTES,
        decoded: MOST_BYTES,
    };
    let answer = fetcher
        .ask_patiently(&place, Want::Everything(limit), None)
        .await;
    let fetched = &answer.fetched;
    let too_many = fetched.hops() > MOST_REDIRECTS;
    match (fetched.failure, fetched.status) {
        (Some(FetchFailure::RedirectLoop | FetchFailure::TooManyRedirects), _) => {
            fact.state = RobotsState::Absent;
        }
        (None, _) if too_many => fact.state = RobotsState::Absent,
        (None, Some(200..=299)) => {
            fact.state = RobotsState::Rules;
            let body = answer.body.unwrap_or_default();
            fact.text = String::from_utf8_lossy(&body.bytes).into_owned();
        }
        // 429 asks to stay away for now, as a server error does.
        (None, Some(400..=428 | 430..=499 | 300..=399)) => fact.state = RobotsState::Absent,
        _ => {}
    }
    (fact, answer.fetched.failure)
}
