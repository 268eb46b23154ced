//! Copies of records that the newest run of a type published, staged for another run.

use super::Db;
use analysis::result_type::ResultType;
use diesel::sql_types::{BigInt, Text};
use diesel::{RunQueryDsl, sql_query};
use domain::ids::{AccountId, JobId, ProjectId};
use domain::results::CARRIED_OVER_ORDINAL;

/// `place` numbers the copies, `keywords` joins the records' keywords, `wanted` filters the records. `$1` job, `$2` the
/// first ordinal of such copies, `$3` account, `$4` project, `$5` type: numbered in the order of first use, as `SQLite`
/// counts them.
pub fn copy_statement(place: &str, keywords: &str, wanted: &str) -> String {
    format!(
        "INSERT INTO staged_findings (account_id, job_id, result_type, ordinal, \
         keyword_id, url, url_hash, sort_value, measured_at, record, packed) \
         SELECT f.account_id, $1, f.result_type, $2 + {place}, \
         f.keyword_id, f.url, f.url_hash, f.sort_value, f.measured_at, f.record, f.packed \
         FROM findings f \
         JOIN result_heads h ON h.account_id = f.account_id AND h.project_id = f.project_id \
         AND h.result_type = f.result_type AND h.job_id = f.job_id \
         {keywords} \
         WHERE f.account_id = $3 AND f.project_id = $4 AND f.result_type = $5 AND f.job_id <> $1 \
         AND {wanted}"
    )
}

/// Returns the number of copies.
pub fn copy_records(
    db: &mut Db,
    statement: &str,
    account: AccountId,
    project: ProjectId,
    job: JobId,
    result_type: ResultType,
) -> diesel::QueryResult<usize> {
    sql_query(statement)
        .bind::<BigInt, _>(job.0)
        .bind::<BigInt, _>(CARRIED_OVER_ORDINAL)
        .bind::<BigInt, _>(account.0)
        .bind::<BigInt, _>(project.0)
        .bind::<Text, _>(result_type.name())
        .execute(db)
}
