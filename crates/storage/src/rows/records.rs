//! Records of results in rows: plain, or packed (decision 0054).

use super::packing::{pack_zstd, unpack, unpacked_len};
use super::validated;
use crate::{schema::staged_findings, sql::DatabaseKind};
use diesel::prelude::*;
use domain::ports::storage::StorageError;

/// Bytes from which a record is packed: a page of `SQLite`'s file. Unpacking shorter ones costs a fifth of an answer.
pub const MIN_PACKED: usize = 4_096;

/// The step of the schema without which packed records cannot be read.
pub const PACKED_SINCE: &str = "20261208003101";

/// The columns of a record; the text is empty where it is packed.
#[derive(Queryable, QueryableByName, Selectable, Insertable)]
#[diesel(table_name = staged_findings, treat_none_as_default_value = false)]
pub struct Record {
    record: String,
    packed: Option<Vec<u8>>,
}

impl Record {
    pub fn of(text: &str, kind: DatabaseKind) -> Self {
        let is_packed = kind == DatabaseKind::Sqlite && text.len() >= MIN_PACKED;
        Self {
            record: if is_packed { "" } else { text }.to_owned(),
            packed: is_packed.then(|| pack_zstd(text.as_bytes())),
        }
    }

    pub fn len(&self) -> usize {
        { self.packed.as_deref() }.map_or(self.record.len(), unpacked_len)
    }

    pub fn text(self) -> Result<String, StorageError> {
        self.packed.map_or(Ok(self.record), |packed| {
            let subject = "a packed record";
            validated(String::from_utf8(unpack(&packed, subject)?), subject)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::packing::pack;

    #[test]
    fn large_records_are_packed_on_sqlite_only() {
        let large = r#"{"title":"Rüben","position":1},"#.repeat(200);
        for (kind, text, is_packed) in [
            (DatabaseKind::Sqlite, large.as_str(), true),
            (DatabaseKind::Sqlite, &large[..MIN_PACKED - 1], false),
            (DatabaseKind::Postgres, large.as_str(), false),
        ] {
            let columns = Record::of(text, kind);
            assert_eq!(columns.packed.is_some(), is_packed, "{kind:?}");
            assert_eq!(columns.record.is_empty(), is_packed);
            assert_eq!(columns.len(), text.len());
            assert_eq!(columns.text().unwrap(), text);
        }
        assert!(pack_zstd(large.as_bytes()).len() < large.len() / 20);
    }

    fn packed(bytes: Vec<u8>) -> Result<String, StorageError> {
        let (record, packed) = (String::new(), Some(bytes));
        Record { record, packed }.text()
    }

    #[test]
    fn a_record_that_an_earlier_version_packed_is_read() {
        assert_eq!(packed(pack(b"{}")).unwrap(), "{}");
    }

    #[test]
    fn damaged_packed_records_are_reported_as_corrupt() {
        let frame = pack_zstd(&br#"{"title":"a","position":1},"#.repeat(100));
        let mut damaged: Vec<Vec<u8>> = (4..frame.len())
            .map(|at| {
                let mut damaged = frame.clone();
                damaged[at] ^= 1;
                damaged
            })
            .collect();
        damaged.extend([
            vec![],
            vec![9, 0, 0, 0, 1],
            frame[..frame.len() - 1].to_vec(),
            [&[0xff; 4], &frame[4..]].concat(),
            [&[1, 0, 0, 0], &frame[4..]].concat(),
        ]);
        for bytes in damaged {
            let unpacked = packed(bytes.clone());
            assert!(
                matches!(unpacked, Err(StorageError::Corrupt { .. })),
                "{bytes:?}"
            );
        }
    }
}
