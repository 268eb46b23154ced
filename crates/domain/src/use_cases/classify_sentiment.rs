//! Classifies the sentiment of sentences about a project by a model, for languages without a lexicon.

use crate::ports::ai_answers::{AiEngine, AiQuery, AiQueryOutcome};
use crate::ports::paid_call_ledger::PaidCallLedger;
use crate::ports::search_results::ProviderError;
use analysis::ai_answers::sentiment;
use analysis::ai_answers::sentiment::Polarity;
use analysis::observation::ai_answer::AnswerState;
use chrono::NaiveDate;
use std::sync::Arc;

/// One sentiment query is reserved per so many answers.
const ANSWERS_PER_QUERY: u64 = 20;

pub struct ClassifySentiment {
    engine: Arc<dyn AiEngine>,
    ledger: Arc<dyn PaidCallLedger>,
}

/// Subject and context of the sentences.
#[derive(Debug, Clone)]
pub struct SentimentSubject {
    pub brand: String,
    /// Language of the sentences, ISO 639-1.
    pub language: String,
    /// Country of the query, ISO 3166-1 alpha-2.
    pub country: String,
    pub day: NaiveDate,
}

#[derive(Debug, Clone, PartialEq)]
pub struct SentimentOutcome {
    /// One entry per sentence.
    pub sentiments: Vec<Option<Polarity>>,
    /// Calls that are not in the ledger.
    pub calls: u64,
    pub failure: Option<ProviderError>,
}

pub const fn max_sentiment_queries(answers: u64) -> u64 {
    answers.div_ceil(ANSWERS_PER_QUERY)
}

impl ClassifySentiment {
    pub fn new(engine: Arc<dyn AiEngine>, ledger: Arc<dyn PaidCallLedger>) -> Self {
        Self { engine, ledger }
    }

    pub fn max_concurrency(&self) -> usize {
        self.engine.max_concurrency().max(1)
    }

    /// Takes at most [`sentiment::MAX_SENTENCES`] sentences. An invalid answer classifies none.
    pub async fn run(&self, of: &SentimentSubject, sentences: &[String]) -> SentimentOutcome {
        let question = AiQuery {
            prompt: sentiment::question(&of.brand, sentences),
            language: of.language.clone(),
            country: of.country.clone(),
            location: None,
            web_search: false,
            sample: 1,
            day: of.day,
            // Not sent.
            site: String::new(),
            brand: of.brand.clone(),
        };
        let AiQueryOutcome { answer, spent } = self.engine.query(&question, &self.ledger).await;
        let text = match &answer {
            Ok(answer) if answer.state == AnswerState::Answered => answer.text.as_str(),
            _ => "",
        };
        SentimentOutcome {
            sentiments: sentiment::parse_answer(text, sentences.len()),
            calls: spent.calls.saturating_sub(spent.ledger_calls),
            failure: answer.err(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::MicroUsd;
    use crate::ports::ai_answers::{EngineAnswer, MockAiEngine, Retrieval};
    use crate::ports::clock::Clock;
    use crate::ports::paid_call_ledger::MockPaidCallLedger;
    use crate::ports::search_results::Spent;
    use crate::test_support::FrozenClock;
    use analysis::observation::ai_answer::AnswerUsage;

    fn spoken() -> SentimentSubject {
        SentimentSubject {
            brand: "Zyxwor".to_owned(),
            language: "de".to_owned(),
            country: "de".to_owned(),
            day: FrozenClock::default().now().date_naive(),
        }
    }

    fn answer(state: AnswerState, text: &str) -> EngineAnswer {
        EngineAnswer {
            provider: "compatible".to_owned(),
            served_model: None,
            state,
            text: text.to_owned(),
            citations: None,
            searches: None,
            queries: vec![],
            retrieval: Retrieval::default(),
            answered_at: FrozenClock::default().now(),
            usage: AnswerUsage::default(),
            warnings: vec![],
        }
    }

    async fn felt(answer: Result<EngineAnswer, ProviderError>) -> SentimentOutcome {
        let mut engine = MockAiEngine::new();
        engine
            .expect_query()
            .withf(|it, _| !it.web_search && it.prompt.contains("\n2: Zyxwor knarzt."))
            .return_once(|_, _| AiQueryOutcome {
                answer,
                spent: Spent::on(1, MicroUsd(30)),
            });
        let journal: Arc<dyn PaidCallLedger> = Arc::new(MockPaidCallLedger::new());
        let sentences = ["Zyxwor ist gut.".to_owned(), "Zyxwor knarzt.".to_owned()];
        let classifier = ClassifySentiment::new(Arc::new(engine), journal);
        classifier.run(&spoken(), &sentences).await
    }

    #[tokio::test]
    async fn incomplete_model_answers_give_unknown_sentiment() {
        let whole = felt(Ok(answer(
            AnswerState::Answered,
            "1: positive\n2: negative",
        )))
        .await;
        assert_eq!(
            whole.sentiments,
            [Some(Polarity::Positive), Some(Polarity::Negative)]
        );
        assert_eq!((whole.calls, whole.failure), (1, None));
        let cut = felt(Ok(answer(AnswerState::CutShort, "1: positive\n2: neg"))).await;
        assert_eq!((cut.sentiments, cut.failure), (vec![None, None], None));
        let failed = felt(Err(ProviderError::Unavailable)).await;
        assert_eq!(failed.sentiments, [None, None]);
        assert_eq!(failed.failure, Some(ProviderError::Unavailable));
    }
}
