//! Answers of AI engines that are kept, and what was counted of them.

use crate::ids::{AnswerId, JobId, KeywordId};
use analysis::{findings::ai_visibility::PromptTally, observation::ai_answer::AiAnswer};
use chrono::NaiveDate;

#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    pub id: AnswerId,
    pub job: JobId,
    /// The answer, or what came instead of one.
    pub answer: AiAnswer,
}

/// Which question of a run an answer is to. A run asks each once.
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

/// Which answers of a project are wanted. All that is given has to hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerQuery {
    pub job: Option<JobId>,
    pub keyword: Option<KeywordId>,
    pub engine: Option<String>,
    /// Older than this one: where the part before it ended.
    pub before: Option<AnswerId>,
    pub limit: u32,
}

/// What was counted of a keyword's answers on one engine, in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordTallies {
    pub job: JobId,
    pub day: NaiveDate,
    pub keyword: KeywordId,
    pub engine: String,
    /// The counts, by prompt, model and day.
    pub tallies: Vec<PromptTally>,
}

/// Where a walk over tallies is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyPlace {
    pub day: NaiveDate,
    pub job: JobId,
    pub keyword: KeywordId,
}

impl KeywordTallies {
    pub const fn place(&self) -> TallyPlace {
        TallyPlace {
            day: self.day,
            job: self.job,
            keyword: self.keyword,
        }
    }
}
