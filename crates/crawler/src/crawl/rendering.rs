//! Rendering: pages are rendered before they are recorded, so that the journal has both versions in one step.

use super::{Crawl, CrawlContext};
use crate::browser::{RenderError, RenderedHtml, Renderer};
use crate::extract::{ReceivedPage, read_page};
use crate::journal::Record;
use analysis::observation::page_content::{PageContent, RenderFailure, Rendered, RenderedPage};
use analysis::observation::web_site::CrawlStep;
use futures_util::{future::BoxFuture, stream::FuturesUnordered};
use std::{borrow::Cow, collections::HashSet};
use url::Url;

/// Fetched pages that wait for rendering; fetching pauses at this limit.
const MAX_WAITING: usize = 8;

#[derive(Default)]
pub(super) struct RenderQueue<'a> {
    pub(super) rendering: FuturesUnordered<BoxFuture<'a, Vec<CrawlStep>>>,
    known: HashSet<String>,
}

impl<'a> RenderQueue<'a> {
    pub(super) fn has_capacity(&self) -> bool {
        self.rendering.len() < MAX_WAITING
    }

    /// Queues steps with pages to render; returns steps to record now. Steps of one batch stay together.
    pub(super) fn queue_pages(
        &mut self,
        mut steps: Vec<CrawlStep>,
        context: &'a CrawlContext<'_>,
        record: &Record<'_>,
    ) -> Vec<CrawlStep> {
        let Some(renderer) = &context.renderer else {
            return steps;
        };
        steps.retain(|it| match it {
            // Several redirects may lead to one page.
            CrawlStep::Page(page) => {
                record.page(&page.url).is_none() && self.known.insert(page.url.clone())
            }
            _ => true,
        });
        if !steps.iter().any(|it| matches!(it, CrawlStep::Page(_))) {
            return steps;
        }
        self.rendering
            .push(Box::pin(context.render_pages(renderer, steps)));
        Vec::new()
    }
}

impl Crawl<'_> {
    pub(super) fn pages_left_to_render(&self) -> u64 {
        if self.context.renderer.is_none() || self.is_over_time() {
            return 0;
        }
        u64::from(self.plan.render.pages()).saturating_sub(self.pages_found)
    }
}

impl CrawlContext<'_> {
    async fn render_pages(&self, renderer: &Renderer, mut steps: Vec<CrawlStep>) -> Vec<CrawlStep> {
        for step in &mut steps {
            if let CrawlStep::Page(page) = step {
                page.rendered = Some(self.render_page(renderer, page).await);
            }
        }
        steps
    }

    async fn render_page(&self, renderer: &Renderer, sent: &PageContent) -> Rendered {
        let failed = |RenderError { reason, detail }| Rendered::Failed { reason, detail };
        let Ok(url) = Url::parse(&sent.url) else {
            return failed(RenderFailure::Unreachable.into());
        };
        let distance = self.robots.crawl_delay(&url).unwrap_or_default();
        self.fetcher.set_crawl_delay(&url, distance);
        match renderer.render(&url).await {
            Err(reason) => failed(reason),
            Ok(shown) => {
                let sent = sent.clone();
                let compared =
                    tokio::task::spawn_blocking(move || compare_documents(&sent, &shown, &url));
                let compared = compared.await.map(Rendered::Shown);
                compared.unwrap_or_else(|_| failed(RenderFailure::TooHeavy.into()))
            }
        }
    }
}

/// Reads the rendered document like the sent one, with the same headers.
fn compare_documents(sent: &PageContent, shown: &RenderedHtml, url: &Url) -> RenderedPage {
    let content = read_page(ReceivedPage {
        bytes: Cow::Borrowed(shown.html.as_bytes()),
        charset: Some("utf-8"),
        url,
        fetched: sent.fetched.clone(),
        response: sent.response.clone(),
        depth: sent.depth,
        discovery: sent.discovery,
    });
    RenderedPage::compare(sent, &content, shown.settled)
}
