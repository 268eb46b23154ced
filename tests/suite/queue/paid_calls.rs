//! Spending under contention and crashes: no cap is exceeded, and answered calls are not paid twice.

use super::*;
use domain::{
    account::AccountLimits,
    ports::{paid_call_ledger::RecordedAnswer, search_results::ProviderError, spending::Spending},
    use_cases::budgets::{Budget, OverBudget},
};
use futures_util::future::join_all;

on_every_database![
    concurrent_calls_never_exceed_the_job_budget,
    a_killed_attempt_keeps_its_cost_and_answers_are_reused,
    a_worker_that_lost_its_job_spends_nothing,
    concurrent_accounts_never_exceed_the_server_day_budget,
    concurrent_analyses_never_exceed_the_day_budget,
    answers_are_deleted_after_a_week,
];

fn call(step: &str, max_cost: i64) -> PaidCall {
    PaidCall {
        step: step.to_owned(),
        max_cost: MicroUsd(max_cost),
    }
}

fn ended(cost: i64, answer: Option<&str>) -> PaidCallOutcome {
    PaidCallOutcome {
        calls: 1,
        cost: MicroUsd(cost),
        answer: answer.map(|it| it.as_bytes().to_vec()),
    }
}

fn counted(reserved: i64, spent: i64) -> Spending {
    Spending {
        reserved: MicroUsd(reserved),
        spent: MicroUsd(spent),
    }
}

impl Queue {
    /// The spending of the account's month and day, and of the server's day.
    async fn spending(&self, account: AccountId, job: &Job) -> [Spending; 3] {
        let mut read = self.storage.read().await.unwrap();
        let mut found = [Spending::default(); 3];
        for (found, counter) in found.iter_mut().zip(Counter::of(account, job.day)) {
            *found = read.spending().find(counter).await.unwrap();
        }
        found
    }

    async fn limit(&self, account: AccountId, limits: AccountLimits) {
        let core = self.core();
        core.limit_account(account, limits).await.unwrap();
    }
}

/// A job of two keywords with 200 reserved, claimed by a worker.
async fn at_work(queue: &Queue) -> (AccountId, Job) {
    let ann = queue.account("ann@example.com").await;
    let project = queue
        .project(ann, "a.example.com", &["rust", "actix"])
        .await;
    queue.request_job(ann, project).await;
    (ann, queue.claim("w").await.unwrap())
}

async fn concurrent_calls_never_exceed_the_job_budget(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, job) = at_work(&queue).await;
    let journal = queue.journal(&job);
    let tasks = (0..64).map(|number| {
        let journal = Arc::clone(&journal);
        tokio::spawn(async move { journal.begin(&call(&format!("page {number}"), 30)).await })
    });
    let begun = join_all(tasks.collect::<Vec<_>>()).await;
    let begun: Vec<_> = begun.into_iter().map(Result::unwrap).collect();
    let made = begun.iter().filter_map(|it| match it {
        Ok(PaidCallStart::Proceed(ticket)) => Some(*ticket),
        _ => None,
    });
    let made: Vec<_> = made.collect();
    assert_eq!(made.len(), 6, "200 are six times 30 and 20 more");
    let refused = { begun.iter() }.filter(|it| matches!(it, Err(ProviderError::JobBudgetReached)));
    assert_eq!(refused.count(), 58);
    assert_eq!(queue.read(&job).await.cost.spent, MicroUsd(180));
    // They all end at once as well, three of them for less.
    let ends = made.iter().map(|ticket| {
        let (journal, ticket) = (Arc::clone(&journal), *ticket);
        tokio::spawn(async move {
            let cost = if ticket.number % 2 == 0 { 30 } else { 10 };
            journal.end(ticket, ended(cost, None)).await
        })
    });
    for end in join_all(ends.collect::<Vec<_>>()).await {
        end.unwrap().unwrap();
    }
    let costs = { made.iter() }.map(|it| if it.number % 2 == 0 { 30 } else { 10 });
    let spent = costs.sum();
    assert_eq!(queue.read(&job).await.cost.spent, MicroUsd(spent));
    queue.end(&job, &failure()).await.unwrap();
    assert_eq!(queue.spending(ann, &job).await, [counted(0, spent); 3]);
}

async fn a_killed_attempt_keeps_its_cost_and_answers_are_reused(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, job) = at_work(&queue).await;
    let first = queue.journal(&job);
    let Ok(PaidCallStart::Proceed(ticket)) = first.begin(&call("a", 60)).await else {
        panic!("there is money");
    };
    first.end(ticket, ended(50, Some("[1]"))).await.unwrap();
    let lost = first.begin(&call("b", 60)).await;
    assert!(matches!(lost, Ok(PaidCallStart::Proceed(_))), "{lost:?}");
    assert_eq!(queue.read(&job).await.cost.spent, MicroUsd(110));

    queue.clock.advance(TimeDelta::seconds(46));
    queue.sweep().await;
    queue.clock.advance(TimeDelta::seconds(60));
    let again = queue.claim("v").await.unwrap();
    assert_eq!(again.cost.spent, MicroUsd(110), "it does not grow back");
    let second = queue.journal(&again);
    let before = RecordedAnswer {
        body: b"[1]".to_vec(),
        at: job.started_at.unwrap(),
    };
    assert_eq!(
        second.begin(&call("a", 60)).await,
        Ok(PaidCallStart::AlreadyAnswered(before))
    );
    let Ok(PaidCallStart::Proceed(ticket)) = second.begin(&call("b", 60)).await else {
        panic!("it has no answer");
    };
    second.end(ticket, ended(60, None)).await.unwrap();
    // 30 are left.
    let more = second.begin(&call("c", 31)).await;
    assert_eq!(more, Err(ProviderError::JobBudgetReached));
    assert!(matches!(
        second.begin(&call("c", 30)).await,
        Ok(PaidCallStart::Proceed(_))
    ));
    queue.end(&again, &failure()).await.unwrap();
    assert_eq!(queue.spending(ann, &job).await, [counted(0, 200); 3]);
}

async fn a_worker_that_lost_its_job_spends_nothing(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (_, job) = at_work(&queue).await;
    let journal = queue.journal(&job);
    let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call("a", 60)).await else {
        panic!("there is money");
    };
    queue.clock.advance(TimeDelta::seconds(46));
    queue.sweep().await;
    for outcome in [
        journal.begin(&call("b", 60)).await.map(drop),
        journal.end(ticket, ended(1, Some("late"))).await,
    ] {
        assert!(
            matches!(outcome, Err(ProviderError::NotRecorded { .. })),
            "{outcome:?}"
        );
    }
    assert_eq!(queue.read(&job).await.cost.spent, MicroUsd(60));
}

async fn concurrent_accounts_never_exceed_the_server_day_budget(db: TestDatabase) {
    let mut queue = Queue::on(&db);
    queue.max_per_day = Some(MicroUsd(549));
    let mut requests = Vec::new();
    for number in 0..16 {
        let account = queue.account(&format!("{number}@example.com")).await;
        let project = queue.project(account, "a.example.com", &["rust"]).await;
        requests.push((account, project));
    }
    let outcomes = join_all(requests.iter().map(|it| queue.try_request_job(it.0, it.1))).await;
    let jobs: Vec<&Job> = { outcomes.iter() }
        .filter_map(|it| Some(&it.as_ref().ok()?.job))
        .collect();
    assert_eq!(jobs.len(), 5, "549 are five times 100 and 49 more");
    for refused in outcomes.iter().filter_map(|it| it.as_ref().err()) {
        assert!(
            matches!(
                refused,
                RequestAnalysisError::OverBudget(OverBudget {
                    which: Budget::ServerDay,
                    ..
                })
            ),
            "{refused}"
        );
    }
    let [month, day, all] = queue.spending(jobs[0].account, jobs[0]).await;
    assert_eq!(
        [month, day, all],
        [counted(100, 0), counted(100, 0), counted(500, 0)]
    );
    // A refused account has no reservation, and unspent money is available to the others.
    let refused = { requests.iter() }.filter(|it| jobs.iter().all(|job| job.account != it.0));
    let refused: Vec<_> = refused.copied().collect();
    let (account, project) = refused[0];
    let [month, day, _] = queue.spending(account, jobs[0]).await;
    assert_eq!([month, day], [counted(0, 0); 2]);
    let claimed = queue.claim("w").await.unwrap();
    queue.end(&claimed, &failure()).await.unwrap();
    assert!(queue.try_request_job(account, project).await.is_ok());
    queue.clock.advance(TimeDelta::days(1));
    let (account, project) = refused[1];
    let waiting = queue.try_request_job(account, project).await.unwrap();
    assert_eq!(waiting.job.day, queue.clock.now().date_naive());
}

async fn concurrent_analyses_never_exceed_the_day_budget(db: TestDatabase) {
    let queue = Queue::on(&db);
    let ann = queue.account("ann@example.com").await;
    let limits = AccountLimits {
        daily_budget: Some(MicroUsd(700)),
        ..AccountLimits::default()
    };
    queue.limit(ann, limits).await;
    let mut projects = Vec::new();
    for number in 0..64 {
        let host = format!("{number}.example.com");
        projects.push(queue.project(ann, &host, &["rust"]).await);
    }
    let outcomes = join_all(projects.iter().map(|it| queue.try_request_job(ann, *it))).await;
    let begun: Vec<_> = outcomes.iter().filter_map(|it| it.as_ref().ok()).collect();
    assert_eq!(begun.len(), 7);
    let day = queue.spending(ann, &begun[0].job).await[1];
    assert_eq!(day, counted(700, 0));
}

async fn answers_are_deleted_after_a_week(db: TestDatabase) {
    let queue = Queue::on(&db);
    let (ann, job) = at_work(&queue).await;
    let journal = queue.journal(&job);
    let Ok(PaidCallStart::Proceed(ticket)) = journal.begin(&call("a", 60)).await else {
        panic!("there is money");
    };
    journal.end(ticket, ended(50, Some("[1]"))).await.unwrap();
    let core = queue.core();
    let answer = async || {
        let mut read = queue.storage.read().await.unwrap();
        let found = read.paid_calls().answer(ann, job.id, "a").await;
        found.unwrap().map(|it| it.body)
    };
    queue.clock.advance(TimeDelta::days(7));
    core.purge_expired().await.unwrap();
    assert_eq!(answer().await, Some(b"[1]".to_vec()));
    queue.clock.advance(TimeDelta::seconds(1));
    core.purge_expired().await.unwrap();
    assert_eq!(answer().await, None);
    // Its cost is still stored.
    assert_eq!(queue.read(&job).await.cost.spent, MicroUsd(50));
}
