use crate::ToSchema;
use crate::ai_answers::brands::OWN;
use crate::ai_answers::{DETECTOR_VERSION, EvaluatedAnswer, EvaluatedState};
use crate::observation::ai_answer::AiAnswer;
use crate::provenance::Provenance;
use crate::statistics::panel_rate::Count;
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Counts of the answers to a prompt by one engine and model, on one day.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PromptTally {
    /// The day, in UTC.
    pub day: NaiveDate,
    pub engine: String,
    /// The model that answered; `None` if the engine does not report it.
    pub model: Option<String>,
    pub template_version: u32,
    pub detector_version: String,
    pub provenance: Provenance,
    pub prompt_id: String,
    /// The keyword; `None` for branded prompts.
    pub keyword_id: Option<i64>,
    pub is_branded: bool,
    pub answers: u64,
    pub mentions: u64,
    /// Answers of engines with sources.
    pub sourced: u64,
    /// Answers that cite an own page.
    pub citations: u64,
    /// Answers in languages in which recommendations can be detected.
    #[serde(rename = "judged")]
    pub evaluated: u64,
    pub recommendations: u64,
    /// Mentions of brands that the prompt does not name, each once per answer.
    pub namings: u64,
    /// Answers that name a brand.
    pub shared: u64,
    /// Sum of the project's position-adjusted shares in these.
    pub share_sum: f64,
    /// Answers with a known sentiment.
    pub felt: u64,
    pub sentiment_sum: f64,
    pub left_out: LeftOut,
    pub cited_domains: BTreeMap<String, u64>,
}

/// Questions without an answer that counts, by why.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = AiLeftOut)]
pub struct LeftOut {
    /// Refused.
    pub refused: u64,
    /// Without text.
    pub empty: u64,
    /// Not shown by the engine.
    pub not_shown: u64,
    /// Cut off at the limit of length.
    pub cut_short: u64,
    /// Failed.
    pub failed: u64,
}

impl LeftOut {
    pub fn add(&mut self, state: &EvaluatedState) {
        match state {
            EvaluatedState::Counted => {}
            EvaluatedState::Refused => self.refused += 1,
            EvaluatedState::Empty => self.empty += 1,
            EvaluatedState::NotShown => self.not_shown += 1,
            EvaluatedState::CutShort => self.cut_short += 1,
            EvaluatedState::Failed(_) => self.failed += 1,
        }
    }

    pub const fn merge(&mut self, other: &Self) {
        self.refused += other.refused;
        self.empty += other.empty;
        self.not_shown += other.not_shown;
        self.cut_short += other.cut_short;
        self.failed += other.failed;
    }

    pub const fn total(&self) -> u64 {
        self.refused + self.empty + self.not_shown + self.cut_short + self.failed
    }
}

/// Per prompt and day.
const MAX_DOMAINS: usize = 200;

impl PromptTally {
    fn of(answer: &AiAnswer, model: Option<String>) -> Self {
        Self {
            day: answer.answered_at.date_naive(),
            engine: answer.engine.clone(),
            model,
            template_version: answer.prompt.template_version,
            detector_version: DETECTOR_VERSION.to_owned(),
            provenance: answer.provenance,
            prompt_id: answer.prompt.prompt_id.clone(),
            keyword_id: answer.prompt.keyword_id,
            is_branded: answer.prompt.is_branded,
            answers: 0,
            mentions: 0,
            sourced: 0,
            citations: 0,
            evaluated: 0,
            recommendations: 0,
            namings: 0,
            shared: 0,
            share_sum: 0.0,
            felt: 0,
            sentiment_sum: 0.0,
            left_out: LeftOut::default(),
            cited_domains: BTreeMap::new(),
        }
    }

    fn add(&mut self, evaluated: &EvaluatedAnswer) {
        self.left_out.add(&evaluated.state);
        if evaluated.state != EvaluatedState::Counted {
            return;
        }
        let is_named = evaluated.brands.contains(&OWN);
        self.answers += 1;
        self.mentions += u64::from(is_named);
        // Shares are undefined without competitors.
        if evaluated.shares.is_some() {
            self.namings += { evaluated.brands.iter() }
                .filter(|it| !evaluated.prompted.contains(it))
                .count() as u64;
        }
        if let Some(pages) = &evaluated.citations {
            self.sourced += 1;
            self.citations += u64::from(pages.iter().any(|it| it.owner == Some(OWN)));
            let domains: std::collections::BTreeSet<&String> =
                pages.iter().map(|it| &it.domain).collect();
            for domain in domains {
                let has_room = self.cited_domains.len() < MAX_DOMAINS;
                if let Some(count) = self.cited_domains.get_mut(domain) {
                    *count += 1;
                } else if has_room {
                    self.cited_domains.insert(domain.clone(), 1);
                }
            }
        }
        if let Some(recommended) = &evaluated.recommended {
            self.evaluated += 1;
            self.recommendations += u64::from(recommended.contains(&OWN));
        }
        if let Some(shares) = &evaluated.shares {
            self.shared += 1;
            self.share_sum += shares.get(OWN).copied().unwrap_or(0.0);
        }
        if let Some(sentiment) = &evaluated.sentiment {
            self.felt += 1;
            self.sentiment_sum += sentiment.score;
        }
    }

    /// Adds counts of the same prompt, engine and versions, of the same or another day.
    pub fn merge(&mut self, other: &Self) {
        self.day = self.day.min(other.day);
        self.answers += other.answers;
        self.mentions += other.mentions;
        self.sourced += other.sourced;
        self.citations += other.citations;
        self.evaluated += other.evaluated;
        self.recommendations += other.recommendations;
        self.namings += other.namings;
        self.shared += other.shared;
        self.share_sum += other.share_sum;
        self.felt += other.felt;
        self.sentiment_sum += other.sentiment_sum;
        self.left_out.merge(&other.left_out);
        for (domain, count) in &other.cited_domains {
            let has_room = self.cited_domains.len() < MAX_DOMAINS;
            if let Some(there) = self.cited_domains.get_mut(domain) {
                *there += count;
            } else if has_room {
                self.cited_domains.insert(domain.clone(), *count);
            }
        }
    }

    pub const fn mention_count(&self) -> Count {
        Count {
            hits: self.mentions,
            trials: self.answers,
        }
    }

    pub const fn citation_count(&self) -> Count {
        Count {
            hits: self.citations,
            trials: self.sourced,
        }
    }
}

/// Ordered by day, engine, model and prompt. A question without an answer has no served model and counts for the
/// requested one.
pub fn tallies<'a>(
    answers: impl IntoIterator<Item = (&'a AiAnswer, &'a EvaluatedAnswer)>,
) -> Vec<PromptTally> {
    let mut all: BTreeMap<_, PromptTally> = BTreeMap::new();
    for (answer, evaluated) in answers {
        let model = answer.served_model.clone();
        let key = (
            answer.answered_at.date_naive(),
            answer.engine.clone(),
            model.clone(),
            answer.prompt.prompt_id.clone(),
            answer.prompt.template_version,
        );
        let tally = all
            .entry(key)
            .or_insert_with(|| PromptTally::of(answer, model));
        tally.add(evaluated);
    }
    all.into_values().collect()
}
