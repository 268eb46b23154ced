//! Response size and verbosity: up to 256 KiB over HTTP, up to the caller's limit for a tool. A page of a list ends
//! before it would exceed that.

use serde_json::{Value, value::RawValue};

/// For the rows of a response, in bytes; the rest of the 256 KiB is for the envelope.
pub const MOST_BYTES: usize = (256 - 16) * 1024;

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
pub enum Telling {
    Whole,
    /// For models: no null or empty members, at most so many bytes, each row counted twice, as structured content and
    /// as text.
    Terse(usize),
}

impl Telling {
    /// Reserves bytes of JSON outside the rows; at least half of the budget is left for rows.
    #[must_use]
    pub const fn beside(self, bytes: usize) -> Self {
        match self {
            Self::Whole => self,
            Self::Terse(most) if 2 * bytes > most / 2 => Self::Terse(most / 2),
            Self::Terse(most) => Self::Terse(most - 2 * bytes),
        }
    }

    pub const fn room(self) -> Room {
        self.room_of_one_list_in(1)
    }

    /// For one of so many lists in a response.
    pub const fn room_of_one_list_in(self, lists: usize) -> Room {
        let left = match self {
            Self::Whole => MOST_BYTES / lists,
            Self::Terse(most) => most / lists,
        };
        Room {
            left,
            is_untouched: true,
            telling: self,
        }
    }
}

#[derive(Debug)]
pub struct Room {
    left: usize,
    is_untouched: bool,
    telling: Telling,
}

impl Room {
    pub const fn of_an_answer() -> Self {
        Telling::Whole.room()
    }

    /// At least one row, so that a client always makes progress.
    pub fn fill<R: Row, E>(
        &mut self,
        rows: impl Iterator<Item = Result<R, E>>,
    ) -> Result<Vec<R>, E> {
        let mut written = Vec::new();
        for row in rows {
            let (row, bytes) = self.weighed(row?);
            if bytes > self.left && !self.is_untouched {
                // Stop at the first row that does not fit; skipping it would reorder the page.
                self.left = 0;
                break;
            }
            self.left = self.left.saturating_sub(bytes);
            self.is_untouched = false;
            written.push(row);
        }
        Ok(written)
    }

    /// Includes the comma.
    fn weighed<R: Row>(&self, row: R) -> (R, usize) {
        if self.telling == Telling::Whole {
            let bytes = row.text().len() + 1;
            return (row, bytes);
        }
        let row = terse_row(row);
        let bytes = told_twice(row.text()) + 2;
        (row, bytes)
    }
}

fn terse_row<R: Row>(row: R) -> R {
    let Ok(mut value) = serde_json::from_str::<Value>(row.text()) else {
        return row;
    };
    leave_out_nothing(&mut value);
    R::of(&value).unwrap_or(row)
}

/// Encoded size of JSON that an MCP result carries twice: as structured content and as an escaped string.
pub fn told_twice(json: &str) -> usize {
    let escaped = json.bytes().filter(|it| matches!(it, b'"' | b'\\')).count();
    2 * json.len() + escaped
}

/// Removes null members and empty lists at any depth. List items stay.
pub fn leave_out_nothing(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.values_mut().for_each(leave_out_nothing);
            members.retain(|_, it| !it.is_null() && it.as_array().is_none_or(|it| !it.is_empty()));
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nothing),
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

    fn fitting(room: &mut Room, sizes: &[usize]) -> usize {
        let Ok(written) = room.fill(rows(sizes));
        written.len()
    }

    #[test]
    fn rows_fit_to_the_last_byte() {
        let whole = |sizes: &[usize]| fitting(&mut Room::of_an_answer(), sizes);
        assert_eq!(whole(&[]), 0);
        assert_eq!(whole(&[100, MOST_BYTES - 100]), 2);
        assert_eq!(whole(&[100, MOST_BYTES - 99, 10]), 1);
        assert_eq!(whole(&[MOST_BYTES + 1, 10]), 1);
    }

    #[test]
    fn lists_of_one_answer_share_its_room() {
        let mut room = Room::of_an_answer();
        assert_eq!(fitting(&mut room, &[MOST_BYTES - 10]), 1);
        assert_eq!(fitting(&mut room, &[11, 5]), 0);
        assert_eq!(fitting(&mut room, &[5]), 0);
    }

    #[test]
    fn terse_rows_weigh_what_both_their_copies_do() {
        let row = || RawValue::from_string(r#"{"a":null,"b":"\"x","c":[],"d":[null]}"#.to_owned());
        let told = r#"{"b":"\"x","d":[null]}"#;
        let twice = told.len() + Value::String(told.to_owned()).to_string().len() - 2;
        assert_eq!(told_twice(told), twice);
        let rows = || std::iter::repeat_with(|| Ok::<_, Infallible>(row().unwrap())).take(3);
        let Ok(two) = Telling::Terse(2 * (twice + 2)).room().fill(rows());
        assert_eq!((two.len(), two[0].get()), (2, told));
        let Ok(one) = Telling::Terse(1).room().fill(rows());
        assert_eq!(one.len(), 1);
    }

    #[test]
    fn nothing_is_left_out_at_any_depth_and_lists_keep_their_places() {
        let mut value =
            json!({ "a": { "b": null, "c": 0 }, "d": [null, { "e": null }], "f": [], "g": "" });
        leave_out_nothing(&mut value);
        assert_eq!(value, json!({ "a": { "c": 0 }, "d": [null, {}], "g": "" }));
    }
}
