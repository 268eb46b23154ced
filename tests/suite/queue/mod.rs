//! The queue's use cases on real databases: fair order, lost leases, and publication at most once.

use analysis::{
    observation::search_page::SearchPage, provenance::Provenance, result_type::ResultType,
};
use async_trait::async_trait;
use chrono::TimeDelta;
use domain::{
    account::AccountUsage,
    ai_models::ModelChoice,
    email::EmailAddress,
    ids::{AccountId, IdMint, ProjectId},
    job::{
        Job, JobPriority, JobState, Trigger, kind::AnalysisKind, policy::QueuePolicy,
        progress::Progress, slots::FreeSlots,
    },
    keyword::{KeywordChoice, KeywordText, NewKeywords},
    market::Market,
    money::MicroUsd,
    ports::{
        clock::Clock,
        jobs::{JobFilter, JobSort},
        paid_call_ledger::{PaidCall, PaidCallLedger, PaidCallOutcome, PaidCallStart},
        search_results::SearchQuery,
        spending::{Counter, month_of},
        storage::{Storage, StorageError},
    },
    project::{NewProject, ProjectMeta},
    results::{FindingQuery, FindingSort},
    schedule::{Recurrence, Schedule},
    test_support::{CountingRandomness, FrozenClock},
    text::Label,
    use_cases::{
        Core, Policies,
        end_attempt::{AttemptEnd, AttemptError},
        job_call_ledger::JobCallLedger,
        leases::{Heartbeat, LeaseError, LeaseToken, WorkerSignal},
        measure_keyword::{MeasureKeyword, MeasuredKeyword},
        publish_results::JobResults,
        request_analysis::{
            AnalysisRequest, Prices, RequestAnalysisError, RequestedJob, ScheduleFiring,
        },
    },
};
use domain::{
    domain_name::SiteDomain,
    page::{Direction, PageRequest},
    ports::search_results::{PaidCallRefusal, SearchOutcome, SearchResults, Spent, SupplierLabel},
};
use harness::{databases::TestDatabase, on_every_database};
use std::sync::Arc;

mod checks;
mod clock;
mod machine;
mod paid_calls;
mod sixty_four;
mod slots;

on_every_database![
    the_least_served_account_is_next,
    batch_claims_alternate_between_accounts,
    leases_of_an_account_are_renewed_together,
    jobs_of_an_account_are_ended_together,
    an_account_never_exceeds_its_running_cap,
    a_new_account_does_not_delay_waiting_ones,
    jobs_of_a_newer_version_do_not_block_other_accounts,
    a_corrupt_account_does_not_block_other_accounts,
    concurrent_identical_requests_share_one_job,
    a_worker_with_a_lost_lease_changes_nothing,
    measurements_of_earlier_attempts_are_published_once,
    deactivating_a_project_stops_jobs_and_releases_reservations,
    reservations_are_released_when_the_job_fails,
    a_tick_starts_one_job_with_concurrent_workers,
    missed_ticks_start_one_job_and_refusals_are_recorded,
    a_run_refused_by_a_full_queue_is_tried_again_soon,
    a_removed_or_changed_schedule_is_not_fired,
];

/// The use cases on one database, with a clock that tests can advance.
struct Queue {
    storage: Arc<dyn Storage>,
    clock: Arc<FrozenClock>,
    randomness: Arc<CountingRandomness>,
    mint: Arc<IdMint>,
    policy: QueuePolicy,
    max_per_day: Option<MicroUsd>,
}

impl Queue {
    fn on(db: &TestDatabase) -> Self {
        let (clock, randomness) = (
            Arc::new(FrozenClock::default()),
            Arc::new(CountingRandomness::default()),
        );
        let mint = Arc::new(IdMint::new(
            Arc::clone(&clock) as Arc<dyn Clock>,
            randomness.clone(),
        ));
        Self {
            storage: db.port(),
            clock,
            randomness,
            mint,
            policy: QueuePolicy::default(),
            max_per_day: None,
        }
    }

    fn core(&self) -> Core {
        Core {
            storage: self.storage(),
            clock: self.clock(),
            randomness: self.randomness.clone(),
            mint: Arc::clone(&self.mint),
            cipher: Arc::new(domain::ports::secret_cipher::NoKeyFile),
            policies: Policies {
                queue: self.policy,
                prices: self.prices(),
                ..Policies::default()
            },
        }
    }

    fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.clock) as Arc<dyn Clock>
    }

    fn storage(&self) -> Arc<dyn Storage> {
        Arc::clone(&self.storage)
    }

    async fn account(&self, email: &str) -> AccountId {
        let (email, name) = (EmailAddress::parse(email), Label::parse("Ann"));
        let (account, _) = { self.core() }
            .create_account(&email.unwrap(), &name.unwrap())
            .await
            .unwrap();
        account.id
    }

    async fn project(&self, account: AccountId, host: &str, keywords: &[&str]) -> ProjectId {
        let new = NewProject {
            domain: SiteDomain::accepted(host.into(), host.into()),
            name: None,
            meta: ProjectMeta::default(),
        };
        let texts = keywords
            .iter()
            .map(|it| KeywordText::parse(it).unwrap())
            .collect();
        let keywords = NewKeywords {
            texts,
            ai_tracked: None,
            market: Market::default(),
            tags: vec![],
        };
        let core = self.core();
        let created = core.create_project(account, &new, &keywords, None);
        created.await.unwrap().project.id
    }

    async fn request_job(&self, account: AccountId, project: ProjectId) -> Job {
        self.request_or_reuse_job(account, project).await.0
    }

    fn prices(&self) -> Prices {
        Prices {
            per_keyword: Spent::on(1, MicroUsd(100)),
            max_per_day: self.max_per_day,
            speed_pages: 10,
            ..Prices::default()
        }
    }

    async fn fire(&self) -> Vec<Schedule> {
        self.core().fire_schedules().await.unwrap()
    }

    async fn schedule(&self, account: AccountId, project: ProjectId, days: &str) -> Schedule {
        let rhythm = Recurrence::parse(days, "03:00", "UTC").unwrap();
        let core = self.core();
        let set = core.set_schedule(account, project, AnalysisKind::RankCheck, rhythm);
        set.await.unwrap()
    }

    async fn schedules(&self, account: AccountId) -> Vec<Schedule> {
        self.core().schedules(account).await.unwrap()
    }

    async fn jobs(&self, account: AccountId) -> Vec<Job> {
        let page = PageRequest {
            sort: JobSort::CreatedAt,
            direction: Direction::Ascending,
            after: None,
            limit: 100_000,
            counted: false,
            bytes: None,
        };
        let mut read = self.storage.read().await.unwrap();
        let all = JobFilter::default();
        let found = read.jobs().list(account, &all, &page).await;
        found.unwrap().items
    }

    async fn request_or_reuse_job(&self, account: AccountId, project: ProjectId) -> (Job, bool) {
        let requested = self.try_request_job(account, project).await.unwrap();
        (requested.job, requested.deduplicated)
    }

    async fn try_request_job(
        &self,
        account: AccountId,
        project: ProjectId,
    ) -> Result<RequestedJob, RequestAnalysisError> {
        let request = AnalysisRequest {
            project,
            kind: AnalysisKind::RankCheck,
            keywords: KeywordChoice::All,
            models: ModelChoice::All,
            priority: JobPriority::Normal,
            trigger: Trigger::Api,
        };
        self.core().request_analysis(account, &request, None).await
    }

    /// The ledger of the job's paid calls.
    fn journal(&self, job: &Job) -> Arc<dyn PaidCallLedger> {
        let lease = LeaseToken::of(job);
        Arc::new(JobCallLedger::new(Arc::new(self.core()), lease))
    }

    async fn claim(&self, worker: &str) -> Option<Job> {
        self.claim_up_to(worker, 1).await.pop()
    }

    async fn claim_up_to(&self, worker: &str, wanted: u32) -> Vec<Job> {
        let core = self.core();
        core.claim_jobs(worker, &FreeSlots::of(wanted))
            .await
            .unwrap()
    }

    /// Sends heartbeats for these jobs of one account, with the progress at the time of their claim.
    async fn keep(&self, jobs: &[&Job]) -> Vec<Option<WorkerSignal>> {
        let signs: Vec<Heartbeat> = { jobs.iter() }
            .map(|job| Heartbeat {
                lease: LeaseToken::of(job),
                progress: job.progress.clone(),
            })
            .collect();
        let core = self.core();
        core.renew_leases(jobs[0].account, &signs).await.unwrap()
    }

    async fn sweep(&self) -> Vec<Job> {
        let swept = self.core().sweep_queue().await.unwrap();
        assert!(swept.failures.is_empty(), "{:?}", swept.failures);
        swept.moved
    }

    async fn read(&self, job: &Job) -> Job {
        self.core()
            .analysis(job.account, job.id)
            .await
            .unwrap()
            .unwrap()
            .job
    }

    async fn end(&self, job: &Job, end: &AttemptEnd) -> Result<Job, LeaseError> {
        self.core().end_attempt(LeaseToken::of(job), end).await
    }

    /// Measures the job's next keywords, as a worker does; at most `limit`.
    async fn measure(&self, job: &Job, limit: usize) -> Vec<MeasuredKeyword> {
        let source = EmptyEngine(self.clock()).label().source();
        let core = self.core();
        let measured = core.measured_keywords(job).await.unwrap();
        let next = core.next_keywords(job, &source, &measured, None);
        let tasks = next.await.unwrap().tasks;
        let measure = MeasureKeyword::new(Arc::new(EmptyEngine(self.clock())), self.clock(), 10)
            .with_ledger(self.journal(job));
        let site = SiteDomain::accepted("shop.example.com".into(), "shop.example.com".into());
        let mut done = Vec::new();
        for task in tasks.into_iter().take(limit) {
            done.push(measure.run(job, &site, &task).await);
        }
        done
    }

    async fn record(
        &self,
        job: &Job,
        measured: &[MeasuredKeyword],
    ) -> Result<WorkerSignal, LeaseError> {
        self.core()
            .record_measurements(LeaseToken::of(job), measured, 0, &Progress::default())
            .await
    }

    async fn outcome(&self, job: &Job) -> Result<JobResults, LeaseError> {
        let sum = self.core().summarize_rankings(job, 2, &mut ()).await?;
        Ok(JobResults {
            heads: sum.heads,
            latest: sum.latest,
            ..empty_handed()
        })
    }

    /// Ends these jobs of one account together.
    async fn publish_all(&self, jobs: &[&Job]) -> Vec<Option<Job>> {
        let mut outcomes = Vec::new();
        for job in jobs {
            outcomes.push(match self.outcome(job).await {
                // A worker that summed up before it lost its lease is too late as well.
                Err(LeaseError::Lost) => empty_handed(),
                outcome => outcome.unwrap(),
            });
        }
        let ends: Vec<_> = { jobs.iter() }
            .zip(&outcomes)
            .map(|(job, outcome)| (LeaseToken::of(job), outcome))
            .collect();
        let core = self.core();
        core.publish_all(jobs[0].account, &ends).await.unwrap()
    }

    async fn publish(&self, job: &Job) -> Result<Job, LeaseError> {
        let outcome = self.outcome(job).await?;
        let core = self.core();
        core.publish_results(LeaseToken::of(job), &outcome).await
    }
}

fn empty_handed() -> JobResults {
    JobResults {
        heads: vec![],
        latest: vec![],
        carried_over: vec![],
        partial: false,
        progress: Progress::default(),
        events: vec![],
    }
}

/// An engine that returns complete pages without results.
struct EmptyEngine(Arc<dyn Clock>);

#[async_trait]
impl SearchResults for EmptyEngine {
    fn label(&self) -> SupplierLabel {
        SupplierLabel {
            name: "test".into(),
            engine: "test".into(),
            provenance: Provenance::Simulated,
        }
    }

    fn max_spend(&self, _: u32) -> Spent {
        Spent::on(1, MicroUsd(100))
    }

    fn paid_call_refusal(&self, _: u32) -> Option<PaidCallRefusal> {
        None
    }

    async fn search(
        &self,
        query: &SearchQuery,
        journal: &Arc<dyn PaidCallLedger>,
    ) -> SearchOutcome {
        let Spent { cost, .. } = self.max_spend(10);
        let call = PaidCall {
            step: query.keyword.clone(),
            max_cost: cost,
        };
        if let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call).await {
            let answer = Some(b"nothing".to_vec());
            let ended = journal
                .end(
                    ticket,
                    PaidCallOutcome {
                        calls: 1,
                        cost,
                        answer,
                    },
                )
                .await;
            // A worker that lost its lease can no longer record the outcome.
            drop(ended);
        }
        let page = SearchPage {
            engine: "test".into(),
            provider: "test".into(),
            provenance: Provenance::Simulated,
            fetched_at: self.0.now(),
            calls: 1,
            total_results_estimate: Some(0),
            feature_coverage: analysis::observation::search_page::FeatureCoverage::Complete,
            blocks: vec![],
            ai_overview: None,
            related: vec![],
            warnings: vec![],
        };
        SearchOutcome {
            answer: Ok(page),
            truncated_by: None,
            spent: Spent {
                ledger_calls: 1,
                ..self.max_spend(10)
            },
        }
    }
}

fn failure() -> AttemptEnd {
    AttemptEnd::Failed(AttemptError {
        code: "test".into(),
        detail: "It failed.".into(),
        hint: None,
    })
}

async fn the_least_served_account_is_next(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, bob) = (
        queue.account("ann@example.com").await,
        queue.account("bob@example.com").await,
    );
    for n in 0..4 {
        let project = queue
            .project(ann, &format!("a{n}.example.com"), &["rust"])
            .await;
        queue.request_job(ann, project).await;
    }
    for n in 0..2 {
        let project = queue
            .project(bob, &format!("b{n}.example.com"), &["rust"])
            .await;
        queue.request_job(bob, project).await;
    }
    let mut served = Vec::new();
    while let Some(job) = queue.claim("w").await {
        served.push(job.account);
    }
    let place = |nth: usize| {
        served
            .iter()
            .enumerate()
            .filter(|(_, it)| **it == bob)
            .nth(nth)
            .unwrap()
            .0
    };
    assert_eq!(served.len(), 6);
    assert!(place(0) <= 1 && place(1) <= 3, "{served:?}");
}

async fn an_account_never_exceeds_its_running_cap(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    for n in 0..6 {
        let project = queue
            .project(ann, &format!("a{n}.example.com"), &["rust"])
            .await;
        queue.request_job(ann, project).await;
    }
    let mut running = Vec::new();
    while let Some(job) = queue.claim("w").await {
        running.push(job);
    }
    assert_eq!(running.len(), 4);
    queue.end(&running[0], &failure()).await.unwrap();
    assert!(queue.claim("w").await.is_some());
    assert!(queue.claim("w").await.is_none());
}

/// Adds more accounts than one batch of candidates, each with a job, and runs the statement on them. Returns the job of
/// another account behind all of them.
async fn behind_many(queue: &Queue, db: &TestDatabase, statement: &str) -> Job {
    for n in 0..12 {
        let account = queue.account(&format!("{n}@example.com")).await;
        let project = queue.project(account, "a.example.com", &["rust"]).await;
        queue.request_job(account, project).await;
    }
    db.run_sql(statement);
    let last = queue.account("last@example.com").await;
    db.run_sql("UPDATE account_queues SET virtual_time = 0");
    let project = queue.project(last, "b.example.com", &["rust"]).await;
    let job = queue.request_job(last, project).await;
    db.run_sql(&format!(
        "UPDATE account_queues SET virtual_time = 5 WHERE account_id = {}",
        last.0
    ));
    job
}

async fn jobs_of_a_newer_version_do_not_block_other_accounts(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ours = behind_many(&queue, &db, "UPDATE jobs SET kind = 'ofTomorrow'").await;
    assert_eq!(queue.claim("w").await.unwrap().id, ours.id);
    assert!(queue.claim("w").await.is_none());
    // Its worker died, and no worker of this version knows the next state.
    db.run_sql("UPDATE jobs SET state = 'running', lease_until = NULL WHERE kind = 'ofTomorrow'");
    assert_eq!(queue.sweep().await, []);
    db.run_sql("UPDATE jobs SET state = 'ready', kind = 'rankCheck' WHERE kind = 'ofTomorrow'");
    let mut claimed = 0;
    while queue.claim("w").await.is_some() {
        claimed += 1;
    }
    assert_eq!(claimed, 12, "they were waiting all the time");
}

async fn a_corrupt_account_does_not_block_other_accounts(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ours = behind_many(&queue, &db, "UPDATE jobs SET errors = 'no list'").await;
    assert_eq!(queue.claim("w").await.unwrap().id, ours.id);
    let claimed = queue.core().claim_jobs("w", &FreeSlots::of(1)).await;
    assert!(
        matches!(claimed, Err(StorageError::Corrupt { .. })),
        "{claimed:?}"
    );
    db.run_sql("UPDATE jobs SET state = 'running', lease_until = NULL");
    db.run_sql(
        "UPDATE account_queues SET attention_at = next_run_at WHERE next_run_at IS NOT NULL",
    );
    let swept = queue.core().sweep_queue().await.unwrap();
    assert_eq!(swept.failures.len(), 12);
}

async fn a_new_account_does_not_delay_waiting_ones(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, bob) = (
        queue.account("ann@example.com").await,
        queue.account("bob@example.com").await,
    );
    for round in 0..5 {
        let project = queue
            .project(ann, &format!("a{round}.example.com"), &["rust"])
            .await;
        queue.request_job(ann, project).await;
        let job = queue.claim("w").await.unwrap();
        queue.end(&job, &failure()).await.unwrap();
    }
    let waiting = queue.project(ann, "last.example.com", &["rust"]).await;
    queue.request_job(ann, waiting).await;
    for n in 0..3 {
        let project = queue
            .project(bob, &format!("b{n}.example.com"), &["rust"])
            .await;
        queue.request_job(bob, project).await;
    }
    let mut first_two = Vec::new();
    for _ in 0..2 {
        first_two.push(queue.claim("w").await.unwrap().account);
    }
    assert!(
        first_two.contains(&ann),
        "five jobs served before count, and do not count for ever: {first_two:?}"
    );
}

async fn concurrent_identical_requests_share_one_job(db: TestDatabase) {
    let queue = Arc::new(Queue::on(&db));
    let ann = queue.account("ann@example.com").await;
    let project = queue.project(ann, "a.example.com", &["rust"]).await;
    let requests: Vec<_> = (0..8)
        .map(|_| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.request_or_reuse_job(ann, project).await })
        })
        .collect();
    let mut jobs = Vec::new();
    for request in requests {
        jobs.push(request.await.unwrap());
    }
    assert!(jobs.iter().all(|(job, _)| job.id == jobs[0].0.id));
    assert_eq!(
        jobs.iter()
            .filter(|(_, deduplicated)| !deduplicated)
            .count(),
        1
    );
}

async fn a_worker_with_a_lost_lease_changes_nothing(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let project = queue
        .project(ann, "a.example.com", &["rust", "actix"])
        .await;
    queue.request_job(ann, project).await;
    let zombie = queue.claim("old").await.unwrap();
    let measured = queue.measure(&zombie, 2).await;
    assert!(
        queue.sweep().await.is_empty(),
        "a fresh lease is left alone"
    );

    queue.clock.advance(queue.policy.lease);
    let swept = queue.sweep().await;
    assert_eq!(
        (swept.len(), swept[0].state, swept[0].crash_count),
        (1, JobState::RetryWait, 1)
    );
    assert!(queue.claim("new").await.is_none(), "it waits first");
    queue.clock.advance(TimeDelta::seconds(15));
    let again = queue.claim("new").await.unwrap();
    assert_eq!((again.id, again.attempt), (zombie.id, 2));

    assert_eq!(queue.keep(&[&zombie]).await, [None]);
    assert!(matches!(
        queue.record(&zombie, &measured).await,
        Err(LeaseError::Lost)
    ));
    assert!(matches!(
        queue.publish(&zombie).await,
        Err(LeaseError::Lost)
    ));
    assert!(matches!(
        queue.end(&zombie, &failure()).await,
        Err(LeaseError::Lost)
    ));
    assert_eq!(
        queue.read(&again).await,
        again,
        "nothing the old worker did has left a trace"
    );
}

async fn batch_claims_alternate_between_accounts(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, bob) = (
        queue.account("ann@example.com").await,
        queue.account("bob@example.com").await,
    );
    for (account, sites) in [(ann, 6), (bob, 2)] {
        for site in 0..sites {
            let domain = format!("s{site}.example.com");
            let project = queue.project(account, &domain, &["rust"]).await;
            queue.request_job(account, project).await;
        }
    }
    let mut taken = queue.claim_up_to("w", 3).await;
    assert_eq!(taken.len(), 3);
    let of_bob = |jobs: &[Job]| jobs.iter().filter(|it| it.account == bob).count();
    assert!((1..=2).contains(&of_bob(&taken)), "turns go round");
    // At most four jobs of an account run at a time: six of the eight jobs.
    taken.extend(queue.claim_up_to("w", 50).await);
    assert_eq!((taken.len(), of_bob(&taken)), (6, 2));
    assert_eq!(queue.claim_up_to("w", 50).await, []);
    let mut ids: Vec<i64> = taken.iter().map(|it| it.id.0).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 6);
    for job in &taken {
        assert_eq!(queue.read(job).await, *job, "what is claimed is stored");
    }
    // The oldest of Ann's jobs.
    let waiting = queue.jobs(ann).await;
    let states: Vec<bool> = { waiting.iter() }
        .map(|it| it.state == JobState::Running)
        .collect();
    assert_eq!(states, [true, true, true, true, false, false]);
}

async fn leases_of_an_account_are_renewed_together(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    for domain in ["a.example.com", "b.example.com", "c.example.com"] {
        let project = queue.project(ann, domain, &["rust"]).await;
        queue.request_job(ann, project).await;
    }
    let leased = queue.claim_up_to("w", 3).await;
    let [one, two, three] = leased.as_slice() else {
        panic!("{leased:?}")
    };
    queue.end(two, &AttemptEnd::Released).await.unwrap();
    queue.clock.advance(TimeDelta::seconds(20));
    let answers = queue.keep(&[one, two, three]).await;
    assert_eq!(
        answers,
        [
            Some(WorkerSignal::Continue),
            None,
            Some(WorkerSignal::Continue)
        ]
    );
    let until = |job: &Job| job.lease.as_ref().map(|it| it.until);
    for job in [one, three] {
        let now = queue.read(job).await;
        assert_eq!(
            until(&now),
            until(job).map(|it| it + TimeDelta::seconds(20))
        );
    }
    assert_eq!(until(&queue.read(two).await), None);
}

async fn jobs_of_an_account_are_ended_together(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    for domain in [
        "a.example.com",
        "b.example.com",
        "c.example.com",
        "d.example.com",
    ] {
        let project = queue.project(ann, domain, &["rust"]).await;
        queue.request_job(ann, project).await;
    }
    let leased = queue.claim_up_to("w", 4).await;
    let [one, lost, three, other] = leased.as_slice() else {
        panic!("{leased:?}")
    };
    for job in [one, lost, three] {
        let measured = queue.measure(job, 1).await;
        queue.record(job, &measured).await.unwrap();
    }
    queue.end(lost, &AttemptEnd::Released).await.unwrap();
    // A job that is named twice ends once: its account queue would be updated twice otherwise.
    let ended = queue.publish_all(&[one, lost, three, one]).await;
    let states: Vec<_> = ended
        .iter()
        .map(|it| it.as_ref().map(|it| it.state))
        .collect();
    let done = Some(JobState::Succeeded);
    assert_eq!(states, [done, None, done, None]);
    for job in ended.iter().flatten() {
        assert_eq!(queue.read(job).await, *job, "the returned job is stored");
    }
    assert_eq!(queue.read(lost).await.state, JobState::Ready);
    assert_eq!(queue.read(other).await, *other);

    let mut read = queue.storage.read().await.unwrap();
    for (job, is_published) in [(one, true), (lost, false), (three, true), (other, false)] {
        let results = read.results();
        let head = results
            .head(ann, job.project, ResultType::Rankings)
            .await
            .unwrap();
        assert_eq!(head.map(|it| it.job), is_published.then_some(job.id));
        let project = read
            .projects()
            .find(ann, job.project)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(project.last_analysis_at.is_some(), is_published);
    }
    for (invariant, wrong) in db.counts(machine::INVARIANTS) {
        assert_eq!(wrong, 0, "{invariant}");
    }
}

async fn measurements_of_earlier_attempts_are_published_once(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let project = queue
        .project(ann, "a.example.com", &["rust", "actix"])
        .await;
    queue.request_job(ann, project).await;
    let first = queue.claim("old").await.unwrap();
    let one = queue.measure(&first, 1).await;
    queue.record(&first, &one).await.unwrap();

    queue.clock.advance(queue.policy.lease);
    queue.sweep().await;
    queue.clock.advance(TimeDelta::seconds(15));
    let second = queue.claim("new").await.unwrap();
    let rest = queue.measure(&second, 9).await;
    assert_eq!(rest.len(), 1, "what was recorded is not measured again");
    queue.record(&second, &rest).await.unwrap();
    let finished = queue.publish(&second).await.unwrap();
    assert_eq!(
        (finished.state, finished.cost.calls, finished.cost.spent),
        (JobState::Succeeded, 2, MicroUsd(200))
    );
    assert!(
        matches!(queue.publish(&second).await, Err(LeaseError::Lost)),
        "results appear once"
    );

    let mut read = queue.storage.read().await.unwrap();
    let counts = read
        .measurements()
        .counts(ann, project, second.id)
        .await
        .unwrap();
    assert!(
        counts.len() == 2 && counts.iter().all(|(_, count)| *count == 1),
        "{counts:?}"
    );
    let page = PageRequest {
        sort: FindingSort::Ordinal,
        direction: Direction::Ascending,
        after: None,
        limit: 9,
        counted: false,
        bytes: None,
    };
    let query = FindingQuery {
        result_type: ResultType::Rankings,
        job: None,
        keyword: None,
        url: None,
        ordinal: None,
        from: None,
        to: None,
        page,
    };
    assert_eq!(
        read.results()
            .findings(ann, project, &query)
            .await
            .unwrap()
            .items
            .len(),
        2
    );
    let spending = read
        .spending()
        .find(Counter::Month(ann, month_of(second.day)))
        .await
        .unwrap();
    assert_eq!(
        (spending.reserved, spending.spent),
        (MicroUsd(0), MicroUsd(200))
    );
}

async fn deactivating_a_project_stops_jobs_and_releases_reservations(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let (waiting, running) = (
        queue.project(ann, "w.example.com", &["rust"]).await,
        queue.project(ann, "r.example.com", &["rust"]).await,
    );
    let at_work = queue.request_job(ann, running).await;
    let claimed = queue.claim("w").await.unwrap();
    assert_eq!(claimed.id, at_work.id);
    let waits = queue.request_job(ann, waiting).await;

    let core = queue.core();
    core.deactivate_project(ann, waiting, None).await.unwrap();
    core.deactivate_project(ann, running, None).await.unwrap();
    assert_eq!(queue.read(&waits).await.state, JobState::Canceled);
    let measured = queue.measure(&claimed, 1).await;
    assert_eq!(
        queue.record(&claimed, &measured).await.unwrap(),
        WorkerSignal::CancelRequested
    );
    assert_eq!(
        queue
            .end(&claimed, &AttemptEnd::Stopped)
            .await
            .unwrap()
            .state,
        JobState::Canceled
    );

    let mut read = queue.storage.read().await.unwrap();
    let account = read.accounts().find(ann).await.unwrap().unwrap();
    assert_eq!(account.usage, AccountUsage::default());
    let spending = read
        .spending()
        .find(Counter::Month(ann, month_of(claimed.day)))
        .await
        .unwrap();
    assert_eq!(spending.reserved, MicroUsd(0));
}

async fn reservations_are_released_when_the_job_fails(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let project = queue
        .project(ann, "a.example.com", &["rust", "actix"])
        .await;
    queue.request_job(ann, project).await;
    let job = queue.claim("w").await.unwrap();
    let one = queue.measure(&job, 1).await;
    queue.record(&job, &one).await.unwrap();
    let failed = queue.end(&job, &failure()).await.unwrap();
    assert_eq!(
        (failed.state, failed.error().unwrap().code.as_str()),
        (JobState::Failed, "test")
    );

    let mut read = queue.storage.read().await.unwrap();
    let spending = read
        .spending()
        .find(Counter::Month(ann, month_of(job.day)))
        .await
        .unwrap();
    assert_eq!(
        (spending.reserved, spending.spent),
        (MicroUsd(0), MicroUsd(100))
    );
    assert!(
        read.measurements()
            .staged(ann, job.id, ResultType::Rankings, None, 9)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(
        read.results()
            .head(ann, project, ResultType::Rankings)
            .await
            .unwrap()
            .is_none()
    );
}

async fn a_tick_starts_one_job_with_concurrent_workers(db: TestDatabase) {
    let queue = Arc::new(Queue::on(&db));
    let ann = queue.account("ann@example.com").await;
    let bob = queue.account("bob@example.com").await;
    let shop = queue.project(ann, "a.example.com", &["rust"]).await;
    let blog = queue.project(bob, "b.example.com", &["rust"]).await;
    let daily = queue.schedule(ann, shop, "daily").await;
    queue.schedule(bob, blog, "monthly:28").await;
    assert_eq!(queue.fire().await, [], "nothing is due");

    queue.clock.advance(daily.next_at - queue.clock.now());
    let looking: Vec<_> = (0..8)
        .map(|_| {
            let queue = Arc::clone(&queue);
            tokio::spawn(async move { queue.fire().await })
        })
        .collect();
    let mut fired = Vec::new();
    for looked in looking {
        fired.extend(looked.await.unwrap());
    }
    assert_eq!(fired.len(), 1, "{fired:?}");
    let jobs = queue.jobs(ann).await;
    assert_eq!(jobs.len(), 1);
    assert_eq!(
        (jobs[0].trigger, jobs[0].kind, jobs[0].project),
        (Trigger::Schedule, AnalysisKind::RankCheck, shop)
    );
    assert_eq!(queue.jobs(bob).await, []);
    let after = &queue.schedules(ann).await[0];
    assert_eq!(after.last_at, Some(daily.next_at));
    assert_eq!(after.next_at, daily.next_at + TimeDelta::days(1));
    assert_eq!(queue.fire().await, [], "until tomorrow");
}

async fn missed_ticks_start_one_job_and_refusals_are_recorded(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let shop = queue.project(ann, "a.example.com", &["rust"]).await;
    let bare = queue.project(ann, "bare.example.com", &[]).await;
    queue.schedule(ann, shop, "daily").await;
    queue.schedule(ann, bare, "daily").await;
    queue.clock.advance(TimeDelta::days(20));
    assert_eq!(queue.fire().await.len(), 2);
    assert_eq!(queue.jobs(ann).await.len(), 1);
    let noted = queue.schedules(ann).await;
    let refusal = |of: ProjectId| {
        let schedule = noted.iter().find(|it| it.project == of).unwrap();
        schedule.last_refusal.as_deref()
    };
    assert_eq!(refusal(shop), None);
    assert_eq!(
        refusal(bare),
        Some("the project has no active keywords to measure")
    );
    // The same analysis is still unfinished: the tick counts as fired nevertheless.
    queue.clock.advance(TimeDelta::days(1));
    assert_eq!(queue.fire().await.len(), 2);
    assert_eq!(queue.jobs(ann).await.len(), 1);
    assert_eq!(queue.fire().await, []);
}

async fn a_run_refused_by_a_full_queue_is_tried_again_soon(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    for domain in ["a.example.com", "b.example.com"] {
        let project = queue.project(ann, domain, &["rust"]).await;
        queue.schedule(ann, project, "daily").await;
    }
    queue.clock.advance(TimeDelta::days(20));
    let mut full = queue.core();
    full.policies.queue.queued_per_account = 1;
    let refused = async || {
        let fired = full.fire_schedules().await.unwrap();
        fired.into_iter().find(|it| it.last_refusal.is_some())
    };
    let soon = TimeDelta::minutes(10);
    for _ in 0..2 {
        let refused = refused().await.unwrap();
        assert_eq!(refused.next_at, queue.clock.now() + soon);
        queue.clock.advance(soon);
    }
    assert_eq!(queue.jobs(ann).await.len(), 1);
    let started = queue.fire().await;
    assert_eq!((started.len(), &started[0].last_refusal), (1, &None));
    assert!(started[0].next_at > queue.clock.now() + soon);
    assert_eq!(queue.jobs(ann).await.len(), 2);
}

async fn a_removed_or_changed_schedule_is_not_fired(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let shop = queue.project(ann, "a.example.com", &["rust"]).await;
    let daily = queue.schedule(ann, shop, "daily").await;
    let weekly = queue.schedule(ann, shop, "weekly:monday").await;
    assert_eq!(
        queue.schedules(ann).await,
        std::slice::from_ref(&weekly),
        "one of a kind"
    );
    let core = queue.core();
    let removed = async || {
        let removed = core.remove_schedule(ann, shop, AnalysisKind::RankCheck);
        removed.await.unwrap()
    };
    assert!(removed().await);
    assert!(!removed().await);
    queue.clock.advance(TimeDelta::days(30));
    assert_eq!(queue.fire().await, []);
    // A schedule that was read before the change has no effect.
    for before in [daily, weekly] {
        let after = before.fired(queue.clock.now(), None);
        let request = AnalysisRequest {
            project: shop,
            kind: AnalysisKind::RankCheck,
            keywords: KeywordChoice::All,
            models: ModelChoice::All,
            priority: JobPriority::Low,
            trigger: Trigger::Schedule,
        };
        let tick = ScheduleFiring { before, after };
        let fired = core.request_scheduled(&request, &tick).await;
        assert_eq!(fired.unwrap(), None);
    }
    assert_eq!(queue.jobs(ann).await, []);
}
