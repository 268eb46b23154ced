//! Jobs, and that SQL selects by the domain's rules.

use super::examples::*;
use domain::{
    ids::{JobId, KeywordId, ProjectId},
    job::{
        Job, JobCost, JobError, JobPriority, JobState, JobStatus, Lease, Trigger,
        kind::AnalysisKind,
        policy::QueuePolicy,
        progress::{Progress, Stage},
        slots::SlotKind,
    },
    keyword::KeywordChoice,
    money::MicroUsd,
    page::{Direction, PageRequest},
    ports::jobs::{JobFilter, JobSort, QueueSummary},
};
use harness::{databases::TestStorage, on_every_storage};
use std::collections::BTreeSet;

on_every_storage![
    deleted_jobs_match_the_domain_rule,
    a_job_is_read_back_as_written,
    many_jobs_are_saved_and_locked_together,
    a_dedupe_key_is_unique_among_unfinished_jobs,
    each_filter_selects_matching_jobs,
    due_jobs_match_the_domain_rule,
    a_slot_for_short_jobs_takes_no_other,
    jobs_needing_attention_match_the_domain_rule,
    the_most_urgent_due_job_comes_first,
    a_position_counts_the_waiting_jobs_before_it,
    a_summary_counts_unfinished_jobs,
    a_projects_unfinished_jobs_are_locked_together,
];

fn rich() -> Job {
    Job {
        kind: AnalysisKind::SiteAudit,
        keywords: KeywordChoice::Named(vec![KeywordId(21), KeywordId(22)]),
        state: JobState::Running,
        priority: JobPriority::High,
        trigger: Trigger::Mcp,
        attempt: 2,
        crash_count: 1,
        epoch: 5,
        lease: Some(Lease {
            epoch: 5,
            owner: "worker-ž".into(),
            until: after(45) + tick(),
        }),
        deadline_at: Some(after(600)),
        cancel_requested: true,
        progress: Progress::of_stages(vec![Stage::counted("fetch", 3, 9, false)]),
        cost: JobCost {
            reserved: MicroUsd(7),
            spent: MicroUsd(5),
            calls: 3,
        },
        errors: vec![JobError {
            code: "worker-lost".into(),
            detail: "The worker gave \"no\" sign.".into(),
            retryable: true,
            hint: None,
            attempt: 1,
            at: after(2) + tick(),
        }],
        started_at: Some(after(1)),
        ..job(ANN, 31)
    }
}

async fn a_job_is_read_back_as_written(db: TestStorage) {
    two_accounts(&db).await;
    add_job(&db, &rich()).await;
    read!(db, r => assert_eq!(r.jobs().find(ANN, JobId(31)).await.unwrap(), Some(rich())));
    let ended = Job {
        state: JobState::Failed,
        lease: None,
        deadline_at: None,
        finished_at: Some(after(9)),
        ..rich()
    };
    // Columns of the request are not written again.
    let rewritten = Job {
        keywords: KeywordChoice::All,
        dedupe_key: "another".into(),
        ..ended.clone()
    };
    change!(db, tx => tx.jobs().save(&rewritten).await.unwrap());
    read!(db, r => assert_eq!(r.jobs().find(ANN, JobId(31)).await.unwrap(), Some(ended)));
}

async fn many_jobs_are_saved_and_locked_together(db: TestStorage) {
    two_accounts_at_work(&db).await;
    add_job(&db, &job(ANN, 32)).await;
    let untouched = read!(db, r => r.jobs().find(BOB, JobId(31)).await.unwrap());
    let changed = [31, 32].map(|id| {
        let (requested, now) = (job(ANN, id), rich());
        Job {
            id: requested.id,
            kind: requested.kind,
            keywords: requested.keywords,
            trigger: requested.trigger,
            dedupe_key: requested.dedupe_key,
            ..now
        }
    });
    change!(db, tx => {
        tx.jobs().save_all(&changed).await.unwrap();
        tx.jobs().save_all(&[]).await.unwrap();
    });
    let ids = [JobId(32), JobId(31), JobId(99)];
    let found = change!(db, tx => tx.jobs().lock_all(ANN, &ids).await.unwrap());
    assert_eq!(found, changed);
    let line = change!(db, tx => tx.jobs().refresh_queue(ANN, 2.5).await.unwrap());
    for ids in [&ids[..], &ids[..1], &ids[2..]] {
        let (beside, found) =
            change!(db, tx => tx.jobs().lock_queue_and_jobs(ANN, ids).await.unwrap());
        assert_eq!(beside, line);
        let those = changed.iter().filter(|it| ids.contains(&it.id)).cloned();
        assert_eq!(found, those.collect::<Vec<_>>());
    }
    read!(db, r => assert_eq!(r.jobs().find(BOB, JobId(31)).await.unwrap(), untouched));
}

async fn a_dedupe_key_is_unique_among_unfinished_jobs(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let key = job(ANN, 31).dedupe_key;
    for state in JobState::ALL {
        change!(db, tx => tx.jobs().save(&Job { state, ..job(ANN, 31) }).await.unwrap());
        let found = read!(db, r => r.jobs().unfinished_with_key(ANN, &key).await.unwrap());
        assert_eq!(found.is_some(), state.is_unfinished(), "{state:?}");
        let mut tx = db.storage.write().await.unwrap();
        let outcome = tx
            .jobs()
            .add(&Job {
                dedupe_key: key.clone(),
                ..job(ANN, 32)
            })
            .await;
        assert_eq!(outcome.unwrap(), !state.is_unfinished(), "{state:?}");
        // The transaction continues.
        let second = tx.jobs().find(ANN, JobId(32)).await.unwrap();
        assert_eq!(second.is_some(), !state.is_unfinished(), "{state:?}");
    }
}

async fn each_filter_selects_matching_jobs(db: TestStorage) {
    two_accounts_at_work(&db).await;
    change!(db, tx => tx.projects().add(&project(ANN, 12)).await.unwrap());
    add_job(
        &db,
        &Job {
            project: ProjectId(12),
            kind: AnalysisKind::SiteAudit,
            ..job(ANN, 32)
        },
    )
    .await;
    add_job(
        &db,
        &Job {
            state: JobState::Expired,
            ..job(ANN, 33)
        },
    )
    .await;
    let any = JobFilter::default;
    for (filter, expected) in [
        (any(), vec![31, 32, 33]),
        (
            JobFilter {
                project: Some(ProjectId(12)),
                ..any()
            },
            vec![32],
        ),
        (
            JobFilter {
                kind: Some(AnalysisKind::RankCheck),
                ..any()
            },
            vec![31, 33],
        ),
        (
            JobFilter {
                status: Some(JobStatus::Queued),
                ..any()
            },
            vec![31, 32],
        ),
        (
            JobFilter {
                status: Some(JobStatus::Failed),
                ..any()
            },
            vec![33],
        ),
        (
            JobFilter {
                status: Some(JobStatus::Running),
                ..any()
            },
            vec![],
        ),
    ] {
        let request = PageRequest {
            sort: JobSort::CreatedAt,
            direction: Direction::Ascending,
            after: None,
            limit: 9,
            counted: false,
            bytes: None,
        };
        let page = read!(db, r => r.jobs().list(ANN, &filter, &request).await.unwrap());
        let ids: Vec<i64> = page.items.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, expected, "{filter:?}");
    }
}

/// Every state, with each deadline just before, at and just after now.
fn at_the_boundaries() -> Vec<Job> {
    let moments = [now() - tick(), now(), now() + tick()];
    let mut jobs = vec![];
    for state in JobState::ALL {
        for moment in moments {
            for part in 0..5 {
                let mut job = job(ANN, 31);
                job.state = state;
                job.run_at = after(-60);
                job.expires_at = after(60);
                let until = if part == 2 { moment } else { after(60) };
                let lease = Lease {
                    epoch: 1,
                    owner: "w".into(),
                    until,
                };
                job.lease = (state == JobState::Running && part != 4).then_some(lease);
                match part {
                    0 => job.run_at = moment,
                    1 => job.expires_at = moment,
                    3 => job.deadline_at = Some(moment),
                    _ => {}
                }
                jobs.push(job);
            }
        }
    }
    jobs
}

async fn due_jobs_match_the_domain_rule(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    for example in at_the_boundaries() {
        for cancel_requested in [false, true] {
            let example = Job {
                cancel_requested,
                ..example.clone()
            };
            tx.jobs().save(&example).await.unwrap();
            let found = tx
                .jobs()
                .lock_due(ANN, SlotKind::AnyJob, now(), 5)
                .await
                .unwrap();
            let is_due = example.is_due(now()) && !cancel_requested;
            assert_eq!(!found.is_empty(), is_due, "{example:?}");
        }
    }
}

async fn a_slot_for_short_jobs_takes_no_other(db: TestStorage) {
    two_accounts(&db).await;
    for (id, kind) in (1..).zip(AnalysisKind::IMPLEMENTED) {
        let example = Job {
            kind,
            ..job(ANN, id)
        };
        add_job(&db, &example).await;
    }
    let mut tx = db.storage.write().await.unwrap();
    for (takes, wanted) in [
        (SlotKind::AnyJob, &AnalysisKind::IMPLEMENTED[..]),
        (SlotKind::ShortJobs, &AnalysisKind::SHORT[..]),
    ] {
        let found = tx.jobs().lock_due(ANN, takes, now(), 9).await.unwrap();
        let kinds: Vec<AnalysisKind> = found.iter().map(|it| it.kind).collect();
        assert_eq!(kinds, wanted, "{takes:?}");
    }
}

async fn jobs_needing_attention_match_the_domain_rule(db: TestStorage) {
    two_accounts_at_work(&db).await;
    let mut tx = db.storage.write().await.unwrap();
    for example in at_the_boundaries() {
        tx.jobs().save(&example).await.unwrap();
        let found = tx
            .jobs()
            .lock_needing_attention(ANN, now(), 10)
            .await
            .unwrap();
        assert_eq!(
            !found.is_empty(),
            example.needs_attention(now()),
            "{example:?}"
        );
    }
}

async fn the_most_urgent_due_job_comes_first(db: TestStorage) {
    two_accounts(&db).await;
    for (id, priority, seconds) in [
        (1, JobPriority::Low, -90),
        (2, JobPriority::Normal, -10),
        (3, JobPriority::Normal, -20),
        (4, JobPriority::Normal, -20),
        (5, JobPriority::High, 5),
    ] {
        add_job(
            &db,
            &Job {
                priority,
                run_at: after(seconds),
                ..job(ANN, id)
            },
        )
        .await;
    }
    let mut taken = vec![];
    let mut tx = db.storage.write().await.unwrap();
    while let Some(next) = tx
        .jobs()
        .lock_due(ANN, SlotKind::AnyJob, now(), 1)
        .await
        .unwrap()
        .pop()
    {
        taken.push(next.id.0);
        tx.jobs()
            .save(&Job {
                state: JobState::Running,
                ..next
            })
            .await
            .unwrap();
    }
    assert_eq!(taken, [3, 4, 2, 1]);
}

async fn a_position_counts_the_waiting_jobs_before_it(db: TestStorage) {
    two_accounts(&db).await;
    for (id, priority, seconds, state) in [
        (1, JobPriority::Low, 0, JobState::Ready),
        (2, JobPriority::Normal, 9, JobState::RetryWait),
        (3, JobPriority::Normal, 0, JobState::Scheduled),
        (4, JobPriority::High, 0, JobState::Running),
    ] {
        add_job(
            &db,
            &Job {
                priority,
                state,
                run_at: after(seconds),
                ..job(ANN, id)
            },
        )
        .await;
    }
    for (id, expected) in [
        (1, Some(2)),
        (2, Some(1)),
        (3, Some(0)),
        (4, None),
        (5, None),
    ] {
        let position = read!(db, r => r.jobs().position(ANN, JobId(id)).await.unwrap());
        assert_eq!(position, expected, "{id}");
    }
}

async fn a_summary_counts_unfinished_jobs(db: TestStorage) {
    two_accounts(&db).await;
    for (at, state) in (1..).zip(JobState::ALL) {
        add_job(
            &db,
            &Job {
                state,
                created_at: after(at),
                ..job(ANN, at)
            },
        )
        .await;
    }
    read!(db, r => {
        let summary = QueueSummary { queued: 3, running: 1, oldest_queued_at: Some(after(1)) };
        assert_eq!(r.jobs().summary(ANN).await.unwrap(), summary);
        assert_eq!(r.jobs().summary(BOB).await.unwrap(), QueueSummary::default());
    });
}

async fn a_projects_unfinished_jobs_are_locked_together(db: TestStorage) {
    two_accounts(&db).await;
    for (id, state) in (1..).zip(JobState::ALL) {
        add_job(
            &db,
            &Job {
                state,
                ..job(ANN, id)
            },
        )
        .await;
    }
    let blog = ProjectId(12);
    change!(db, tx => tx.projects().add(&project(ANN, blog.0)).await.unwrap());
    let elsewhere = Job {
        project: blog,
        ..job(ANN, 90)
    };
    add_job(&db, &elsewhere).await;
    add_job(&db, &job(BOB, 91)).await;
    for (project, expected) in [
        (Some(SHOP), vec![1, 2, 3, 4]),
        (Some(blog), vec![90]),
        (None, vec![1, 2, 3, 4, 90]),
    ] {
        let locked = change!(db, tx => tx.jobs().lock_unfinished(ANN, project).await.unwrap());
        let ids: BTreeSet<i64> = locked.iter().map(|it| it.id.0).collect();
        assert_eq!(ids, expected.into_iter().collect(), "{project:?}");
    }
}

async fn deleted_jobs_match_the_domain_rule(db: TestStorage) {
    two_accounts(&db).await;
    let policy = QueuePolicy::default();
    let mut kept = Vec::new();
    let mut id = 0;
    for state in JobState::ALL.into_iter().filter(|it| !it.is_unfinished()) {
        for age in [policy.done_kept_for, policy.failed_kept_for] {
            for finished_at in [now() - age - tick(), now() - age, now() - age + tick()] {
                id += 1;
                let created_at = finished_at - tick();
                let old = Job {
                    state,
                    created_at,
                    finished_at: Some(finished_at),
                    ..job(ANN, id)
                };
                add_job(&db, &old).await;
                kept.extend((!old.is_purgeable(now(), &policy)).then_some(id));
            }
        }
    }
    add_job(
        &db,
        &Job {
            created_at: now() - policy.failed_kept_for * 2,
            ..job(ANN, id + 1)
        },
    )
    .await;
    kept.push(id + 1);
    change!(db, tx => while tx.jobs().purge_finished(ANN, now(), &policy, 7).await.unwrap() > 0 {});
    let page = PageRequest {
        sort: JobSort::CreatedAt,
        direction: Direction::Ascending,
        after: None,
        limit: 99,
        counted: false,
        bytes: None,
    };
    let left = read!(db, r => r.jobs().list(ANN, &JobFilter::default(), &page).await.unwrap());
    let mut left: Vec<i64> = left.items.iter().map(|it| it.id.0).collect();
    left.sort_unstable();
    assert_eq!(left, kept);
}
