//! Answers of AI engines that are kept, and what was counted of them.

use crate::ids::{AnswerId, JobId, KeywordId};
use analysis::{findings::ai_visibility::PromptTally, observation::ai_answer::AiAnswer};
use chrono::NaiveDate;

/// An answer that is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptAnswer {
    /// Its id.
    pub id: AnswerId,
    /// The run.
    pub job: JobId,
    /// The answer, or what came instead of one.
    pub answer: AiAnswer,
}

/// Which question of a run an answer is to. A run asks each once.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AnswerKey {
    /// Who was asked.
    pub engine: String,
    /// What.
    pub prompt_id: String,
    /// For which time.
    pub sample: u32,
}

impl AnswerKey {
    /// The question that it answers.
    #[must_use]
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
    /// Of this run.
    pub job: Option<JobId>,
    /// To prompts about this keyword.
    pub keyword: Option<KeywordId>,
    /// Of this engine.
    pub engine: Option<String>,
    /// Older than this one: where the part before it ended.
    pub before: Option<AnswerId>,
    /// How many at the most.
    pub limit: u32,
}

/// What was counted of a keyword's answers on one engine, in one run.
#[derive(Debug, Clone, PartialEq)]
pub struct KeywordTallies {
    /// The run.
    pub job: JobId,
    /// The day that was measured.
    pub day: NaiveDate,
    /// The keyword.
    pub keyword: KeywordId,
    /// Who was asked.
    pub engine: String,
    /// The counts, by prompt, model and day.
    pub tallies: Vec<PromptTally>,
}

/// Where a walk over tallies is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TallyPlace {
    /// The day of the last one.
    pub day: NaiveDate,
    /// Its run.
    pub job: JobId,
    /// Its keyword.
    pub keyword: KeywordId,
}

impl KeywordTallies {
    /// Where a walk is behind it.
    #[must_use]
    pub const fn place(&self) -> TallyPlace {
        TallyPlace {
            day: self.day,
            job: self.job,
            keyword: self.keyword,
        }
    }
}
