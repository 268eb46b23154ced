//! Page speed: for visitors (field data, p75 over 28 days) and in a browser (lab data). Definitions:
//! `docs/measurement/vitals.md`. There is one record per page, form factor and source; the two sources are never mixed. Field
//! data comes from outside and is `imported`; lab data is that of the median load by Lighthouse's performance score.

pub mod blocking_time;
mod field;
mod lab;
pub mod layout_shift;
pub mod lighthouse_score;
mod opportunity;
pub mod percentile;
mod rating;
mod record;
pub mod runs;
pub mod speed_index;
mod summary;
mod trend;

pub use field::{ORIGIN_FALLBACK, field_record};
pub use lab::{FEWER_RUNS, NO_BROWSER, lab_record, static_record};
pub use opportunity::{LoadFacts, ResourceTotal, opportunities, resource_summary};
pub use rating::{Assessment, Rating, Thresholds, Unit, assess, thresholds_of, unit_of};
pub use record::{MetricRecord, MetricRecords, Spread, VitalsRecord, VitalsSource};
pub use summary::{FormFactorSummary, RatingCounts, SlowPage, VitalsSummary};
pub use trend::{Change, Direction, VitalsTrend};

use crate::findings::envelope::Envelope;
use crate::observation::vitals::FormFactor;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use chrono::{DateTime, Utc};
use std::collections::BTreeMap;

pub const METHOD: &str = "vitals/1";

/// The source has no data of the page or its origin.
pub const NO_FIELD_DATA: &str = "noFieldData";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Subject<'a> {
    pub project_id: i64,
    pub url: &'a str,
    pub measured_at: DateTime<Utc>,
}

impl Subject<'_> {
    /// The record of a page with too few visits for published figures.
    pub fn without_field_data(&self, form_factor: FormFactor, provider: &str) -> VitalsRecord {
        let mut record = self.blank(form_factor, VitalsSource::Field);
        record.envelope.status = RecordStatus::InsufficientData;
        record.envelope.provenance = Provenance::Imported;
        record.envelope.provider = Some(provider.to_owned());
        record.envelope.warnings.push(NO_FIELD_DATA.to_owned());
        record
    }

    /// The record of a failed measurement.
    pub fn failed(
        &self,
        form_factor: FormFactor,
        source: VitalsSource,
        code: &str,
    ) -> VitalsRecord {
        let mut record = self.blank(form_factor, source);
        record.envelope.status = RecordStatus::Error;
        record.envelope.error = Some(code.to_owned());
        record
    }

    fn blank(&self, form_factor: FormFactor, source: VitalsSource) -> VitalsRecord {
        VitalsRecord {
            envelope: Envelope {
                result_type: ResultType::Vitals,
                project_id: self.project_id,
                keyword_id: None,
                url: Some(self.url.to_owned()),
                measured_at: self.measured_at,
                status: RecordStatus::Ok,
                error: None,
                provenance: Provenance::Measured,
                provider: None,
                method_version: METHOD.to_owned(),
                sample_size: 0,
                warnings: Vec::new(),
            },
            requested_url: self.url.to_owned(),
            form_factor,
            source,
            collection_period: None,
            metrics: MetricRecords::default(),
            assessment: None,
            performance_score: None,
            runs: None,
            iqr: None,
            lcp_element: None,
            lcp_breakdown: None,
            cls_sources: Vec::new(),
            opportunities: Vec::new(),
            resource_summary: BTreeMap::new(),
            trend: None,
        }
    }
}

#[cfg(test)]
mod tests;
