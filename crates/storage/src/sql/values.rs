use super::DatabaseKind;
use crate::instant::{At, Instant};
use chrono::NaiveDate;
use diesel::backend::Backend;
use diesel::deserialize::{FromSql, FromSqlRef};
use diesel::pg::Pg;
use diesel::query_builder::{AstPass, BindCollector};
use diesel::result::Error;
use diesel::serialize::{IsNull, Output, ToSql};
use diesel::sql_types::{
    Array, BigInt, Binary, Bool, Date, Double, Float, HasSqlType, Integer, Nullable, SmallInt,
    Text, Time, Timestamp, TypeMetadata,
};
use diesel::sqlite::Sqlite;
use diesel::{QueryResult, deserialize, serialize};

pub enum Value<'a> {
    Postgres(<Pg as Backend>::RawValue<'a>),
    Sqlite(<Sqlite as Backend>::RawValue<'a>),
}

/// In the order of the query's parameters.
#[derive(Default)]
pub struct Binds(pub Vec<Bind>);

impl<'a> BindCollector<'a, DatabaseKind> for Binds {
    type Buffer = Bind;

    fn push_bound_value<T, U>(&mut self, bind: &'a U, lookup: &mut ()) -> QueryResult<()>
    where
        DatabaseKind: HasSqlType<T>,
        U: ToSql<T, DatabaseKind> + ?Sized + 'a,
    {
        let bound = bound::<T, U>(bind, lookup).map_err(Error::SerializationError)?;
        self.0.push(bound);
        Ok(())
    }

    fn push_null_value(&mut self, kind: Kind) -> QueryResult<()> {
        self.0.push(Bind::Null(kind));
        Ok(())
    }
}

fn bound<T, U>(value: &U, lookup: &mut ()) -> Result<Bind, Box<dyn std::error::Error + Send + Sync>>
where
    DatabaseKind: HasSqlType<T>,
    U: ToSql<T, DatabaseKind> + ?Sized,
{
    let kind = <DatabaseKind as HasSqlType<T>>::metadata(lookup);
    let mut output = Output::new(Bind::Null(kind), lookup);
    Ok(match value.to_sql(&mut output)? {
        IsNull::No => output.into_inner(),
        IsNull::Yes => Bind::Null(kind),
    })
}

impl TypeMetadata for DatabaseKind {
    type TypeMetadata = Kind;
    type MetadataLookup = ();
}

/// Types of columns: the SQL type and the Rust type.
macro_rules! kinds {
    ($($kind:ident $lists:ident: $sql:ty, $rust:ty;)*) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Kind {
            $($kind,)*
            /// No column has it; Diesel asks each backend for it.
            Unused,
        }

        #[derive(Debug, Clone)]
        pub enum Bind {
            Null(Kind),
            $($kind($rust), $lists(Vec<$rust>),)*
        }

        impl Bind {
            pub fn to_postgres<'b>(&'b self, pass: &mut AstPass<'_, 'b, Pg>) -> QueryResult<()> {
                match self {
                    Self::Null(kind) => match kind {
                        $(Kind::$kind => pass.push_bind_param_value_only::<Nullable<$sql>, Option<$rust>>(&None),)*
                        Kind::Unused => Err(unused()),
                    },
                    $(
                        Self::$kind(value) => pass.push_bind_param_value_only::<$sql, $rust>(value),
                        Self::$lists(values) => pass.push_bind_param_value_only::<Array<$sql>, Vec<$rust>>(values),
                    )*
                }
            }

            /// `SQLite` has no lists.
            pub fn to_sqlite<'b>(&'b self, pass: &mut AstPass<'_, 'b, Sqlite>) -> QueryResult<()> {
                match self {
                    Self::Null(kind) => match kind {
                        $(Kind::$kind => pass.push_bind_param_value_only::<Nullable<$sql>, Option<$rust>>(&None),)*
                        Kind::Unused => Err(unused()),
                    },
                    $(
                        Self::$kind(value) => pass.push_bind_param_value_only::<$sql, $rust>(value),
                        Self::$lists(_) => Err(unused()),
                    )*
                }
            }

            pub fn read(kind: Kind, value: Option<Value<'_>>) -> deserialize::Result<Self> {
                let Some(value) = value else {
                    return Ok(Self::Null(kind));
                };
                Ok(match kind {
                    // SQLite would truncate what is too large.
                    Kind::Integer if matches!(value, Value::Sqlite(_)) => {
                        let long = <i64 as FromSql<BigInt, DatabaseKind>>::from_sql(value)?;
                        Self::Integer(long.try_into()?)
                    }
                    $(Kind::$kind => Self::$kind(<$rust as FromSql<$sql, DatabaseKind>>::from_sql(value)?),)*
                    Kind::Unused => return Err(unused().into()),
                })
            }

            /// A list of values of one type.
            fn list(kind: Kind, values: impl Iterator<Item = Bind>) -> Option<Self> {
                Some(match kind {
                    $(Kind::$kind => Self::$lists(
                        values.map(|it| if let Self::$kind(value) = it { Some(value) } else { None }).collect::<Option<_>>()?
                    ),)*
                    Kind::Unused => return None,
                })
            }
        }

        $(
            impl HasSqlType<$sql> for DatabaseKind {
                fn metadata((): &mut ()) -> Kind {
                    Kind::$kind
                }
            }

            impl From<$rust> for Bind {
                fn from(value: $rust) -> Self {
                    Self::$kind(value)
                }
            }
        )*
    };
}

kinds! {
    Bool Bools: Bool, bool;
    Integer Integers: Integer, i32;
    BigInt BigInts: BigInt, i64;
    Double Doubles: Double, f64;
    Text Texts: Text, String;
    Binary Binaries: Binary, Vec<u8>;
    Date Dates: Date, NaiveDate;
    Instant Instants: Instant, At;
}

fn unused() -> Error {
    Error::SerializationError("no column has values of this type".into())
}

/// Types that Diesel asks each backend for, and no column has.
macro_rules! unused {
    ($($sql:ty),*) => {
        $(impl HasSqlType<$sql> for DatabaseKind {
            fn metadata((): &mut ()) -> Kind {
                Kind::Unused
            }
        })*
    };
}

unused!(SmallInt, Float, Time, Timestamp);

impl<ST> HasSqlType<Array<ST>> for DatabaseKind
where
    Self: HasSqlType<ST>,
{
    fn metadata(lookup: &mut ()) -> Kind {
        <Self as HasSqlType<ST>>::metadata(lookup)
    }
}

macro_rules! handed {
    ($($sql:ty, $rust:ty, $value:ident => $owned:expr;)*) => {
        $(impl ToSql<$sql, DatabaseKind> for $rust {
            fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DatabaseKind>) -> serialize::Result {
                let $value = self;
                out.set_value($owned);
                Ok(IsNull::No)
            }
        })*
    };
}

handed! {
    Bool, bool, it => *it;
    Integer, i32, it => *it;
    BigInt, i64, it => *it;
    Double, f64, it => *it;
    Text, str, it => it.to_owned();
    Binary, [u8], it => it.to_owned();
    Date, NaiveDate, it => *it;
    Instant, At, it => *it;
}

impl<T, ST> ToSql<Array<ST>, DatabaseKind> for [T]
where
    T: ToSql<ST, DatabaseKind>,
    DatabaseKind: HasSqlType<ST>,
{
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, DatabaseKind>) -> serialize::Result {
        let kind = <DatabaseKind as HasSqlType<ST>>::metadata(&mut ());
        let values = self.iter().map(|it| bound::<ST, T>(it, &mut ()));
        let values: Vec<Bind> = values.collect::<Result<_, _>>()?;
        let list = Bind::list(kind, values.into_iter());
        out.set_value(list.ok_or("a list of values of different types")?);
        Ok(IsNull::No)
    }
}

/// How a value of a column is read: as the database's own backend reads it.
macro_rules! read {
    ($($sql:ty, $rust:ty;)*) => {
        $(impl FromSql<$sql, DatabaseKind> for $rust {
            fn from_sql(value: Value<'_>) -> deserialize::Result<Self> {
                match value {
                    Value::Postgres(value) => FromSql::<$sql, Pg>::from_sql(value),
                    Value::Sqlite(value) => FromSql::<$sql, Sqlite>::from_sql(value),
                }
            }
        })*
    };
}

read! {
    Bool, bool;
    Integer, i32;
    BigInt, i64;
    Double, f64;
    Date, NaiveDate;
    Instant, At;
}

/// The same for values that are read without a copy.
macro_rules! read_in_place {
    ($($sql:ty, $rust:ty;)*) => {
        $(impl<'a> FromSqlRef<'a, $sql, DatabaseKind> for &'a $rust {
            fn from_sql(value: &'a mut Value<'_>) -> deserialize::Result<Self> {
                match value {
                    Value::Postgres(value) => FromSqlRef::<$sql, Pg>::from_sql(value),
                    Value::Sqlite(value) => FromSqlRef::<$sql, Sqlite>::from_sql(value),
                }
            }
        })*
    };
}

read_in_place! {
    Text, str;
    Binary, [u8];
}
