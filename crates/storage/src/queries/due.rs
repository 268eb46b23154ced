//! Earliest due times by account: finding due accounts reads one row for each, and no other account's.

/// `changed` and `accounts_due` for a table with rows that are due at `next_at`, and the table with its earliest for
/// each account.
macro_rules! due_directory {
    ($directory:ident of $entries:ident) => {
        /// Changes an account's rows while its due row is locked, so that concurrent changes never make the time wrong.
        fn changed<T>(
            db: &mut Db,
            account: AccountId,
            change: impl FnOnce(&mut Db) -> QueryResult<T>,
        ) -> QueryResult<T> {
            diesel::insert_into($directory::table)
                .values((
                    $directory::account_id.eq(account.0),
                    $directory::next_at.eq(None::<At>),
                ))
                .on_conflict($directory::account_id)
                .do_update()
                .set($directory::next_at.eq($directory::next_at))
                .execute(db)?;
            let changed = change(db)?;
            let earliest: Option<At> = $entries::table
                .filter($entries::account_id.eq(account.0))
                .filter($entries::next_at.is_not_null())
                .order($entries::next_at)
                .select($entries::next_at.nullable())
                .first(db)
                .optional()?
                .flatten();
            diesel::update($directory::table.find(account.0))
                .set($directory::next_at.eq(earliest))
                .execute(db)?;
            Ok(changed)
        }

        fn accounts_due(
            db: &mut Db,
            now: DateTime<Utc>,
            limit: u32,
        ) -> QueryResult<Vec<AccountId>> {
            let ids: Vec<i64> = $directory::table
                .filter($directory::next_at.le(At(now)))
                .order(($directory::next_at, $directory::account_id))
                .limit(limit.into())
                .select($directory::account_id)
                .load(db)?;
            Ok(ids.into_iter().map(AccountId).collect())
        }
    };
}
