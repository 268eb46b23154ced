//! Selects the imported rows that cover a requested period.

use super::{DimensionSet, RowSubject, Span, StoredSpan, basis::granularity};
use crate::ids::ConsoleSpanId;
use std::collections::BTreeMap;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PeriodRows {
    pub dimensions: DimensionSet,
    pub span: Span,
    /// Number of days; less than the span if days are missing.
    pub days: u64,
    pub spans: Vec<ConsoleSpanId>,
}

/// Rows of that subject within the period: of the dimensions with most days, else the longest
/// period imported as a whole. Dimensions, days and periods are never mixed.
pub fn rows_within(stored: &[StoredSpan], about: RowSubject, period: Span) -> Option<PeriodRows> {
    let lies_within = |it: &&StoredSpan| {
        it.dimensions.subject == about
            && it.span.first >= period.first
            && it.span.last <= period.last
    };
    let mut by_cut: BTreeMap<DimensionSet, Vec<&StoredSpan>> = BTreeMap::new();
    for it in stored
        .iter()
        .filter(lies_within)
        .filter(|it| it.span.is_day())
    {
        by_cut.entry(it.dimensions).or_default().push(it);
    }
    let days = by_cut
        .into_iter()
        .max_by_key(|(cut, days)| (days.len(), granularity(*cut)));
    if let Some((cut, days)) = days {
        let first = days.iter().map(|it| it.span.first).min()?;
        let last = days.iter().map(|it| it.span.last).max()?;
        return Some(PeriodRows {
            dimensions: cut,
            span: Span::between(first, last)?,
            days: days.len() as u64,
            spans: days.iter().map(|it| it.id).collect(),
        });
    }
    let period = stored.iter().filter(lies_within).max_by_key(|it| {
        (
            it.span.days(),
            it.span.last,
            granularity(it.dimensions),
            it.imported_at,
        )
    })?;
    Some(PeriodRows {
        dimensions: period.dimensions,
        span: period.span,
        days: period.span.days().unsigned_abs(),
        spans: vec![period.id],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_console::Origin;
    use chrono::{DateTime, Days, NaiveDate};

    fn day(n: u64) -> NaiveDate {
        NaiveDate::from_ymd_opt(2026, 1, 1).unwrap() + Days::new(n)
    }

    fn span(first: u64, last: u64) -> Span {
        Span::between(day(first), day(last)).unwrap()
    }

    fn stored(id: i64, cut: DimensionSet, first: u64, last: u64) -> StoredSpan {
        StoredSpan {
            id: ConsoleSpanId(id),
            dimensions: cut,
            span: span(first, last),
            rows: 1,
            origin: Origin::Api,
            label: String::new(),
            imported_at: DateTime::UNIX_EPOCH,
        }
    }

    const PLAIN: DimensionSet = DimensionSet::aggregated(RowSubject::QueryAndPage);
    const MARKET: DimensionSet = DimensionSet::by_market(RowSubject::QueryAndPage);

    fn ids(all: &[StoredSpan], first: u64, last: u64) -> Option<(u64, Vec<i64>)> {
        let found = rows_within(all, RowSubject::QueryAndPage, span(first, last))?;
        Some((found.days, found.spans.iter().map(|it| it.0).collect()))
    }

    #[test]
    fn the_dimensions_with_most_days_are_used_alone() {
        let all = [
            stored(1, PLAIN, 1, 1),
            stored(2, PLAIN, 2, 2),
            stored(3, PLAIN, 4, 4),
            stored(4, MARKET, 2, 2),
            stored(5, DimensionSet::aggregated(RowSubject::Query), 3, 3),
            stored(6, PLAIN, 0, 9),
        ];
        assert_eq!(ids(&all, 0, 9), Some((3, vec![1, 2, 3])));
        assert_eq!(ids(&all, 2, 2), Some((1, vec![4])), "the finer of both");
        assert_eq!(ids(&all, 5, 9), None, "a part of a period says nothing");
        let found = rows_within(&all, RowSubject::QueryAndPage, span(0, 9)).unwrap();
        assert_eq!((found.span, found.dimensions), (span(1, 4), PLAIN));
    }

    #[test]
    fn a_period_is_used_where_no_day_was_imported() {
        let all = [
            stored(1, PLAIN, 0, 6),
            stored(2, PLAIN, 0, 9),
            stored(3, PLAIN, 0, 30),
        ];
        assert_eq!(ids(&all, 0, 20), Some((10, vec![2])));
        assert_eq!(ids(&all, 1, 20), None);
    }
}
