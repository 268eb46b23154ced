//! Keyset paging: the order is total, and the next page begins after the last row of this one.

use crate::instant::At;
use diesel::{QueryResult, expression::expression_types::NotSelectable};
use domain::page::{Page, PageCursor, PageRequest, SortValue, Total};
use domain::ports::storage::StorageError;

/// Sorts by a non-null column, starting after `after` (value, id); the redundant bound lets an index seek there.
macro_rules! sort_by {
    ($query:ident, $direction:expr, $column:expr, $id:expr, $after:expr) => {
        match $direction {
            ::domain::page::Direction::Ascending => {
                if let Some((value, id)) = $after {
                    let tie = $column.eq(value.clone()).and($id.gt(id));
                    $query = $query
                        .filter($column.ge(value.clone()))
                        .filter($column.gt(value).or(tie));
                }
                $query = $query.order(($column.asc(), $id.asc()));
            }
            ::domain::page::Direction::Descending => {
                if let Some((value, id)) = $after {
                    let tie = $column.eq(value.clone()).and($id.lt(id));
                    $query = $query
                        .filter($column.le(value.clone()))
                        .filter($column.lt(value).or(tie));
                }
                $query = $query.order(($column.desc(), $id.desc()));
            }
        }
    };
}

// Unlike sorting by `IS NULL` first, this lets both databases walk an index on the column.
diesel::postfix_operator!(MissingLast, " NULLS LAST", NotSelectable);

/// Sorts by a nullable column; nulls come last in both directions, which is neither database's default.
macro_rules! sort_by_with_missing_last {
    ($query:ident, $direction:expr, $column:expr, $id:expr, $after:expr) => {
        match $direction {
            ::domain::page::Direction::Ascending => {
                match $after {
                    None => {}
                    Some((Some(value), id)) => {
                        $query = $query.filter(
                            $column
                                .gt(value.clone())
                                .or($column.eq(value).and($id.gt(id)))
                                .or($column.is_null()),
                        );
                    }
                    Some((None, id)) => {
                        $query = $query.filter($column.is_null().and($id.gt(id)));
                    }
                }
                let sorted = super::paging::MissingLast::new($column.asc());
                $query = $query.order((sorted, $id.asc()));
            }
            ::domain::page::Direction::Descending => {
                match $after {
                    None => {}
                    Some((Some(value), id)) => {
                        $query = $query.filter(
                            $column
                                .lt(value.clone())
                                .or($column.eq(value).and($id.lt(id)))
                                .or($column.is_null()),
                        );
                    }
                    Some((None, id)) => {
                        $query = $query.filter($column.is_null().and($id.lt(id)));
                    }
                }
                let sorted = super::paging::MissingLast::new($column.desc());
                $query = $query.order((sorted, $id.desc()));
            }
        }
    };
}

pub trait Sortable: Sized {
    fn into_sort_value(self) -> SortValue;
    /// From a position; `None` when its type differs.
    fn from_sort_value(value: &SortValue) -> Option<Self>;
}

impl Sortable for At {
    fn into_sort_value(self) -> SortValue {
        SortValue::Number(self.micros())
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        i64::from_sort_value(value).and_then(Self::from_micros)
    }
}

impl Sortable for i64 {
    fn into_sort_value(self) -> SortValue {
        SortValue::Number(self)
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        match value {
            SortValue::Number(number) => Some(*number),
            _ => None,
        }
    }
}

impl Sortable for i32 {
    fn into_sort_value(self) -> SortValue {
        SortValue::Number(self.into())
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        i64::from_sort_value(value).and_then(|it| it.try_into().ok())
    }
}

impl Sortable for f64 {
    fn into_sort_value(self) -> SortValue {
        SortValue::Real(self)
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        match value {
            SortValue::Real(number) => Some(*number),
            _ => None,
        }
    }
}

impl Sortable for String {
    fn into_sort_value(self) -> SortValue {
        SortValue::Text(self)
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        match value {
            SortValue::Text(text) => Some(text.clone()),
            _ => None,
        }
    }
}

impl<T: Sortable> Sortable for Option<T> {
    fn into_sort_value(self) -> SortValue {
        self.map_or(SortValue::Missing, T::into_sort_value)
    }
    fn from_sort_value(value: &SortValue) -> Option<Self> {
        match value {
            SortValue::Missing => Some(None),
            value => T::from_sort_value(value).map(Some),
        }
    }
}

pub fn decode_position<T: Sortable>(
    after: Option<&PageCursor>,
) -> Result<Option<(T, i64)>, diesel::result::Error> {
    let heard = |it: &PageCursor| T::from_sort_value(&it.value).map(|value| (value, it.id));
    let heard = after.map(|it| heard(it).ok_or_else(wrong_position));
    heard.transpose()
}

/// The position belongs to another order.
pub fn wrong_position() -> diesel::result::Error {
    diesel::result::Error::SerializationError("a position of another order".into())
}

/// One more row than wanted shows whether there is a next page.
pub fn one_more(limit: u32) -> i64 {
    i64::from(limit) + 1
}

/// Counts the rows that a condition finds, if the request asks for it; `$id` is a column of them.
macro_rules! counted {
    ($request:expr, $db:ident, $found:expr, $id:expr) => {
        if $request.counted {
            let limit = i64::from(::domain::page::MAX_COUNTED) + 1;
            let ids: Vec<i64> = $found.select($id).limit(limit).load($db)?;
            Some(::domain::page::Total::of(ids.len()))
        } else {
            None
        }
    };
}

pub struct PageRows<R> {
    rows: Vec<R>,
    has_more: bool,
}

impl<R> PageRows<R> {
    /// `rows` come from a query for one more than `limit`.
    pub fn from_limited(mut rows: Vec<R>, limit: u32) -> Self {
        let has_more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Self { rows, has_more }
    }

    /// Reads no further than the page: it ends before it passes the request's limit of bytes.
    pub fn read<S>(
        found: impl Iterator<Item = QueryResult<R>>,
        request: &PageRequest<S>,
        bytes: impl Fn(&R) -> usize,
    ) -> QueryResult<Self> {
        let mut left = request.bytes.unwrap_or(usize::MAX);
        let mut rows = Vec::new();
        for row in found {
            let row = row?;
            let taken = bytes(&row);
            let is_full = rows.len() == request.limit as usize;
            if is_full || taken > left && !rows.is_empty() {
                let has_more = true;
                return Ok(Self { rows, has_more });
            }
            left = left.saturating_sub(taken);
            rows.push(row);
        }
        let has_more = false;
        Ok(Self { rows, has_more })
    }
}

pub fn page<R, T>(
    (PageRows { rows, has_more }, total): (PageRows<R>, Option<Total>),
    position: impl Fn(&R) -> PageCursor,
    read: impl Fn(R) -> Result<T, StorageError>,
) -> Result<Page<T>, StorageError> {
    let ends: Vec<PageCursor> = rows.iter().map(position).collect();
    let next = ends.last().filter(|_| has_more).cloned();
    let items = rows.into_iter().map(read).collect::<Result<_, _>>()?;
    Ok(Page {
        items,
        cursors: ends,
        next,
        total,
    })
}
