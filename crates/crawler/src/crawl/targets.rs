//! Link targets that are not pages: resources, pages beyond the limits, other hosts.

use super::Crawl;
use crate::check::{Target, check_target};
use crate::journal::KnownTarget;
use analysis::observation::page_url::{is_loopback, registrable_domain};
use analysis::observation::web_site::{CrawlStep, LimitHit};
use domain::ports::site_reader::SiteReadError;
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, VecDeque};
use url::Url;

impl Crawl<'_> {
    pub(super) async fn check_targets(&mut self) -> Result<(), SiteReadError> {
        let mut targets = self.targets();
        let settings = &self.context.fetcher.settings;
        let (max_checks, max_external_checks) = (settings.max_checks, settings.max_external_checks);
        if apply_limits(
            &mut targets,
            max_checks as usize,
            max_external_checks as usize,
        ) {
            self.record.record_limit(LimitHit::MaxChecks).await?;
        }
        targets.retain(|it| !self.record.is_known(it.number));
        self.checks_known = self.record.counts().1 + targets.len() as u64;
        self.report_progress();
        let targets = targets.into_iter().filter_map(|it| {
            Some(Target {
                url: Url::parse(self.record.url(it.number)).ok()?,
                is_internal: it.is_internal,
                needs_anchor_names: it.needs_anchor_names,
            })
        });
        self.check_all(targets.collect()).await
    }

    /// Unchecked targets sorted by URL, so that the limit cuts at the same place on resume.
    fn targets(&mut self) -> Vec<KnownTarget> {
        let mut targets = Vec::new();
        for at in 0..self.record.target_count() {
            let Some(target) = self.record.target(at) else {
                break;
            };
            let number = target.number;
            // URLs requested by a level do not count as checks.
            if self.record.page_at(number).is_some() || self.requested_as_page.contains(number) {
                continue;
            }
            let Ok(url) = Url::parse(self.record.url(number)) else {
                continue;
            };
            if !target.is_internal && (!self.plan.check_external || is_loopback(&url)) {
                continue;
            }
            if target.is_internal
                && let Err(limit) = self.admit(number)
            {
                self.target_limits.insert(limit);
                continue;
            }
            targets.push(target);
        }
        let url = |it: &KnownTarget| self.record.url(it.number);
        targets.sort_unstable_by(|one, other| url(one).cmp(url(other)));
        targets
    }

    async fn check_all(&mut self, targets: Vec<Target>) -> Result<(), SiteReadError> {
        for limit in std::mem::take(&mut self.target_limits) {
            self.record.record_limit(limit).await?;
        }
        let context = &self.context;
        let max_running = context.fetcher.settings.connections_per_crawl.max(1) as usize;
        let mut waiting = interleave_domains(targets).into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            let late = self.begun.elapsed() > context.fetcher.settings.max_duration;
            while running.len() < max_running && !late && !self.record.is_stopping() {
                let Some(target) = waiting.next() else { break };
                running.push(check_target(context.fetcher, &context.robots, target));
            }
            let Some(first) = running.next().await else {
                break;
            };
            let mut steps = vec![CrawlStep::Check(Box::new(first))];
            while let Some(Some(more)) = running.next().now_or_never() {
                steps.push(CrawlStep::Check(Box::new(more)));
            }
            self.record.add(steps).await?;
            self.report_progress();
        }
        self.record.ensure_running()?;
        if waiting.next().is_some() {
            self.record.record_limit(LimitHit::Duration).await?;
        }
        Ok(())
    }
}

/// Keeps `max_targets` targets, `max_external` of them external; true if any were removed.
fn apply_limits(targets: &mut Vec<KnownTarget>, max_targets: usize, max_external: usize) -> bool {
    let before = targets.len();
    let mut external = 0;
    targets.retain(|it| {
        external += usize::from(!it.is_internal);
        it.is_internal || external <= max_external
    });
    targets.truncate(max_targets);
    targets.len() < before
}

/// Interleaves domains, so that a slow one does not delay the others.
fn interleave_domains(targets: Vec<Target>) -> Vec<Target> {
    let mut hosts: BTreeMap<String, VecDeque<Target>> = BTreeMap::new();
    for target in targets {
        let host = registrable_domain(target.url.host_str().unwrap_or_default());
        hosts.entry(host).or_default().push_back(target);
    }
    let mut interleaved = Vec::new();
    while !hosts.is_empty() {
        interleaved.extend(hosts.values_mut().filter_map(VecDeque::pop_front));
        hosts.retain(|_, it| !it.is_empty());
    }
    interleaved
}
