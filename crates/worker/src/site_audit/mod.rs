//! Site audit: crawls with a journal, evaluates links and pages, stages the records.

mod changes;
mod earlier;
mod journal;
mod pages;
mod progress;

use super::Tools;
use super::attempt_state::{AttemptState, Broken, Done};
use analysis::document::Document;
use analysis::findings::broken_links::{BrokenLinksSummary, PreviousBrokenLinks};
use analysis::findings::site_cards::{SiteCards, TypeSummary};
use analysis::findings::site_changes::without_a_page;
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
use domain::results::{Coverage, ResultHead};
use domain::use_cases::keep_leases::{Hold, HoldError};
use domain::use_cases::publish_results::Outcome;
use journal::StoredJournal;
use pages::Crawled;
use progress::over;

/// Warning code: rendering is configured, but no browser was found.
const RENDERER_MISSING: &str = "rendererNotConfigured";

/// Results that rendering improves.
const RENDERED: [ResultType; 3] = [
    ResultType::Content,
    ResultType::Schema,
    ResultType::GeoScore,
];

const STAGED_TOGETHER: usize = 500;

/// Warning code: no page was visited before.
const NOTHING_TO_COMPARE: &str = "noEarlierVisit";

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
        render: Rendering::of(tools.load.render_pages),
    };
    // Dropped when the attempt has to stop: recorded steps remain for the next one.
    let reading = tokio::select! {
        reading = tools.sites.read(&plan, &journal) => reading,
        () = state.stop.cancelled() => return Ok(Done::Stopped),
        () = state.yield_overdue() => return Ok(Done::Stopped),
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
        without_a_page: without_a_page(&observation),
    };
    let cards = SiteCards::of(observation, previous(tools, job).await?);
    let Some(audited) = pages::audit(tools, cards, robots, &crawled).await? else {
        return Ok(Done::Stopped);
    };
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
    tools.core.forget_pages(job.account, job.project).await?;
    let progress = journal.progress();
    Ok(Done::Results(outcome(tools, job, audited, progress)?))
}

async fn previous(tools: &Tools, job: &Job) -> Result<PreviousBrokenLinks, StorageError> {
    let mut read = tools.core.storage.read().await?;
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

struct Staging<'a> {
    tools: &'a Tools,
    job: &'a Job,
    state: &'a AttemptState,
}

impl Staging<'_> {
    async fn add(&self, staged: &Staged) -> Result<(), HoldError> {
        let hold = Hold::of(self.job);
        let staging = { &self.tools.core }.stage_findings(hold, &staged.findings, &staged.pages);
        self.state.heed(staging.await?);
        Ok(())
    }
}

struct Audited {
    summaries: Vec<TypeSummary>,
    link_history: Document,
}

fn outcome(
    tools: &Tools,
    job: &Job,
    audited: Audited,
    progress: Progress,
) -> Result<Outcome, StorageError> {
    let of_links = { audited.summaries.iter() }
        .find(|it| it.result_type == ResultType::BrokenLinks)
        .and_then(|it| it.summary.parse::<BrokenLinksSummary>().ok())
        .ok_or(StorageError::Corrupt {
            what: "the summary of an audit's links",
        })?;
    let (checked, unknown) = (of_links.checked.into(), of_links.unknown.into());
    let read = of_links.pages_crawled.into();
    let is_asked = tools.load.render_pages > 0;
    let asks_in_vain = is_asked && tools.sites.missing_browser().is_some();
    let heads = audited.summaries.into_iter().map(|summary| {
        let (result_type, records) = (summary.result_type, summary.records);
        let coverage = match result_type {
            ResultType::BrokenLinks => {
                Coverage::of(checked, u64::saturating_sub(checked, unknown), unknown)
            }
            ResultType::ContentChanges => Coverage::of(records, records, 0),
            _ => Coverage::of(read, read, 0),
        };
        let mut head = head(tools, job, summary, coverage);
        if result_type == ResultType::ContentChanges && records == 0 {
            head.warnings.push(NOTHING_TO_COMPARE.to_owned());
        }
        if asks_in_vain && RENDERED.contains(&result_type) {
            head.warnings.push(RENDERER_MISSING.to_owned());
        }
        head
    });
    Ok(Outcome {
        heads: heads.collect(),
        latest: vec![],
        carried: vec![(ResultType::BrokenLinks, audited.link_history)],
        partial: false,
        progress: over(progress),
    })
}

fn head(tools: &Tools, job: &Job, of: TypeSummary, coverage: Coverage) -> ResultHead {
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
