use super::{
    AMBIGUOUS_MENTIONS, ANSWERS_CUT_SHORT, ANSWERS_EMPTY, ANSWERS_FAILED, ANSWERS_NOT_SHOWN,
    ANSWERS_REFUSED, FEW_ANSWERS, METHOD_VERSION, MIN_ANSWERS, MODELS_MIXED, NO_CITATIONS,
    NO_COMPETITORS, NO_TEMPLATES, SEARCH_NOT_MADE,
    competitors::{competitors, counts, own_share_of_voice},
    pages::Pages,
    record::{
        AiVisibilityRecord, AnswerFailure, AnswerRow, ModelCount, PromptPanelKind, SentimentCounts,
        SentimentMethod,
    },
    score::{ScoreParts, ai_visibility_score},
    tally::LeftOut,
};
use crate::ai_answers::brands::{BrandBook, OWN};
use crate::ai_answers::{DETECTOR_VERSION, EvaluatedAnswer, EvaluatedState, MarkKind};
use crate::ai_prompts;
use crate::findings::envelope::Envelope;
use crate::observation::ai_answer::AiAnswer;
use crate::provenance::{Provenance, RecordStatus};
use crate::result_type::ResultType;
use crate::statistics::describe::{mean, median};
use crate::statistics::panel_rate;
use crate::statistics::panel_rate::PanelRate;
use chrono::{DateTime, Utc};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VisibilitySubject<'a> {
    pub project_id: i64,
    /// The keyword and its text; `None` for branded prompts.
    pub keyword: Option<(i64, &'a str)>,
    /// ISO 3166-1 alpha-2, lower case.
    pub country: Option<&'a str>,
    pub location: Option<&'a str>,
    /// ISO 639-1, lower case.
    pub language: &'a str,
}

#[derive(Debug, Clone, Copy)]
pub struct VisibilityInput<'a> {
    pub subject: VisibilitySubject<'a>,
    pub engine: &'a str,
    /// Answers to prompts of other panels are ignored.
    pub panel: PromptPanelKind,
    pub answers: &'a [(AiAnswer, EvaluatedAnswer)],
    pub book: &'a BrandBook,
    pub measured_at: DateTime<Utc>,
}

/// Counted answers by prompt.
pub(super) type Prompts<'a> = BTreeMap<&'a str, Vec<&'a EvaluatedAnswer>>;

type Pair = (AiAnswer, EvaluatedAnswer);

pub fn visibility(input: &VisibilityInput<'_>) -> AiVisibilityRecord {
    let is_queried = |it: &&Pair| {
        it.0.engine == input.engine
            && it.0.prompt.is_branded == (input.panel == PromptPanelKind::Branded)
    };
    let queried: Vec<&Pair> = input.answers.iter().filter(is_queried).collect();
    let counted: Vec<&Pair> = { queried.iter() }
        .filter(|it| it.1.state == EvaluatedState::Counted)
        .copied()
        .collect();
    let mut prompts: Prompts<'_> = BTreeMap::new();
    for (answer, evaluated) in &counted {
        prompts
            .entry(&answer.prompt.prompt_id)
            .or_default()
            .push(evaluated);
    }
    let mut left_out = LeftOut::default();
    for it in &queried {
        left_out.add(&it.1.state);
    }
    let mut record = blank(input, envelope(input, &queried, &counted, &left_out));
    set_counts(&mut record, &queried, &counted, &left_out);
    record.prompt_count = prompts.len() as u64;
    set_mentions(&mut record, &prompts, input);
    set_citations(&mut record, &counted, &prompts, input);
    set_sentiment(&mut record, &counted, &prompts);
    record.consistency = consistency(&prompts);
    record.competitors = competitors(&prompts, input.book);
    record.ai_visibility_score = score(&record);
    record
}

/// Seeds the bootstrap, so that results are reproducible.
fn seed_key(input: &VisibilityInput<'_>, figure: &str) -> String {
    let subject = &input.subject;
    format!(
        "{METHOD_VERSION}/{}/{}/{}/{}/{figure}",
        subject.project_id,
        subject.keyword.map_or(0, |it| it.0),
        input.engine,
        input.measured_at.date_naive(),
    )
}

fn set_counts(
    record: &mut AiVisibilityRecord,
    queried: &[&Pair],
    counted: &[&Pair],
    left_out: &LeftOut,
) {
    record.answer_count = counted.len() as u64;
    record.refusal_count = left_out.refused;
    record.empty_count = left_out.empty;
    record.not_shown_count = left_out.not_shown;
    record.cut_short_count = left_out.cut_short;
    record.failed_count = left_out.failed;
    let mut failures: BTreeMap<&str, u64> = BTreeMap::new();
    for it in queried {
        if let EvaluatedState::Failed(code) = &it.1.state {
            *failures.entry(code).or_default() += 1;
        }
    }
    let failures = failures.into_iter().map(|(code, count)| AnswerFailure {
        code: code.to_owned(),
        count,
    });
    record.failures = failures.collect();
    record
        .failures
        .sort_by_key(|it| std::cmp::Reverse(it.count));
    record.models = models(counted);
    record.model = record.models.first().and_then(|it| it.model.clone());
    record.template_version = { queried.iter() }
        .map(|it| it.0.prompt.template_version)
        .max()
        .unwrap_or(crate::ai_prompts::TEMPLATE_VERSION);
    record.answers = queried.iter().map(|it| row(it)).collect();
    record
        .answers
        .sort_by(|a, b| (&a.prompt_id, a.run_index).cmp(&(&b.prompt_id, b.run_index)));
    let costs = queried.iter().map(|it| it.0.usage.cost_micros);
    record.cost_units = costs.sum();
    let searched: Vec<f64> = { counted.iter() }
        .filter_map(|it| it.0.searches)
        .map(|it| if it > 0 { 1.0 } else { 0.0 })
        .collect();
    record.search_triggered_rate = mean(&searched);
}

fn models(counted: &[&Pair]) -> Vec<ModelCount> {
    let mut models: BTreeMap<Option<&str>, u64> = BTreeMap::new();
    for it in counted {
        *models.entry(it.0.served_model.as_deref()).or_default() += 1;
    }
    let mut models: Vec<ModelCount> = { models.into_iter() }
        .map(|(model, answer_count)| ModelCount {
            model: model.map(str::to_owned),
            answer_count,
        })
        .collect();
    models
        .sort_by(|a, b| (b.answer_count.cmp(&a.answer_count)).then_with(|| a.model.cmp(&b.model)));
    models
}

fn set_mentions(
    record: &mut AiVisibilityRecord,
    prompts: &Prompts<'_>,
    input: &VisibilityInput<'_>,
) {
    let mentions = counts(prompts, |it| Some(it.brands.contains(&OWN)));
    record.mention_count = mentions.iter().map(|it| it.hits).sum();
    if let Some(PanelRate {
        rate,
        interval,
        method,
    }) = panel_rate::rate(&mentions, &seed_key(input, "mentions"))
    {
        record.mention_rate = Some(rate);
        record.mention_rate_low = Some(interval.low);
        record.mention_rate_high = Some(interval.high);
        record.interval_method = Some(method);
    }
    let answers = || prompts.values().flatten();
    record.ambiguous_mention_count = answers()
        .filter(|it| it.ambiguous.contains(&OWN) && !it.brands.contains(&OWN))
        .count() as u64;
    let ranks: Vec<f64> = answers()
        .filter_map(|it| it.brands.iter().position(|brand| *brand == OWN))
        .filter_map(|at| u32::try_from(at + 1).ok().map(f64::from))
        .collect();
    record.first_mention_rank = median(&ranks).filter(|_| input.book.has_competitors());
    record.position_adjusted_share = over_prompts(prompts, |it| {
        it.shares.as_ref().and_then(|all| all.get(OWN)).copied()
    });
    record.share_of_voice =
        own_share_of_voice(prompts, input.book).filter(|_| input.book.has_competitors());
    if !input.book.has_competitors() {
        record.envelope.warnings.push(NO_COMPETITORS.to_owned());
    }
    if !ai_prompts::LANGUAGES.contains(&input.subject.language) {
        record.envelope.warnings.push(NO_TEMPLATES.to_owned());
    }
}

fn set_citations(
    record: &mut AiVisibilityRecord,
    counted: &[&Pair],
    prompts: &Prompts<'_>,
    input: &VisibilityInput<'_>,
) {
    let cites = |it: &EvaluatedAnswer| {
        let pages = it.citations.as_ref()?;
        Some(pages.iter().any(|page| page.owner == Some(OWN)))
    };
    let citations = counts(prompts, cites);
    let Some(rate) = panel_rate::rate(&citations, &seed_key(input, "citations")) else {
        if !counted.is_empty() {
            record.envelope.warnings.push(NO_CITATIONS.to_owned());
        }
        return;
    };
    record.citation_count = Some(citations.iter().map(|it| it.hits).sum());
    record.citation_rate = Some(rate.rate);
    record.citation_rate_low = Some(rate.interval.low);
    record.citation_rate_high = Some(rate.interval.high);
    let (mut ghosts, mut uncited) = (0, 0);
    let mut pages = Pages::default();
    for (_, evaluated) in counted {
        pages.add(evaluated.citations.as_deref().unwrap_or_default());
        let is_named = evaluated.brands.contains(&OWN);
        ghosts += u64::from(cites(evaluated) == Some(true) && !is_named);
        uncited += u64::from(cites(evaluated) == Some(false) && is_named);
    }
    record.ghost_citation_count = Some(ghosts);
    record.uncited_mention_count = Some(uncited);
    record.citation_share = pages.own_share();
    record.average_citation_index = pages.average_own_index();
    record.position_adjusted_citation_share = over_prompts(prompts, |it| it.source_share);
    record.cited_domain_count = pages.domain_count();
    record.cited_domains = pages.domains(input.book);
    record.cited_page_types = pages.page_types();
    record.cited_own_urls = pages.own_urls();
}

fn set_sentiment(record: &mut AiVisibilityRecord, counted: &[&Pair], prompts: &Prompts<'_>) {
    record.recommendation_rate = over_prompts(prompts, |it| {
        let recommended = it.recommended.as_ref()?;
        Some(if recommended.contains(&OWN) { 1.0 } else { 0.0 })
    });
    record.sentiment_score = over_prompts(prompts, |it| it.sentiment.map(|it| it.score));
    let mut counts = SentimentCounts::default();
    let (mut by_lexicon, mut by_model) = (false, false);
    for sentiment in counted.iter().filter_map(|it| it.1.sentiment) {
        record.sentiment_sample_size += u64::from(sentiment.sentences);
        by_model |= sentiment.is_by_model;
        by_lexicon |= !sentiment.is_by_model;
        *match (sentiment.positive > 0, sentiment.negative > 0) {
            (true, true) => &mut counts.mixed,
            (true, false) => &mut counts.positive,
            (false, true) => &mut counts.negative,
            (false, false) => &mut counts.neutral,
        } += 1;
    }
    if record.sentiment_score.is_some() {
        record.sentiment_method = Some(match (by_lexicon, by_model) {
            (true, true) => SentimentMethod::VaderAndModel,
            (false, true) => SentimentMethod::Model,
            _ => SentimentMethod::Vader,
        });
        record.sentiment_counts = Some(counts);
    }
}

/// The mean over prompts of the mean over their answers with a value.
fn over_prompts(
    prompts: &Prompts<'_>,
    value: impl Fn(&EvaluatedAnswer) -> Option<f64>,
) -> Option<f64> {
    let means: Vec<f64> = { prompts.values() }
        .filter_map(|answers| {
            let values: Vec<f64> = answers.iter().filter_map(|it| value(it)).collect();
            mean(&values)
        })
        .collect();
    mean(&means)
}

/// Mean Jaccard index of the brands named by two answers to one prompt.
#[expect(clippy::cast_precision_loss, reason = "a handful of brands")]
fn consistency(prompts: &Prompts<'_>) -> Option<f64> {
    let mut of_prompts = Vec::new();
    for answers in prompts.values() {
        let sets: Vec<BTreeSet<usize>> = answers
            .iter()
            .map(|it| it.brands.iter().copied().collect())
            .collect();
        let mut pairs = Vec::new();
        for (at, one) in sets.iter().enumerate() {
            for other in &sets[at + 1..] {
                let either = one.union(other).count();
                if either > 0 {
                    pairs.push(one.intersection(other).count() as f64 / either as f64);
                }
            }
        }
        of_prompts.extend(mean(&pairs));
    }
    mean(&of_prompts)
}

fn score(record: &AiVisibilityRecord) -> Option<f64> {
    let is_defined =
        record.panel == PromptPanelKind::Discovery && record.answer_count >= MIN_ANSWERS;
    is_defined.then(|| {
        Some(ai_visibility_score(&ScoreParts {
            mention_rate: record.mention_rate?,
            position_adjusted_share: record.position_adjusted_share,
            citation_rate: record.citation_rate,
            recommendation_rate: record.recommendation_rate,
        }))
    })?
}

const EXCERPT_CHARACTERS: usize = 240;
/// Before the first own name.
const EXCERPT_LEAD_CHARACTERS: usize = 80;

fn row((answer, evaluated): &Pair) -> AnswerRow {
    let is_counted = evaluated.state == EvaluatedState::Counted;
    let state = match &evaluated.state {
        EvaluatedState::Counted => "counted",
        EvaluatedState::Empty => "empty",
        EvaluatedState::NotShown => "notShown",
        EvaluatedState::Refused => "refused",
        EvaluatedState::CutShort => "cutShort",
        EvaluatedState::Failed(_) => "failed",
    };
    AnswerRow {
        prompt_id: answer.prompt.prompt_id.clone(),
        prompt: answer.prompt.text.clone(),
        run_index: answer.sample,
        model: answer.served_model.clone(),
        state: state.to_owned(),
        excerpt: is_counted.then(|| excerpt(answer, evaluated)),
        mentioned: is_counted.then(|| evaluated.brands.contains(&OWN)),
        cited: { evaluated.citations.as_ref() }
            .map(|it| it.iter().any(|page| page.owner == Some(OWN))),
    }
}

fn excerpt(answer: &AiAnswer, evaluated: &EvaluatedAnswer) -> String {
    let is_name = |kind| matches!(kind, MarkKind::Mention | MarkKind::Domain);
    // The first mark of an own name, which exists if the project counts as named.
    let own = evaluated.brands.contains(&OWN).then(|| {
        let marks = evaluated.marks.iter().filter(|it| is_name(it.kind));
        marks.filter(|it| it.is_own).map(|it| it.start).next()
    });
    let first = own.flatten().unwrap_or(0) as usize;
    let from = first.saturating_sub(EXCERPT_LEAD_CHARACTERS);
    let text: String = answer
        .text
        .chars()
        .skip(from)
        .take(EXCERPT_CHARACTERS)
        .collect();
    crate::text::words::collapsed(&text)
}

fn envelope(
    input: &VisibilityInput<'_>,
    queried: &[&Pair],
    counted: &[&Pair],
    left_out: &LeftOut,
) -> Envelope {
    let mut warnings: Vec<&str> = [
        (left_out.failed, ANSWERS_FAILED),
        (left_out.refused, ANSWERS_REFUSED),
        (left_out.empty, ANSWERS_EMPTY),
        (left_out.not_shown, ANSWERS_NOT_SHOWN),
        (left_out.cut_short, ANSWERS_CUT_SHORT),
    ]
    .into_iter()
    .filter_map(|(count, code)| (count > 0).then_some(code))
    .collect();
    let is_missing = !warnings.is_empty();
    let few = (counted.len() as u64) < MIN_ANSWERS;
    // Answers that the engine does not show are not failures of the measurement.
    let all_failed = !queried.is_empty() && left_out.failed == queried.len() as u64;
    let status = if all_failed {
        RecordStatus::Error
    } else if few {
        warnings.insert(0, FEW_ANSWERS);
        RecordStatus::InsufficientData
    } else if is_missing {
        RecordStatus::Partial
    } else {
        RecordStatus::Ok
    };
    if models(counted).len() > 1 {
        warnings.push(MODELS_MIXED);
    }
    if counted.iter().any(|it| it.0.searches == Some(0)) {
        warnings.push(SEARCH_NOT_MADE);
    }
    let is_unsure = |it: &&Pair| it.1.ambiguous.contains(&OWN) && !it.1.brands.contains(&OWN);
    if counted.iter().copied().any(|it| is_unsure(&it)) {
        warnings.push(AMBIGUOUS_MENTIONS);
    }
    let first_failure = queried.iter().find_map(|it| match &it.1.state {
        EvaluatedState::Failed(code) => Some(code.clone()),
        _ => None,
    });
    let is_simulated = queried.iter().any(|it| it.0.provenance.is_simulated());
    Envelope {
        result_type: ResultType::AiVisibility,
        project_id: input.subject.project_id,
        keyword_id: input.subject.keyword.map(|it| it.0),
        url: None,
        measured_at: input.measured_at,
        status,
        error: first_failure.filter(|_| all_failed),
        provenance: if is_simulated {
            Provenance::Simulated
        } else {
            queried
                .first()
                .map_or(Provenance::Measured, |it| it.0.provenance)
        },
        provider: queried.first().map(|it| it.0.provider.clone()),
        method_version: METHOD_VERSION.to_owned(),
        sample_size: u32::try_from(counted.len()).unwrap_or(u32::MAX),
        warnings: warnings.into_iter().map(str::to_owned).collect(),
    }
}

fn blank(input: &VisibilityInput<'_>, envelope: Envelope) -> AiVisibilityRecord {
    let subject = &input.subject;
    AiVisibilityRecord {
        envelope,
        keyword: subject.keyword.map(|it| it.1.to_owned()),
        country: subject.country.map(str::to_owned),
        location: subject.location.map(str::to_owned),
        language: subject.language.to_owned(),
        panel: input.panel,
        engine: input.engine.to_owned(),
        model: None,
        models: Vec::new(),
        template_version: 0,
        detector_version: DETECTOR_VERSION.to_owned(),
        prompt_count: 0,
        answer_count: 0,
        refusal_count: 0,
        empty_count: 0,
        not_shown_count: 0,
        cut_short_count: 0,
        failed_count: 0,
        failures: Vec::new(),
        mention_count: 0,
        mention_rate: None,
        mention_rate_low: None,
        mention_rate_high: None,
        interval_method: None,
        citation_count: None,
        citation_rate: None,
        citation_rate_low: None,
        citation_rate_high: None,
        citation_share: None,
        average_citation_index: None,
        ghost_citation_count: None,
        uncited_mention_count: None,
        ambiguous_mention_count: 0,
        first_mention_rank: None,
        position_adjusted_share: None,
        position_adjusted_citation_share: None,
        share_of_voice: None,
        recommendation_rate: None,
        sentiment_score: None,
        sentiment_method: None,
        sentiment_sample_size: 0,
        sentiment_counts: None,
        competitors: Vec::new(),
        cited_domains: Vec::new(),
        cited_domain_count: 0,
        cited_page_types: Vec::new(),
        cited_own_urls: Vec::new(),
        answers: Vec::new(),
        search_triggered_rate: None,
        consistency: None,
        cost_units: None,
        ai_visibility_score: None,
    }
}
