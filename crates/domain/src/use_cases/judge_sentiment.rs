//! Classifies the sentiment of sentences about a project by a model, for languages without a lexicon.

use crate::ports::ai_answers::{AiEngine, AiQuestion, Asked};
use crate::ports::call_journal::CallJournal;
use crate::ports::search_results::ProviderError;
use analysis::ai_answers::feelings;
use analysis::ai_answers::feelings::Feeling;
use analysis::observation::ai_answer::AnswerState;
use chrono::NaiveDate;
use std::sync::Arc;

/// One sentiment query is reserved per so many answers.
const ANSWERS_PER_QUESTION: u64 = 20;

pub struct JudgeSentiment {
    judge: Arc<dyn AiEngine>,
    journal: Arc<dyn CallJournal>,
}

/// Subject and context of the sentences.
#[derive(Debug, Clone)]
pub struct Spoken {
    pub brand: String,
    /// Language of the sentences, ISO 639-1.
    pub language: String,
    /// Country of the query, ISO 3166-1 alpha-2.
    pub country: String,
    pub day: NaiveDate,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Felt {
    /// One entry per sentence.
    pub feelings: Vec<Option<Feeling>>,
    /// Calls that are not in the ledger.
    pub calls: u64,
    pub failure: Option<ProviderError>,
}

pub const fn most_judgements(answers: u64) -> u64 {
    answers.div_ceil(ANSWERS_PER_QUESTION)
}

impl JudgeSentiment {
    pub fn new(judge: Arc<dyn AiEngine>, journal: Arc<dyn CallJournal>) -> Self {
        Self { judge, journal }
    }

    pub fn at_once(&self) -> usize {
        self.judge.at_once().max(1)
    }

    /// Takes at most [`feelings::SENTENCES`] sentences. An invalid answer classifies none.
    pub async fn run(&self, of: &Spoken, sentences: &[String]) -> Felt {
        let question = AiQuestion {
            prompt: feelings::question(&of.brand, sentences),
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
        let Asked { answer, spent } = self.judge.ask(&question, &self.journal).await;
        let text = match &answer {
            Ok(answer) if answer.state == AnswerState::Answered => answer.text.as_str(),
            _ => "",
        };
        Felt {
            feelings: feelings::read(text, sentences.len()),
            calls: spent.calls.saturating_sub(spent.written_down),
            failure: answer.err(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::money::MicroUsd;
    use crate::ports::ai_answers::{EngineAnswer, MockAiEngine, Retrieval};
    use crate::ports::call_journal::MockCallJournal;
    use crate::ports::clock::Clock;
    use crate::ports::search_results::Spent;
    use crate::test_support::FrozenClock;
    use analysis::observation::ai_answer::AnswerUsage;

    fn spoken() -> Spoken {
        Spoken {
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

    async fn felt(answer: Result<EngineAnswer, ProviderError>) -> Felt {
        let mut judge = MockAiEngine::new();
        judge
            .expect_ask()
            .withf(|it, _| !it.web_search && it.prompt.contains("\n2: Zyxwor knarzt."))
            .return_once(|_, _| Asked {
                answer,
                spent: Spent::on(1, MicroUsd(30)),
            });
        let journal: Arc<dyn CallJournal> = Arc::new(MockCallJournal::new());
        let sentences = ["Zyxwor ist gut.".to_owned(), "Zyxwor knarzt.".to_owned()];
        let judging = JudgeSentiment::new(Arc::new(judge), journal);
        judging.run(&spoken(), &sentences).await
    }

    #[tokio::test]
    async fn what_the_model_says_is_told_and_whatever_else_is_unknown() {
        let whole = felt(Ok(answer(
            AnswerState::Answered,
            "1: positive\n2: negative",
        )))
        .await;
        assert_eq!(
            whole.feelings,
            [Some(Feeling::Positive), Some(Feeling::Negative)]
        );
        assert_eq!((whole.calls, whole.failure), (1, None));
        let cut = felt(Ok(answer(AnswerState::CutShort, "1: positive\n2: neg"))).await;
        assert_eq!((cut.feelings, cut.failure), (vec![None, None], None));
        let failed = felt(Err(ProviderError::Unavailable)).await;
        assert_eq!(failed.feelings, [None, None]);
        assert_eq!(failed.failure, Some(ProviderError::Unavailable));
    }
}
