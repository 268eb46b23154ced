use super::links::{set_hash, target};
use super::locked;
use crate::executor::session::{Session, TenantScope};
use crate::instant::At;
use crate::rows::members::InvitationRow;
use crate::rows::stored::values_of;
use crate::schema::{invitations, link_directory};
use crate::sql::Db;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::{delete, insert_into, prelude::*, update};
use domain::ids::{AccountId, InvitationId};
use domain::invitation::Invitation;
use domain::link::{LinkHash, LinkKind};
use domain::ports::invitations::InvitationRepository;
use domain::ports::storage::StorageError;

/// The links of an invitation: copied and mailed.
const KINDS: [LinkKind; 2] = [LinkKind::Invitation, LinkKind::MailedInvitation];

/// Replaces the links of an invitation.
fn set_link(db: &mut Db, row: &InvitationRow, link: Option<LinkHash>) -> QueryResult<()> {
    let fresh = link.map(|hash| (LinkKind::Invitation, hash, row.expires_at));
    set_hash(db, (row.account_id, row.id), &KINDS, fresh)
}

#[async_trait]
impl InvitationRepository for Session {
    async fn add(&mut self, invitation: &Invitation, link: LinkHash) -> Result<(), StorageError> {
        let row = InvitationRow::from(invitation);
        self.change(invitation.account, move |db| {
            insert_into(invitations::table).values(&row).execute(db)?;
            set_link(db, &row, Some(link))
        })
        .await
    }

    async fn find_by_link(&mut self, link: LinkHash) -> Result<Option<Invitation>, StorageError> {
        self.fetch_optional(TenantScope::System, Invitation::try_from, move |db| {
            let is_invitation = |kind: &str| KINDS.iter().any(|it| it.name() == kind);
            let found = target(db, link)?.filter(|(kind, ..)| is_invitation(kind));
            let Some((_, account, id)) = found else {
                return Ok(None);
            };
            invitations::table
                .filter(invitations::account_id.eq(account))
                .filter(invitations::id.eq(id))
                .select(InvitationRow::as_select())
                .first(db)
                .optional()
        })
        .await
    }

    async fn lock(
        &mut self,
        account: AccountId,
        invitation: InvitationId,
    ) -> Result<Option<Invitation>, StorageError> {
        let found = self.change(account, move |db| {
            let query = rows_of!(invitations, account)
                .filter(invitations::id.eq(invitation.0))
                .select(InvitationRow::as_select());
            locked(query).get_result(db).optional()
        });
        found.await?.map(Invitation::try_from).transpose()
    }

    async fn save(
        &mut self,
        invitation: &Invitation,
        link: Option<LinkHash>,
    ) -> Result<(), StorageError> {
        let row = InvitationRow::from(invitation);
        self.change(invitation.account, move |db| {
            let own = invitations::table
                .filter(invitations::account_id.eq(row.account_id))
                .filter(invitations::id.eq(row.id));
            update(own)
                .set(values_of!(
                    row, invitations: issued_at, issued, expires_at, ended_at, end_reason
                ))
                .execute(db)?;
            set_link(db, &row, link)
        })
        .await
    }

    async fn list(
        &mut self,
        account: AccountId,
        after: DateTime<Utc>,
    ) -> Result<Vec<Invitation>, StorageError> {
        self.fetch_all(account, Invitation::try_from, move |db| {
            rows_of!(invitations, account)
                .filter(invitations::issued_at.gt(At(after)))
                .order((invitations::issued_at.desc(), invitations::id.desc()))
                .select(InvitationRow::as_select())
                .load(db)
        })
        .await
    }

    async fn purge_before(
        &mut self,
        account: AccountId,
        before: DateTime<Utc>,
    ) -> Result<u64, StorageError> {
        let purged = self.change(account, move |db| {
            let old: Vec<i64> = rows_of!(invitations, account)
                .filter(invitations::issued_at.lt(At(before)))
                .select(invitations::id)
                .load(db)?;
            let links = rows_of!(link_directory, account)
                .filter(link_directory::purpose.eq_any(KINDS.map(LinkKind::name)))
                .filter(link_directory::target_id.eq_any(&old));
            delete(links).execute(db)?;
            delete(rows_of!(invitations, account).filter(invitations::id.eq_any(&old))).execute(db)
        });
        Ok(purged.await? as u64)
    }
}
