use super::Db;
use diesel::sql_types::{BigInt, Text};
use diesel::{QueryResult, QueryableByName, RunQueryDsl, sql_query};

#[derive(Debug, Default)]
pub struct AppliedMigrations {
    /// The steps, by version, in no order.
    pub steps: Vec<String>,
    /// Those that break versions which do not know them.
    pub breaks: Vec<String>,
}

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

/// The step that made `schema_breaks`.
const BREAKS_BEGIN: &str = "20261130002100";

/// Read-only, and works on an empty database.
pub fn applied_migrations(db: &mut Db) -> QueryResult<AppliedMigrations> {
    let tables: Number = sql_query(db.kind().count_version_tables()).get_result(db)?;
    if tables.number == 0 {
        return Ok(AppliedMigrations::default());
    }
    let steps = versions(db, "SELECT version FROM __diesel_schema_migrations")?;
    let breaks = if steps.iter().any(|it| it == BREAKS_BEGIN) {
        versions(db, "SELECT version FROM schema_breaks")?
    } else {
        vec![]
    };
    Ok(AppliedMigrations { steps, breaks })
}

/// Version of the database program.
pub fn product(db: &mut Db) -> QueryResult<String> {
    let version: Version = sql_query(db.kind().product_version()).get_result(db)?;
    Ok(version.version)
}

fn versions(db: &mut Db, query: &str) -> QueryResult<Vec<String>> {
    let versions: Vec<Version> = sql_query(query).load(db)?;
    Ok(versions.into_iter().map(|it| it.version).collect())
}
