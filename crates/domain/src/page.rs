//! Pages of long lists: keyset paging, so that rows that stay are seen exactly once.

/// Which way a list is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Smallest first.
    Ascending,
    /// Largest first.
    Descending,
}

/// The value of the sort column in the last row of a page. Rows without a value come last, in
/// both directions.
#[derive(Debug, Clone, PartialEq)]
pub enum SortValue {
    /// A number, or a time in microseconds since 1970.
    Number(i64),
    /// A text, compared byte by byte.
    Text(String),
    /// A fraction.
    Real(f64),
    /// No value.
    Missing,
}

/// Where a page ends: the next one begins behind this row.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The sort column's value.
    pub value: SortValue,
    /// The row's id, which makes the order total.
    pub id: i64,
}

/// What part of a list is wanted.
#[derive(Debug, Clone, PartialEq)]
pub struct PageRequest<S> {
    /// The sort column.
    pub sort: S,
    /// The direction.
    pub direction: Direction,
    /// Begin behind this row.
    pub after: Option<Position>,
    /// How many rows at the most.
    pub limit: u32,
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page<T> {
    /// The rows.
    pub items: Vec<T>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<Position>,
}
