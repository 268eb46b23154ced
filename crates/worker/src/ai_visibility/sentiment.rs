//! Sentiment of answers in languages without a lexicon, by the operator's model.

use super::{Pass, evaluation::EvaluatedPair};
use crate::{attempt_state::AttemptFailure, stoppable_ledger::wait_for_stop_grace};
use analysis::ai_answers::Sentiment;
use analysis::ai_answers::sentiment::{MAX_SENTENCES, Polarity};
use domain::market::Market;
use domain::ports::search_results::ProviderError;
use domain::use_cases::classify_sentiment::{
    ClassifySentiment, SentimentOutcome, SentimentSubject, max_sentiment_queries,
};
use domain::use_cases::leases::LeaseToken;
use futures_util::{StreamExt, stream};
use std::{collections::BTreeMap, sync::Arc};

/// Warning code: some sentiment is unknown because the model gave no rating.
pub(super) const SENTIMENT_NOT_RATED: &str = "sentimentNotJudged";

/// Queries the model while it answers and reserved calls remain.
pub(super) struct SentimentRater {
    query: ClassifySentiment,
    at_once: usize,
    left: u64,
    pub(super) is_incomplete: bool,
}

type Sentence = (usize, String);

impl SentimentRater {
    /// `None` if no model is configured, or it may not be paid.
    pub(super) fn of(pass: &Pass<'_>) -> Option<Self> {
        let tools = pass.tools;
        let model = tools.core.policies.engines.sentiment_engine()?;
        let classifier = ClassifySentiment::new(Arc::clone(model), Arc::clone(&pass.ledger));
        Some(Self {
            at_once: classifier
                .max_concurrency()
                .min(tools.limits.paid_answers_at_once.max(1)),
            query: classifier,
            left: max_sentiment_queries(pass.total),
            is_incomplete: false,
        })
    }
}

impl Pass<'_> {
    pub(super) async fn rate_sentiment(
        &self,
        rater: &mut SentimentRater,
        market: Option<&Market>,
        pairs: &mut [EvaluatedPair],
    ) -> Result<(), AttemptFailure> {
        let questions = questions(pairs);
        let open = usize::try_from(rater.left).unwrap_or(usize::MAX);
        rater.is_incomplete |= questions.len() > open;
        let sentiment_query = &rater.query;
        let requests = { questions.into_iter().take(open) }.map(|(language, sentences)| {
            let spoken = self.sentiment_context(language, market);
            async move {
                let texts: Vec<String> = sentences.iter().map(|it| it.1.clone()).collect();
                (sentiment_query.run(&spoken, &texts).await, sentences)
            }
        });
        let requested = requests.len();
        let outcomes: Vec<(SentimentOutcome, Vec<Sentence>)> = stream::iter(requests)
            .buffered(rater.at_once)
            .take_until(wait_for_stop_grace(self.state.stop.clone()))
            .collect()
            .await;
        rater.is_incomplete |= outcomes.len() < requested;
        let mut ratings: BTreeMap<usize, Vec<Polarity>> = BTreeMap::new();
        let (mut calls, mut is_over) = (0, false);
        rater.left = rater.left.saturating_sub(outcomes.len() as u64);
        for (of_question, sentences) in outcomes {
            calls += of_question.calls;
            is_over |= { of_question.failure.as_ref() }.is_some_and(ProviderError::is_permanent);
            rater.is_incomplete |= of_question.sentiments.contains(&None);
            for ((answer, _), polarity) in sentences.into_iter().zip(of_question.sentiments) {
                ratings.entry(answer).or_default().extend(polarity);
            }
        }
        for (answer, polarities) in ratings {
            pairs[answer].1.sentiment = Sentiment::from_polarities(&polarities);
        }
        if is_over {
            rater.left = 0;
        }
        if calls > 0 {
            // Free calls are not in the paid-call ledger: count them here.
            let (lease, progress) = (LeaseToken::of(self.job), self.progress(false));
            let recording = { &self.tools.core }.record_answers(lease, &[], calls, &progress);
            self.state.apply(recording.await?);
        }
        Ok(())
    }

    fn sentiment_context(&self, language: String, market: Option<&Market>) -> SentimentSubject {
        SentimentSubject {
            brand: self.brands.name.clone(),
            language,
            country: market.map_or_else(String::new, |it| it.country.to_string()),
            day: self.job.day,
        }
    }
}

/// Batches of sentences per language; those of one answer stay together.
fn questions(pairs: &[EvaluatedPair]) -> Vec<(String, Vec<Sentence>)> {
    let mut by_language: BTreeMap<&str, Vec<Sentence>> = BTreeMap::new();
    for (at, (answer, evaluation)) in pairs.iter().enumerate() {
        let sentences = by_language.entry(&answer.prompt.language).or_default();
        sentences.extend(
            evaluation
                .unscored_sentences
                .iter()
                .map(|it| (at, it.clone())),
        );
    }
    let portions = by_language.into_iter().flat_map(|(language, sentences)| {
        let portions: Vec<Vec<Sentence>> = sentences
            .chunks(MAX_SENTENCES)
            .map(<[Sentence]>::to_vec)
            .collect();
        portions.into_iter().map(|it| (language.to_owned(), it))
    });
    portions.collect()
}
