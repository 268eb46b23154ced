//! Random walks over the states of the queue on real databases: jobs of several accounts, workers that die or lose
//! their leases, owners who cancel jobs and deactivate projects, schedules, budgets, and a clock that advances. After
//! each step the invariants of `tests/chaos/invariants.sql` hold, and ended jobs keep their states.
//!
//! `SIGHTLINE_WALK=7 SIGHTLINE_STEPS=2000` runs only that walk, with more steps.

use super::{Queue, failure};
use chrono::{DateTime, TimeDelta, Utc};
use domain::{
    ids::{AccountId, JobId, ProjectId},
    job::{Job, JobState, Trigger},
    money::MicroUsd,
    patch::Change,
    ports::clock::Clock,
    project::{ProjectPatch, Status},
    use_cases::{
        end_attempt::AttemptEnd, leases::LeaseError, request_analysis::RequestAnalysisError,
    },
};
use harness::{databases::TestDatabase, on_every_database};
use std::collections::BTreeMap;

on_every_database![
    invariants_hold_on_one_random_walk,
    #[ignore = "slow: four long walks, the invariants after each step"]
    invariants_hold_on_long_random_walks
];

pub(super) const INVARIANTS: &str = include_str!("../../chaos/invariants.sql");
const ACCOUNTS: usize = 3;
const PROJECTS: usize = 6;
const WALKS: std::ops::RangeInclusive<u64> = 1..=4;
const STEPS: u64 = 150;
const WORKERS: usize = 5;
/// A rank check of one project costs 200 here; the concurrent jobs of one account would cost 1,200.
const DAILY_BUDGET: i64 = 500;
const MONTHLY_BUDGET: i64 = 700;
const OF_THE_SERVER: i64 = 1_500;

/// A deterministic pseudorandom generator: `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^= mixed >> 31;
        usize::try_from(mixed % limit as u64).unwrap()
    }
}

/// The state of the walk outside of the database.
struct Walk<'a> {
    queue: Queue,
    db: &'a TestDatabase,
    dice: Dice,
    projects: Vec<(AccountId, ProjectId)>,
    /// Attempts that some worker believes to have leased, including lost ones.
    leased: Vec<Job>,
    /// Every accepted job, with its final state and time.
    accepted: BTreeMap<(AccountId, JobId), Option<Ended>>,
    happened: &'a mut Happened,
}

/// The final state of a job, and when it was observed.
type Ended = (JobState, DateTime<Utc>);

/// Counts of the relevant events.
#[derive(Debug, Default)]
struct Happened {
    published: u32,
    too_late: u32,
    scheduled: u32,
    too_dear: u32,
    out_of_use: u32,
}

fn number(name: &str, otherwise: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "the test run chooses the walk")]
    let given = std::env::var(name);
    given.map_or(otherwise, |it| it.parse().unwrap())
}

async fn invariants_hold_on_one_random_walk(db: TestDatabase) {
    let mut happened = Happened::default();
    walk(&db, *WALKS.start(), &mut happened).await;
    assert!(happened.published > 0, "{happened:?}");
}

async fn invariants_hold_on_long_random_walks(db: TestDatabase) {
    let one = number("SIGHTLINE_WALK", 0);
    let walks = if one == 0 { WALKS } else { one..=one };
    let mut happened = Happened::default();
    for seed in walks {
        walk(&db, seed, &mut happened).await;
    }
    let Happened {
        published,
        too_late,
        scheduled,
        too_dear,
        out_of_use,
    } = happened;
    let counts = [published / 5, too_late, scheduled, too_dear, out_of_use].into_iter();
    assert!(counts.min() > Some(2), "little happened: {happened:?}");
}

async fn walk(db: &TestDatabase, seed: u64, happened: &mut Happened) {
    let queue = Queue {
        max_per_day: Some(MicroUsd(OF_THE_SERVER)),
        ..Queue::on(db)
    };
    // Each walk has separate days.
    let days = i64::try_from(seed).unwrap() * 60;
    queue.clock.advance(TimeDelta::days(days));
    let mut projects = Vec::new();
    for account in 0..ACCOUNTS {
        let owner = queue
            .account(&format!("{account}-{seed}@example.com"))
            .await;
        for project in 0..PROJECTS {
            let host = format!("p{project}-{account}.example.com");
            let site = queue.project(owner, &host, &["rust", "actix"]).await;
            projects.push((owner, site));
            if project % 3 == 0 {
                queue.schedule(owner, site, "daily").await;
            }
        }
        if let Some((budget, cap)) = [
            ("daily_budget", DAILY_BUDGET),
            ("monthly_budget", MONTHLY_BUDGET),
        ]
        .get(account)
        {
            db.run_sql(&format!(
                "UPDATE accounts SET {budget} = {cap} WHERE account_id = {owner}"
            ));
        }
    }
    let mut walk = Walk {
        queue,
        db,
        dice: Dice(seed),
        projects,
        leased: vec![],
        accepted: BTreeMap::new(),
        happened,
    };
    for step in 0..number("SIGHTLINE_STEPS", STEPS) {
        let action = walk.step().await;
        walk.look(&format!("step {step} of walk {seed}: {action}"))
            .await;
    }
    walk.end().await;
    // Their schedules do not fire on other walks.
    db.run_sql("DELETE FROM schedules");
}

impl Walk<'_> {
    async fn step(&mut self) -> &'static str {
        match self.dice.below(27) {
            0..=5 => self.request().await,
            6..=9 => self.claim().await,
            10 => self.live().await,
            11..=12 => self.measure().await,
            13..=15 => self.publish().await,
            16 => self.publish_together().await,
            17 => self.end_attempt().await,
            18 => self.die(),
            19 => self.cancel().await,
            20 => self.sweep().await,
            21 => self.change_use(Status::Deactivated).await,
            22..=23 => self.change_use(Status::Active).await,
            24 => self.tick().await,
            _ => self.wait(),
        }
    }

    async fn request(&mut self) -> &'static str {
        let (account, project) = self.projects[self.dice.below(self.projects.len())];
        match self.queue.try_request_job(account, project).await {
            Ok(requested) => {
                let job = requested.job;
                let before = self.accepted.insert((account, job.id), None);
                assert_eq!(before.is_some(), requested.deduplicated, "ids are new");
            }
            Err(RequestAnalysisError::OverBudget(_)) => self.happened.too_dear += 1,
            Err(RequestAnalysisError::ProjectDeactivated) => self.happened.out_of_use += 1,
            Err(error) => panic!("{error}"),
        }
        "an analysis is requested"
    }

    /// Deactivates or reactivates a project; most projects are active most of the time.
    async fn change_use(&mut self, status: Status) -> &'static str {
        let (account, project) = self.projects[self.dice.below(self.projects.len())];
        let patch = ProjectPatch {
            status: Change::Set(status),
            ..ProjectPatch::default()
        };
        let core = self.queue.core();
        let change = core.change_project(account, project, &patch, None);
        change.await.unwrap();
        "a project's use changes"
    }

    /// Half a day later, due schedules fire, once for all missed ticks.
    async fn tick(&mut self) -> &'static str {
        self.queue.clock.advance(TimeDelta::hours(12));
        let fired = self.queue.fire().await;
        let started = fired.iter().filter(|it| it.last_refusal.is_none());
        self.happened.scheduled += u32::try_from(started.count()).unwrap();
        assert_eq!(self.queue.fire().await, [], "a tick is had once");
        "schedules come round"
    }

    async fn claim(&mut self) -> &'static str {
        let wanted = 1 + u32::try_from(self.dice.below(6)).unwrap();
        let worker = format!("worker {}", self.dice.below(WORKERS));
        let claimed = self.queue.claim_up_to(&worker, wanted).await;
        assert!(claimed.len() <= wanted as usize);
        self.leased.extend(claimed);
        "a worker claims"
    }

    /// Sends heartbeats for one account's jobs, including lost ones.
    async fn live(&mut self) -> &'static str {
        if let Some(account) = self.leased.first().map(|it| it.account) {
            let jobs: Vec<&Job> = { self.leased.iter() }
                .filter(|it| it.account == account)
                .collect();
            self.queue.keep(&jobs).await;
        }
        "leases are renewed"
    }

    async fn measure(&mut self) -> &'static str {
        if let Some(job) = self.any_leased() {
            let measured = self.queue.measure(&job, 1).await;
            match self.queue.record(&job, &measured).await {
                Ok(_) => {}
                Err(LeaseError::Lost) => self.happened.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "a keyword is measured"
    }

    async fn publish(&mut self) -> &'static str {
        if let Some(job) = self.any_leased() {
            match self.queue.publish(&job).await {
                Ok(_) => {
                    self.happened.published += 1;
                    self.leased
                        .retain(|it| it.id != job.id || it.epoch != job.epoch);
                }
                Err(LeaseError::Lost) => self.happened.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "a job is finished"
    }

    /// Ends one account's jobs in one transaction, including lost ones.
    async fn publish_together(&mut self) -> &'static str {
        let Some(account) = self.any_leased().map(|it| it.account) else {
            return "no job is finished";
        };
        let (of_account, others) = { std::mem::take(&mut self.leased).into_iter() }
            .partition::<Vec<Job>, _>(|it| it.account == account);
        self.leased = others;
        let ended = self
            .queue
            .publish_all(&of_account.iter().collect::<Vec<_>>())
            .await;
        let published = ended.iter().flatten().count();
        self.happened.published += u32::try_from(published).unwrap();
        self.happened.too_late += u32::try_from(ended.len() - published).unwrap();
        "jobs are finished together"
    }

    async fn end_attempt(&mut self) -> &'static str {
        if let Some(job) = self.any_leased() {
            let ends = [
                failure(),
                AttemptEnd::Released,
                AttemptEnd::Stopped,
                later(),
                later(),
            ];
            let end = &ends[self.dice.below(ends.len())];
            match self.queue.end(&job, end).await {
                Ok(_) => self
                    .leased
                    .retain(|it| it.id != job.id || it.epoch != job.epoch),
                Err(LeaseError::Lost) => self.happened.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "an attempt ends otherwise"
    }

    fn die(&mut self) -> &'static str {
        if !self.leased.is_empty() {
            let which = self.dice.below(self.leased.len());
            self.leased.swap_remove(which);
        }
        "a worker dies"
    }

    async fn cancel(&mut self) -> &'static str {
        let jobs: Vec<_> = self.accepted.keys().copied().collect();
        if !jobs.is_empty() {
            let (account, job) = jobs[self.dice.below(jobs.len())];
            let core = self.queue.core();
            core.cancel_analysis(account, job).await.unwrap();
        }
        "an owner cancels"
    }

    async fn sweep(&mut self) -> &'static str {
        self.queue.sweep().await;
        "the queue is swept"
    }

    fn wait(&mut self) -> &'static str {
        const SECONDS: [i64; 6] = [1, 5, 20, 50, 400, 4_000];
        let seconds = SECONDS[self.dice.below(SECONDS.len())];
        self.queue.clock.advance(TimeDelta::seconds(seconds));
        "time passes"
    }

    fn any_leased(&mut self) -> Option<Job> {
        (!self.leased.is_empty()).then(|| self.leased[self.dice.below(self.leased.len())].clone())
    }

    /// Asserts that the invariants hold, no job is lost, and ended jobs keep their states.
    async fn look(&mut self, after: &str) {
        // The server's cap is not stored in a table.
        let all = format!(
            "{INVARIANTS}-- wrong: days for which the server spent and set aside more than it may\n\
             SELECT count(*) FROM server_spending WHERE spent + reserved > {OF_THE_SERVER};"
        );
        for (invariant, wrong) in self.db.counts(&all) {
            assert_eq!(wrong, 0, "{invariant}, after {after}");
        }
        let mut found: BTreeMap<(AccountId, JobId), JobState> = BTreeMap::new();
        for (account, _) in self.projects.iter().step_by(PROJECTS) {
            for job in self.queue.jobs(*account).await {
                found.insert((*account, job.id), job.state);
                // Jobs of schedules are known only to the database.
                if job.trigger == Trigger::Schedule {
                    self.accepted.entry((*account, job.id)).or_insert(None);
                }
            }
        }
        let now = self.queue.clock.now();
        let kept_for = self.queue.policy.done_kept_for;
        self.accepted.retain(|job, ended| {
            match (found.remove(job), *ended) {
                (Some(state), None) if !state.is_unfinished() => *ended = Some((state, now)),
                (Some(_), None) => {}
                (Some(state), Some((before, _))) => assert_eq!(state, before, "after {after}"),
                (None, Some((_, at))) if now - at >= kept_for => return false,
                (None, _) => panic!("{job:?} is lost after {after}"),
            }
            true
        });
        assert!(found.is_empty(), "{found:?} came of nothing, after {after}");
    }

    /// Runs all remaining jobs: no job is forgotten.
    async fn end(&mut self) {
        for _ in 0..200 {
            self.queue.clock.advance(TimeDelta::seconds(60));
            self.queue.sweep().await;
            for job in self.queue.claim_up_to("last", 10).await {
                self.queue.publish(&job).await.unwrap();
            }
        }
        self.look("the end").await;
        let open = self.accepted.iter().filter(|it| it.1.is_none());
        assert_eq!(open.count(), 0, "jobs that never ended");
    }
}

fn later() -> AttemptEnd {
    let AttemptEnd::Failed(error) = failure() else {
        unreachable!("it is one");
    };
    AttemptEnd::Retry {
        error,
        requested_delay: None,
    }
}
