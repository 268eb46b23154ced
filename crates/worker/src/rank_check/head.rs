use analysis::{
    document::Document, findings::envelope::Coverage, provenance::Provenance,
    result_type::ResultType,
};
use chrono::{DateTime, Utc};
use domain::job::Job;
use domain::results::{ResultHead, StagedFinding};

pub(super) struct HeadContext<'a> {
    pub(super) job: &'a Job,
    pub(super) provider: &'a str,
    pub(super) page_provenance: Provenance,
    pub(super) now: DateTime<Utc>,
    /// When the last page was fetched.
    pub(super) measured_at: DateTime<Utc>,
    pub(super) warnings: &'a [String],
}

pub(super) struct HeadInput {
    pub(super) result_type: ResultType,
    pub(super) method: &'static str,
    pub(super) coverage: Coverage,
    pub(super) records: usize,
    pub(super) summary: Document,
}

impl HeadContext<'_> {
    /// Model output is estimated, or simulated if the pages are.
    pub(super) fn head(&self, input: HeadInput) -> ResultHead {
        ResultHead {
            account: self.job.account,
            project: self.job.project,
            result_type: input.result_type,
            job: self.job.id,
            generated_at: self.now,
            measured_at: self.measured_at,
            method_version: input.method.to_owned(),
            provider: self.provider.to_owned(),
            provenance: match self.page_provenance {
                Provenance::Simulated => Provenance::Simulated,
                _ => Provenance::Estimated,
            },
            coverage: input.coverage,
            item_count: input.records as u64,
            summary: input.summary,
            warnings: self.warnings.to_vec(),
        }
    }
}

pub(super) fn project_finding(
    result_type: ResultType,
    place: usize,
    measured_at: DateTime<Utc>,
    record: Document,
) -> StagedFinding {
    StagedFinding {
        result_type,
        ordinal: i64::try_from(place).unwrap_or(i64::MAX),
        keyword: None,
        url: None,
        sort_value: None,
        measured_at,
        record,
    }
}
