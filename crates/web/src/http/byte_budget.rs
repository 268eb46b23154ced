//! Response size and verbosity: up to 256 KiB over HTTP, up to the caller's limit for a tool. A page of a list ends
//! before it would exceed that.

use serde_json::{Value, value::RawValue};

/// For the rows of a response, in bytes; the rest of the 256 KiB is for the envelope.
pub const MAX_BYTES: usize = (256 - 16) * 1024;

/// A row as JSON text.
pub trait Row: Sized {
    fn text(&self) -> &str;

    fn of(value: &Value) -> Option<Self>;
}

impl Row for Box<RawValue> {
    fn text(&self) -> &str {
        self.get()
    }

    fn of(value: &Value) -> Option<Self> {
        RawValue::from_string(value.to_string()).ok()
    }
}

impl Row for String {
    fn text(&self) -> &str {
        self
    }

    fn of(value: &Value) -> Option<Self> {
        Some(value.to_string())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    Full,
    /// For models: no null or empty members, at most so many bytes, each row counted twice, as structured content and
    /// as text.
    Terse(usize),
}

impl Verbosity {
    /// Reserves bytes of JSON outside the rows; at least half of the budget is left for rows.
    #[must_use]
    pub const fn with_reserved(self, bytes: usize) -> Self {
        match self {
            Self::Full => self,
            Self::Terse(max_bytes) if 2 * bytes > max_bytes / 2 => Self::Terse(max_bytes / 2),
            Self::Terse(max_bytes) => Self::Terse(max_bytes - 2 * bytes),
        }
    }

    pub const fn byte_budget(self) -> ByteBudget {
        self.byte_budget_per_list(1)
    }

    /// For one of so many lists in a response.
    pub const fn byte_budget_per_list(self, lists: usize) -> ByteBudget {
        let left = match self {
            Self::Full => MAX_BYTES / lists,
            Self::Terse(max_bytes) => max_bytes / lists,
        };
        ByteBudget {
            remaining: left,
            is_unused: true,
            verbosity: self,
        }
    }
}

#[derive(Debug)]
pub struct ByteBudget {
    remaining: usize,
    is_unused: bool,
    verbosity: Verbosity,
}

impl ByteBudget {
    pub const fn for_response() -> Self {
        Verbosity::Full.byte_budget()
    }

    /// At least one row, so that a client always makes progress.
    pub fn fill<R: Row, E>(
        &mut self,
        rows: impl Iterator<Item = Result<R, E>>,
    ) -> Result<Vec<R>, E> {
        let mut written = Vec::new();
        for row in rows {
            let (row, bytes) = self.row_with_size(row?);
            if bytes > self.remaining && !self.is_unused {
                // Stop at the first row that does not fit; skipping it would reorder the page.
                self.remaining = 0;
                break;
            }
            self.remaining = self.remaining.saturating_sub(bytes);
            self.is_unused = false;
            written.push(row);
        }
        Ok(written)
    }

    /// Includes the comma.
    fn row_with_size<R: Row>(&self, row: R) -> (R, usize) {
        if self.verbosity == Verbosity::Full {
            let bytes = row.text().len() + 1;
            return (row, bytes);
        }
        let row = terse_row(row);
        let bytes = mcp_encoded_size(row.text()) + 2;
        (row, bytes)
    }
}

fn terse_row<R: Row>(row: R) -> R {
    let Ok(mut value) = serde_json::from_str::<Value>(row.text()) else {
        return row;
    };
    strip_empty(&mut value);
    R::of(&value).unwrap_or(row)
}

/// Encoded size of JSON that an MCP result carries twice: as structured content and as an escaped string.
pub fn mcp_encoded_size(json: &str) -> usize {
    let escaped = json.bytes().filter(|it| matches!(it, b'"' | b'\\')).count();
    2 * json.len() + escaped
}

/// Removes null members and empty lists at any depth. List items stay.
pub fn strip_empty(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(strip_empty);
            members.retain(|_, it| !it.is_null() && it.as_array().is_none_or(|it| !it.is_empty()));
        }
        Value::Array(items) => items.iter_mut().for_each(strip_empty),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use std::convert::Infallible;

    fn rows(sizes: &[usize]) -> impl Iterator<Item = Result<Box<RawValue>, Infallible>> {
        sizes
            .iter()
            .map(|size| Ok(RawValue::from_string(format!("\"{}\"", "x".repeat(size - 3))).unwrap()))
    }

    fn fitting(budget: &mut ByteBudget, sizes: &[usize]) -> usize {
        let Ok(written) = budget.fill(rows(sizes));
        written.len()
    }

    #[test]
    fn rows_fit_to_the_last_byte() {
        let whole = |sizes: &[usize]| fitting(&mut ByteBudget::for_response(), sizes);
        assert_eq!(whole(&[]), 0);
        assert_eq!(whole(&[100, MAX_BYTES - 100]), 2);
        assert_eq!(whole(&[100, MAX_BYTES - 99, 10]), 1);
        assert_eq!(whole(&[MAX_BYTES + 1, 10]), 1);
    }

    #[test]
    fn lists_of_one_response_share_its_budget() {
        let mut budget = ByteBudget::for_response();
        assert_eq!(fitting(&mut budget, &[MAX_BYTES - 10]), 1);
        assert_eq!(fitting(&mut budget, &[11, 5]), 0);
        assert_eq!(fitting(&mut budget, &[5]), 0);
    }

    #[test]
    fn compact_rows_count_both_encoded_copies() {
        let row = || RawValue::from_string(r#"{"a":null,"b":"\"x","c":[],"d":[null]}"#.to_owned());
        let expected = r#"{"b":"\"x","d":[null]}"#;
        let twice = expected.len() + Value::String(expected.to_owned()).to_string().len() - 2;
        assert_eq!(mcp_encoded_size(expected), twice);
        let rows = || std::iter::repeat_with(|| Ok::<_, Infallible>(row().unwrap())).take(3);
        let Ok(two) = Verbosity::Terse(2 * (twice + 2)).byte_budget().fill(rows());
        assert_eq!((two.len(), two[0].get()), (2, expected));
        let Ok(one) = Verbosity::Terse(1).byte_budget().fill(rows());
        assert_eq!(one.len(), 1);
    }

    #[test]
    fn empty_members_are_stripped_and_list_items_stay() {
        let mut value =
            json!({ "a": { "b": null, "c": 0 }, "d": [null, { "e": null }], "f": [], "g": "" });
        strip_empty(&mut value);
        assert_eq!(value, json!({ "a": { "c": 0 }, "d": [null, {}], "g": "" }));
    }
}
