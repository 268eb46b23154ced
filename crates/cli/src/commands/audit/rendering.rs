use analysis::findings::content::ContentSummary;
use domain::ports::site_reader::{CrawlPlan, Rendering, SiteReader};

pub(super) struct RenderStatus {
    /// 0 if rendering is off.
    requested_pages: u32,
    /// `None` without a browser.
    browser: Option<String>,
}

impl RenderStatus {
    pub(super) async fn detect(plan: &CrawlPlan, reader: &dyn SiteReader) -> Self {
        let browser = match plan.render {
            Rendering::No => None,
            Rendering::UpTo(_) => reader.browser().await,
        };
        Self {
            requested_pages: plan.render.pages(),
            browser,
        }
    }

    pub(super) fn describe(&self, content: &ContentSummary) -> String {
        let (shown, failed) = (content.rendered_pages, content.render_failures);
        match (self.requested_pages, &self.browser) {
            (0, _) => {
                "No page was rendered in a browser: all findings describe the documents as they were sent.".to_owned()
            }
            (_, None) => {
                "No page was rendered, because there is no browser: all findings describe the documents as they were sent.".to_owned()
            }
            (_, Some(browser)) => format!(
                "{shown} of {} pages were rendered in {browser}, {failed} could not be.",
                content.pages
            ),
        }
    }
}
