/// Expected false alarms a month, which all tests of a kind of subjects share: the per-family error rate of Gordon,
/// Glazko, Qiu and Yakovlev 2007, <https://doi.org/10.1214/07-AOAS102>. A test counts if its p is at most B/(K·m).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlarmBudget {
    /// B.
    pub false_alarms: f64,
    /// K: subjects that are tested in a run.
    pub subjects: u64,
}

impl AlarmBudget {
    /// Of ranks: one in four months. `keywords`: those that the run measures.
    pub const fn of_ranks(keywords: u64) -> Self {
        Self {
            false_alarms: super::ranks::FALSE_ALARMS,
            subjects: keywords,
        }
    }

    /// Of speed: one in twenty months. `figures`: those of all lab records of a run.
    pub const fn of_vitals(figures: u64) -> Self {
        Self {
            false_alarms: super::vitals::FALSE_ALARMS,
            subjects: figures,
        }
    }

    /// `runs`: m, the runs in 28 days.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn limit(&self, runs: u32) -> f64 {
        self.false_alarms / (self.subjects.max(1) as f64 * f64::from(runs.max(1)))
    }
}
