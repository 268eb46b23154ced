//! Work of an analysis, and its maximum calls and cost.

use super::{AnalysisRequest, RequestAnalysisError};
use crate::ai_models::{ModelChoice, ModelSettings};
use crate::job::kind::AnalysisKind;
use crate::keyword::KeywordChoice;
use crate::ports::search_results::Spent;
use crate::ports::storage::Repositories;
use crate::project::Project;
use crate::use_cases::Core;
use crate::use_cases::ai_models::{ActiveEngine, select_active};
use crate::use_cases::classify_sentiment::max_sentiment_queries;
use crate::use_cases::plan_prompts::{branded_prompts, max_queries};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnginePlan {
    pub engine: String,
    /// Maximum answers.
    pub answers: u64,
    /// Maximum calls and cost per answer.
    pub max_per_answer: Spent,
}

/// Work of an analysis, and its maximum calls and cost.
#[derive(Debug, Clone, Default)]
pub(super) struct WorkEstimate {
    /// Units of work; `None` if unknown in advance.
    pub units: Option<u64>,
    pub max_spend: Spent,
    pub engines: Vec<EnginePlan>,
    pub sentiment: Option<EnginePlan>,
}

impl Core {
    /// Adds the maximum of sentiment queries, if a model classifies sentiment.
    fn with_sentiment(&self, amount: WorkEstimate) -> WorkEstimate {
        let plan = { self.policies.engines.sentiment_engine() }
            .zip(amount.units)
            .map(|(engine, answers)| EnginePlan {
                engine: engine.label().name,
                answers: max_sentiment_queries(answers),
                max_per_answer: engine.max_spend(),
            });
        let takes = plan.as_ref().map(|it| times(it.answers, it.max_per_answer));
        WorkEstimate {
            max_spend: amount.max_spend.and(takes.unwrap_or_default()),
            sentiment: plan,
            ..amount
        }
    }

    pub(super) async fn estimate<R: Repositories + ?Sized>(
        &self,
        repositories: &mut R,
        project: &Project,
        request: &AnalysisRequest,
    ) -> Result<WorkEstimate, RequestAnalysisError> {
        if !project.is_active() {
            return Err(RequestAnalysisError::ProjectDeactivated);
        }
        match request.kind {
            AnalysisKind::RankCheck => {
                let keywords = keywords(repositories, project, &request.keywords).await?;
                let each = self.policies.prices.per_keyword;
                Ok(WorkEstimate {
                    units: Some(keywords),
                    max_spend: times(keywords, each),
                    ..WorkEstimate::default()
                })
            }
            AnalysisKind::AiVisibility => {
                let (keywords, models) =
                    tracked_keywords(repositories, project, &request.keywords).await?;
                let active = select_active(&models, &self.policies.engines);
                let active = chosen(active, &request.models)?;
                let branded = match request.keywords {
                    KeywordChoice::All => branded_prompts(project),
                    KeywordChoice::Named(_) => 0,
                };
                let amount = answers(&active, keywords, branded)?;
                Ok(self.with_sentiment(amount))
            }
            AnalysisKind::SiteAudit | AnalysisKind::WebVitals | AnalysisKind::Full => {
                Ok(WorkEstimate::default())
            }
        }
    }
}

fn times(number: u64, each: Spent) -> Spent {
    Spent {
        calls: number.saturating_mul(each.calls),
        ..Spent::on(number, each.cost)
    }
}

/// The chosen engines; refuses a name that is not among them.
fn chosen(
    active: Vec<ActiveEngine>,
    choice: &ModelChoice,
) -> Result<Vec<ActiveEngine>, RequestAnalysisError> {
    let has = |name: &String| active.iter().any(|it| it.label.name == *name);
    if let ModelChoice::Named(names) = choice
        && let Some(named) = names.iter().find(|it| !has(it))
    {
        return Err(RequestAnalysisError::EngineNotActive {
            named: named.clone(),
            active: active.into_iter().map(|it| it.label.name).collect(),
        });
    }
    let is_chosen = |it: &ActiveEngine| choice.includes(&it.label.name);
    Ok(active.into_iter().filter(is_chosen).collect())
}

/// Maximum calls and cost of these engines. Engines with refused paid calls are omitted if
/// others can be queried.
fn answers(
    queried: &[ActiveEngine],
    keywords: u64,
    branded: u64,
) -> Result<WorkEstimate, RequestAnalysisError> {
    let unpaid = |it: &&ActiveEngine| it.engine.paid_call_refusal().is_some();
    let (unpaid, queried): (Vec<&ActiveEngine>, Vec<&ActiveEngine>) =
        queried.iter().partition(unpaid);
    if queried.is_empty() {
        let refusal = unpaid.first().and_then(|it| it.engine.paid_call_refusal());
        return Err(refusal.map_or(
            RequestAnalysisError::NoActiveEngine,
            RequestAnalysisError::PaidCallRefused,
        ));
    }
    let engines: Vec<EnginePlan> = { queried.into_iter() }
        .map(|it| EnginePlan {
            engine: it.label.name.clone(),
            answers: max_queries(it, keywords, branded),
            max_per_answer: it.engine.max_spend(),
        })
        .collect();
    let takes = engines.iter().fold(Spent::default(), |sum, it| {
        sum.and(times(it.answers, it.max_per_answer))
    });
    Ok(WorkEstimate {
        units: Some(engines.iter().map(|it| it.answers).sum()),
        max_spend: takes,
        engines,
        sentiment: None,
    })
}

async fn keywords<R: Repositories + ?Sized>(
    repositories: &mut R,
    project: &Project,
    choice: &KeywordChoice,
) -> Result<u64, RequestAnalysisError> {
    let KeywordChoice::Named(named) = choice else {
        return match project.keyword_count {
            0 => Err(RequestAnalysisError::NothingToMeasure),
            number => Ok(number.into()),
        };
    };
    let found = repositories
        .keywords()
        .count_active_named(project.account, project.id, named)
        .await?;
    if usize::try_from(found).ok() != Some(named.len()) {
        return Err(RequestAnalysisError::NoSuchKeyword);
    }
    Ok(found.into())
}

/// The number of keywords, and the account's AI engine settings.
async fn tracked_keywords<R: Repositories + ?Sized>(
    repositories: &mut R,
    project: &Project,
    choice: &KeywordChoice,
) -> Result<(u64, Vec<ModelSettings>), RequestAnalysisError> {
    let KeywordChoice::Named(named) = choice else {
        if project.ai_tracked_count == 0 {
            return Err(RequestAnalysisError::NothingTracked);
        }
        let models = repositories.ai_models().list(project.account).await?;
        return Ok((project.ai_tracked_count.into(), models));
    };
    let (found, models) = repositories
        .keywords()
        .count_ai_tracked_and_models(project.account, project.id, named)
        .await?;
    if usize::try_from(found).ok() != Some(named.len()) {
        // A missing keyword is reported before one that is not tracked.
        keywords(repositories, project, choice).await?;
        return Err(RequestAnalysisError::NotTracked);
    }
    Ok((found.into(), models))
}
