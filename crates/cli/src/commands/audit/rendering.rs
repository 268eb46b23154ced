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
                "No pages were rendered in a browser: all findings describe the HTML documents without scripts.".to_owned()
            }
            (_, None) => {
                "No pages were rendered, because no browser was found: all findings describe the HTML documents without scripts.".to_owned()
            }
            (_, Some(browser)) => format!(
                "{shown} of {} pages were rendered in {browser}, {failed} failed.",
                content.pages
            ),
        }
    }
}
