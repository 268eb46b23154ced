//! Work of an analysis, and its maximum calls and cost.

use super::{AnalysisRequest, RequestAnalysisError};
use crate::ai_models::{ModelChoice, ModelSettings};
use crate::job::kind::AnalysisKind;
use crate::keyword::KeywordChoice;
use crate::ports::search_results::Spent;
use crate::ports::storage::Repositories;
use crate::project::Project;
use crate::use_cases::Core;
use crate::use_cases::ai_models::{AskedEngine, asked_of};
use crate::use_cases::judge_sentiment::most_judgements;
use crate::use_cases::plan_prompts::{branded_prompts, most_questions};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnginePlan {
    pub engine: String,
    /// Maximum answers.
    pub answers: u64,
    /// Maximum calls and cost per answer.
    pub each: Spent,
}

/// Work of an analysis, and its maximum calls and cost.
#[derive(Debug, Clone, Default)]
pub(super) struct Amount {
    /// Units of work; `None` if unknown in advance.
    pub units: Option<u64>,
    pub takes: Spent,
    pub engines: Vec<EnginePlan>,
    pub judge: Option<EnginePlan>,
}

impl Core {
    /// Adds the maximum of sentiment queries, if a model classifies sentiment.
    fn with_judging(&self, amount: Amount) -> Amount {
        let plan = { self.policies.engines.judge() }
            .zip(amount.units)
            .map(|(judge, answers)| EnginePlan {
                engine: judge.label().name,
                answers: most_judgements(answers),
                each: judge.most(),
            });
        let takes = plan.as_ref().map(|it| times(it.answers, it.each));
        Amount {
            takes: amount.takes.and(takes.unwrap_or_default()),
            judge: plan,
            ..amount
        }
    }

    pub(super) async fn amount<R: Repositories + ?Sized>(
        &self,
        repositories: &mut R,
        project: &Project,
        request: &AnalysisRequest,
    ) -> Result<Amount, RequestAnalysisError> {
        if !project.is_active() {
            return Err(RequestAnalysisError::ProjectDeactivated);
        }
        match request.kind {
            AnalysisKind::RankCheck => {
                let keywords = keywords(repositories, project, &request.keywords).await?;
                let each = self.policies.prices.per_keyword;
                Ok(Amount {
                    units: Some(keywords),
                    takes: times(keywords, each),
                    ..Amount::default()
                })
            }
            AnalysisKind::AiVisibility => {
                let (keywords, models) =
                    tracked_keywords(repositories, project, &request.keywords).await?;
                let asked = asked_of(&models, &self.policies.engines);
                let asked = chosen(asked, &request.models)?;
                let branded = match request.keywords {
                    KeywordChoice::All => branded_prompts(project),
                    KeywordChoice::Named(_) => 0,
                };
                let amount = answers(&asked, keywords, branded)?;
                Ok(self.with_judging(amount))
            }
            AnalysisKind::SiteAudit | AnalysisKind::WebVitals | AnalysisKind::Full => {
                Ok(Amount::default())
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
    asked: Vec<AskedEngine>,
    choice: &ModelChoice,
) -> Result<Vec<AskedEngine>, RequestAnalysisError> {
    let has = |name: &String| asked.iter().any(|it| it.label.name == *name);
    if let ModelChoice::Named(names) = choice
        && let Some(named) = names.iter().find(|it| !has(it))
    {
        return Err(RequestAnalysisError::NotAsked {
            named: named.clone(),
            asked: asked.into_iter().map(|it| it.label.name).collect(),
        });
    }
    let is_chosen = |it: &AskedEngine| choice.takes(&it.label.name);
    Ok(asked.into_iter().filter(is_chosen).collect())
}

/// Maximum calls and cost of these engines. Engines whose paid calls are refused are omitted if
/// others can be queried.
fn answers(
    asked: &[AskedEngine],
    keywords: u64,
    branded: u64,
) -> Result<Amount, RequestAnalysisError> {
    let unpaid = |it: &&AskedEngine| it.engine.unpaid().is_some();
    let (unpaid, asked): (Vec<&AskedEngine>, Vec<&AskedEngine>) = asked.iter().partition(unpaid);
    if asked.is_empty() {
        let why = unpaid.first().and_then(|it| it.engine.unpaid());
        return Err(why.map_or(RequestAnalysisError::NoModel, RequestAnalysisError::Unpaid));
    }
    let engines: Vec<EnginePlan> = { asked.into_iter() }
        .map(|it| EnginePlan {
            engine: it.label.name.clone(),
            answers: most_questions(it, keywords, branded),
            each: it.engine.most(),
        })
        .collect();
    let takes = engines.iter().fold(Spent::default(), |sum, it| {
        sum.and(times(it.answers, it.each))
    });
    Ok(Amount {
        units: Some(engines.iter().map(|it| it.answers).sum()),
        takes,
        engines,
        judge: None,
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
        .ai_tracked_named_and_models(project.account, project.id, named)
        .await?;
    if usize::try_from(found).ok() != Some(named.len()) {
        // A missing keyword is reported before one that is not tracked.
        keywords(repositories, project, choice).await?;
        return Err(RequestAnalysisError::NotTracked);
    }
    Ok((found.into(), models))
}
