//! Whether the clock may say what is too old to be kept: what a wrong one deletes is gone.

use super::Core;
use crate::ports::server_notes::{ServerNote, Topic};
use crate::ports::storage::{StorageError, Transaction};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};

/// A worker looks every hour or every day; a clock that is further from the last look was set, or no worker ran.
const MAX_GAP: TimeDelta = TimeDelta::days(3);
/// Clocks of several workers differ by less.
const MAX_STEP_BACK: TimeDelta = TimeDelta::hours(1);
/// Time for an operator to set a clock that is wrong.
const WAIT: TimeDelta = TimeDelta::days(1);
/// How far this process's clock may be from the database's.
const MAX_SKEW: TimeDelta = TimeDelta::minutes(1);

/// Nothing is deleted yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Postponed {
    pub until: DateTime<Utc>,
    /// How far the clock is from where it was expected, if it was; negative when it went back.
    pub apart: Option<TimeDelta>,
}

impl Core {
    /// `None` when what is too old may be deleted. To be asked at a worker's start and at least once a day: each look is
    /// noted, and the next is compared with it.
    pub async fn trust_retention(&self) -> Result<Option<Postponed>, StorageError> {
        let (shared, now) = (self.storage.now().await?, self.clock.now());
        if (now - shared).abs() > MAX_SKEW {
            return Ok(Some(Postponed {
                until: now + WAIT,
                apart: Some(now - shared),
            }));
        }
        let look = |mut work: Box<dyn Transaction>| async move {
            let notes = work.server_notes().all().await?;
            let last = notes.into_iter().find(|it| it.topic == Topic::Retention);
            let (note, postponed) = judged(last.as_ref(), now);
            work.server_notes().put(&note).await?;
            work.commit().await?;
            Ok(postponed)
        };
        self.storage.transaction(look).await
    }
}

/// The note of this look, which says from when on the clock is trusted.
fn judged(last: Option<&ServerNote>, now: DateTime<Utc>) -> (ServerNote, Option<Postponed>) {
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
    let postponed = (now < trusted_from).then_some(Postponed {
        until: trusted_from,
        apart: gap.filter(|_| !is_as_expected),
    });
    (note, postponed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + hours * 3_600, 0).unwrap()
    }

    /// The note of a look at that hour, by which the clock is trusted from another on.
    fn noted(hour: i64, trusted_from: i64) -> ServerNote {
        ServerNote {
            topic: Topic::Retention,
            note: at(trusted_from).to_rfc3339(),
            noted_at: at(hour),
        }
    }

    #[test]
    fn a_clock_that_goes_on_is_trusted_a_day_after_the_first_look() {
        let (mut note, mut postponed) = judged(None, at(0));
        assert_eq!(
            postponed,
            Some(Postponed {
                until: at(24),
                apart: None
            })
        );
        for hour in 1..24 {
            (note, postponed) = judged(Some(&note), at(hour));
            assert_eq!(
                postponed,
                Some(Postponed {
                    until: at(24),
                    apart: None
                })
            );
        }
        for hour in [24, 48, 72, 144] {
            (note, postponed) = judged(Some(&note), at(hour));
            assert_eq!(postponed, None, "{hour}");
        }
    }

    #[test]
    fn a_clock_that_was_set_forward_or_back_waits_for_a_day() {
        for (hour, apart) in [(73, 73), (24 * 1_461, 24 * 1_461), (-2, -2)] {
            let (note, postponed) = judged(Some(&noted(0, -100)), at(hour));
            let until = at(hour + 24);
            let apart = Some(TimeDelta::hours(apart));
            assert_eq!(postponed, Some(Postponed { until, apart }), "{hour}");
            // A restart at once is no look of the next day.
            let (_, postponed) = judged(Some(&note), at(hour));
            assert_eq!(postponed, Some(Postponed { until, apart: None }), "{hour}");
            let (_, postponed) = judged(Some(&note), at(hour + 24));
            assert_eq!(postponed, None, "{hour}");
        }
    }

    #[test]
    fn a_clock_that_is_put_right_again_waits_for_a_day() {
        let (wrong, _) = judged(Some(&noted(0, -100)), at(10_000));
        let (_, postponed) = judged(Some(&wrong), at(1));
        let apart = Some(TimeDelta::hours(1 - 10_000));
        assert_eq!(
            postponed,
            Some(Postponed {
                until: at(25),
                apart
            })
        );
    }

    #[test]
    fn a_note_that_cannot_be_read_is_none() {
        let note = ServerNote {
            note: "soon".to_owned(),
            ..noted(0, 0)
        };
        assert_eq!(
            judged(Some(&note), at(1)).1.map(|it| it.until),
            Some(at(25))
        );
    }
}
