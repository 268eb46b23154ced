//! Metrics that several pages show, and what they are compared with.

use super::{charts::bar, components};
use analysis::findings::rankings::{ChangeKind, ProjectSeries, RankingRecord, RankingsSummary};
use analysis::findings::sov::SovSummary;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};

/// Range of sparklines.
const SPARKLINE_DAYS: Days = Days::new(90);

/// The last `SPARKLINE_DAYS` days, oldest first.
pub fn visibility(series: &ProjectSeries) -> Vec<(NaiveDate, Option<f64>)> {
    let newest = series.newest_series().last().map(|(day, _)| day);
    let since = newest.map(|it| it - SPARKLINE_DAYS);
    let days = series
        .newest_series()
        .filter(|(day, _)| Some(*day) >= since);
    insert_gaps(days.map(|(day, it)| (day, it.visibility)).collect())
}

/// Inserts a gap if more than a week is missing between two days, so that no line is drawn across it.
pub fn insert_gaps(days: Vec<(NaiveDate, Option<f64>)>) -> Vec<(NaiveDate, Option<f64>)> {
    let mut whole: Vec<(NaiveDate, Option<f64>)> = Vec::with_capacity(days.len());
    for (day, value) in days {
        if let Some((last, _)) = whole.last().copied()
            && (day - last).num_days() > 8
        {
            whole.push((last + Days::new(1), None));
        }
        whole.push((day, value));
    }
    whole
}

/// Change over 7 days, for keywords measured on both days.
pub fn visibility_delta(it: &RankingsSummary) -> Option<Markup> {
    components::delta(it.visibility_change7.as_ref().map(|it| it.change), 1, "")
}

/// What that change compares; empty without a change.
pub fn visibility_period(it: &RankingsSummary) -> String {
    { it.visibility_change7.as_ref() }.map_or_else(String::new, |it| {
        components::comparison_note(7, it.since, it.compared, it.added)
    })
}

pub fn share_period(it: &SovSummary) -> String {
    let (Some(since), Some(keywords)) = (it.change30_since, it.change30_keywords) else {
        return String::new();
    };
    let added = it.coverage.measured.saturating_sub(keywords);
    components::comparison_note(30, since, keywords, added)
}

/// A position, why it was not measured, or that the keyword was not found, and down to which position.
pub fn position_cell(position: Option<u32>, record: Option<&RankingRecord>) -> Markup {
    if let Some(error) = record.and_then(|it| it.envelope.error.as_deref()) {
        return components::tag("bad", &components::humanize(error));
    }
    match (position, record.map(|it| it.depth_checked)) {
        (Some(position), _) => components::count(position.into()),
        (None, Some(depth)) if depth > 0 => components::text(format_args!("not in {depth}")),
        (None, _) => components::text("not ranked"),
    }
}

pub fn change_cell(record: Option<&RankingRecord>) -> Markup {
    let Some(record) = record else {
        return components::unknown();
    };
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred places")]
    let places = record.change.map(|it| it as f64);
    match record.change_kind {
        ChangeKind::New => components::tag("good", "new"),
        ChangeKind::Lost => components::tag("bad", "lost"),
        ChangeKind::FirstSeen => components::tag("", "first look"),
        ChangeKind::Unknown => components::unknown(),
        ChangeKind::Up | ChangeKind::Down | ChangeKind::Same => {
            components::delta(places, 0, "").unwrap_or_else(components::unknown)
        }
    }
}

pub fn share_cell(share: Option<f64>) -> Markup {
    share.map_or_else(components::unknown, |it| {
        html! { (components::percent(Some(it))) (bar(it, "1")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, n).expect("a day")
    }

    #[test]
    fn a_gap_follows_a_week_without_data() {
        let days = vec![
            (day(1), Some(1.0)),
            (day(8), Some(2.0)),
            (day(20), Some(3.0)),
        ];
        let whole = insert_gaps(days);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[2], (day(9), None));
    }
}
