//! Liveness does not query the database: restarts would worsen an outage. Readiness queries it at most once a second.

use std::sync::OnceLock;
use std::time::{Duration, Instant};
use storage::{DieselStorage, MigrationError, SqliteFigures};
use tokio::{runtime::Handle, sync::Mutex};
use tokio_util::sync::CancellationToken;

const CACHE_TTL: Duration = Duration::from_secs(1);
/// Together with [`CACHE_TTL`], a lost database is reported within two seconds.
const DATABASE_TIMEOUT: Duration = Duration::from_millis(800);
/// Longest accepted time that the first waiter has waited for a connection.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// How long the main runtime may take to run an empty task.
const LIVENESS_TIMEOUT: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub name: &'static str,
    pub detail: String,
}

pub struct Probes {
    main_runtime: Handle,
    stopping: CancellationToken,
    database: OnceLock<DieselStorage>,
    /// The last result of the database check. Concurrent probes wait for the same result.
    last_check: Mutex<Option<(Instant, Option<Reason>)>>,
}

impl Reason {
    fn new(name: &'static str, detail: impl Into<String>) -> Self {
        Self {
            name,
            detail: detail.into(),
        }
    }
}

impl Probes {
    pub fn new(stopping: CancellationToken) -> Self {
        Self {
            main_runtime: Handle::current(),
            stopping,
            database: OnceLock::new(),
            last_check: Mutex::new(None),
        }
    }

    pub fn mark_started(&self, database: DieselStorage) {
        // Called once; a second call is ignored.
        let _ = self.database.set(database);
    }

    /// This listener has its own thread, so the check spawns a task on the main runtime.
    pub async fn check_liveness(&self) -> Vec<Reason> {
        let task = self.main_runtime.spawn(async {});
        match tokio::time::timeout(LIVENESS_TIMEOUT, task).await {
            Ok(Ok(())) => vec![],
            _ => vec![Reason::new("stuck", "the async runtime does not run tasks")],
        }
    }

    /// Whether the database is open, the schema is current, and the public listener is bound.
    pub fn check_startup(&self) -> Vec<Reason> {
        match self.database.get() {
            Some(_) => vec![],
            None => vec![Reason::new("starting", "the process is starting")],
        }
    }

    pub async fn check_readiness(&self) -> Vec<Reason> {
        let Some(database) = self.database.get() else {
            return self.check_startup();
        };
        let mut reasons = Vec::new();
        if self.stopping.is_cancelled() {
            reasons.push(Reason::new("stopping", "the process is stopping"));
        }
        reasons.extend(self.database_reason(database).await);
        let figures = database.figures();
        reasons.extend(figures.sqlite.iter().flat_map(file_reasons));
        let waits = figures.longest_wait;
        if waits >= MAX_WAIT {
            let seconds = waits.as_secs();
            let detail = format!("writes have waited for {seconds} s");
            reasons.push(Reason::new("writerQueue", detail));
        }
        reasons
    }

    async fn database_reason(&self, database: &DieselStorage) -> Option<Reason> {
        let mut known = self.last_check.lock().await;
        if let Some((at, reason)) = known.as_ref()
            && at.elapsed() < CACHE_TTL
        {
            return reason.clone();
        }
        let checked_at = Instant::now();
        let reason = check_database(database).await;
        let name = |it: &Option<Reason>| it.as_ref().map(|it| it.name);
        let before = known.as_ref().and_then(|it| name(&it.1));
        if let Some(reason) = name(&reason).filter(|it| Some(*it) != before) {
            tracing::warn!(reason, "The process is not ready.");
        }
        // The age counts from the start of the check.
        *known = Some((checked_at, reason.clone()));
        reason
    }
}

/// `SQLite` file faults: reads still work, but writes should go to another server.
fn file_reasons(figures: &SqliteFigures) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if figures.is_sound == Some(false) {
        let detail = "the SQLite file is damaged and writes are refused: stop the server and restore a backup with --force";
        reasons.push(Reason::new("databaseBroken", detail));
    }
    if figures.is_disk_full() {
        let detail = "the disk of the database is full: free disk space";
        reasons.push(Reason::new("diskFull", detail));
    }
    reasons
}

async fn check_database(database: &DieselStorage) -> Option<Reason> {
    match tokio::time::timeout(DATABASE_TIMEOUT, database.pending()).await {
        Ok(Ok(steps)) if steps.is_empty() => None,
        Ok(Ok(steps)) => {
            let detail = format!(
                "{} migration(s) pending: run `sightline migrate`",
                steps.len()
            );
            Some(Reason::new("migrations", detail))
        }
        Ok(Err(MigrationError::Storage(_))) | Err(_) => Some(unreachable_database(database)),
        Ok(Err(_)) => Some(Reason::new(
            "migrations",
            "the schema version is unknown to this version of Sightline: start the newer one",
        )),
    }
}

/// The driver's message may contain hosts and roles; the public `/readyz` does not show details.
fn unreachable_database(database: &DieselStorage) -> Reason {
    let detail = "the database is unreachable or did not respond in time";
    match database.last_failure() {
        Some(failure) => Reason::new("database", format!("{detail}: {failure}")),
        None => Reason::new("database", detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_file_and_full_disk_make_it_unready() {
        let names = |figures: SqliteFigures| -> Vec<&str> {
            file_reasons(&figures).iter().map(|it| it.name).collect()
        };
        let usual = SqliteFigures {
            free_bytes: Some(u64::MAX),
            is_sound: Some(true),
            ..SqliteFigures::default()
        };
        assert_eq!(names(usual), [""; 0]);
        assert_eq!(
            names(SqliteFigures::default()),
            [""; 0],
            "nothing is known yet"
        );
        let broken = SqliteFigures {
            is_sound: Some(false),
            free_bytes: Some(0),
            ..usual
        };
        assert_eq!(names(broken), ["databaseBroken", "diskFull"]);
    }
}
