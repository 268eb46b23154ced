//! Whether the clock is reliable enough to purge old data: a wrong clock would delete too much.

use super::Core;
use crate::ports::server_notes::{ServerNote, Topic};
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// Workers check hourly or daily; after a longer gap, the clock was set or no worker ran.
const MAX_GAP: TimeDelta = TimeDelta::days(3);
/// Maximum clock difference of several workers.
const MAX_STEP_BACK: TimeDelta = TimeDelta::hours(1);
/// Time for an operator to correct a wrong clock.
const WAIT: TimeDelta = TimeDelta::days(1);
/// Maximum difference between this process's clock and the database's.
const MAX_SKEW: TimeDelta = TimeDelta::minutes(1);

/// Nothing is purged yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurgePostponed {
    pub until: DateTime<Utc>,
    /// Deviation of the clock from the expected time, if any; negative if it went back.
    pub deviation: Option<TimeDelta>,
}

impl Core {
    /// `None` if old data may be purged. Call at a worker's start and at least once a day: each
    /// check is recorded and compared with the next.
    pub async fn check_retention_clock(&self) -> Result<Option<PurgePostponed>, StorageError> {
        let (shared, now) = (self.storage.now().await?, self.clock.now());
        if (now - shared).abs() > MAX_SKEW {
            return Ok(Some(PurgePostponed {
                until: now + WAIT,
                deviation: Some(now - shared),
            }));
        }
        let look = |mut work: Box<dyn Transaction>| async move {
            let notes = work.server_notes().all().await?;
            let last = notes.into_iter().find(|it| it.topic == Topic::Retention);
            let (note, postponed) = evaluate(last.as_ref(), now);
            work.server_notes().put(&note).await?;
            work.commit().await?;
            Ok(postponed)
        };
        self.storage.transaction(look).await
    }
}

/// The new note, which states from when the clock is trusted.
fn evaluate(last: Option<&ServerNote>, now: DateTime<Utc>) -> (ServerNote, Option<PurgePostponed>) {
    let gap = last.map(|it| now - it.noted_at);
    let is_as_expected = gap.is_some_and(|it| (-MAX_STEP_BACK..=MAX_GAP).contains(&it));
    let trusted_from = match last.and_then(|it| it.note.parse().ok()) {
        Some(from) if is_as_expected => from,
        _ => now + WAIT,
    };
    let note = ServerNote {
        topic: Topic::Retention,
        note: trusted_from.to_rfc3339_opts(SecondsFormat::Secs, true),
        noted_at: now,
    };
    let postponed = (now < trusted_from).then_some(PurgePostponed {
        until: trusted_from,
        deviation: gap.filter(|_| !is_as_expected),
    });
    (note, postponed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + hours * 3_600, 0).unwrap()
    }

    /// The note of a check at `hour`, with the clock trusted from `trusted_from`.
    fn noted(hour: i64, trusted_from: i64) -> ServerNote {
        ServerNote {
            topic: Topic::Retention,
            note: at(trusted_from).to_rfc3339(),
            noted_at: at(hour),
        }
    }

    #[test]
    fn a_stable_clock_is_trusted_a_day_after_the_first_check() {
        let (mut note, mut postponed) = evaluate(None, at(0));
        assert_eq!(
            postponed,
            Some(PurgePostponed {
                until: at(24),
                deviation: None
            })
        );
        for hour in 1..24 {
            (note, postponed) = evaluate(Some(&note), at(hour));
            assert_eq!(
                postponed,
                Some(PurgePostponed {
                    until: at(24),
                    deviation: None
                })
            );
        }
        for hour in [24, 48, 72, 144] {
            (note, postponed) = evaluate(Some(&note), at(hour));
            assert_eq!(postponed, None, "{hour}");
        }
    }

    #[test]
    fn a_stepped_clock_postpones_purging_for_a_day() {
        for (hour, apart) in [(73, 73), (24 * 1_461, 24 * 1_461), (-2, -2)] {
            let (note, postponed) = evaluate(Some(&noted(0, -100)), at(hour));
            let until = at(hour + 24);
            let apart = Some(TimeDelta::hours(apart));
            assert_eq!(
                postponed,
                Some(PurgePostponed {
                    until,
                    deviation: apart
                }),
                "{hour}"
            );
            // An immediate restart does not count as the next day's check.
            let (_, postponed) = evaluate(Some(&note), at(hour));
            assert_eq!(
                postponed,
                Some(PurgePostponed {
                    until,
                    deviation: None
                }),
                "{hour}"
            );
            let (_, postponed) = evaluate(Some(&note), at(hour + 24));
            assert_eq!(postponed, None, "{hour}");
        }
    }

    #[test]
    fn a_corrected_clock_postpones_purging_for_a_day() {
        let (wrong, _) = evaluate(Some(&noted(0, -100)), at(10_000));
        let (_, postponed) = evaluate(Some(&wrong), at(1));
        let apart = Some(TimeDelta::hours(1 - 10_000));
        assert_eq!(
            postponed,
            Some(PurgePostponed {
                until: at(25),
                deviation: apart
            })
        );
    }

    #[test]
    fn an_unreadable_note_counts_as_missing() {
        let note = ServerNote {
            note: "soon".to_owned(),
            ..noted(0, 0)
        };
        assert_eq!(
            evaluate(Some(&note), at(1)).1.map(|it| it.until),
            Some(at(25))
        );
    }
}
