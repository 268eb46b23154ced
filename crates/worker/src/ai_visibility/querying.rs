use super::{KEYWORD_BATCH, Pass};
use crate::{attempt_state::AttemptFailure, stoppable_ledger::wait_for_stop_grace};
use domain::ids::KeywordId;
use domain::kept_answers::AnswerKey;
use domain::keyword::Keyword;
use domain::money::MicroUsd;
use domain::ports::search_results::ProviderError;
use domain::use_cases::ai_models::ActiveEngine;
use domain::use_cases::leases::LeaseToken;
use domain::use_cases::plan_prompts::{PlannedQuery, unanswered};
use domain::use_cases::query_ai_engine::{ObservedAnswer, QueryAiEngine};
use futures_util::{StreamExt, stream};
use std::{collections::HashSet, sync::Arc};

/// Maximum answers per transaction; fewer if they arrive slowly.
const STORE_BATCH: usize = 64;

impl Pass<'_> {
    pub(super) async fn query_all(&mut self) -> Result<(), AttemptFailure> {
        let (clock, ledger) = (Arc::clone(&self.tools.core.clock), Arc::clone(&self.ledger));
        let query = Arc::new(QueryAiEngine::new(clock, ledger));
        let mut after = None;
        while let Some(keywords) = self.next_keywords(&mut after, KEYWORD_BATCH).await? {
            let open = self.open_questions(&keywords).await?;
            self.query(&query, open).await?;
            if self.must_stop() {
                return Ok(());
            }
        }
        let open = self.open_questions(&[]).await?;
        self.query(&query, open).await
    }

    fn must_stop(&self) -> bool {
        self.engines.iter().all(|it| it.halt.is_cancelled())
    }

    async fn open_questions(
        &self,
        keywords: &[Keyword],
    ) -> Result<Vec<Vec<PlannedQuery>>, AttemptFailure> {
        let about: Vec<Option<KeywordId>> = if keywords.is_empty() {
            vec![None]
        } else {
            keywords.iter().map(|it| Some(it.id)).collect()
        };
        let mut read = self.tools.core.storage.read().await?;
        let answered = read
            .answers()
            .answered(self.job.account, self.job.id, &about)
            .await?;
        drop(read);
        let answered: HashSet<AnswerKey> = answered.into_iter().collect();
        let open = self.engines.iter().map(|it| {
            let engine = &it.engine;
            let mut questions: Vec<PlannedQuery> = { keywords.iter() }
                .flat_map(|keyword| self.plan.about(engine, keyword))
                .collect();
            if let (true, Some(market)) = (keywords.is_empty(), &self.market) {
                questions = self.plan.about_the_brand(engine, market);
            }
            unanswered(engine, questions, &answered)
        });
        Ok(open.collect())
    }

    /// Each engine at its own pace. When the attempt has to stop, paid calls are awaited, free ones dropped.
    async fn query(
        &mut self,
        query: &Arc<QueryAiEngine>,
        open: Vec<Vec<PlannedQuery>>,
    ) -> Result<(), AttemptFailure> {
        let paid_at_once = self.tools.limits.paid_answers_at_once;
        let engines = self.engines.iter().zip(open).map(|(active, questions)| {
            let (engine, query) = (Arc::clone(&active.engine), Arc::clone(query));
            let (at_once, halt) = (at_once(&engine, paid_at_once), active.halt.clone());
            let stop = is_free(&engine).then(|| self.state.stop.clone());
            stream::iter(questions)
                .take_until(active.halt.clone().cancelled_owned())
                .map(move |question| {
                    let (engine, query) = (Arc::clone(&engine), Arc::clone(&query));
                    let (halt, stop) = (halt.clone(), stop.clone());
                    tokio::spawn(async move {
                        let answering = query.run(&engine, &question);
                        let observed = match stop {
                            Some(stop) => stop.run_until_cancelled(answering).await?,
                            None => answering.await,
                        };
                        if observed
                            .failure
                            .as_ref()
                            .is_some_and(ProviderError::is_permanent)
                        {
                            halt.cancel();
                        }
                        Some(observed)
                    })
                })
                .buffer_unordered(at_once)
                .boxed()
        });
        let mut answers = stream::select_all(engines).ready_chunks(STORE_BATCH);
        let mut late = std::pin::pin!(wait_for_stop_grace(self.state.stop.clone()));
        let mut failure = None;
        loop {
            let chunk = tokio::select! {
                chunk = answers.next() => chunk,
                () = &mut late => None,
            };
            let Some(chunk) = chunk else { break };
            if failure.is_none() {
                failure = self.store(chunk).await.err();
            }
            if failure.is_some() {
                self.engines.iter().for_each(|it| it.halt.cancel());
            }
        }
        failure.map_or(Ok(()), Err)
    }

    async fn store(
        &mut self,
        chunk: Vec<Result<Option<ObservedAnswer>, tokio::task::JoinError>>,
    ) -> Result<(), AttemptFailure> {
        let is_last_attempt = self.job.is_last_attempt(&self.tools.core.policies.queue);
        let answers = chunk.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (kept, left): (Vec<_>, Vec<_>) = { answers.into_iter() }
            .flatten()
            .partition(|it| should_store(it, is_last_attempt));
        let mut wasted_calls = 0;
        for unanswered in left {
            wasted_calls += unanswered.calls;
            self.record_failure(&unanswered.answer.engine, unanswered.failure);
        }
        for failed in &kept {
            if let Some(failure) = &failed.failure {
                self.failures.kept = Some((failed.answer.engine.clone(), failure.clone()));
            }
        }
        self.done += kept.len() as u64;
        let progress = self.progress(false);
        self.state.set_progress(progress.clone());
        let lease = LeaseToken::of(self.job);
        let recording = { &self.tools.core }.record_answers(lease, &kept, wasted_calls, &progress);
        self.state.apply(recording.await?);
        if !kept.is_empty() {
            self.state.mark_progress_stored();
        }
        Ok(())
    }

    fn record_failure(&mut self, engine: &str, failure: Option<ProviderError>) {
        match failure {
            Some(failure) if failure.is_retryable() => {
                self.failures.transient += 1;
                self.failures.last = Some((engine.to_owned(), failure));
            }
            Some(fatal) => {
                self.failures.stop(engine, fatal);
                let halted = { self.engines.iter() }.find(|it| it.engine.label.name == engine);
                if let Some(halted) = halted {
                    halted.halt.cancel();
                }
            }
            None => {}
        }
    }
}

/// Concurrent queries of an engine. Paid calls under way may be paid again after a crash, so they are limited.
fn at_once(engine: &ActiveEngine, paid: usize) -> usize {
    let limit = engine.engine.max_concurrency().max(1);
    if is_free(engine) {
        limit
    } else {
        limit.min(paid.max(1))
    }
}

fn is_free(engine: &ActiveEngine) -> bool {
    engine.engine.max_spend().cost == MicroUsd::default()
}

/// Keeps everything except unpaid transient failures while another attempt follows.
fn should_store(observed: &ObservedAnswer, is_last_attempt: bool) -> bool {
    observed.failure.as_ref().is_none_or(|failure| {
        let is_final = is_last_attempt || !failure.is_retryable() || was_paid(observed);
        !failure.is_permanent() && is_final
    })
}

fn was_paid(observed: &ObservedAnswer) -> bool {
    observed.answer.usage.cost_micros.is_some_and(|it| it > 0)
}
