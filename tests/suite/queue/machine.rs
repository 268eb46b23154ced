//! The queue as a state machine on real databases: jobs of several accounts, workers that live, die and come back
//! too late, owners who change their minds and take projects out of use, schedules that come round, budgets that are
//! met, and a clock that goes on. After each step the invariants hold that `tests/chaos/invariants.sql` states, and
//! what has ended stays as it ended.
//!
//! `SIGHTLINE_WALK=7 SIGHTLINE_STEPS=2000` walks that one way alone, and longer.

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
    what_has_to_hold_holds_on_one_walk,
    #[ignore = "slow: four long walks, the invariants after each step"]
    whatever_happens_what_has_to_hold_holds
];

pub(super) const INVARIANTS: &str = include_str!("../../chaos/invariants.sql");
const ACCOUNTS: usize = 3;
const PROJECTS: usize = 6;
const WALKS: std::ops::RangeInclusive<u64> = 1..=4;
const STEPS: u64 = 150;
const WORKERS: usize = 5;
/// A rank check of a project here is 200. All that one account has under way at once would be 1,200.
const DAILY_BUDGET: i64 = 500;
const MONTHLY_BUDGET: i64 = 700;
const OF_THE_SERVER: i64 = 1_500;

/// Numbers that look like chance, the same each time: `SplitMix64` (Steele, Lea and Flood, OOPSLA 2014).
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

/// What the walk knows beside the database.
struct Walk<'a> {
    queue: Queue,
    db: &'a TestDatabase,
    dice: Dice,
    projects: Vec<(AccountId, ProjectId)>,
    /// Attempts that some worker believes to hold, lost ones among them.
    held: Vec<Job>,
    /// Every job that was accepted, and how it ended and when.
    accepted: BTreeMap<(AccountId, JobId), Option<Ended>>,
    happened: &'a mut Happened,
}

/// How a job ended, and when that was seen.
type Ended = (JobState, DateTime<Utc>);

/// How often what matters happened.
#[derive(Debug, Default)]
struct Happened {
    published: u32,
    too_late: u32,
    scheduled: u32,
    too_dear: u32,
    out_of_use: u32,
}

fn number(name: &str, otherwise: u64) -> u64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever runs the test chooses the walk"
    )]
    let given = std::env::var(name);
    given.map_or(otherwise, |it| it.parse().unwrap())
}

async fn what_has_to_hold_holds_on_one_walk(db: TestDatabase) {
    let mut happened = Happened::default();
    walk(&db, *WALKS.start(), &mut happened).await;
    assert!(happened.published > 0, "{happened:?}");
}

async fn whatever_happens_what_has_to_hold_holds(db: TestDatabase) {
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
    let least = [published / 5, too_late, scheduled, too_dear, out_of_use].into_iter();
    assert!(least.min() > Some(2), "little happened: {happened:?}");
}

async fn walk(db: &TestDatabase, seed: u64, happened: &mut Happened) {
    let queue = Queue {
        most_per_day: Some(MicroUsd(OF_THE_SERVER)),
        ..Queue::on(db)
    };
    // Another walk's days are over.
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
        held: vec![],
        accepted: BTreeMap::new(),
        happened,
    };
    for step in 0..number("SIGHTLINE_STEPS", STEPS) {
        let what = walk.step().await;
        walk.look(&format!("step {step} of walk {seed}: {what}"))
            .await;
    }
    walk.end().await;
    // What is theirs does not come round on other walks.
    db.run_sql("DELETE FROM schedules");
}

impl Walk<'_> {
    async fn step(&mut self) -> &'static str {
        match self.dice.below(27) {
            0..=5 => self.ask().await,
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

    async fn ask(&mut self) -> &'static str {
        let (account, project) = self.projects[self.dice.below(self.projects.len())];
        match self.queue.want(account, project).await {
            Ok(requested) => {
                let job = requested.job;
                let before = self.accepted.insert((account, job.id), None);
                assert_eq!(before.is_some(), requested.deduplicated, "ids are new");
            }
            Err(RequestAnalysisError::OverBudget(_)) => self.happened.too_dear += 1,
            Err(RequestAnalysisError::ProjectDeactivated) => self.happened.out_of_use += 1,
            Err(error) => panic!("{error}"),
        }
        "somebody asks for an analysis"
    }

    /// A project is taken out of use, or into it again; most are in use most of the time.
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

    /// Half a day later, what is due begins, once for all that were missed.
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
        self.held.extend(claimed);
        "a worker claims"
    }

    /// One account's jobs give a sign of life, lost ones too.
    async fn live(&mut self) -> &'static str {
        if let Some(account) = self.held.first().map(|it| it.account) {
            let held: Vec<&Job> = { self.held.iter() }
                .filter(|it| it.account == account)
                .collect();
            self.queue.keep(&held).await;
        }
        "leases are renewed"
    }

    async fn measure(&mut self) -> &'static str {
        if let Some(job) = self.any_held() {
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
        if let Some(job) = self.any_held() {
            match self.queue.publish(&job).await {
                Ok(_) => {
                    self.happened.published += 1;
                    self.held
                        .retain(|it| it.id != job.id || it.epoch != job.epoch);
                }
                Err(LeaseError::Lost) => self.happened.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "a job is finished"
    }

    /// One account's jobs end in one transaction, lost ones among them.
    async fn publish_together(&mut self) -> &'static str {
        let Some(account) = self.any_held().map(|it| it.account) else {
            return "no job is finished";
        };
        let (of_account, others) = { std::mem::take(&mut self.held).into_iter() }
            .partition::<Vec<Job>, _>(|it| it.account == account);
        self.held = others;
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
        if let Some(job) = self.any_held() {
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
                    .held
                    .retain(|it| it.id != job.id || it.epoch != job.epoch),
                Err(LeaseError::Lost) => self.happened.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "an attempt ends otherwise"
    }

    fn die(&mut self) -> &'static str {
        if !self.held.is_empty() {
            let which = self.dice.below(self.held.len());
            self.held.swap_remove(which);
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

    fn any_held(&mut self) -> Option<Job> {
        (!self.held.is_empty()).then(|| self.held[self.dice.below(self.held.len())].clone())
    }

    /// The invariants hold, no job is gone, and what has ended stays as it ended.
    async fn look(&mut self, after: &str) {
        // The server's cap stands in no table.
        let all = format!(
            "{INVARIANTS}-- wrong: days for which the server spent and set aside more than it may\n\
             SELECT count(*) FROM server_spending WHERE spent + reserved > {OF_THE_SERVER};"
        );
        for (what, wrong) in self.db.counts(&all) {
            assert_eq!(wrong, 0, "{what}, after {after}");
        }
        let mut found: BTreeMap<(AccountId, JobId), JobState> = BTreeMap::new();
        for (account, _) in self.projects.iter().step_by(PROJECTS) {
            for job in self.queue.jobs(*account).await {
                found.insert((*account, job.id), job.state);
                // What a schedule asked for, nobody else knows of.
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

    /// Everybody works on until nothing is left: no job is forgotten.
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
