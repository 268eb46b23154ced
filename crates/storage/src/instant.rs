//! A moment, to the microsecond, on both databases: `TIMESTAMPTZ` and a count of microseconds.

use chrono::{DateTime, Utc};
use diesel::backend::Backend;
use diesel::deserialize::{FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::Pg;
use diesel::query_builder::QueryId;
use diesel::serialize::{IsNull, Output, ToSql};
use diesel::sql_types::{BigInt, SqlOrd, SqlType, Timestamptz};
use diesel::sqlite::Sqlite;
use diesel::{deserialize, serialize};

/// The SQL type by its number in `pg_type`: looking it up by name would cost each new connection a query.
#[derive(Debug, Clone, Copy, SqlType, QueryId)]
#[diesel(postgres_type(oid = 1184, array_oid = 1185))]
#[diesel(sqlite_type(name = "Long"))]
pub struct Instant;

impl SqlOrd for Instant {}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, FromSqlRow, AsExpression)]
#[diesel(sql_type = Instant)]
pub struct At(pub DateTime<Utc>);

impl At {
    /// Microseconds since 1970.
    pub fn micros(self) -> i64 {
        self.0.timestamp_micros()
    }

    pub fn from_micros(micros: i64) -> Option<Self> {
        DateTime::from_timestamp_micros(micros).map(Self)
    }
}

impl From<DateTime<Utc>> for At {
    fn from(time: DateTime<Utc>) -> Self {
        Self(time)
    }
}

impl From<At> for DateTime<Utc> {
    fn from(at: At) -> Self {
        at.0
    }
}

impl ToSql<Instant, Pg> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        ToSql::<Timestamptz, Pg>::to_sql(&self.0, out)
    }
}

impl FromSql<Instant, Pg> for At {
    fn from_sql(bytes: <Pg as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        <DateTime<Utc> as FromSql<Timestamptz, Pg>>::from_sql(bytes).map(Self)
    }
}

impl ToSql<Instant, Sqlite> for At {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Sqlite>) -> serialize::Result {
        out.set_value(self.micros());
        Ok(IsNull::No)
    }
}

impl FromSql<Instant, Sqlite> for At {
    fn from_sql(value: <Sqlite as Backend>::RawValue<'_>) -> deserialize::Result<Self> {
        let micros = <i64 as FromSql<BigInt, Sqlite>>::from_sql(value)?;
        Self::from_micros(micros).ok_or_else(|| "a time out of range".into())
    }
}
