//! Keyset pagination, as in the databases.

use super::{Stored, unavailable};
use crate::page::{Direction, Page, PageCursor, PageRequest, SortValue, Total};
use chrono::{DateTime, Utc};
use std::{cmp::Ordering, mem::discriminant};

/// Sort key of a row: its sort value, and an id that breaks ties.
#[derive(Debug, Clone, PartialEq)]
pub struct Place<Id> {
    pub value: SortValue,
    pub id: Id,
}

impl<Id: Ord> Place<Id> {
    /// Rows without a value come last in both directions.
    fn compare(&self, other: &Self, direction: Direction) -> Ordering {
        let is_missing = |it: &Self| it.value == SortValue::Missing;
        let rising = compare(&self.value, &other.value).then_with(|| self.id.cmp(&other.id));
        let within = match direction {
            Direction::Ascending => rising,
            Direction::Descending => rising.reverse(),
        };
        is_missing(self).cmp(&is_missing(other)).then(within)
    }
}

fn compare(one: &SortValue, other: &SortValue) -> Ordering {
    match (one, other) {
        (SortValue::Number(one), SortValue::Number(other)) => one.cmp(other),
        (SortValue::Text(one), SortValue::Text(other)) => one.cmp(other),
        (SortValue::Real(one), SortValue::Real(other)) => one.total_cmp(other),
        _ => Ordering::Equal,
    }
}

pub fn moment(at: DateTime<Utc>) -> SortValue {
    SortValue::Number(at.timestamp_micros())
}

/// Conversions between sort key and position.
pub struct CursorCodec<Id> {
    pub encode: fn(&Place<Id>) -> PageCursor,
    pub decode: fn(&PageCursor) -> Option<Place<Id>>,
}

/// If an id breaks ties, the sort key is the position.
pub const BY_ID: CursorCodec<i64> = CursorCodec {
    encode: |place| PageCursor {
        value: place.value.clone(),
        id: place.id,
    },
    decode: |position| {
        Some(Place {
            value: position.value.clone(),
            id: position.id,
        })
    },
};

/// The requested page of rows. `bytes` counts toward the request's byte limit.
pub fn page<'a, Row: Clone + 'a, S, Id: Ord + Clone>(
    rows: impl Iterator<Item = &'a Row>,
    request: &PageRequest<S>,
    codec: &CursorCodec<Id>,
    place: impl Fn(&Row) -> Place<Id>,
    bytes: impl Fn(&Row) -> usize,
) -> Stored<Page<Row>> {
    let mut rows: Vec<(Place<Id>, &Row)> = rows.map(|it| (place(it), it)).collect();
    let total = request.counted.then(|| Total::of(rows.len()));
    rows.sort_by(|one, other| one.0.compare(&other.0, request.direction));
    if let Some(after) = &request.after {
        let after = (codec.decode)(after).filter(|it| is_of_this_order(it, &rows));
        let after = after.ok_or_else(|| unavailable("a position of another order"))?;
        rows.retain(|(at, _)| at.compare(&after, request.direction) == Ordering::Greater);
    }
    let mut left = request.bytes.unwrap_or(usize::MAX);
    let mut fits = 0;
    for (_, row) in rows.iter().take(request.limit as usize) {
        let taken = bytes(row);
        if taken > left && fits > 0 {
            break;
        }
        left = left.saturating_sub(taken);
        fits += 1;
    }
    let has_more = rows.len() > fits;
    rows.truncate(fits);
    let ends: Vec<PageCursor> = rows.iter().map(|(at, _)| (codec.encode)(at)).collect();
    Ok(Page {
        items: rows.into_iter().map(|(_, row)| row.clone()).collect(),
        next: ends.last().filter(|_| has_more).cloned(),
        cursors: ends,
        total,
    })
}

fn is_of_this_order<Id, Row>(place: &Place<Id>, rows: &[(Place<Id>, Row)]) -> bool {
    let is_missing = |it: &SortValue| *it == SortValue::Missing;
    let mut known = rows.iter().map(|(it, _)| &it.value);
    let known = known.find(|it| !is_missing(it));
    is_missing(&place.value)
        || known.is_none_or(|it| discriminant(it) == discriminant(&place.value))
}
