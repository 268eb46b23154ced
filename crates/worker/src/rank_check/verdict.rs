use super::head::{Run, Told};
use super::market::{Market, left_behind};
use super::named_sites::NamedSites;
use super::project_series::add_day;
use super::{Pass, ai_mentions, project_series};
use crate::attempt_state::{Broken, Done};
use crate::staging::stage;
use analysis::document::Document;
use analysis::findings::rankings::{ProjectSeries, RankingRecord, RankingsSummary};
use analysis::findings::{cannibalization, forecast};
use analysis::keyword_metrics::Priority;
use analysis::observation::search_page::DEPTH_CUT_SHORT;
use analysis::result_type::ResultType;
use domain::{
    ports::{search_results::ProviderError, storage::StorageError},
    results::StagedFinding,
    use_cases::{end_attempt::AttemptEnd, publish_results::Outcome, sum_up_rankings::RankCheckSum},
};
use std::collections::BTreeMap;

const TOGETHER: u32 = 200;

impl Pass<'_> {
    /// Summarizes and evaluates. The result does not depend on the order, so a second attempt gives the same.
    pub(super) async fn judge(&mut self) -> Result<Done, Broken> {
        let (tools, job) = (self.tools, self.job);
        let now = tools.core.clock.now();
        let sites = NamedSites::of(tools, job, self.site).await?;
        let mut market = Market::of(tools, job, &sites, now).await?;
        let requested = self.total.max(self.done);
        let summing = tools.core.sum_up_rankings(job, requested, &mut market);
        let mut sum = summing.await?;
        let lasting = self.trouble.lasting.as_ref().map(ProviderError::code);
        let cut_short = self.trouble.is_cut_short.then_some(DEPTH_CUT_SHORT);
        for code in lasting.into_iter().chain(cut_short) {
            let heads = sum.heads.iter_mut();
            heads.for_each(|head| head.warnings.push(code.to_owned()));
        }
        if sum.coverage.measured == 0 && sum.coverage.failed > 0 {
            return Ok(Done::End(AttemptEnd::Failed(
                self.trouble.nothing_measured(job),
            )));
        }
        self.stage_priorities(&market.priorities()).await?;
        self.follow(sum, market).await
    }

    async fn follow(&mut self, sum: RankCheckSum, market: Market<'_>) -> Result<Done, Broken> {
        let (tools, job) = (self.tools, self.job);
        let head = sum.heads[0].clone();
        let run = Run {
            job,
            provider: &head.provider,
            pages: head.provenance,
            now: head.generated_at,
            measured_at: head.measured_at,
            warnings: &head.warnings,
        };
        let pages = left_behind(tools, job, ResultType::Rankings).await?;
        let rivals = left_behind(tools, job, ResultType::Competitors).await?;
        let series: Option<ProjectSeries> = left_behind(tools, job, ResultType::Forecast).await?;

        let found = market.judge(&run, pages.unwrap_or_default(), rivals.unwrap_or_default());
        self.stage(&found.staged).await?;
        let Some(mut courses) = self.judge_courses(run.provider, run.now).await? else {
            return Ok(Done::Stopped);
        };
        let rivals = courses.rivals();
        self.stage(&rivals).await?;
        let source = tools.search.label().source();
        let mut series = series.unwrap_or_default();
        let is_own = self.own.curve().is_some() && source.is_google();
        add_day(&mut series, job.day, &source, &sum.rankings, is_own);
        let tally = &mut courses.forecasts;
        let mut ahead = project_series::forecasts(&series, &run, &source, tally);
        ahead.extend(ai_mentions::forecasts(tools, &run, ahead.len(), tally).await?);
        self.stage(&ahead).await?;

        let since_last = courses.since_last();
        let series_in_all = courses.forecast_count + ahead.len();
        let forecasts = courses.forecasts.finish(series_in_all as u64);
        let rivalry = courses.rivalry.finish(courses.forecast_count as u64);
        let mut heads = sum.heads;
        let rankings = RankingsSummary {
            since_last: Some(since_last),
            visibility_since_last: courses.visibility.last.finish(),
            visibility_change7: courses.visibility.week.finish(),
            visibility_change30: courses.visibility.month.finish(),
            ..sum.rankings
        };
        heads[0].summary = Document::of(&rankings);
        heads.extend(found.heads);
        heads.push(run.head(Told {
            result_type: ResultType::Forecast,
            method: forecast::METHOD_VERSION,
            coverage: forecasts.coverage,
            records: series_in_all,
            summary: Document::of(&forecasts),
        }));
        heads.push(run.head(Told {
            result_type: ResultType::Cannibalization,
            method: cannibalization::METHOD_VERSION,
            coverage: rivalry.coverage,
            records: rivals.len(),
            summary: Document::of(&rivalry),
        }));
        let mut carried = found.carried;
        carried.push((ResultType::Forecast, Document::of(&series)));
        Ok(Done::Results(Outcome {
            heads,
            latest: sum.latest,
            carried,
            partial: self.trouble.lasting.is_some()
                || sum.coverage.measured < sum.coverage.requested,
            progress: self.progress(true),
        }))
    }

    async fn stage(&self, findings: &[StagedFinding]) -> Result<(), Broken> {
        stage(self.tools, self.job, self.state, findings).await
    }

    async fn stage_priorities(&self, priorities: &BTreeMap<i64, Priority>) -> Result<(), Broken> {
        if priorities.is_empty() {
            return Ok(());
        }
        let core = &self.tools.core;
        let mut walk = core.walk_staged(self.job, ResultType::Rankings, TOGETHER);
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
        what: "a staged record",
    })?;
    record.priority_score = Some(priority.score);
    Ok(StagedFinding {
        record: Document::of(&record),
        ..staged
    })
}
