//! Sixty-four workers on one queue: each job is claimed once, and no account ever exceeds its running cap.

use super::{Queue, machine};
use domain::ids::{AccountId, JobId};
use harness::{databases::TestDatabase, on_every_database};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

on_every_database![each_job_is_claimed_once_and_account_caps_hold];

const WORKERS: u32 = 64;
const ACCOUNTS: usize = 6;
const JOBS_OF_ONE: usize = 20;
const JOBS: usize = ACCOUNTS * JOBS_OF_ONE;

/// State that the workers share.
#[derive(Default)]
struct Seen {
    claimed: BTreeSet<(AccountId, JobId)>,
    /// Jobs between the return of their claim and the call that ends them: at most the running ones.
    running: BTreeMap<AccountId, u32>,
    ended: usize,
}

async fn each_job_is_claimed_once_and_account_caps_hold(db: TestDatabase) {
    let queue = Arc::new(Queue::on(&db));
    let mut requested = BTreeSet::new();
    for account in 0..ACCOUNTS {
        let owner = queue.account(&format!("{account}@example.com")).await;
        for site in 0..JOBS_OF_ONE {
            let host = format!("s{site}.example.com");
            let project = queue.project(owner, &host, &["rust"]).await;
            requested.insert((owner, queue.request_job(owner, project).await.id));
        }
    }
    let seen = Arc::new(Mutex::new(Seen::default()));
    let workers: Vec<_> = (0..WORKERS)
        .map(|number| tokio::spawn(work(Arc::clone(&queue), Arc::clone(&seen), number)))
        .collect();
    // A concurrent reader checks the committed state.
    while lock(&seen).ended < JOBS {
        for (invariant, wrong) in db.counts(machine::INVARIANTS) {
            assert_eq!(wrong, 0, "{invariant}");
        }
        let died = workers.iter().any(tokio::task::JoinHandle::is_finished);
        assert!(!died || lock(&seen).ended == JOBS, "a worker gave up");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let mut at_work = 0;
    for worker in workers {
        at_work += u32::from(worker.await.unwrap() > 0);
    }
    assert!(at_work > 8, "only {at_work} workers had anything to do");
    let seen = lock(&seen);
    assert_eq!(seen.claimed, requested);
    let published = "SELECT count(*) FROM result_heads JOIN jobs ON jobs.account_id = result_heads.account_id AND jobs.id = result_heads.job_id WHERE state = 'succeeded' AND attempt = 1 AND result_type = 'rankings'";
    let of_all = db.counts(published)[0].1;
    assert_eq!(usize::try_from(of_all).unwrap(), JOBS);
}

/// Claims and ends jobs until all have ended; returns how many it claimed.
async fn work(queue: Arc<Queue>, seen: Arc<Mutex<Seen>>, number: u32) -> usize {
    let mut had = 0;
    while lock(&seen).ended < JOBS {
        let jobs = queue
            .claim_up_to(&format!("w{number}"), 1 + number % 3)
            .await;
        if jobs.is_empty() {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        {
            let mut seen = lock(&seen);
            for job in &jobs {
                assert!(seen.claimed.insert((job.account, job.id)), "{job:?} again");
                let running = seen.running.entry(job.account).or_default();
                *running += 1;
                let cap = queue.policy.running_per_account;
                assert!(*running <= cap, "{} runs {running}", job.account);
            }
        }
        had += jobs.len();
        for job in jobs {
            *lock(&seen).running.get_mut(&job.account).unwrap() -= 1;
            queue.publish(&job).await.unwrap();
            lock(&seen).ended += 1;
        }
    }
    had
}

fn lock(seen: &Mutex<Seen>) -> std::sync::MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}
