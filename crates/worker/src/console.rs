//! Fetches Search Console beside the jobs: a day of many rows is slow and must not delay sweeps.

use super::{as_std, error_chain};
use chrono::TimeDelta;
use domain::use_cases::search_console::fetch::{DueFetch, FetchConsole};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Polls as often as the queue is swept. An interrupted day is fetched again once the claim on its binding expires.
pub(super) async fn fetch(console: Arc<FetchConsole>, every: TimeDelta, stop: CancellationToken) {
    if console.missing().is_some() {
        return;
    }
    loop {
        let looked = tokio::select! {
            () = stop.cancelled() => return,
            looked = console.run_due() => looked,
        };
        match looked {
            Ok(fetched) => fetched.iter().for_each(note),
            Err(error) => tracing::warn!(
                error = error_chain(&error),
                "What is due of Search Console cannot be looked up; the next sweep tries again."
            ),
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(as_std(every)) => {}
        }
    }
}

fn note(due: &DueFetch) {
    let binding = &due.binding;
    let (account, project) = (binding.account.0, binding.project.0);
    match &due.outcome {
        Ok(fetched) => tracing::info!(
            accountId = account,
            project,
            days = fetched.days,
            rows = fetched.rows,
            "Search Console was fetched."
        ),
        Err(error) => tracing::warn!(
            accountId = account,
            project,
            error = error_chain(error),
            "Search Console could not be fetched; it is tried again."
        ),
    }
}
