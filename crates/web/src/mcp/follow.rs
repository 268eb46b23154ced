//! Waiting for the end of an analysis, and telling how far it is meanwhile.

use crate::{agent_api::analyses::JobView, problem::Problem, refusals, services::Services};
use domain::ids::{AccountId, JobId};
use rmcp::{
    RoleServer,
    model::{ProgressNotificationParam, ProgressToken},
    service::Peer,
};
use std::time::Duration;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

/// Longest wait of a caller who is told nothing meanwhile: most clients give up after a minute.
const SILENT: Duration = Duration::from_secs(50);
/// How often a job is looked at: soon at first, since many end soon.
const FIRST_LOOK: Duration = Duration::from_millis(250);
const LATER_LOOKS: Duration = Duration::from_secs(1);

/// Who is told how far it is.
pub struct Listener {
    /// The client.
    pub peer: Peer<RoleServer>,
    /// The name that the client gave to what it hears.
    pub token: ProgressToken,
}

/// A wait.
pub struct Wait {
    /// At the most so long.
    pub time: Duration,
    /// Who hears of it.
    pub listener: Option<Listener>,
    /// That nobody waits any more: the call was cancelled, or whoever sent it hung up.
    pub given_up: [CancellationToken; 2],
}

impl Wait {
    /// Returns when the job has ended, when the time is up, or when the server stops.
    ///
    /// # Errors
    /// There is no such job of the account's, or the storage fails.
    pub async fn until_it_ends(
        &self,
        services: &Services,
        account: AccountId,
        job: JobId,
    ) -> Result<(), Problem> {
        let time = match self.listener {
            Some(_) => self.time,
            None => self.time.min(SILENT),
        };
        let until = Instant::now() + time;
        let mut told = -1.0_f64;
        let mut pause = FIRST_LOOK;
        loop {
            let found = services.read_job.run(account, job).await?;
            let found = found.ok_or_else(refusals::no_job)?.job;
            let view = JobView::of(&found, None, services.clock.now());
            self.tell(&view, &mut told).await;
            let left = until.saturating_duration_since(Instant::now());
            if !found.state.is_unfinished() || left.is_zero() {
                return Ok(());
            }
            tokio::select! {
                () = sleep(pause.min(left)) => pause = LATER_LOOKS,
                () = services.stopping.cancelled() => return Ok(()),
                () = self.given_up[0].cancelled() => return Ok(()),
                () = self.given_up[1].cancelled() => return Ok(()),
            }
        }
    }

    /// Progress only rises: a job that is tried again begins anew, and is told once it is further.
    async fn tell(&self, job: &JobView, told: &mut f64) {
        let Some(listener) = &self.listener else {
            return;
        };
        #[expect(clippy::cast_precision_loss, reason = "units are fewer than 2⁵³")]
        let (done, total) = (job.progress.done as f64, job.progress.total as f64);
        if done <= *told {
            return;
        }
        *told = done;
        let message = format!(
            "{}: {} of {} {}",
            job.status, job.progress.done, job.progress.total, job.progress.unit
        );
        let mut progress =
            ProgressNotificationParam::new(listener.token.clone(), done).with_message(message);
        if total > 0.0 {
            progress = progress.with_total(total.max(done));
        }
        // Whoever is gone is noticed by `given_up`.
        let _ = listener.peer.notify_progress(progress).await;
    }
}
