//! How much an answer may weigh.
//!
//! An answer has at most 256 KiB; a page of a list ends before it would pass that, however many
//! rows were asked for.

use serde_json::value::RawValue;

/// Largest rows of an answer together, in bytes; the rest of the 256 KiB is for what stands around
/// them.
pub const MOST_BYTES: usize = (256 - 16) * 1024;

/// Room for the rows of an answer.
#[derive(Debug)]
pub struct Room {
    left: usize,
    is_untouched: bool,
}

impl Room {
    /// Of a whole answer.
    pub const fn of_an_answer() -> Self {
        Self {
            left: MOST_BYTES,
            is_untouched: true,
        }
    }

    /// Of one of that many lists in an answer that has all of them.
    pub const fn of_one_list_in(lists: usize) -> Self {
        Self {
            left: MOST_BYTES / lists,
            is_untouched: true,
        }
    }

    /// The rows that fit, written; with one at least, so that nobody waits forever for a row that
    /// is too large.
    pub fn fill<E>(
        &mut self,
        rows: impl Iterator<Item = Result<Box<RawValue>, E>>,
    ) -> Result<Vec<Box<RawValue>>, E> {
        let mut written = Vec::new();
        for row in rows {
            let row = row?;
            let bytes = row.get().len() + 1;
            if bytes > self.left && !self.is_untouched {
                // Nothing behind it may take its place: rows come in their order.
                self.left = 0;
                break;
            }
            self.left = self.left.saturating_sub(bytes);
            self.is_untouched = false;
            written.push(row);
        }
        Ok(written)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
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
}
