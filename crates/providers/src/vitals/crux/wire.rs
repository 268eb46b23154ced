use crate::{http_client::parse_json, resilience::CallFailure};
use analysis::observation::vitals::{
    CollectionPeriod, FieldMetric, FieldSample, FieldScope, FormFactor, HistogramBin, VitalsMetric,
};
use chrono::NaiveDate;
use serde::{Deserialize, Deserializer, de::Error};
use std::collections::BTreeMap;

pub(super) const METRICS: [(&str, VitalsMetric); 5] = [
    ("largest_contentful_paint", VitalsMetric::Lcp),
    ("interaction_to_next_paint", VitalsMetric::Inp),
    ("cumulative_layout_shift", VitalsMetric::Cls),
    ("first_contentful_paint", VitalsMetric::Fcp),
    ("experimental_time_to_first_byte", VitalsMetric::Ttfb),
];

#[derive(Debug, Deserialize)]
struct Body {
    record: Record,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Record {
    key: Key,
    #[serde(default)]
    metrics: BTreeMap<String, Metric>,
    collection_period: Option<Period>,
}

#[derive(Debug, Deserialize)]
struct Key {
    url: Option<String>,
    origin: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Metric {
    #[serde(default)]
    histogram: Vec<Bin>,
    percentiles: Option<Percentiles>,
}

#[derive(Debug, Deserialize)]
struct Percentiles {
    p75: Number,
}

#[derive(Debug, Deserialize)]
struct Bin {
    start: Number,
    end: Option<Number>,
    /// An empty bin may omit it.
    #[serde(default)]
    density: f64,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Period {
    first_date: Date,
    last_date: Date,
}

#[derive(Debug, Clone, Copy, Deserialize)]
struct Date {
    year: i32,
    month: u32,
    day: u32,
}

/// A number, possibly as a string: layout shift is sent as one.
#[derive(Debug, Clone, Copy)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Either {
            Number(f64),
            Text(String),
        }
        let number = match Either::deserialize(from)? {
            Either::Number(number) => number,
            Either::Text(text) => text.trim().parse().map_err(D::Error::custom)?,
        };
        // Strings may be "NaN" or "inf".
        if number.is_finite() {
            Ok(Self(number))
        } else {
            Err(D::Error::custom("no number"))
        }
    }
}

pub(super) fn parse(body: &[u8]) -> Result<Record, CallFailure> {
    let body: Body = parse_json(body)?;
    if body.record.key.url.is_none() && body.record.key.origin.is_none() {
        return Err(CallFailure::malformed("its record is about nothing"));
    }
    Ok(body.record)
}

impl Record {
    pub(super) fn into_sample(
        self,
        form_factor: FormFactor,
        scope: FieldScope,
        provider: &str,
    ) -> FieldSample {
        let mut metrics = BTreeMap::new();
        for (name, metric) in self.metrics {
            let known = METRICS.iter().find(|it| it.0 == name);
            metrics.extend(known.map(|it| (it.1, metric.into_metric())));
        }
        FieldSample {
            url: self.key.url.or(self.key.origin).unwrap_or_default(),
            scope,
            form_factor,
            period: self.collection_period.and_then(Period::into_period),
            metrics,
            provider: provider.to_owned(),
        }
    }
}

impl Metric {
    fn into_metric(self) -> FieldMetric {
        let bin = |it: Bin| HistogramBin {
            start: it.start.0,
            end: it.end.map(|it| it.0),
            density: it.density,
        };
        FieldMetric {
            p75: self.percentiles.map(|it| it.p75.0),
            histogram: self.histogram.into_iter().map(bin).collect(),
            samples: None,
        }
    }
}

impl Period {
    fn into_period(self) -> Option<CollectionPeriod> {
        let day = |it: Date| NaiveDate::from_ymd_opt(it.year, it.month, it.day);
        Some(CollectionPeriod {
            first_date: day(self.first_date)?,
            last_date: day(self.last_date)?,
        })
    }
}
