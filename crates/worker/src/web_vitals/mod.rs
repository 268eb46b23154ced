//! Web vitals analysis: chooses pages once, measures each per device, stores at once, summarizes at the end.

mod plan;
mod sum;

use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState, unreachable};
use super::provider_errors::{attempt_error, retry_delay};
use analysis::document::Document;
use analysis::events::VitalsMemory;
use analysis::findings::vitals::{VitalsRecord, VitalsSource};
use analysis::result_type::ResultType;
use domain::job::Job;
use domain::job::progress::{Progress, Stage};
use domain::ports::search_results::ProviderError;
use domain::ports::site_access::SiteAccess;
use domain::ports::site_reader::CrawlStart;
use domain::ports::storage::StorageError;
use domain::project::Project;
use domain::results::StagedFinding;
use domain::use_cases::end_attempt::AttemptEnd;
use domain::use_cases::leases::LeaseToken;
use domain::use_cases::measure_page_speed::MeasurePageSpeed;
use plan::{Plan, Task};
use std::{collections::BTreeMap, sync::Arc};
pub(super) use sum::newest_vitals;
use sum::vitals_history;

const BATCH: u32 = 200;
const CORRUPT: StorageError = StorageError::Corrupt {
    subject: "records of web vitals",
};

struct Pass<'a> {
    tools: &'a WorkerContext,
    job: &'a Job,
    state: &'a AttemptState,
    plan: Plan,
    measure: MeasurePageSpeed,
    previous: Vec<VitalsRecord>,
    history: VitalsMemory,
    /// By ordinal, including records of earlier attempts.
    records: BTreeMap<i64, VitalsRecord>,
    transient: Option<ProviderError>,
    fatal: BTreeMap<VitalsSource, ProviderError>,
}

pub(super) async fn run(
    tools: &WorkerContext,
    job: &Job,
    project: &Project,
    state: &AttemptState,
) -> Result<AttemptOutcome, AttemptFailure> {
    let start = CrawlStart::Host(project.domain.ascii().to_owned());
    let opening = tools.site_access.open(&start);
    let opened = tokio::select! {
        opened = opening => opened,
        () = state.stop.cancelled() => return Ok(AttemptOutcome::Stopped),
    };
    let access = match opened {
        Ok(access) => access,
        Err(unreached) => return Ok(AttemptOutcome::End(unreachable(unreached))),
    };
    let measure = MeasurePageSpeed::new(tools.speed.clone(), Arc::clone(&tools.core.clock));
    let plan = plan::make(tools, job, project, state, access.home(), &measure).await?;
    let mut pass = Pass {
        tools,
        job,
        state,
        plan,
        measure,
        previous: newest_vitals(tools, job).await?,
        history: vitals_history(tools, job).await?,
        records: staged(tools, job).await?,
        transient: None,
        fatal: BTreeMap::new(),
    };
    pass.walk(access.as_ref()).await?;
    if state.stop.is_cancelled() {
        return Ok(AttemptOutcome::Stopped);
    }
    match &pass.transient {
        Some(failure) => Ok(AttemptOutcome::End(AttemptEnd::Retry {
            error: attempt_error(failure),
            requested_delay: retry_delay(failure),
        })),
        None => Ok(pass.sum_up()),
    }
}

async fn staged(
    tools: &WorkerContext,
    job: &Job,
) -> Result<BTreeMap<i64, VitalsRecord>, StorageError> {
    let mut records = BTreeMap::new();
    let mut walk = tools.core.walk_staged(job, ResultType::Vitals, BATCH);
    while let Some(batch) = walk.next().await? {
        for staged in batch {
            let record = staged.record.parse().map_err(|_| CORRUPT)?;
            records.insert(staged.ordinal, record);
        }
    }
    Ok(records)
}

impl Pass<'_> {
    async fn walk(&mut self, access: &dyn SiteAccess) -> Result<(), AttemptFailure> {
        self.state.set_progress(self.progress(false));
        for task in self.plan.tasks(self.job.project) {
            if self.state.stop.is_cancelled() {
                break;
            }
            if self.records.contains_key(&task.ordinal) {
                continue;
            }
            // Dropped when the attempt has to stop, which ends the browser.
            let stop = self.state.stop.clone();
            let measured = tokio::select! {
                measured = self.measure(&task, access) => measured,
                () = stop.cancelled() => break,
            };
            match measured {
                Ok(record) => self.store(&task, record).await?,
                Err(failure) => self.transient = Some(failure),
            }
        }
        Ok(())
    }

    /// An error if the failure is left for another attempt.
    async fn measure(
        &mut self,
        task: &Task,
        access: &dyn SiteAccess,
    ) -> Result<VitalsRecord, ProviderError> {
        let source = task.speed.source;
        if let Some(fatal) = self.fatal.get(&source) {
            return Ok(self.measure.failed(&task.speed, fatal));
        }
        let measured = self.measure.run(&task.speed, access, &self.previous).await;
        let is_last_attempt = self.job.is_last_attempt(&self.tools.core.policies.queue);
        match measured.failure {
            Some(failure @ (ProviderError::Unauthorized | ProviderError::OutOfFunds)) => {
                self.fatal.insert(source, failure);
            }
            Some(failure) if failure.is_retryable() && !is_last_attempt => return Err(failure),
            _ => {}
        }
        Ok(measured.record)
    }

    async fn store(&mut self, task: &Task, record: VitalsRecord) -> Result<(), AttemptFailure> {
        let staged = StagedFinding {
            result_type: ResultType::Vitals,
            ordinal: task.ordinal,
            keyword: None,
            url: Some(task.speed.url.clone()),
            sort_value: None,
            measured_at: record.envelope.measured_at,
            record: Document::of(&record),
        };
        let (core, lease) = (&self.tools.core, LeaseToken::of(self.job));
        let go_on = core.stage_findings(lease, &[staged], &[]).await?;
        self.records.insert(task.ordinal, record);
        self.state.set_progress(self.progress(false));
        self.state.apply(go_on);
        self.state.mark_progress_stored();
        Ok(())
    }

    fn progress(&self, is_over: bool) -> Progress {
        let total = self.plan.pages.len() as u64;
        let places: Vec<i64> = self.records.keys().copied().collect();
        let done = self.plan.pages_done(self.job.project, &places);
        let stages = vec![
            Stage::counted("measure pages", done, total, is_over || done == total),
            Stage::counted("publish", u64::from(is_over), 1, is_over),
        ];
        Progress {
            done,
            total,
            stages,
        }
    }
}
