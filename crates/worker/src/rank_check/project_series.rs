use super::head::{HeadContext, project_finding};
use analysis::document::Document;
use analysis::findings::envelope::FindingContext;
use analysis::findings::forecast::{
    ForecastInput, ForecastRecord, ForecastTally, HistorySource, Quantity, forecast,
};
use analysis::findings::rankings::{DayFigures, ProjectSeries, RankingsSummary, SeriesKind};
use analysis::forecast::history::{Observation, ObservedValue};
use analysis::result_type::ResultType;
use chrono::{Days, NaiveDate};
use domain::results::{SearchSource, StagedFinding};

const HISTORY_DAYS: Days = Days::new(400);
/// In days.
const FORECAST_DAYS: u32 = 90;

/// Replaces the day's earlier entry.
pub(super) fn add_day(
    series: &mut ProjectSeries,
    day: NaiveDate,
    source: &SearchSource,
    sum: &RankingsSummary,
    own_curve: bool,
) {
    let kind = SeriesKind {
        engine: source.engine.clone(),
        simulated: source.provenance.is_simulated(),
        method: sum.method_version.clone(),
        weighting: sum.weighting,
    };
    let figures = DayFigures {
        kind,
        keywords: u32::try_from(sum.coverage.measured).unwrap_or(u32::MAX),
        visibility: sum.visibility_index,
        traffic: sum.estimated_traffic,
        traffic_keywords: sum.estimated_traffic_keywords,
        own_curve,
    };
    series.0.insert(day, figures);
    series
        .0
        .retain(|it, _| *it >= day - HISTORY_DAYS && *it <= day);
}

/// Forecasts of visibility and traffic; their ordinals precede those of the keywords.
pub(super) fn forecasts(
    series: &ProjectSeries,
    run: &HeadContext<'_>,
    source: &SearchSource,
    tally: &mut ForecastTally,
) -> Vec<StagedFinding> {
    let Some((_, newest)) = series.0.last_key_value() else {
        return Vec::new();
    };
    let of_the_kind = || series.0.iter().filter(|(_, it)| it.kind == newest.kind);
    let visibility = of_the_kind().map(|(day, it)| observed(*day, it.visibility));
    // A sum over other keywords or by another kind of curve is not comparable.
    let traffic = of_the_kind()
        .filter(|(_, it)| it.traffic_keywords == newest.traffic_keywords)
        .filter(|(_, it)| it.own_curve == newest.own_curve)
        .map(|(day, it)| observed(*day, it.traffic));
    let keywords = newest.keywords.max(1);
    let quantities = [
        (
            Quantity::VisibilityIndex { keywords },
            visibility.collect::<Vec<_>>(),
        ),
        (Quantity::EstimatedTraffic, traffic.collect()),
    ];
    let records = quantities.iter().map(|(quantity, observations)| {
        let record = forecast_record(run, source, *quantity, observations);
        tally.add(&record);
        record
    });
    let staged = records.enumerate().map(|(place, record)| {
        let measured_at = record.envelope.measured_at;
        project_finding(
            ResultType::Forecast,
            place,
            measured_at,
            Document::of(&record),
        )
    });
    staged.collect()
}

fn observed(day: NaiveDate, value: Option<f64>) -> Observation {
    Observation {
        date: day,
        value: value.map_or(ObservedValue::Missing, ObservedValue::Value),
    }
}

fn forecast_record(
    run: &HeadContext<'_>,
    source: &SearchSource,
    quantity: Quantity,
    observations: &[Observation],
) -> ForecastRecord {
    forecast(&ForecastInput {
        context: FindingContext {
            project_id: run.job.project.0,
            measured_at: run.measured_at,
        },
        keyword: None,
        quantity,
        observations,
        source: HistorySource {
            provenance: source.provenance,
            provider: Some(run.provider),
        },
        days: FORECAST_DAYS,
        thresholds: &[],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use analysis::{findings::rankings::RankingsTally, provenance::Provenance};

    fn source(engine: &str) -> SearchSource {
        SearchSource {
            engine: engine.to_owned(),
            provenance: Provenance::Measured,
        }
    }

    fn day(n: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(n)
    }

    #[test]
    fn days_are_unique_and_old_ones_dropped() {
        let mut series = ProjectSeries::default();
        let sum = RankingsTally::default().finish(3);
        for n in [0, 5, 5, 401] {
            add_day(&mut series, day(n), &source("google"), &sum, false);
        }
        assert_eq!(
            series.0.keys().copied().collect::<Vec<_>>(),
            [day(5), day(401)]
        );
    }

    #[test]
    fn days_of_another_engine_are_another_series() {
        let mut series = ProjectSeries::default();
        let sum = RankingsTally::default().finish(3);
        add_day(&mut series, day(0), &source("bing"), &sum, false);
        add_day(&mut series, day(1), &source("google"), &sum, false);
        let newest = &series.0[&day(1)].kind;
        assert!(series.0[&day(0)].kind != *newest);
    }
}
