//! Rendering: pages are rendered before they are recorded, so that the journal has both versions in one step.

use super::{Crawl, Tools};
use crate::browser::{NotShown, Renderer, Shown};
use crate::extract::{Arrival, read_page};
use crate::journal::Record;
use analysis::observation::page_content::{PageContent, RenderFailure, Rendered, RenderedPage};
use analysis::observation::web_site::CrawlStep;
use futures_util::{future::BoxFuture, stream::FuturesUnordered};
use std::{borrow::Cow, collections::HashSet};
use url::Url;

/// Fetched pages that wait for rendering; fetching pauses at this limit.
const MOST_WAITING: usize = 8;

#[derive(Default)]
pub(super) struct RenderQueue<'a> {
    pub(super) showing: FuturesUnordered<BoxFuture<'a, Vec<CrawlStep>>>,
    known: HashSet<String>,
}

impl<'a> RenderQueue<'a> {
    pub(super) fn has_room(&self) -> bool {
        self.showing.len() < MOST_WAITING
    }

    /// Queues steps with pages to render; returns steps to record now. Steps of one batch stay together.
    pub(super) fn take(
        &mut self,
        mut steps: Vec<CrawlStep>,
        tools: &'a Tools<'_>,
        record: &Record<'_>,
    ) -> Vec<CrawlStep> {
        let Some(renderer) = &tools.renderer else {
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
        self.showing
            .push(Box::pin(tools.with_pages_shown(renderer, steps)));
        Vec::new()
    }
}

impl Crawl<'_> {
    pub(super) fn room_for_rendering(&self) -> u64 {
        if self.tools.renderer.is_none() || self.is_late() {
            return 0;
        }
        u64::from(self.plan.render.pages()).saturating_sub(self.pages_met)
    }
}

impl Tools<'_> {
    async fn with_pages_shown(
        &self,
        renderer: &Renderer,
        mut steps: Vec<CrawlStep>,
    ) -> Vec<CrawlStep> {
        for step in &mut steps {
            if let CrawlStep::Page(page) = step {
                page.rendered = Some(self.rendered(renderer, page).await);
            }
        }
        steps
    }

    async fn rendered(&self, renderer: &Renderer, sent: &PageContent) -> Rendered {
        let failed = |NotShown { reason, detail }| Rendered::Failed { reason, detail };
        let Ok(url) = Url::parse(&sent.url) else {
            return failed(RenderFailure::Unreachable.into());
        };
        let distance = self.robots.delay_of(&url).unwrap_or_default();
        self.fetcher.keep_distance(&url, distance);
        match renderer.show(&url).await {
            Err(reason) => failed(reason),
            Ok(shown) => {
                let sent = sent.clone();
                let compared = tokio::task::spawn_blocking(move || beside(&sent, &shown, &url));
                let compared = compared.await.map(Rendered::Shown);
                compared.unwrap_or_else(|_| failed(RenderFailure::TooHeavy.into()))
            }
        }
    }
}

/// Reads the rendered document like the sent one, with the same headers.
fn beside(sent: &PageContent, shown: &Shown, url: &Url) -> RenderedPage {
    let content = read_page(Arrival {
        bytes: Cow::Borrowed(shown.html.as_bytes()),
        charset: Some("utf-8"),
        url,
        fetched: sent.fetched.clone(),
        response: sent.response.clone(),
        depth: sent.depth,
        discovery: sent.discovery,
    });
    RenderedPage::beside(sent, &content, shown.settled)
}
