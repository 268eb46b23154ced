//! The targets of links that are no pages of their own: resources, pages beyond the limits, other
//! hosts.

use super::Crawl;
use crate::check::{Target, check};
use analysis::observation::{
    page_url::{is_loopback, registrable_domain},
    web_site::{CrawlStep, LimitHit, LinkTarget, PageLink, SiteScope},
};
use domain::ports::site_reader::SiteReadError;
use futures_util::{
    FutureExt,
    stream::{FuturesUnordered, StreamExt},
};
use std::collections::{BTreeMap, VecDeque};
use url::Url;

/// The URL of a link to the site's own.
pub(super) fn internal_url<'a>(link: &'a PageLink, scope: &SiteScope) -> Option<&'a str> {
    let LinkTarget::Web { url, .. } = &link.target else {
        return None;
    };
    let parsed = Url::parse(url).ok()?;
    scope.contains(&parsed).then_some(url.as_str())
}

impl Crawl<'_> {
    /// Checks every target that is not known yet.
    pub(super) async fn check_targets(&mut self) -> Result<(), SiteReadError> {
        let mut targets = self.targets();
        let most = self.tools.fetcher.settings.max_checks as usize;
        if targets.len() > most {
            targets.truncate(most);
            self.record.limit(LimitHit::MaxChecks).await?;
        }
        targets.retain(|it| !self.record.is_known(it.url.as_str()));
        self.checks_known = self.record.counts().1 + targets.len() as u64;
        self.check_all(targets).await
    }

    /// All targets that no page read answers, by URL: the same whatever was checked before, so
    /// that the limit cuts them at the same place.
    fn targets(&mut self) -> Vec<Target> {
        let mut targets: BTreeMap<String, Target> = BTreeMap::new();
        let mut trapped = Vec::new();
        for link in self.record.pages().flat_map(|it| &it.links) {
            let LinkTarget::Web { url, fragment } = &link.target else {
                continue;
            };
            let wants_names = fragment.is_some() && link.is_followed_by_readers();
            if let Some(known) = targets.get_mut(url) {
                known.wants_names |= wants_names;
                continue;
            }
            if self.record.page(url).is_some() || self.was_read(url) {
                continue;
            }
            let Ok(parsed) = Url::parse(url) else {
                continue;
            };
            let is_internal = self.tools.scope.contains(&parsed);
            if !is_internal && (!self.plan.check_external || is_loopback(&parsed)) {
                continue;
            }
            if is_internal {
                match self.frontier.admit(url) {
                    Ok(_) => {}
                    Err(limit) => {
                        trapped.push(limit);
                        continue;
                    }
                }
            }
            targets.insert(
                url.clone(),
                Target {
                    url: parsed,
                    is_internal,
                    wants_names,
                },
            );
        }
        self.trapped.extend(trapped);
        targets.into_values().collect()
    }

    /// Whether a level asked for it already, so that it does not count as a check.
    pub(super) fn was_read(&self, url: &str) -> bool {
        self.asked_as_page.contains(url)
    }

    async fn check_all(&mut self, targets: Vec<Target>) -> Result<(), SiteReadError> {
        for limit in std::mem::take(&mut self.trapped) {
            self.record.limit(limit).await?;
        }
        let tools = &self.tools;
        let most = tools.fetcher.settings.connections_per_crawl.max(1) as usize;
        let mut waiting = by_turns(targets).into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            let late = self.begun.elapsed() > tools.fetcher.settings.max_duration;
            while running.len() < most && !late {
                let Some(target) = waiting.next() else { break };
                running.push(check(tools.fetcher, &tools.robots, target));
            }
            let Some(first) = running.next().await else {
                break;
            };
            let mut steps = vec![CrawlStep::Check(Box::new(first))];
            while let Some(Some(more)) = running.next().now_or_never() {
                steps.push(CrawlStep::Check(Box::new(more)));
            }
            self.record.add(steps).await?;
            self.tell_progress();
        }
        if waiting.next().is_some() {
            self.record.limit(LimitHit::Duration).await?;
        }
        Ok(())
    }
}

/// One target of each domain in turn, so that waiting for one does not hold up the others.
fn by_turns(targets: Vec<Target>) -> Vec<Target> {
    let mut hosts: BTreeMap<String, VecDeque<Target>> = BTreeMap::new();
    for target in targets {
        let host = registrable_domain(target.url.host_str().unwrap_or_default());
        hosts.entry(host).or_default().push_back(target);
    }
    let mut turns = Vec::new();
    while !hosts.is_empty() {
        turns.extend(hosts.values_mut().filter_map(VecDeque::pop_front));
        hosts.retain(|_, it| !it.is_empty());
    }
    turns
}
