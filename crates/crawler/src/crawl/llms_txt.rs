use super::Crawl;
use crate::fetch::{BodyLimit, Want};
use analysis::observation::web_site::{CrawlStep, LlmsTxtFact};
use domain::ports::site_reader::SiteReadError;

const MAX_BYTES: usize = 64 << 10;

impl Crawl<'_> {
    /// Requested once, if robots.txt allows it; recorded only if the server answers.
    pub(super) async fn read_llms_txt(&mut self) -> Result<(), SiteReadError> {
        if self.record.site().is_some_and(|it| it.llms_txt.is_some()) {
            return Ok(());
        }
        let context = &self.context;
        let Ok(url) = context.start.join("/llms.txt") else {
            return Ok(());
        };
        if !context.robots.allows(context.fetcher, &url).await {
            return Ok(());
        }
        let limit = BodyLimit {
            encoded: MAX_BYTES,
            decoded: MAX_BYTES,
        };
        let want = Want::Everything(limit);
        let answer = context
            .fetcher
            .fetch_with_retries(&url, want, Some(&context.robots))
            .await;
        let fetched = &answer.fetched;
        let answered = fetched.status.filter(|_| fetched.failure.is_none());
        let Some(status) = answered.filter(|_| !answer.blocked) else {
            return Ok(());
        };
        let body = answer.body.filter(|_| fetched.is_success());
        let text = body.map(|it| String::from_utf8_lossy(&it.bytes).into_owned());
        let fact = LlmsTxtFact {
            status,
            text: text.unwrap_or_default(),
        };
        self.record.add(vec![CrawlStep::LlmsTxt(fact)]).await
    }
}
