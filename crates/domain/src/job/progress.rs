use chrono::{DateTime, Utc};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stage {
    /// Name of the work, for example `measure`.
    pub name: String,
    pub status: StageStatus,
    pub done: u64,
    /// Total units, as far as known.
    pub total: u64,
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum StageStatus {
        Waiting = "waiting",
        Running = "running",
        Done = "done",
    }
}

/// Progress of a job over all its stages.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Progress {
    pub done: u64,
    /// Total units, as far as known; `0` if unknown.
    pub total: u64,
    /// In order.
    pub stages: Vec<Stage>,
}

impl Progress {
    /// Percent done, rounded down, so that 100 means done; `None` while the total is unknown.
    pub fn percent(&self) -> Option<u8> {
        let percent = self
            .done
            .min(self.total)
            .saturating_mul(100)
            .checked_div(self.total)?;
        u8::try_from(percent).ok()
    }

    /// Estimated seconds left at the speed so far; `None` before the first unit, and after the last
    /// one, because the duration of the rest is unknown.
    pub fn eta_seconds(&self, started_at: DateTime<Utc>, now: DateTime<Utc>) -> Option<u64> {
        let elapsed = u64::try_from((now - started_at).num_milliseconds()).ok()?;
        let left = self.total.checked_sub(self.done).filter(|it| *it > 0)?;
        Some(
            elapsed
                .saturating_mul(left)
                .checked_div(self.done)?
                .div_ceil(1_000),
        )
    }

    /// Counts are the sums over the stages.
    pub fn of_stages(stages: Vec<Stage>) -> Self {
        let done = stages.iter().map(|stage| stage.done).sum();
        let total = stages.iter().map(|stage| stage.total).sum();
        Self {
            done,
            total,
            stages,
        }
    }
}

impl Stage {
    /// A stage with a status derived from its counts.
    pub fn counted(name: &str, done: u64, total: u64, is_over: bool) -> Self {
        let status = match (is_over, done) {
            (true, _) => StageStatus::Done,
            (false, 0) => StageStatus::Waiting,
            (false, _) => StageStatus::Running,
        };
        Self {
            name: name.to_owned(),
            status,
            done,
            total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ports::clock::Clock, test_support::FrozenClock};
    use chrono::TimeDelta;

    #[test]
    fn a_hundred_percent_means_done() {
        let at = |done| {
            Progress {
                done,
                total: 1_000,
                stages: vec![],
            }
            .percent()
        };
        assert_eq!((at(0), at(999), at(1_000)), (Some(0), Some(99), Some(100)));
        assert_eq!(Progress::default().percent(), None);
    }

    #[test]
    fn the_status_of_a_stage_follows_from_its_counts() {
        let stage = |done, is_over| Stage::counted("measure", done, 9, is_over).status;
        assert_eq!(stage(0, false), StageStatus::Waiting);
        assert_eq!(stage(1, false), StageStatus::Running);
        assert_eq!(stage(9, false), StageStatus::Running);
        assert_eq!(stage(0, true), StageStatus::Done);
        let names = [
            (StageStatus::Waiting, "waiting"),
            (StageStatus::Running, "running"),
            (StageStatus::Done, "done"),
        ];
        for (status, name) in names {
            assert_eq!(status.name(), name);
            assert_eq!(StageStatus::named(name), Some(status));
        }
        assert_eq!(StageStatus::named("over"), None);
    }

    #[test]
    fn the_progress_of_a_job_is_the_sum_of_its_stages() {
        let stages = vec![
            Stage::counted("measure", 3, 5, false),
            Stage::counted("store", 1, 4, false),
        ];
        let progress = Progress::of_stages(stages.clone());
        assert_eq!((progress.done, progress.total), (4, 9));
        assert_eq!(progress.stages, stages);
    }

    #[test]
    fn the_time_left_follows_from_the_speed_so_far() {
        let start = FrozenClock::default().now();
        let progress = Progress {
            done: 100,
            total: 400,
            stages: vec![],
        };
        assert_eq!(
            progress.eta_seconds(start, start + TimeDelta::seconds(10)),
            Some(30)
        );
        // Rounds up to a second.
        let moment = start + TimeDelta::milliseconds(1);
        assert_eq!(progress.eta_seconds(start, moment), Some(1));
        assert_eq!(
            Progress {
                done: 0,
                ..progress
            }
            .eta_seconds(start, start),
            None
        );
    }
}
