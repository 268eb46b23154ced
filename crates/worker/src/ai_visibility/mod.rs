//! AI visibility analysis: queries engines, stores answers as they come, then evaluates them in keyword batches.

mod evaluation;
mod outcome;
mod querying;
mod sentiment;
mod trends;

use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptOutcome, AttemptState};
use super::provider_errors::{attempt_error, retry_delay};
use super::stoppable_ledger::StoppableLedger;
use domain::ids::KeywordId;
use domain::job::Job;
use domain::job::progress::{Progress, Stage};
use domain::keyword::{Keyword, KeywordChoice};
use domain::market::Market;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::ProviderError;
use domain::project::Project;
use domain::use_cases::ai_models::{ActiveEngine, active_engines};
use domain::use_cases::brands::ProjectBrands;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::job_call_ledger::JobCallLedger;
use domain::use_cases::leases::LeaseToken;
use domain::use_cases::plan_prompts::PlanPrompts;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Keywords per query batch.
const KEYWORD_BATCH: u32 = 20;
/// Answers per evaluation batch, as far as whole keywords allow.
const EVALUATION_BATCH: u64 = 1_000;

struct Pass<'a> {
    tools: &'a WorkerContext,
    job: &'a Job,
    state: &'a AttemptState,
    engines: Vec<QueriedEngine>,
    /// All engines of the account: records and trends of those not queried in this run are kept.
    active: Vec<Arc<ActiveEngine>>,
    brands: Arc<ProjectBrands>,
    plan: PlanPrompts,
    /// Shared by all calls, which it numbers.
    ledger: Arc<dyn PaidCallLedger>,
    /// Market of most keywords, used for branded prompts. `None` in a run of selected keywords.
    market: Option<Market>,
    keywords: u64,
    done: u64,
    total: u64,
    evaluated: u64,
    trends_staged: u64,
    failures: Failures,
    unpaid: Vec<ProviderError>,
    sentiment_incomplete: bool,
}

struct QueriedEngine {
    engine: Arc<ActiveEngine>,
    halt: CancellationToken,
}

#[derive(Default)]
struct Failures {
    transient: u64,
    last: Option<(String, ProviderError)>,
    kept: Option<(String, ProviderError)>,
    /// By engine name: further queries would fail the same way.
    stopped: BTreeMap<String, ProviderError>,
}

pub(super) async fn run(
    tools: &WorkerContext,
    job: &Job,
    project: &Project,
    state: &AttemptState,
) -> Result<AttemptOutcome, AttemptFailure> {
    let mut pass = Pass::begin(tools, job, project, state).await?;
    if pass.engines.is_empty() {
        let error = pass.unpaid.first().map_or_else(no_model, attempt_error);
        return Ok(AttemptOutcome::End(AttemptEnd::Failed(error)));
    }
    pass.count_questions().await?;
    pass.query_all().await?;
    if state.stop.is_cancelled() {
        return Ok(AttemptOutcome::Stopped);
    }
    state.pass_last_checkpoint();
    match pass.failures.end(&pass) {
        Some(end) => Ok(AttemptOutcome::End(end)),
        None => pass.evaluate().await,
    }
}

impl<'a> Pass<'a> {
    async fn begin(
        tools: &'a WorkerContext,
        job: &'a Job,
        project: &Project,
        state: &'a AttemptState,
    ) -> Result<Self, AttemptFailure> {
        let mut read = tools.core.storage.read().await?;
        let active =
            active_engines(read.as_mut(), job.account, &tools.core.policies.engines).await?;
        let active: Vec<Arc<ActiveEngine>> = active.into_iter().map(Arc::new).collect();
        let done = read.answers().count(job.account, job.id).await?;
        drop(read);
        let brands = Arc::new(tools.core.project_brands(project).await?);
        // Engines that may not be paid are skipped.
        let (unpaid, engines): (Vec<_>, Vec<_>) = { active.iter() }
            .filter(|it| job.models.includes(&it.label.name))
            .partition(|it| it.engine.paid_call_refusal().is_some());
        let unpaid = unpaid.iter().filter_map(|it| it.engine.paid_call_refusal());
        let unpaid = unpaid.map(ProviderError::PaidCallRefused).collect();
        let engines = engines.into_iter().map(|engine| QueriedEngine {
            engine: Arc::clone(engine),
            halt: state.stop.child_token(),
        });
        let ledger = JobCallLedger::new(Arc::clone(&tools.core), LeaseToken::of(job));
        Ok(Self {
            ledger: Arc::new(StoppableLedger::new(ledger, state.stop.clone())),
            engines: engines.collect(),
            active,
            plan: PlanPrompts::new(Arc::clone(&brands), project.domain.ascii(), job.day),
            brands,
            tools,
            job,
            state,
            market: None,
            keywords: 0,
            done,
            total: done,
            evaluated: 0,
            trends_staged: 0,
            failures: Failures::default(),
            unpaid,
            sentiment_incomplete: false,
        })
    }

    async fn count_questions(&mut self) -> Result<(), AttemptFailure> {
        let mut markets: HashMap<Market, u64> = HashMap::new();
        let (mut after, mut total) = (None, 0);
        while let Some(keywords) = self.next_keywords(&mut after, 200).await? {
            for keyword in &keywords {
                let questions = self.engines.iter().map(|it| {
                    let questions = self.plan.about(&it.engine, keyword);
                    questions.len() as u64
                });
                total += questions.sum::<u64>();
                self.keywords += 1;
                *markets.entry(keyword.market.clone()).or_default() += 1;
            }
        }
        if self.job.keywords == KeywordChoice::All {
            let key = |it: &Market| (it.language, it.country, it.location.is_some());
            let largest = { markets.into_iter() }.max_by(|(one, ones), (other, others)| {
                (ones.cmp(others)).then_with(|| key(other).cmp(&key(one)))
            });
            self.market = largest.map(|(market, _)| Market {
                location: None,
                ..market
            });
        }
        if let Some(market) = &self.market {
            let questions = { self.engines.iter() }
                .map(|it| self.plan.about_the_brand(&it.engine, market).len() as u64);
            total += questions.sum::<u64>();
        }
        self.total = total.max(self.done);
        Ok(())
    }

    /// The next AI-tracked keywords; `None` at the end.
    async fn next_keywords(
        &self,
        after: &mut Option<KeywordCursor>,
        limit: u32,
    ) -> Result<Option<Vec<Keyword>>, AttemptFailure> {
        if matches!(after, Some(KeywordCursor::End)) {
            return Ok(None);
        }
        let behind = match after {
            Some(KeywordCursor::After(keyword)) => Some(*keyword),
            _ => None,
        };
        let (account, project) = (self.job.account, self.job.project);
        let mut read = self.tools.core.storage.read().await?;
        let keywords = read
            .keywords()
            .ai_tracked_batch(account, project, &self.job.keywords, behind, limit)
            .await?;
        let is_last = keywords.len() < limit as usize;
        *after = match keywords.last() {
            Some(last) if !is_last => Some(KeywordCursor::After(last.id)),
            _ => Some(KeywordCursor::End),
        };
        Ok((!keywords.is_empty()).then_some(keywords))
    }

    fn progress(&self, is_over: bool) -> Progress {
        let total = self.total.max(self.done);
        let all_answered = is_over || self.done == total || self.evaluated > 0;
        let trends = self
            .trends_staged
            .max(self.keywords * self.active.len() as u64);
        let stages = vec![
            Stage::counted("ask", self.done, total, all_answered),
            Stage::counted(
                "judge",
                self.evaluated,
                self.evaluated.max(self.keywords),
                is_over,
            ),
            Stage::counted("trends", self.trends_staged, trends, is_over),
            Stage::counted("publish", u64::from(is_over), 1, is_over),
        ];
        Progress {
            // Reaches 100 % only when published.
            done: if is_over {
                self.done
            } else {
                self.done.min(total.saturating_sub(1))
            },
            total,
            stages,
        }
    }
}

enum KeywordCursor {
    After(KeywordId),
    End,
}

impl Failures {
    fn stop(&mut self, engine: &str, error: ProviderError) {
        if let Entry::Vacant(free) = self.stopped.entry(engine.to_owned()) {
            tracing::warn!(
                engine,
                "why" = error.code(),
                "An AI engine is not queried any more."
            );
            free.insert(error);
        }
    }

    /// `None` if no failure calls for another attempt.
    fn end(&self, pass: &Pass<'_>) -> Option<AttemptEnd> {
        if let Some((engine, fatal)) = self.stopped.iter().next()
            && pass.done == 0
            && self.stopped.len() == pass.engines.len()
        {
            return Some(AttemptEnd::Failed(engine_error(engine, fatal)));
        }
        let (engine, last) = self.last.as_ref()?;
        tracing::info!(
            jobId = pass.job.id.0,
            left = self.transient,
            done = pass.done,
            "most" = pass.tools.core.policies.queue.max_attempts,
            "Some questions are left for another attempt."
        );
        Some(AttemptEnd::Retry {
            error: engine_error(engine, last),
            requested_delay: retry_delay(last),
        })
    }
}

fn engine_error(engine: &str, error: &ProviderError) -> AttemptError {
    let described = attempt_error(error);
    AttemptError {
        detail: format!("{engine}: {}", described.detail),
        ..described
    }
}

fn no_model() -> AttemptError {
    AttemptError {
        code: "noModel".to_owned(),
        detail: "The account asks none of the AI engines.".to_owned(),
        hint: Some("Switch one on (`sightline models set`), and start it again.".to_owned()),
    }
}
