//! Puts the records of an analysis on their way, some in each transaction.

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

/// How many records are staged in one transaction.
const TOGETHER: usize = 200;

/// Stages all of them; the owner may ask to stop meanwhile.
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
