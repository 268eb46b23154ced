//! Pages of earlier crawls that are not linked anymore: whether they still exist.

use super::Crawl;
use crate::check::{Target, check_target};
use analysis::observation::web_site::CrawlStep;
use domain::ports::site_reader::SiteReadError;
use futures_util::stream::{FuturesUnordered, StreamExt};
use url::Url;

/// A site that changed all its URLs has many.
const MAX_REVISITS: usize = 1_000;

impl Crawl<'_> {
    pub(super) async fn revisit(&mut self) -> Result<(), SiteReadError> {
        let targets = self.unlinked_pages().await?;
        self.revisits.total = targets.len() as u64;
        let (fetcher, robots) = (self.context.fetcher, &self.context.robots);
        let max_running = fetcher.settings.connections_per_crawl.max(1) as usize;
        let mut waiting = targets.into_iter();
        let mut running = FuturesUnordered::new();
        loop {
            while running.len() < max_running && !self.record.is_stopping() {
                let Some(target) = waiting.next() else { break };
                running.push(check_target(fetcher, robots, target));
            }
            if self.is_over_time() {
                break;
            }
            let Some(checked) = running.next().await else {
                break;
            };
            let step = CrawlStep::Revisit(Box::new(checked));
            self.record.add(vec![step]).await?;
            self.revisits.done += 1;
            self.report_progress();
        }
        self.record.ensure_running()
    }

    async fn unlinked_pages(&self) -> Result<Vec<Target>, SiteReadError> {
        let earlier = self.record.journal().earlier();
        let mut targets = Vec::new();
        let mut behind = None;
        loop {
            let urls = earlier.urls(behind).await?;
            let Some(last) = urls.last() else {
                return Ok(targets);
            };
            behind = Some(last.clone());
            let parsed = { urls.iter() }
                .filter(|it| !self.was_visited(it))
                .filter_map(|it| Url::parse(it).ok());
            let own = parsed.filter(|it| self.context.scope.contains(it));
            targets.extend(own.map(|url| Target {
                url,
                is_internal: true,
                needs_anchor_names: false,
            }));
            if targets.len() >= MAX_REVISITS {
                targets.truncate(MAX_REVISITS);
                return Ok(targets);
            }
        }
    }

    fn was_visited(&self, url: &str) -> bool {
        self.record.number(url).is_some_and(|it| {
            let record = &self.record;
            record.is_known(it) || record.was_revisited(it) || self.requested_as_page.contains(it)
        })
    }
}
