use super::{count, counted, from_json, json, known, records::Record};
use crate::{
    instant::{At, Instant},
    schema::result_heads,
};
use analysis::{document::Document, provenance::Provenance, result_type::ResultType};
use diesel::{
    prelude::*,
    sql_types::{BigInt, Double, Nullable, Text},
};
use domain::{
    ids::{AccountId, JobId, ProjectId},
    ports::storage::StorageError,
    results::{Coverage, Finding, ResultHead},
};

#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(
    table_name = result_heads,
    primary_key(account_id, project_id, result_type),
    treat_none_as_default_value = false,
    treat_none_as_null = true
)]
pub struct HeadRow {
    pub account_id: i64,
    pub project_id: i64,
    pub result_type: String,
    pub job_id: i64,
    pub generated_at: At,
    pub measured_at: At,
    pub method_version: String,
    pub provider: String,
    pub provenance: String,
    pub requested: i64,
    pub measured: i64,
    pub failed: i64,
    pub skipped: i64,
    pub item_count: i64,
    pub summary: String,
    pub warnings: String,
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

impl From<&ResultHead> for HeadRow {
    fn from(head: &ResultHead) -> Self {
        Self {
            account_id: head.account.0,
            project_id: head.project.0,
            result_type: head.result_type.name().to_owned(),
            job_id: head.job.0,
            generated_at: head.generated_at.into(),
            measured_at: head.measured_at.into(),
            method_version: head.method_version.clone(),
            provider: head.provider.clone(),
            provenance: json(&head.provenance),
            requested: count(head.coverage.requested),
            measured: count(head.coverage.measured),
            failed: count(head.coverage.failed),
            skipped: count(head.coverage.skipped),
            item_count: count(head.item_count),
            summary: head.summary.as_str().to_owned(),
            warnings: json(&head.warnings),
        }
    }
}

impl TryFrom<HeadRow> for ResultHead {
    type Error = StorageError;

    fn try_from(row: HeadRow) -> Result<Self, StorageError> {
        let provenance: Provenance = from_json(&row.provenance, "provenance")?;
        Ok(Self {
            account: AccountId(row.account_id),
            project: ProjectId(row.project_id),
            result_type: known(ResultType::named(&row.result_type), "result type")?,
            job: JobId(row.job_id),
            generated_at: row.generated_at.into(),
            measured_at: row.measured_at.into(),
            method_version: row.method_version,
            provider: row.provider,
            provenance,
            coverage: Coverage {
                requested: counted(row.requested, "coverage")?,
                measured: counted(row.measured, "coverage")?,
                failed: counted(row.failed, "coverage")?,
                skipped: counted(row.skipped, "coverage")?,
            },
            item_count: counted(row.item_count, "item count")?,
            summary: Document::from_stored(row.summary),
            warnings: from_json(&row.warnings, "warnings")?,
        })
    }
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
