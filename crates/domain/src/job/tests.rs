//! Meaning of names, states and times of jobs.

use super::*;
use crate::ports::clock::Clock;
use crate::test_support::{FrozenClock, a_job};
use chrono::TimeDelta;

const TICK: TimeDelta = TimeDelta::microseconds(1);

fn now() -> DateTime<Utc> {
    FrozenClock::default().now()
}

/// A job in that state: a running one has a lease, an ended one ended now.
fn job_in(state: JobState) -> Job {
    let is_running = state == JobState::Running;
    Job {
        state,
        lease: is_running.then(|| Lease {
            epoch: 1,
            owner: "w".to_owned(),
            until: now() + TimeDelta::seconds(45),
        }),
        deadline_at: is_running.then(|| now() + TimeDelta::hours(2)),
        finished_at: (!state.is_unfinished()).then(now),
        ..a_job()
    }
}

#[test]
fn states_have_their_stored_names_and_public_status() {
    let rows = JobState::ALL.map(|it| {
        assert_eq!(JobState::named(it.name()), Some(it));
        (
            it.name(),
            it.status().name(),
            it.is_unfinished(),
            it.is_waiting(),
        )
    });
    assert_eq!(
        rows,
        [
            ("scheduled", "queued", true, true),
            ("ready", "queued", true, true),
            ("running", "running", true, false),
            ("retry_wait", "retrying", true, true),
            ("succeeded", "succeeded", false, false),
            ("partial", "partial", false, false),
            ("failed", "failed", false, false),
            ("canceled", "canceled", false, false),
            ("expired", "failed", false, false),
        ]
    );
    assert_eq!(JobState::named("retrying"), None);
}

#[test]
fn every_state_has_one_status() {
    for status in JobStatus::ALL {
        assert_eq!(JobStatus::named(status.name()), Some(status));
        let states: Vec<JobState> = status.states().collect();
        assert!(!states.is_empty(), "{status:?}");
        assert!(states.iter().all(|it| it.status() == status));
    }
    let behind = JobStatus::ALL.into_iter().flat_map(JobStatus::states);
    assert_eq!(behind.count(), JobState::ALL.len());
    assert_eq!(JobStatus::named("expired"), None);
}

#[test]
fn priorities_rise_and_are_read_by_their_names() {
    let names = JobPriority::ALL.map(JobPriority::name);
    assert_eq!(names, ["low", "normal", "high"]);
    assert_eq!(JobPriority::ALL.map(JobPriority::rank), [0, 1, 2]);
    let read = names.map(JobPriority::named);
    assert_eq!(read, JobPriority::ALL.map(Some));
    assert_eq!(JobPriority::named("highest"), None);
}

#[test]
fn the_last_error_is_shown_for_failed_and_retrying_jobs() {
    let error = |attempt| JobError {
        code: "supplier-unavailable".to_owned(),
        detail: "The supplier is not available.".to_owned(),
        retryable: true,
        hint: None,
        attempt,
        at: now(),
    };
    for state in JobState::ALL {
        let job = Job {
            errors: vec![error(1), error(2)],
            ..job_in(state)
        };
        let expected = match state {
            JobState::Failed | JobState::Expired | JobState::RetryWait => Some(2),
            _ => None,
        };
        assert_eq!(job.error().map(|it| it.attempt), expected, "{state:?}");
    }
    assert_eq!(job_in(JobState::Failed).error(), None);
}

#[test]
fn failed_jobs_are_kept_longer_than_finished_ones() {
    let policy = QueuePolicy::default();
    for state in JobState::ALL {
        let job = job_in(state);
        let days = match state {
            JobState::Failed | JobState::Expired => 90,
            _ => 30,
        };
        let end = now() + TimeDelta::days(days);
        let is_over = !state.is_unfinished();
        assert!(!job.is_purgeable(end - TICK, &policy), "{state:?}");
        assert_eq!(job.is_purgeable(end, &policy), is_over, "{state:?}");
    }
}

#[test]
fn a_running_job_needs_attention_after_its_lease_or_deadline() {
    let job = job_in(JobState::Running);
    let lease_ends = now() + TimeDelta::seconds(45);
    assert!(!job.needs_attention(lease_ends - TICK));
    assert!(job.needs_attention(lease_ends));
    let beating = Job {
        deadline_at: Some(now()),
        ..job.clone()
    };
    assert!(!beating.needs_attention(now() - TICK));
    assert!(beating.needs_attention(now()));
    let unheld = Job { lease: None, ..job };
    assert!(unheld.needs_attention(now() - TICK));
}

#[test]
fn a_waiting_job_needs_attention_when_it_expires() {
    for state in JobState::ALL {
        let job = job_in(state);
        if state != JobState::Running {
            assert!(!job.needs_attention(job.expires_at - TICK), "{state:?}");
            let needs = job.needs_attention(job.expires_at);
            assert_eq!(needs, state.is_waiting(), "{state:?}");
        }
    }
}

#[test]
fn jobs_that_would_do_the_same_have_one_key() {
    let key = |project, kind, keywords: &[i64], models: Option<&[&str]>| {
        let keywords = match keywords {
            [] => KeywordChoice::All,
            named => KeywordChoice::Named(named.iter().map(|it| KeywordId(*it)).collect()),
        };
        let models = models.map_or(ModelChoice::All, |named| {
            ModelChoice::Named(named.iter().map(|it| (*it).to_owned()).collect())
        });
        dedupe_key(ProjectId(project), kind, &keywords, &models)
    };
    let (rank, answers) = (AnalysisKind::RankCheck, AnalysisKind::AiVisibility);
    assert_eq!(key(1, rank, &[2, 3], None), key(1, rank, &[3, 2], None));
    assert_eq!(
        key(1, answers, &[], Some(&["a", "b"])),
        key(1, answers, &[], Some(&["b", "a"]))
    );
    let mut different = vec![
        key(1, rank, &[], None),
        key(2, rank, &[], None),
        key(1, answers, &[], None),
        key(1, rank, &[2], None),
        key(1, rank, &[3], None),
        key(1, rank, &[2, 3], None),
        key(1, answers, &[], Some(&["a"])),
        key(1, answers, &[], Some(&["a", "b"])),
    ];
    let all = different.len();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), all, "{different:?}");
    // The key is stored, and servers of two versions may run at the same time.
    assert_eq!(key(1, rank, &[], None), "1:rankCheck:all");
}
