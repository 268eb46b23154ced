use super::METHOD_VERSION;
use super::record::{ForecastMethod, ForecastQuality, ForecastRecord, RefusalReason};
use crate::{ToSchema, findings::envelope::Coverage};
use serde::{Deserialize, Serialize};

/// How many series are forecast, how, and how well.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastSummary {
    /// The definition it follows.
    pub method_version: String,
    /// Series requested; `measured` were forecast, `skipped` do not allow it.
    pub coverage: Coverage,
    /// By who speaks: the combination, …
    pub combination: u64,
    /// … the last value, …
    pub naive: u64,
    /// … the only value there ever was.
    pub constant: u64,
    /// By quality: good, …
    pub good: u64,
    /// … fair, …
    pub fair: u64,
    /// … poor.
    pub poor: u64,
    /// Refused, because nothing was measured, …
    pub no_history: u64,
    /// … the history is too short, …
    pub history_too_short: u64,
    /// … measurements lie too far apart, …
    pub measured_too_rarely: u64,
    /// … or the site was mostly not ranked.
    pub mostly_not_ranked: u64,
}

crate::json!(ForecastSummary);

#[derive(Debug, Clone)]
pub struct ForecastTally {
    sum: ForecastSummary,
    forecast: u64,
}

impl Default for ForecastTally {
    fn default() -> Self {
        Self {
            sum: ForecastSummary {
                method_version: METHOD_VERSION.to_owned(),
                coverage: Coverage::default(),
                combination: 0,
                naive: 0,
                constant: 0,
                good: 0,
                fair: 0,
                poor: 0,
                no_history: 0,
                history_too_short: 0,
                measured_too_rarely: 0,
                mostly_not_ranked: 0,
            },
            forecast: 0,
        }
    }
}

impl ForecastTally {
    pub fn add(&mut self, record: &ForecastRecord) {
        let sum = &mut self.sum;
        let by_method = record.method.map(|method| match method {
            ForecastMethod::Combination => &mut sum.combination,
            ForecastMethod::Naive => &mut sum.naive,
            ForecastMethod::Constant => &mut sum.constant,
        });
        if let Some(count) = by_method {
            *count += 1;
            self.forecast += 1;
        }
        match record.quality {
            Some(ForecastQuality::Good) => sum.good += 1,
            Some(ForecastQuality::Fair) => sum.fair += 1,
            Some(ForecastQuality::Poor) => sum.poor += 1,
            None => {}
        }
        match record.refusal.map(|it| it.reason) {
            Some(RefusalReason::NoHistory) => sum.no_history += 1,
            Some(RefusalReason::HistoryTooShort) => sum.history_too_short += 1,
            Some(RefusalReason::MeasuredTooRarely) => sum.measured_too_rarely += 1,
            Some(RefusalReason::MostlyNotRanked) => sum.mostly_not_ranked += 1,
            None => {}
        }
    }

    pub fn finish(mut self, requested: u64) -> ForecastSummary {
        self.sum.coverage = Coverage::new(requested, self.forecast, 0);
        self.sum
    }
}
