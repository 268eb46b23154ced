use super::{Crawl, CrawlContext, rendering::RenderQueue};
use crate::check::robots_refusal;
use crate::extract::{EXTRACTION_VERSION, ReceivedPage, read_page};
use crate::fetch::{FetchOutcome, Want};
use crate::frontier::{UrlNumber, UrlSet};
use analysis::observation::{
    page_content::PageContent,
    web_site::{CheckState, CrawlStep, Discovery, Fetched, LimitHit, TargetCheck},
};
use domain::kept_pages::Validators;
use domain::ports::site_reader::{EarlierPages, SiteReadError};
use futures_util::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::{borrow::Cow, collections::VecDeque};
use url::Url;

/// Kept pages looked up per query.
const LOOKUP_BATCH: usize = 200;
const NOT_MODIFIED: u16 = 304;

type KeptVersion<'a> = (&'a dyn EarlierPages, Validators);

impl<'a> Crawl<'a> {
    /// Reads a level in order until the plan's page limit; returns the pages found.
    pub(super) async fn read_level(
        &mut self,
        level: &[UrlNumber],
        depth: u32,
        discovery: Discovery,
    ) -> Result<Vec<UrlNumber>, SiteReadError> {
        self.pages_known += level.len() as u64;
        let mut brought = Vec::new();
        let mut rest = level;
        while !rest.is_empty() {
            let pages_left = u64::from(self.plan.max_pages).saturating_sub(self.pages_found);
            let bound = match (pages_left, self.is_over_time()) {
                (0, _) => Some(LimitHit::MaxPages),
                (_, true) => Some(LimitHit::Duration),
                (_, false) => None,
            };
            if let Some(bound) = bound {
                self.record.record_limit(bound).await?;
                self.pages_known -= rest.len() as u64;
                break;
            }
            // As many URLs as may still become pages; while rendering, as many as may still be rendered.
            let shown = self.pages_left_to_render();
            let pages_left = if shown > 0 {
                pages_left.min(shown)
            } else {
                pages_left
            };
            let size = rest
                .len()
                .min(usize::try_from(pages_left).unwrap_or(usize::MAX));
            let (batch, others) = rest.split_at(size);
            rest = others;
            for url in batch {
                self.requested_as_page.insert(*url);
            }
            self.read_batch(batch, depth, discovery, shown > 0).await?;
            let pages: Vec<UrlNumber> = batch.iter().filter_map(|it| self.page_of(*it)).collect();
            self.pages_found += pages.len() as u64;
            // URLs that are not pages are not expected anymore.
            self.pages_known -= (batch.len() - pages.len()) as u64;
            self.non_pages_in_batch = 0;
            self.report_progress();
            brought.extend(pages);
        }
        Ok(brought)
    }

    /// The page at a URL, or the redirect target if this URL reached it first.
    fn page_of(&mut self, url: UrlNumber) -> Option<UrlNumber> {
        if self.record.page_at(url).is_some() {
            return Some(url);
        }
        let CheckState::Requested { fetched, .. } = &self.record.check_at(url)?.state else {
            return None;
        };
        let landed = self.record.page(&fetched.final_url)?.url.clone();
        let landed = self.record.urls().intern(&landed);
        (self.admit(landed) == Ok(true)).then_some(landed)
    }

    async fn read_batch(
        &mut self,
        batch: &[UrlNumber],
        depth: u32,
        discovery: Discovery,
        render: bool,
    ) -> Result<(), SiteReadError> {
        let unknown: Vec<UrlNumber> = { batch.iter().copied() }
            .filter(|it| !self.record.is_known(*it))
            .collect();
        let mut batch_urls = UrlSet::default();
        for url in batch {
            batch_urls.insert(*url);
        }
        let (_, connections) = self.context.fetcher.settings.pace(&self.context.start);
        let mut parts = unknown.chunks(LOOKUP_BATCH);
        let mut ahead = VecDeque::new();
        let mut running = FuturesUnordered::new();
        let mut queue = RenderQueue::default();
        loop {
            while !self.record.is_stopping()
                && running.len() < connections as usize
                && queue.has_capacity()
            {
                if ahead.is_empty() {
                    let Some(part) = parts.next() else { break };
                    ahead = self.load_validators(part).await?;
                }
                let Some((url, kept)) = ahead.pop_front() else {
                    break;
                };
                running.push(self.context.read(url, depth, discovery, kept));
            }
            // The fetch or rendering that completes first.
            let (is_read, mut steps) = futures_util::select! {
                steps = running.select_next_some() => (true, steps),
                steps = queue.rendering.select_next_some() => (false, steps),
                complete => return self.record.ensure_running(),
            };
            if is_read {
                self.non_pages_in_batch += u64::from(!has_page(&steps));
                while let Some(Some(more)) = running.next().now_or_never() {
                    self.non_pages_in_batch += u64::from(!has_page(&more));
                    steps.extend(more);
                }
                // A redirect target is kept unless the crawl reaches it on its own.
                steps.retain(|it| match it {
                    CrawlStep::Page(page) => {
                        let url = self.record.urls().intern(&page.url);
                        batch_urls.contains(url) || !self.frontier.contains(url)
                    }
                    _ => true,
                });
                if render {
                    steps = queue.queue_pages(steps, &self.context, &self.record);
                }
            }
            let is_full =
                |it: &CrawlStep| matches!(it, CrawlStep::Page(page) if page.has_too_many_links());
            let has_full_page = steps.iter().any(is_full);
            self.record.add(steps).await?;
            if has_full_page {
                self.record.record_limit(LimitHit::LinksOfPage).await?;
            }
            self.report_progress();
        }
    }

    async fn load_validators(
        &self,
        part: &[UrlNumber],
    ) -> Result<VecDeque<(String, Option<KeptVersion<'a>>)>, SiteReadError> {
        let earlier = self.record.journal().earlier();
        let urls: Vec<String> = { part.iter() }
            .map(|it| self.record.url(*it).to_owned())
            .collect();
        let mut validators = earlier.validators(&urls).await?;
        let kept_by_url = urls.into_iter().map(|url| {
            let kept = validators.remove(&url).map(|it| (earlier, it));
            (url, kept)
        });
        Ok(kept_by_url.collect())
    }
}

impl CrawlContext<'_> {
    /// Fetches a URL: returns a page, a check, or a check and the page it redirects to.
    async fn read(
        &self,
        text: String,
        depth: u32,
        discovery: Discovery,
        kept: Option<KeptVersion<'_>>,
    ) -> Vec<CrawlStep> {
        let text = text.as_str();
        let Ok(url) = Url::parse(text) else {
            return Vec::new();
        };
        if let Some(state) = robots_refusal(self.fetcher, &self.robots, &url).await {
            return vec![check_step(text, state)];
        }
        let robots = Some(&self.robots);
        let mut answer = match &kept {
            Some((_, validators)) => {
                let revalidation = self.fetcher.fetch_if_changed(&url, validators, robots);
                revalidation.await
            }
            None => {
                self.fetcher
                    .fetch_with_retries(&url, Want::Html, robots)
                    .await
            }
        };
        if let Some((earlier, _)) = kept.filter(|_| answer.fetched.status == Some(NOT_MODIFIED)) {
            if let Ok(Some(page)) = earlier.page(text).await
                && page.document.extraction == EXTRACTION_VERSION
            {
                let page = unchanged(page, &answer.fetched, depth, discovery);
                return vec![CrawlStep::Page(Box::new(page))];
            }
            // The kept page is unusable, so it is fetched in full.
            answer = self
                .fetcher
                .fetch_with_retries(&url, Want::Html, robots)
                .await;
        }
        if answer.blocked {
            return vec![check_step(text, CheckState::BlockedByRobots)];
        }
        let fetched = answer.fetched.clone();
        let redirected = fetched.hops() > 0;
        let mut steps = Vec::new();
        let page = self.page(answer, depth, discovery, &mut steps).await;
        if redirected || page.is_none() {
            let state = CheckState::Requested {
                fetched,
                names: None,
            };
            steps.push(check_step(text, state));
        }
        steps.extend(page.map(|it| CrawlStep::Page(Box::new(it))));
        steps
    }

    async fn page(
        &self,
        answer: FetchOutcome,
        depth: u32,
        discovery: Discovery,
        steps: &mut Vec<CrawlStep>,
    ) -> Option<PageContent> {
        let fetched = answer.fetched;
        let url = Url::parse(&fetched.final_url).ok()?;
        if !fetched.is_success() || !fetched.is_html() || !self.scope.contains(&url) {
            return None;
        }
        let (body, charset, response) = (answer.body?, answer.charset, answer.response);
        let place = url.clone();
        let fetched = Fetched {
            // Redirects are recorded with the requested URL.
            chain: fetched.chain.last().cloned().into_iter().collect(),
            ..fetched
        };
        let mut content = tokio::task::spawn_blocking(move || {
            read_page(ReceivedPage {
                bytes: Cow::Owned(body.bytes),
                charset: charset.as_deref(),
                url: &place,
                fetched,
                response,
                depth,
                discovery,
            })
        })
        .await
        .ok()?;
        let (similarity, probe) = self
            .probes
            .compare(&url, &content.text.main, &self.probe_context())
            .await;
        steps.extend(probe.map(CrawlStep::Probe));
        content.probe_similarity = similarity;
        Some(content)
    }
}

fn has_page(steps: &[CrawlStep]) -> bool {
    steps.iter().any(|it| matches!(it, CrawlStep::Page(_)))
}

/// A page answered with 304: its kept content with the current fetch.
fn unchanged(
    page: PageContent,
    revalidation: &Fetched,
    depth: u32,
    discovery: Discovery,
) -> PageContent {
    PageContent {
        depth,
        discovery,
        fetched: Fetched {
            at: revalidation.at,
            attempts: revalidation.attempts,
            ..page.fetched
        },
        // Rendered content may differ even so.
        rendered: None,
        ..page
    }
}

fn check_step(url: &str, state: CheckState) -> CrawlStep {
    CrawlStep::Check(Box::new(TargetCheck {
        url: url.to_owned(),
        state,
    }))
}
