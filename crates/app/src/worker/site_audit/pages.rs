//! What is found on the pages that a crawl has recorded: two walks over its journal.

use super::{Staging, journal::StoredJournal};
use crate::worker::{Tools, attempt::Broken};
use analysis::findings::site_audit::{
    FindingContext, PageAudit, PageRecord, SiteCards, TypeSummary,
};
use domain::{
    job::Job,
    ports::{site_reader::RecordedPages, storage::StorageError},
    results::StagedFinding,
};

/// Judges every page and stages its records; nothing when the attempt has to stop.
pub(super) async fn audit(
    tools: &Tools,
    job: &Job,
    journal: &StoredJournal<'_>,
    staging: &Staging<'_>,
) -> Result<Option<Vec<TypeSummary>>, Broken> {
    let mut cards = SiteCards::default();
    let mut pages = RecordedPages::of(journal);
    while let Some(part) = pages.next_part().await.map_err(unreadable)? {
        if staging.state.stop.is_cancelled() {
            return Ok(None);
        }
        let add = move || {
            for page in &part {
                cards.add(page);
            }
            cards
        };
        cards = tokio::task::spawn_blocking(add).await?;
    }
    let context = FindingContext {
        project_id: job.project.0,
        measured_at: tools.clock.now(),
    };
    let mut audit = PageAudit::begin(cards.complete(), context);
    let mut pages = RecordedPages::of(journal);
    while let Some(part) = pages.next_part().await.map_err(unreadable)? {
        if staging.state.stop.is_cancelled() {
            return Ok(None);
        }
        let judge = move || {
            let records: Vec<StagedFinding> = part
                .iter()
                .flat_map(|page| audit.judge(page))
                .map(|record| staged(record, context))
                .collect();
            (audit, records)
        };
        let (judged, records) = tokio::task::spawn_blocking(judge).await?;
        audit = judged;
        staging.add(&records).await?;
    }
    Ok(Some(audit.summaries()))
}

fn staged(record: PageRecord, context: FindingContext) -> StagedFinding {
    StagedFinding {
        result_type: record.result_type,
        ordinal: i64::try_from(record.place).unwrap_or(i64::MAX),
        keyword: None,
        url: Some(record.url),
        sort_value: None,
        measured_at: context.measured_at,
        record: record.record,
    }
}

fn unreadable(error: domain::ports::site_reader::JournalError) -> Broken {
    StorageError::Unavailable(error.0).into()
}
