use crate::settings::{LogFormat, LogSettings};
use crate::stderr::eprint_line;
use anyhow::Context;
use domain::ports::randomness::Randomness;
use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{fmt, prelude::*};

/// Time from the signal to the forced exit.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(30);
/// Signals within this time count as one: `timeout` and some process managers signal a process and then its group.
const DUPLICATE_SIGNAL_WINDOW: Duration = Duration::from_secs(1);
/// Time left after requests have been drained.
const SHUTDOWN_MARGIN: Duration = Duration::from_secs(2);
/// One second more than the longest handler timeout.
const MAX_DRAIN: Duration = Duration::from_secs(26);
/// SIGXFSZ: a file would exceed the process's size limit. The default action ends the process.
const FILE_TOO_LARGE: SignalKind = SignalKind::from_raw(25);
static LOG_FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// A longer delay before the listener closes shortens the drain.
pub fn drain_timeout(delay: Duration) -> Duration {
    MAX_DRAIN.min(SHUTDOWN_TIMEOUT.saturating_sub(SHUTDOWN_MARGIN + delay))
}

#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    /// No new jobs are claimed, and `/readyz` fails.
    pub work: CancellationToken,
    /// The listener closes; requests in progress finish.
    pub listener: CancellationToken,
}

impl Shutdown {
    pub fn trigger(&self) {
        self.work.cancel();
        self.listener.cancel();
    }

    /// On SIGTERM the listener closes after the delay, in which load balancers see `/readyz` fail. On SIGINT and SIGHUP
    /// it closes at once. A second signal after more than a second, or thirty seconds, end the process; its leases then
    /// expire. A file size limit is reported as a write error, like a full disk.
    pub fn trigger_on_signal(&self, delay: Duration) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
        let mut sighup = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
        // With a listener installed, the signal does not end the process and the write fails with an error.
        let _ = signal(FILE_TOO_LARGE).context("cannot listen for SIGXFSZ")?;
        let stopping = self.clone();
        tokio::spawn(async move {
            let delay = tokio::select! {
                _ = terminate.recv() => delay,
                _ = interrupt.recv() => Duration::ZERO,
                _ = sighup.recv() => Duration::ZERO,
            };
            stopping.work.cancel();
            // Logged after `/readyz` fails, so that readers of the log can rely on it.
            tracing::info!(
                "Stopping: requests in progress are finished, running jobs are requeued."
            );
            let close = async {
                tokio::time::sleep(delay).await;
                stopping.listener.cancel();
                tokio::time::sleep(SHUTDOWN_TIMEOUT.saturating_sub(delay)).await;
            };
            let signaled_at = Instant::now();
            let second_signal = async {
                loop {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                    if signaled_at.elapsed() > DUPLICATE_SIGNAL_WINDOW {
                        return;
                    }
                }
            };
            let reason = tokio::select! {
                () = second_signal => "a second signal arrived",
                () = close => "the shutdown timeout of 30 s elapsed",
            };
            tracing::warn!(
                "why" = reason,
                "Exiting before all work finished: unfinished jobs are retried when their leases expire."
            );
            std::process::exit(1);
        });
        Ok(())
    }
}

/// How long and how often to retry an address or a file that the previous process still holds.
const RETRY_TIMEOUT: Duration = Duration::from_secs(3);
const RETRY_INTERVAL: Duration = Duration::from_millis(200);

pub async fn retry_while_taken<T, E>(
    attempt: impl AsyncFn() -> Result<T, E>,
    is_taken: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(error) if is_taken(&error) && begun.elapsed() < RETRY_TIMEOUT => {
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            outcome => return outcome,
        }
    }
}

/// Unique among all workers.
pub fn worker_name(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    format!(
        "worker-{}-{:08x}",
        std::process::id(),
        u32::from_le_bytes(bytes)
    )
}

/// Logs go to standard error.
pub fn init_logging(settings: &LogSettings) -> anyhow::Result<()> {
    let filter = settings.level.filter();
    let filter = filter.add_directive("actix_server=warn".parse()?);
    // It logs data of callers: names, ids, whole messages. Our own request log does not.
    let filter = filter.add_directive("rmcp=off".parse()?);
    let lines = fmt::layer()
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal());
    let lines = match settings.format {
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .boxed(),
        LogFormat::Readable => lines.with_target(false).boxed(),
    };
    tracing_subscriber::registry()
        .with(filter)
        .with(lines)
        .try_init()
        .context("cannot initialize logging")?;
    // Called once; a second call is ignored.
    let _ = LOG_FORMAT.set(settings.format);
    Ok(())
}

pub fn logs_json() -> bool {
    LOG_FORMAT.get() == Some(&LogFormat::Json)
}

/// A message of a long-running process, to standard error or to the JSON log.
pub fn announce(line: impl Display) {
    if logs_json() {
        tracing::info!("{}", line.to_string().trim());
    } else {
        eprint_line(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_and_drain_fit_into_the_shutdown_timeout() {
        for seconds in 0..=10 {
            let delay = Duration::from_secs(seconds);
            let drain = drain_timeout(delay);
            assert!(delay + drain < SHUTDOWN_TIMEOUT, "{delay:?} and {drain:?}");
            assert!(drain >= Duration::from_secs(18), "{drain:?}");
        }
        assert_eq!(drain_timeout(Duration::from_secs(2)), MAX_DRAIN);
    }
}
