//! Simulated failures, requested by keyword or at the configured rate.

use super::{chance::Chance, layout};
use analysis::observation::search_page::SearchPage;
use chrono::{DateTime, Datelike, NaiveDate, Utc};
use domain::ports::search_results::ProviderError;
use std::time::Duration;

/// Requested by a keyword that begins with `sandbox:` and its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SimulatedFailure {
    Unavailable,
    Timeout,
    RateLimited,
    Refused,
    Unauthorised,
    Malformed,
    /// `sandbox:blocked`: a captcha instead of results.
    Blocked,
    /// `sandbox:nothing`: the engine reports no results.
    Nothing,
}

impl SimulatedFailure {
    pub const ALL: [(&'static str, Self); 8] = [
        ("sandbox:unavailable", Self::Unavailable),
        ("sandbox:timeout", Self::Timeout),
        ("sandbox:rate-limited", Self::RateLimited),
        ("sandbox:refused", Self::Refused),
        ("sandbox:unauthorised", Self::Unauthorised),
        ("sandbox:malformed", Self::Malformed),
        ("sandbox:blocked", Self::Blocked),
        ("sandbox:nothing", Self::Nothing),
    ];

    pub(super) fn in_keyword(keyword: &str) -> Option<Self> {
        let wanted = keyword.split_whitespace().next()?.to_lowercase();
        Self::ALL
            .into_iter()
            .find(|(name, _)| *name == wanted)
            .map(|(_, failure)| failure)
    }

    pub(super) fn in_prompt(prompt: &str) -> Option<Self> {
        let place = prompt.to_lowercase();
        let place = place.get(place.find("sandbox:")?..)?;
        let end = place.find(|it: char| !(it.is_ascii_lowercase() || matches!(it, ':' | '-')));
        Self::in_keyword(&place[..end.unwrap_or(place.len())])
    }

    pub(super) fn at_random(keyword: Chance, day: NaiveDate, rate: f64) -> Option<Self> {
        let today = keyword
            .derive("failure")
            .nth(u64::from(day.num_days_from_ce().unsigned_abs()));
        let kinds = [
            Self::Unavailable,
            Self::Timeout,
            Self::RateLimited,
            Self::Malformed,
        ];
        (today.fraction() < rate).then(|| kinds[today.derive("kind").below(kinds.len())])
    }

    pub(super) fn answer(self, now: DateTime<Utc>) -> Result<SearchPage, ProviderError> {
        match self.error() {
            Some(error) => Err(error),
            None => Ok(layout::empty((self == Self::Nothing).then_some(0), now)),
        }
    }

    /// `None` for those that are returned as an answer.
    pub(super) fn error(self) -> Option<ProviderError> {
        Some(match self {
            Self::Unavailable => ProviderError::Unavailable,
            Self::Timeout => ProviderError::TimedOut,
            Self::RateLimited => ProviderError::RateLimited {
                retry_after: Some(Duration::from_secs(1)),
            },
            Self::Refused => ProviderError::Refused {
                reason: "simulated by the keyword".to_owned(),
            },
            Self::Unauthorised => ProviderError::Unauthorized,
            Self::Malformed => ProviderError::Malformed {
                problem: "simulated by the keyword".to_owned(),
            },
            Self::Blocked | Self::Nothing => return None,
        })
    }
}
