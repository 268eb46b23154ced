use super::{ASKED_TOGETHER, Pass};
use crate::{attempt_state::Broken, until_stopped::last_wait};
use domain::ids::KeywordId;
use domain::kept_answers::AnswerKey;
use domain::keyword::Keyword;
use domain::money::MicroUsd;
use domain::ports::search_results::ProviderError;
use domain::use_cases::ai_models::AskedEngine;
use domain::use_cases::ask_engine::{AskEngine, AskedAnswer};
use domain::use_cases::keep_leases::Hold;
use domain::use_cases::plan_prompts::{Question, unanswered};
use futures_util::{StreamExt, stream};
use std::{collections::HashSet, sync::Arc};

/// Maximum answers per transaction; fewer if they arrive slowly.
const STORED_TOGETHER: usize = 64;

impl Pass<'_> {
    pub(super) async fn ask_all(&mut self) -> Result<(), Broken> {
        let (clock, journal) = (
            Arc::clone(&self.tools.core.clock),
            Arc::clone(&self.journal),
        );
        let ask = Arc::new(AskEngine::new(clock, journal));
        let mut after = None;
        while let Some(keywords) = self.next_keywords(&mut after, ASKED_TOGETHER).await? {
            let open = self.open_questions(&keywords).await?;
            self.ask(&ask, open).await?;
            if self.must_stop() {
                return Ok(());
            }
        }
        let open = self.open_questions(&[]).await?;
        self.ask(&ask, open).await
    }

    fn must_stop(&self) -> bool {
        self.engines.iter().all(|it| it.halt.is_cancelled())
    }

    async fn open_questions(&self, keywords: &[Keyword]) -> Result<Vec<Vec<Question>>, Broken> {
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
            let mut questions: Vec<Question> = { keywords.iter() }
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
    async fn ask(&mut self, ask: &Arc<AskEngine>, open: Vec<Vec<Question>>) -> Result<(), Broken> {
        let paid_at_once = self.tools.load.paid_answers_at_once;
        let engines = self.engines.iter().zip(open).map(|(asked, questions)| {
            let (engine, ask) = (Arc::clone(&asked.engine), Arc::clone(ask));
            let (at_once, halt) = (at_once(&engine, paid_at_once), asked.halt.clone());
            let stop = is_free(&engine).then(|| self.state.stop.clone());
            stream::iter(questions)
                .take_until(asked.halt.clone().cancelled_owned())
                .map(move |question| {
                    let (engine, ask) = (Arc::clone(&engine), Arc::clone(&ask));
                    let (halt, stop) = (halt.clone(), stop.clone());
                    tokio::spawn(async move {
                        let asking = ask.run(&engine, &question);
                        let asked = match stop {
                            Some(stop) => stop.run_until_cancelled(asking).await?,
                            None => asking.await,
                        };
                        if asked
                            .failure
                            .as_ref()
                            .is_some_and(ProviderError::is_lasting)
                        {
                            halt.cancel();
                        }
                        Some(asked)
                    })
                })
                .buffer_unordered(at_once)
                .boxed()
        });
        let mut answers = stream::select_all(engines).ready_chunks(STORED_TOGETHER);
        let mut late = std::pin::pin!(last_wait(self.state.stop.clone()));
        let mut broken = None;
        loop {
            let chunk = tokio::select! {
                chunk = answers.next() => chunk,
                () = &mut late => None,
            };
            let Some(chunk) = chunk else { break };
            if broken.is_none() {
                broken = self.keep(chunk).await.err();
            }
            if broken.is_some() {
                self.engines.iter().for_each(|it| it.halt.cancel());
            }
        }
        broken.map_or(Ok(()), Err)
    }

    async fn keep(
        &mut self,
        chunk: Vec<Result<Option<AskedAnswer>, tokio::task::JoinError>>,
    ) -> Result<(), Broken> {
        let is_last_attempt = self.job.is_last_attempt(&self.tools.core.policies.queue);
        let answers = chunk.into_iter().collect::<Result<Vec<_>, _>>()?;
        let (kept, left): (Vec<_>, Vec<_>) = { answers.into_iter() }
            .flatten()
            .partition(|it| keeps(it, is_last_attempt));
        let mut in_vain = 0;
        for unanswered in left {
            in_vain += unanswered.calls;
            self.meet(&unanswered.answer.engine, unanswered.failure);
        }
        for failed in &kept {
            if let Some(failure) = &failed.failure {
                self.trouble.kept = Some((failed.answer.engine.clone(), failure.clone()));
            }
        }
        self.done += kept.len() as u64;
        let progress = self.progress(false);
        self.state.note(progress.clone());
        let hold = Hold::of(self.job);
        let recording = { &self.tools.core }.record_answers(hold, &kept, in_vain, &progress);
        self.state.heed(recording.await?);
        if !kept.is_empty() {
            self.state.advance();
        }
        Ok(())
    }

    fn meet(&mut self, engine: &str, failure: Option<ProviderError>) {
        match failure {
            Some(failure) if failure.is_retryable() => {
                self.trouble.passing += 1;
                self.trouble.last = Some((engine.to_owned(), failure));
            }
            Some(fatal) => {
                self.trouble.stop(engine, fatal);
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
fn at_once(engine: &AskedEngine, paid: usize) -> usize {
    let most = engine.engine.at_once().max(1);
    if is_free(engine) {
        most
    } else {
        most.min(paid.max(1))
    }
}

fn is_free(engine: &AskedEngine) -> bool {
    engine.engine.most().cost == MicroUsd::default()
}

/// Keeps everything except unpaid transient failures while another attempt follows.
fn keeps(asked: &AskedAnswer, is_last_attempt: bool) -> bool {
    asked.failure.as_ref().is_none_or(|failure| {
        let is_final = is_last_attempt || !failure.is_retryable() || was_paid(asked);
        !failure.is_lasting() && is_final
    })
}

fn was_paid(asked: &AskedAnswer) -> bool {
    asked.answer.usage.cost_micros.is_some_and(|it| it > 0)
}
