//! Keyset pagination: rows that are not changed meanwhile are seen exactly once.

use chrono::{DateTime, Utc};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// The position of a row in a list by time: microseconds since 1970, and id.
pub fn position(at: DateTime<Utc>, id: i64) -> String {
    format!("{}.{id}", at.timestamp_micros())
}

/// Reads what [`position`] wrote.
pub fn parse_position(text: &str) -> Option<(DateTime<Utc>, i64)> {
    let (at, id) = text.split_once('.')?;
    let at = DateTime::from_timestamp_micros(at.parse().ok()?)?;
    Some((at, id.parse().ok()?))
}

/// Value of the sort column in the last row of a page. Rows without one come last in both directions.
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// A number, or a time in microseconds since 1970.
    Number(i64),
    /// A text, compared byte by byte.
    Text(String),
    Real(f64),
    Missing,
}

/// End of a page: the next one starts after this row.
#[derive(Debug, Clone, PartialEq)]
pub struct PageCursor {
    pub value: SortValue,
    /// The row's id, which breaks ties.
    pub id: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageRequest<S> {
    pub sort: S,
    pub direction: Direction,
    pub after: Option<PageCursor>,
    pub limit: u32,
    /// Whether to count all rows, up to [`MAX_COUNTED`].
    pub counted: bool,
    /// Limits the stored text of a page of keywords, projects or findings, in bytes; at least one row is
    /// returned. `None`: only `limit` applies. Saves reading large rows that would not fit a response.
    pub bytes: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// For each row in `items`, the position of a page that ended with it.
    pub cursors: Vec<PageCursor>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<PageCursor>,
    /// Over all pages; `None` unless requested.
    pub total: Option<Total>,
}

impl<T> Page<T> {
    pub const fn empty() -> Self {
        Self {
            items: vec![],
            cursors: vec![],
            next: None,
            total: None,
        }
    }

    /// Leaves the rows after the first `kept` to the next page.
    pub fn truncate(&mut self, kept: usize) {
        if kept == 0 || kept >= self.cursors.len() {
            return;
        }
        self.items.truncate(kept);
        self.cursors.truncate(kept);
        self.next = self.cursors.last().cloned();
    }
}

/// More rows are not counted, because that would cost more than the page itself.
pub const MAX_COUNTED: u32 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Counted rows, at most [`MAX_COUNTED`].
    pub rows: u32,
    pub is_lower_bound: bool,
}

impl Total {
    /// `found` counts up to one row beyond [`MAX_COUNTED`].
    pub fn of(found: usize) -> Self {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        Self {
            rows: found.min(MAX_COUNTED),
            is_lower_bound: found > MAX_COUNTED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_COUNTED, Page, PageCursor, SortValue, Total};

    #[test]
    fn a_truncated_page_continues_after_its_last_row() {
        let end = |id| PageCursor {
            value: SortValue::Missing,
            id,
        };
        let whole = Page {
            items: vec!['a', 'b', 'c'],
            cursors: vec![end(1), end(2), end(3)],
            next: None,
            total: None,
        };
        let mut page = whole.clone();
        page.truncate(2);
        assert_eq!((page.items, page.next), (vec!['a', 'b'], Some(end(2))));
        for all in [0, 3, 4] {
            let mut page = whole.clone();
            page.truncate(all);
            assert_eq!(page, whole, "{all}");
        }
    }

    #[test]
    fn a_count_above_the_maximum_is_a_lower_bound() {
        let max = MAX_COUNTED as usize;
        for (found, rows, is_lower_bound) in
            [(0, 0, false), (max, 10_000, false), (max + 1, 10_000, true)]
        {
            assert_eq!(
                Total::of(found),
                Total {
                    rows,
                    is_lower_bound
                }
            );
        }
    }
}
