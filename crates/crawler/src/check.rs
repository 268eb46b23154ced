//! Checking link targets that are not read as pages.

use crate::{
    extract::read_page,
    fetch::{Answer, Fetcher, Want},
    robots::RobotsCache,
};
use analysis::observation::web_site::{CheckState, TargetCheck, Truncation};
use url::Url;

/// A target to check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub url: Url,
    pub is_internal: bool,
    /// Whether a link names a fragment of it.
    pub wants_names: bool,
}

/// Checks a target: the site's own by `GET`, others by `HEAD` first, and nothing is reported
/// broken on the word of `HEAD` alone.
pub async fn check(fetcher: &Fetcher, robots: &RobotsCache, target: Target) -> TargetCheck {
    let url = target.url.to_string();
    if !robots.allows(fetcher, &target.url).await {
        return TargetCheck {
            url,
            state: CheckState::BlockedByRobots,
        };
    }
    let get = if target.wants_names {
        Want::Html
    } else {
        Want::Headers
    };
    let answer = if target.is_internal || target.wants_names {
        fetcher.ask_patiently(&target.url, get, Some(robots)).await
    } else {
        let head = fetcher.ask(&target.url, Want::Head, Some(robots)).await;
        if head.blocked || head.fetched.is_success() {
            head
        } else {
            let mut got = fetcher.ask_patiently(&target.url, get, Some(robots)).await;
            got.fetched.attempts += 1;
            got
        }
    };
    state_of(url, &target.url, answer).await
}

/// The check that an answer amounts to, with the names of the HTML it brought.
async fn state_of(url: String, asked: &Url, answer: Answer) -> TargetCheck {
    if answer.blocked {
        return TargetCheck {
            url,
            state: CheckState::BlockedByRobots,
        };
    }
    let fetched = answer.fetched;
    let complete = fetched.truncation == Truncation::None;
    let body = answer.body.filter(|_| fetched.is_html() && complete);
    let names = match body {
        None => None,
        Some(body) => {
            let (charset, asked) = (answer.charset, asked.clone());
            let facts = tokio::task::spawn_blocking(move || {
                read_page(&body.bytes, charset.as_deref(), &asked)
            });
            facts.await.ok().map(|it| it.names)
        }
    };
    TargetCheck {
        url,
        state: CheckState::Asked { fetched, names },
    }
}
