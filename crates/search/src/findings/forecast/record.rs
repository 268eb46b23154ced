use crate::ToSchema;
use crate::findings::envelope::{Envelope, rounded};
use crate::findings::keyword_market::KeywordMarket;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

/// The forecast of one series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastRecord {
    /// What all records carry; `sampleSize` counts the days or weeks that were measured and used.
    #[serde(flatten)]
    pub envelope: Envelope,
    /// The keyword and its market; null for series of a project.
    pub market: Option<KeywordMarket>,
    /// The AI engine that answers, for its mention rate; null for everything else.
    #[serde(default)]
    pub ai_engine: Option<String>,
    /// What is forecast.
    pub target: ForecastTarget,
    /// In what unit.
    pub unit: ForecastUnit,
    /// How far apart points are; null when the measurements have no rhythm.
    pub frequency: Option<ForecastFrequency>,
    /// What the forecast was made of.
    pub history: HistorySpan,
    /// How many points there are.
    pub horizon: u32,
    /// The days or weeks to come.
    pub points: Vec<ForecastPoint>,
    /// The method of the forecast; null without one.
    pub method: Option<ForecastMethod>,
    /// How good it was in the past; null when the history is too short.
    pub backtest: Option<BackTestScores>,
    /// What repeats; null when nothing does.
    pub seasonality: Option<Seasonality>,
    /// The trend; null when the series never changed or is not forecast.
    pub trend: Option<SeriesTrend>,
    /// Chances to reach something by the end of the horizon.
    pub targets: Vec<TargetChance>,
    /// Days on which the level jumped and stayed.
    pub change_points: Vec<NaiveDate>,
    /// How much better the combination was than the last value; null when unknown.
    pub quality: Option<ForecastQuality>,
    /// Why there is no forecast; null when there is one.
    pub refusal: Option<ForecastRefusal>,
}

crate::json!(ForecastRecord);

/// What is forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ForecastTarget {
    /// The position of a keyword.
    Position,
    /// The visibility index of a project.
    VisibilityIndex,
    /// Its expected clicks per month.
    EstimatedTraffic,
    /// The share of answers of AI engines that name it.
    MentionRate,
    /// Clicks that a search console counted.
    Clicks,
}

/// The unit of values and errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ForecastUnit {
    /// Places, from 1.
    Position,
    /// Points, 0 to 100.
    Index,
    /// Clicks in a month.
    ClicksPerMonth,
    /// Clicks in the day or week.
    Clicks,
    /// A share, 0 to 1.
    Share,
}

/// How far apart points are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ForecastFrequency {
    /// A day.
    Daily,
    /// A week.
    Weekly,
}

/// What a forecast was made of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HistorySpan {
    /// The first day; null when nothing was measured.
    pub start: Option<NaiveDate>,
    /// The last day.
    pub end: Option<NaiveDate>,
    /// Days or weeks from first to last.
    pub n: u32,
    /// How many of them were filled in with straight lines.
    pub missing: u32,
}

/// The forecast of a day or a week.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastPoint {
    /// When.
    pub date: NaiveDate,
    /// The mean of what is thought possible.
    #[serde(serialize_with = "rounded::fraction")]
    pub mean: f64,
    /// Half of what is thought possible lies below: the point forecast.
    #[serde(serialize_with = "rounded::fraction")]
    pub median: f64,
    /// The lower end of the 80 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub lo80: f64,
    /// The upper end of the 80 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub hi80: f64,
    /// The lower end of the 95 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub lo95: f64,
    /// The upper end of the 95 % interval.
    #[serde(serialize_with = "rounded::fraction")]
    pub hi95: f64,
}

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ForecastMethod {
    /// The median of Theta, damped trend and simple exponential smoothing.
    Combination,
    /// The last value, because it was closer in the back-test.
    Naive,
    /// The only value there ever was.
    Constant,
}

/// How good the published method was on the last values, forecast from what was known before.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BackTestScores {
    /// From how many points in the past it was made.
    pub origins: u32,
    /// Mean absolute error by the mean step of the history from season to season; null without
    /// steps.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub mase: Option<f64>,
    /// Symmetric mean absolute percentage error, 0 to 200.
    #[serde(serialize_with = "rounded::fraction")]
    pub smape: f64,
    /// Mean absolute error in the record's unit.
    #[serde(serialize_with = "rounded::fraction")]
    pub mae: f64,
    /// Share of outcomes inside of the 80 % intervals of their time.
    #[serde(serialize_with = "rounded::fraction")]
    pub coverage80: f64,
    /// Share of outcomes inside of the 95 % intervals of their time.
    #[serde(serialize_with = "rounded::fraction")]
    pub coverage95: f64,
    /// `mase` of the last value.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub naive_mase: Option<f64>,
    /// `mase` of the last season; null without a period.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub seasonal_naive_mase: Option<f64>,
    /// `mase` of the combination, whether it is published or not.
    #[serde(serialize_with = "rounded::fraction_or_null")]
    pub combination_mase: Option<f64>,
}

/// What repeats.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Seasonality {
    /// After how many days or weeks.
    pub period: u32,
    /// From 0 (hardly) to 1 (nothing else moves).
    #[serde(serialize_with = "rounded::fraction")]
    pub strength: f64,
}

/// The damped trend.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeriesTrend {
    /// How much the trend alone changes in the coming week, in the record's unit.
    #[serde(serialize_with = "rounded::fraction")]
    pub slope_per_week: f64,
    /// What is left of the trend a step later: 0.8 to 0.98.
    #[serde(serialize_with = "rounded::fraction")]
    pub phi: f64,
}

/// The chance to reach something by the end of the horizon.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TargetChance {
    /// A position is to be at most this, everything else at least.
    #[serde(serialize_with = "rounded::fraction")]
    pub threshold: f64,
    /// From 0 to 1.
    #[serde(serialize_with = "rounded::fraction")]
    pub probability: f64,
}

/// Mean absolute error of the combination by that of the last value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ForecastQuality {
    /// Below 0.95.
    Good,
    /// Below 1.05.
    Fair,
    /// Not below.
    Poor,
}

/// Why there is no forecast.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ForecastRefusal {
    /// The reason; also listed in `warnings`.
    pub reason: RefusalReason,
    /// Days or weeks measured in a row, up to gaps of two.
    pub measured: u32,
    /// How many it takes; null when more would not help.
    pub needed: Option<u32>,
}

crate::wire_enum! {
    /// Reasons not to forecast.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    // The codes are listed among the warnings.
    pub enum RefusalReason by code {
        /// Nothing was measured.
        NoHistory = "noHistory",
        /// Fewer than 14 days, or 8 weeks.
        HistoryTooShort = "historyTooShort",
        /// Measurements lie more than ten days apart.
        MeasuredTooRarely = "measuredTooRarely",
        /// On more than three of ten days the site was not ranked; `targets` has the chance that it is.
        MostlyNotRanked = "mostlyNotRanked",
    }
}
