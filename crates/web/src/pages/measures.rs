//! Metrics that several pages show, and what they are compared with.

use super::{charts::bar, parts};
use analysis::findings::rankings::{ChangeKind, ProjectSeries, RankingRecord, RankingsSummary};
use analysis::findings::sov::SovSummary;
use chrono::{Days, NaiveDate};
use maud::{Markup, html};

/// Range of sparklines.
const DRAWN: Days = Days::new(90);

/// The last `DRAWN` days, oldest first.
pub fn visibility(series: &ProjectSeries) -> Vec<(NaiveDate, Option<f64>)> {
    let newest = series.newest_of_a_kind().last().map(|(day, _)| day);
    let since = newest.map(|it| it - DRAWN);
    let days = series
        .newest_of_a_kind()
        .filter(|(day, _)| Some(*day) >= since);
    with_gaps(days.map(|(day, it)| (day, it.visibility)).collect())
}

/// Inserts a gap if more than a week is missing between two days, so that no line is drawn across it.
pub fn with_gaps(days: Vec<(NaiveDate, Option<f64>)>) -> Vec<(NaiveDate, Option<f64>)> {
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
    parts::delta(it.visibility_change7.as_ref().map(|it| it.change), 1, "")
}

/// What that change compares; empty without a change.
pub fn visibility_period(it: &RankingsSummary) -> String {
    { it.visibility_change7.as_ref() }.map_or_else(String::new, |it| {
        parts::compared(7, it.since, it.compared, it.added)
    })
}

pub fn share_period(it: &SovSummary) -> String {
    let (Some(since), Some(keywords)) = (it.change30_since, it.change30_keywords) else {
        return String::new();
    };
    let added = it.coverage.measured.saturating_sub(keywords);
    parts::compared(30, since, keywords, added)
}

/// A position, or that the keyword was not found, and down to which position.
pub fn position(position: Option<u32>, record: Option<&RankingRecord>) -> Markup {
    match (position, record.map(|it| it.depth_checked)) {
        (Some(position), _) => parts::count(position.into()),
        (None, Some(depth)) if depth > 0 => parts::text(format_args!("not in {depth}")),
        (None, _) => parts::text("not ranked"),
    }
}

pub fn change(record: Option<&RankingRecord>) -> Markup {
    let Some(record) = record else {
        return parts::unknown();
    };
    #[expect(clippy::cast_precision_loss, reason = "at most a hundred places")]
    let places = record.change.map(|it| it as f64);
    match record.change_kind {
        ChangeKind::New => parts::tag("good", "new"),
        ChangeKind::Lost => parts::tag("bad", "lost"),
        ChangeKind::FirstSeen => parts::tag("", "first look"),
        ChangeKind::Unknown => parts::unknown(),
        ChangeKind::Up | ChangeKind::Down | ChangeKind::Same => {
            parts::delta(places, 0, "").unwrap_or_else(parts::unknown)
        }
    }
}

pub fn share_cell(share: Option<f64>) -> Markup {
    share.map_or_else(parts::unknown, |it| {
        html! { (parts::percent(Some(it))) (bar(it, "1")) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u32) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 11, n).expect("a day")
    }

    #[test]
    fn long_silence_is_a_gap() {
        let days = vec![
            (day(1), Some(1.0)),
            (day(8), Some(2.0)),
            (day(20), Some(3.0)),
        ];
        let whole = with_gaps(days);
        assert_eq!(whole.len(), 4);
        assert_eq!(whole[2], (day(9), None));
    }
}
