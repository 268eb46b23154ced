//! Sentiment of answers in languages without a lexicon, by the operator's model.

use super::{Pass, judging::Pair};
use crate::{attempt_state::Broken, until_stopped::last_wait};
use analysis::ai_answers::Sentiment;
use analysis::ai_answers::feelings::{Feeling, SENTENCES};
use domain::market::Market;
use domain::ports::search_results::ProviderError;
use domain::use_cases::judge_sentiment::{Felt, JudgeSentiment, Spoken, most_judgements};
use domain::use_cases::keep_leases::Hold;
use futures_util::{StreamExt, stream};
use std::{collections::BTreeMap, sync::Arc};

/// Warning code: some sentiment is unknown because the model gave no rating.
pub(super) const SENTIMENT_NOT_JUDGED: &str = "sentimentNotJudged";

/// Queries the model while it answers and reserved calls remain.
pub(super) struct Judge {
    asking: JudgeSentiment,
    at_once: usize,
    left: u64,
    pub(super) is_silent: bool,
}

type Sentence = (usize, String);

impl Judge {
    /// `None` if no model is configured, or it may not be paid.
    pub(super) fn of(pass: &Pass<'_>) -> Option<Self> {
        let tools = pass.tools;
        let model = tools.core.policies.engines.judge()?;
        let asking = JudgeSentiment::new(Arc::clone(model), Arc::clone(&pass.journal));
        Some(Self {
            at_once: asking.at_once().min(tools.load.paid_answers_at_once.max(1)),
            asking,
            left: most_judgements(pass.total),
            is_silent: false,
        })
    }
}

impl Pass<'_> {
    pub(super) async fn feel(
        &self,
        judge: &mut Judge,
        market: Option<&Market>,
        pairs: &mut [Pair],
    ) -> Result<(), Broken> {
        let questions = questions(pairs);
        let open = usize::try_from(judge.left).unwrap_or(usize::MAX);
        judge.is_silent |= questions.len() > open;
        let asking = &judge.asking;
        let asked = { questions.into_iter().take(open) }.map(|(language, sentences)| {
            let spoken = self.spoken(language, market);
            async move {
                let texts: Vec<String> = sentences.iter().map(|it| it.1.clone()).collect();
                (asking.run(&spoken, &texts).await, sentences)
            }
        });
        let asked_for = asked.len();
        let told: Vec<(Felt, Vec<Sentence>)> = stream::iter(asked)
            .buffered(judge.at_once)
            .take_until(last_wait(self.state.stop.clone()))
            .collect()
            .await;
        judge.is_silent |= told.len() < asked_for;
        let mut felt: BTreeMap<usize, Vec<Feeling>> = BTreeMap::new();
        let (mut calls, mut is_over) = (0, false);
        judge.left = judge.left.saturating_sub(told.len() as u64);
        for (of_question, sentences) in told {
            calls += of_question.calls;
            is_over |= { of_question.failure.as_ref() }.is_some_and(ProviderError::is_lasting);
            judge.is_silent |= of_question.feelings.contains(&None);
            for ((answer, _), feeling) in sentences.into_iter().zip(of_question.feelings) {
                felt.entry(answer).or_default().extend(feeling);
            }
        }
        for (answer, feelings) in felt {
            pairs[answer].1.sentiment = Sentiment::of_feelings(&feelings);
        }
        if is_over {
            judge.left = 0;
        }
        if calls > 0 {
            // Free calls are not in the paid-call ledger: count them here.
            let (hold, progress) = (Hold::of(self.job), self.progress(false));
            let recording = { &self.tools.core }.record_answers(hold, &[], calls, &progress);
            self.state.heed(recording.await?);
        }
        Ok(())
    }

    fn spoken(&self, language: String, market: Option<&Market>) -> Spoken {
        Spoken {
            brand: self.brands.name.clone(),
            language,
            country: market.map_or_else(String::new, |it| it.country.to_string()),
            day: self.job.day,
        }
    }
}

/// Batches of sentences per language; those of one answer stay together.
fn questions(pairs: &[Pair]) -> Vec<(String, Vec<Sentence>)> {
    let mut by_language: BTreeMap<&str, Vec<Sentence>> = BTreeMap::new();
    for (at, (answer, judged)) in pairs.iter().enumerate() {
        let sentences = by_language.entry(&answer.prompt.language).or_default();
        sentences.extend(judged.unfelt.iter().map(|it| (at, it.clone())));
    }
    let portions = by_language.into_iter().flat_map(|(language, sentences)| {
        let portions: Vec<Vec<Sentence>> = sentences
            .chunks(SENTENCES)
            .map(<[Sentence]>::to_vec)
            .collect();
        portions.into_iter().map(|it| (language.to_owned(), it))
    });
    portions.collect()
}
