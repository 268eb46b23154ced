use crate::settings::{LogFormat, LogSettings};
use crate::stderr::remark;
use anyhow::Context;
use domain::ports::randomness::Randomness;
use std::fmt::Display;
use std::io::IsTerminal;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tracing_subscriber::{fmt, prelude::*};

/// How long a process may take to end after it was told to.
const GRACE: Duration = Duration::from_secs(30);
/// Signals of this time are one: `timeout` and some process managers signal a process and then its group.
const TOLD_ONCE: Duration = Duration::from_secs(1);
/// What is left of it when requests have had their time.
const RESERVE: Duration = Duration::from_secs(2);
/// How long requests may take to finish after the listener has closed: a second more than any may take.
const DRAIN: Duration = Duration::from_secs(26);
/// SIGXFSZ: a file would become larger than the process's limit. Left alone it ends the process.
const FILE_TOO_LARGE: SignalKind = SignalKind::from_raw(25);
static FORMAT: OnceLock<LogFormat> = OnceLock::new();

/// How long requests have when the listener closes so long after the signal: a longer delay takes from their time.
pub fn drain(delay: Duration) -> Duration {
    DRAIN.min(GRACE.saturating_sub(RESERVE + delay))
}

#[derive(Debug, Clone, Default)]
pub struct Stopping {
    /// Nothing new is begun: no job is taken, and `/readyz` says so.
    pub work: CancellationToken,
    /// The listener closes; what is under way is finished.
    pub listener: CancellationToken,
}

impl Stopping {
    pub fn now(&self) {
        self.work.cancel();
        self.listener.cancel();
    }

    /// Stops at SIGTERM: the listener closes after the delay, in which load balancers find `/readyz` unavailable. At
    /// SIGINT and SIGHUP it closes at once. A signal more than a second later, or thirty seconds, end the process;
    /// leases then run out. A file that may not grow is an error of whoever writes it, as a full disk is.
    pub fn on_signal(&self, delay: Duration) -> anyhow::Result<()> {
        let mut terminate = signal(SignalKind::terminate()).context("cannot listen for SIGTERM")?;
        let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen for SIGINT")?;
        let mut hang_up = signal(SignalKind::hangup()).context("cannot listen for SIGHUP")?;
        // Whoever listens is not ended by it; the write fails, and that is told where it happens.
        let _ = signal(FILE_TOO_LARGE).context("cannot listen for SIGXFSZ")?;
        let stopping = self.clone();
        tokio::spawn(async move {
            let delay = tokio::select! {
                _ = terminate.recv() => delay,
                _ = interrupt.recv() => Duration::ZERO,
                _ = hang_up.recv() => Duration::ZERO,
            };
            stopping.work.cancel();
            // After it, so that who reads the line finds `/readyz` unavailable.
            tracing::info!("Stopping: what is under way is finished or given back.");
            let close = async {
                tokio::time::sleep(delay).await;
                stopping.listener.cancel();
                tokio::time::sleep(GRACE.saturating_sub(delay)).await;
            };
            let told = Instant::now();
            let again = async {
                loop {
                    tokio::select! {
                        _ = terminate.recv() => {}
                        _ = interrupt.recv() => {}
                    }
                    if told.elapsed() > TOLD_ONCE {
                        return;
                    }
                }
            };
            let why = tokio::select! {
                () = again => "it was told so twice",
                () = close => "thirty seconds are over",
            };
            tracing::warn!(
                why,
                "Ending with work under way: its leases run out by themselves."
            );
            std::process::exit(1);
        });
        Ok(())
    }
}

/// How long a process waits for an address or a file that the process before it still holds, and how often it tries.
const PATIENCE: Duration = Duration::from_secs(3);
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// Tries until nobody else holds it, for `PATIENCE` at the most.
pub async fn once_free<T, E>(
    attempt: impl AsyncFn() -> Result<T, E>,
    is_taken: impl Fn(&E) -> bool,
) -> Result<T, E> {
    let begun = Instant::now();
    loop {
        match attempt().await {
            Err(error) if is_taken(&error) && begun.elapsed() < PATIENCE => {
                tokio::time::sleep(LOOK_AGAIN).await;
            }
            ended => return ended,
        }
    }
}

/// A name that no other worker has.
pub fn worker_name(randomness: &dyn Randomness) -> String {
    let mut bytes = [0; 4];
    randomness.fill(&mut bytes);
    format!(
        "worker-{}-{:08x}",
        std::process::id(),
        u32::from_le_bytes(bytes)
    )
}

/// Begins logging, to standard error.
pub fn log(settings: &LogSettings) -> anyhow::Result<()> {
    let filter = settings.level.filter();
    let filter = filter.add_directive("actix_server=warn".parse()?);
    // It logs what callers sent: names, ids, whole messages. Requests are logged by us, without them.
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
        .context("cannot begin logging")?;
    // It begins once; a second word would change nothing.
    let _ = FORMAT.set(settings.format);
    Ok(())
}

pub fn logs_objects() -> bool {
    FORMAT.get() == Some(&LogFormat::Json)
}

/// A line of a process that runs for long: for whoever started it, or for what reads its log.
pub fn tell(line: impl Display) {
    if logs_objects() {
        tracing::info!("{}", line.to_string().trim());
    } else {
        remark(line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_and_drain_end_before_the_process_is_ended() {
        for seconds in 0..=10 {
            let delay = Duration::from_secs(seconds);
            let drain = drain(delay);
            assert!(delay + drain < GRACE, "{delay:?} and {drain:?}");
            assert!(drain >= Duration::from_secs(18), "{drain:?}");
        }
        assert_eq!(drain(Duration::from_secs(2)), DRAIN);
    }
}
