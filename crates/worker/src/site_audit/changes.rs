//! Changes since the last crawl: of pages that were read, and of stored pages that could not be read.

use super::earlier::earlier_page;
use analysis::document::Document;
use analysis::findings::content_changes::{Baseline, ChangeContext, SiteFacts};
use analysis::findings::site_changes::{SiteChanges, VisitResult, unread_reason};
use analysis::findings::site_collector::TypeSummary;
use analysis::observation::web_site::TargetCheck;
use analysis::result_type::ResultType;
use chrono::{DateTime, Utc};
use domain::kept_pages::{KeptPage, StagedContent, StagedPage, Validators};
use domain::ports::site_reader::RecordedPage;
use domain::ports::storage::StorageError;
use domain::results::StagedFinding;

pub(super) struct Visit {
    pub(super) recorded: RecordedPage,
    pub(super) kept: Option<KeptPage>,
}

/// A stored page, and the failed request for it.
pub(super) struct FailedVisit {
    pub(super) check: TargetCheck,
    pub(super) kept: KeptPage,
}

#[derive(Default)]
pub(super) struct Staged {
    pub(super) findings: Vec<StagedFinding>,
    pub(super) pages: Vec<StagedPage>,
}

pub(super) struct Changes {
    site: SiteChanges,
    measured_at: DateTime<Utc>,
    record_count: i64,
}

impl Changes {
    pub(super) fn new(context: ChangeContext, measured_at: DateTime<Utc>) -> Self {
        Self {
            site: SiteChanges::new(context),
            measured_at,
            record_count: 0,
        }
    }

    pub(super) fn add_read(
        &mut self,
        visit: &Visit,
        site: SiteFacts,
        staged: &mut Staged,
    ) -> Result<(), StorageError> {
        let RecordedPage {
            sequence: place,
            page,
        } = &visit.recorded;
        let earlier = visit.kept.as_ref().map(earlier_page).transpose()?;
        let visited = self.site.compare_page(page, site, earlier.as_ref());
        let content = (visited.baseline == Baseline::After).then(|| StagedContent {
            entry: *place,
            validators: Validators::of(page),
        });
        self.stage(&page.url, page.fetched.at, content, visited, staged);
        Ok(())
    }

    pub(super) fn add_failed(
        &mut self,
        visit: &FailedVisit,
        staged: &mut Staged,
    ) -> Result<(), StorageError> {
        let Some(reason) = unread_reason(&visit.check, self.measured_at) else {
            return Ok(());
        };
        let at = reason.at();
        let visited = self
            .site
            .compare_unread(&earlier_page(&visit.kept)?, reason);
        self.stage(&visit.kept.url, at, None, visited, staged);
        Ok(())
    }

    fn stage(
        &mut self,
        url: &str,
        visited_at: DateTime<Utc>,
        content: Option<StagedContent>,
        visited: VisitResult,
        staged: &mut Staged,
    ) {
        staged.pages.push(StagedPage {
            url: url.to_owned(),
            visited_at,
            content,
            memory: Document::of(&visited.memory),
        });
        if let Some(record) = visited.record {
            staged.findings.push(StagedFinding {
                result_type: ResultType::ContentChanges,
                ordinal: change_ordinal(record.significance, self.record_count),
                keyword: None,
                url: Some(url.to_owned()),
                sort_value: record.significance,
                measured_at: self.measured_at,
                record: Document::of(&record),
            });
            self.record_count += 1;
        }
    }

    pub(super) fn summary(&self) -> TypeSummary {
        self.site.summary()
    }
}

/// Most significant first; ties in journal order, which is the same in every attempt.
fn change_ordinal(significance: Option<f64>, number: i64) -> i64 {
    /// In units of 0.01 %, descending; unknown significance comes last.
    const STEPS: f64 = 10_000.0;
    #[expect(clippy::cast_possible_truncation, reason = "0 to 10,001")]
    let step = significance.map_or(10_001, |it| {
        (STEPS - it.clamp(0.0, 100.0) * 100.0).round() as i64
    });
    (step << 32) | number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn significant_changes_come_first_and_unknown_last() {
        let order = [
            change_ordinal(Some(100.0), 9),
            change_ordinal(Some(34.4), 3),
            change_ordinal(Some(34.4), 4),
            change_ordinal(Some(0.0), 0),
            change_ordinal(None, 1),
        ];
        assert!(order.is_sorted_by(|one, other| one < other), "{order:?}");
        assert!(order[4] < domain::results::CARRIED_OVER_ORDINAL);
    }
}
