use super::{DatabaseKind, values::Value};
use diesel::backend::Backend;
use diesel::connection::LoadConnection;
use diesel::pg::Pg;
use diesel::row::{Field, PartialRow, Row, RowIndex, RowSealed};
use diesel::sqlite::Sqlite;
use diesel::{PgConnection, QueryResult, SqliteConnection};
use std::ops::Range;

pub enum Either<P, S> {
    Postgres(P),
    Sqlite(S),
}

type Cursor<'conn, 'query, C> = <C as LoadConnection>::Cursor<'conn, 'query>;
type RowOf<'conn, 'query, C> = <C as LoadConnection>::Row<'conn, 'query>;

pub struct Rows<'conn, 'query>(
    pub Either<Cursor<'conn, 'query, PgConnection>, Cursor<'conn, 'query, SqliteConnection>>,
);

impl<'conn, 'query> Iterator for Rows<'conn, 'query> {
    type Item = QueryResult<DbRow<'conn, 'query>>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match &mut self.0 {
            Either::Postgres(rows) => rows.next()?.map(|it| DbRow(Either::Postgres(it))),
            Either::Sqlite(rows) => rows.next()?.map(|it| DbRow(Either::Sqlite(it))),
        })
    }
}

pub struct DbRow<'conn, 'query>(
    pub Either<RowOf<'conn, 'query, PgConnection>, RowOf<'conn, 'query, SqliteConnection>>,
);

impl RowSealed for DbRow<'_, '_> {}

impl RowIndex<usize> for DbRow<'_, '_> {
    fn idx(&self, index: usize) -> Option<usize> {
        match &self.0 {
            Either::Postgres(row) => row.idx(index),
            Either::Sqlite(row) => row.idx(index),
        }
    }
}

impl<'name> RowIndex<&'name str> for DbRow<'_, '_> {
    fn idx(&self, name: &'name str) -> Option<usize> {
        match &self.0 {
            Either::Postgres(row) => row.idx(name),
            Either::Sqlite(row) => row.idx(name),
        }
    }
}

impl<'conn, 'query> Row<'conn, DatabaseKind> for DbRow<'conn, 'query> {
    type Field<'f>
        = Either<
        <RowOf<'conn, 'query, PgConnection> as Row<'conn, Pg>>::Field<'f>,
        <RowOf<'conn, 'query, SqliteConnection> as Row<'conn, Sqlite>>::Field<'f>,
    >
    where
        'conn: 'f,
        Self: 'f;
    type InnerPartialRow = Self;

    fn field_count(&self) -> usize {
        match &self.0 {
            Either::Postgres(row) => row.field_count(),
            Either::Sqlite(row) => row.field_count(),
        }
    }

    fn get<'b, I>(&'b self, index: I) -> Option<Self::Field<'b>>
    where
        'conn: 'b,
        Self: RowIndex<I>,
    {
        let index = self.idx(index)?;
        match &self.0 {
            Either::Postgres(row) => row.get(index).map(Either::Postgres),
            Either::Sqlite(row) => row.get(index).map(Either::Sqlite),
        }
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self> {
        PartialRow::new(self, range)
    }
}

impl<'f, P: Field<'f, Pg>, S: Field<'f, Sqlite>> Field<'f, DatabaseKind> for Either<P, S> {
    fn field_name(&self) -> Option<&str> {
        match self {
            Self::Postgres(field) => field.field_name(),
            Self::Sqlite(field) => field.field_name(),
        }
    }

    fn value(&self) -> Option<<DatabaseKind as Backend>::RawValue<'_>> {
        match self {
            Self::Postgres(field) => field.value().map(Value::Postgres),
            Self::Sqlite(field) => field.value().map(Value::Sqlite),
        }
    }
}
