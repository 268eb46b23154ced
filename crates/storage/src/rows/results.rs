use super::{from_json, json, records::Record, stored::row};
use crate::instant::{At, Instant};
use crate::schema::result_heads;
use analysis::{document::Document, result_type::ResultType};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double, Nullable, Text};
use domain::ids::{AccountId, JobId, ProjectId};
use domain::ports::storage::StorageError;
use domain::results::{Coverage, Finding, ResultHead};

row! {
    struct HeadRow(result_heads) {
        account_id: AccountId,
        project_id: ProjectId,
        result_type: ResultType ["result type"],
        job_id: JobId,
        generated_at: DateTime<Utc>,
        measured_at: DateTime<Utc>,
        method_version: String,
        provider: String,
        provenance: String = json(provenance),
        requested: u64 ["coverage"],
        measured: u64 ["coverage"],
        failed: u64 ["coverage"],
        skipped: u64 ["coverage"],
        item_count: u64 ["item count"],
        summary: Document,
        warnings: String = json(warnings),
    }
    ResultHead {
        account: account_id, project: project_id, result_type, job: job_id, generated_at, measured_at, method_version,
        provider, provenance, coverage: Coverage { requested, measured, failed, skipped }, item_count, summary, warnings,
    }
    where {
        provenance = from_json(&provenance, "provenance")?;
        warnings = from_json(&warnings, "warnings")?;
    }
}

#[derive(Queryable, QueryableByName)]
pub struct FindingRow {
    #[diesel(sql_type = Text)]
    pub result_type: String,
    #[diesel(sql_type = BigInt)]
    pub job_id: i64,
    #[diesel(sql_type = BigInt)]
    pub ordinal: i64,
    #[diesel(sql_type = Nullable<Double>)]
    pub sort_value: Option<f64>,
    #[diesel(sql_type = Instant)]
    pub measured_at: At,
    #[diesel(embed)]
    pub record: Record,
}

impl TryFrom<FindingRow> for Finding {
    type Error = StorageError;

    fn try_from(row: FindingRow) -> Result<Self, StorageError> {
        Ok(Self {
            job: JobId(row.job_id),
            ordinal: row.ordinal,
            sort_value: row.sort_value,
            measured_at: row.measured_at.into(),
            record: Document::from_stored(row.record.text()?),
        })
    }
}
