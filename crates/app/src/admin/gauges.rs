//! Gauges that are read at scrape time: connections and the queue of all accounts.

use crate::wiring::AppContext;
use chrono::{DateTime, Utc};
use domain::ids::AccountId;
use domain::job::account_queue::AccountQueue;
use domain::job::fairness::jain;
use domain::ports::clock::Clock;
use domain::ports::jobs::QueueFigures;
use domain::ports::storage::{Storage, StorageError};
use domain::use_cases::server_status::last_backup;
use metrics_process::Collector;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use storage::DieselStorage;
use tokio::sync::Mutex;

/// The database is queried at most once per interval, however often `/metrics` is scraped.
const REFRESH_INTERVAL: Duration = Duration::from_secs(5);
const QUERY_TIMEOUT: Duration = Duration::from_millis(900);
/// The window over which the fairness index compares the service of accounts.
const FAIRNESS_WINDOW: Duration = Duration::from_mins(5);
/// More accounts would not change the index noticeably.
const MAX_ACCOUNTS: u32 = 1_000;

#[derive(Default)]
pub struct Gauges {
    sources: OnceLock<Sources>,
    refresh_state: Mutex<RefreshState>,
}

struct Sources {
    database: DieselStorage,
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
}

#[derive(Default)]
struct RefreshState {
    at: Option<Instant>,
    service: VecDeque<ServiceSample>,
}

struct ServiceSample {
    at: Instant,
    virtual_times: HashMap<AccountId, f64>,
}

impl Gauges {
    pub fn set_sources(&self, context: &AppContext) {
        // Called once; a second call is ignored.
        let _ = self.sources.set(Sources {
            database: context.database.clone(),
            storage: Arc::clone(&context.storage),
            clock: Arc::clone(&context.clock),
        });
    }

    /// Figures from the database are at most five seconds old, and NaN while it does not respond.
    pub async fn refresh(&self) {
        let Some(sources) = self.sources.get() else {
            return;
        };
        record_connections(&sources.database);
        Collector::default().collect();
        // A concurrent scrape gets the previous values.
        let Ok(mut refresh_state) = self.refresh_state.try_lock() else {
            return;
        };
        if refresh_state
            .at
            .is_some_and(|at| at.elapsed() < REFRESH_INTERVAL)
        {
            return;
        }
        refresh_state.at = Some(Instant::now());
        match tokio::time::timeout(QUERY_TIMEOUT, load_stored_figures(sources.storage.as_ref()))
            .await
        {
            Ok(Ok(figures)) => {
                figures.record(sources.clock.now());
                metrics::gauge!("job_fairness_jain").set(refresh_state.fairness(&figures.accounts));
            }
            _ => record_unknown(),
        }
    }
}

fn record_connections(database: &DieselStorage) {
    let figures = database.figures();
    metrics::gauge!("db_pool_connections", "state" => "used").set(figures.used);
    metrics::gauge!("db_pool_connections", "state" => "idle").set(figures.idle);
    if let Some(sqlite) = figures.sqlite {
        metrics::gauge!("sqlite_writer_queue_depth").set(to_f64(sqlite.writers_waiting as u64));
        metrics::gauge!("sqlite_wal_bytes").set(to_f64(sqlite.wal_bytes));
        let is_sound = sqlite
            .is_sound
            .map_or(f64::NAN, |it| f64::from(u8::from(it)));
        metrics::gauge!("sqlite_integrity_ok").set(is_sound);
        let free = sqlite.free_bytes.map_or(f64::NAN, to_f64);
        metrics::gauge!("data_dir_free_bytes").set(free);
    }
}

struct StoredFigures {
    figures: QueueFigures,
    accounts: Vec<AccountQueue>,
    backup_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
}

async fn load_stored_figures(storage: &dyn Storage) -> Result<StoredFigures, StorageError> {
    let mut read = storage.read().await?;
    let figures = read.jobs().queue_figures().await?;
    let accounts = read.jobs().waiting_accounts(MAX_ACCOUNTS).await?;
    let notes = read.server_notes().all().await?;
    Ok(StoredFigures {
        figures,
        accounts,
        backup_at: last_backup(&notes),
        now: storage.now().await?,
    })
}

impl StoredFigures {
    fn record(&self, now: DateTime<Utc>) {
        let figures = &self.figures;
        metrics::gauge!("jobs_queued", "state" => "waiting").set(to_f64(figures.waiting));
        metrics::gauge!("jobs_queued", "state" => "running").set(to_f64(figures.running));
        let (waited, overdue) = (
            figures.oldest_wait(self.now),
            figures.sweep_overdue(self.now),
        );
        metrics::gauge!("job_oldest_ready_seconds").set(waited.as_seconds_f64());
        metrics::gauge!("job_sweep_overdue_seconds").set(overdue.as_seconds_f64());
        metrics::gauge!("clock_offset_seconds").set((now - self.now).as_seconds_f64());
        let never = DateTime::UNIX_EPOCH;
        let backup = self.backup_at.unwrap_or(never) - never;
        metrics::gauge!("last_backup_timestamp_seconds").set(backup.as_seconds_f64());
    }
}

/// Stale figures of an unreachable database would look like an idle queue.
fn record_unknown() {
    for state in ["waiting", "running"] {
        metrics::gauge!("jobs_queued", "state" => state).set(f64::NAN);
    }
    for name in [
        "job_oldest_ready_seconds",
        "job_sweep_overdue_seconds",
        "job_fairness_jain",
        "clock_offset_seconds",
        "last_backup_timestamp_seconds",
    ] {
        metrics::gauge!(name).set(f64::NAN);
    }
}

impl RefreshState {
    /// Jain index over accounts that wait now and waited when the window began: growth of virtual time; idle accounts
    /// were raised.
    fn fairness(&mut self, accounts: &[AccountQueue]) -> f64 {
        let now = Instant::now();
        let virtual_times = { accounts.iter() }
            .map(|it| (it.account, it.virtual_time))
            .collect();
        while self.service.len() > 1
            && self
                .service
                .get(1)
                .is_some_and(|it| now - it.at >= FAIRNESS_WINDOW)
        {
            self.service.pop_front();
        }
        let index = self.service.front().map_or(1.0, |then| {
            let shares = accounts.iter().filter_map(|it| {
                let before = then.virtual_times.get(&it.account)?;
                Some((it.virtual_time - before).max(0.0))
            });
            jain(&shares.collect::<Vec<_>>())
        });
        self.service.push_back(ServiceSample {
            at: now,
            virtual_times,
        });
        index
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact far beyond what is counted here"
)]
const fn to_f64(it: u64) -> f64 {
    it as f64
}
