//! Runs a site audit: reads the site with a journal, finds what is broken, stages the records.

use super::{
    Tools,
    attempt::{AttemptState, Broken, Done},
};
use analysis::{
    document::Document,
    findings::broken_links::{self, BrokenLink, BrokenLinks, FindingContext, PreviousBrokenLinks},
    observation::web_site::CrawlStep,
    provenance::Provenance,
    result_type::ResultType,
};
use async_trait::async_trait;
use domain::{
    domain_name::SiteDomain,
    job::{
        Job,
        progress::{Progress, Stage},
    },
    ports::{
        site_reader::{
            Continue, CrawlJournal, CrawlPlan, CrawlProgress, CrawlStart, JournalError,
            SiteReadError,
        },
        storage::StorageError,
    },
    results::{Coverage, JournalEntry, ResultHead, StagedFinding},
    use_cases::{
        end_attempt::{AttemptEnd, AttemptError},
        journal_crawl::JournalCrawl,
        keep_lease::{Hold, HoldError},
        publish_results::Outcome,
        stage_findings::StageFindings,
    },
};
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicI64, Ordering},
};

/// How many records are staged in one transaction.
const STAGED_TOGETHER: usize = 500;

pub(super) async fn run(
    tools: &Tools,
    job: &Job,
    site: &SiteDomain,
    state: &AttemptState,
) -> Result<Done, Broken> {
    let journal = StoredJournal::new(tools, job, state);
    let plan = CrawlPlan {
        start: CrawlStart::Host(site.ascii().to_owned()),
        max_pages: tools.load.max_pages,
        max_depth: tools.load.max_depth,
        check_external: tools.load.check_external,
    };
    // Dropped when the attempt has to stop: what is recorded stays for the next one.
    let reading = tokio::select! {
        reading = tools.sites.read(&plan, &journal) => reading,
        () = state.stop.cancelled() => return Ok(Done::Stopped),
    };
    let observation = match reading {
        Ok(observation) => observation,
        Err(error) => return journal.explain(error),
    };
    let previous = previous(tools, job).await?;
    let context = FindingContext {
        project_id: job.project.0,
        measured_at: tools.clock.now(),
    };
    let found =
        tokio::task::spawn_blocking(move || broken_links::find(&observation, &previous, &context))
            .await?;
    stage(tools, job, &found, state).await?;
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
    Ok(Done::Results(outcome(
        tools,
        job,
        &found,
        journal.progress(),
    )))
}

/// What the run before knew of the targets.
async fn previous(tools: &Tools, job: &Job) -> Result<PreviousBrokenLinks, StorageError> {
    let mut read = tools.storage.read().await?;
    let carried = read
        .results()
        .carried(job.account, job.project, ResultType::BrokenLinks)
        .await?
        .map(|carried| carried.parse());
    let corrupt = |_| StorageError::Corrupt {
        what: "what a site audit carried over",
    };
    Ok(carried.transpose().map_err(corrupt)?.unwrap_or_default())
}

async fn stage(
    tools: &Tools,
    job: &Job,
    found: &BrokenLinks,
    state: &AttemptState,
) -> Result<(), HoldError> {
    let staging = StageFindings::new(
        Arc::clone(&tools.storage),
        Arc::clone(&tools.clock),
        tools.policy,
    );
    for (at, records) in found.records.chunks(STAGED_TOGETHER).enumerate() {
        let first = at * STAGED_TOGETHER;
        let staged: Vec<StagedFinding> = records
            .iter()
            .enumerate()
            .map(|(n, record)| staged(first + n, record))
            .collect();
        state.heed(staging.run(Hold::of(job), &staged).await?);
    }
    Ok(())
}

fn staged(place: usize, record: &BrokenLink) -> StagedFinding {
    StagedFinding {
        result_type: ResultType::BrokenLinks,
        ordinal: i64::try_from(place).unwrap_or(i64::MAX),
        keyword: None,
        url: Some(record.source_url.clone()),
        sort_value: None,
        measured_at: record.envelope.measured_at,
        record: Document::of(record),
    }
}

fn outcome(tools: &Tools, job: &Job, found: &BrokenLinks, progress: Progress) -> Outcome {
    let now = tools.clock.now();
    let summary = &found.summary;
    let unknown = u64::from(summary.unknown);
    let checked = u64::from(summary.checked);
    let head = ResultHead {
        account: job.account,
        project: job.project,
        result_type: ResultType::BrokenLinks,
        job: job.id,
        generated_at: now,
        measured_at: now,
        method_version: broken_links::METHOD.to_owned(),
        provider: "crawler".to_owned(),
        provenance: Provenance::Measured,
        coverage: Coverage::of(checked, checked.saturating_sub(unknown), unknown),
        item_count: found.records.len() as u64,
        summary: Document::of(summary),
        warnings: vec![],
    };
    Outcome {
        heads: vec![head],
        latest: vec![],
        carried: vec![(ResultType::BrokenLinks, Document::of(&found.history))],
        partial: false,
        progress: over(progress),
    }
}

fn over(progress: Progress) -> Progress {
    let stages = progress
        .stages
        .into_iter()
        .map(|stage| Stage::counted(&stage.name, stage.done, stage.done, true))
        .collect();
    Progress::of_stages(stages)
}

/// The crawl's journal, kept in the storage under the job's lease.
struct StoredJournal<'a> {
    job: &'a Job,
    state: &'a AttemptState,
    journal: JournalCrawl,
    next: AtomicI64,
    broke: Mutex<Option<HoldError>>,
}

impl<'a> StoredJournal<'a> {
    fn new(tools: &'a Tools, job: &'a Job, state: &'a AttemptState) -> Self {
        let journal = JournalCrawl::new(
            Arc::clone(&tools.storage),
            Arc::clone(&tools.clock),
            tools.policy,
        );
        Self {
            job,
            state,
            journal,
            next: AtomicI64::new(0),
            broke: Mutex::default(),
        }
    }

    fn progress(&self) -> Progress {
        self.state.progress()
    }

    /// What the end of a crawl without an observation means for the attempt.
    fn explain(&self, error: SiteReadError) -> Result<Done, Broken> {
        if let Some(broke) = self
            .broke
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            return Err(broke.into());
        }
        let later = |error| Ok(Done::End(AttemptEnd::Later { error, asked: None }));
        match error {
            SiteReadError::Stopped => Ok(Done::Stopped),
            SiteReadError::NoPage(told) => later(AttemptError {
                code: "startPageUnreadable".to_owned(),
                detail: format!("The start page cannot be read: {told}."),
                hint: Some("Mend the start page, or name another host as the project's domain; it is tried again by itself.".to_owned()),
            }),
            SiteReadError::Unreachable(unreached) => later(AttemptError {
                code: "siteUnreachable".to_owned(),
                detail: format!("The site cannot be reached over https or http: {unreached}."),
                hint: Some("Check that the domain is right and that the site answers from outside; it is tried again by itself.".to_owned()),
            }),
            SiteReadError::DisallowedByRobots => Ok(Done::End(AttemptEnd::Failed(AttemptError {
                code: "robotsDisallowed".to_owned(),
                detail: "robots.txt does not allow reading the site, or cannot be had.".to_owned(),
                hint: Some("Allow the agent `sightlinebot` in robots.txt, then start the analysis again.".to_owned()),
            }))),
            SiteReadError::Journal(error) => Err(StorageError::Unavailable(error.0).into()),
        }
    }
}

#[async_trait]
impl CrawlJournal for StoredJournal<'_> {
    async fn recorded(&self) -> Result<Vec<CrawlStep>, JournalError> {
        let entries = self
            .journal
            .recorded(Hold::of(self.job))
            .await
            .map_err(|error| JournalError(error.into()))?;
        let next = entries.last().map_or(0, |entry| entry.sequence + 1);
        self.next.store(next, Ordering::SeqCst);
        let read = |entry: &JournalEntry| {
            serde_json::from_slice(&entry.body).map_err(|error| JournalError(error.into()))
        };
        entries.iter().map(read).collect()
    }

    async fn record(&self, steps: Vec<CrawlStep>) -> Result<Continue, JournalError> {
        let mut entries = Vec::with_capacity(steps.len());
        for step in &steps {
            let body = serde_json::to_vec(step).map_err(|error| JournalError(error.into()))?;
            entries.push(JournalEntry {
                sequence: self.next.fetch_add(1, Ordering::SeqCst),
                body,
            });
        }
        match self
            .journal
            .record(Hold::of(self.job), &entries, &self.progress())
            .await
        {
            Ok(go_on) => {
                self.state.heed(go_on);
                Ok(if self.state.stop.is_cancelled() {
                    Continue::No
                } else {
                    Continue::Yes
                })
            }
            Err(error) => {
                *self.broke.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Ok(Continue::No)
            }
        }
    }

    fn progress(&self, progress: CrawlProgress) {
        let pages_are_over = progress.pages_done >= progress.pages_total;
        let checks_are_over = pages_are_over && progress.checks_done >= progress.checks_total;
        self.state.note(Progress::of_stages(vec![
            Stage::counted(
                "read pages",
                progress.pages_done,
                progress.pages_total,
                pages_are_over,
            ),
            Stage::counted(
                "check links",
                progress.checks_done,
                progress.checks_total,
                checks_are_over,
            ),
        ]));
    }
}
