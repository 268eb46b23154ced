use super::{Pass, engine_error, sentiment::SENTIMENT_NOT_RATED};
use crate::attempt_state::{AttemptFailure, AttemptOutcome};
use analysis::document::Document;
use analysis::events::{EventRun, answer_events};
use analysis::findings::ai_trends::AiTrendsSummary;
use analysis::findings::ai_visibility::{AiVisibilityRecord, AiVisibilitySummary, EngineWeights};
use analysis::findings::envelope::Coverage;
use analysis::findings::{ai_trends, ai_visibility};
use analysis::provenance::Provenance;
use analysis::result_type::ResultType;
use chrono::{DateTime, Utc};
use domain::ports::search_results::ProviderError;
use domain::ports::storage::StorageError;
use domain::results::{CARRIED_OVER_ORDINAL, CarriedKind, ResultHead};
use domain::use_cases::end_attempt::{AttemptEnd, AttemptError};
use domain::use_cases::publish_results::JobResults;
use std::collections::BTreeSet;

/// Warning code: some records are of earlier runs, see their `measuredAt`.
const CARRIED_OVER: &str = "carriedOver";
const BATCH: u32 = 50;

#[derive(Default)]
struct Sum {
    records: Vec<AiVisibilityRecord>,
    carried: u64,
    /// In this run: answers of any state, and failed queries.
    answered: u64,
    failed: u64,
    providers: BTreeSet<String>,
    is_simulated: bool,
    measured_at: Option<DateTime<Utc>>,
}

impl Pass<'_> {
    pub(super) async fn evaluate(&mut self) -> Result<AttemptOutcome, AttemptFailure> {
        let Some(texts) = self.evaluate_answers().await? else {
            return Ok(AttemptOutcome::Stopped);
        };
        let sum = self.sum_up().await?;
        if sum.answered == 0 {
            return Ok(AttemptOutcome::End(AttemptEnd::Failed(nothing_measured(
                self,
            ))));
        }
        let now = self.tools.core.clock.now();
        let Some(trends) = self.compute_trends(&texts, now).await? else {
            return Ok(AttemptOutcome::Stopped);
        };
        let mut warnings: Vec<String> = (sum.carried > 0)
            .then(|| CARRIED_OVER.to_owned())
            .into_iter()
            .collect();
        let left_out = self.failures.stopped.values().chain(&self.unpaid);
        let left_out: BTreeSet<&str> = left_out.map(ProviderError::code).collect();
        warnings.extend(left_out.into_iter().map(str::to_owned));
        warnings.extend(
            self.sentiment_incomplete
                .then(|| SENTIMENT_NOT_RATED.to_owned()),
        );
        let unasked = self.total.saturating_sub(self.done);
        let run = EventRun {
            job: self.job.id.0,
            simulated: sum.is_simulated,
            method: ai_trends::METHOD_VERSION,
        };
        let events = answer_events(&run, &trends.of_project, &self.brands.own);
        Ok(AttemptOutcome::Results(JobResults {
            partial: unasked > 0 || sum.failed > 0 || !self.failures.stopped.is_empty(),
            heads: self.heads(sum, &trends.summary, now, &warnings),
            latest: Vec::new(),
            carried_over: vec![(CarriedKind::ChosenCompetitors, self.brands.carried_over())],
            progress: self.progress(true),
            events,
        }))
    }

    async fn sum_up(&self) -> Result<Sum, AttemptFailure> {
        let mut sum = Sum::default();
        let core = &self.tools.core;
        let mut walk = core.walk_staged(self.job, ResultType::AiVisibility, BATCH);
        while let Some(batch) = walk.next().await? {
            for staged in batch {
                let record = { staged.record.parse() }.map_err(|_| StorageError::Corrupt {
                    subject: "a staged record",
                })?;
                sum.add(record, staged.ordinal >= CARRIED_OVER_ORDINAL);
            }
        }
        Ok(sum)
    }

    fn heads(
        &self,
        sum: Sum,
        trends: &AiTrendsSummary,
        now: DateTime<Utc>,
        warnings: &[String],
    ) -> Vec<ResultHead> {
        let weights: EngineWeights = { self.active.iter() }
            .map(|it| (it.label.name.clone(), it.settings.weight))
            .collect();
        let count = sum.records.len() as u64;
        let summary = AiVisibilitySummary::of(&sum.records, &weights);
        let provider = sum.providers.into_iter().collect::<Vec<_>>().join(", ");
        let measured_at = sum.measured_at.unwrap_or(now);
        let head = |result_type, method: &str, coverage, item_count, summary| ResultHead {
            account: self.job.account,
            project: self.job.project,
            result_type,
            job: self.job.id,
            generated_at: now,
            measured_at,
            method_version: method.to_owned(),
            provider: provider.clone(),
            provenance: if sum.is_simulated {
                Provenance::Simulated
            } else {
                Provenance::Measured
            },
            coverage,
            item_count,
            summary,
            warnings: warnings.to_vec(),
        };
        // Queries that were not made count as requested.
        let measured = summary.coverage;
        let unasked = self.total.saturating_sub(self.done);
        let coverage = Coverage::new(
            measured.requested + unasked,
            measured.measured,
            measured.failed,
        );
        vec![
            head(
                ResultType::AiVisibility,
                ai_visibility::METHOD_VERSION,
                coverage,
                count,
                Document::of(&AiVisibilitySummary {
                    coverage,
                    ..summary
                }),
            ),
            head(
                ResultType::AiTrends,
                ai_trends::METHOD_VERSION,
                trends.coverage,
                trends.coverage.requested,
                Document::of(trends),
            ),
        ]
    }
}

impl Sum {
    fn add(&mut self, record: AiVisibilityRecord, is_carried: bool) {
        let envelope = &record.envelope;
        self.is_simulated |= envelope.provenance.is_simulated();
        self.providers.extend(envelope.provider.clone());
        if is_carried {
            self.carried += 1;
        } else {
            self.answered += record.answer_count + record.left_out_count() - record.failed_count;
            self.failed += record.failed_count;
            self.measured_at = self.measured_at.max(Some(envelope.measured_at));
        }
        self.records.push(record.without_details());
    }
}

fn nothing_measured(pass: &Pass<'_>) -> AttemptError {
    let cause = pass.failures.kept.as_ref().map(|(engine, error)| {
        let described = engine_error(engine, error);
        format!(" The last failure: {}", described.detail)
    });
    AttemptError {
        code: "nothingMeasured".to_owned(),
        detail: format!("Not one question was answered; earlier results stay published.{}", cause.unwrap_or_default()),
        hint: Some("Start the analysis again later; if it fails again, ask the operator to run `sightline doctor`.".to_owned()),
    }
}
