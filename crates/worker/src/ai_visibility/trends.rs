//! Visibility trends from stored tallies of earlier months, without answer texts.

use super::Pass;
use crate::{attempt_state::AttemptFailure, staging::stage};
use analysis::document::Document;
use analysis::findings::ai_trends::{
    AiTrendRecord, AiTrendsSummary, PERIODS_BEFORE, TallyFold, TrendInput, TrendPeriod, trend,
};
use analysis::findings::ai_visibility::PromptTally;
use analysis::result_type::ResultType;
use chrono::{DateTime, Days, NaiveDate, Utc};
use domain::{
    ids::KeywordId, record_ordinals::ordinal, results::StagedFinding,
    use_cases::ai_models::ActiveEngine,
};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

/// Length of the history, in weeks.
const WEEKS: u64 = 26;
const PERIOD: TrendPeriod = TrendPeriod::Week;
/// Trends per batch.
const BATCH: usize = 100;

pub(super) struct Trends {
    pub(super) summary: AiTrendsSummary,
    /// One for each engine.
    pub(super) of_project: Vec<AiTrendRecord>,
}

struct EngineTrends {
    project: i64,
    engine: Arc<ActiveEngine>,
    tallies: Vec<PromptTally>,
    keywords: HashMap<i64, Range<usize>>,
    now: DateTime<Utc>,
}

impl Pass<'_> {
    /// Stages the trends of the project and each keyword, engine by engine; `None` if stopped.
    pub(super) async fn compute_trends(
        &mut self,
        texts: &BTreeMap<i64, String>,
        now: DateTime<Utc>,
    ) -> Result<Option<Trends>, AttemptFailure> {
        let mut summary = AiTrendsSummary::empty();
        let mut of_project = Vec::new();
        for engine in self.active.clone() {
            let trends = Arc::new(self.read_counts(&engine, now).await?);
            if trends.tallies.is_empty() {
                continue;
            }
            let project = Arc::clone(&trends);
            let record = tokio::task::spawn_blocking(move || project.project_record()).await?;
            let record = [record];
            self.stage_trends(&engine, &mut summary, &record).await?;
            of_project.extend(record);
            let texts: Vec<(i64, String)> =
                texts.iter().map(|(id, text)| (*id, text.clone())).collect();
            for part in texts.chunks(BATCH) {
                let (trends, part) = (Arc::clone(&trends), part.to_vec());
                let records = tokio::task::spawn_blocking(move || trends.keyword_records(&part));
                let records = records.await?;
                self.trends_staged += records.len() as u64;
                self.stage_trends(&engine, &mut summary, &records).await?;
                self.state.set_progress(self.progress(false));
                if self.state.stop.is_cancelled() {
                    return Ok(None);
                }
            }
        }
        Ok(Some(Trends {
            summary,
            of_project,
        }))
    }

    async fn read_counts(
        &self,
        engine: &Arc<ActiveEngine>,
        now: DateTime<Utc>,
    ) -> Result<EngineTrends, AttemptFailure> {
        let this_week = PERIOD.start(now.date_naive());
        let fold = TallyFold::new(PERIOD, weeks_before(this_week, 1 + PERIODS_BEFORE as u64));
        let (core, job, name) = (&self.tools.core, self.job, &engine.label.name);
        let since = weeks_before(this_week, WEEKS);
        let tallies = core.tallies(job.account, job.project, name, since, fold);
        let tallies = tallies.await?;
        let (mut keywords, mut at) = (HashMap::new(), 0);
        for part in tallies.chunk_by(|one, other| one.keyword_id == other.keyword_id) {
            if let Some(keyword) = part[0].keyword_id {
                keywords.insert(keyword, at..at + part.len());
            }
            at += part.len();
        }
        Ok(EngineTrends {
            project: self.job.project.0,
            engine: Arc::clone(engine),
            tallies,
            keywords,
            now,
        })
    }

    async fn stage_trends(
        &self,
        engine: &ActiveEngine,
        summary: &mut AiTrendsSummary,
        records: &[AiTrendRecord],
    ) -> Result<(), AttemptFailure> {
        let staged = records.iter().map(|record| {
            let keyword = record.envelope.keyword_id.map(KeywordId);
            StagedFinding {
                result_type: ResultType::AiTrends,
                ordinal: ordinal(keyword, &engine.label.name, false),
                keyword,
                url: None,
                sort_value: record.change_abs,
                measured_at: record.envelope.measured_at,
                record: Document::of(record),
            }
        });
        let staged: Vec<StagedFinding> = staged.collect();
        for it in records {
            summary.add(it);
        }
        stage(self.tools, self.job, self.state, &staged).await
    }
}

impl EngineTrends {
    fn project_record(&self) -> AiTrendRecord {
        self.record(None, &self.tallies)
    }

    fn keyword_records(&self, keywords: &[(i64, String)]) -> Vec<AiTrendRecord> {
        let known = keywords.iter().filter_map(|(id, text)| {
            let tallies = self.keywords.get(id)?.clone();
            Some(self.record(Some((*id, text)), &self.tallies[tallies]))
        });
        known.collect()
    }

    fn record(&self, keyword: Option<(i64, &str)>, tallies: &[PromptTally]) -> AiTrendRecord {
        let label = &self.engine.label;
        trend(&TrendInput {
            project_id: self.project,
            keyword,
            engine: &label.name,
            period: PERIOD,
            tallies,
            measured_at: self.now,
            provider: Some(&label.provider),
        })
    }
}

fn weeks_before(day: NaiveDate, weeks: u64) -> NaiveDate {
    day.checked_sub_days(Days::new(7 * weeks)).unwrap_or(day)
}
