use super::locked;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::outbox::PersonLinkRow;
use crate::rows::stored::Stored;
use crate::schema::{link_directory, person_links};
use crate::sql::Db;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ids::{AccountId, PersonLinkId, UserId};
use domain::link::{LinkHash, LinkKind, LinkTarget, PersonLink};
use domain::ports::links::LinkRepository;
use domain::ports::storage::StorageError;

/// Replaces the hashes of a target of these kinds.
pub(super) fn set_hash(
    db: &mut Db,
    (account, id): (i64, i64),
    kinds: &[LinkKind],
    fresh: Option<(LinkKind, LinkHash, At)>,
) -> QueryResult<()> {
    let kinds: Vec<&str> = kinds.iter().map(|it| it.name()).collect();
    let known = link_directory::table
        .filter(link_directory::account_id.eq(account))
        .filter(link_directory::target_id.eq(id))
        .filter(link_directory::purpose.eq_any(kinds));
    delete(known).execute(db)?;
    let Some((kind, hash, expires_at)) = fresh else {
        return Ok(());
    };
    insert_into(link_directory::table)
        .values((
            link_directory::hash.eq(hash.0.as_slice()),
            link_directory::purpose.eq(kind.name()),
            link_directory::account_id.eq(account),
            link_directory::target_id.eq(id),
            link_directory::expires_at.eq(expires_at),
        ))
        .execute(db)
        .map(drop)
}

/// Kind, account and id of what the link opens.
pub(super) fn target(db: &mut Db, hash: LinkHash) -> QueryResult<Option<(String, i64, i64)>> {
    link_directory::table
        .filter(link_directory::hash.eq(hash.0.as_slice()))
        .select((
            link_directory::purpose,
            link_directory::account_id,
            link_directory::target_id,
        ))
        .first(db)
        .optional()
}

#[async_trait]
impl LinkRepository for Session {
    async fn set_hash(
        &mut self,
        target: LinkTarget,
        hash: LinkHash,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let fresh = Some((target.kind, hash, At(expires_at)));
        self.change(target.account, move |db| {
            set_hash(db, (target.account.0, target.id), &[target.kind], fresh)
        })
        .await
    }

    async fn find(&mut self, hash: LinkHash) -> Result<Option<LinkTarget>, StorageError> {
        let read = |(kind, account, id): (String, i64, i64)| {
            Ok(LinkTarget {
                account: AccountId(account),
                kind: LinkKind::read(kind, "kind of a link")?,
                id,
            })
        };
        self.fetch_optional(TenantScope::System, read, move |db| target(db, hash))
            .await
    }

    async fn add(&mut self, link: &PersonLink) -> Result<(), StorageError> {
        let row = PersonLinkRow::from(link);
        self.change(link.home, move |db| {
            insert_into(person_links::table).values(&row).execute(db)
        })
        .await
        .map(drop)
    }

    async fn of_id(
        &mut self,
        home: AccountId,
        link: PersonLinkId,
    ) -> Result<Option<PersonLink>, StorageError> {
        self.fetch_optional(home, PersonLink::try_from, move |db| {
            rows_of!(person_links, home)
                .filter(person_links::id.eq(link.0))
                .select(PersonLinkRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(
        &mut self,
        home: AccountId,
        link: PersonLinkId,
    ) -> Result<Option<PersonLink>, StorageError> {
        let found = self.change(home, move |db| {
            let query = rows_of!(person_links, home)
                .filter(person_links::id.eq(link.0))
                .select(PersonLinkRow::as_select());
            locked(query).get_result(db).optional()
        });
        found.await?.map(PersonLink::try_from).transpose()
    }

    async fn unused(
        &mut self,
        home: AccountId,
        person: UserId,
    ) -> Result<Vec<PersonLink>, StorageError> {
        self.fetch_all(home, PersonLink::try_from, move |db| {
            rows_of!(person_links, home)
                .filter(person_links::user_id.eq(person.0))
                .filter(person_links::used_at.is_null())
                .order((person_links::created_at, person_links::id))
                .select(PersonLinkRow::as_select())
                .load(db)
        })
        .await
    }

    async fn end(
        &mut self,
        home: AccountId,
        person: UserId,
        kinds: &[LinkKind],
        at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let kinds: Vec<&str> = kinds.iter().map(|it| it.name()).collect();
        self.change(home, move |db| {
            let open = person_links::table
                .filter(person_links::account_id.eq(home.0))
                .filter(person_links::user_id.eq(person.0))
                .filter(person_links::kind.eq_any(&kinds))
                .filter(person_links::used_at.is_null());
            update(open)
                .set(person_links::used_at.eq(At(at)))
                .execute(db)
        })
        .await
        .map(drop)
    }

    async fn purge_before(
        &mut self,
        home: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let purged = self.change(home, move |db| {
            let old: Vec<(i64, String)> = rows_of!(person_links, home)
                .filter(person_links::expires_at.lt(At(before)))
                .select((person_links::id, person_links::kind))
                .load(db)?;
            let ids: Vec<i64> = old.iter().map(|it| it.0).collect();
            let kinds: Vec<&str> = old.iter().map(|it| it.1.as_str()).collect();
            let links = rows_of!(link_directory, home)
                .filter(link_directory::purpose.eq_any(kinds))
                .filter(link_directory::target_id.eq_any(&ids));
            delete(links).execute(db)?;
            delete(rows_of!(person_links, home).filter(person_links::id.eq_any(&ids))).execute(db)
        });
        Ok(purged.await? as u64)
    }
}
