use super::passwords;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::members::{UserEntry, UserRow};
use crate::rows::outbox::PersonLinkRow;
use crate::rows::stored::{excluded_of, values_of};
use crate::schema::{
    joined_accounts, link_directory, operators, person_links, project_grants, user_directory,
    user_passwords, users,
};
use crate::sql::Db;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::email::EmailAddress;
use domain::ids::{AccountId, ProjectId, UserId};
use domain::ports::members::MemberRepository;
use domain::ports::storage::StorageError;
use domain::user::User;
use std::collections::BTreeSet;

/// What a home account holds of a person.
struct HomeRows {
    /// Hash, time of change, and since when devices are known.
    password: Option<(String, At, Option<At>)>,
    joined: Vec<i64>,
    operator_since: Option<At>,
    links: Vec<PersonLinkRow>,
    /// Their hashes, with purpose, target and end.
    hashes: Vec<(Vec<u8>, String, i64, At)>,
}

/// Removes it from a home account.
fn take_person(db: &mut Db, home: AccountId, id: i64) -> QueryResult<HomeRows> {
    let password = || rows_of!(user_passwords, home).filter(user_passwords::user_id.eq(id));
    let joined = || rows_of!(joined_accounts, home).filter(joined_accounts::user_id.eq(id));
    let operator = || rows_of!(operators, home).filter(operators::user_id.eq(id));
    let links = || rows_of!(person_links, home).filter(person_links::user_id.eq(id));
    let own: Vec<PersonLinkRow> = links().select(PersonLinkRow::as_select()).load(db)?;
    let ids: Vec<i64> = own.iter().map(|it| it.id).collect();
    let kinds: Vec<String> = own.iter().map(|it| it.kind.clone()).collect();
    let hashes = || {
        rows_of!(link_directory, home)
            .filter(link_directory::target_id.eq_any(ids.clone()))
            .filter(link_directory::purpose.eq_any(kinds.clone()))
    };
    let taken = HomeRows {
        password: password()
            .select((
                user_passwords::hash,
                user_passwords::changed_at,
                user_passwords::devices_from,
            ))
            .first(db)
            .optional()?,
        joined: joined()
            .select(joined_accounts::joined_account_id)
            .load(db)?,
        operator_since: operator().select(operators::since).first(db).optional()?,
        hashes: hashes()
            .select((
                link_directory::hash,
                link_directory::purpose,
                link_directory::target_id,
                link_directory::expires_at,
            ))
            .load(db)?,
        links: own,
    };
    delete(hashes()).execute(db)?;
    delete(links()).execute(db)?;
    delete(password()).execute(db)?;
    delete(joined()).execute(db)?;
    delete(operator()).execute(db)?;
    let entry = rows_of!(user_directory, home).filter(user_directory::user_id.eq(id));
    delete(entry).execute(db)?;
    Ok(taken)
}

/// Adds it to another; the home account before becomes a joined one.
fn put_person(db: &mut Db, before: AccountId, member: &User, moved: &HomeRows) -> QueryResult<()> {
    let (home, id) = (member.account, member.id.0);
    let own = rows_of!(users, home).filter(users::id.eq(id));
    let row = UserRow::from(member);
    update(own)
        .set(values_of!(row, users: email, name))
        .execute(db)?;
    insert_into(user_directory::table)
        .values(UserEntry::from(member))
        .execute(db)?;
    if let Some((hash, changed_at, devices_from)) = &moved.password {
        insert_into(user_passwords::table)
            .values((
                user_passwords::account_id.eq(home.0),
                user_passwords::user_id.eq(id),
                user_passwords::hash.eq(hash),
                user_passwords::changed_at.eq(changed_at),
                user_passwords::devices_from.eq(devices_from),
            ))
            .execute(db)?;
        passwords::store_for_member(db, member)?;
    }
    let others = { moved.joined.iter().copied() }.filter(|it| *it != home.0);
    let joined: Vec<_> = { others.chain([before.0]) }
        .map(|joined| {
            (
                joined_accounts::account_id.eq(home.0),
                joined_accounts::user_id.eq(id),
                joined_accounts::joined_account_id.eq(joined),
            )
        })
        .collect();
    insert_into(joined_accounts::table)
        .values(joined)
        .execute(db)?;
    if let Some(since) = moved.operator_since {
        insert_into(operators::table)
            .values((
                operators::account_id.eq(home.0),
                operators::user_id.eq(id),
                operators::since.eq(since),
            ))
            .execute(db)?;
    }
    for link in &moved.links {
        let account_id = home.0;
        let row = PersonLinkRow {
            account_id,
            ..link.clone()
        };
        insert_into(person_links::table).values(&row).execute(db)?;
    }
    // At most the links of a few days.
    for (hash, purpose, target, expires_at) in &moved.hashes {
        insert_into(link_directory::table)
            .values((
                link_directory::hash.eq(hash),
                link_directory::purpose.eq(purpose),
                link_directory::account_id.eq(home.0),
                link_directory::target_id.eq(target),
                link_directory::expires_at.eq(expires_at),
            ))
            .execute(db)?;
    }
    Ok(())
}

#[async_trait]
impl MemberRepository for Session {
    async fn find_by_email(&mut self, email: &EmailAddress) -> Result<Option<User>, StorageError> {
        let email = email.to_string();
        self.fetch_optional(TenantScope::System, User::try_from, move |db| {
            let of_the_entry = users::account_id
                .eq(user_directory::account_id)
                .and(users::id.eq(user_directory::user_id));
            user_directory::table
                .inner_join(users::table.on(of_the_entry))
                .filter(user_directory::email.eq(&email))
                .select(UserRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn find(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<Option<User>, StorageError> {
        self.fetch_optional(account, User::try_from, move |db| {
            rows_of!(users, account)
                .filter(users::id.eq(user.0))
                .select(UserRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn list(&mut self, account: AccountId) -> Result<Vec<User>, StorageError> {
        self.fetch_all(account, User::try_from, move |db| {
            rows_of!(users, account)
                .order((users::created_at, users::id))
                .select(UserRow::as_select())
                .load(db)
        })
        .await
    }

    async fn add(&mut self, user: &User) -> Result<(), StorageError> {
        let (row, entry) = (UserRow::from(user), UserEntry::from(user));
        self.change(user.account, move |db| {
            insert_into(users::table).values(&row).execute(db)?;
            insert_into(user_directory::table)
                .values(&entry)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn join(&mut self, user: &User, home: AccountId) -> Result<(), StorageError> {
        let row = UserRow::from(user);
        let (id, account, member) = (user.id.0, user.account, user.clone());
        self.change(account, move |db| {
            insert_into(users::table)
                .values(&row)
                .on_conflict((users::account_id, users::id))
                .do_update()
                .set(excluded_of!(users: email, name, created_at, role, invited_by, left_at))
                .execute(db)?;
            passwords::store_for_member(db, &member)
        })
        .await?;
        if account == home {
            return Ok(());
        }
        self.change(home, move |db| {
            insert_into(joined_accounts::table)
                .values((
                    joined_accounts::account_id.eq(home.0),
                    joined_accounts::user_id.eq(id),
                    joined_accounts::joined_account_id.eq(account.0),
                ))
                .on_conflict_do_nothing()
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn save_profile(&mut self, user: &User) -> Result<(), StorageError> {
        let row = UserRow::from(user);
        self.change(user.account, move |db| {
            let own = users::table
                .filter(users::account_id.eq(row.account_id))
                .filter(users::id.eq(row.id));
            update(own)
                .set(values_of!(row, users: email, name))
                .execute(db)?;
            let entry = user_directory::table
                .filter(user_directory::account_id.eq(row.account_id))
                .filter(user_directory::user_id.eq(row.id));
            update(entry)
                .set(user_directory::email.eq(&row.email))
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn save_membership(&mut self, user: &User) -> Result<(), StorageError> {
        let (row, user) = (UserRow::from(user), user.clone());
        self.change(user.account, move |db| {
            let own = users::table
                .filter(users::account_id.eq(row.account_id))
                .filter(users::id.eq(row.id));
            update(own)
                .set(values_of!(row, users: role, left_at))
                .execute(db)?;
            passwords::store_for_member(db, &user)
        })
        .await
    }

    async fn joined_accounts(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Vec<AccountId>, StorageError> {
        let ids: Vec<i64> = self
            .fetch(home, move |db| {
                rows_of!(joined_accounts, home)
                    .filter(joined_accounts::user_id.eq(person.0))
                    .order(joined_accounts::joined_account_id)
                    .select(joined_accounts::joined_account_id)
                    .load(db)
            })
            .await?;
        Ok(ids.into_iter().map(AccountId).collect())
    }

    async fn move_home(&mut self, from: &User, to: &User) -> Result<(), StorageError> {
        let (old, id) = (from.account, from.id.0);
        let moved = self.change(old, move |db| take_person(db, old, id)).await?;
        let member = User {
            email: from.email.clone(),
            name: from.name.clone(),
            ..to.clone()
        };
        self.change(to.account, move |db| put_person(db, old, &member, &moved))
            .await
    }

    async fn granted_projects(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Result<BTreeSet<ProjectId>, StorageError> {
        let ids: Vec<i64> = self
            .fetch(account, move |db| {
                rows_of!(project_grants, account)
                    .filter(project_grants::user_id.eq(user.0))
                    .select(project_grants::project_id)
                    .load(db)
            })
            .await?;
        Ok(ids.into_iter().map(ProjectId).collect())
    }

    async fn grants(
        &mut self,
        account: AccountId,
    ) -> Result<Vec<(UserId, ProjectId)>, StorageError> {
        let pairs: Vec<(i64, i64)> = self
            .fetch(account, move |db| {
                rows_of!(project_grants, account)
                    .order((project_grants::user_id, project_grants::project_id))
                    .select((project_grants::user_id, project_grants::project_id))
                    .load(db)
            })
            .await?;
        let typed = |(user, project)| (UserId(user), ProjectId(project));
        Ok(pairs.into_iter().map(typed).collect())
    }

    async fn set_granted_projects(
        &mut self,
        user: &User,
        projects: &BTreeSet<ProjectId>,
        by: UserId,
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let (account, user) = (user.account, user.id.0);
        let projects: Vec<i64> = projects.iter().map(|it| it.0).collect();
        self.change(account, move |db| {
            let own = rows_of!(project_grants, account).filter(project_grants::user_id.eq(user));
            delete(own).execute(db)?;
            if projects.is_empty() {
                return Ok(());
            }
            let rows: Vec<_> = { projects.iter() }
                .map(|project| {
                    (
                        project_grants::account_id.eq(account.0),
                        project_grants::user_id.eq(user),
                        project_grants::project_id.eq(project),
                        project_grants::granted_by.eq(by.0),
                        project_grants::granted_at.eq(At(at)),
                    )
                })
                .collect();
            insert_into(project_grants::table)
                .values(rows)
                .execute(db)
                .map(drop)
        })
        .await
    }

    async fn operator_since(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Option<DateTime<Utc>>, StorageError> {
        let since: Option<At> = self
            .fetch(home, move |db| {
                rows_of!(operators, home)
                    .filter(operators::user_id.eq(person.0))
                    .select(operators::since)
                    .first(db)
                    .optional()
            })
            .await?;
        Ok(since.map(Into::into))
    }

    async fn set_operator(
        &mut self,
        home: AccountId,
        person: UserId,
        since: Option<DateTime<Utc>>,
    ) -> Result<bool, StorageError> {
        let changed = self.change(home, move |db| match since {
            None => {
                let mark = rows_of!(operators, home).filter(operators::user_id.eq(person.0));
                delete(mark).execute(db)
            }
            Some(since) => insert_into(operators::table)
                .values((
                    operators::account_id.eq(home.0),
                    operators::user_id.eq(person.0),
                    operators::since.eq(At(since)),
                ))
                .on_conflict_do_nothing()
                .execute(db),
        });
        Ok(changed.await? > 0)
    }
}
