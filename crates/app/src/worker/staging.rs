use super::{
    Tools,
    attempt::{AttemptState, Broken},
};
use domain::{
    job::Job,
    results::StagedFinding,
    use_cases::{keep_leases::Hold, stage_findings::StageFindings},
};
use std::sync::Arc;

const TOGETHER: usize = 200;

pub(super) async fn stage(
    tools: &Tools,
    job: &Job,
    state: &AttemptState,
    findings: &[StagedFinding],
) -> Result<(), Broken> {
    let staging = StageFindings::new(
        Arc::clone(&tools.storage),
        Arc::clone(&tools.clock),
        tools.policy,
    );
    for part in findings.chunks(TOGETHER) {
        state.heed(staging.run(Hold::of(job), part, &[]).await?);
    }
    Ok(())
}
