use crate::fetch::{CONNECT_TIMED_OUT, Fetcher, RobotsCache, fetch_robots};
use crate::journal::Record;
use analysis::observation::page_url::normalize;
use analysis::observation::web_site::{
    CrawlScope, CrawlStep, FetchFailure, RobotsFact, RobotsState,
};
use domain::ports::clock::Clock;
use domain::ports::site_reader::{CrawlPlan, CrawlStart, SiteReadError, UnreachableReason};
use url::Url;

pub async fn find_site(
    fetcher: &Fetcher,
    clock: &dyn Clock,
    plan: &CrawlPlan,
    record: &mut Record<'_>,
    robots: &RobotsCache,
) -> Result<(Url, CrawlScope), SiteReadError> {
    let product = &fetcher.settings.product;
    if let (Some(begun), Some(fact)) = (
        recorded_start(record),
        record.site().and_then(|it| it.robots.as_ref()),
    ) {
        robots.set(fact, product);
        return Ok(begun);
    }
    let (start, scope, fact) = try_starts(fetcher, &plan.start).await?;
    let unavailable = fact.state == RobotsState::Unavailable;
    let rules = robots.set(&fact, product);
    if unavailable {
        return Err(SiteReadError::RobotsUnavailable);
    }
    if !rules.allow(&start) {
        return Err(SiteReadError::DisallowedByRobots);
    }
    let started = CrawlStep::Started {
        start: start.to_string(),
        scope: scope.clone(),
        at: clock.now(),
    };
    record.add(vec![started, CrawlStep::Robots(fact)]).await?;
    Ok((start, scope))
}

fn recorded_start(record: &Record<'_>) -> Option<(Url, CrawlScope)> {
    let site = record.site()?;
    Some((Url::parse(&site.start).ok()?, site.scope.clone()))
}

/// Requests robots.txt first; a host that does not answer that is unreachable.
pub async fn try_starts(
    fetcher: &Fetcher,
    from: &CrawlStart,
) -> Result<(Url, CrawlScope, RobotsFact), SiteReadError> {
    let starts = match from {
        CrawlStart::Url(url) => vec![url.clone()],
        CrawlStart::Host(host) => vec![format!("https://{host}/"), format!("http://{host}/")],
    };
    let nowhere = |_| SiteReadError::Unreachable(UnreachableReason::Name);
    let mut unreached = UnreachableReason::Connection;
    for start in starts {
        let url = Url::parse(&start).map_err(nowhere)?;
        let url = Url::parse(&normalize(&url).0).map_err(nowhere)?;
        let timeout = fetcher.settings.limits.url_timeout;
        let (fact, brought, _) = fetch_robots(fetcher, &url, timeout).await;
        unreached = match brought.failure {
            Some(FetchFailure::Dns) => UnreachableReason::Name,
            Some(FetchFailure::Connect) => UnreachableReason::Connection,
            Some(FetchFailure::Tls) => UnreachableReason::Encryption,
            Some(FetchFailure::Timeout) if brought.detail.as_deref() == Some(CONNECT_TIMED_OUT) => {
                UnreachableReason::Silence
            }
            _ => {
                let scope = match from {
                    CrawlStart::Url(_) => CrawlScope::from_url(&url),
                    CrawlStart::Host(host) => CrawlScope::from_host(host),
                };
                return Ok((url, scope, fact));
            }
        };
    }
    Err(SiteReadError::Unreachable(unreached))
}
