use crate::ToSchema;
use crate::findings::envelope::rounded::{fraction_or_null, six_digits};
use crate::statistics::wilson::Interval;
use serde::{Deserialize, Serialize};

texts::wire_enum! {
    /// A test behind an event.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    #[schema(as = EventTestName)]
    pub enum TestName {
        /// Moderated t of a new value against its history.
        ModeratedT = "moderatedT",
        /// Interval of the difference of two rates.
        Newcombe = "newcombe",
        /// Signs of differences.
        SignTest = "signTest",
        /// Nothing was tested; `reason` states why.
        None = "none",
    }
}

texts::wire_enum! {
    /// Why nothing was tested.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
    #[serde(rename_all = "camelCase")]
    #[schema(as = EventUntestedReason)]
    pub enum UntestedReason {
        /// Too few measurements: a threshold decided.
        TooLittleHistory = "tooLittleHistory",
        /// The event is a fact, which chance does not bring about.
        NotApplicable = "notApplicable",
    }
}

/// What a test found. Members that a test does not have are left out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EventTest)]
pub struct TestOutcome {
    /// Which test.
    pub name: TestName,
    /// Its statistic: t, a difference of rates, or a count of signs.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub statistic: Option<f64>,
    /// How often chance alone brings such a statistic.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub p: Option<f64>,
    /// The largest `p` that counts.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub limit: Option<f64>,
    /// `p` after Benjamini and Hochberg.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub q: Option<f64>,
    /// Lower end of the usual range of the figure, or of the interval of its change.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub low: Option<f64>,
    /// Upper end.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub high: Option<f64>,
    /// Share of unchanged figures that the range contains.
    #[serde(
        default,
        serialize_with = "fraction_or_null",
        skip_serializing_if = "Option::is_none"
    )]
    pub level: Option<f64>,
    /// Why nothing was tested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<UntestedReason>,
}

impl TestOutcome {
    const LEVEL: f64 = 0.95;

    pub const NOT_APPLICABLE: Self = Self::none(UntestedReason::NotApplicable);
    pub const TOO_LITTLE_HISTORY: Self = Self::none(UntestedReason::TooLittleHistory);

    const fn none(reason: UntestedReason) -> Self {
        Self {
            name: TestName::None,
            statistic: None,
            p: None,
            limit: None,
            q: None,
            low: None,
            high: None,
            level: None,
            reason: Some(reason),
        }
    }

    /// Figures are rounded here, so that an event read from its text equals the derived one.
    pub(super) fn of(name: TestName, statistic: f64, p: impl Into<Option<f64>>) -> Self {
        Self {
            name,
            statistic: Some(six_digits(statistic)),
            p: p.into().map(six_digits),
            reason: None,
            ..Self::NOT_APPLICABLE
        }
    }

    pub(super) fn with_limit(self, limit: f64) -> Self {
        Self {
            limit: Some(six_digits(limit)),
            ..self
        }
    }

    pub(super) fn with_q(self, q: f64) -> Self {
        Self {
            q: Some(six_digits(q)),
            ..self
        }
    }

    pub(super) fn with_range(self, range: Interval) -> Self {
        Self {
            low: Some(six_digits(range.low)),
            high: Some(six_digits(range.high)),
            level: Some(Self::LEVEL),
            ..self
        }
    }
}
