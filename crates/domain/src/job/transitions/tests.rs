//! Invariants of the queue under any order of events, and the main edge cases.

use super::*;
use crate::ports::clock::Clock;
use crate::test_support::{FrozenClock, a_job};
use proptest::prelude::*;

const SECOND: TimeDelta = TimeDelta::seconds(1);

fn now() -> DateTime<Utc> {
    FrozenClock::default().now()
}

fn policy() -> QueuePolicy {
    QueuePolicy::default()
}

fn error() -> JobError {
    JobError {
        code: "supplier-unavailable".into(),
        detail: "The supplier is not available.".into(),
        retryable: true,
        hint: None,
        attempt: 1,
        at: now(),
    }
}

fn running() -> Job {
    a_job().claimed("w", now(), &policy()).unwrap()
}

#[test]
fn a_claim_begins_an_attempt_with_a_lease_and_a_deadline() {
    let job = running();
    assert_eq!(
        (job.attempt, job.epoch, job.started_at),
        (1, 1, Some(now()))
    );
    assert_eq!(job.lease.unwrap().until, now() + TimeDelta::seconds(45));
    assert_eq!(job.deadline_at, Some(now() + TimeDelta::hours(2)));
}

#[test]
fn a_job_is_due_from_its_time_until_it_expires() {
    let job = Job {
        run_at: now(),
        expires_at: now() + SECOND,
        ..a_job()
    };
    let tick = TimeDelta::microseconds(1);
    assert!(!job.is_due(now() - tick) && job.is_due(now()));
    assert!(job.is_due(now() + SECOND - tick) && !job.is_due(now() + SECOND));
}

#[test]
fn a_worker_that_lost_its_lease_can_do_nothing() {
    let lost = running()
        .swept(0.5, now() + TimeDelta::seconds(45), &policy())
        .unwrap();
    let again = lost.claimed("other", lost.run_at, &policy()).unwrap();
    for job in [&lost, &again] {
        assert_eq!(job.finished(1, false, now()), Err(LeaseLost));
        assert_eq!(job.renewed(1, None, now(), &policy()), Err(LeaseLost));
        assert_eq!(
            job.retried(1, error(), SECOND, now(), &policy()),
            Err(LeaseLost)
        );
        assert_eq!(job.failed(1, error(), now()), Err(LeaseLost));
        assert_eq!(job.released(1, now()), Err(LeaseLost));
    }
}

#[test]
fn a_lost_job_runs_at_once_only_after_its_first_loss() {
    let first = running().lost(0.0, now(), &policy()).unwrap();
    assert_eq!((first.state, first.run_at), (JobState::RetryWait, now()));
    assert_eq!((first.crash_count, first.attempt), (1, 1));
    // The worker that lost it cannot write any more.
    assert_eq!(first.epoch, running().epoch + 1);
    let again = first.claimed("x", now(), &policy()).unwrap();
    let second = again.lost(0.0, now(), &policy()).unwrap();
    assert_eq!(second.run_at, now() + policy().delay_after(2, 0.0));
    let third = second.claimed("y", second.run_at, &policy()).unwrap();
    let third = third.lost(0.0, second.run_at, &policy()).unwrap();
    assert_eq!((third.state, third.crash_count), (JobState::Failed, 3));
}

#[test]
fn only_a_running_job_can_be_lost() {
    for job in [a_job(), running().finished(1, false, now()).unwrap()] {
        assert_eq!(job.lost(0.0, now(), &policy()), Err(WrongState));
    }
    let mut canceled = running();
    canceled.cancel_requested = true;
    let canceled = canceled.lost(0.0, now(), &policy()).unwrap();
    assert_eq!(canceled.state, JobState::Canceled);
}

#[test]
fn a_job_that_crashes_three_workers_fails() {
    let mut job = a_job();
    for _ in 0..3 {
        let claimed = job.claimed("w", job.run_at, &policy()).unwrap();
        let dead_at = claimed.lease.as_ref().unwrap().until;
        job = claimed.swept(0.0, dead_at, &policy()).unwrap();
    }
    assert_eq!((job.state, job.crash_count), (JobState::Failed, 3));
    assert_eq!(job.error().unwrap().code, "worker-lost");
}

#[test]
fn a_passed_deadline_is_a_failed_attempt_but_no_crash() {
    let job = running();
    let beating = job
        .renewed(1, None, now() + TimeDelta::hours(2), &policy())
        .unwrap();
    let swept = beating
        .swept(0.0, now() + TimeDelta::hours(2), &policy())
        .unwrap();
    assert_eq!((swept.state, swept.crash_count), (JobState::RetryWait, 0));
    assert_eq!(swept.error().unwrap().code, "deadline-passed");
}

#[test]
fn a_shutdown_does_not_count_as_an_attempt() {
    let released = running().released(1, now()).unwrap();
    assert!(released.is_due(now()));
    assert_eq!(
        (released.state, released.attempt, released.lease),
        (JobState::Ready, 0, None)
    );
}

#[test]
fn an_outage_does_not_count_and_delays_the_next_attempt() {
    let pause = TimeDelta::seconds(30);
    let interrupted = running().interrupted(1, pause, now()).unwrap();
    assert!(!interrupted.is_due(now()) && interrupted.is_due(now() + pause));
    assert_eq!(
        (interrupted.state, interrupted.attempt, interrupted.lease),
        (JobState::Ready, 0, None)
    );
    assert_eq!(running().interrupted(2, pause, now()), Err(LeaseLost));
    let canceled = running().canceled(now()).unwrap();
    let ended = canceled.interrupted(1, pause, now()).unwrap();
    assert_eq!(
        (ended.state, ended.run_at),
        (JobState::Canceled, canceled.run_at)
    );
}

#[test]
fn canceling_stops_waiting_jobs_at_once_and_flags_running_ones() {
    assert_eq!(a_job().canceled(now()).unwrap().state, JobState::Canceled);
    let canceled = running().canceled(now()).unwrap();
    assert_eq!(
        (canceled.state, canceled.cancel_requested),
        (JobState::Running, true)
    );
    assert_eq!(
        canceled.stopped(1, now()).unwrap().state,
        JobState::Canceled
    );
    assert_eq!(running().stopped(1, now()), Err(WrongState));
}

#[test]
fn a_canceled_job_of_a_dead_worker_is_not_retried() {
    let canceled = running().canceled(now()).unwrap();
    let swept = canceled
        .swept(0.0, now() + TimeDelta::seconds(45), &policy())
        .unwrap();
    assert_eq!(swept.state, JobState::Canceled);
}

#[test]
fn a_canceled_job_is_neither_retried_nor_released() {
    let canceled = running().canceled(now()).unwrap();
    let retried = canceled
        .retried(1, error(), SECOND, now(), &policy())
        .unwrap();
    let released = canceled.released(1, now()).unwrap();
    assert_eq!(
        (retried.state, released.state),
        (JobState::Canceled, JobState::Canceled)
    );
}

#[test]
fn only_the_last_errors_are_kept() {
    let noted = (0..9).fold(a_job(), |job, n| {
        job.with_error(JobError {
            attempt: n,
            ..error()
        })
    });
    let attempts: Vec<u32> = noted.errors.iter().map(|it| it.attempt).collect();
    assert_eq!(attempts, [4, 5, 6, 7, 8]);
}

#[test]
fn a_claim_counts_the_attempt_and_keeps_the_first_start() {
    let again = Job {
        attempt: 2,
        epoch: 7,
        started_at: Some(now() - SECOND),
        ..a_job()
    };
    let claimed = again.claimed("w", now(), &policy()).unwrap();
    assert_eq!((claimed.attempt, claimed.epoch), (3, 8));
    assert_eq!(claimed.started_at, again.started_at);
    let lease = claimed.lease.unwrap();
    assert_eq!((lease.owner.as_str(), lease.epoch), ("w", 8));
}

#[test]
fn neither_a_canceled_job_nor_one_that_is_not_due_is_claimed() {
    let canceled = Job {
        cancel_requested: true,
        ..a_job()
    };
    let early = Job {
        run_at: now() + SECOND,
        ..a_job()
    };
    for job in [canceled, early, running()] {
        assert_eq!(job.claimed("w", now(), &policy()), Err(WrongState));
    }
}

#[test]
fn a_heartbeat_renews_the_lease_and_stores_progress() {
    let (job, later) = (running(), now() + SECOND * 10);
    let progress = Progress {
        done: 3,
        ..Progress::default()
    };
    let renewed = job
        .renewed(1, Some(progress.clone()), later, &policy())
        .unwrap();
    assert_eq!(renewed.progress, progress);
    let lease = renewed.lease.as_ref().unwrap();
    assert_eq!(lease.until, later + TimeDelta::seconds(45));
    assert_eq!(
        renewed.deadline_at, job.deadline_at,
        "the attempt gets no longer"
    );
    let silent = renewed.renewed(1, None, later, &policy()).unwrap();
    assert_eq!(silent.progress, progress);
}

#[test]
fn a_finished_job_has_the_state_of_its_outcome() {
    let (job, later) = (running(), now() + SECOND);
    let of = |partial| job.finished(1, partial, later).unwrap();
    assert_eq!(of(false).state, JobState::Succeeded);
    assert_eq!(of(true).state, JobState::Partial);
    let ended = of(false);
    assert_eq!((ended.finished_at, ended.epoch), (Some(later), 2));
    let failed = job.failed(1, error(), later).unwrap();
    assert_eq!(
        (failed.state, failed.errors),
        (JobState::Failed, vec![error()])
    );
}

#[test]
fn attempts_are_used_up_after_the_fifth() {
    let at = |attempt| {
        let job = Job {
            attempt,
            ..running()
        };
        let retried = job.retried(1, error(), SECOND, now(), &policy()).unwrap();
        // A missed deadline is not a crash: only attempts count.
        let swept = Job {
            deadline_at: Some(now()),
            ..job
        };
        (
            retried.state,
            swept.swept(0.0, now(), &policy()).unwrap().state,
        )
    };
    assert_eq!(at(4), (JobState::RetryWait, JobState::RetryWait));
    assert_eq!(at(5), (JobState::Failed, JobState::Failed));
}

#[test]
fn the_retry_delay_is_at_most_six_hours() {
    let after = |delay| {
        let retried = running()
            .retried(1, error(), delay, now(), &policy())
            .unwrap();
        (retried.run_at - now(), retried.expires_at - now())
    };
    let day = TimeDelta::hours(24);
    assert_eq!(after(SECOND), (SECOND, day));
    let hours = TimeDelta::hours;
    assert_eq!(after(hours(6)), (hours(6), day));
    assert_eq!(after(hours(7)), (hours(6), day));
}

#[test]
fn a_late_retry_expires_an_hour_after_it_is_due() {
    let late = Job {
        expires_at: now() + SECOND,
        ..running()
    };
    let retried = late
        .retried(1, error(), SECOND * 9, now(), &policy())
        .unwrap();
    assert_eq!(retried.run_at, now() + SECOND * 9);
    assert_eq!(retried.expires_at, retried.run_at + TimeDelta::hours(1));
}

#[test]
fn a_reclaimed_job_waits_longer_after_each_attempt() {
    let ends = now() + TimeDelta::seconds(45);
    let delay = |attempt| {
        let swept = Job {
            attempt,
            ..running()
        }
        .swept(1.0, ends, &policy())
        .unwrap();
        assert_eq!((swept.state, swept.crash_count), (JobState::RetryWait, 1));
        swept.run_at - ends
    };
    assert_eq!([1, 2, 3].map(delay), [15, 30, 60].map(TimeDelta::seconds));
}

#[test]
fn an_unclaimed_job_expires_at_its_time_and_not_before() {
    let job = a_job();
    let ends = job.expires_at;
    assert_eq!(job.swept(0.0, ends - SECOND, &policy()), Err(WrongState));
    let expired = job.swept(0.0, ends, &policy()).unwrap();
    assert_eq!(expired.state, JobState::Expired);
    let last_error = expired.error().unwrap();
    assert_eq!((last_error.code.as_str(), last_error.at), ("expired", ends));
    assert!(last_error.retryable && last_error.hint.is_some());
}

#[test]
fn an_ended_job_is_not_stopped_again() {
    let ended = running().finished(1, false, now()).unwrap();
    assert_eq!(ended.canceled(now()), Err(WrongState));
    assert_eq!(
        ended.swept(0.0, now() + TimeDelta::days(99), &policy()),
        Err(WrongState)
    );
    assert_eq!(ended.stopped(ended.epoch, now()), Err(LeaseLost));
}

#[derive(Debug, Clone, Copy)]
enum Event {
    Claim,
    Renew { stale: bool },
    Finish { stale: bool, partial: bool },
    Retry { stale: bool },
    Fail { stale: bool },
    Release { stale: bool },
    Stop,
    Cancel,
    Sweep,
    Lose,
    Wait { seconds: u32 },
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    let stale = prop::bool::weighted(0.2);
    let event = prop_oneof![
        4 => Just(Event::Claim),
        2 => stale.prop_map(|stale| Event::Renew { stale }),
        1 => (stale, any::<bool>()).prop_map(|(stale, partial)| Event::Finish { stale, partial }),
        2 => stale.prop_map(|stale| Event::Retry { stale }),
        1 => stale.prop_map(|stale| Event::Fail { stale }),
        1 => stale.prop_map(|stale| Event::Release { stale }),
        1 => Just(Event::Stop),
        1 => Just(Event::Cancel),
        3 => Just(Event::Sweep),
        1 => Just(Event::Lose),
        4 => (0..9_000_u32).prop_map(|seconds| Event::Wait { seconds }),
    ];
    prop::collection::vec(event, 1..60)
}

fn apply(job: &Job, event: Event, now: DateTime<Utc>) -> Result<Job, TransitionRefused> {
    let policy = policy();
    let epoch = |stale: bool| job.epoch - i64::from(stale);
    match event {
        Event::Claim => job.claimed("w", now, &policy),
        Event::Renew { stale } => job.renewed(epoch(stale), None, now, &policy),
        Event::Finish { stale, partial } => job.finished(epoch(stale), partial, now),
        Event::Retry { stale } => job.retried(
            epoch(stale),
            error(),
            policy.delay_after(job.attempt, 0.3),
            now,
            &policy,
        ),
        Event::Fail { stale } => job.failed(epoch(stale), error(), now),
        Event::Release { stale } => job.released(epoch(stale), now),
        Event::Stop => job.stopped(job.epoch, now),
        Event::Cancel => job.canceled(now),
        Event::Sweep => job.swept(0.5, now, &policy),
        Event::Lose => job.lost(0.5, now, &policy),
        Event::Wait { .. } => Ok(job.clone()),
    }
}

fn check(before: &Job, event: Event, after: &Job) {
    let finished = !before.state.is_unfinished();
    assert!(
        !finished || after == before,
        "a finished job changed by {event:?}"
    );
    assert!(
        after.epoch >= before.epoch,
        "an epoch went back by {event:?}"
    );
    assert_eq!(
        after.lease.is_some(),
        after.state == JobState::Running,
        "a lease without work, or work without a lease"
    );
    assert_eq!(
        after.deadline_at.is_some(),
        after.state == JobState::Running
    );
    assert_eq!(after.finished_at.is_some(), !after.state.is_unfinished());
    assert!(
        !(after.cancel_requested && after.state.is_waiting()),
        "a canceled job waits"
    );
    assert!(after.attempt <= policy().max_attempts && after.crash_count <= policy().max_crashes);
    assert!(after.errors.len() <= JobError::MAX_KEPT);
    if let Some(lease) = &after.lease {
        assert_eq!(lease.epoch, after.epoch, "a lease of another epoch");
    }
}

fn every_step_keeps_the_invariants(events: Vec<Event>) -> Result<(), TestCaseError> {
    let (mut job, mut time) = (a_job(), now());
    for event in events {
        if let Event::Wait { seconds } = event {
            time += TimeDelta::seconds(seconds.into());
        }
        let is_stale = matches!(
            event,
            Event::Renew { stale: true }
                | Event::Finish { stale: true, .. }
                | Event::Retry { stale: true }
                | Event::Fail { stale: true }
                | Event::Release { stale: true }
        );
        let outcome = apply(&job, event, time);
        prop_assert!(
            !is_stale || outcome.is_err(),
            "a stale worker had an effect"
        );
        if let Ok(after) = outcome {
            check(&job, event, &after);
            job = after;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, ..ProptestConfig::default() })]

    #[test]
    fn the_invariants_hold_after_any_order_of_events(events in events()) {
        every_step_keeps_the_invariants(events)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10_000, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: ten times as many walks"]
    fn the_invariants_hold_after_ten_thousand_orders_of_events(events in events()) {
        every_step_keeps_the_invariants(events)?;
    }
}
