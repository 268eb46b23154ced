use super::{Backend, carry_over, dialect};
use crate::executor::session::Session;
use crate::instant::At;
use crate::rows::ai_answers::{AnswerRow, TallyRow, kept_answer};
use crate::rows::counted;
use crate::schema::{ai_answers, ai_tallies};
use analysis::result_type::ResultType;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::{delete, insert_into, prelude::*, upsert::excluded};
use domain::ids::{AccountId, AnswerId, JobId, KeywordId, ProjectId};
use domain::kept_answers::{AnswerKey, AnswerQuery, KeptAnswer, KeywordTallies, TallyCursor};
use domain::ports::kept_answers::AnswerRepository;
use domain::ports::storage::StorageError;
use domain::record_ordinals::ORDINALS_PER_KEYWORD;

/// Answers (10 columns) in one statement.
const MAX_ROWS: usize = dialect::MAX_BINDS / 10;

/// Visibility records of the newest run about the project and about AI-tracked keywords.
const TRACKED: &str = "LEFT JOIN keywords k ON k.account_id = f.account_id AND k.id = f.keyword_id \
     AND k.status = 'active' AND k.ai_tracked";

/// Copies only records in these places for which the job has none.
fn without_own(places: &[i64]) -> String {
    let places: Vec<String> = places.iter().map(ToString::to_string).collect();
    format!(
        "(k.id IS NOT NULL OR f.keyword_id IS NULL) \
         AND f.ordinal % $2 NOT IN (SELECT s.ordinal % $2 FROM staged_findings s \
         WHERE s.account_id = $3 AND s.job_id = $1 AND s.result_type = $5) \
         AND f.ordinal % {ORDINALS_PER_KEYWORD} IN ({})",
        places.join(", ")
    )
}

const AS_STORED: (ai_answers::id, ai_answers::job_id, ai_answers::body) =
    (ai_answers::id, ai_answers::job_id, ai_answers::body);

#[async_trait]
impl AnswerRepository for Session {
    async fn keep(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answers: &[KeptAnswer],
    ) -> Result<(), StorageError> {
        let rows = { answers.iter() }.map(|it| AnswerRow::new(account, project, it));
        let rows: Vec<AnswerRow> = rows.collect();
        self.change(account, move |db| {
            for part in rows.chunks(MAX_ROWS) {
                insert_into(ai_answers::table)
                    .values(part)
                    .on_conflict((
                        ai_answers::account_id,
                        ai_answers::job_id,
                        ai_answers::engine,
                        ai_answers::prompt_id,
                        ai_answers::sample,
                    ))
                    .do_nothing()
                    .execute(db)?;
            }
            Ok(())
        })
        .await
    }

    async fn answered(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Result<Vec<AnswerKey>, StorageError> {
        let keywords = keywords.to_vec();
        let rows: Vec<(String, String, i64)> = self
            .fetch(account, move |db| {
                about(account, job, &keywords)
                    .select((
                        ai_answers::engine,
                        ai_answers::prompt_id,
                        ai_answers::sample,
                    ))
                    .load(db)
            })
            .await?;
        let keys = rows.into_iter().map(|(engine, prompt_id, sample)| {
            Ok(AnswerKey {
                engine,
                prompt_id,
                sample: counted(sample, "the number of a sample")?,
            })
        });
        keys.collect()
    }

    async fn of_job(
        &mut self,
        account: AccountId,
        job: JobId,
        keywords: &[Option<KeywordId>],
    ) -> Result<Vec<KeptAnswer>, StorageError> {
        let keywords = keywords.to_vec();
        self.fetch_all(account, kept_answer, move |db| {
            about(account, job, &keywords)
                .order((
                    ai_answers::keyword_id,
                    ai_answers::engine,
                    ai_answers::prompt_id,
                    ai_answers::sample,
                ))
                .select(AS_STORED)
                .load(db)
        })
        .await
    }

    async fn count(&mut self, account: AccountId, job: JobId) -> Result<u64, StorageError> {
        let number: i64 = self
            .fetch(account, move |db| {
                rows_of!(ai_answers, account)
                    .filter(ai_answers::job_id.eq(job.0))
                    .count()
                    .get_result(db)
            })
            .await?;
        counted(number, "a count of answers")
    }

    async fn find(
        &mut self,
        account: AccountId,
        project: ProjectId,
        answer: AnswerId,
    ) -> Result<Option<KeptAnswer>, StorageError> {
        self.fetch_optional(account, kept_answer, move |db| {
            rows_of!(ai_answers, account, project)
                .filter(ai_answers::id.eq(answer.0))
                .select(AS_STORED)
                .first(db)
                .optional()
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        project: ProjectId,
        query: &AnswerQuery,
    ) -> Result<Vec<KeptAnswer>, StorageError> {
        let wanted = query.clone();
        self.fetch_all(account, kept_answer, move |db| {
            let mut query = rows_of!(ai_answers, account, project).into_boxed();
            if let Some(job) = wanted.job {
                query = query.filter(ai_answers::job_id.eq(job.0));
            }
            if let Some(keyword) = wanted.keyword {
                query = query.filter(ai_answers::keyword_id.eq(keyword.0));
            }
            if let Some(engine) = &wanted.engine {
                query = query.filter(ai_answers::engine.eq(engine.clone()));
            }
            if let Some(before) = wanted.before {
                query = query.filter(ai_answers::id.lt(before.0));
            }
            query
                .order(ai_answers::id.desc())
                .limit(wanted.limit.into())
                .select(AS_STORED)
                .load(db)
        })
        .await
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let old: Vec<i64> = rows_of!(ai_answers, account)
                .filter(ai_answers::answered_at.lt(At(before)))
                .order((ai_answers::answered_at, ai_answers::id))
                .limit(limit.into())
                .select(ai_answers::id)
                .load(db)?;
            let there = rows_of!(ai_answers, account).filter(ai_answers::id.eq_any(old));
            delete(there).execute(db)
        });
        Ok(forgotten.await? as u64)
    }

    async fn save_tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        tallies: &[KeywordTallies],
    ) -> Result<(), StorageError> {
        let rows = { tallies.iter() }.map(|it| TallyRow::of(account, project, it));
        let rows: Vec<TallyRow> = rows.collect();
        self.change(account, move |db| {
            for part in rows.chunks(MAX_ROWS) {
                insert_into(ai_tallies::table)
                    .values(part)
                    .on_conflict((
                        ai_tallies::account_id,
                        ai_tallies::project_id,
                        ai_tallies::engine,
                        ai_tallies::day,
                        ai_tallies::job_id,
                        ai_tallies::keyword_id,
                    ))
                    .do_update()
                    .set(ai_tallies::body.eq(excluded(ai_tallies::body)))
                    .execute(db)?;
            }
            Ok(())
        })
        .await
    }

    async fn tallies(
        &mut self,
        account: AccountId,
        project: ProjectId,
        engine: &str,
        since: NaiveDate,
        after: Option<TallyCursor>,
        limit: u32,
    ) -> Result<Vec<KeywordTallies>, StorageError> {
        let engine = engine.to_owned();
        self.fetch_all(account, KeywordTallies::try_from, move |db| {
            let since = after.map_or(since, |it| it.day);
            let mut query = rows_of!(ai_tallies, account, project)
                .filter(ai_tallies::engine.eq(&engine))
                .filter(ai_tallies::day.ge(since))
                .into_boxed();
            if let Some(last) = after {
                let later_keyword = { ai_tallies::job_id.eq(last.job.0) }
                    .and(ai_tallies::keyword_id.gt(last.keyword.0));
                let later_job = ai_tallies::job_id.gt(last.job.0).or(later_keyword);
                query = query.filter(
                    ai_tallies::day
                        .gt(last.day)
                        .or(ai_tallies::day.eq(last.day).and(later_job)),
                );
            }
            query
                .order((ai_tallies::day, ai_tallies::job_id, ai_tallies::keyword_id))
                .limit(limit.into())
                .select(TallyRow::as_select())
                .load(db)
        })
        .await
    }

    async fn stage_carried_over(
        &mut self,
        account: AccountId,
        project: ProjectId,
        job: JobId,
        places: &[i64],
    ) -> Result<u64, StorageError> {
        if places.is_empty() {
            return Ok(0);
        }
        let copies = carry_over::copy_statement("f.ordinal % $2", TRACKED, &without_own(places));
        let of = ResultType::AiVisibility;
        let carried = self.change(account, move |db| {
            carry_over::copy_records(db, &copies, account, project, job, of)
        });
        Ok(carried.await? as u64)
    }

    async fn purge_tallies(
        &mut self,
        account: AccountId,
        before: NaiveDate,
        limit: u32,
    ) -> Result<u64, StorageError> {
        let forgotten = self.change(account, move |db| {
            let of_the_account = || rows_of!(ai_tallies, account);
            // Whole days, so that a bound alone describes what is left.
            let last: Option<NaiveDate> = of_the_account()
                .filter(ai_tallies::day.lt(before))
                .order(ai_tallies::day)
                .offset(i64::from(limit).saturating_sub(1))
                .limit(1)
                .select(ai_tallies::day)
                .first(db)
                .optional()?;
            let old = of_the_account().filter(ai_tallies::day.lt(before));
            match last {
                None => delete(old).execute(db),
                Some(last) => delete(old.filter(ai_tallies::day.le(last))).execute(db),
            }
        });
        Ok(forgotten.await? as u64)
    }
}

/// The run's answers about these keywords; `None` selects those about no keyword.
fn about(
    account: AccountId,
    job: JobId,
    keywords: &[Option<KeywordId>],
) -> ai_answers::BoxedQuery<'static, Backend> {
    let named: Vec<i64> = keywords.iter().flatten().map(|it| it.0).collect();
    let query = rows_of!(ai_answers, account)
        .filter(ai_answers::job_id.eq(job.0))
        .into_boxed();
    if keywords.contains(&None) {
        query.filter(
            ai_answers::keyword_id
                .is_null()
                .or(ai_answers::keyword_id.eq_any(named)),
        )
    } else {
        query.filter(ai_answers::keyword_id.eq_any(named))
    }
}
