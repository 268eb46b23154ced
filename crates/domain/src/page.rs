//! Pages of long lists: keyset paging, so that rows that stay are seen exactly once.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
}

/// The sort column's value in the last row of a page. Rows without one come last in both directions.
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// A number, or a time in microseconds since 1970.
    Number(i64),
    /// A text, compared byte by byte.
    Text(String),
    Real(f64),
    Missing,
}

/// Where a page ends: the next one begins behind this row.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    pub value: SortValue,
    /// The row's id, which makes the order total.
    pub id: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageRequest<S> {
    pub sort: S,
    pub direction: Direction,
    pub after: Option<Position>,
    pub limit: u32,
    /// Whether all rows are counted, up to [`MOST_COUNTED`].
    pub counted: bool,
    /// A page of keywords, projects or findings ends before its stored texts pass so many bytes, with one row
    /// at least; `None` where only `limit` ends it. Rows of 10 KB are not read to be left out of an answer.
    pub bytes: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// Where a page would end that ended with the row at the same place in `items`.
    pub ends: Vec<Position>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Position>,
    /// Over all pages; `None` unless asked for.
    pub total: Option<Total>,
}

impl<T> Page<T> {
    pub const fn empty() -> Self {
        Self {
            items: vec![],
            ends: vec![],
            next: None,
            total: None,
        }
    }

    /// Leaves the rows behind the first `kept` to the next page.
    pub fn shorten(&mut self, kept: usize) {
        if kept == 0 || kept >= self.ends.len() {
            return;
        }
        self.items.truncate(kept);
        self.ends.truncate(kept);
        self.next = self.ends.last().cloned();
    }
}

/// Rows beyond these are not counted: that would cost more than the page itself.
pub const MOST_COUNTED: u32 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Counted rows, [`MOST_COUNTED`] at the most.
    pub rows: u32,
    pub is_lower_bound: bool,
}

impl Total {
    /// Of rows that were counted up to one beyond [`MOST_COUNTED`].
    pub fn of(found: usize) -> Self {
        let found = u32::try_from(found).unwrap_or(u32::MAX);
        Self {
            rows: found.min(MOST_COUNTED),
            is_lower_bound: found > MOST_COUNTED,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST_COUNTED, Page, Position, SortValue, Total};

    #[test]
    fn a_shortened_page_goes_on_behind_its_last_row() {
        let end = |id| Position {
            value: SortValue::Missing,
            id,
        };
        let whole = Page {
            items: vec!['a', 'b', 'c'],
            ends: vec![end(1), end(2), end(3)],
            next: None,
            total: None,
        };
        let mut page = whole.clone();
        page.shorten(2);
        assert_eq!((page.items, page.next), (vec!['a', 'b'], Some(end(2))));
        for all in [0, 3, 4] {
            let mut page = whole.clone();
            page.shorten(all);
            assert_eq!(page, whole, "{all}");
        }
    }

    #[test]
    fn what_is_not_counted_is_a_lower_bound() {
        let most = MOST_COUNTED as usize;
        for (found, rows, is_lower_bound) in [
            (0, 0, false),
            (most, 10_000, false),
            (most + 1, 10_000, true),
        ] {
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
