//! Liveness never asks the database: restarts add a storm to an outage. Readiness asks once a second, and waits less.

use std::sync::OnceLock;
use std::time::{Duration, Instant};
use storage::{DieselStorage, MigrationError, SqliteFigures};
use tokio::{runtime::Handle, sync::Mutex};
use tokio_util::sync::CancellationToken;

/// For how long an answer of the database holds.
const HOLDS: Duration = Duration::from_secs(1);
/// How long the database may take to answer; with [`HOLDS`], a lost one is told within two seconds.
const PATIENCE: Duration = Duration::from_millis(800);
/// How long the first who waits for a connection may have waited.
const MOST_WAIT: Duration = Duration::from_secs(5);
/// How long the threads of the process may take to do nothing at all.
const STIR: Duration = Duration::from_secs(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reason {
    pub name: &'static str,
    pub detail: String,
}

pub struct Probes {
    others: Handle,
    stopping: CancellationToken,
    database: OnceLock<DieselStorage>,
    /// What the database said last. Whoever asks meanwhile waits for the same answer.
    known: Mutex<Option<(Instant, Option<Reason>)>>,
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
            others: Handle::current(),
            stopping,
            database: OnceLock::new(),
            known: Mutex::new(None),
        }
    }

    pub fn started(&self, database: DieselStorage) {
        // It begins once; a second word would change nothing.
        let _ = self.database.set(database);
    }

    /// This listener has a thread of its own: that the others still take up work is tried.
    pub async fn lives(&self) -> Vec<Reason> {
        let stir = self.others.spawn(async {});
        match tokio::time::timeout(STIR, stir).await {
            Ok(Ok(())) => vec![],
            _ => vec![Reason::new("stuck", "no thread takes up work")],
        }
    }

    /// Whether the database is open, its schema at head, and the listener of callers there.
    pub fn has_begun(&self) -> Vec<Reason> {
        match self.database.get() {
            Some(_) => vec![],
            None => vec![Reason::new("starting", "the process has not begun yet")],
        }
    }

    pub async fn is_ready(&self) -> Vec<Reason> {
        let Some(database) = self.database.get() else {
            return self.has_begun();
        };
        let mut reasons = Vec::new();
        if self.stopping.is_cancelled() {
            reasons.push(Reason::new("stopping", "the process was told to stop"));
        }
        reasons.extend(self.against_database(database).await);
        let figures = database.figures();
        reasons.extend(figures.sqlite.iter().flat_map(against_file));
        let waits = figures.longest_wait;
        if waits >= MOST_WAIT {
            let seconds = waits.as_secs();
            let detail = format!("writes have waited for {seconds} s");
            reasons.push(Reason::new("writerQueue", detail));
        }
        reasons
    }

    async fn against_database(&self, database: &DieselStorage) -> Option<Reason> {
        let mut known = self.known.lock().await;
        if let Some((at, reason)) = known.as_ref()
            && at.elapsed() < HOLDS
        {
            return reason.clone();
        }
        let asked = Instant::now();
        let reason = ask(database).await;
        let name = |it: &Option<Reason>| it.as_ref().map(|it| it.name);
        let before = known.as_ref().and_then(|it| name(&it.1));
        if let Some(reason) = name(&reason).filter(|it| Some(*it) != before) {
            tracing::warn!(reason, "The process is not ready.");
        }
        // It holds from when it was asked: an answer that took long is as old as the question.
        *known = Some((asked, reason.clone()));
        reason
    }
}

/// What speaks against the file of `SQLite`: reading goes on, and callers who write are better off elsewhere.
fn against_file(figures: &SqliteFigures) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if figures.is_sound == Some(false) {
        let detail = "SQLite finds its file broken, and nothing is written: stop, and restore a backup with --force";
        reasons.push(Reason::new("databaseBroken", detail));
    }
    if figures.is_disk_full() {
        let detail = "the disk of the database is full: nothing can be stored until there is room";
        reasons.push(Reason::new("diskFull", detail));
    }
    reasons
}

async fn ask(database: &DieselStorage) -> Option<Reason> {
    match tokio::time::timeout(PATIENCE, database.pending()).await {
        Ok(Ok(steps)) if steps.is_empty() => None,
        Ok(Ok(steps)) => {
            let detail = format!("the schema lacks {} steps: run `migrate`", steps.len());
            Some(Reason::new("migrations", detail))
        }
        Ok(Err(MigrationError::Storage(_))) | Err(_) => Some(unreached(database)),
        Ok(Err(_)) => Some(Reason::new(
            "migrations",
            "the schema is not one that this version knows",
        )),
    }
}

/// The driver's own words may name hosts and roles: the public `/readyz` does not show details.
fn unreached(database: &DieselStorage) -> Reason {
    let detail = "the database does not answer in time";
    match database.last_failure() {
        Some(why) => Reason::new("database", format!("{detail}: {why}")),
        None => Reason::new("database", detail),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_and_a_full_disk_speak_against_it() {
        let names = |figures: SqliteFigures| -> Vec<&str> {
            against_file(&figures).iter().map(|it| it.name).collect()
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
