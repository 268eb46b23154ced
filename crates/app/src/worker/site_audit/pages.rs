//! What is found on the pages that a crawl has recorded: two walks over its journal.

use super::{Audited, STAGED_TOGETHER, Staging, journal::StoredJournal};
use crate::worker::{Tools, attempt::Broken};
use analysis::{
    document::Document,
    findings::{
        envelope::FindingContext,
        site_audit::{AuditContext, PageRecord, Site, SiteCards, judge},
    },
    observation::page_content::PageContent,
};
use crawler::AiRobots;
use domain::{
    job::Job,
    keyword::KeywordChoice,
    ports::{
        site_reader::{JournalError, RecordedPages},
        storage::StorageError,
    },
    results::StagedFinding,
};
use std::{collections::HashMap, sync::Arc};
use tokio::sync::mpsc;

/// Keywords that are read at once.
const KEYWORDS: u32 = 500;
/// Parts of pages, and of records, that may wait for the other side.
const WAITING: usize = 2;

/// Judges every page with its links and stages the records; nothing when the attempt has to stop.
pub(super) async fn audit(
    tools: &Tools,
    job: &Job,
    mut cards: SiteCards,
    robots: AiRobots,
    journal: &StoredJournal<'_>,
    staging: &Staging<'_>,
) -> Result<Option<Audited>, Broken> {
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
    let context = Arc::new(AuditContext {
        finding: FindingContext {
            project_id: job.project.0,
            measured_at: tools.clock.now(),
        },
        keywords: keywords(tools, job).await?,
    });
    let complete = move || {
        let robots = Arc::new(robots);
        let verdicts = {
            let robots = Arc::clone(&robots);
            move |url: &str| robots.verdicts(url)
        };
        (cards.complete(&verdicts), robots)
    };
    let known = tokio::task::spawn_blocking(complete).await?;
    judged(known, context, journal, staging).await
}

/// Reads pages, judges them on a thread of their own and stages what comes of it, side by side.
async fn judged(
    (site, robots): (Site, Arc<AiRobots>),
    context: Arc<AuditContext>,
    journal: &StoredJournal<'_>,
    staging: &Staging<'_>,
) -> Result<Option<Audited>, Broken> {
    let (give, mut taken) = mpsc::channel::<Vec<PageContent>>(WAITING);
    let (hand_out, mut records) = mpsc::channel::<Vec<StagedFinding>>(WAITING);
    let judging = tokio::task::spawn_blocking(move || {
        let pages = std::iter::from_fn(|| taken.blocking_recv()).flatten();
        let mut staged = Vec::with_capacity(STAGED_TOGETHER);
        let measured_at = context.finding.measured_at;
        let verdicts = move |url: &str| robots.verdicts(url);
        let summaries = judge(&site, &context, &verdicts, pages, |record| {
            staged.push(staged_record(record, measured_at));
            if staged.len() == STAGED_TOGETHER {
                // Nobody takes them any more when the attempt is over.
                let _ = hand_out.blocking_send(std::mem::take(&mut staged));
            }
        });
        let _ = hand_out.blocking_send(staged);
        let history = site.into_link_history(&context);
        Audited {
            summaries,
            link_history: Document::of(&history),
        }
    });
    let reading = async {
        let mut pages = RecordedPages::of(journal);
        while let Some(part) = pages.next_part().await.map_err(unreadable)? {
            if staging.state.stop.is_cancelled() || give.send(part).await.is_err() {
                break;
            }
        }
        drop(give);
        Ok::<(), Broken>(())
    };
    let storing = async {
        while let Some(part) = records.recv().await {
            staging.add(&part).await?;
        }
        Ok::<(), Broken>(())
    };
    tokio::try_join!(reading, storing)?;
    let audited = judging.await?;
    Ok((!staging.state.stop.is_cancelled()).then_some(audited))
}

/// What people find each page with, the best ranked first.
async fn keywords(tools: &Tools, job: &Job) -> Result<HashMap<String, Vec<String>>, StorageError> {
    let mut ranked: HashMap<String, Vec<(u32, String)>> = HashMap::new();
    let mut after = None;
    loop {
        let mut read = tools.storage.read().await?;
        let part = read
            .keywords()
            .active_batch(
                job.account,
                job.project,
                &KeywordChoice::All,
                after,
                KEYWORDS,
            )
            .await?;
        let Some(last) = part.last() else { break };
        after = Some(last.id);
        for keyword in part {
            let latest = keyword.latest.as_ref();
            let Some((position, url)) = latest.and_then(|it| it.position.zip(it.url.clone()))
            else {
                continue;
            };
            let place = ranked.entry(url).or_default();
            place.push((position, keyword.text.to_string()));
        }
    }
    let sorted = ranked.into_iter().map(|(url, mut found)| {
        found.sort();
        (url, found.into_iter().map(|it| it.1).collect())
    });
    Ok(sorted.collect())
}

fn staged_record(record: PageRecord, measured_at: chrono::DateTime<chrono::Utc>) -> StagedFinding {
    StagedFinding {
        result_type: record.result_type,
        ordinal: i64::try_from(record.place).unwrap_or(i64::MAX),
        keyword: None,
        url: Some(record.url),
        sort_value: record.sort_value,
        measured_at,
        record: record.record,
    }
}

fn unreadable(error: JournalError) -> Broken {
    StorageError::Unavailable(error.0).into()
}
