//! Site audit: crawls with a journal, evaluates links and pages, stages the records.

mod changes;
mod earlier;
mod journal;
mod pages;
mod progress;

use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState};
use analysis::document::Document;
use analysis::findings::broken_links::{BrokenLinksSummary, PreviousBrokenLinks};
use analysis::findings::site_changes::checks_without_page;
use analysis::findings::site_collector::{SiteCollector, TypeSummary};
use analysis::provenance::Provenance;
use analysis::result_type::ResultType;
pub(super) use earlier::earlier_page;

use changes::Staged;
use crawler::AiRobots;
use domain::domain_name::SiteDomain;
use domain::job::Job;
use domain::job::progress::Progress;
use domain::ports::site_reader::{CrawlPlan, CrawlStart, Rendering};
use domain::ports::storage::StorageError;
use domain::results::{CarriedKind, Coverage, ResultHead};
use domain::use_cases::leases::{LeaseError, LeaseToken};
use domain::use_cases::publish_results::JobResults;
use journal::StoredJournal;
use pages::Crawled;
use progress::finished;

/// Warning code: rendering is configured, but no browser was found.
const RENDERER_MISSING: &str = "rendererNotConfigured";

/// Results that rendering improves.
const RENDERED: [ResultType; 3] = [
    ResultType::Content,
    ResultType::Schema,
    ResultType::GeoScore,
];

const STAGE_BATCH: usize = 500;

/// Warning code: no page was visited before.
const NOTHING_TO_COMPARE: &str = "noEarlierVisit";

pub(super) async fn run(
    tools: &WorkerContext,
    job: &Job,
    site: &SiteDomain,
    state: &AttemptState,
) -> Result<AttemptOutcome, AttemptFailure> {
    let journal = StoredJournal::new(tools, job, state);
    let plan = CrawlPlan {
        start: CrawlStart::Host(site.ascii().to_owned()),
        max_pages: tools.limits.max_pages,
        max_depth: tools.limits.max_depth,
        check_external: tools.limits.check_external,
        render: Rendering::of(tools.limits.render_pages),
    };
    // Dropped when the attempt has to stop: recorded steps remain for the next one.
    let reading = tokio::select! {
        reading = tools.sites.read(&plan, &journal) => reading,
        () = state.stop.cancelled() => return Ok(AttemptOutcome::Stopped),
        () = state.yield_overdue() => return Ok(AttemptOutcome::Stopped),
    };
    state.pass_last_checkpoint();
    let observation = match reading {
        Ok(observation) => observation,
        Err(error) => return journal.explain(error),
    };
    let staging = Staging { tools, job, state };
    let robots = AiRobots::of(observation.robots.as_ref());
    let crawled = Crawled {
        job,
        journal: &journal,
        staging: &staging,
        scope: observation.scope.clone(),
        without_a_page: checks_without_page(&observation),
    };
    let cards = SiteCollector::of(observation, previous(tools, job).await?);
    let Some(audited) = pages::audit(tools, cards, robots, &crawled).await? else {
        return Ok(AttemptOutcome::Stopped);
    };
    if state.stop.is_cancelled() {
        return Ok(AttemptOutcome::Stopped);
    }
    tools.core.purge_pages(job.account, job.project).await?;
    let progress = journal.progress();
    Ok(AttemptOutcome::Results(outcome(
        tools, job, audited, progress,
    )?))
}

async fn previous(tools: &WorkerContext, job: &Job) -> Result<PreviousBrokenLinks, StorageError> {
    let mut read = tools.core.storage.read().await?;
    let carried = read
        .results()
        .carried_over(job.account, job.project, CarriedKind::LinkHistory)
        .await?
        .map(|carried| carried.parse());
    let corrupt = |_| StorageError::Corrupt {
        subject: "what a site audit carried over",
    };
    Ok(carried.transpose().map_err(corrupt)?.unwrap_or_default())
}

struct Staging<'a> {
    tools: &'a WorkerContext,
    job: &'a Job,
    state: &'a AttemptState,
}

impl Staging<'_> {
    async fn add(&self, staged: &Staged) -> Result<(), LeaseError> {
        let lease = LeaseToken::of(self.job);
        let staging = { &self.tools.core }.stage_findings(lease, &staged.findings, &staged.pages);
        self.state.apply(staging.await?);
        Ok(())
    }
}

struct Audited {
    summaries: Vec<TypeSummary>,
    link_history: Document,
}

fn outcome(
    tools: &WorkerContext,
    job: &Job,
    audited: Audited,
    progress: Progress,
) -> Result<JobResults, StorageError> {
    let of_links = { audited.summaries.iter() }
        .find(|it| it.result_type == ResultType::BrokenLinks)
        .and_then(|it| it.summary.parse::<BrokenLinksSummary>().ok())
        .ok_or(StorageError::Corrupt {
            subject: "the summary of an audit's links",
        })?;
    let (checked, unknown) = (of_links.checked.into(), of_links.unknown.into());
    let read = of_links.pages_crawled.into();
    let renders_pages = tools.limits.render_pages > 0;
    let is_browser_missing = renders_pages && tools.sites.missing_browser().is_some();
    let heads = audited.summaries.into_iter().map(|summary| {
        let (result_type, records) = (summary.result_type, summary.records);
        let coverage = match result_type {
            ResultType::BrokenLinks => {
                Coverage::new(checked, u64::saturating_sub(checked, unknown), unknown)
            }
            ResultType::ContentChanges => Coverage::new(records, records, 0),
            _ => Coverage::new(read, read, 0),
        };
        let mut head = head(tools, job, summary, coverage);
        if result_type == ResultType::ContentChanges && records == 0 {
            head.warnings.push(NOTHING_TO_COMPARE.to_owned());
        }
        if is_browser_missing && RENDERED.contains(&result_type) {
            head.warnings.push(RENDERER_MISSING.to_owned());
        }
        head
    });
    Ok(JobResults {
        heads: heads.collect(),
        latest: vec![],
        carried_over: vec![(CarriedKind::LinkHistory, audited.link_history)],
        partial: false,
        progress: finished(progress),
        events: vec![],
    })
}

fn head(tools: &WorkerContext, job: &Job, of: TypeSummary, coverage: Coverage) -> ResultHead {
    let now = tools.core.clock.now();
    ResultHead {
        account: job.account,
        project: job.project,
        result_type: of.result_type,
        job: job.id,
        generated_at: now,
        measured_at: now,
        method_version: of.method.to_owned(),
        provider: "crawler".to_owned(),
        provenance: Provenance::Measured,
        coverage,
        item_count: of.records,
        summary: of.summary,
        warnings: vec![],
    }
}
