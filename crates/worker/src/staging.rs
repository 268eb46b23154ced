use super::Tools;
use super::attempt_state::{AttemptState, Broken};
use domain::{job::Job, results::StagedFinding, use_cases::keep_leases::Hold};

const TOGETHER: usize = 200;

pub(super) async fn stage(
    tools: &Tools,
    job: &Job,
    state: &AttemptState,
    findings: &[StagedFinding],
) -> Result<(), Broken> {
    for part in findings.chunks(TOGETHER) {
        let staging = tools.core.stage_findings(Hold::of(job), part, &[]);
        state.heed(staging.await?);
    }
    Ok(())
}
