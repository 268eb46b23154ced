//! Runs a site audit: reads the site with a journal, finds what is to be said of its links and pages,
//! stages the records.

mod journal;
mod pages;

use super::{
    Tools,
    attempt::{AttemptState, Broken, Done},
};
use analysis::{
    document::Document,
    findings::{
        broken_links::{BrokenLinksSummary, PreviousBrokenLinks},
        site_audit::{SiteCards, TypeSummary},
    },
    provenance::Provenance,
    result_type::ResultType,
};
use crawler::AiRobots;
use domain::{
    domain_name::SiteDomain,
    job::{
        Job,
        progress::{Progress, Stage},
    },
    ports::{
        site_reader::{CrawlPlan, CrawlStart},
        storage::StorageError,
    },
    results::{Coverage, ResultHead, StagedFinding},
    use_cases::{
        keep_lease::{Hold, HoldError},
        publish_results::Outcome,
        stage_findings::StageFindings,
    },
};
use journal::StoredJournal;
use std::sync::Arc;

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
    let staging = Staging::new(tools, job, state);
    let robots = AiRobots::of(observation.robots.as_ref());
    let cards = SiteCards::of(observation, previous(tools, job).await?);
    let Some(audited) = pages::audit(tools, job, cards, robots, &journal, &staging).await? else {
        return Ok(Done::Stopped);
    };
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
    let progress = journal.progress();
    Ok(Done::Results(outcome(tools, job, audited, progress)?))
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

/// Where records wait until the job ends well.
struct Staging<'a> {
    stage: StageFindings,
    job: &'a Job,
    state: &'a AttemptState,
}

impl<'a> Staging<'a> {
    fn new(tools: &Tools, job: &'a Job, state: &'a AttemptState) -> Self {
        let (storage, clock) = (Arc::clone(&tools.storage), Arc::clone(&tools.clock));
        Self {
            stage: StageFindings::new(storage, clock, tools.policy),
            job,
            state,
        }
    }

    async fn add(&self, records: &[StagedFinding]) -> Result<(), HoldError> {
        let go_on = self.stage.run(Hold::of(self.job), records).await?;
        self.state.heed(go_on);
        Ok(())
    }
}

/// What an audit comes to.
struct Audited {
    summaries: Vec<TypeSummary>,
    /// What the next audit needs to know of the links of this one.
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
    let heads = audited.summaries.into_iter().map(|summary| {
        let coverage = if summary.result_type == ResultType::BrokenLinks {
            Coverage::of(checked, u64::saturating_sub(checked, unknown), unknown)
        } else {
            Coverage::of(read, read, 0)
        };
        head(tools, job, summary, coverage)
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
    let now = tools.clock.now();
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

fn over(progress: Progress) -> Progress {
    let stages = progress
        .stages
        .into_iter()
        .map(|stage| Stage::counted(&stage.name, stage.done, stage.done, true))
        .collect();
    Progress::of_stages(stages)
}
