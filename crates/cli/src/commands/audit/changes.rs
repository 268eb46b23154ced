//! Changes since the previous audit, for audits with `--snapshot`.

use super::kept_site::{KeptSite, KeptSiteWriter};
use analysis::document::Document;
use analysis::findings::content_changes::{
    Baseline, ChangeContext, ChangeSource, PageOwner, SiteFacts,
};
use analysis::findings::site_changes::{EarlierPage, SiteChanges, VisitResult, unread_reason};
use analysis::findings::site_collector::{PageRecord, TypeSummary};
use analysis::observation::page_content::PageContent;
use analysis::observation::web_site::{CrawlScope, TargetCheck};
use analysis::result_type::ResultType;
use chrono::{DateTime, Utc};
use domain::kept_pages::Validators;

pub(super) struct Changes<'a> {
    kept: &'a KeptSite,
    writer: KeptSiteWriter<'a>,
    site: SiteChanges,
    record_count: usize,
    now: DateTime<Utc>,
}

impl<'a> Changes<'a> {
    pub(super) fn since(
        kept: &'a KeptSite,
        scope: CrawlScope,
        now: DateTime<Utc>,
    ) -> anyhow::Result<Self> {
        let context = ChangeContext {
            project_id: 0,
            scope,
            source: ChangeSource::Manual,
            owner: PageOwner::Own,
        };
        Ok(Self {
            kept,
            writer: KeptSiteWriter::create(kept)?,
            site: SiteChanges::new(context),
            record_count: 0,
            now,
        })
    }

    /// There is no record on the first visit of a page.
    pub(super) fn read(
        &mut self,
        page: &PageContent,
        site: SiteFacts,
    ) -> anyhow::Result<Option<PageRecord>> {
        let earlier = self.kept.earlier(&page.url)?;
        let visited = self.site.compare_page(page, site, earlier.as_ref());
        let at = page.fetched.at;
        if let (Baseline::Before, Some(earlier)) = (visited.baseline, &earlier) {
            self.write_earlier(earlier, &visited, at)?;
        } else {
            let validators = Validators::of(page);
            self.writer
                .write_page(page, validators, &visited.memory, at)?;
        }
        Ok(self.record(visited))
    }

    pub(super) fn unread(&mut self, check: &TargetCheck) -> anyhow::Result<Option<PageRecord>> {
        let earlier = self.kept.earlier(&check.url)?;
        let (Some(earlier), Some(reason)) = (earlier, unread_reason(check, self.now)) else {
            return Ok(None);
        };
        let visited = self.site.compare_unread(&earlier, reason);
        self.write_earlier(&earlier, &visited, self.now)?;
        Ok(self.record(visited))
    }

    fn write_earlier(
        &mut self,
        earlier: &EarlierPage,
        visited: &VisitResult,
        at: DateTime<Utc>,
    ) -> anyhow::Result<()> {
        let validators = self.kept.validators_of(&earlier.page.url);
        self.writer
            .write_page(&earlier.page, validators, &visited.memory, at)
    }

    fn record(&mut self, visited: VisitResult) -> Option<PageRecord> {
        let record = visited.record?;
        self.record_count += 1;
        Some(PageRecord {
            result_type: ResultType::ContentChanges,
            ordinal: self.record_count - 1,
            url: record.envelope.url.clone().unwrap_or_default(),
            sort_value: record.significance,
            record: Document::of(&record),
        })
    }

    /// The summary, and the writer that saves the site for the next audit after this one is printed.
    pub(super) fn finish(self) -> (TypeSummary, KeptSiteWriter<'a>) {
        (self.site.summary(), self.writer)
    }
}
