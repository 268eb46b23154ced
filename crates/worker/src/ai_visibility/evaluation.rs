//! Evaluates answers in keyword batches, to bound memory.

use super::{EVALUATION_BATCH, Pass, sentiment::SentimentRater};
use crate::attempt_state::AttemptFailure;
use analysis::{
    ai_answers::{self, EvaluatedAnswer, brands::BrandBook},
    document::Document,
    findings::ai_visibility::{
        PromptPanelKind, VisibilityInput, VisibilitySubject, tallies, visibility,
    },
    observation::ai_answer::AiAnswer,
    result_type::ResultType,
};
use chrono::NaiveDate;
use domain::ids::{JobId, KeywordId, ProjectId};
use domain::kept_answers::{KeptAnswer, KeywordTallies};
use domain::keyword::Keyword;
use domain::market::Market;
use domain::record_ordinals::ordinal;
use domain::results::StagedFinding;
use domain::use_cases::brands::ProjectBrands;
use domain::use_cases::leases::LeaseToken;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

struct Batch {
    project: ProjectId,
    job: JobId,
    day: NaiveDate,
    brands: Arc<ProjectBrands>,
    keywords: Vec<Keyword>,
    /// Market of the branded prompts.
    market: Option<Market>,
    pairs: Vec<EvaluatedPair>,
    countries: HashMap<String, String>,
}

#[derive(Default)]
pub(super) struct EvaluatedBatch {
    findings: Vec<StagedFinding>,
    tallies: Vec<KeywordTallies>,
}

pub(super) type EvaluatedPair = (AiAnswer, EvaluatedAnswer);

impl Pass<'_> {
    /// Evaluates all answers and stages the records. Returns keyword texts by id; `None` if stopped.
    pub(super) async fn evaluate_answers(
        &mut self,
    ) -> Result<Option<BTreeMap<i64, String>>, AttemptFailure> {
        let mut rater = SentimentRater::of(self);
        let of_each = self.total / self.keywords.max(1);
        let together = (EVALUATION_BATCH / of_each.max(1)).clamp(1, 50);
        let together = u32::try_from(together).unwrap_or(1);
        let (mut after, mut texts) = (None, BTreeMap::new());
        while let Some(keywords) = self.next_keywords(&mut after, together).await? {
            let read = { keywords.iter() }.map(|it| (it.id.0, it.text.as_str().to_owned()));
            texts.extend(read);
            let number = keywords.len() as u64;
            self.evaluate_batch(rater.as_mut(), keywords).await?;
            self.evaluated += number;
            self.state.set_progress(self.progress(false));
            if self.state.stop.is_cancelled() {
                return Ok(None);
            }
        }
        self.evaluate_batch(rater.as_mut(), Vec::new()).await?;
        self.sentiment_incomplete = rater.is_some_and(|it| it.is_incomplete);
        let active: Vec<String> = { self.active.iter() }
            .map(|it| it.label.name.clone())
            .collect();
        let carrying = self.tools.core.carry_over_visibility(self.job, &active);
        carrying.await?;
        Ok(Some(texts))
    }

    async fn evaluate_batch(
        &self,
        rater: Option<&mut SentimentRater>,
        keywords: Vec<Keyword>,
    ) -> Result<(), AttemptFailure> {
        let about: Vec<Option<KeywordId>> = if keywords.is_empty() {
            vec![None]
        } else {
            keywords.iter().map(|it| Some(it.id)).collect()
        };
        let mut read = self.tools.core.storage.read().await?;
        let answers = read
            .answers()
            .of_job(self.job.account, self.job.id, &about)
            .await?;
        drop(read);
        let brands = Arc::clone(&self.brands);
        let evaluating = tokio::task::spawn_blocking(move || evaluate_each(answers, &brands.book));
        let mut pairs = evaluating.await?;
        if let Some(rater) = rater {
            let market = keywords.first().map(|it| &it.market);
            let market = market.or(self.market.as_ref());
            self.rate_sentiment(rater, market, &mut pairs).await?;
        }
        let batch = Batch {
            project: self.job.project,
            job: self.job.id,
            day: self.job.day,
            brands: Arc::clone(&self.brands),
            market: self.market.clone(),
            countries: self.countries(),
            keywords,
            pairs,
        };
        let evaluated = tokio::task::spawn_blocking(move || batch.records()).await?;
        let lease = LeaseToken::of(self.job);
        let EvaluatedBatch { findings, tallies } = &evaluated;
        let staging = { &self.tools.core }.stage_visibility(lease, findings, tallies);
        self.state.apply(staging.await?);
        Ok(())
    }

    /// Countries of engines that do not use the keyword's.
    fn countries(&self) -> HashMap<String, String> {
        let engines = self.engines.iter().map(|it| &it.engine);
        engines
            .filter_map(|it| Some((it.label.name.clone(), it.settings.country?.to_string())))
            .collect()
    }
}

fn evaluate_each(answers: Vec<KeptAnswer>, book: &BrandBook) -> Vec<EvaluatedPair> {
    let evaluated = answers.into_iter().map(|it| {
        let evaluation = ai_answers::evaluate(&it.answer, book);
        (it.answer, evaluation)
    });
    evaluated.collect()
}

impl Batch {
    fn records(mut self) -> EvaluatedBatch {
        let mut by_subject: BTreeMap<Option<i64>, BTreeMap<String, Vec<EvaluatedPair>>> =
            BTreeMap::new();
        for (answer, evaluation) in std::mem::take(&mut self.pairs) {
            let of_subject = by_subject.entry(answer.prompt.keyword_id).or_default();
            let of_engine = of_subject.entry(answer.engine.clone()).or_default();
            of_engine.push((answer, evaluation));
        }
        let mut found = EvaluatedBatch::default();
        for (subject, engines) in by_subject {
            let keyword = self.keywords.iter().find(|it| Some(it.id.0) == subject);
            let market = keyword.map(|it| &it.market).or(self.market.as_ref());
            for (engine, pairs) in engines {
                self.add(&mut found, keyword, market, &engine, &pairs);
            }
        }
        found
    }

    /// Records of a keyword or the project on one engine: for unbranded and for branded prompts.
    fn add(
        &self,
        found: &mut EvaluatedBatch,
        keyword: Option<&Keyword>,
        market: Option<&Market>,
        engine: &str,
        pairs: &[EvaluatedPair],
    ) {
        let is_branded = |it: &EvaluatedPair| it.0.prompt.is_branded;
        let panels = [
            (PromptPanelKind::Discovery, !pairs.iter().all(is_branded)),
            (PromptPanelKind::Branded, pairs.iter().any(is_branded)),
        ];
        for (panel, is_present) in panels {
            if is_present {
                let finding = self.record(keyword, market, engine, panel, pairs);
                found.findings.push(finding);
            }
        }
        if let Some(keyword) = keyword {
            found.tallies.push(KeywordTallies {
                job: self.job,
                day: self.day,
                keyword: keyword.id,
                engine: engine.to_owned(),
                tallies: tallies(
                    pairs
                        .iter()
                        .map(|(answer, evaluation)| (answer, evaluation)),
                ),
            });
        }
    }

    fn record(
        &self,
        keyword: Option<&Keyword>,
        market: Option<&Market>,
        engine: &str,
        panel: PromptPanelKind,
        pairs: &[EvaluatedPair],
    ) -> StagedFinding {
        let of_panel = { pairs.iter() }
            .filter(|it| it.0.prompt.is_branded == (panel == PromptPanelKind::Branded));
        let measured_at = of_panel.clone().map(|it| it.0.answered_at).max();
        let measured_at = measured_at.unwrap_or_default();
        let language = { of_panel.clone() }
            .map(|it| it.0.prompt.language.as_str())
            .next();
        let own_country = market.map(|it| it.country.to_string());
        let country = self.countries.get(engine).or(own_country.as_ref());
        let location = market.and_then(|it| it.location.as_ref().map(ToString::to_string));
        let record = visibility(&VisibilityInput {
            subject: VisibilitySubject {
                project_id: self.project.0,
                keyword: keyword.map(|it| (it.id.0, it.text.as_str())),
                country: country.map(String::as_str),
                location: location.as_deref(),
                language: language.unwrap_or_default(),
            },
            engine,
            panel,
            answers: pairs,
            book: &self.brands.book,
            measured_at,
        });
        let keyword = keyword.map(|it| it.id);
        let is_branded = panel == PromptPanelKind::Branded;
        StagedFinding {
            result_type: ResultType::AiVisibility,
            ordinal: ordinal(keyword, engine, is_branded),
            keyword,
            url: None,
            sort_value: record.ai_visibility_score,
            measured_at,
            record: Document::of(&record),
        }
    }
}
