use super::{Db, dialect};
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::kept_pages::{KeptPageRow, StagedPageRow, kept_page};
use crate::rows::measurements::url_hash;
use crate::rows::stored::excluded_of;
use crate::schema::{kept_pages, staged_pages};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, sql_query, sql_types::BigInt};
use domain::ids::{AccountId, JobId, ProjectId};
use domain::kept_pages::{KeptPage, StagedPage, Validators};
use domain::ports::kept_pages::PageRepository;
use domain::ports::storage::StorageError;
use std::collections::HashMap;

/// Rows in one statement: they have nine columns.
const MAX_ROWS: usize = dialect::MAX_BINDS / 9;
/// Pages in one statement.
const MAX_PAGES: usize = 1_000;

/// Publishes the pages that the job staged, with the content in its journal or the stored one. `$1` project, `$2`
/// account, `$3` job.
const PUBLISH: &str = "INSERT INTO kept_pages (account_id, project_id, url_hash, url, visited_at, \
     etag, last_modified, body, memory) \
     SELECT s.account_id, $1, s.url_hash, s.url, s.visited_at, \
     CASE WHEN s.sequence IS NULL THEN k.etag ELSE s.etag END, \
     CASE WHEN s.sequence IS NULL THEN k.last_modified ELSE s.last_modified END, \
     COALESCE(j.body, k.body), s.memory \
     FROM staged_pages s \
     LEFT JOIN journal_entries j ON j.account_id = s.account_id AND j.job_id = s.job_id \
     AND j.sequence = s.sequence \
     LEFT JOIN kept_pages k ON k.account_id = s.account_id AND k.project_id = $1 \
     AND k.url_hash = s.url_hash \
     WHERE s.account_id = $2 AND s.job_id = $3 AND COALESCE(j.body, k.body) IS NOT NULL \
     ON CONFLICT (account_id, project_id, url_hash) DO UPDATE SET url = excluded.url, \
     visited_at = excluded.visited_at, etag = excluded.etag, \
     last_modified = excluded.last_modified, body = excluded.body, memory = excluded.memory";

#[async_trait]
impl PageRepository for Session {
    async fn stage(
        &mut self,
        account: AccountId,
        job: JobId,
        pages: &[StagedPage],
    ) -> Result<(), StorageError> {
        // One statement cannot replace a row twice: of a page that comes twice the last one counts.
        let by_url: HashMap<&str, &StagedPage> =
            pages.iter().map(|it| (it.url.as_str(), it)).collect();
        let rows = by_url
            .values()
            .map(|it| StagedPageRow::new(account, job, it));
        let rows: Vec<StagedPageRow> = rows.collect();
        self.change(account, move |db| {
            for part in rows.chunks(MAX_ROWS) {
                replace(db, part)?;
            }
            Ok(())
        })
        .await
    }

    async fn find_by_urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<KeptPage>, StorageError> {
        let (hashes, urls) = (hashes(urls), urls.to_vec());
        let rows: Vec<KeptPageRow> = self
            .fetch(account, move |db| {
                let mut rows = Vec::new();
                for (hashes, urls) in hashes.chunks(MAX_PAGES).zip(urls.chunks(MAX_PAGES)) {
                    let part: Vec<KeptPageRow> = rows_of!(kept_pages, account, project)
                        .filter(kept_pages::url_hash.eq_any(hashes))
                        .filter(kept_pages::url.eq_any(urls))
                        .select((kept_pages::url, kept_pages::body, kept_pages::memory))
                        .load(db)?;
                    rows.extend(part);
                }
                Ok(rows)
            })
            .await?;
        Ok(rows.into_iter().map(kept_page).collect())
    }

    async fn validators(
        &mut self,
        account: AccountId,
        project: ProjectId,
        urls: &[String],
    ) -> Result<Vec<(String, Validators)>, StorageError> {
        let (hashes, urls) = (hashes(urls), urls.to_vec());
        let rows: Vec<(String, Option<String>, Option<String>)> = self
            .fetch(account, move |db| {
                let mut rows = Vec::new();
                for (hashes, urls) in hashes.chunks(MAX_PAGES).zip(urls.chunks(MAX_PAGES)) {
                    let has_some = kept_pages::etag
                        .is_not_null()
                        .or(kept_pages::last_modified.is_not_null());
                    let part: Vec<(String, Option<String>, Option<String>)> =
                        rows_of!(kept_pages, account, project)
                            .filter(kept_pages::url_hash.eq_any(hashes))
                            .filter(kept_pages::url.eq_any(urls))
                            .filter(has_some)
                            .select((kept_pages::url, kept_pages::etag, kept_pages::last_modified))
                            .load(db)?;
                    rows.extend(part);
                }
                Ok(rows)
            })
            .await?;
        let rows = rows.into_iter().map(|(url, etag, last_modified)| {
            let validators = Validators {
                etag,
                last_modified,
            };
            (url, validators)
        });
        Ok(rows.collect())
    }

    async fn urls(
        &mut self,
        account: AccountId,
        project: ProjectId,
        behind: Option<String>,
        limit: u32,
    ) -> Result<Vec<String>, StorageError> {
        let behind = behind.as_deref().map(url_hash);
        self.fetch(account, move |db| {
            let mut query = rows_of!(kept_pages, account, project).into_boxed();
            if let Some(behind) = behind {
                query = query.filter(kept_pages::url_hash.gt(behind));
            }
            query
                .order(kept_pages::url_hash)
                .limit(limit.into())
                .select(kept_pages::url)
                .load(db)
        })
        .await
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        project: ProjectId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old: Vec<i64> = rows_of!(kept_pages, account, project)
                .filter(kept_pages::visited_at.lt(At(before)))
                .order(kept_pages::visited_at)
                .limit(limit.into())
                .select(kept_pages::url_hash)
                .load(db)?;
            let old =
                rows_of!(kept_pages, account, project).filter(kept_pages::url_hash.eq_any(old));
            delete(old).execute(db)
        });
        Ok(forgotten.await? as u64)
    }
}

fn hashes(urls: &[String]) -> Vec<i64> {
    urls.iter().map(|it| url_hash(it)).collect()
}

fn replace(db: &mut Db, rows: &[StagedPageRow]) -> QueryResult<()> {
    insert_into(staged_pages::table)
        .values(rows)
        .on_conflict((
            staged_pages::account_id,
            staged_pages::job_id,
            staged_pages::url_hash,
        ))
        .do_update()
        .set(excluded_of!(
            staged_pages: url, visited_at, etag, last_modified, sequence, memory
        ))
        .execute(db)
        .map(drop)
}

pub fn publish(db: &mut Db, account: AccountId, project: ProjectId, job: JobId) -> QueryResult<()> {
    sql_query(PUBLISH)
        .bind::<BigInt, _>(project.0)
        .bind::<BigInt, _>(account.0)
        .bind::<BigInt, _>(job.0)
        .execute(db)
        .map(drop)
}

pub fn discard(db: &mut Db, account: AccountId, job: JobId) -> QueryResult<()> {
    let staged = rows_of!(staged_pages, account).filter(staged_pages::job_id.eq(job.0));
    delete(staged).execute(db).map(drop)
}
