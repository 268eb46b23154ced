//! Monthly partitions of `rank_history`: created ahead, and dropped past retention. Rows of a month without a partition
//! go to `rank_history_rest`, and move when its partition is created, so that it may be created late.

use super::rls;
use crate::sql::Db;
use chrono::{Datelike, Months, NaiveDate};
use diesel::connection::SimpleConnection;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, QueryResult, QueryableByName, RunQueryDsl, sql_query};

/// Months created ahead.
const MONTHS_AHEAD: u32 = 3;

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct ConditionRow {
    #[diesel(sql_type = Bool)]
    is_so: bool,
}

/// Creates the partitions from `today`'s month on, and drops those that ended before `keep_since`. Does nothing for a
/// role that does not own the table: all rows go to the default partition then.
pub fn maintain(db: &mut Db, today: NaiveDate, keep_since: Option<NaiveDate>) -> QueryResult<()> {
    if !owns_the_table(db)? {
        return Ok(());
    }
    let there = months(db)?;
    let coming = (0..=MONTHS_AHEAD).map(|ahead| first_of_month(today) + Months::new(ahead));
    for month in coming.filter(|it| !there.contains(it)) {
        let made = create_partition(db, month);
        // Another process may have been first.
        if made.is_err() && !months(db)?.contains(&month) {
            return made;
        }
    }
    for month in there {
        let is_over = |since: NaiveDate| month + Months::new(1) <= since;
        if keep_since.is_some_and(is_over) {
            db.batch_execute(&format!("DROP TABLE IF EXISTS {}", partition_name(month)))?;
        }
    }
    Ok(())
}

pub fn create_months(db: &mut Db, months_to_be: &[NaiveDate]) -> QueryResult<()> {
    let there = months(db)?;
    let missing = months_to_be.iter().filter(|it| !there.contains(it));
    missing
        .copied()
        .try_for_each(|month| create_partition(db, month))
}

/// Creates the default partition. Two processes may do so at once: the second finds it.
pub fn create_default(db: &mut Db) -> QueryResult<()> {
    if has_default(db)? {
        return Ok(());
    }
    let made = db.batch_execute("CREATE TABLE rank_history_rest PARTITION OF rank_history DEFAULT");
    if made.is_err() && has_default(db)? {
        return Ok(());
    }
    made
}

fn has_default(db: &mut Db) -> QueryResult<bool> {
    let answer: ConditionRow =
        sql_query("SELECT to_regclass('rank_history_rest') IS NOT NULL AS is_so").get_result(db)?;
    Ok(answer.is_so)
}

pub fn names(db: &mut Db) -> QueryResult<Vec<String>> {
    let names: Vec<Name> = sql_query(
        "SELECT relname::text AS name FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid \
         WHERE inhparent = to_regclass('rank_history') ORDER BY 1",
    )
    .load(db)?;
    Ok(names.into_iter().map(|it| it.name).collect())
}

fn owns_the_table(db: &mut Db) -> QueryResult<bool> {
    let answer: ConditionRow = sql_query(
        "SELECT COALESCE((SELECT pg_has_role(current_user, relowner, 'USAGE') FROM pg_class \
         WHERE oid = to_regclass('rank_history')), false) AS is_so",
    )
    .get_result(db)?;
    Ok(answer.is_so)
}

fn months(db: &mut Db) -> QueryResult<Vec<NaiveDate>> {
    let month = |name: &String| {
        let digits = name.strip_prefix("rank_history_")?;
        NaiveDate::parse_from_str(&format!("{digits}_01"), "%Y_%m_%d").ok()
    };
    Ok(names(db)?.iter().filter_map(month).collect())
}

/// Creates a table, fills it from the default partition, and attaches it: all or nothing.
fn create_partition(db: &mut Db, month: NaiveDate) -> QueryResult<()> {
    let (name, next) = (partition_name(month), month + Months::new(1));
    db.transaction(|db| {
        db.batch_execute(&format!(
            "CREATE TABLE {name} (LIKE rank_history INCLUDING DEFAULTS INCLUDING CONSTRAINTS);
             LOCK TABLE rank_history_rest IN ACCESS EXCLUSIVE MODE;
             INSERT INTO {name} SELECT * FROM rank_history_rest WHERE day >= '{month}' AND day < '{next}';
             DELETE FROM rank_history_rest WHERE day >= '{month}' AND day < '{next}';
             ALTER TABLE rank_history ATTACH PARTITION {name} FOR VALUES FROM ('{month}') TO ('{next}');"
        ))?;
        if rls::is_enabled(db)? {
            rls::enable_on_table(db, &name)?;
        }
        Ok(())
    })
}

fn partition_name(month: NaiveDate) -> String {
    format!("rank_history_{:04}_{:02}", month.year(), month.month())
}

fn first_of_month(day: NaiveDate) -> NaiveDate {
    day.with_day(1).unwrap_or(day)
}
