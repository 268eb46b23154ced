//! Members of accounts: roles, invitations, accounts of a person.

use super::sessions::{
    ClientInfo, Member, Seat, SessionSecrets, SignedIn, begin_session, replace_session,
    still_signed_in,
};
use super::sign_in::open_membership;
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::account::{Account, AccountStatus};
use crate::audit::{Actor, AuditAction, AuditEvent, Author};
use crate::email::EmailAddress;
use crate::ids::{AccountId, InvitationId, ProjectId, UserId};
use crate::invitation::{Invitation, InvitationEnd};
use crate::link::{LinkHash, PlainLink};
use crate::mail::{Delivery, Message};
use crate::page::{Direction, PageRequest};
use crate::password::PasswordRefusal;
use crate::ports::password_hasher::{HashingError, PasswordHasher};
use crate::ports::projects::{ProjectFilter, ProjectSort};
use crate::ports::storage::{Repositories, StorageError, Transaction};
use crate::project::Project;
use crate::rights::{Right, Role};
use crate::text::Label;
use crate::token::RevokeReason;
use crate::user::{User, present};
use chrono::{DateTime, TimeDelta, Utc};
use std::collections::BTreeSet;
use thiserror::Error;

/// Maximum members of an account, open invitations included.
pub const MAX_MEMBERS: usize = 200;
/// Maximum accounts of a person.
pub const MAX_ACCOUNTS: usize = 50;

/// A member with the projects granted; empty unless the role is limited to them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountMember {
    pub user: User,
    pub projects: BTreeSet<ProjectId>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invitee {
    pub email: EmailAddress,
    pub role: Role,
    /// For clients, at least one; empty for other roles.
    pub projects: BTreeSet<ProjectId>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberPatch {
    pub role: Option<Role>,
    /// The projects of a client.
    pub projects: Option<BTreeSet<ProjectId>>,
}

/// What the holder of a link sees before accepting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationPreview {
    pub invitation: Invitation,
    pub account: Label,
    pub inviter: Label,
    pub projects: Vec<Label>,
    /// Whether the address belongs to a person already, who accepts with the existing password.
    pub is_known_person: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPerson {
    pub name: Label,
    pub password: String,
}

#[derive(Debug, Error)]
pub enum MemberError {
    #[error("the role does not allow this")]
    RoleInsufficient(Right),
    #[error("the account has no such member")]
    NoSuchMember,
    #[error("the account has no such open invitation")]
    NoSuchInvitation,
    #[error("the person is a member already")]
    AlreadyMember,
    #[error("an account has {MAX_MEMBERS} members at the most, open invitations included")]
    TooManyMembers,
    #[error("too many links were made")]
    TooManyLinks { wait: TimeDelta },
    #[error("the last owner cannot leave or get another role")]
    LastOwner,
    #[error("a client needs at least one project")]
    ProjectsMissing,
    #[error("only clients are limited to projects")]
    ProjectsNotForRole,
    #[error("there is no project {0}")]
    NoSuchProject(ProjectId),
    #[error("the session was ended")]
    SignedOut,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(MemberError);

#[derive(Debug, Error)]
pub enum AcceptError {
    /// Unknown, used, revoked, replaced or expired; or the account is disabled.
    #[error("the link does not work")]
    LinkInvalid,
    #[error("the invitation is for another address")]
    OtherPerson,
    /// The person of the address accepts with the existing password.
    #[error("the address belongs to a person already")]
    KnownPerson,
    #[error("a person has {MAX_ACCOUNTS} accounts at the most")]
    TooManyAccounts,
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    #[error(transparent)]
    Hashing(#[from] HashingError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(AcceptError);

#[derive(Debug, Error)]
pub enum EnterAccountError {
    #[error("the person has no such account")]
    NoSuchAccount,
    #[error("the session was ended")]
    SignedOut,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(EnterAccountError);

impl Core {
    /// Present members, oldest first.
    pub async fn members(&self, account: AccountId) -> Result<Vec<AccountMember>, StorageError> {
        let mut read = self.storage.read().await?;
        let users = read.members().list(account).await?;
        let grants = read.members().grants(account).await?;
        let members = users.into_iter().filter(|it| !it.has_left()).map(|user| {
            let own = grants.iter().filter(|(of, _)| *of == user.id);
            let projects = own.map(|(_, project)| *project).collect();
            AccountMember { user, projects }
        });
        Ok(members.collect())
    }

    /// Those who left included, oldest first.
    pub async fn all_members(&self, account: AccountId) -> Result<Vec<User>, StorageError> {
        let mut read = self.storage.read().await?;
        read.members().list(account).await
    }

    /// `None` also for a member who left.
    pub async fn member(
        &self,
        account: AccountId,
        id: UserId,
    ) -> Result<Option<User>, StorageError> {
        present_member(&mut *self.storage.read().await?, account, id).await
    }

    /// Invitations that can be accepted, newest first.
    pub async fn open_invitations(
        &self,
        account: AccountId,
    ) -> Result<Vec<Invitation>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let all = { read.invitations() }
            .list(account, now - Invitation::LIFETIME)
            .await?;
        Ok(all.into_iter().filter(|it| it.is_open(now)).collect())
    }

    /// Only this response contains the link. An open invitation to the same address ends.
    pub async fn invite(
        &self,
        by: &Member,
        invitee: &Invitee,
    ) -> Result<(Invitation, PlainLink), MemberError> {
        let prepare = || self.input_with_link();
        let invite = |work, given| invited(work, given, by, invitee);
        self.storage.transaction_with(prepare, invite).await
    }

    /// A new link; the one before ends.
    pub async fn renew_invitation(
        &self,
        by: &Member,
        id: InvitationId,
    ) -> Result<(Invitation, PlainLink), MemberError> {
        let prepare = || self.input_with_link();
        let renew = |mut work: Box<dyn Transaction>, input: (TransactionInput, PlainLink)| async move {
            let (mut given, link) = input;
            let invitation = open_invitation(work.as_mut(), by, id, given.now).await?;
            check_link_limits(work.as_mut(), by.account.id, given.now).await?;
            let invitation = invitation.reissued(given.now);
            queue_invitation(work.as_mut(), &mut given, by, &invitation).await?;
            { work.invitations() }
                .save(&invitation, Some(link.hash()))
                .await?;
            let event = AuditEvent {
                detail: invitation.email.to_string(),
                ..given.event(by.account.id, &by.user, AuditAction::InvitationIssued)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok((invitation, link))
        };
        self.storage.transaction_with(prepare, renew).await
    }

    pub async fn revoke_invitation(
        &self,
        by: &Member,
        id: InvitationId,
    ) -> Result<(), MemberError> {
        let revoke = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let invitation = open_invitation(work.as_mut(), by, id, given.now).await?;
            let event = AuditEvent {
                detail: invitation.email.to_string(),
                ..given.event(by.account.id, &by.user, AuditAction::InvitationRevoked)
            };
            let invitation = invitation.ended(InvitationEnd::Revoked, given.now);
            work.invitations().save(&invitation, None).await?;
            work.audit().record(&event).await?;
            Ok(work.commit().await?)
        };
        self.transaction_with_ids(revoke).await
    }

    fn input_with_link(&self) -> (TransactionInput, PlainLink) {
        (
            self.transaction_input(),
            PlainLink::generate(&*self.randomness),
        )
    }

    /// `None` if the link does not work.
    pub async fn invitation_preview(
        &self,
        link: &str,
    ) -> Result<Option<InvitationPreview>, StorageError> {
        let Ok(link) = PlainLink::parse(link) else {
            return Ok(None);
        };
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let found = read.invitations().find_by_link(link.hash()).await?;
        let Some(invitation) = found.filter(|it| it.is_open(now)) else {
            return Ok(None);
        };
        let account = read.accounts().find(invitation.account).await?;
        let account = account.filter(|it| it.status == AccountStatus::Active);
        let inviter = { read.members() }
            .find(invitation.account, invitation.invited_by)
            .await?;
        let (Some(account), Some(inviter)) = (account, inviter) else {
            return Ok(None);
        };
        let projects = known_projects(&mut *read, invitation.account, &invitation.projects).await?;
        let known = read.members().find_by_email(&invitation.email).await?;
        Ok(Some(InvitationPreview {
            invitation,
            account: account.name,
            inviter: inviter.name,
            projects: projects.into_iter().map(|it| it.name).collect(),
            is_known_person: known.is_some(),
        }))
    }

    /// Adds a person with this home account, and signs the person in.
    pub async fn accept_as_new_person(
        &self,
        hasher: &dyn PasswordHasher,
        link: &str,
        person: &NewPerson,
        client: &ClientInfo,
    ) -> Result<SignedIn, AcceptError> {
        let preview = self.invitation_preview(link).await?;
        let preview = preview.ok_or(AcceptError::LinkInvalid)?;
        if preview.is_known_person {
            return Err(AcceptError::KnownPerson);
        }
        let known = [
            preview.invitation.email.as_str(),
            person.name.as_str(),
            preview.account.as_str(),
        ]
        .map(str::to_owned);
        let hash = &hasher.hash_new(&person.password, &known).await??;
        let link = PlainLink::parse(link).map_err(|_| AcceptError::LinkInvalid)?;
        let prepare = || self.input_with_secrets();
        let accept = |mut work: Box<dyn Transaction>, input: (TransactionInput, SessionSecrets)| {
            let link = link.hash();
            async move {
                let (mut given, secrets) = input;
                let (account, invitation) = open_link(work.as_mut(), link, &given).await?;
                let identity = (UserId::take(&mut given.ids), person.name.clone());
                let user = new_member(&invitation, identity, given.now);
                match work.members().add(&user).await {
                    Err(StorageError::Conflict { .. }) => return Err(AcceptError::KnownPerson),
                    outcome => outcome?,
                }
                work.passwords().set(&user, hash, given.now).await?;
                complete(work.as_mut(), &mut given, &user, invitation).await?;
                let seat = Seat {
                    home: account.id,
                    account: &account,
                    user: &user,
                };
                let signed_in =
                    begin_session(work.as_mut(), seat, client, &mut given, secrets).await?;
                work.commit().await?;
                Ok(signed_in)
            }
        };
        self.storage.transaction_with(prepare, accept).await
    }

    /// A signed-in person joins; the session continues in the joined account under a new id.
    pub async fn accept_signed_in(
        &self,
        member: &Member,
        link: &str,
    ) -> Result<SignedIn, AcceptError> {
        let link = PlainLink::parse(link)
            .map_err(|_| AcceptError::LinkInvalid)?
            .hash();
        let prepare = || self.input_with_secrets();
        let accept = |mut work: Box<dyn Transaction>, input: (TransactionInput, SessionSecrets)| async move {
            let (mut given, secrets) = input;
            let (home, id) = (member.session.home, member.user.id);
            let person = work.members().find(home, id).await?;
            let person = person.ok_or(AcceptError::OtherPerson)?;
            let Joined {
                account,
                user,
                home,
            } = join(work.as_mut(), &mut given, link, &person).await?;
            let seat = Seat {
                home,
                account: &account,
                user: &user,
            };
            let moved = replace_session(work.as_mut(), &member.session, seat, &mut given, secrets);
            let signed_in = moved.await?.ok_or(AcceptError::OtherPerson)?;
            work.commit().await?;
            Ok(signed_in)
        };
        self.storage.transaction_with(prepare, accept).await
    }

    /// The person's accounts that are open, with the role in each; the home account first.
    pub async fn accounts_of(&self, member: &Member) -> Result<Vec<(Account, Role)>, StorageError> {
        let (home, person) = (member.session.home, member.user.id);
        let mut read = self.storage.read().await?;
        let mut open = Vec::new();
        for account in account_ids(&mut *read, home, person).await? {
            // One account at a time: no statement reads rows of two; at most [`MAX_ACCOUNTS`].
            let found = open_membership(&mut *read, account, person).await?;
            open.extend(found.map(|(account, user)| (account, user.role)));
        }
        Ok(open)
    }

    /// The session continues in another account of the person under a new id. Time of sign-in and age stay.
    pub async fn enter_account(
        &self,
        member: &Member,
        account: AccountId,
    ) -> Result<SignedIn, EnterAccountError> {
        let prepare = || self.input_with_secrets();
        let switch = |mut work: Box<dyn Transaction>, input: (TransactionInput, SessionSecrets)| async move {
            let (mut given, secrets) = input;
            let (home, person) = (member.session.home, member.user.id);
            let open = open_membership(&mut *work, account, person).await?;
            let (account, user) = open.ok_or(EnterAccountError::NoSuchAccount)?;
            let at_home = work.members().find(home, person).await?;
            let at_home = at_home.ok_or(EnterAccountError::NoSuchAccount)?;
            let user = with_current_name(work.as_mut(), user, &at_home).await?;
            let seat = Seat {
                home,
                account: &account,
                user: &user,
            };
            let moved = replace_session(work.as_mut(), &member.session, seat, &mut given, secrets);
            let signed_in = moved.await?.ok_or(EnterAccountError::SignedOut)?;
            if account.id != member.account.id {
                let event = given.event(account.id, &user, AuditAction::AccountEntered);
                work.audit().record(&event).await?;
            }
            work.commit().await?;
            Ok(signed_in)
        };
        self.storage.transaction_with(prepare, switch).await
    }

    /// Changes a member's role and granted projects.
    pub async fn change_member(
        &self,
        by: &Member,
        id: UserId,
        patch: &MemberPatch,
    ) -> Result<AccountMember, MemberError> {
        let change = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let account = by.account.id;
            let (acting, before) = locked_members(work.as_mut(), by, id).await?;
            let after = User {
                role: patch.role.unwrap_or(before.role),
                ..before.clone()
            };
            check_manages(acting.role, before.role)?;
            check_manages(acting.role, after.role)?;
            // A sign-in that verifies the password meanwhile waits, and then sees the new role.
            work.passwords().lock(account, id).await?;
            let granted = work.members().granted_projects(account, id).await?;
            let projects = patch.projects.clone().unwrap_or_else(|| {
                if after.role.is_limited_to_granted_projects() {
                    granted.clone()
                } else {
                    BTreeSet::new()
                }
            });
            check_projects(work.as_mut(), account, after.role, &projects).await?;
            if (after.role, &projects) == (before.role, &granted) {
                return Ok(AccountMember {
                    user: after,
                    projects,
                });
            }
            if before.role == Role::Owner && after.role != Role::Owner {
                check_other_owner(work.as_mut(), account, id).await?;
                // Version 0.1 would take these sessions for an owner's.
                if is_at_home(work.as_mut(), &before).await? {
                    work.sessions().end_all(account, id, None).await?;
                }
            }
            work.members().save_membership(&after).await?;
            if after.role != before.role && acting.id != id {
                let message = Message::RoleChanged {
                    account: by.account.name.to_string(),
                    by: acting.name.to_string(),
                    role: after.role.name().to_owned(),
                };
                let notice = given.delivery(account, &after.email, message);
                given.queue(work.as_mut(), notice).await?;
            }
            revoke_invitations_of(work.as_mut(), &after, given.now).await?;
            if projects != granted {
                let (by, at) = (by.user.id, given.now);
                { work.members() }
                    .set_granted_projects(&after, &projects, by, at)
                    .await?;
            }
            let detail = if projects.is_empty() {
                format!("{}: {} instead of {}", after.email, after.role, before.role)
            } else {
                format!(
                    "{}: {} with {} projects",
                    after.email,
                    after.role,
                    projects.len()
                )
            };
            let event = AuditEvent {
                detail,
                ..given.event(account, &acting, AuditAction::MemberChanged)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(AccountMember {
                user: after,
                projects,
            })
        };
        self.transaction_with_ids(change).await
    }

    /// Removes a member, or lets a member leave. `revokes_tokens`: those that the member created. Returns their number.
    pub async fn remove_member(
        &self,
        by: &Member,
        id: UserId,
        revokes_tokens: bool,
    ) -> Result<u64, MemberError> {
        let account_name = &by.account.name;
        let remove = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let account = by.account.id;
            let (acting, before) = locked_members(work.as_mut(), by, id).await?;
            let leaves = acting.id == id;
            if !leaves {
                check_manages(acting.role, before.role)?;
            }
            if before.role == Role::Owner {
                check_other_owner(work.as_mut(), account, id).await?;
            }
            work.passwords().lock(account, id).await?;
            let (by, at) = (acting.id, given.now);
            { work.members() }
                .set_granted_projects(&before, &BTreeSet::new(), by, at)
                .await?;
            let after = User {
                left_at: Some(at),
                ..before
            };
            work.members().save_membership(&after).await?;
            leave_home(work.as_mut(), &after).await?;
            revoke_invitations_of(work.as_mut(), &after, at).await?;
            let mut revoked = 0;
            if revokes_tokens {
                revoked = revoke_tokens_of(work.as_mut(), &after, &acting, &mut given).await?;
            }
            queue_departure(work.as_mut(), &mut given, account_name, (&after, &acting)).await?;
            let action = if leaves {
                AuditAction::MemberLeft
            } else {
                AuditAction::MemberRemoved
            };
            let event = AuditEvent {
                detail: format!("{}, {}", after.email, after.role),
                ..given.event(account, &acting, action)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(revoked)
        };
        self.transaction_with_ids(remove).await
    }

    /// The signed-in person as member of the home account.
    pub async fn person(&self, member: &Member) -> Result<Option<User>, StorageError> {
        let mut read = self.storage.read().await?;
        let members = read.members();
        members.find(member.session.home, member.user.id).await
    }

    pub async fn is_operator(&self, member: &Member) -> Result<bool, StorageError> {
        let mut read = self.storage.read().await?;
        let members = read.members();
        let since = members.operator_since(member.session.home, member.user.id);
        Ok(since.await?.is_some())
    }

    /// For the operator: who may use the operator's pages. Returns whether anything changed.
    pub async fn mark_operator(
        &self,
        user: &User,
        is_operator: bool,
    ) -> Result<bool, StorageError> {
        let mark = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let since = is_operator.then_some(given.now);
            if !work
                .members()
                .set_operator(user.account, user.id, since)
                .await?
            {
                return Ok(false);
            }
            let event = AuditEvent {
                detail: format!(
                    "{} {} operator",
                    user.email,
                    if is_operator { "is" } else { "is no longer" }
                ),
                ..given.event(user.account, Actor::Operator, AuditAction::MemberChanged)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(true)
        };
        self.transaction_with_ids(mark).await
    }
}

async fn invited(
    mut work: Box<dyn Transaction>,
    (mut given, link): (TransactionInput, PlainLink),
    by: &Member,
    invitee: &Invitee,
) -> Result<(Invitation, PlainLink), MemberError> {
    let (account, now) = (by.account.id, given.now);
    let acting = locked_actor(work.as_mut(), by).await?;
    check_manages(acting.role, invitee.role)?;
    check_projects(work.as_mut(), account, invitee.role, &invitee.projects).await?;
    let members = work.members().list(account).await?;
    let count = present(&members).count();
    let person = work.members().find_by_email(&invitee.email).await?;
    if person.is_some_and(|person| present(&members).any(|it| it.id == person.id)) {
        return Err(MemberError::AlreadyMember);
    }
    check_link_limits(work.as_mut(), account, now).await?;
    let after = now - Invitation::LIFETIME;
    let mut open = work.invitations().list(account, after).await?;
    open.retain(|it| it.is_open(now));
    let (same, others): (Vec<Invitation>, Vec<Invitation>) =
        open.into_iter().partition(|it| it.email == invitee.email);
    if others.len() >= Invitation::MAX_OPEN || count + others.len() >= MAX_MEMBERS {
        return Err(MemberError::TooManyMembers);
    }
    for replaced in same {
        // At most one is open for an address.
        let replaced = replaced.ended(InvitationEnd::Replaced, now);
        work.invitations().save(&replaced, None).await?;
    }
    let invitation = Invitation {
        account,
        id: InvitationId::take(&mut given.ids),
        email: invitee.email.clone(),
        role: invitee.role,
        projects: invitee.projects.clone(),
        invited_by: acting.id,
        created_at: now,
        issued_at: now,
        issued: 1,
        expires_at: now + Invitation::LIFETIME,
        ended: None,
    };
    work.invitations().add(&invitation, link.hash()).await?;
    queue_invitation(work.as_mut(), &mut given, by, &invitation).await?;
    let event = AuditEvent {
        detail: format!("{} as {}", invitation.email, invitation.role),
        ..given.event(account, &acting, AuditAction::MemberInvited)
    };
    work.audit().record(&event).await?;
    work.commit().await?;
    Ok((invitation, link))
}

/// The acting member as stored now. Locks the account, so that of two changes the second sees the first.
async fn locked_actor(work: &mut dyn Transaction, by: &Member) -> Result<User, MemberError> {
    work.accounts().lock(by.account.id).await?;
    let acting = present_member(work, by.account.id, by.user.id).await?;
    if !still_signed_in(work, by).await? {
        return Err(MemberError::SignedOut);
    }
    acting.ok_or(MemberError::SignedOut)
}

/// The acting member and the one to change.
async fn locked_members(
    work: &mut dyn Transaction,
    by: &Member,
    id: UserId,
) -> Result<(User, User), MemberError> {
    let acting = locked_actor(work, by).await?;
    let found = present_member(work, by.account.id, id).await?;
    Ok((acting, found.ok_or(MemberError::NoSuchMember)?))
}

fn check_manages(acting: Role, role: Role) -> Result<(), MemberError> {
    if acting.manages(role) {
        return Ok(());
    }
    Err(MemberError::RoleInsufficient(Right::to_manage(role)))
}

async fn check_projects(
    work: &mut dyn Transaction,
    account: AccountId,
    role: Role,
    projects: &BTreeSet<ProjectId>,
) -> Result<(), MemberError> {
    match (role.is_limited_to_granted_projects(), projects.is_empty()) {
        (true, true) => return Err(MemberError::ProjectsMissing),
        (false, false) => return Err(MemberError::ProjectsNotForRole),
        _ => {}
    }
    let known = known_projects(work, account, projects).await?;
    let known: BTreeSet<ProjectId> = known.iter().map(|it| it.id).collect();
    match projects.difference(&known).next() {
        Some(missing) => Err(MemberError::NoSuchProject(*missing)),
        None => Ok(()),
    }
}

/// Those projects of a client that exist, in the order of their ids.
async fn known_projects(
    read: &mut (impl Repositories + ?Sized),
    account: AccountId,
    ids: &BTreeSet<ProjectId>,
) -> Result<Vec<Project>, StorageError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let filter = ProjectFilter {
        only: Some(ids.clone()),
        ..ProjectFilter::default()
    };
    let all = PageRequest {
        sort: ProjectSort::Name,
        direction: Direction::Ascending,
        after: None,
        limit: u32::try_from(ids.len()).unwrap_or(u32::MAX),
        counted: false,
        bytes: None,
    };
    let mut found = read.projects().list(account, &filter, &all).await?.items;
    found.sort_by_key(|it| it.id);
    Ok(found)
}

async fn check_other_owner(
    work: &mut dyn Transaction,
    account: AccountId,
    but: UserId,
) -> Result<(), MemberError> {
    let members = work.members().list(account).await?;
    let is_other_owner = |it: &User| it.is_present_owner() && it.id != but;
    if members.iter().any(is_other_owner) {
        return Ok(());
    }
    Err(MemberError::LastOwner)
}

async fn check_link_limits(
    work: &mut dyn Transaction,
    account: AccountId,
    now: DateTime<Utc>,
) -> Result<(), MemberError> {
    for (limit, span) in Invitation::MAX_LINKS {
        let recent = work.invitations().list(account, now - span).await?;
        // Of an invitation with several links all count as long as its newest does.
        let links: u64 = recent.iter().map(|it| u64::from(it.issued)).sum();
        if links >= limit
            && let Some(oldest) = recent.last()
        {
            let wait = oldest.issued_at + span - now;
            return Err(MemberError::TooManyLinks { wait });
        }
    }
    Ok(())
}

async fn open_invitation(
    work: &mut dyn Transaction,
    by: &Member,
    id: InvitationId,
    now: DateTime<Utc>,
) -> Result<Invitation, MemberError> {
    let acting = locked_actor(work, by).await?;
    let found = work.invitations().lock(by.account.id, id).await?;
    let found = found.filter(|it| it.is_open(now));
    let found = found.ok_or(MemberError::NoSuchInvitation)?;
    check_manages(acting.role, found.role)?;
    Ok(found)
}

/// The account and the invitation of a link that works, locked.
async fn open_link(
    work: &mut dyn Transaction,
    link: LinkHash,
    given: &TransactionInput,
) -> Result<(Account, Invitation), AcceptError> {
    let found = work.invitations().find_by_link(link).await?;
    let found = found.ok_or(AcceptError::LinkInvalid)?;
    let account = work.accounts().lock(found.account).await?;
    let account = account.filter(|it| it.status == AccountStatus::Active);
    // Again, under the lock: of two who accept at once, one does.
    let invitation = work.invitations().lock(found.account, found.id).await?;
    let invitation = invitation.filter(|it| it.is_open(given.now) && it.issued == found.issued);
    account.zip(invitation).ok_or(AcceptError::LinkInvalid)
}

fn new_member(
    invitation: &Invitation,
    (id, person_name): (UserId, Label),
    now: DateTime<Utc>,
) -> User {
    User {
        account: invitation.account,
        id,
        email: invitation.email.clone(),
        name: person_name,
        created_at: now,
        role: invitation.role,
        invited_by: Some(invitation.invited_by),
        left_at: None,
    }
}

/// Adds a known person to the account of a link.
pub(super) async fn join(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    link: LinkHash,
    person: &User,
) -> Result<Joined, AcceptError> {
    let (account, invitation) = open_link(work, link, given).await?;
    if invitation.email != person.email {
        return Err(AcceptError::OtherPerson);
    }
    if work
        .members()
        .joined_accounts(person.account, person.id)
        .await?
        .len()
        + 1
        >= MAX_ACCOUNTS
    {
        return Err(AcceptError::TooManyAccounts);
    }
    let before = work.members().find(account.id, person.id).await?;
    if let Some(other) = &before
        && account.id != person.account
        && is_at_home(work, other).await?
    {
        // Another person has the same id in that account, which happens once in millions.
        return Err(AcceptError::LinkInvalid);
    }
    let identity = (person.id, person.name.clone());
    let user = new_member(&invitation, identity, given.now);
    // A present member who accepts another invitation keeps the stronger role.
    let user = match before.filter(|it| !it.has_left() && it.role < user.role) {
        Some(present) => present,
        None => user,
    };
    work.members().join(&user, person.account).await?;
    complete(work, given, &user, invitation).await?;
    let home = if person.has_left() && person.account != account.id {
        work.members().move_home(person, &user).await?;
        account.id
    } else {
        person.account
    };
    Ok(Joined {
        account,
        user,
        home,
    })
}

/// A membership that a known person accepted.
pub(super) struct Joined {
    pub account: Account,
    pub user: User,
    /// Another one than before if the person had left that.
    pub home: AccountId,
}

/// Ends an accepted invitation, and grants its projects.
async fn complete(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    user: &User,
    invitation: Invitation,
) -> Result<(), StorageError> {
    let by = invitation.invited_by;
    let mut projects = BTreeSet::new();
    if user.role.is_limited_to_granted_projects() {
        // One may have been removed since.
        let known = known_projects(work, user.account, &invitation.projects).await?;
        projects.extend(known.iter().map(|it| it.id));
    }
    { work.members() }
        .set_granted_projects(user, &projects, by, given.now)
        .await?;
    let event = AuditEvent {
        detail: format!("{} as {}", user.email, user.role),
        ..given.event(user.account, user, AuditAction::MemberJoined)
    };
    work.audit().record(&event).await?;
    let accepted = invitation.ended(InvitationEnd::Accepted, given.now);
    work.invitations().save(&accepted, None).await?;
    if !given.sends_mail {
        return Ok(());
    }
    let account = work.accounts().find(user.account).await?;
    let inviter = present_member(work, user.account, by).await?;
    let (Some(account), Some(inviter)) = (account, inviter) else {
        return Ok(());
    };
    let message = Message::InvitationAccepted {
        account: account.name.to_string(),
        member: user.name.to_string(),
        email: user.email.to_string(),
        role: user.role.name().to_owned(),
    };
    let notice = given.delivery(user.account, &inviter.email, message);
    given.queue(work, notice).await
}

async fn queue_invitation(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    by: &Member,
    invitation: &Invitation,
) -> Result<(), StorageError> {
    if !given.sends_mail {
        return Ok(());
    }
    let account = invitation.account;
    let projects = known_projects(work, account, &invitation.projects).await?;
    let message = Message::Invitation {
        account: by.account.name.to_string(),
        inviter: by.user.name.to_string(),
        role: invitation.role.name().to_owned(),
        projects: projects.iter().map(|it| it.name.to_string()).collect(),
        expires_at: invitation.expires_at,
    };
    let mail = Delivery {
        link_target: Some(invitation.id.0),
        ..given.delivery(account, &invitation.email, message)
    };
    given.queue(work, mail).await
}

/// A message to the member who was removed, or to the owners about one who left.
async fn queue_departure(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    account_name: &Label,
    (member, by): (&User, &User),
) -> Result<(), StorageError> {
    if !given.sends_mail {
        return Ok(());
    }
    let account = account_name.to_string();
    if member.id != by.id {
        let by = by.name.to_string();
        let message = Message::MemberRemoved { account, by };
        let notice = given.delivery(member.account, &member.email, message);
        return given.queue(work, notice).await;
    }
    let members = work.members().list(member.account).await?;
    for owner in members.iter().filter(|it| it.is_present_owner()) {
        let message = Message::MemberLeft {
            account: account.clone(),
            member: member.name.to_string(),
        };
        let notice = given.delivery(member.account, &owner.email, message);
        given.queue(work, notice).await?;
    }
    Ok(())
}

/// Where the member leaves the home account: address and password go to another account of the person, if there is one,
/// and all sessions end.
async fn leave_home(work: &mut dyn Transaction, user: &User) -> Result<(), StorageError> {
    if !is_at_home(work, user).await? {
        return Ok(());
    }
    work.sessions().end_all(user.account, user.id, None).await?;
    for other in { work.members() }
        .joined_accounts(user.account, user.id)
        .await?
    {
        // At most [`MAX_ACCOUNTS`]. Locked, so that the role there does not change meanwhile.
        let account = work.accounts().lock(other).await?;
        if account.is_none_or(|it| it.status != AccountStatus::Active) {
            continue;
        }
        if let Some(member) = present_member(work, other, user.id).await? {
            return work.members().move_home(user, &member).await;
        }
    }
    Ok(())
}

/// Open invitations end that the member may no longer give.
async fn revoke_invitations_of(
    work: &mut dyn Transaction,
    inviter: &User,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let after = now - Invitation::LIFETIME;
    let all = work.invitations().list(inviter.account, after).await?;
    let is_over = |it: &Invitation| {
        let may_give = !inviter.has_left() && inviter.role.manages(it.role);
        it.invited_by == inviter.id && it.is_open(now) && !may_give
    };
    for invitation in all.into_iter().filter(is_over) {
        // At most [`Invitation::MAX_OPEN`].
        let revoked = invitation.ended(InvitationEnd::Revoked, now);
        work.invitations().save(&revoked, None).await?;
    }
    Ok(())
}

async fn is_at_home(work: &mut dyn Transaction, user: &User) -> Result<bool, StorageError> {
    let person = work.members().find_by_email(&user.email).await?;
    Ok(person.is_some_and(|it| (it.account, it.id) == (user.account, user.id)))
}

/// `None` also for a member who left.
pub(super) async fn present_member(
    read: &mut (impl Repositories + ?Sized),
    account: AccountId,
    id: UserId,
) -> Result<Option<User>, StorageError> {
    let found = read.members().find(account, id).await?;
    Ok(found.filter(|it| !it.has_left()))
}

async fn account_ids(
    read: &mut (impl Repositories + ?Sized),
    home: AccountId,
    person: UserId,
) -> Result<Vec<AccountId>, StorageError> {
    let mut all = vec![home];
    let joined = read.members().joined_accounts(home, person).await?;
    all.extend(joined.into_iter().filter(|it| *it != home));
    Ok(all)
}

/// The member with name and address of the home account, saved where the copy differs.
pub(super) async fn with_current_name(
    work: &mut dyn Transaction,
    member: User,
    person: &User,
) -> Result<User, StorageError> {
    let current = User {
        name: person.name.clone(),
        email: person.email.clone(),
        ..member.clone()
    };
    if current != member {
        work.members().save_profile(&current).await?;
    }
    Ok(current)
}

/// Revokes the tokens that a member created.
async fn revoke_tokens_of(
    work: &mut dyn Transaction,
    creator: &User,
    by: &User,
    given: &mut TransactionInput,
) -> Result<u64, StorageError> {
    let (account, now) = (creator.account, given.now);
    let tokens = work.tokens().list(account).await?;
    let mut events = Vec::new();
    for token in tokens.iter().filter(|it| it.created_by == creator.id) {
        // At most [`NewToken::MAX_PER_ACCOUNT`](super::tokens::NewToken::MAX_PER_ACCOUNT) work.
        let revoked = { work.tokens() }.revoke(account, token.id, now, RevokeReason::Owner);
        if revoked.await? {
            events.push(AuditEvent {
                token: Some(token.id),
                detail: format!("with the membership of {}", creator.email),
                ..given.event(account, Author::from(by), AuditAction::TokenRevoked)
            });
        }
    }
    if !events.is_empty() {
        work.audit().record_all(&events).await?;
    }
    Ok(events.len() as u64)
}
