//! Records of results as rows hold them: as they are, or packed by LZ4.
//!
//! `PostgreSQL` compresses large values, and `SQLite` does not: there search pages were most of the file.

use super::{
    packing::{pack, unpack},
    passed,
};
use crate::{schema::staged_findings, sql::DatabaseKind};
use diesel::{
    deserialize::{self, FromStaticSqlRow, Queryable, QueryableByName},
    prelude::*,
    row::NamedRow,
    sql_types::{Binary, Nullable, Text},
};
use domain::ports::storage::StorageError;

/// Bytes of a record from which on it is packed: shorter ones lie beside others on a page of 4,096, and are read one by
/// one.
pub const MIN_PACKED: usize = 1_024;

/// The step of the schema without which packed records cannot be read.
pub const PACKED_SINCE: &str = "20261208003101";

/// The columns of a record; the text is empty where it is packed.
#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = staged_findings, treat_none_as_default_value = false)]
pub struct RecordColumns {
    record: String,
    packed: Option<Vec<u8>>,
}

/// A record that was unpacked where it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record(pub String);

fn text_of(record: String, packed: Option<&[u8]>) -> Result<String, StorageError> {
    packed.map_or(Ok(record), |packed| {
        let what = "a packed record";
        passed(String::from_utf8(unpack(packed, what)?), what)
    })
}

impl RecordColumns {
    /// As this database keeps it.
    pub fn of(text: &str, kind: DatabaseKind) -> Self {
        let is_packed = kind == DatabaseKind::Sqlite && text.len() >= MIN_PACKED;
        Self {
            record: if is_packed { "" } else { text }.to_owned(),
            packed: is_packed.then(|| pack(text.as_bytes())),
        }
    }

    /// The text.
    pub fn text(self) -> Result<String, StorageError> {
        text_of(self.record, self.packed.as_deref())
    }
}

type Columns = (Text, Nullable<Binary>);

impl Queryable<Columns, DatabaseKind> for Record
where
    (String, Option<Vec<u8>>): FromStaticSqlRow<Columns, DatabaseKind>,
{
    type Row = (String, Option<Vec<u8>>);

    fn build((record, packed): Self::Row) -> deserialize::Result<Self> {
        Ok(Self(text_of(record, packed.as_deref())?))
    }
}

impl QueryableByName<DatabaseKind> for Record {
    fn build<'r>(row: &impl NamedRow<'r, DatabaseKind>) -> deserialize::Result<Self> {
        let record = NamedRow::get::<Text, String>(row, "record")?;
        let packed = NamedRow::get::<Nullable<Binary>, Option<Vec<u8>>>(row, "packed")?;
        Ok(Self(text_of(record, packed.as_deref())?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_records_are_packed_on_sqlite_alone_and_come_back_as_they_were() {
        let large = r#"{"title":"Rüben","position":1},"#.repeat(200);
        for (kind, text, is_packed) in [
            (DatabaseKind::Sqlite, large.as_str(), true),
            (DatabaseKind::Sqlite, &large[..MIN_PACKED - 1], false),
            (DatabaseKind::Postgres, large.as_str(), false),
        ] {
            let columns = RecordColumns::of(text, kind);
            assert_eq!(columns.packed.is_some(), is_packed, "{kind:?}");
            assert_eq!(columns.record.is_empty(), is_packed);
            assert_eq!(columns.text().unwrap(), text);
        }
        assert!(pack(large.as_bytes()).len() < large.len() / 10);
    }

    #[test]
    fn what_was_not_packed_is_told_as_corrupt() {
        let packed = Some(vec![9, 0, 0, 0, 1]);
        let record = String::new();
        let columns = RecordColumns { record, packed };
        assert!(matches!(columns.text(), Err(StorageError::Corrupt { .. })));
    }
}
