//! Measures durable jobs per second, beside the limit of the database: claim and complete as plain SQL, in the same
//! run.
//!
//! `queue URL [JOBS [ACCOUNTS [BATCH_SIZES …]]]` needs an empty database (it is migrated) and prints rows for
//! docs/contribute/performance.md. Every job is claimed and completed in committed transactions, with the database's fsync
//! setting.
#![expect(clippy::print_stdout, reason = "figures are printed")]
#![expect(clippy::unwrap_used, reason = "a measurement that cannot go on fails")]

use chrono::{DateTime, Utc};
use diesel::{
    Connection, PgConnection, RunQueryDsl, SqliteConnection, connection::SimpleConnection,
    sql_query,
};
use domain::{
    account::Account,
    email::EmailAddress,
    ids::{AccountId, JobId, UserId},
    job::{Job, policy::QueuePolicy, progress::Progress, slots::FreeSlots},
    ports::{clock::Clock, storage::Storage},
    project::Project,
    test_support::{a_job, a_project, a_user, an_account, core},
    use_cases::{
        Core, Policies,
        leases::{Heartbeat, LeaseToken},
        publish_results::JobResults,
    },
    user::User,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};
use storage::{DatabaseUrl, DieselStorage, OpenOptions};

/// Default number of accounts.
const ACCOUNTS: i64 = 50;
/// Default batch sizes.
const BATCH_SIZES: [u32; 3] = [1, 10, 100];
/// Concurrent workers; SQLite has one writer anyway.
const WORKERS: u32 = 8;

struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let url = arguments.first().expect("queue URL [JOBS …]").clone();
    let jobs: i64 = arguments.get(1).map_or(5_000, |it| it.parse().unwrap());
    let accounts: i64 = arguments.get(2).map_or(ACCOUNTS, |it| it.parse().unwrap());
    let parsed = arguments.iter().skip(3).map(|it| it.parse().unwrap());
    let mut batches: Vec<u32> = parsed.collect();
    if batches.is_empty() {
        batches.extend(BATCH_SIZES);
    }
    let options = OpenOptions {
        create: true,
        ..OpenOptions::default()
    };
    let storage = DieselStorage::open(DatabaseUrl::parse(&url).unwrap(), options).await;
    let storage = storage.unwrap();
    storage.migrate().await.unwrap();
    let storage: Arc<dyn Storage> = Arc::new(storage);
    create_accounts(storage.as_ref(), accounts).await;
    println!("{jobs} jobs of {accounts} accounts");
    println!("| taken together | plain SQL, jobs/s | this queue, jobs/s | share |");
    println!("|--:|--:|--:|--:|");
    for batch in batches {
        let raw = measure_plain_sql(&url, batch, jobs);
        fill(storage.as_ref(), accounts, jobs).await;
        let ours = measure_queue(&storage, batch, jobs).await;
        println!("| {batch} | {raw:.0} | {ours:.0} | {:.2} |", ours / raw);
    }
    let (together, renewed) = heartbeats(&storage, accounts).await;
    println!("leases renewed a second, {together} of one account together: {renewed:.0}");
}

async fn create_accounts(storage: &dyn Storage, accounts: i64) {
    let mut work = storage.write().await.unwrap();
    for id in 1..=accounts {
        let account = Account {
            id: AccountId(id),
            ..an_account()
        };
        let owner = User {
            account: account.id,
            id: UserId(id),
            email: EmailAddress::parse(&format!("owner{id}@example.com")).unwrap(),
            ..a_user()
        };
        work.accounts().add(&account, &owner).await.unwrap();
        let project = Project {
            account: account.id,
            ..a_project()
        };
        work.projects().add(&project).await.unwrap();
    }
    work.commit().await.unwrap();
}

static NEXT: AtomicU32 = AtomicU32::new(1);

async fn fill(storage: &dyn Storage, accounts: i64, jobs: i64) {
    for account in 1..=accounts {
        let mut work = storage.write().await.unwrap();
        for _ in 0..jobs / accounts {
            let id = i64::from(NEXT.fetch_add(1, Ordering::Relaxed));
            let job = Job {
                account: AccountId(account),
                id: JobId(id),
                dedupe_key: id.to_string(),
                run_at: SystemClock.now(),
                created_at: SystemClock.now(),
                expires_at: SystemClock.now() + chrono::TimeDelta::hours(24),
                ..a_job()
            };
            work.jobs().add(&job).await.unwrap();
        }
        work.jobs()
            .refresh_queue(AccountId(account), 0.0)
            .await
            .unwrap();
        work.commit().await.unwrap();
    }
}

fn policy() -> QueuePolicy {
    QueuePolicy {
        running_per_account: 100,
        ..QueuePolicy::default()
    }
}

fn worker_core(storage: &Arc<dyn Storage>) -> Arc<Core> {
    Arc::new(Core {
        clock: Arc::new(SystemClock),
        policies: Policies {
            queue: policy(),
            ..Policies::default()
        },
        ..core(Arc::clone(storage))
    })
}

/// Claims and completes all jobs with the worker's use cases.
async fn measure_queue(storage: &Arc<dyn Storage>, batch: u32, jobs: i64) -> f64 {
    let began = Instant::now();
    let workers: Vec<_> = (0..WORKERS)
        .map(|at| tokio::spawn(work(Arc::clone(storage), batch, format!("bench-{at}"))))
        .collect();
    let mut done = 0_u32;
    for worker in workers {
        done += worker.await.unwrap();
    }
    assert_eq!(i64::from(done), jobs, "every job once");
    f64::from(done) / began.elapsed().as_secs_f64()
}

async fn work(storage: Arc<dyn Storage>, batch: u32, name: String) -> u32 {
    let core = worker_core(&storage);
    let mut done = 0;
    let mut empty = 0;
    // Others may hold the queue rows for a moment.
    while empty < 20 {
        let claimed = core.claim_jobs(&name, &FreeSlots::of(batch)).await.unwrap();
        if claimed.is_empty() {
            empty += 1;
            tokio::time::sleep(Duration::from_millis(5)).await;
            continue;
        }
        empty = 0;
        // The worker also completes jobs of one account together.
        let of_accounts = claimed.chunk_by(|one, other| one.account == other.account);
        let ends: Vec<_> = of_accounts
            .map(|jobs| {
                let core = Arc::clone(&core);
                let leases: Vec<LeaseToken> = jobs.iter().map(LeaseToken::of).collect();
                tokio::spawn(async move { finish_jobs(&core, &leases).await })
            })
            .collect();
        for end in ends {
            done += end.await.unwrap();
        }
    }
    done
}

async fn finish_jobs(core: &Core, leases: &[LeaseToken]) -> u32 {
    let outcome = JobResults {
        heads: vec![],
        latest: vec![],
        carried_over: vec![],
        partial: false,
        progress: Progress::default(),
        events: vec![],
    };
    let ends: Vec<_> = leases.iter().map(|lease| (*lease, &outcome)).collect();
    let ended = core.publish_all(leases[0].account, &ends).await.unwrap();
    u32::try_from(ended.iter().flatten().count()).unwrap()
}

/// Heartbeats for one account's share of a hundred claimed jobs: their number, and renewals per second.
async fn heartbeats(storage: &Arc<dyn Storage>, accounts: i64) -> (usize, f64) {
    const ROUNDS: u32 = 50;
    fill(storage.as_ref(), accounts, 100 * accounts).await;
    let core = worker_core(storage);
    let mut leased: Vec<Job> = Vec::new();
    while leased.len() < 100 {
        leased.extend(core.claim_jobs("bench", &FreeSlots::of(100)).await.unwrap());
    }
    let account = leased[0].account;
    leased.retain(|it| it.account == account);
    let heartbeats: Vec<Heartbeat> = { leased.iter() }
        .map(|job| Heartbeat {
            lease: LeaseToken::of(job),
            progress: job.progress.clone(),
        })
        .collect();
    let began = Instant::now();
    for _ in 0..ROUNDS {
        let answers = core.renew_leases(account, &heartbeats).await.unwrap();
        assert!(answers.iter().all(Option::is_some));
    }
    let renewed = f64::from(ROUNDS) * f64::from(u32::try_from(heartbeats.len()).unwrap());
    (heartbeats.len(), renewed / began.elapsed().as_secs_f64())
}

/// The minimum of a queue: two statements, each in its own transaction.
fn measure_plain_sql(url: &str, batch: u32, jobs: i64) -> f64 {
    let (url, is_postgres) = (url.to_owned(), url.starts_with("postgres"));
    let workers = if is_postgres { WORKERS } else { 1 };
    let mut first = Raw::open(&url);
    first.execute("DROP TABLE IF EXISTS bench_jobs");
    first.execute("CREATE TABLE bench_jobs (id BIGINT PRIMARY KEY, state TEXT NOT NULL, run_at BIGINT NOT NULL, lease_owner TEXT, lease_until BIGINT)");
    first.execute("CREATE INDEX bench_jobs_ready ON bench_jobs (run_at, id) WHERE state = 'ready'");
    let numbers = if is_postgres {
        format!("SELECT n, 'ready', n FROM generate_series(1, {jobs}) AS n")
    } else {
        format!(
            "WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < {jobs}) SELECT n, 'ready', n FROM s"
        )
    };
    first.execute(&format!(
        "INSERT INTO bench_jobs (id, state, run_at) {numbers}"
    ));
    let began = Instant::now();
    let workers: Vec<_> = (0..workers)
        .map(|_| {
            let url = url.clone();
            std::thread::spawn(move || Raw::open(&url).work(batch))
        })
        .collect();
    let done: u32 = workers.into_iter().map(|it| it.join().unwrap()).sum();
    assert_eq!(i64::from(done), jobs);
    f64::from(done) / began.elapsed().as_secs_f64()
}

#[derive(diesel::QueryableByName)]
struct Id {
    #[diesel(sql_type = diesel::sql_types::BigInt)]
    id: i64,
}

/// A connection without the storage layer.
enum Raw {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl Raw {
    fn open(url: &str) -> Self {
        if url.starts_with("postgres") {
            return Self::Postgres(PgConnection::establish(url).unwrap());
        }
        let mut opened = SqliteConnection::establish(url.trim_start_matches("sqlite://")).unwrap();
        let setup =
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;";
        opened.batch_execute(setup).unwrap();
        Self::Sqlite(opened)
    }

    fn execute(&mut self, text: &str) {
        match self {
            Self::Postgres(it) => it.batch_execute(text).unwrap(),
            Self::Sqlite(it) => it.batch_execute(text).unwrap(),
        }
    }

    fn query(&mut self, text: String) -> Vec<Id> {
        match self {
            Self::Postgres(it) => sql_query(text).load(it).unwrap(),
            Self::Sqlite(it) => sql_query(text).load(it).unwrap(),
        }
    }

    fn work(mut self, batch: u32) -> u32 {
        let skip = match self {
            Self::Postgres(_) => "FOR UPDATE SKIP LOCKED",
            Self::Sqlite(_) => "",
        };
        let mut done = 0;
        loop {
            let claim = format!(
                "UPDATE bench_jobs SET state = 'running', lease_owner = 'bench', lease_until = 1 WHERE id IN (SELECT id FROM bench_jobs WHERE state = 'ready' ORDER BY run_at, id LIMIT {batch} {skip}) RETURNING id"
            );
            let claimed = self.query(claim);
            if claimed.is_empty() {
                return done;
            }
            let ids: Vec<String> = claimed.iter().map(|it| it.id.to_string()).collect();
            self.execute(&format!(
                "UPDATE bench_jobs SET state = 'succeeded', lease_owner = NULL WHERE id IN ({})",
                ids.join(", ")
            ));
            done += u32::try_from(claimed.len()).unwrap();
        }
    }
}
