//! Reads rows one by one, hashes them alike on both databases, and converts keys to text.

use super::catalog::Table;
use crate::instant::At;
use crate::sql::{Bind, Db, Kind};
use chrono::{Datelike, NaiveDate};
use diesel::QueryResult;
use sha2::{Digest, Sha256};
use std::{fmt::Write, ops::ControlFlow};

/// In the order of [`Table::columns`].
pub type Row = Vec<Bind>;

pub fn for_each_row(
    db: &mut Db,
    query: &str,
    values: Vec<Bind>,
    table: &Table,
    act: &mut dyn FnMut(Row) -> ControlFlow<()>,
) -> QueryResult<()> {
    db.each_row(query.into(), values, &table.kinds(), act)
}

/// Approximately.
pub fn bytes(row: &Row) -> usize {
    let of_value = |it: &Bind| match it {
        Bind::Text(text) => text.len(),
        Bind::Binary(bytes) => bytes.len(),
        _ => 0,
    };
    row.iter().map(|it| size_of::<Bind>() + of_value(it)).sum()
}

/// Number of rows, and the sum of their SHA-256 modulo 2^256: the same in every order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Checksum {
    pub rows: u64,
    /// Least significant first.
    sum: [u64; 4],
}

impl Checksum {
    pub fn add(&mut self, row: &Row) {
        let hash = hash(row);
        let mut carry = false;
        for (part, bytes) in self.sum.iter_mut().zip(hash.as_chunks::<8>().0) {
            let (sum, first) = part.overflowing_add(u64::from_le_bytes(*bytes));
            let (sum, second) = sum.overflowing_add(carry.into());
            (*part, carry) = (sum, first || second);
        }
        self.rows += 1;
    }

    /// Hexadecimal.
    pub fn digits(&self) -> String {
        let parts = self.sum.iter().rev().map(|it| format!("{it:016x}"));
        parts.collect()
    }

    /// Inverse of [`Checksum::digits`].
    pub fn of_digits(rows: u64, digits: &str) -> Option<Self> {
        let mut sum = [0; 4];
        for (at, part) in sum.iter_mut().rev().enumerate() {
            *part = u64::from_str_radix(digits.get(at * 16..(at + 1) * 16)?, 16).ok()?;
        }
        Some(Self { rows, sum })
    }
}

/// A tag and value per column. Integers of both sizes hash alike, and both zeros, which `SQLite` does not distinguish.
fn hash(row: &Row) -> [u8; 32] {
    let mut hash = Sha256::new();
    for value in row {
        let (tag, number, bytes) = match value {
            Bind::Bool(it) => (1, i64::from(*it), &[][..]),
            Bind::Integer(it) => (2, i64::from(*it), &[][..]),
            Bind::BigInt(it) => (2, *it, &[][..]),
            Bind::Double(it) => (3, (it + 0.0).to_bits().cast_signed(), &[][..]),
            Bind::Date(it) => (4, i64::from(it.num_days_from_ce()), &[][..]),
            Bind::Instant(it) => (5, it.micros(), &[][..]),
            Bind::Text(it) => (6, length(it.len()), it.as_bytes()),
            Bind::Binary(it) => (7, length(it.len()), &it[..]),
            // Rows hold no lists.
            _ => (0, 0, &[][..]),
        };
        hash.update([tag]);
        hash.update(number.to_le_bytes());
        hash.update(bytes);
    }
    hash.finalize().into()
}

fn length(of: usize) -> i64 {
    i64::try_from(of).unwrap_or(i64::MAX)
}

/// `None` for values that no key has.
pub fn key_to_texts(key: &[Bind]) -> Option<Vec<String>> {
    let text = |value: &Bind| {
        Some(match value {
            Bind::Integer(it) => it.to_string(),
            Bind::BigInt(it) => it.to_string(),
            Bind::Text(it) => it.clone(),
            Bind::Date(it) => it.to_string(),
            Bind::Instant(it) => it.micros().to_string(),
            Bind::Binary(it) => it.iter().fold(String::new(), |mut digits, byte| {
                let _ = write!(digits, "{byte:02x}");
                digits
            }),
            _ => return None,
        })
    };
    key.iter().map(text).collect()
}

/// Inverse of [`texts`].
pub fn key_from_texts(texts: &[String], kinds: impl Iterator<Item = Kind>) -> Option<Vec<Bind>> {
    let value = |(text, kind): (&String, Kind)| {
        Some(match kind {
            Kind::Integer => Bind::Integer(text.parse().ok()?),
            Kind::BigInt => Bind::BigInt(text.parse().ok()?),
            Kind::Text => Bind::Text(text.clone()),
            Kind::Date => Bind::Date(text.parse::<NaiveDate>().ok()?),
            Kind::Instant => Bind::Instant(At::from_micros(text.parse().ok()?)?),
            Kind::Binary => {
                let digits = text.as_bytes().chunks(2);
                let bytes = digits.map(|it| u8::from_str_radix(str::from_utf8(it).ok()?, 16).ok());
                Bind::Binary(bytes.collect::<Option<_>>()?)
            }
            _ => return None,
        })
    };
    texts.iter().zip(kinds).map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rows: &[Row]) -> Checksum {
        let mut sum = Checksum::default();
        for row in rows {
            sum.add(row);
        }
        sum
    }

    #[test]
    fn a_checksum_ignores_order_and_covers_every_value() {
        let row = |number: i64, text: &str, ratio: f64| -> Row {
            vec![
                Bind::BigInt(number),
                Bind::Text(text.to_owned()),
                Bind::Null(Kind::Text),
                Bind::Double(ratio),
            ]
        };
        let rows = [row(1, "a", 0.5), row(2, "b", 0.0), row(3, "", -1.0)];
        let mut turned = rows.clone();
        turned.reverse();
        let whole = sum(&rows);
        assert_eq!(whole, sum(&turned));
        assert_eq!(Checksum::of_digits(3, &whole.digits()), Some(whole));
        assert_eq!(whole.digits().len(), 64);
        for changed in [row(4, "", -1.0), row(3, "c", -1.0), row(3, "", -1.5)] {
            assert_ne!(whole, sum(&[rows[0].clone(), rows[1].clone(), changed]));
        }
        assert_ne!(whole, sum(&rows[..2]));
        // Column boundaries count, and NULL is not an empty text.
        let two = |a: &str, b: &str| vec![Bind::Text(a.to_owned()), Bind::Text(b.to_owned())];
        assert_ne!(sum(&[two("ab", "c")]), sum(&[two("a", "bc")]));
        let none = vec![Bind::Text(String::new()), Bind::Null(Kind::Text)];
        assert_ne!(sum(&[two("", "")]), sum(&[none]));
    }

    #[test]
    fn values_equal_on_both_databases_hash_alike() {
        let of = |value: Bind| sum(&[vec![value]]);
        assert_eq!(of(Bind::Integer(7)), of(Bind::BigInt(7)));
        assert_eq!(of(Bind::Double(-0.0)), of(Bind::Double(0.0)));
    }

    #[test]
    fn a_key_round_trips_as_text() {
        let day = NaiveDate::from_ymd_opt(2026, 11, 20).unwrap_or_default();
        let key = vec![
            Bind::BigInt(i64::MIN),
            Bind::Integer(-1),
            Bind::Text("é, \"".to_owned()),
            Bind::Binary(vec![0, 255, 16]),
            Bind::Date(day),
        ];
        let kinds = [
            Kind::BigInt,
            Kind::Integer,
            Kind::Text,
            Kind::Binary,
            Kind::Date,
        ];
        let kept = key_to_texts(&key).unwrap_or_default();
        let read = key_from_texts(&kept, kinds.into_iter());
        assert_eq!(format!("{read:?}"), format!("{:?}", Some(key)));
        assert_eq!(key_to_texts(&[Bind::Double(0.5)]), None);
    }
}
