//! Keyset pagination: rows that are not changed meanwhile are seen exactly once.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    Ascending,
    Descending,
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
pub struct Position {
    pub value: SortValue,
    /// The row's id, which breaks ties.
    pub id: i64,
}

#[derive(Debug, Clone, PartialEq)]
pub struct PageRequest<S> {
    pub sort: S,
    pub direction: Direction,
    pub after: Option<Position>,
    pub limit: u32,
    /// Whether to count all rows, up to [`MOST_COUNTED`].
    pub counted: bool,
    /// Limits the stored text of a page of keywords, projects or findings, in bytes; at least one row is
    /// returned. `None`: only `limit` applies. Saves reading large rows that would not fit a response.
    pub bytes: Option<usize>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    pub items: Vec<T>,
    /// For each row in `items`, the position of a page that ended with it.
    pub ends: Vec<Position>,
    /// Where the next page starts; `None` at the end.
    pub next: Option<Position>,
    /// Over all pages; `None` unless requested.
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

    /// Leaves the rows after the first `kept` to the next page.
    pub fn shorten(&mut self, kept: usize) {
        if kept == 0 || kept >= self.ends.len() {
            return;
        }
        self.items.truncate(kept);
        self.ends.truncate(kept);
        self.next = self.ends.last().cloned();
    }
}

/// More rows are not counted, because that would cost more than the page itself.
pub const MOST_COUNTED: u32 = 10_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Total {
    /// Counted rows, at most [`MOST_COUNTED`].
    pub rows: u32,
    pub is_lower_bound: bool,
}

impl Total {
    /// `found` counts up to one row beyond [`MOST_COUNTED`].
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
