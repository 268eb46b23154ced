//! Forecasts of each AI engine's mention rate, from the latest weekly trends.

use super::head::{HeadContext, project_finding};
use crate::WorkerContext;
use analysis::document::Document;
use analysis::findings::ai_trends::AiTrendRecord;
use analysis::findings::envelope::FindingContext;
use analysis::findings::forecast::{
    ForecastInput, ForecastRecord, ForecastTally, HistorySource, Quantity, forecast,
};
use analysis::forecast::history::{Observation, ObservedValue};
use analysis::result_type::ResultType;
use domain::ports::storage::StorageError;
use domain::record_ordinals::ORDINALS_PER_KEYWORD;
use domain::results::{FindingQuery, StagedFinding};

/// In days.
const FORECAST_DAYS: u32 = 90;

/// One record per engine ever queried, placed after the project's `before` records.
pub(super) async fn forecasts(
    tools: &WorkerContext,
    run: &HeadContext<'_>,
    before: usize,
    tally: &mut ForecastTally,
) -> Result<Vec<StagedFinding>, StorageError> {
    let mut staged = Vec::new();
    for trend in &project_trends(tools, run).await? {
        let record = mention_forecast(trend);
        tally.add(&record);
        staged.push(project_finding(
            ResultType::Forecast,
            before + staged.len(),
            record.envelope.measured_at,
            Document::of(&record),
        ));
    }
    Ok(staged)
}

/// The latest project trends, one per engine; they precede those of keywords.
async fn project_trends(
    tools: &WorkerContext,
    run: &HeadContext<'_>,
) -> Result<Vec<AiTrendRecord>, StorageError> {
    let (account, project) = (run.job.account, run.job.project);
    let of = ResultType::AiTrends;
    let mut read = tools.core.storage.read().await?;
    let Some(head) = read.results().head(account, project, of).await? else {
        return Ok(Vec::new());
    };
    let first = u32::try_from(ORDINALS_PER_KEYWORD).unwrap_or(u32::MAX);
    let query = FindingQuery::by_ordinal(of, head.job, None, first);
    let found = read.results().findings(account, project, &query).await?;
    let records = { found.items.iter() }
        .take_while(|it| it.ordinal < ORDINALS_PER_KEYWORD)
        .map(|it| it.record.parse())
        .collect::<Result<Vec<AiTrendRecord>, _>>();
    records.map_err(|_| StorageError::Corrupt { subject: "a trend" })
}

/// Uses the full weeks since the model, prompts or rules last changed.
fn mention_forecast(trend: &AiTrendRecord) -> ForecastRecord {
    let full = { trend.points.iter() }.filter(|it| it.date <= trend.last_period);
    let newest = full.clone().next_back();
    let segment = newest.map(|it| it.segment);
    let observations: Vec<Observation> = full
        .filter(|it| Some(it.segment) == segment)
        .map(|it| Observation {
            date: it.date,
            value: ObservedValue::Value(it.mention_rate),
        })
        .collect();
    let answers = newest.map_or(1, |it| it.answer_count);
    let record = forecast(&ForecastInput {
        context: FindingContext {
            project_id: trend.envelope.project_id,
            measured_at: trend.envelope.measured_at,
        },
        keyword: None,
        quantity: Quantity::MentionRate {
            answers: u32::try_from(answers).unwrap_or(u32::MAX),
        },
        observations: &observations,
        source: HistorySource {
            provenance: trend.envelope.provenance,
            provider: trend.envelope.provider.as_deref(),
        },
        days: FORECAST_DAYS,
        thresholds: &[],
    });
    ForecastRecord {
        ai_engine: Some(trend.engine.clone()),
        ..record
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::findings::ai_trends::{TrendInput, TrendPeriod, trend};
    use analysis::findings::ai_visibility::{LeftOut, PromptTally};
    use analysis::findings::forecast::{ForecastTarget, RefusalReason};
    use analysis::provenance::Provenance;
    use chrono::{Days, NaiveDate};
    use std::collections::BTreeMap;

    fn monday(week: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 5).unwrap() + Days::new(7 * week)
    }

    fn forecast_of_weeks(weeks: u64, changed_in: u64) -> ForecastRecord {
        let now = (monday(weeks) + Days::new(2)).and_time(chrono::NaiveTime::MIN);
        let tallies = (0..=weeks).flat_map(|week| {
            (0..6).map(move |prompt| PromptTally {
                day: monday(week),
                engine: "gemini".to_owned(),
                model: Some(format!("model {}", week >= changed_in)),
                prompt_id: format!("prompt {prompt}"),
                keyword_id: Some(1),
                provenance: Provenance::Measured,
                answers: 10,
                mentions: 3 + (week + prompt) % 3,
                template_version: 1,
                detector_version: "a".to_owned(),
                is_branded: false,
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
            })
        });
        let tallies: Vec<PromptTally> = tallies.collect();
        let trend = trend(&TrendInput {
            project_id: 1,
            keyword: None,
            engine: "gemini",
            period: TrendPeriod::Week,
            tallies: &tallies,
            measured_at: now.and_utc(),
            provider: Some("google"),
        });
        mention_forecast(&trend)
    }

    #[test]
    fn full_weeks_of_the_same_model_are_forecast() {
        let record = forecast_of_weeks(12, 0);
        assert_eq!(record.target, ForecastTarget::MentionRate);
        assert_eq!(record.ai_engine.as_deref(), Some("gemini"));
        assert_eq!((record.history.n, record.horizon), (12, 6));
        assert!(
            record
                .points
                .iter()
                .all(|it| (0.2..0.6).contains(&it.median))
        );
        // Weeks of another model and the current week do not count.
        let changed = forecast_of_weeks(12, 9);
        assert_eq!(changed.history.n, 3);
        let refusal = changed.refusal.unwrap();
        assert_eq!(refusal.reason, RefusalReason::HistoryTooShort);
    }
}
