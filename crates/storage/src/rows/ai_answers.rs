//! Answers of AI engines and counts of them as rows: JSON, packed by LZ4.

use super::count;
use super::packing::{pack_json, unpack_json};
use super::stored::row;
use crate::instant::At;
use crate::schema::{ai_answers, ai_tallies};
use chrono::NaiveDate;
use diesel::prelude::*;
use domain::ids::{AccountId, AnswerId, JobId, KeywordId, ProjectId};
use domain::kept_answers::{AnswerKey, KeptAnswer, KeywordTallies};
use domain::ports::storage::StorageError;

#[derive(Insertable)]
#[diesel(table_name = ai_answers, treat_none_as_default_value = false)]
pub struct AnswerRow {
    pub account_id: i64,
    pub id: i64,
    pub project_id: i64,
    pub job_id: i64,
    pub keyword_id: Option<i64>,
    pub engine: String,
    pub prompt_id: String,
    pub sample: i64,
    pub answered_at: At,
    pub body: Vec<u8>,
}

impl AnswerRow {
    pub fn new(account: AccountId, project: ProjectId, kept: &KeptAnswer) -> Self {
        let (answer, key) = (&kept.answer, AnswerKey::of(&kept.answer));
        Self {
            account_id: account.0,
            id: kept.id.0,
            project_id: project.0,
            job_id: kept.job.0,
            keyword_id: answer.prompt.keyword_id,
            engine: key.engine,
            prompt_id: key.prompt_id,
            sample: count(key.sample),
            answered_at: answer.answered_at.into(),
            body: pack_json(answer),
        }
    }
}

/// Id, job, body.
pub type StoredAnswer = (i64, i64, Vec<u8>);

pub fn kept_answer((id, job, body): StoredAnswer) -> Result<KeptAnswer, StorageError> {
    Ok(KeptAnswer {
        id: AnswerId(id),
        job: JobId(job),
        answer: unpack_json(&body, "an answer")?,
    })
}

row! {
    struct TallyRow(ai_tallies) within (account_id: AccountId, project_id: ProjectId) {
        engine: String,
        day: NaiveDate,
        job_id: JobId,
        keyword_id: KeywordId,
        body: Vec<u8> = pack_json(tallies),
    }
    KeywordTallies { job: job_id, day, keyword: keyword_id, engine, tallies }
    where { tallies = unpack_json(&body, "counts of answers")?; }
}
