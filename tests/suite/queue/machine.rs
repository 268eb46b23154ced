//! The queue as a state machine on real databases: jobs of several accounts, workers that live, die and come back
//! too late, owners who change their minds, and a clock that goes on. After each step the invariants hold that
//! `tests/chaos/invariants.sql` states, and what has ended stays as it ended.
//!
//! `SIGHTLINE_WALK=7 SIGHTLINE_STEPS=2000` walks another way, and longer.

use super::{Queue, failure};
use chrono::TimeDelta;
use domain::{
    ids::{AccountId, JobId, ProjectId},
    job::{Job, JobState},
    use_cases::{cancel_analysis::CancelAnalysis, end_attempt::AttemptEnd, keep_leases::HoldError},
};
use harness::{databases::TestDatabase, on_every_database};
use std::collections::BTreeMap;

on_every_database![whatever_happens_what_has_to_hold_holds];

pub(super) const INVARIANTS: &str = include_str!("../../chaos/invariants.sql");
const ACCOUNTS: usize = 3;
const PROJECTS: usize = 6;
const STEPS: u64 = 400;

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
    /// Every job that was accepted, and how it ended.
    accepted: BTreeMap<(AccountId, JobId), Option<JobState>>,
    published: u32,
    too_late: u32,
}

fn number(name: &str, otherwise: u64) -> u64 {
    #[expect(
        clippy::disallowed_methods,
        reason = "whoever runs the test chooses the walk"
    )]
    let given = std::env::var(name);
    given.map_or(otherwise, |it| it.parse().unwrap())
}

async fn whatever_happens_what_has_to_hold_holds(db: TestDatabase) {
    let queue = Queue::on(&db);
    let mut projects = Vec::new();
    for account in 0..ACCOUNTS {
        let owner = queue.account(&format!("{account}@example.com")).await;
        for project in 0..PROJECTS {
            let host = format!("p{project}-{account}.example.com");
            projects.push((owner, queue.project(owner, &host, &["rust", "actix"]).await));
        }
    }
    let mut walk = Walk {
        queue,
        db: &db,
        dice: Dice(number("SIGHTLINE_WALK", 1)),
        projects,
        held: vec![],
        accepted: BTreeMap::new(),
        published: 0,
        too_late: 0,
    };
    for step in 0..number("SIGHTLINE_STEPS", STEPS) {
        let what = walk.step().await;
        walk.look(&format!("step {step}: {what}")).await;
    }
    walk.end().await;
    assert!(walk.published > 10 && walk.too_late > 3, "little happened");
}

impl Walk<'_> {
    async fn step(&mut self) -> &'static str {
        match self.dice.below(20) {
            0..=4 => self.ask().await,
            5..=8 => self.claim().await,
            9 => self.live().await,
            10 => self.measure().await,
            11..=12 => self.publish().await,
            13 => self.publish_together().await,
            14 => self.end_attempt().await,
            15 => self.die(),
            16 => self.cancel().await,
            17 => self.sweep().await,
            _ => self.wait(),
        }
    }

    async fn ask(&mut self) -> &'static str {
        let (account, project) = self.projects[self.dice.below(self.projects.len())];
        if let Ok(requested) = self.queue.want(account, project).await {
            let job = requested.job;
            let before = self.accepted.insert((account, job.id), None);
            assert_eq!(before.is_some(), requested.deduplicated, "ids are new");
        }
        "somebody asks for an analysis"
    }

    async fn claim(&mut self) -> &'static str {
        let wanted = 1 + u32::try_from(self.dice.below(6)).unwrap();
        let claimed = self.queue.claim_up_to("worker", wanted).await;
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
                Err(HoldError::Lost) => self.too_late += 1,
                Err(error) => panic!("{error}"),
            }
        }
        "a keyword is measured"
    }

    async fn publish(&mut self) -> &'static str {
        if let Some(job) = self.any_held() {
            match self.queue.publish(&job).await {
                Ok(_) => {
                    self.published += 1;
                    self.held
                        .retain(|it| it.id != job.id || it.epoch != job.epoch);
                }
                Err(HoldError::Lost) => self.too_late += 1,
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
        self.published += u32::try_from(published).unwrap();
        self.too_late += u32::try_from(ended.len() - published).unwrap();
        "jobs are finished together"
    }

    async fn end_attempt(&mut self) -> &'static str {
        if let Some(job) = self.any_held() {
            let ends = [
                failure(),
                AttemptEnd::GivenBack,
                AttemptEnd::Stopped,
                later(),
                later(),
            ];
            let end = &ends[self.dice.below(ends.len())];
            match self.queue.end(&job, end).await {
                Ok(_) => self
                    .held
                    .retain(|it| it.id != job.id || it.epoch != job.epoch),
                Err(HoldError::Lost) => self.too_late += 1,
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
            let cancel = CancelAnalysis::new(self.queue.storage(), self.queue.clock());
            cancel.run(account, job).await.unwrap();
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
        for (what, wrong) in self.db.counts(INVARIANTS) {
            assert_eq!(wrong, 0, "{what}, after {after}");
        }
        let mut found: BTreeMap<(AccountId, JobId), JobState> = BTreeMap::new();
        for (account, _) in self.projects.iter().step_by(PROJECTS) {
            let jobs = self.queue.jobs(*account).await;
            found.extend(jobs.into_iter().map(|it| ((*account, it.id), it.state)));
        }
        for ((account, id), ended) in &mut self.accepted {
            // A page of the oldest hundred is looked at; the walk is no longer than that.
            let Some(now) = found.get(&(*account, *id)).copied() else {
                let known = found.keys().filter(|it| it.0 == *account).count();
                assert_eq!(known, 100, "job {id} is lost after {after}");
                continue;
            };
            match ended {
                Some(state) => assert_eq!(now, *state, "after {after}"),
                None if !now.is_unfinished() => *ended = Some(now),
                None => {}
            }
        }
    }

    /// Everybody works on until nothing is left: no job is forgotten.
    async fn end(&mut self) {
        for _ in 0..200 {
            self.queue.clock.advance(TimeDelta::seconds(60));
            self.queue.sweep().await;
            for job in self.queue.claim_up_to("last", 10).await {
                self.queue.publish(&job).await.unwrap();
            }
            self.look("the end").await;
        }
        let open = self.accepted.iter().filter(|it| it.1.is_none());
        assert_eq!(open.count(), 0, "jobs that never ended");
    }
}

fn later() -> AttemptEnd {
    let AttemptEnd::Failed(error) = failure() else {
        unreachable!("it is one");
    };
    AttemptEnd::Later { error, asked: None }
}
