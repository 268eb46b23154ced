//! Which steps of the schema were taken.

use super::{Db, dialect};
use diesel::{
    QueryResult, QueryableByName, RunQueryDsl, sql_query,
    sql_types::{BigInt, Text},
};

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

#[derive(QueryableByName)]
struct Version {
    #[diesel(sql_type = Text)]
    version: String,
}

/// Without a change: a reader may ask too, and of an empty database.
pub fn applied(db: &mut Db) -> QueryResult<Vec<String>> {
    let tables: Number = sql_query(dialect::COUNT_VERSION_TABLES).get_result(db)?;
    if tables.number == 0 {
        return Ok(Vec::new());
    }
    let versions = sql_query("SELECT version FROM __diesel_schema_migrations").load(db)?;
    Ok(versions.into_iter().map(|it: Version| it.version).collect())
}
