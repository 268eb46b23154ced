//! Slots of a worker process on real databases: one account leaves slots for others, and a process with exclusive
//! access to the database reclaims the jobs of an earlier one.

use super::Queue;
use chrono::TimeDelta;
use domain::{
    ai_models::ModelChoice,
    ids::{AccountId, ProjectId},
    job::{
        Job, JobPriority, JobState, Trigger,
        kind::AnalysisKind,
        slots::{FreeSlots, OccupiedSlot, Slots},
    },
    keyword::KeywordChoice,
    ports::clock::Clock,
    use_cases::request_analysis::AnalysisRequest,
};
use harness::{databases::TestDatabase, on_every_database};

on_every_database![
    audits_of_one_account_leave_a_slot_to_anothers_rank_check,
    an_account_takes_no_last_slot_while_others_wait,
    jobs_of_a_process_that_is_gone_are_taken_back_at_once,
    a_job_to_be_canceled_is_canceled_when_its_process_is_gone,
    a_job_waits_while_no_worker_is_online,
];

async fn request_analysis(
    queue: &Queue,
    account: AccountId,
    project: ProjectId,
    kind: AnalysisKind,
) {
    let request = AnalysisRequest {
        project,
        kind,
        keywords: KeywordChoice::All,
        models: ModelChoice::All,
        priority: JobPriority::Normal,
        trigger: Trigger::Api,
    };
    let requested = queue.core().request_analysis(account, &request, None).await;
    requested.unwrap();
}

async fn projects(queue: &Queue, name: &str, number: usize) -> (AccountId, Vec<ProjectId>) {
    let account = queue.account(&format!("{name}@example.com")).await;
    let mut projects = Vec::new();
    for n in 0..number {
        let host = format!("{name}{n}.example.com");
        projects.push(queue.project(account, &host, &["rust"]).await);
    }
    (account, projects)
}

/// Claims like a worker with these slots that already runs these jobs.
async fn fill(queue: &Queue, slots: Slots, running: &mut Vec<Job>) {
    let core = queue.core();
    while let Some(free) = free_slots(slots, running) {
        let claimed = core.claim_jobs("w", &free).await.unwrap();
        if claimed.is_empty() {
            return;
        }
        running.extend(claimed);
    }
}

fn free_slots(slots: Slots, running: &[Job]) -> Option<FreeSlots> {
    let taken = running.iter().map(|job| OccupiedSlot {
        account: job.account,
        kind: job.kind,
        ran: TimeDelta::zero(),
        can_yield: false,
        yield_requested: false,
    });
    slots.free_slots(&taken.collect::<Vec<_>>(), None)
}

fn kinds_of(running: &[Job], account: AccountId) -> Vec<AnalysisKind> {
    let own = running.iter().filter(|it| it.account == account);
    own.map(|it| it.kind).collect()
}

async fn audits_of_one_account_leave_a_slot_to_anothers_rank_check(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, sites) = projects(&queue, "ann", 5).await;
    for site in &sites {
        request_analysis(&queue, ann, *site, AnalysisKind::SiteAudit).await;
    }
    let mut running = Vec::new();
    fill(&queue, Slots::new(4, 1), &mut running).await;
    assert_eq!(kinds_of(&running, ann), [AnalysisKind::SiteAudit; 3]);

    let (bob, sites) = projects(&queue, "bob", 2).await;
    request_analysis(&queue, bob, sites[0], AnalysisKind::SiteAudit).await;
    request_analysis(&queue, bob, sites[1], AnalysisKind::RankCheck).await;
    fill(&queue, Slots::new(4, 1), &mut running).await;
    assert_eq!(kinds_of(&running, bob), [AnalysisKind::RankCheck]);
    assert_eq!(running.len(), 4);
}

async fn an_account_takes_no_last_slot_while_others_wait(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, sites) = projects(&queue, "ann", 4).await;
    for site in &sites {
        request_analysis(&queue, ann, *site, AnalysisKind::RankCheck).await;
    }
    let (bob, sites) = projects(&queue, "bob", 1).await;
    request_analysis(&queue, bob, sites[0], AnalysisKind::SiteAudit).await;
    // Bob received far more service: by fair order alone, Ann would get every slot.
    db.run_sql(&format!(
        "UPDATE account_queues SET virtual_time = 99 WHERE account_id = {bob}"
    ));
    let mut running = Vec::new();
    fill(&queue, Slots::new(4, 1), &mut running).await;
    assert_eq!(kinds_of(&running, ann).len(), 3);
    assert_eq!(kinds_of(&running, bob).len(), 1);

    // Alone, she gets them all.
    let rest = running.extract_if(.., |it| it.account == bob);
    for job in rest.collect::<Vec<_>>() {
        queue.end(&job, &super::failure()).await.unwrap();
    }
    fill(&queue, Slots::new(4, 1), &mut running).await;
    assert_eq!(kinds_of(&running, ann).len(), 4);
}

async fn take_back(queue: &Queue) -> Vec<Job> {
    let swept = queue.core().reclaim_all().await.unwrap();
    assert!(swept.failures.is_empty(), "{:?}", swept.failures);
    swept.moved
}

async fn jobs_of_a_process_that_is_gone_are_taken_back_at_once(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, sites) = projects(&queue, "ann", 2).await;
    request_analysis(&queue, ann, sites[0], AnalysisKind::RankCheck).await;
    let first = queue.claim("w").await.unwrap();
    request_analysis(&queue, ann, sites[1], AnalysisKind::RankCheck).await;

    let moved = take_back(&queue).await;
    assert_eq!(moved.len(), 1);
    let now = queue.clock.now();
    assert_eq!(
        (moved[0].state, moved[0].run_at),
        (JobState::RetryWait, now)
    );
    assert_eq!((moved[0].crash_count, moved[0].attempt), (1, 1));
    assert_eq!(moved[0].errors[0].code, "worker-lost");
    // Another worker claims it, and its old worker has no effect any more.
    let again = queue.claim_up_to("x", 4).await;
    assert_eq!(again.len(), 2);
    assert!(queue.publish(&first).await.is_err());

    // A job that was lost before waits.
    let moved = take_back(&queue).await;
    let twice = moved.iter().find(|it| it.id == first.id).unwrap();
    assert_eq!(twice.crash_count, 2);
    assert!(twice.run_at > now, "{twice:?}");
    assert_eq!(take_back(&queue).await, []);
}

async fn a_job_to_be_canceled_is_canceled_when_its_process_is_gone(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, sites) = projects(&queue, "ann", 1).await;
    request_analysis(&queue, ann, sites[0], AnalysisKind::RankCheck).await;
    let job = queue.claim("w").await.unwrap();
    db.run_sql(&format!(
        "UPDATE jobs SET cancel_requested = {} WHERE account_id = {ann}",
        if db.kind() == storage::DatabaseKind::Sqlite {
            "1"
        } else {
            "TRUE"
        }
    ));
    let moved = take_back(&queue).await;
    assert_eq!((moved[0].id, moved[0].state), (job.id, JobState::Canceled));
}

async fn a_job_waits_while_no_worker_is_online(db: TestDatabase) {
    let queue = Queue::on(&db);
    let core = queue.core();
    let (ann, sites) = projects(&queue, "ann", 1).await;
    let waits = queue.request_job(ann, sites[0]).await;
    queue.clock.advance(TimeDelta::seconds(14));
    assert!(!core.no_worker_online_for([&waits]).await.unwrap());
    queue.clock.advance(TimeDelta::seconds(1));
    assert!(core.no_worker_online_for([&waits]).await.unwrap());
    assert!(!core.no_worker_online_for([]).await.unwrap());

    // A worker that is busy with another account's job is online.
    let (bob, sites) = projects(&queue, "bob", 1).await;
    let busy = queue.request_job(bob, sites[0]).await;
    let claimed = queue.claim_up_to("w", 2).await;
    let waits = claimed.iter().find(|it| it.account == ann).unwrap();
    let waits = queue
        .end(waits, &domain::use_cases::end_attempt::AttemptEnd::Released)
        .await
        .unwrap();
    queue.clock.advance(TimeDelta::seconds(40));
    let busy = claimed.iter().find(|it| it.id == busy.id).unwrap();
    queue.keep(&[busy]).await;
    queue.sweep().await;
    queue.clock.advance(TimeDelta::seconds(20));
    assert!(!core.no_worker_online_for([&waits]).await.unwrap());
    // It died: no worker renews its lease or serves its account.
    queue.clock.advance(TimeDelta::seconds(90));
    assert!(core.no_worker_online_for([&waits]).await.unwrap());
}
