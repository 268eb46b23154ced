//! AI visibility analysis: queries engines, stores answers as they come, then evaluates them in keyword batches.

mod asking;
mod feeling;
mod judging;
mod trends;
mod verdict;

use super::Tools;
use super::attempt_state::{AttemptState, Broken, Done};
use super::provider_trouble::{asked_delay, attempt_error};
use super::until_stopped::UntilStopped;
use domain::ids::KeywordId;
use domain::job::Job;
use domain::job::progress::{Progress, Stage};
use domain::keyword::{Keyword, KeywordChoice};
use domain::market::Market;
use domain::ports::call_journal::CallJournal;
use domain::ports::search_results::ProviderError;
use domain::project::Project;
use domain::use_cases::ai_models::{AskedEngine, asked_engines};
use domain::use_cases::brands::KnownBrands;
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::keep_leases::Hold;
use domain::use_cases::plan_prompts::PlanPrompts;
use domain::use_cases::write_down_calls::WriteDownCalls;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Keywords per query batch.
const ASKED_TOGETHER: u32 = 20;
/// Answers per evaluation batch, as far as whole keywords allow.
const JUDGED_TOGETHER: u64 = 1_000;

struct Pass<'a> {
    tools: &'a Tools,
    job: &'a Job,
    state: &'a AttemptState,
    engines: Vec<Asked>,
    /// All engines of the account: records and trends of those not queried in this run are kept.
    active: Vec<Arc<AskedEngine>>,
    brands: Arc<KnownBrands>,
    plan: PlanPrompts,
    /// Shared by all calls, which it numbers.
    journal: Arc<dyn CallJournal>,
    /// Market of most keywords, used for branded prompts. `None` in a run of selected keywords.
    market: Option<Market>,
    keywords: u64,
    done: u64,
    total: u64,
    judged: u64,
    told: u64,
    trouble: Trouble,
    unpaid: Vec<ProviderError>,
    is_unfelt: bool,
}

struct Asked {
    engine: Arc<AskedEngine>,
    halt: CancellationToken,
}

#[derive(Default)]
struct Trouble {
    passing: u64,
    last: Option<(String, ProviderError)>,
    kept: Option<(String, ProviderError)>,
    /// By engine name: further queries would fail the same way.
    stopped: BTreeMap<String, ProviderError>,
}

pub(super) async fn run(
    tools: &Tools,
    job: &Job,
    project: &Project,
    state: &AttemptState,
) -> Result<Done, Broken> {
    let mut pass = Pass::begin(tools, job, project, state).await?;
    if pass.engines.is_empty() {
        let why = pass.unpaid.first().map_or_else(no_model, attempt_error);
        return Ok(Done::End(AttemptEnd::Failed(why)));
    }
    pass.look_ahead().await?;
    pass.ask_all().await?;
    if state.stop.is_cancelled() {
        return Ok(Done::Stopped);
    }
    state.pass_last_checkpoint();
    match pass.trouble.end(&pass) {
        Some(end) => Ok(Done::End(end)),
        None => pass.judge().await,
    }
}

impl<'a> Pass<'a> {
    async fn begin(
        tools: &'a Tools,
        job: &'a Job,
        project: &Project,
        state: &'a AttemptState,
    ) -> Result<Self, Broken> {
        let mut read = tools.core.storage.read().await?;
        let active =
            asked_engines(read.as_mut(), job.account, &tools.core.policies.engines).await?;
        let active: Vec<Arc<AskedEngine>> = active.into_iter().map(Arc::new).collect();
        let done = read.answers().count(job.account, job.id).await?;
        drop(read);
        let brands = Arc::new(tools.core.known_brands(project).await?);
        // Engines that may not be paid are skipped.
        let (unpaid, engines): (Vec<_>, Vec<_>) = { active.iter() }
            .filter(|it| job.models.takes(&it.label.name))
            .partition(|it| it.engine.unpaid().is_some());
        let unpaid = unpaid.iter().filter_map(|it| it.engine.unpaid());
        let unpaid = unpaid.map(ProviderError::Unpaid).collect();
        let engines = engines.into_iter().map(|engine| Asked {
            engine: Arc::clone(engine),
            halt: state.stop.child_token(),
        });
        let journal = WriteDownCalls::new(Arc::clone(&tools.core), Hold::of(job));
        Ok(Self {
            journal: Arc::new(UntilStopped::new(journal, state.stop.clone())),
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
            judged: 0,
            told: 0,
            trouble: Trouble::default(),
            unpaid,
            is_unfelt: false,
        })
    }

    async fn look_ahead(&mut self) -> Result<(), Broken> {
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
            let most = { markets.into_iter() }.max_by(|(one, ones), (other, others)| {
                (ones.cmp(others)).then_with(|| key(other).cmp(&key(one)))
            });
            self.market = most.map(|(market, _)| Market {
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
        after: &mut Option<Place>,
        limit: u32,
    ) -> Result<Option<Vec<Keyword>>, Broken> {
        if matches!(after, Some(Place::End)) {
            return Ok(None);
        }
        let behind = match after {
            Some(Place::Behind(keyword)) => Some(*keyword),
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
            Some(last) if !is_last => Some(Place::Behind(last.id)),
            _ => Some(Place::End),
        };
        Ok((!keywords.is_empty()).then_some(keywords))
    }

    fn progress(&self, is_over: bool) -> Progress {
        let total = self.total.max(self.done);
        let is_asked = is_over || self.done == total || self.judged > 0;
        let trends = self.told.max(self.keywords * self.active.len() as u64);
        let stages = vec![
            Stage::counted("ask", self.done, total, is_asked),
            Stage::counted(
                "judge",
                self.judged,
                self.judged.max(self.keywords),
                is_over,
            ),
            Stage::counted("trends", self.told, trends, is_over),
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

enum Place {
    Behind(KeywordId),
    End,
}

impl Trouble {
    fn stop(&mut self, engine: &str, why: ProviderError) {
        if let Entry::Vacant(free) = self.stopped.entry(engine.to_owned()) {
            tracing::warn!(engine, why = why.code(), "An AI engine is asked no more.");
            free.insert(why);
        }
    }

    /// `None` if no failure calls for another attempt.
    fn end(&self, pass: &Pass<'_>) -> Option<AttemptEnd> {
        if let Some((engine, fatal)) = self.stopped.iter().next()
            && pass.done == 0
            && self.stopped.len() == pass.engines.len()
        {
            return Some(AttemptEnd::Failed(of_engine(engine, fatal)));
        }
        let (engine, last) = self.last.as_ref()?;
        tracing::info!(
            jobId = pass.job.id.0,
            left = self.passing,
            done = pass.done,
            most = pass.tools.core.policies.queue.most_attempts,
            "Some questions are left for another attempt."
        );
        Some(AttemptEnd::Later {
            error: of_engine(engine, last),
            asked: asked_delay(last),
        })
    }
}

fn of_engine(engine: &str, error: &ProviderError) -> AttemptError {
    let told = attempt_error(error);
    AttemptError {
        detail: format!("{engine}: {}", told.detail),
        ..told
    }
}

fn no_model() -> AttemptError {
    AttemptError {
        code: "noModel".to_owned(),
        detail: "The account asks none of the AI engines.".to_owned(),
        hint: Some("Switch one on (`sightline models set`), and start it again.".to_owned()),
    }
}
