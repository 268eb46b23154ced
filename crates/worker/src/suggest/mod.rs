//! Suggestions, recomputed at the end of every analysis from the latest results of all types.

mod effects;

use super::WorkerContext;
use super::attempt_state::{AttemptFailure, AttemptState};
use super::staging::stage;
use analysis::document::{Document, FromJson};
use analysis::findings::ai_visibility::AiVisibilityRecord;
use analysis::findings::broken_links::BrokenLinksSummary;
use analysis::findings::rankings::RankPoint;
use analysis::findings::suggestions;
use analysis::findings::suggestions::{
    AiAnswers, Findings, Searches, SuggestionContext, SuggestionRecord, SuggestionsSummary,
};
use analysis::provenance::Provenance;
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, Utc};
use domain::ids::{JobId, KeywordId};
use domain::job::Job;
use domain::ports::storage::StorageError;
use domain::results::{AsOf, FindingQuery, RankHistoryPoint, ResultHead, StagedFinding};
use domain::use_cases::publish_results::JobResults;
use std::collections::BTreeSet;

const BATCH: u32 = 200;
/// Maximum pages and rows of Search Console, by impressions.
const CONSOLE_PAGES: u32 = 1_000;
const CONSOLE_ROWS: u32 = 20_000;
/// History used for position drops and effects of fixes.
const HISTORY_DAYS: Days = Days::new(120);
const CORRUPT: StorageError = StorageError::Corrupt {
    subject: "a record",
};

struct Newest<'a> {
    tools: &'a WorkerContext,
    job: &'a Job,
    /// Result types of this job: their records are staged.
    staged: BTreeSet<ResultType>,
}

pub(super) async fn add(
    tools: &WorkerContext,
    job: &Job,
    state: &AttemptState,
    outcome: &mut JobResults,
) -> Result<(), AttemptFailure> {
    let newest = Newest {
        tools,
        job,
        staged: outcome.heads.iter().map(|it| it.result_type).collect(),
    };
    let previous: Vec<SuggestionRecord> = newest.all(ResultType::Suggestions).await?;
    let ignored = newest.ignored().await?;
    let now = tools.core.clock.now();
    let own = if newest.is_google() {
        Some(tools.core.own_searches(job).await?)
    } else {
        None
    };
    let context = SuggestionContext {
        project_id: job.project.0,
        at: now,
        own_curve: own.as_ref().and_then(|it| it.curve()),
        previous: &previous,
        ignored: &ignored,
        other_values: &[],
    };
    let mut findings = newest.findings(context).await?;
    if is_whole(outcome)? {
        for result_type in &newest.staged {
            findings.complete(*result_type, now);
        }
    }
    let mut records = tokio::task::block_in_place(|| findings.suggestions());
    newest.evaluate_effects(&mut records, now).await?;
    let summary = SuggestionsSummary::of(&records);
    stage(tools, job, state, &staged(&records, now)).await?;
    outcome
        .heads
        .push(head(job, outcome, &records, &summary, now));
    Ok(())
}

/// Whether missing findings are fixed: nothing failed, and no limit truncated the analysis.
fn is_whole(outcome: &JobResults) -> Result<bool, AttemptFailure> {
    if outcome.partial {
        return Ok(false);
    }
    let links = outcome
        .heads
        .iter()
        .find(|it| it.result_type == ResultType::BrokenLinks);
    let Some(links) = links else {
        return Ok(true);
    };
    let summary: BrokenLinksSummary = links.summary.parse().map_err(|_| CORRUPT)?;
    Ok(!summary.limits.iter().any(|it| it.truncates_crawl()))
}

impl Newest<'_> {
    async fn ignored(&self) -> Result<BTreeSet<String>, StorageError> {
        let (account, project) = (self.job.account, self.job.project);
        let mut read = self.tools.core.storage.read().await?;
        let ignored = read
            .project_overrides()
            .ignored_suggestions(account, project)
            .await?;
        Ok(ignored.into_iter().map(|it| it.id).collect())
    }

    async fn findings<'a>(
        &self,
        context: SuggestionContext<'a>,
    ) -> Result<Findings<'a>, AttemptFailure> {
        let mut searches = Searches::new(context);
        self.each(ResultType::Rankings, |it| searches.add_ranking(&it))
            .await?;
        self.add_histories(&mut searches).await?;
        self.add_console(&mut searches).await?;
        let mut findings = searches.finish();
        self.each(ResultType::Content, |it| findings.add_content(&it))
            .await?;
        self.each(ResultType::BrokenLinks, |it| findings.add_broken_link(&it))
            .await?;
        self.each(ResultType::Schema, |it| findings.add_schema(&it))
            .await?;
        self.each(ResultType::Vitals, |it| findings.add_vitals(&it))
            .await?;
        self.each(ResultType::GeoScore, |it| findings.add_geo_score(&it))
            .await?;
        self.each(ResultType::Eeat, |it| findings.add_eeat(&it))
            .await?;
        self.each(ResultType::ContentChanges, |it| {
            findings.add_content_change(&it);
        })
        .await?;
        self.each(ResultType::Cannibalization, |it| {
            findings.add_cannibalization(&it);
        })
        .await?;
        self.each(ResultType::Competitors, |it| findings.add_competitor(&it))
            .await?;
        self.each(ResultType::AiVisibility, |it: AiVisibilityRecord| {
            if let Some(answers) = AiAnswers::of(&it) {
                findings.add_ai_answers(&answers);
            }
        })
        .await?;
        Ok(findings)
    }

    async fn each<T: FromJson>(
        &self,
        result_type: ResultType,
        mut add: impl FnMut(T) + Send,
    ) -> Result<(), AttemptFailure> {
        let Some(from) = self.newest_job(result_type).await? else {
            return Ok(());
        };
        let mut after = None;
        loop {
            let (records, last) = self.part(result_type, from, after).await?;
            let is_last = records.len() < BATCH as usize;
            tokio::task::block_in_place(|| {
                for record in &records {
                    add(record.parse().map_err(|_| CORRUPT)?);
                }
                Ok::<_, StorageError>(())
            })?;
            after = last;
            if is_last {
                return Ok(());
            }
        }
    }

    async fn all<T: FromJson + Send>(&self, of: ResultType) -> Result<Vec<T>, AttemptFailure> {
        let mut all = Vec::new();
        self.each(of, |it| all.push(it)).await?;
        Ok(all)
    }

    /// The job with the latest records of the type: this one, or the last that published.
    async fn newest_job(&self, result_type: ResultType) -> Result<Option<JobId>, AttemptFailure> {
        if self.staged.contains(&result_type) {
            return Ok(Some(self.job.id));
        }
        let mut read = self.tools.core.storage.read().await?;
        let head = read
            .results()
            .head(self.job.account, self.job.project, result_type)
            .await?;
        Ok(head.map(|it| it.job))
    }

    async fn part(
        &self,
        result_type: ResultType,
        from: JobId,
        after: Option<i64>,
    ) -> Result<(Vec<Document>, Option<i64>), AttemptFailure> {
        let (account, project) = (self.job.account, self.job.project);
        let mut read = self.tools.core.storage.read().await?;
        if from == self.job.id {
            let staged = read
                .measurements()
                .staged(account, from, result_type, after, BATCH)
                .await?;
            let last = staged.last().map(|it| it.ordinal);
            return Ok((staged.into_iter().map(|it| it.record).collect(), last));
        }
        let query = FindingQuery::by_ordinal(result_type, from, after, BATCH);
        let page = read.results().findings(account, project, &query).await?;
        let last = page.items.last().map(|it| it.ordinal);
        Ok((page.items.into_iter().map(|it| it.record).collect(), last))
    }

    async fn add_histories(&self, searches: &mut Searches<'_>) -> Result<(), AttemptFailure> {
        let engine = self.tools.search.label().engine;
        let (core, job) = (&self.tools.core, self.job);
        let mut walk = core.walk_keywords(job.account, job.project, BATCH);
        while let Some(keywords) = walk.next().await? {
            let ids: Vec<KeywordId> = keywords.iter().map(|it| it.id).collect();
            let histories = self.rank_histories(&ids).await?;
            for (keyword, history) in ids.iter().zip(histories) {
                let points: Vec<RankPoint> = history.iter().map(RankPoint::from).collect();
                searches.add_rank_history(keyword.0, &engine, &points);
            }
        }
        Ok(())
    }

    /// Search Console data describes Google's pages only.
    fn is_google(&self) -> bool {
        self.tools.search.label().source().is_google()
    }

    async fn add_console(&self, searches: &mut Searches<'_>) -> Result<(), AttemptFailure> {
        let job = self.job;
        let core = &self.tools.core;
        let (account, project, day) = (job.account, job.project, job.day);
        let pages = core.console_pages(account, project, day, CONSOLE_PAGES);
        for page in pages.await? {
            searches.add_page_clicks(&page.url, page.clicks_per_month);
            if !page.days.is_empty() {
                searches.add_click_history(&page.url, &page.days);
            }
        }
        let rows = core.console_rows(account, project, day, CONSOLE_ROWS);
        for row in rows.await? {
            searches.add_console_row(&row);
        }
        Ok(())
    }

    async fn rank_histories(
        &self,
        keywords: &[KeywordId],
    ) -> Result<Vec<Vec<RankHistoryPoint>>, AttemptFailure> {
        let job = self.job;
        let as_of = AsOf::of(job, self.tools.search.label().source());
        let mut read = self.tools.core.storage.read().await?;
        let histories = read
            .measurements()
            .rank_histories(
                job.account,
                job.project,
                keywords,
                job.day - HISTORY_DAYS,
                &as_of,
            )
            .await?;
        Ok(histories)
    }
}

fn staged(records: &[SuggestionRecord], now: DateTime<Utc>) -> Vec<StagedFinding> {
    let staged = (0..).zip(records).map(|(ordinal, record)| StagedFinding {
        result_type: ResultType::Suggestions,
        ordinal,
        keyword: record.keyword_ids.first().copied().map(KeywordId),
        url: record.affected_urls.first().cloned(),
        sort_value: Some(record.priority_score),
        measured_at: now,
        record: Document::of(record),
    });
    staged.collect()
}

fn head(
    job: &Job,
    outcome: &JobResults,
    records: &[SuggestionRecord],
    summary: &SuggestionsSummary,
    now: DateTime<Utc>,
) -> ResultHead {
    let is_simulated = |it: &SuggestionRecord| it.envelope.provenance.is_simulated();
    ResultHead {
        account: job.account,
        project: job.project,
        result_type: ResultType::Suggestions,
        job: job.id,
        generated_at: now,
        measured_at: outcome
            .heads
            .iter()
            .map(|it| it.measured_at)
            .max()
            .unwrap_or(now),
        method_version: suggestions::METHOD_VERSION.to_owned(),
        provider: "sightline".to_owned(),
        provenance: if records.iter().any(is_simulated) {
            Provenance::Simulated
        } else {
            Provenance::Estimated
        },
        coverage: domain::results::Coverage::new(records.len() as u64, records.len() as u64, 0),
        item_count: records.len() as u64,
        summary: Document::of(summary),
        warnings: Vec::new(),
    }
}
