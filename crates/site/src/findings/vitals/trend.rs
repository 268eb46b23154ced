use super::record::VitalsRecord;
use crate::{ToSchema, findings::envelope::rounded, observation::vitals::VitalsMetric};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

/// Which way a figure went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsDirection)]
pub enum Direction {
    /// Faster, more stable, or a higher score.
    Better,
    /// Within random variation.
    Steady,
    /// Slower, less stable, or a lower score.
    Worse,
}

/// How far a figure went.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VitalsChange)]
pub struct Change {
    /// What it was.
    #[serde(serialize_with = "rounded::fraction")]
    pub previous: f64,
    /// What it is now, less that.
    #[serde(serialize_with = "rounded::fraction")]
    pub change: f64,
    /// Whether that is good.
    pub direction: Direction,
}

/// Changes since the record before of the same page, form factor, source and provider; null where one
/// of the two is not known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct VitalsTrend {
    /// When the record before was measured.
    pub since: DateTime<Utc>,
    /// Of the performance score, in points.
    pub performance_score: Option<Change>,
    /// Of Largest Contentful Paint.
    pub lcp: Option<Change>,
    /// Of Interaction to Next Paint.
    pub inp: Option<Change>,
    /// Of Cumulative Layout Shift.
    pub cls: Option<Change>,
    /// Of First Contentful Paint.
    pub fcp: Option<Change>,
    /// Of Time to First Byte.
    pub ttfb: Option<Change>,
    /// Of Total Blocking Time.
    pub tbt: Option<Change>,
    /// Of Speed Index.
    pub si: Option<Change>,
}

/// Smaller changes are noise: a twentieth of a time, a hundredth of layout shift, three points of a score. Our choice.
const MIN_SHARE: f64 = 0.05;
const MIN_SHIFT: f64 = 0.01;
const MIN_POINTS: f64 = 3.0;

impl VitalsTrend {
    /// `None` if the records are not comparable.
    pub fn between(now: &VitalsRecord, before: Option<&VitalsRecord>) -> Option<Self> {
        let before = before.filter(|it| is_comparable(now, it))?;
        let of = |metric| change_of(metric, now, before);
        let score = |it: &VitalsRecord| it.performance_score.map(f64::from);
        let spread = |it: &VitalsRecord| it.iqr.and_then(|iqr| iqr.performance_score);
        let noise = MIN_POINTS.max(widest(spread(now), spread(before)));
        Some(Self {
            since: before.envelope.measured_at,
            // A higher score is better.
            performance_score: change(score(before), score(now), noise).map(Change::inverted),
            lcp: of(VitalsMetric::Lcp),
            inp: of(VitalsMetric::Inp),
            cls: of(VitalsMetric::Cls),
            fcp: of(VitalsMetric::Fcp),
            ttfb: of(VitalsMetric::Ttfb),
            tbt: of(VitalsMetric::Tbt),
            si: of(VitalsMetric::Si),
        })
    }
}

fn is_comparable(now: &VitalsRecord, before: &VitalsRecord) -> bool {
    now.form_factor == before.form_factor
        && now.source == before.source
        && now.envelope.url == before.envelope.url
        && now.envelope.provider == before.envelope.provider
        && now.envelope.method_version == before.envelope.method_version
        && before.envelope.measured_at < now.envelope.measured_at
}

fn change_of(metric: VitalsMetric, now: &VitalsRecord, before: &VitalsRecord) -> Option<Change> {
    let figure = |it: &VitalsRecord| it.metrics.of(metric)?.figure();
    let spread = |it: &VitalsRecord| it.iqr.and_then(|iqr| iqr.of(metric));
    let min_noise = match metric {
        VitalsMetric::Cls => MIN_SHIFT,
        _ => figure(before)? * MIN_SHARE,
    };
    let noise = min_noise.max(widest(spread(now), spread(before)));
    change(figure(before), figure(now), noise)
}

fn widest(one: Option<f64>, other: Option<f64>) -> f64 {
    one.unwrap_or(0.0).max(other.unwrap_or(0.0))
}

/// A change of a value of which less is better.
fn change(before: Option<f64>, now: Option<f64>, noise: f64) -> Option<Change> {
    let (previous, change) = (before?, now? - before?);
    let direction = if change.abs() <= noise {
        Direction::Steady
    } else if change < 0.0 {
        Direction::Better
    } else {
        Direction::Worse
    };
    Some(Change {
        previous,
        change,
        direction,
    })
}

impl Change {
    const fn inverted(self) -> Self {
        let direction = match self.direction {
            Direction::Better => Direction::Worse,
            Direction::Steady => Direction::Steady,
            Direction::Worse => Direction::Better,
        };
        Self { direction, ..self }
    }
}
