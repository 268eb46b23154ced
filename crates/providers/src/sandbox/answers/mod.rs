//! Simulated AI engines: an assistant with search, an overview above search results, and a model without sources.
//! Deterministic and labeled as simulated.
//!
//! The same prompt, market, day, sample and seed give the same answer. Competitors are those of the simulated search
//! market, under the same hosts. Answers cover: brands recommended or only named, with any sentiment; pages cited
//! without their brand; drifting visibility; a model change; empty, refused and truncated answers. Calls fail at the
//! configured rate, or if the prompt holds a word of [`Trouble`](super::Trouble).

mod draft;
mod phrases;

use super::{SandboxSettings, chance::Chance, layout::PROVIDER, market, trouble::Trouble};
use analysis::observation::ai_answer::{AnswerState, AnswerUsage, CitationPart};
use analysis::observation::search_page::Device;
use analysis::provenance::Provenance;
use async_trait::async_trait;
use chrono::{Datelike, NaiveDate};
use domain::money::MicroUsd;
use domain::ports::ai_answers::{
    AiEngine, AiQuestion, Asked, EngineAnswer, EngineLabel, Retrieval, SIMULATED_ENGINES,
};
use domain::ports::call_journal::CallJournal;
use domain::ports::clock::Clock;
use domain::ports::search_results::{ProviderError, Spent, Unpaid};
use draft::Draft;
use phrases::{Kind, sentence};
use std::sync::Arc;

/// Days between two models of the assistant.
const BETWEEN_MODELS: i32 = 120;
/// Before this day only the first model exists.
const FIRST_MODELS: NaiveDate = NaiveDate::from_ymd_opt(2025, 1, 1).expect("a day");
const RIVALS: usize = 8;
const AT_ONCE: usize = 16;

pub(crate) fn engines(
    settings: &SandboxSettings,
    clock: &Arc<dyn Clock>,
) -> Vec<Arc<dyn AiEngine>> {
    let each = [Manner::Assistant, Manner::Overview, Manner::Mentions].into_iter();
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
enum Manner {
    /// Long, with links.
    Assistant,
    /// Short, and not for every question.
    Overview,
    /// Without sources.
    Mentions,
}

struct SandboxEngine {
    manner: Manner,
    settings: SandboxSettings,
    clock: Arc<dyn Clock>,
}

#[derive(Debug, Clone, PartialEq)]
enum Brand {
    Own,
    Rival(usize),
}

struct Scene<'a> {
    question: &'a AiQuestion,
    manner: Manner,
    market: Chance,
    prompt: Chance,
    sample: Chance,
}

impl Manner {
    /// Public name and display name.
    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Assistant => SIMULATED_ENGINES[0],
            Self::Overview => SIMULATED_ENGINES[1],
            Self::Mentions => SIMULATED_ENGINES[2],
        }
    }

    const fn readiness(self) -> f64 {
        match self {
            Self::Assistant => 0.1,
            Self::Overview => -0.05,
            Self::Mentions => 0.0,
        }
    }
}

fn model(seed: u64, day: NaiveDate) -> String {
    let shift = i32::try_from(Chance::seeded(seed).of("model day").below(120)).unwrap_or(0);
    let days = day.num_days_from_ce() - FIRST_MODELS.num_days_from_ce() + shift;
    format!(
        "sandbox-assistant-{}",
        days.div_euclid(BETWEEN_MODELS).max(0) + 1
    )
}

impl SandboxEngine {
    fn answer(&self, question: &AiQuestion) -> Result<EngineAnswer, ProviderError> {
        let market = Chance::seeded(self.settings.seed)
            .of(&question.country)
            .of(&question.language)
            .of(Device::Desktop.name())
            .of(question.location.as_deref().unwrap_or_default());
        let prompt = market.of(&question.prompt).of(self.manner.names().0);
        let day = question.day.num_days_from_ce().unsigned_abs();
        let sample = prompt
            .of("sample")
            .nth(day.into())
            .nth(question.sample.into());
        let trouble = Trouble::asked_in(&question.prompt)
            .or_else(|| Trouble::by_chance(sample, question.day, self.settings.failure_rate.0));
        let asked = match trouble.map(Trouble::error) {
            Some(Some(error)) => return Err(error),
            Some(None) if trouble == Some(Trouble::Blocked) => Some(AnswerState::Refused),
            Some(None) => Some(AnswerState::Empty),
            None => None,
        };
        let scene = Scene {
            question,
            manner: self.manner,
            market,
            prompt,
            sample,
        };
        let state = asked.unwrap_or_else(|| scene.state());
        Ok(self.told(&scene, state))
    }

    fn told(&self, scene: &Scene<'_>, state: AnswerState) -> EngineAnswer {
        let question = scene.question;
        let has_text = matches!(state, AnswerState::Answered | AnswerState::CutShort);
        let mut draft = if has_text {
            scene.written()
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
            Manner::Overview => 1,
            Manner::Assistant if question.web_search => 1 + scene.sample.of("searches").below(3),
            Manner::Assistant | Manner::Mentions => 0,
        };
        let has_sources = searches > 0;
        let queries = ["", " compared", " reviews"].iter().take(searches);
        let words = |text: &str| u64::try_from(text.len() / 4).unwrap_or(0);
        EngineAnswer {
            provider: PROVIDER.to_owned(),
            served_model: (self.manner == Manner::Assistant)
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

impl Scene<'_> {
    /// Whether an overview is shown depends on the prompt; near the threshold also on the day.
    fn state(&self) -> AnswerState {
        if self.manner == Manner::Overview {
            let shown = self.prompt.of("shown");
            if shown.share() + 0.08 * shown.walk(self.question.day) > 0.65 {
                return AnswerState::NotShown;
            }
        }
        match self.sample.of("state").share() {
            it if it < 0.01 => AnswerState::Refused,
            it if it < 0.015 => AnswerState::Empty,
            it if it < 0.02 => AnswerState::CutShort,
            _ => AnswerState::Answered,
        }
    }

    fn visibility(&self) -> f64 {
        let site = self.market.of("site").of(&self.question.site);
        let own = self.prompt.of("own").of(&self.question.site);
        let today = 0.15 * site.of(self.manner.names().0).walk(self.question.day);
        (0.15 + 0.4 * site.share() + 0.35 * (own.share() - 0.5) + self.manner.readiness() + today)
            .clamp(0.0, 0.95)
    }

    /// Strong competitors of the market appear for many prompts.
    fn rivals(&self) -> Vec<usize> {
        let (strengths, fits) = (self.market.of("strength"), self.prompt.of("fit"));
        let drifts = self.market.of("drift");
        let score =
            |number: u64| 0.6 * strengths.nth(number).share() + 0.4 * fits.nth(number).share();
        let mut scored: Vec<(f64, u64)> = (0_u64..)
            .take(market::COMPETITORS)
            .map(|number| (score(number), number))
            .collect();
        let order = |a: &(f64, u64), b: &(f64, u64)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        scored.select_nth_unstable_by(RIVALS - 1, order);
        scored.truncate(RIVALS);
        for (score, number) in &mut scored {
            *score += 0.06 * drifts.nth(*number).walk(self.question.day)
                + 0.25 * self.sample.of("pick").nth(*number).share();
        }
        scored.sort_unstable_by(order);
        { scored.iter() }
            .filter_map(|(_, number)| usize::try_from(*number).ok())
            .collect()
    }

    fn brands(&self) -> Vec<Brand> {
        let count = match self.manner {
            Manner::Overview => 2 + self.sample.of("count").below(2),
            _ => 3 + self.sample.of("count").below(3),
        };
        let rivals = self.rivals().into_iter().take(count);
        let mut brands: Vec<Brand> = rivals.map(Brand::Rival).collect();
        if self.sample.of("named").share() < self.visibility() {
            let place = self.sample.of("rank").share().powi(2);
            let place = self
                .sample
                .of("rank")
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
            Brand::Rival(number) => market::name(*number, &self.question.country),
        }
    }

    fn host(&self, brand: &Brand) -> String {
        match brand {
            Brand::Own => self.question.site.clone(),
            Brand::Rival(number) => market::host(*number, &self.question.country),
        }
    }

    fn page(&self, brand: &Brand) -> (String, String) {
        let host = self.host(brand);
        let path = ["", "guide", "prices", "reviews"][self.prompt.of("path").of(&host).below(4)];
        (format!("https://{host}/{path}"), host)
    }

    fn sentence(&self, kind: Kind, about: &str) -> &'static str {
        sentence(
            &self.question.language,
            kind,
            self.sample.of("words").of(about),
        )
    }

    /// The first brand is mostly recommended; some are criticized.
    fn said(&self, place: usize, brand: &Brand) -> String {
        let name = self.name(brand);
        let mood = self.sample.of("mood").of(&name).share();
        let kind = match (place, mood) {
            (0, it) if it < 0.6 => Kind::Best,
            (_, it) if it < 0.5 => Kind::Good,
            (_, it) if it < 0.88 => Kind::Bare,
            _ => Kind::Bad,
        };
        self.sentence(kind, &name).replace("{brand}", &name)
    }

    fn written(&self) -> Draft {
        let mut draft = Draft::default();
        let brands = self.brands();
        let has_sources = match self.manner {
            Manner::Mentions => false,
            Manner::Overview => true,
            Manner::Assistant => self.question.web_search,
        };
        draft.say("", self.sentence(Kind::Intro, "intro"));
        for (place, brand) in brands.iter().enumerate() {
            let begin = match self.manner {
                Manner::Overview => "- ".to_owned(),
                _ => format!("{}. ", place + 1),
            };
            draft.say(&begin, &self.said(place, brand));
            let is_cited = self.sample.of("cited").of(&self.name(brand)).share() < 0.6;
            if has_sources && is_cited {
                let (url, host) = self.page(brand);
                self.refer(&mut draft, &url, &host);
            }
        }
        if has_sources {
            self.add_others(&mut draft, &brands);
        }
        draft.say("", self.sentence(Kind::End, "end"));
        draft
    }

    fn refer(&self, draft: &mut Draft, url: &str, host: &str) {
        if self.manner == Manner::Assistant {
            draft.cite(url, host);
        } else {
            let since = draft.text.rfind('\n').map_or(0, |it| it + 1);
            draft.back(since, url, host);
        }
    }

    /// Adds encyclopedia and forum pages, sometimes the own site unnamed, and unused search results.
    fn add_others(&self, draft: &mut Draft, brands: &[Brand]) {
        for (kind, often) in [("wiki", 0.4), ("forum", 0.3)] {
            let chance = self.sample.of(kind);
            if chance.share() < often {
                let number = market::of_kind(kind, self.prompt.of(kind));
                let (url, host) = self.page(&Brand::Rival(number));
                draft.say("", self.sentence(Kind::Aside, kind));
                self.refer(draft, &url, &host);
            }
        }
        let is_named = brands.contains(&Brand::Own);
        let ghost = self.sample.of("ghost").share();
        if !is_named && ghost < 0.12 && !self.question.site.is_empty() {
            let (url, host) = self.page(&Brand::Own);
            draft.refer(&url, &host, CitationPart::SourceList, None);
        }
        for number in self.rivals().into_iter().rev().take(2) {
            let (url, host) = self.page(&Brand::Rival(number));
            draft.refer(&url, &host, CitationPart::SearchResult, None);
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
            model: (self.manner == Manner::Assistant).then(|| "sandbox-assistant".to_owned()),
            provenance: Provenance::Simulated,
            has_sources: self.manner != Manner::Mentions,
            forces_retrieval: self.manner != Manner::Mentions,
        }
    }

    fn most(&self) -> Spent {
        Spent::on(1, MicroUsd::default())
    }

    fn unpaid(&self) -> Option<Unpaid> {
        None
    }

    fn at_once(&self) -> usize {
        AT_ONCE
    }

    async fn ask(&self, question: &AiQuestion, _: &Arc<dyn CallJournal>) -> Asked {
        self.settings.wait().await;
        Asked {
            answer: self.answer(question),
            spent: self.most(),
        }
    }
}

#[cfg(test)]
mod tests;
