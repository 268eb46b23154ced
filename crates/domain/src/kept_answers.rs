//! Stored answers of AI engines, and their tallies.

use crate::ids::{AnswerId, JobId, KeywordId};
use analysis::{findings::ai_visibility::PromptTally, observation::ai_answer::AiAnswer};
use chrono::NaiveDate;

#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    pub id: AnswerId,
    pub job: JobId,
    /// The answer, or why there is none.
    pub answer: AiAnswer,
}

/// Identifies a query of a run, which is made once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnswerKey {
    pub engine: String,
    pub prompt_id: String,
    pub sample: u32,
}

impl AnswerKey {
    pub fn of(answer: &AiAnswer) -> Self {
        Self {
            engine: answer.engine.clone(),
            prompt_id: answer.prompt.prompt_id.clone(),
            sample: answer.sample,
        }
    }
}

/// Filter for a project's answers; all given conditions must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerQuery {
    pub job: Option<JobId>,
    pub keyword: Option<KeywordId>,
    pub engine: Option<String>,
    /// Older than this one: where the previous page ended.
    pub before: Option<AnswerId>,
    pub limit: u32,
}

/// Tallies of a keyword's answers on one engine in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordTallies {
    pub job: JobId,
    pub day: NaiveDate,
    pub keyword: KeywordId,
    pub engine: String,
    /// By prompt, model and day.
    pub tallies: Vec<PromptTally>,
}

/// Cursor for paging through tallies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyCursor {
    pub day: NaiveDate,
    pub job: JobId,
    pub keyword: KeywordId,
}

impl KeywordTallies {
    pub const fn cursor(&self) -> TallyCursor {
        TallyCursor {
            day: self.day,
            job: self.job,
            keyword: self.keyword,
        }
    }
}
