use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptState};
use domain::{job::Job, results::StagedFinding, use_cases::leases::LeaseToken};

const BATCH: usize = 200;

pub(super) async fn stage(
    tools: &WorkerContext,
    job: &Job,
    state: &AttemptState,
    findings: &[StagedFinding],
) -> Result<(), AttemptFailure> {
    for part in findings.chunks(BATCH) {
        let staging = tools.core.stage_findings(LeaseToken::of(job), part, &[]);
        state.apply(staging.await?);
    }
    Ok(())
}
