//! Waits for an analysis and reports progress.

use crate::{agent_api::analyses::JobView, problem::Problem, refusals, services::Services};
use domain::ids::{AccountId, JobId};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Maximum wait without progress notifications: most clients time out after a minute.
const MAX_SILENT_WAIT: Duration = Duration::from_secs(50);
/// Poll intervals: short at first, since many analyses end soon.
const FIRST_POLL_INTERVAL: Duration = Duration::from_millis(250);
const LATER_POLL_INTERVAL: Duration = Duration::from_secs(1);

pub struct ProgressListener {
    pub peer: Peer<RoleServer>,
    pub token: ProgressToken,
}

pub struct JobWait {
    pub time: Duration,
    pub listener: Option<ProgressListener>,
    /// Canceled with the call, or on client disconnect.
    pub cancellations: [CancellationToken; 2],
}

impl JobWait {
    /// Waits until the job ends, the time is up or the server stops. Fails if the account has no such job.
    pub async fn until_finished(
        &self,
        services: &Services,
        account: AccountId,
        job: JobId,
    ) -> Result<(), Problem> {
        let time = match self.listener {
            Some(_) => self.time,
            None => self.time.min(MAX_SILENT_WAIT),
        };
        let until = Instant::now() + time;
        let mut reported = -1.0_f64;
        let mut pause = FIRST_POLL_INTERVAL;
        loop {
            let found = services.core.analysis(account, job).await?;
            let found = found.ok_or_else(refusals::no_job)?.job;
            let view = JobView::of(&found, None, services.core.clock.now());
            self.report_progress(&view, &mut reported).await;
            let left = until.saturating_duration_since(Instant::now());
            if !found.state.is_unfinished() || left.is_zero() {
                return Ok(());
            }
            tokio::select! {
                () = sleep(pause.min(left)) => pause = LATER_POLL_INTERVAL,
                () = services.stopping.cancelled() => return Ok(()),
                () = self.cancellations[0].cancelled() => return Ok(()),
                () = self.cancellations[1].cancelled() => return Ok(()),
            }
        }
    }

    /// MCP progress must increase: a retried job is reported once it is further than before.
    async fn report_progress(&self, job: &JobView, reported: &mut f64) {
        let Some(listener) = &self.listener else {
            return;
        };
        #[expect(clippy::cast_precision_loss, reason = "units are fewer than 2⁵³")]
        let (done, total) = (job.progress.done as f64, job.progress.total as f64);
        if done <= *reported {
            return;
        }
        *reported = done;
        let message = format!(
            "{}: {} of {} {}",
            job.status, job.progress.done, job.progress.total, job.progress.unit
        );
        let mut progress =
            ProgressNotificationParam::new(listener.token.clone(), done).with_message(message);
        if total > 0.0 {
            progress = progress.with_total(total.max(done));
        }
        // `given_up` reports a disconnect.
        let _ = listener.peer.notify_progress(progress).await;
    }
}
