use crate::ToSchema;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// The fields that all records share; each record flattens it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Envelope {
    /// The result type.
    #[serde(rename = "type")]
    pub result_type: ResultType,
    /// The project.
    pub project_id: i64,
    /// The keyword; null for records of a site or a page.
    pub keyword_id: Option<i64>,
    /// The page that the record is about. In `rankings` it is the best-ranked own URL.
    pub url: Option<String>,
    /// When it was measured, in UTC.
    pub measured_at: DateTime<Utc>,
    /// Whether it can be relied on.
    pub status: RecordStatus,
    /// The code of what failed; null unless `status` is `error`.
    pub error: Option<String>,
    /// Where the figures come from.
    pub provenance: Provenance,
    /// Who fetched what they rest on, as a neutral label.
    pub provider: Option<String>,
    /// The definition they follow, `<type>/<n>`; figures of different versions are not compared.
    pub method_version: String,
    /// How many observations are behind the record.
    pub sample_size: u32,
    /// Machine codes of what limits it.
    pub warnings: Vec<String>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FindingContext {
    pub project_id: i64,
    pub measured_at: DateTime<Utc>,
}

impl Envelope {
    /// For a record based on one complete measurement of a page or site.
    pub fn measured(
        result_type: ResultType,
        method: &str,
        url: Option<&str>,
        context: &FindingContext,
    ) -> Self {
        Self {
            result_type,
            project_id: context.project_id,
            keyword_id: None,
            url: url.map(str::to_owned),
            measured_at: context.measured_at,
            status: RecordStatus::Ok,
            error: None,
            provenance: Provenance::Measured,
            provider: None,
            method_version: method.to_owned(),
            sample_size: 1,
            warnings: Vec::new(),
        }
    }
}

/// How many of the requested measurements succeeded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Coverage {
    /// Requested.
    pub requested: u64,
    /// Measured.
    pub measured: u64,
    /// Failed.
    pub failed: u64,
    /// Not tried.
    pub skipped: u64,
}

impl Coverage {
    /// The rest of `requested` was skipped.
    pub const fn new(requested: u64, measured: u64, failed: u64) -> Self {
        let skipped = requested.saturating_sub(measured).saturating_sub(failed);
        Self {
            requested,
            measured,
            failed,
            skipped,
        }
    }
}

/// Rounding, only on serialization.
pub mod rounded {
    use serde::Serializer;

    pub fn six_digits(value: f64) -> f64 {
        let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
        // Turns −0 into 0.
        rounded + 0.0
    }

    pub fn one_decimal(value: f64) -> f64 {
        (value * 10.0).round() / 10.0 + 0.0
    }

    /// Six significant digits.
    pub fn fraction<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(six_digits(*value))
    }

    pub fn fraction_or_null<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_f64(six_digits(*value)),
            None => to.serialize_none(),
        }
    }

    /// One decimal.
    pub fn score<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_f64(one_decimal(*value))
    }

    pub fn score_or_null<S: Serializer>(value: &Option<f64>, to: S) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => to.serialize_f64(one_decimal(*value)),
            None => to.serialize_none(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skipped_is_the_remainder() {
        assert_eq!(Coverage::new(10, 6, 3).skipped, 1);
        assert_eq!(Coverage::new(1, 2, 0).skipped, 0);
    }

    #[test]
    fn fractions_keep_six_significant_digits() {
        assert!((rounded::six_digits(0.097_914_600_1) - 0.097_914_6).abs() < 1e-12);
        assert!((rounded::six_digits(1_234_567.8) - 1_234_570.0).abs() < 1e-6);
        assert!(rounded::six_digits(0.0).abs() < f64::EPSILON);
    }

    #[test]
    fn zero_is_never_negative() {
        assert!(rounded::six_digits(-0.0).is_sign_positive());
        assert!(rounded::one_decimal(-0.01).is_sign_positive());
    }
}
