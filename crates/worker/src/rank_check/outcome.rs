use super::head::{HeadContext, HeadInput};
use super::market::{Market, load_carried_over};
use super::project_overrides::SiteOverrides;
use super::project_series::add_day;
use super::{Pass, ai_mentions, project_series};
use crate::attempt_state::{AttemptFailure, AttemptOutcome};
use crate::staging::stage;
use analysis::document::Document;
use analysis::events::EventRun;
use analysis::findings::rankings::{self, ProjectSeries, RankingRecord, RankingsSummary};
use analysis::findings::{cannibalization, forecast};
use analysis::keyword_metrics::Priority;
use analysis::observation::search_page::DEPTH_CUT_SHORT;
use analysis::result_type::ResultType;
use domain::{
    ports::{search_results::ProviderError, storage::StorageError},
    results::{CarriedKind, StagedFinding},
    use_cases::{
        end_attempt::AttemptEnd, publish_results::JobResults, summarize_rankings::RankCheckSummary,
    },
};
use std::collections::BTreeMap;

const BATCH: u32 = 200;

impl Pass<'_> {
    /// Summarizes and evaluates. The result does not depend on the order, so a second attempt gives the same.
    pub(super) async fn evaluate(&mut self) -> Result<AttemptOutcome, AttemptFailure> {
        let (tools, job) = (self.tools, self.job);
        let now = tools.core.clock.now();
        let sites = SiteOverrides::of(tools, job, self.site).await?;
        let mut market = Market::of(tools, job, &sites, now).await?;
        let requested = self.total.max(self.done);
        let summing = tools.core.summarize_rankings(job, requested, &mut market);
        let mut sum = summing.await?;
        let lasting = self.failures.permanent.as_ref().map(ProviderError::code);
        let cut_short = self.failures.is_cut_short.then_some(DEPTH_CUT_SHORT);
        for code in lasting.into_iter().chain(cut_short) {
            let heads = sum.heads.iter_mut();
            heads.for_each(|head| head.warnings.push(code.to_owned()));
        }
        if sum.coverage.measured == 0 && sum.coverage.failed > 0 {
            return Ok(AttemptOutcome::End(AttemptEnd::Failed(
                self.failures.nothing_measured(job),
            )));
        }
        self.stage_priorities(&market.priorities()).await?;
        self.evaluate_derived(sum, market).await
    }

    async fn evaluate_derived(
        &mut self,
        sum: RankCheckSummary,
        market: Market<'_>,
    ) -> Result<AttemptOutcome, AttemptFailure> {
        let (tools, job) = (self.tools, self.job);
        let head = sum.heads[0].clone();
        let run = HeadContext {
            job,
            provider: &head.provider,
            page_provenance: head.provenance,
            now: head.generated_at,
            measured_at: head.measured_at,
            warnings: &head.warnings,
        };
        let pages = load_carried_over(tools, job, CarriedKind::PageHistory).await?;
        let competitor_history =
            load_carried_over(tools, job, CarriedKind::CompetitorHistory).await?;
        let series: Option<ProjectSeries> =
            load_carried_over(tools, job, CarriedKind::ProjectSeries).await?;

        let found = market.evaluate(
            &run,
            pages.unwrap_or_default(),
            competitor_history.unwrap_or_default(),
        );
        self.stage(&found.staged).await?;
        let Some(mut evaluation) = self.evaluate_histories(run.provider, run.now).await? else {
            return Ok(AttemptOutcome::Stopped);
        };
        let cannibalized = evaluation.take_cannibalized();
        self.stage(&cannibalized).await?;
        let source = tools.search.label().source();
        let mut series = series.unwrap_or_default();
        let is_own = self.own.curve().is_some() && source.is_google();
        add_day(&mut series, job.day, &source, &sum.rankings, is_own);
        let tally = &mut evaluation.forecasts;
        let mut ahead = project_series::forecasts(&series, &run, &source, tally);
        ahead.extend(ai_mentions::forecasts(tools, &run, ahead.len(), tally).await?);
        self.stage(&ahead).await?;

        let since_last = evaluation.since_last();
        let events = std::mem::take(&mut evaluation.events);
        let events = events.finish(&EventRun {
            job: job.id.0,
            simulated: head.provenance.is_simulated(),
            method: rankings::METHOD_VERSION,
        });
        let series_in_all = evaluation.forecast_count + ahead.len();
        let forecasts = evaluation.forecasts.finish(series_in_all as u64);
        let cannibalization_summary = evaluation
            .cannibalization
            .finish(evaluation.forecast_count as u64);
        let mut heads = sum.heads;
        let rankings = RankingsSummary {
            since_last: Some(since_last),
            visibility_since_last: evaluation.visibility.last.finish(),
            visibility_change7: evaluation.visibility.week.finish(),
            visibility_change30: evaluation.visibility.month.finish(),
            ..sum.rankings
        };
        heads[0].summary = Document::of(&rankings);
        heads.extend(found.heads);
        heads.push(run.head(HeadInput {
            result_type: ResultType::Forecast,
            method: forecast::METHOD_VERSION,
            coverage: forecasts.coverage,
            records: series_in_all,
            summary: Document::of(&forecasts),
        }));
        heads.push(run.head(HeadInput {
            result_type: ResultType::Cannibalization,
            method: cannibalization::METHOD_VERSION,
            coverage: cannibalization_summary.coverage,
            records: cannibalized.len(),
            summary: Document::of(&cannibalization_summary),
        }));
        let mut carried = found.carried;
        carried.push((CarriedKind::ProjectSeries, Document::of(&series)));
        Ok(AttemptOutcome::Results(JobResults {
            heads,
            latest: sum.latest,
            carried_over: carried,
            partial: self.failures.permanent.is_some()
                || sum.coverage.measured < sum.coverage.requested,
            progress: self.progress(true),
            events,
        }))
    }

    async fn stage(&self, findings: &[StagedFinding]) -> Result<(), AttemptFailure> {
        stage(self.tools, self.job, self.state, findings).await
    }

    async fn stage_priorities(
        &self,
        priorities: &BTreeMap<i64, Priority>,
    ) -> Result<(), AttemptFailure> {
        if priorities.is_empty() {
            return Ok(());
        }
        let core = &self.tools.core;
        let mut walk = core.walk_staged(self.job, ResultType::Rankings, BATCH);
        while let Some(staged) = walk.next().await? {
            let completed = staged.into_iter().filter_map(|it| {
                let priority = priorities.get(&it.ordinal)?;
                Some(with_priority(it, priority))
            });
            let completed: Vec<StagedFinding> = completed.collect::<Result<_, _>>()?;
            self.stage(&completed).await?;
        }
        Ok(())
    }
}

fn with_priority(
    staged: StagedFinding,
    priority: &Priority,
) -> Result<StagedFinding, StorageError> {
    let mut record: RankingRecord = staged.record.parse().map_err(|_| StorageError::Corrupt {
        subject: "a staged record",
    })?;
    record.priority_score = Some(priority.score);
    Ok(StagedFinding {
        record: Document::of(&record),
        ..staged
    })
}
