use super::Db;
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query, sql_types::BigInt};

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    number: i64,
}

/// Unix time in milliseconds.
pub fn milliseconds(db: &mut Db) -> QueryResult<i64> {
    let time: Number = sql_query(db.kind().clock()).get_result(db)?;
    Ok(time.number)
}
