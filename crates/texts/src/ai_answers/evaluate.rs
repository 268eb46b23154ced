use super::brands::{BrandBook, BrandId, OWN};
use super::citations::{CitedPage, citations};
use super::languages::Languages;
use super::mentions::{FoundMentions, mentions};
use super::position::position_adjusted;
use super::prose::Prose;
use super::sentiment::Polarity;
use super::{languages, recommending, refusals, sentiment, vader};
use crate::{
    ToSchema,
    observation::ai_answer::{AiAnswer, AnswerState, TextSpan},
    text::{language::Language, sentences::sentences, words::words},
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

#[derive(Debug, Clone, PartialEq)]
pub struct EvaluatedAnswer {
    pub state: EvaluatedState,
    /// By first mention.
    pub brands: Vec<BrandId>,
    pub ambiguous: Vec<BrandId>,
    /// Brands that the prompt names; their mentions show nothing.
    pub prompted: BTreeSet<BrandId>,
    /// Position-adjusted shares by brand of the book; `None` without named brands, or without competitors.
    pub shares: Option<Vec<f64>>,
    /// `None` when the engine has no sources.
    pub citations: Option<Vec<CitedPage>>,
    /// Position-adjusted share of own citations; `None` without citations, or without their spans.
    pub source_share: Option<f64>,
    /// `None` in languages without word lists.
    pub recommended: Option<BTreeSet<BrandId>>,
    /// `None` if the project is not named, or the language has no lexicon.
    pub sentiment: Option<Sentiment>,
    /// Without a lexicon: the first sentences that name the project, for a model to score.
    pub unscored_sentences: Vec<String>,
    pub marks: Vec<AnswerMark>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EvaluatedState {
    Counted,
    Empty,
    NotShown,
    Refused,
    /// Cut off at the length limit.
    CutShort,
    Failed(String),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sentiment {
    /// Mean over its sentences, −1 to 1.
    pub score: f64,
    pub sentences: u32,
    pub positive: u32,
    pub negative: u32,
    pub is_by_model: bool,
}

impl Sentiment {
    /// Positive is 1, negative −1, neutral and mixed 0; `None` if empty.
    pub fn from_polarities(polarities: &[Polarity]) -> Option<Self> {
        let scores: Vec<f64> = { polarities.iter() }
            .map(|it| match it {
                Polarity::Positive => 1.0,
                Polarity::Neutral | Polarity::Mixed => 0.0,
                Polarity::Negative => -1.0,
            })
            .collect();
        let count = |which: &[Polarity]| {
            let found = polarities.iter().filter(|it| which.contains(it)).count();
            u32::try_from(found).unwrap_or(u32::MAX)
        };
        Some(Self {
            score: crate::statistics::describe::mean(&scores)?,
            sentences: u32::try_from(polarities.len()).unwrap_or(u32::MAX),
            positive: count(&[Polarity::Positive, Polarity::Mixed]),
            negative: count(&[Polarity::Negative, Polarity::Mixed]),
            is_by_model: true,
        })
    }
}

/// A place in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnswerMark {
    /// The first character (Unicode scalar value) of the text, from 0.
    pub start: u32,
    /// The character behind the last.
    pub end: u32,
    /// What is there.
    pub kind: MarkKind,
    /// Whether it is the project's.
    pub is_own: bool,
    /// The name of the brand; null for citations of pages of no tracked brand.
    pub brand: Option<String>,
    /// The page, for citations.
    pub url: Option<String>,
}

/// What is at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MarkKind {
    /// A brand's name.
    Mention,
    /// A brand's host.
    Domain,
    /// What may be a brand's name, or a word.
    AmbiguousMention,
    /// A reference to a page.
    Citation,
}

/// Scores from this on are positive, from its negative down negative (VADER's thresholds).
const SENTIMENT_THRESHOLD: f64 = 0.05;
const MAX_MARKS: usize = 500;

pub fn evaluate(answer: &AiAnswer, book: &BrandBook) -> EvaluatedAnswer {
    let prompted = book.named_in(&answer.prompt.text, &answer.prompt.language);
    let visible = Prose::of(&answer.text);
    let state = state(answer);
    if state != EvaluatedState::Counted {
        return EvaluatedAnswer {
            state,
            brands: Vec::new(),
            ambiguous: Vec::new(),
            prompted,
            shares: None,
            citations: None,
            source_share: None,
            recommended: None,
            sentiment: None,
            unscored_sentences: Vec::new(),
            marks: Vec::new(),
        };
    }
    let citations = citations(answer, &visible, book);
    let mut sites: BTreeSet<BrandId> = { citations.iter().flatten() }
        .filter_map(|it| it.owner)
        .collect();
    let linked = visible
        .links
        .iter()
        .filter_map(|it| book.owner_of_url(&it.url));
    sites.extend(linked);
    let (languages, reading) = languages::answer_languages(&answer.prompt.language, &visible.text);
    let found = mentions(book, &visible, languages, Some(&answer.prompt.text), &sites);
    let text = Sentences::of(&visible, &found, reading);
    EvaluatedAnswer {
        brands: found.brands(),
        ambiguous: { found.ambiguous.iter() }.map(|it| it.brand).collect(),
        shares: text.shares(book.count()).filter(|_| book.has_competitors()),
        source_share: citations.as_ref().and_then(|it| text.source_share(it)),
        recommended: text.recommended(&visible, languages),
        sentiment: text.sentiment(reading),
        unscored_sentences: text.unscored_sentences(reading),
        marks: marks(&answer.text, &found, citations.as_deref(), book),
        citations,
        state,
        prompted,
    }
}

fn state(answer: &AiAnswer) -> EvaluatedState {
    match &answer.state {
        AnswerState::Failed(code) => EvaluatedState::Failed(code.clone()),
        AnswerState::Refused => EvaluatedState::Refused,
        AnswerState::CutShort => EvaluatedState::CutShort,
        AnswerState::NotShown => EvaluatedState::NotShown,
        AnswerState::Empty => EvaluatedState::Empty,
        AnswerState::Answered if answer.text.trim().is_empty() => EvaluatedState::Empty,
        AnswerState::Answered => {
            let cites = answer.citations.as_ref().is_some_and(|it| !it.is_empty());
            if !cites && refusals::is_refusal(&answer.text) {
                EvaluatedState::Refused
            } else {
                EvaluatedState::Counted
            }
        }
    }
}

struct Sentences<'a> {
    all: Vec<Sentence<'a>>,
}

struct Sentence<'a> {
    text: &'a str,
    start: usize,
    words: usize,
    brands: Vec<BrandId>,
}

impl<'a> Sentences<'a> {
    fn of(visible: &'a Prose, found: &FoundMentions, reading: Option<Language>) -> Self {
        let mut mentions = found.mentions.iter().peekable();
        let mut behind = 0;
        let mut all: Vec<Sentence<'a>> = Vec::new();
        for text in sentences(&visible.text, reading) {
            let start = behind + visible.text[behind..].find(text).unwrap_or(0);
            behind = start + text.len();
            all.push(Sentence {
                text,
                start,
                words: words(text).filter(|it| it.chars().nth(2).is_some()).count(),
                brands: Vec::new(),
            });
        }
        // A masked host at the end of a sentence may lie after the sentence's end.
        for at in 0..all.len() {
            let end = all.get(at + 1).map_or(usize::MAX, |it| it.start);
            while let Some(mention) = mentions.next_if(|it| it.span.start < end) {
                if !all[at].brands.contains(&mention.brand) {
                    all[at].brands.push(mention.brand);
                }
            }
        }
        Self { all }
    }

    fn shares(&self, brands: usize) -> Option<Vec<f64>> {
        let named: Vec<(usize, Vec<usize>)> = { self.all.iter() }
            .map(|it| (it.words, it.brands.clone()))
            .collect();
        position_adjusted(&named, brands)
    }

    fn source_share(&self, pages: &[CitedPage]) -> Option<f64> {
        let mut cited: Vec<(usize, Vec<usize>)> =
            self.all.iter().map(|it| (it.words, Vec::new())).collect();
        for (page, it) in pages.iter().enumerate() {
            for span in &it.spans {
                let last = span.end.saturating_sub(1).max(span.start);
                let at = self.all.partition_point(|it| it.start <= last);
                if let Some((_, named)) = at.checked_sub(1).and_then(|at| cited.get_mut(at))
                    && !named.contains(&page)
                {
                    named.push(page);
                }
            }
        }
        let shares = position_adjusted(&cited, pages.len())?;
        let own = { pages.iter().zip(&shares) }.filter(|(page, _)| page.owner == Some(OWN));
        Some(own.map(|(_, share)| share).sum())
    }

    fn recommended(&self, visible: &Prose, languages: Languages) -> Option<BTreeSet<BrandId>> {
        recommending::recommends("", languages)?;
        let mut recommended = BTreeSet::new();
        let mut lines = RecommendingLines::of(&visible.text, languages);
        for sentence in self.all.iter().filter(|it| !it.brands.is_empty()) {
            if lines.contains(sentence.start)
                || recommending::recommends(sentence.text, languages) == Some(true)
            {
                recommended.extend(sentence.brands.iter().copied());
            }
        }
        Some(recommended)
    }

    fn unscored_sentences(&self, reading: Option<Language>) -> Vec<String> {
        if reading == Some(Language::English) {
            return Vec::new();
        }
        let own = self.all.iter().filter(|it| it.brands.contains(&OWN));
        { own.take(sentiment::MAX_SENTENCES_PER_ANSWER) }
            .map(|it| sentiment::line(it.text))
            .collect()
    }

    fn sentiment(&self, reading: Option<Language>) -> Option<Sentiment> {
        if reading != Some(Language::English) {
            return None;
        }
        let own = self.all.iter().filter(|it| it.brands.contains(&OWN));
        let scores: Vec<f64> = own.map(|it| sentiment_score(it.text)).collect();
        let score = crate::statistics::describe::mean(&scores)?;
        let count = |is: fn(&f64) -> bool| {
            u32::try_from(scores.iter().filter(|it| is(it)).count()).unwrap_or(u32::MAX)
        };
        Some(Sentiment {
            score,
            sentences: count(|_| true),
            positive: count(|it| *it >= SENTIMENT_THRESHOLD),
            negative: count(|it| *it <= -SENTIMENT_THRESHOLD),
            is_by_model: false,
        })
    }
}

fn sentiment_score(sentence: &str) -> f64 {
    let score = vader::compound(sentence);
    let lower = sentence.to_lowercase();
    // Neutral words with a negative meaning.
    if lower.contains("not to be confused with") || lower.contains("not be confused with") {
        score.min(-SENTIMENT_THRESHOLD)
    } else {
        score
    }
}

struct RecommendingLines {
    spans: Vec<TextSpan>,
    at: usize,
}

impl RecommendingLines {
    fn of(text: &str, languages: Languages) -> Self {
        let mut spans = Vec::new();
        let (mut start, mut is_open) = (0, false);
        for line in text.split_inclusive('\n') {
            let end = start + line.len();
            if recommending::opens_list(line, languages) {
                is_open = true;
            } else if recommending::is_item(line) {
                if is_open {
                    spans.push(TextSpan { start, end });
                }
            } else if !line.trim().is_empty() {
                is_open = false;
            }
            start = end;
        }
        Self { spans, at: 0 }
    }

    /// Calls must be in ascending order of `place`.
    fn contains(&mut self, place: usize) -> bool {
        while self.spans.get(self.at).is_some_and(|it| it.end <= place) {
            self.at += 1;
        }
        self.spans.get(self.at).is_some_and(|it| it.start <= place)
    }
}

fn marks(
    text: &str,
    found: &FoundMentions,
    citations: Option<&[CitedPage]>,
    book: &BrandBook,
) -> Vec<AnswerMark> {
    let mut all: Vec<(TextSpan, MarkKind, Option<BrandId>, Option<&str>)> = Vec::new();
    for it in &found.mentions {
        let kind = if it.is_host {
            MarkKind::Domain
        } else {
            MarkKind::Mention
        };
        all.push((it.span, kind, Some(it.brand), None));
    }
    for it in &found.ambiguous {
        all.push((it.span, MarkKind::AmbiguousMention, Some(it.brand), None));
    }
    for page in citations.into_iter().flatten() {
        for span in &page.spans {
            all.push((*span, MarkKind::Citation, page.owner, Some(&page.url)));
        }
    }
    all.sort_by_key(|it| it.0);
    all.truncate(MAX_MARKS);
    let mut bytes: Vec<usize> = all.iter().flat_map(|it| [it.0.start, it.0.end]).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let places = character_offsets(text, &bytes);
    let place = |byte: usize| bytes.binary_search(&byte).map_or(0, |at| places[at]);
    all.into_iter()
        .map(|(span, kind, brand, url)| AnswerMark {
            start: place(span.start),
            end: place(span.end),
            kind,
            is_own: brand == Some(OWN),
            brand: brand.map(|it| book.name(it).to_owned()),
            url: url.map(str::to_owned),
        })
        .collect()
}

/// `bytes` must be sorted.
fn character_offsets(text: &str, bytes: &[usize]) -> Vec<u32> {
    let mut counts = Vec::with_capacity(bytes.len());
    let mut letters = text.char_indices().peekable();
    let mut count = 0;
    for byte in bytes {
        while letters.next_if(|it| it.0 < *byte).is_some() {
            count += 1;
        }
        counts.push(count);
    }
    counts
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::ai_answers::brands::BrandSpec;
    use crate::observation::ai_answer::{AnswerCitation, AnswerUsage, CitationPart, EnginePrompt};
    use crate::provenance::Provenance;
    use chrono::DateTime;
    use proptest::prelude::*;

    /// An answer in English.
    pub(crate) fn answer(text: &str) -> AiAnswer {
        AiAnswer {
            engine: "sandbox".to_owned(),
            provider: "sandbox".to_owned(),
            provenance: Provenance::Simulated,
            requested_model: None,
            served_model: Some("sandbox-1".to_owned()),
            prompt: EnginePrompt {
                prompt_id: "7.Q1.en.v1.00000000".to_owned(),
                keyword_id: Some(7),
                template: "Q1".to_owned(),
                template_version: 1,
                language: "en".to_owned(),
                is_branded: false,
                text: "Which standing desk would you recommend and why?".to_owned(),
            },
            sample: 1,
            state: AnswerState::Answered,
            text: text.to_owned(),
            citations: Some(Vec::new()),
            searches: Some(1),
            queries: Vec::new(),
            answered_at: DateTime::from_timestamp(1_790_000_000, 0).unwrap_or_default(),
            usage: AnswerUsage::default(),
        }
    }

    #[test]
    fn sentences_without_a_lexicon_are_left_to_a_model() {
        let own = BrandBook::of(&BrandSpec::named("Zyxwor", "zyxwor.com"), &[], &[]);
        let mut german = answer(
            "Ich würde **Zyxwor** wegen der langen Garantie empfehlen.\nAndere sind teurer. Zyxwor knarzt. Zyxwor wackelt.",
        );
        german.prompt.language = "de".to_owned();
        german.prompt.text = "Was würden Sie beim Thema „schreibtisch“ empfehlen?".to_owned();
        let evaluated = evaluate(&german, &own);
        assert_eq!(evaluated.sentiment, None);
        assert_eq!(
            evaluated.unscored_sentences,
            [
                "Ich würde **Zyxwor** wegen der langen Garantie empfehlen.",
                "Zyxwor knarzt."
            ]
        );
        assert_eq!(
            evaluate(&answer("Zyxwor is good."), &own)
                .unscored_sentences
                .len(),
            0
        );
        let sentiment =
            Sentiment::from_polarities(&[Polarity::Positive, Polarity::Mixed, Polarity::Negative]);
        let sentiment = sentiment.unwrap();
        assert!(sentiment.score.abs() < 1e-12 && sentiment.is_by_model);
        assert_eq!(
            (sentiment.sentences, sentiment.positive, sentiment.negative),
            (3, 2, 2)
        );
        assert_eq!(Sentiment::from_polarities(&[]), None);
    }

    fn book() -> BrandBook {
        BrandBook::of(
            &BrandSpec::named("Acme", "acme.com"),
            &[
                BrandSpec::named("Acme Pro", "acmepro.com"),
                BrandSpec::named("Zyxwor", "zyxwor.com"),
            ],
            &["desk".to_owned()],
        )
    }

    #[test]
    fn an_answer_is_evaluated_in_full() {
        let mut it = answer(
            "Dear reader — Zyxwor has poor support. Acme is the best and most reliable option. Others exist.",
        );
        it.citations = Some(vec![AnswerCitation {
            url: "https://acme.com/desk".to_owned(),
            title: None,
            domain: None,
            part: CitationPart::Inline,
            spans: vec![TextSpan { start: 45, end: 50 }],
        }]);
        let found = evaluate(&it, &book());
        assert_eq!(found.state, EvaluatedState::Counted);
        assert_eq!(found.brands, [2, 0]);
        assert_eq!(found.recommended, Some(BTreeSet::from([0])));
        let sentiment = found.sentiment.unwrap();
        assert!((sentiment.score - 0.6369).abs() < 1e-4 && sentiment.positive == 1);
        // 5 words (reader, Zyxwor, has, poor, support + dear) by exp(0), 6 by exp(-1/2).
        let shares = found.shares.unwrap();
        let (first, second) = (6.0, 7.0 * (-0.5_f64).exp());
        assert!(
            (shares[0] - second / (first + second)).abs() < 1e-9,
            "{shares:?}"
        );
        assert!((found.source_share.unwrap() - 1.0).abs() < 1e-12);
        let mention = &found.marks[0];
        let letters: Vec<char> = it.text.chars().collect();
        let marked: String = letters[mention.start as usize..mention.end as usize]
            .iter()
            .collect();
        assert_eq!(
            (marked.as_str(), mention.kind),
            ("Zyxwor", MarkKind::Mention)
        );
    }

    #[test]
    fn a_recommending_heading_recommends_its_list() {
        let found = evaluate(
            &answer("## The best desks\n\n1. **Acme** - wide\n2. Zyxwor\n\nAcme Pro is another."),
            &book(),
        );
        assert_eq!(found.recommended, Some(BTreeSet::from([0, 2])));
    }

    #[test]
    fn missing_answers_are_not_evaluated() {
        for (state, expected) in [
            (AnswerState::Empty, EvaluatedState::Empty),
            (AnswerState::Refused, EvaluatedState::Refused),
            (AnswerState::CutShort, EvaluatedState::CutShort),
            (AnswerState::NotShown, EvaluatedState::NotShown),
            (
                AnswerState::Failed("timedOut".to_owned()),
                EvaluatedState::Failed("timedOut".to_owned()),
            ),
        ] {
            let mut it = answer("Acme");
            it.state = state;
            let found = evaluate(&it, &book());
            assert_eq!(found.state, expected);
            assert!(found.brands.is_empty() && found.citations.is_none());
        }
        assert_eq!(
            evaluate(&answer("  \n"), &book()).state,
            EvaluatedState::Empty
        );
        assert_eq!(
            evaluate(&answer("Sorry, I can't help with that."), &book()).state,
            EvaluatedState::Refused
        );
    }

    #[test]
    fn not_to_be_confused_is_a_negative_mention() {
        let found = evaluate(
            &answer("This shop is not to be confused with Acme, the great desk maker."),
            &book(),
        );
        assert_eq!(found.brands, [0]);
        assert_eq!(found.sentiment.unwrap().negative, 1);
    }

    #[test]
    fn brands_in_the_prompt_are_prompted() {
        let mut it = answer("Zyxwor is one. Acme is another.");
        it.prompt.text = "What are alternatives to Zyxwor?".to_owned();
        assert_eq!(evaluate(&it, &book()).prompted, BTreeSet::from([2]));
    }

    proptest! {
        #[test]
        fn any_text_can_be_evaluated_with_marks_inside(
            text in "(Acme|Acme Pro|Zyxwor|acme\\.com|best|not|[ .,:`*\n()#|-]|https://acme\\.com/é|\\[1\\]\\(|[a-zěß]{1,4}|字){0,60}"
        ) {
            let found = evaluate(&answer(&text), &book());
            let length = u32::try_from(text.chars().count()).unwrap();
            for mark in &found.marks {
                prop_assert!(mark.start <= mark.end && mark.end <= length);
            }
            if let Some(shares) = &found.shares {
                prop_assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
                for (brand, share) in shares.iter().enumerate() {
                    prop_assert!(*share <= 0.0 || found.brands.contains(&brand));
                }
            }
        }
    }
}
