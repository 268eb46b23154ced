use crate::extract::read_anchor_names;
use crate::fetch::{FetchOutcome, Fetcher, Permission, RobotsCache, Want};
use analysis::observation::web_site::{CheckState, TargetCheck, Truncation};
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub url: Url,
    pub is_internal: bool,
    pub needs_anchor_names: bool,
}

/// Internal targets by `GET`; others by `HEAD`, and by `GET` before they are reported broken.
pub async fn check_target(fetcher: &Fetcher, robots: &RobotsCache, target: Target) -> TargetCheck {
    let url = target.url.to_string();
    if let Some(state) = robots_refusal(fetcher, robots, &target.url).await {
        return TargetCheck { url, state };
    }
    let get = if target.needs_anchor_names {
        Want::Html
    } else {
        Want::Headers
    };
    let answer = if target.is_internal || target.needs_anchor_names {
        fetcher
            .fetch_with_retries(&target.url, get, Some(robots))
            .await
    } else {
        let head = fetcher.fetch_head(&target.url, Some(robots)).await;
        if head.blocked || head.fetched.is_success() {
            head
        } else {
            let url_timeout = fetcher.settings.limits.url_timeout;
            let rest = url_timeout.saturating_sub(head.spent);
            let request = fetcher.fetch_within(&target.url, get, Some(robots), rest);
            let mut got = request.await;
            got.fetched.attempts += 1;
            got
        }
    };
    state_of(url, answer).await
}

pub async fn robots_refusal(
    fetcher: &Fetcher,
    robots: &RobotsCache,
    url: &Url,
) -> Option<CheckState> {
    match robots.permission(fetcher, url).await {
        Permission::Granted => None,
        Permission::Refused => Some(CheckState::BlockedByRobots),
        Permission::Unreachable(failed) => Some(CheckState::Requested {
            fetched: *failed,
            names: None,
        }),
    }
}

async fn state_of(url: String, answer: FetchOutcome) -> TargetCheck {
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
            let charset = answer.charset;
            let names = tokio::task::spawn_blocking(move || {
                read_anchor_names(&body.bytes, charset.as_deref())
            });
            names.await.ok()
        }
    };
    TargetCheck {
        url,
        state: CheckState::Requested { fetched, names },
    }
}
