use super::lighthouse_score::ControlPoints;
use crate::ToSchema;
use crate::observation::vitals::{FormFactor, VitalsMetric};
use serde::{Deserialize, Serialize};

/// How a value is rated.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSchema,
)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsRating)]
pub enum Rating {
    /// At most the lower threshold.
    Good,
    /// Between the thresholds.
    NeedsImprovement,
    /// Above the upper threshold.
    Poor,
}

/// Whether a page passes the Core Web Vitals assessment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsAssessment)]
pub enum Assessment {
    /// Every vital that is known is good, and enough are known.
    Passed,
    /// One is not.
    Failed,
}

/// What a value is measured in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsUnit)]
pub enum Unit {
    /// Milliseconds.
    Ms,
    /// None.
    Unitless,
}

/// Good up to the first, poor above the second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Thresholds {
    pub good: f64,
    pub poor: f64,
}

impl Thresholds {
    pub fn rate(self, value: f64) -> Rating {
        if value <= self.good {
            Rating::Good
        } else if value <= self.poor {
            Rating::NeedsImprovement
        } else {
            Rating::Poor
        }
    }
}

pub const fn unit_of(metric: VitalsMetric) -> Unit {
    match metric {
        VitalsMetric::Cls => Unit::Unitless,
        _ => Unit::Ms,
    }
}

/// The thresholds of LCP, INP, CLS, FCP and TTFB are constants of the npm package `web-vitals`
/// 6.2.3 and the same for every device. Blocking time and speed index have no published ones: these
/// are the values with Lighthouse's scores .9 (good) and .5 (poor).
pub const fn thresholds_of(metric: VitalsMetric, form_factor: FormFactor) -> Thresholds {
    match metric {
        VitalsMetric::Lcp => Thresholds {
            good: 2_500.0,
            poor: 4_000.0,
        },
        VitalsMetric::Inp => Thresholds {
            good: 200.0,
            poor: 500.0,
        },
        VitalsMetric::Cls => Thresholds {
            good: 0.1,
            poor: 0.25,
        },
        VitalsMetric::Fcp => Thresholds {
            good: 1_800.0,
            poor: 3_000.0,
        },
        VitalsMetric::Ttfb => Thresholds {
            good: 800.0,
            poor: 1_800.0,
        },
        VitalsMetric::Tbt => ControlPoints::tbt(form_factor).as_thresholds(),
        VitalsMetric::Si => ControlPoints::si(form_factor).as_thresholds(),
    }
}

/// The Core Web Vitals assessment of three 75th percentiles (web.dev, "Defining the Core Web Vitals
/// metrics thresholds"; CrUX): all good passes. A page without enough interactions has no INP, and
/// LCP and CLS decide; `None` without LCP or CLS.
pub fn assess(lcp: Option<f64>, inp: Option<f64>, cls: Option<f64>) -> Option<Assessment> {
    let is_good = |metric: VitalsMetric, value: f64| {
        thresholds_of(metric, FormFactor::All).rate(value) == Rating::Good
    };
    let all_good = is_good(VitalsMetric::Lcp, lcp?)
        && is_good(VitalsMetric::Cls, cls?)
        && inp.is_none_or(|it| is_good(VitalsMetric::Inp, it));
    Some(if all_good {
        Assessment::Passed
    } else {
        Assessment::Failed
    })
}
