//! Wire format: `{"rows": [{"keys", "clicks", "impressions", "ctr", "position"}]}`; errors are `{"error": {"code",
//! "message", "errors": [{"reason"}]}}`.

use crate::http_client::RawResponse;
use chrono::NaiveDate;
use domain::search_console::{
    ConsoleCountry, ConsoleDevice, DimensionSet, MAX_POSITION, SearchRow,
};
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    rows: Vec<Row>,
}

#[derive(Deserialize)]
pub(super) struct Row {
    #[serde(default)]
    keys: Vec<String>,
    clicks: f64,
    impressions: f64,
    position: f64,
}

/// No rows is a valid answer.
pub(super) fn rows(body: &[u8], max_rows: u32) -> Result<Vec<Row>, &'static str> {
    let body: Body = serde_json::from_slice(body).map_err(|_| "it is not a table of rows")?;
    if body.rows.len() > max_rows as usize {
        return Err("it holds more rows than were requested");
    }
    Ok(body.rows)
}

impl Row {
    pub fn day(&self) -> Result<NaiveDate, &'static str> {
        let day = self.keys.first().and_then(|it| it.parse().ok());
        day.ok_or("a row names no day")
    }

    /// Keys come in the order of the requested [`dimensions`].
    pub fn into_search_row(self, cut: DimensionSet) -> Result<SearchRow, &'static str> {
        if self.keys.len() != dimensions(cut).len() {
            return Err("a row has other keys than were requested");
        }
        let mut keys = self.keys.into_iter();
        let mut next = |is_there: bool| if is_there { keys.next() } else { None };
        let query = next(cut.subject.has_query());
        let page = next(cut.subject.has_page());
        let country = next(cut.by_country).map(|it| ConsoleCountry::parse(&it));
        let device = next(cut.by_device).map(|it| ConsoleDevice::parse_ignore_case(&it));
        let (clicks, impressions) = (count(self.clicks)?, count(self.impressions)?);
        let is_position = (0.0..=MAX_POSITION).contains(&self.position);
        if !is_position {
            return Err("a position is none");
        }
        Ok(SearchRow {
            query,
            page,
            country: country
                .map(|it| it.ok_or("a country is none"))
                .transpose()?,
            device: device.map(|it| it.ok_or("a device is none")).transpose()?,
            clicks,
            impressions,
            // API positions start at 1; a mean over few rows may fall below it by rounding.
            position: (impressions > 0).then(|| self.position.max(1.0)),
        })
    }
}

/// Counts are sent as floating point.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is checked to lie between 0 and 2^53"
)]
fn count(number: f64) -> Result<u64, &'static str> {
    let is_count = (0.0..=9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0;
    is_count.then_some(number as u64).ok_or("a count is none")
}

pub(super) fn dimensions(cut: DimensionSet) -> Vec<&'static str> {
    let parts = [
        (cut.subject.has_query(), "query"),
        (cut.subject.has_page(), "page"),
        (cut.by_country, "country"),
        (cut.by_device, "device"),
    ];
    parts.iter().filter(|it| it.0).map(|it| it.1).collect()
}

/// 403 reasons that are rate limits.
const RATE_LIMIT_REASONS: [&str; 4] = [
    "rateLimitExceeded",
    "userRateLimitExceeded",
    "quotaExceeded",
    "dailyLimitExceeded",
];

pub(super) fn is_rate_limited(answer: &RawResponse) -> bool {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let reasons = body["error"]["errors"].as_array();
    let mut reasons = reasons
        .into_iter()
        .flatten()
        .filter_map(|it| it["reason"].as_str());
    reasons.any(|it| RATE_LIMIT_REASONS.contains(&it))
        || body["error"]["status"] == "RESOURCE_EXHAUSTED"
}

pub(super) fn error_message(answer: &RawResponse) -> String {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let message = text(&body["error"]["message"]);
    let token = || {
        let code = text(&body["error"])?;
        let more = text(&body["error_description"]).unwrap_or_default();
        Some(format!("{code}: {more}"))
    };
    message.or_else(token).unwrap_or_default()
}
