//! Selects the imported rows that a figure is based on: one set of dimensions and consecutive days,
//! so that nothing is counted twice and a month is a month.

use super::{DimensionSet, Origin, RowSubject, Span};
use crate::ids::ConsoleSpanId;
use chrono::{DateTime, Days, NaiveDate, TimeDelta, Utc};
use std::collections::BTreeMap;

/// Rows that end longer ago are outdated.
pub const MAX_BASIS_AGE: TimeDelta = TimeDelta::days(35);
/// Longer periods imported as a whole say too little about their end, in days.
pub const MAX_PERIOD_DAYS: i64 = 100;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredSpan {
    pub id: ConsoleSpanId,
    pub dimensions: DimensionSet,
    pub span: Span,
    pub rows: u64,
    pub origin: Origin,
    /// Name of the file, or the property.
    pub label: String,
    pub imported_at: DateTime<Utc>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    pub dimensions: DimensionSet,
    /// Covered days, without gaps.
    pub span: Span,
    pub spans: Vec<ConsoleSpanId>,
    /// Time of the newest import.
    pub imported_at: DateTime<Utc>,
}

/// Rows of that subject for the last days up to `on`: the newest consecutive days, at most `days`, else the
/// newest period imported as a whole. Days take precedence over periods, and dimensions by market over others.
pub fn choose_basis(
    stored: &[StoredSpan],
    about: RowSubject,
    on: NaiveDate,
    days: u64,
) -> Option<Basis> {
    let fresh = |it: &&StoredSpan| {
        it.dimensions.subject == about && it.span.last <= on && it.span.is_fresh(on)
    };
    let mut by_cut: BTreeMap<DimensionSet, BTreeMap<NaiveDate, &StoredSpan>> = BTreeMap::new();
    let of_days = stored
        .iter()
        .filter(|it| it.dimensions.subject == about && it.span.is_day());
    for it in of_days.filter(|it| it.span.last <= on) {
        by_cut
            .entry(it.dimensions)
            .or_default()
            .insert(it.span.last, it);
    }
    let newest = by_cut
        .into_iter()
        .filter_map(|(cut, of_days)| latest_run(cut, &of_days, days))
        .filter(|it| it.span.is_fresh(on))
        .max_by_key(|it| (it.span.last, granularity(it.dimensions)));
    newest.or_else(|| {
        let periods = stored.iter().filter(fresh);
        let period = periods
            .filter(|it| !it.span.is_day() && !it.span.is_too_long())
            .max_by_key(|it| (it.span.last, granularity(it.dimensions), it.imported_at))?;
        Some(Basis {
            dimensions: period.dimensions,
            span: period.span,
            spans: vec![period.id],
            imported_at: period.imported_at,
        })
    })
}

impl Span {
    pub fn is_fresh(self, on: NaiveDate) -> bool {
        on - self.last <= MAX_BASIS_AGE
    }

    pub fn is_too_long(self) -> bool {
        self.days() > MAX_PERIOD_DAYS
    }
}

/// How well rows separate markets; higher is finer.
pub(crate) const fn granularity(cut: DimensionSet) -> (bool, bool) {
    (cut.by_country, cut.by_device)
}

/// The latest consecutive days.
fn latest_run(
    cut: DimensionSet,
    of_days: &BTreeMap<NaiveDate, &StoredSpan>,
    max_days: u64,
) -> Option<Basis> {
    let (last, newest) = of_days.last_key_value()?;
    let mut basis = Basis {
        dimensions: cut,
        span: Span::day(*last),
        spans: Vec::new(),
        imported_at: newest.imported_at,
    };
    for before in 0..max_days {
        let day = last.checked_sub_days(Days::new(before))?;
        let Some(of_the_day) = of_days.get(&day) else {
            break;
        };
        basis.span.first = day;
        basis.spans.push(of_the_day.id);
        basis.imported_at = basis.imported_at.max(of_the_day.imported_at);
    }
    Some(basis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(n: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(n)
    }

    fn stored(id: i64, cut: DimensionSet, first: u64, last: u64) -> StoredSpan {
        StoredSpan {
            id: ConsoleSpanId(id),
            dimensions: cut,
            span: Span::between(day(first), day(last)).unwrap(),
            rows: 1,
            origin: Origin::Api,
            label: String::new(),
            imported_at: DateTime::UNIX_EPOCH + TimeDelta::days(id),
        }
    }

    const PLAIN: DimensionSet = DimensionSet::aggregated(RowSubject::Query);
    const MARKET: DimensionSet = DimensionSet::by_market(RowSubject::Query);

    #[test]
    fn the_newest_days_without_a_gap_are_taken() {
        let mut all: Vec<StoredSpan> = (0..60)
            .map(|n| stored(n.try_into().unwrap(), PLAIN, n, n))
            .collect();
        let basis = choose_basis(&all, RowSubject::Query, day(62), 28).unwrap();
        assert_eq!(
            (basis.span.first, basis.span.last, basis.spans.len()),
            (day(32), day(59), 28)
        );
        all.remove(50);
        let basis = choose_basis(&all, RowSubject::Query, day(62), 28).unwrap();
        assert_eq!((basis.span.first, basis.spans.len()), (day(51), 9));
        // Neither future nor outdated rows.
        let basis = choose_basis(&all, RowSubject::Query, day(40), 28).unwrap();
        assert_eq!(basis.span.last, day(40));
        assert_eq!(
            choose_basis(&all, RowSubject::Query, day(59 + 36), 28),
            None
        );
        assert_eq!(choose_basis(&all, RowSubject::Page, day(60), 28), None);
    }

    #[test]
    fn days_precede_periods_and_markets_precede_aggregates() {
        let period = stored(1, PLAIN, 0, 59);
        let long = stored(2, PLAIN, 0, 100);
        let day_of_market = stored(3, MARKET, 40, 40);
        let of = |all: &[&StoredSpan], on| {
            let all: Vec<StoredSpan> = all.iter().map(|it| (*it).clone()).collect();
            choose_basis(&all, RowSubject::Query, day(on), 28)
                .map(|it| it.spans.iter().map(|it| it.0).collect::<Vec<_>>())
        };
        assert_eq!(of(&[&period], 60), Some(vec![1]));
        assert_eq!(of(&[&period, &day_of_market], 60), Some(vec![3]));
        assert_eq!(
            of(&[&long], 100),
            None,
            "too long to say anything of its end"
        );
        let plain = stored(4, PLAIN, 40, 40);
        assert_eq!(of(&[&plain, &day_of_market], 60), Some(vec![3]));
        let newer = stored(5, PLAIN, 41, 41);
        assert_eq!(of(&[&plain, &newer, &day_of_market], 60), Some(vec![5, 4]));
    }
}
