//! Simulated AI engines: an assistant with search, an overview above search results, and a model without sources.
//! Deterministic and labeled as simulated.
//!
//! The same prompt, market, day, sample and seed give the same answer. Competitors are those of the simulated search
//! market, under the same hosts. Answers cover: brands recommended or only named, with any sentiment; pages cited
//! without their brand; drifting visibility; a model change; empty, refused and truncated answers. Calls fail at the
//! configured rate, or if the prompt contains a word of [`SimulatedFailure`].

mod draft;
mod phrases;

use super::{
    SandboxSettings, chance::Chance, layout::PROVIDER, market, simulated_failure::SimulatedFailure,
};
use analysis::observation::ai_answer::{AnswerState, AnswerUsage, CitationPart};
use analysis::observation::search_page::Device;
use analysis::provenance::Provenance;
use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};
use domain::money::MicroUsd;
use domain::ports::ai_answers::{
    AiEngine, AiQuery, AiQueryOutcome, EngineAnswer, EngineLabel, Retrieval, SIMULATED_ENGINES,
};
use domain::ports::clock::Clock;
use domain::ports::paid_call_ledger::PaidCallLedger;
use domain::ports::search_results::{PaidCallRefusal, ProviderError, Spent};
use draft::Draft;
use phrases::{Kind, sentence};
use std::sync::Arc;

/// Days between two models of the assistant.
const MODEL_INTERVAL_DAYS: i32 = 120;
/// Before this day only the first model exists.
const FIRST_MODEL_DAY: NaiveDate = NaiveDate::from_ymd_opt(2025, 1, 1).expect("a day");
const COMPETITORS_PER_ANSWER: usize = 8;
const AT_ONCE: usize = 16;

pub(crate) fn engines(
    settings: &SandboxSettings,
    clock: &Arc<dyn Clock>,
) -> Vec<Arc<dyn AiEngine>> {
    let each = [
        EngineStyle::Assistant,
        EngineStyle::Overview,
        EngineStyle::Mentions,
    ]
    .into_iter();
    each.map(|manner| {
        Arc::new(SandboxEngine {
            manner,
            settings: settings.clone(),
            clock: Arc::clone(clock),
        }) as Arc<dyn AiEngine>
    })
    .collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EngineStyle {
    /// Long, with links.
    Assistant,
    /// Short, and not for every question.
    Overview,
    /// Without sources.
    Mentions,
}

struct SandboxEngine {
    manner: EngineStyle,
    settings: SandboxSettings,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq)]
enum Brand {
    Own,
    Competitor(usize),
}

struct AnswerContext<'a> {
    question: &'a AiQuery,
    manner: EngineStyle,
    market: Chance,
    prompt: Chance,
    sample: Chance,
}

impl EngineStyle {
    /// Public name and display name.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Assistant => SIMULATED_ENGINES[0],
            Self::Overview => SIMULATED_ENGINES[1],
            Self::Mentions => SIMULATED_ENGINES[2],
        }
    }

    const fn mention_bias(self) -> f64 {
        match self {
            Self::Assistant => 0.1,
            Self::Overview => -0.05,
            Self::Mentions => 0.0,
        }
    }
}

fn model(seed: u64, day: NaiveDate) -> String {
    let shift = i32::try_from(Chance::seeded(seed).derive("model day").below(120)).unwrap_or(0);
    let days = day.num_days_from_ce() - FIRST_MODEL_DAY.num_days_from_ce() + shift;
    format!(
        "sandbox-assistant-{}",
        days.div_euclid(MODEL_INTERVAL_DAYS).max(0) + 1
    )
}

impl SandboxEngine {
    fn answer(&self, question: &AiQuery) -> Result<EngineAnswer, ProviderError> {
        let market = Chance::seeded(self.settings.seed)
            .derive(&question.country)
            .derive(&question.language)
            .derive(Device::Desktop.name())
            .derive(question.location.as_deref().unwrap_or_default());
        let prompt = market
            .derive(&question.prompt)
            .derive(self.manner.names().0);
        let day = question.day.num_days_from_ce().unsigned_abs();
        let sample = prompt
            .derive("sample")
            .nth(day.into())
            .nth(question.sample.into());
        let failure = SimulatedFailure::in_prompt(&question.prompt).or_else(|| {
            SimulatedFailure::at_random(sample, question.day, self.settings.failure_rate.0)
        });
        let forced_state = match failure.map(SimulatedFailure::error) {
            Some(Some(error)) => return Err(error),
            Some(None) if failure == Some(SimulatedFailure::Blocked) => Some(AnswerState::Refused),
            Some(None) => Some(AnswerState::Empty),
            None => None,
        };
        let scene = AnswerContext {
            question,
            manner: self.manner,
            market,
            prompt,
            sample,
        };
        let state = forced_state.unwrap_or_else(|| scene.state());
        Ok(self.build_answer(&scene, state))
    }

    fn build_answer(&self, scene: &AnswerContext<'_>, state: AnswerState) -> EngineAnswer {
        let question = scene.question;
        let has_text = matches!(state, AnswerState::Answered | AnswerState::CutShort);
        let mut draft = if has_text {
            scene.draft()
        } else {
            Draft::default()
        };
        if state == AnswerState::CutShort {
            let half = draft.text.len() / 2;
            let end = (0..=half).rev().find(|it| draft.text.is_char_boundary(*it));
            draft.text.truncate(end.unwrap_or(0));
            let length = draft.text.len();
            for it in &mut draft.citations {
                it.spans.retain(|span| span.end <= length);
            }
        }
        let searches = match self.manner {
            EngineStyle::Overview => 1,
            EngineStyle::Assistant if question.web_search => {
                1 + scene.sample.derive("searches").below(3)
            }
            EngineStyle::Assistant | EngineStyle::Mentions => 0,
        };
        let has_sources = searches > 0;
        let queries = ["", " compared", " reviews"].iter().take(searches);
        let words = |text: &str| u64::try_from(text.len() / 4).unwrap_or(0);
        EngineAnswer {
            provider: PROVIDER.to_owned(),
            served_model: (self.manner == EngineStyle::Assistant)
                .then(|| model(self.settings.seed, question.day)),
            state,
            citations: has_sources.then_some(draft.citations),
            searches: u32::try_from(searches).ok(),
            queries: queries
                .map(|more| format!("{}{more}", question.prompt))
                .collect(),
            retrieval: Retrieval {
                forced: has_sources,
                used: Some(has_sources),
            },
            answered_at: self.clock.now(),
            usage: AnswerUsage {
                input_tokens: Some(words(&question.prompt) + 8),
                output_tokens: Some(words(&draft.text)),
                cost_micros: Some(0),
                latency_ms: Some(self.settings.latency_ms.0).filter(|it| *it > 0),
            },
            text: draft.text,
            warnings: Vec::new(),
        }
    }
}

impl AnswerContext<'_> {
    /// Whether an overview is shown depends on the prompt; near the threshold also on the day.
    fn state(&self) -> AnswerState {
        if self.manner == EngineStyle::Overview {
            let shown = self.prompt.derive("shown");
            if shown.fraction() + 0.08 * shown.walk(self.question.day) > 0.65 {
                return AnswerState::NotShown;
            }
        }
        match self.sample.derive("state").fraction() {
            it if it < 0.01 => AnswerState::Refused,
            it if it < 0.015 => AnswerState::Empty,
            it if it < 0.02 => AnswerState::CutShort,
            _ => AnswerState::Answered,
        }
    }

    fn visibility(&self) -> f64 {
        let site = self.market.derive("site").derive(&self.question.site);
        let own = self.prompt.derive("own").derive(&self.question.site);
        let today = 0.15 * site.derive(self.manner.names().0).walk(self.question.day);
        (0.15
            + 0.4 * site.fraction()
            + 0.35 * (own.fraction() - 0.5)
            + self.manner.mention_bias()
            + today)
            .clamp(0.0, 0.95)
    }

    /// Strong competitors of the market appear for many prompts.
    fn competitors(&self) -> Vec<usize> {
        let (strengths, fits) = (self.market.derive("strength"), self.prompt.derive("fit"));
        let drifts = self.market.derive("drift");
        let score = |number: u64| {
            0.6 * strengths.nth(number).fraction() + 0.4 * fits.nth(number).fraction()
        };
        let mut scored: Vec<(f64, u64)> = (0_u64..)
            .take(market::COMPETITORS)
            .map(|number| (score(number), number))
            .collect();
        let order = |a: &(f64, u64), b: &(f64, u64)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        scored.select_nth_unstable_by(COMPETITORS_PER_ANSWER - 1, order);
        scored.truncate(COMPETITORS_PER_ANSWER);
        for (score, number) in &mut scored {
            *score += 0.06 * drifts.nth(*number).walk(self.question.day)
                + 0.25 * self.sample.derive("pick").nth(*number).fraction();
        }
        scored.sort_unstable_by(order);
        { scored.iter() }
            .filter_map(|(_, number)| usize::try_from(*number).ok())
            .collect()
    }

    fn brands(&self) -> Vec<Brand> {
        let count = match self.manner {
            EngineStyle::Overview => 2 + self.sample.derive("count").below(2),
            _ => 3 + self.sample.derive("count").below(3),
        };
        let competitors = self.competitors().into_iter().take(count);
        let mut brands: Vec<Brand> = competitors.map(Brand::Competitor).collect();
        if self.sample.derive("named").fraction() < self.visibility() {
            let place = self.sample.derive("rank").fraction().powi(2);
            let place = self
                .sample
                .derive("rank")
                .below(brands.len() + 1)
                .min(if place < 0.3 { 1 } else { brands.len() });
            brands.insert(place, Brand::Own);
        }
        brands
    }

    fn name(&self, brand: &Brand) -> String {
        match brand {
            Brand::Own if self.question.brand.is_empty() => self.question.site.clone(),
            Brand::Own => self.question.brand.clone(),
            Brand::Competitor(number) => market::brand_name(*number, &self.question.country),
        }
    }

    fn host(&self, brand: &Brand) -> String {
        match brand {
            Brand::Own => self.question.site.clone(),
            Brand::Competitor(number) => market::host(*number, &self.question.country),
        }
    }

    fn page(&self, brand: &Brand) -> (String, String) {
        let host = self.host(brand);
        let path =
            ["", "guide", "prices", "reviews"][self.prompt.derive("path").derive(&host).below(4)];
        (format!("https://{host}/{path}"), host)
    }

    fn sentence(&self, kind: Kind, about: &str) -> &'static str {
        sentence(
            &self.question.language,
            kind,
            self.sample.derive("words").derive(about),
        )
    }

    /// The first brand is mostly recommended; some are criticized.
    fn brand_sentence(&self, place: usize, brand: &Brand) -> String {
        let name = self.name(brand);
        let mood = self.sample.derive("mood").derive(&name).fraction();
        let kind = match (place, mood) {
            (0, it) if it < 0.6 => Kind::Best,
            (_, it) if it < 0.5 => Kind::Good,
            (_, it) if it < 0.88 => Kind::Bare,
            _ => Kind::Bad,
        };
        self.sentence(kind, &name).replace("{brand}", &name)
    }

    fn draft(&self) -> Draft {
        let mut draft = Draft::default();
        let brands = self.brands();
        let has_sources = match self.manner {
            EngineStyle::Mentions => false,
            EngineStyle::Overview => true,
            EngineStyle::Assistant => self.question.web_search,
        };
        draft.add_line("", self.sentence(Kind::Intro, "intro"));
        for (place, brand) in brands.iter().enumerate() {
            let begin = match self.manner {
                EngineStyle::Overview => "- ".to_owned(),
                _ => format!("{}. ", place + 1),
            };
            draft.add_line(&begin, &self.brand_sentence(place, brand));
            let is_cited = self
                .sample
                .derive("cited")
                .derive(&self.name(brand))
                .fraction()
                < 0.6;
            if has_sources && is_cited {
                let (url, host) = self.page(brand);
                self.cite_page(&mut draft, &url, &host);
            }
        }
        if has_sources {
            self.add_others(&mut draft, &brands);
        }
        draft.add_line("", self.sentence(Kind::End, "end"));
        draft
    }

    fn cite_page(&self, draft: &mut Draft, url: &str, host: &str) {
        if self.manner == EngineStyle::Assistant {
            draft.cite(url, host);
        } else {
            let since = draft.text.rfind('\n').map_or(0, |it| it + 1);
            draft.cite_lines(since, url, host);
        }
    }

    /// Adds encyclopedia and forum pages, sometimes the own site unnamed, and unused search results.
    fn add_others(&self, draft: &mut Draft, brands: &[Brand]) {
        for (kind, often) in [("wiki", 0.4), ("forum", 0.3)] {
            let chance = self.sample.derive(kind);
            if chance.fraction() < often {
                let number = market::with_second_word(kind, self.prompt.derive(kind));
                let (url, host) = self.page(&Brand::Competitor(number));
                draft.add_line("", self.sentence(Kind::Aside, kind));
                self.cite_page(draft, &url, &host);
            }
        }
        let is_named = brands.contains(&Brand::Own);
        let ghost = self.sample.derive("ghost").fraction();
        if !is_named && ghost < 0.12 && !self.question.site.is_empty() {
            let (url, host) = self.page(&Brand::Own);
            draft.add_citation(&url, &host, CitationPart::SourceList, None);
        }
        for number in self.competitors().into_iter().rev().take(2) {
            let (url, host) = self.page(&Brand::Competitor(number));
            draft.add_citation(&url, &host, CitationPart::SearchResult, None);
        }
    }
}

#[async_trait]
impl AiEngine for SandboxEngine {
    fn label(&self) -> EngineLabel {
        EngineLabel {
            name: self.manner.names().0.to_owned(),
            title: self.manner.names().1.to_owned(),
            provider: PROVIDER.to_owned(),
            model: (self.manner == EngineStyle::Assistant).then(|| "sandbox-assistant".to_owned()),
            provenance: Provenance::Simulated,
            has_sources: self.manner != EngineStyle::Mentions,
            forces_retrieval: self.manner != EngineStyle::Mentions,
        }
    }

    fn max_spend(&self) -> Spent {
        Spent::on(1, MicroUsd::default())
    }

    fn paid_call_refusal(&self) -> Option<PaidCallRefusal> {
        None
    }

    fn max_concurrency(&self) -> usize {
        AT_ONCE
    }

    async fn query(&self, question: &AiQuery, _: &Arc<dyn PaidCallLedger>) -> AiQueryOutcome {
        self.settings.wait().await;
        AiQueryOutcome {
            answer: self.answer(question),
            spent: self.max_spend(),
        }
    }
}

#[cfg(test)]
mod tests;
