//! Evaluates the crawled pages in two passes over the journal.

use super::changes::{Changes, FailedVisit, Staged, Visit};
use super::journal::StoredJournal;
use super::{Audited, STAGE_BATCH, Staging};
use crate::{WorkerContext, attempt_state::AttemptFailure, web_vitals::newest_vitals};
use analysis::document::Document;
use analysis::findings::content_changes::{ChangeContext, ChangeSource, PageOwner};
use analysis::findings::envelope::FindingContext;
use analysis::findings::vitals::VitalsRecord;
use analysis::findings::{
    SiteAudit,
    site_collector::{AuditContext, PageRecord, Site, SiteCollector},
};
use analysis::observation::web_site::{CrawlScope, TargetCheck};
use crawler::AiRobots;
use domain::job::{Job, Trigger};
use domain::ports::site_reader::{JournalError, RecordedPages};
use domain::ports::storage::StorageError;
use domain::results::StagedFinding;
use std::{collections::HashMap, sync::Arc};
use tokio::sync::mpsc;

/// Keywords per batch.
const KEYWORDS: u32 = 500;
/// Capacity of the channels between reading, evaluating and storing.
const CHANNEL_CAPACITY: usize = 1;
/// Stored pages loaded per batch of failed visits.
const FAILED_VISIT_BATCH: usize = 100;

pub(super) struct Crawled<'a> {
    pub(super) job: &'a Job,
    pub(super) journal: &'a StoredJournal<'a>,
    pub(super) staging: &'a Staging<'a>,
    pub(super) scope: CrawlScope,
    pub(super) without_a_page: Vec<TargetCheck>,
}

/// Evaluates every page with its links and stages the records; `None` if the attempt has to stop.
pub(super) async fn audit(
    tools: &WorkerContext,
    mut cards: SiteCollector,
    robots: AiRobots,
    of: &Crawled<'_>,
) -> Result<Option<Audited>, AttemptFailure> {
    let mut pages = RecordedPages::of(of.journal);
    while let Some(part) = pages.next_part().await.map_err(unreadable)? {
        if of.staging.state.stop.is_cancelled() {
            return Ok(None);
        }
        let evaluated_pages = part.len();
        let add = move || {
            for recorded in &part {
                cards.add(&recorded.page);
            }
            cards
        };
        cards = tokio::task::spawn_blocking(add).await?;
        of.journal.add_evaluated_pages(evaluated_pages);
    }
    let context = Arc::new(AuditContext {
        finding: FindingContext {
            project_id: of.job.project.0,
            measured_at: tools.core.clock.now(),
        },
        keywords: keywords(tools, of.job).await?,
        vitals: vitals(tools, of.job).await?,
    });
    let complete = move || {
        let robots = Arc::new(robots);
        let verdicts = {
            let robots = Arc::clone(&robots);
            move |url: &str| robots.verdicts(url)
        };
        (cards.finish(&verdicts), robots)
    };
    let known = tokio::task::spawn_blocking(complete).await?;
    evaluate_pages(known, context, of).await
}

enum EvaluationInput {
    Read(Vec<Visit>),
    Failed(Vec<FailedVisit>),
}

/// Reads, evaluates (on a blocking thread) and stages pages concurrently.
async fn evaluate_pages(
    (site, robots): (Site, Arc<AiRobots>),
    context: Arc<AuditContext>,
    of: &Crawled<'_>,
) -> Result<Option<Audited>, AttemptFailure> {
    let (input_sender, mut input_receiver) = mpsc::channel::<EvaluationInput>(CHANNEL_CAPACITY);
    let (staged_sender, mut records) = mpsc::channel::<Staged>(CHANNEL_CAPACITY);
    let change = of.change_context();
    let evaluating = tokio::task::spawn_blocking(move || {
        let verdicts = move |url: &str| robots.verdicts(url);
        let mut audit = SiteAudit::of(&site, &context, &verdicts);
        let measured_at = context.finding.measured_at;
        let mut changes = Changes::new(change, measured_at);
        let mut staged = Staged::default();
        while let Some(part) = input_receiver.blocking_recv() {
            match part {
                EvaluationInput::Read(visits) => {
                    for visit in &visits {
                        let page = &visit.recorded.page;
                        changes.add_read(visit, audit.site_facts(&page.url), &mut staged)?;
                        let findings = &mut staged.findings;
                        let mut add = |record| findings.push(staged_record(record, measured_at));
                        audit.evaluate(page, &mut add);
                        hand_over(&staged_sender, &mut staged, STAGE_BATCH);
                    }
                }
                EvaluationInput::Failed(visits) => {
                    for visit in &visits {
                        changes.add_failed(visit, &mut staged)?;
                        hand_over(&staged_sender, &mut staged, STAGE_BATCH);
                    }
                }
            }
        }
        let findings = &mut staged.findings;
        let mut summaries =
            audit.finish(|record| findings.push(staged_record(record, measured_at)));
        summaries.push(changes.summary());
        hand_over(&staged_sender, &mut staged, 0);
        let history = site.into_link_history(&context);
        Ok::<_, StorageError>(Audited {
            summaries,
            link_history: Document::of(&history),
        })
    });
    let reading = async {
        of.read(&input_sender).await?;
        drop(input_sender);
        Ok::<(), AttemptFailure>(())
    };
    let storing = async {
        while let Some(part) = records.recv().await {
            of.staging.add(&part).await?;
        }
        Ok::<(), AttemptFailure>(())
    };
    tokio::try_join!(reading, storing)?;
    let audited = evaluating.await??;
    Ok((!of.staging.state.stop.is_cancelled()).then_some(audited))
}

/// Sends the staged batch once it is large enough; after the end of the attempt the receiver is closed.
fn hand_over(to: &mpsc::Sender<Staged>, staged: &mut Staged, enough: usize) {
    if staged.findings.len() >= enough {
        let _ = to.blocking_send(std::mem::take(staged));
    }
}

impl Crawled<'_> {
    /// Sends all journal pages with their stored versions, then stored pages with a failed request.
    async fn read(
        &self,
        input_sender: &mpsc::Sender<EvaluationInput>,
    ) -> Result<(), AttemptFailure> {
        let mut pages = RecordedPages::of(self.journal);
        while let Some(part) = pages.next_part().await.map_err(unreadable)? {
            let urls: Vec<String> = part.iter().map(|it| it.page.url.clone()).collect();
            let mut kept = self.journal.kept().kept(&urls).await?;
            self.journal.add_evaluated_pages(part.len());
            let visits = part.into_iter().map(|recorded| Visit {
                kept: kept.remove(&recorded.page.url),
                recorded,
            });
            if self
                .send_or_stop(input_sender, EvaluationInput::Read(visits.collect()))
                .await
            {
                return Ok(());
            }
        }
        for part in self.without_a_page.chunks(FAILED_VISIT_BATCH) {
            let urls: Vec<String> = part.iter().map(|it| it.url.clone()).collect();
            let mut kept = self.journal.kept().kept(&urls).await?;
            let visits = part.iter().filter_map(|check| {
                let kept = kept.remove(&check.url)?;
                let check = check.clone();
                Some(FailedVisit { check, kept })
            });
            if self
                .send_or_stop(input_sender, EvaluationInput::Failed(visits.collect()))
                .await
            {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn send_or_stop(
        &self,
        input_sender: &mpsc::Sender<EvaluationInput>,
        part: EvaluationInput,
    ) -> bool {
        self.staging.state.stop.is_cancelled() || input_sender.send(part).await.is_err()
    }

    fn change_context(&self) -> ChangeContext {
        ChangeContext {
            project_id: self.job.project.0,
            scope: self.scope.clone(),
            source: match self.job.trigger {
                Trigger::Schedule => ChangeSource::Scheduled,
                Trigger::Api | Trigger::Session | Trigger::Mcp => ChangeSource::Manual,
            },
            owner: PageOwner::Own,
        }
    }
}

async fn vitals(
    tools: &WorkerContext,
    job: &Job,
) -> Result<HashMap<String, Vec<VitalsRecord>>, StorageError> {
    let mut by_page: HashMap<String, Vec<VitalsRecord>> = HashMap::new();
    for record in newest_vitals(tools, job).await? {
        if let Some(url) = record.envelope.url.clone() {
            by_page.entry(url).or_default().push(record);
        }
    }
    Ok(by_page)
}

/// Keywords of each page, best rank first.
async fn keywords(
    tools: &WorkerContext,
    job: &Job,
) -> Result<HashMap<String, Vec<String>>, StorageError> {
    let mut ranked: HashMap<String, Vec<(u32, String)>> = HashMap::new();
    let mut walk = tools.core.walk_keywords(job.account, job.project, KEYWORDS);
    while let Some(part) = walk.next().await? {
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
        ordinal: i64::try_from(record.ordinal).unwrap_or(i64::MAX),
        keyword: None,
        url: Some(record.url),
        sort_value: record.sort_value,
        measured_at,
        record: record.record,
    }
}

fn unreadable(error: JournalError) -> AttemptFailure {
    StorageError::Unavailable(error.0).into()
}
