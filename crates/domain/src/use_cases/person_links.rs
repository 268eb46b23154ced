//! What a person does without a session: resets a forgotten password, and confirms or keeps an address.

use super::events::add_new_device;
use super::guesses::NoGuess;
use super::outbox::may_notify;
use super::sessions::{EndedAccess, Member, still_signed_in};
use super::tokens::revoke_all_tokens;
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::email::EmailAddress;
use crate::ids::PersonLinkId;
use crate::link::{LinkKind, LinkTarget, PersonLink, PlainLink};
use crate::mail::{Delivery, Message, Purpose};
use crate::password::PasswordRefusal;
use crate::ports::password_hasher::{HashingError, PasswordHasher};
use crate::ports::storage::{StorageError, Transaction};
use crate::rights::Right;
use crate::throttle::{AddressPrefix, GuessLimit, ThrottleKey};
use crate::user::User;
use analysis::events::AccessFact;
use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

#[derive(Debug, Error)]
pub enum PersonLinkError {
    /// Unknown, used, replaced or expired.
    #[error("the link does not work")]
    LinkInvalid,
    /// Another person took the address meanwhile.
    #[error("the address cannot be used")]
    EmailTaken,
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    #[error(transparent)]
    Hashing(#[from] HashingError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(PersonLinkError);

#[derive(Debug, Error)]
pub enum RequestAddressError {
    #[error("the password has to be given again first")]
    NotFresh,
    #[error("the session was ended")]
    SignedOut,
    #[error("an address may be changed three times a day")]
    TooMany { wait: TimeDelta },
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(RequestAddressError);

impl From<NoGuess> for RequestAddressError {
    fn from(error: NoGuess) -> Self {
        match error {
            NoGuess::Wait(wait) => Self::TooMany { wait },
            NoGuess::Storage(error) => Self::Storage(error),
        }
    }
}

/// A reset of a password, by link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordReset {
    pub link: String,
    pub password: String,
    /// Whether the tokens of the home account are revoked, if the person may.
    pub revokes_tokens: bool,
}

impl Core {
    /// Mails a link to the person of that address; an earlier one ends. Nothing happens for an unknown address, and after
    /// too many requests. Not to be awaited by a request, which takes the same time for every address.
    pub async fn request_password_reset(
        &self,
        email: &EmailAddress,
        network: AddressPrefix,
    ) -> Result<(), StorageError> {
        let limits = GuessLimit::for_password_resets(email, network);
        match self.count_guess(&limits).await {
            Ok(_) => {}
            Err(NoGuess::Wait(_)) => return Ok(()),
            Err(NoGuess::Storage(error)) => return Err(error),
        }
        let request = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let found = work.members().find_by_email(email).await?;
            let Some(person) = found.filter(|_| given.sends_mail) else {
                return Ok(());
            };
            queue_reset(work.as_mut(), &mut given, &person).await?;
            let event = AuditEvent {
                detail: format!("from {network}"),
                ..given.event(
                    person.account,
                    Actor::Stranger,
                    AuditAction::PasswordResetRequested,
                )
            };
            work.audit().record(&event).await?;
            work.commit().await
        };
        self.transaction_with_ids(request).await
    }

    /// For the operator, where the server sends no mail: the link to hand over.
    pub async fn password_reset_link(&self, person: &User) -> Result<PlainLink, StorageError> {
        let prepare = || {
            let link = PlainLink::generate(&*self.randomness);
            (self.transaction_input(), link)
        };
        let make = |mut work: Box<dyn Transaction>, input: (TransactionInput, PlainLink)| async move {
            let (mut given, link) = input;
            let (home, kind) = (person.account, LinkKind::PasswordReset);
            let made = begin_link(work.as_mut(), &mut given, person, kind).await?;
            let target = LinkTarget {
                account: home,
                kind,
                id: made.id.0,
            };
            { work.links() }
                .set_hash(target, link.hash(), made.expires_at)
                .await?;
            let event = given.event(home, Actor::Operator, AuditAction::PasswordResetRequested);
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(link)
        };
        self.storage.transaction_with(prepare, make).await
    }

    /// The target of a link of that kind, and its person, if it works.
    async fn working_link(
        &self,
        link: &str,
        kind: LinkKind,
    ) -> Result<(LinkTarget, User), PersonLinkError> {
        let target = self.target(link, kind).await?;
        let mut read = self.storage.read().await?;
        let id = PersonLinkId(target.id);
        let found = read.links().of_id(target.account, id).await?;
        let found = found.filter(|it| it.is_open(self.clock.now()));
        let found = found.ok_or(PersonLinkError::LinkInvalid)?;
        let person = read.members().find(found.home, found.person).await?;
        Ok((target, person.ok_or(PersonLinkError::LinkInvalid)?))
    }

    /// Sets the password. All sessions end, and every device is unknown again; the person signs in next.
    pub async fn reset_password(
        &self,
        hasher: &dyn PasswordHasher,
        reset: &PasswordReset,
        network: AddressPrefix,
    ) -> Result<EndedAccess, PersonLinkError> {
        let kind = LinkKind::PasswordReset;
        // Before the expensive hash.
        let (target, person) = self.working_link(&reset.link, kind).await?;
        let known = [person.email.as_str(), person.name.as_str()].map(str::to_owned);
        let hash = &hasher.hash_new(&reset.password, &known).await??;
        let set = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (_, person) = used_link(work.as_mut(), target, given.now).await?;
            let home = person.account;
            end_pending(work.as_mut(), &person, given.now).await?;
            // A sign-in that verifies the old password meanwhile is refused.
            work.passwords().lock(home, person.id).await?;
            work.passwords().set(&person, hash, given.now).await?;
            let key = ThrottleKey::of_email(&person.email);
            work.throttles().reset(key).await?;
            let sessions = work.sessions().end_all(home, person.id, None).await?;
            let may_revoke = !person.has_left() && person.role.holds(Right::TokensRevoke);
            let mut tokens = 0;
            if reset.revokes_tokens && may_revoke {
                let (by, reason) = (&person, "with the password");
                tokens = revoke_all_tokens(work.as_mut(), home, by, reason, &mut given).await?;
            }
            let event = AuditEvent {
                detail: format!(
                    "by link from {network}; {sessions} sessions ended, {tokens} tokens revoked"
                ),
                ..given.event(home, &person, AuditAction::PasswordChanged)
            };
            work.audit().record(&event).await?;
            let from = Some(network);
            queue_password_notice(work.as_mut(), &mut given, &person, from).await?;
            work.commit().await?;
            Ok(EndedAccess { sessions, tokens })
        };
        self.transaction_with_ids(set).await
    }

    /// Mails a link to the new address, which counts once the link was used, and a notice with a link that cancels the
    /// change to the one before. If another person has the address (true is returned), only that person gets a message.
    pub async fn request_address(
        &self,
        member: &Member,
        email: &EmailAddress,
    ) -> Result<bool, RequestAddressError> {
        if !member.session.is_fresh(self.clock.now()) {
            return Err(RequestAddressError::NotFresh);
        }
        let limits = GuessLimit::for_address_changes(member.user.id);
        self.count_guess(&limits).await?;
        let request = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (home, id) = (member.session.home, member.user.id);
            if !still_signed_in(work.as_mut(), member).await? {
                return Err(RequestAddressError::SignedOut);
            }
            let person = work.members().find(home, id).await?;
            let person = person.ok_or(RequestAddressError::SignedOut)?;
            let link = PersonLink {
                email: Some(email.clone()),
                ..new_link(&mut given, &person, LinkKind::AddressConfirmation)
            };
            replace_links(work.as_mut(), &link, given.now).await?;
            let cancellation = PersonLink {
                email: Some(person.email.clone()),
                ..new_link(&mut given, &person, LinkKind::AddressCancellation)
            };
            // Earlier ones stay: each undoes its own change and all later ones.
            work.links().add(&cancellation).await?;
            let is_taken = work.members().find_by_email(email).await?.is_some();
            if !is_taken {
                let message = Message::AddressConfirmation {
                    name: person.name.to_string(),
                    before: person.email.to_string(),
                };
                let confirmation = Delivery {
                    recipient: email.clone(),
                    link_target: Some(link.id.0),
                    ..given.personal_delivery(&person, message)
                };
                given.queue(work.as_mut(), confirmation).await?;
            }
            let message = Message::AddressChange {
                new: email.to_string(),
                is_confirmed: false,
            };
            let notice = Delivery {
                link_target: Some(cancellation.id.0),
                ..given.personal_delivery(&person, message)
            };
            given.queue(work.as_mut(), notice).await?;
            let event = AuditEvent {
                detail: format!("e-mail: {email} instead of {}", person.email),
                ..given.event(home, &person, AuditAction::EmailChangeRequested)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(is_taken)
        };
        self.transaction_with_ids(request).await
    }

    /// A message to the person with a requested address. Not awaited by the request, which takes the same time for every
    /// address.
    pub async fn note_taken_address(&self, email: &EmailAddress) -> Result<(), StorageError> {
        let note = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            if let Some(holder) = work.members().find_by_email(email).await? {
                let notice = given.personal_delivery(&holder, Message::AddressTaken {});
                given.queue(work.as_mut(), notice).await?;
            }
            work.commit().await
        };
        self.transaction_with_ids(note).await
    }

    /// The address that the person has requested and not confirmed yet.
    pub async fn requested_address(
        &self,
        member: &Member,
    ) -> Result<Option<EmailAddress>, StorageError> {
        if !self.sends_mail() {
            return Ok(None);
        }
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let unused = read
            .links()
            .unused(member.session.home, member.user.id)
            .await?;
        let mut open = { unused.into_iter() }
            .filter(|it| it.kind == LinkKind::AddressConfirmation && it.is_open(now));
        Ok(open.next_back().and_then(|it| it.email))
    }

    /// Makes the confirmed address the one to sign in with; sessions stay. The one before gets a notice. Copies in other
    /// accounts follow when the person enters them.
    pub async fn confirm_address(&self, link: &str) -> Result<EmailAddress, PersonLinkError> {
        let target = self.target(link, LinkKind::AddressConfirmation).await?;
        let confirm = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (link, before) = used_link(work.as_mut(), target, given.now).await?;
            let email = link.email.ok_or(PersonLinkError::LinkInvalid)?;
            let person = User {
                email: email.clone(),
                ..before.clone()
            };
            save_address(work.as_mut(), &person).await?;
            // Links to reset the password lie in the mailbox before.
            end_pending(work.as_mut(), &before, given.now).await?;
            let cancellation = open_cancellation(work.as_mut(), &before, given.now).await?;
            let message = Message::AddressChange {
                new: email.to_string(),
                is_confirmed: true,
            };
            let notice = Delivery {
                link_target: cancellation.map(|it| it.id.0),
                ..given.personal_delivery(&before, message)
            };
            given.queue(work.as_mut(), notice).await?;
            let event = AuditEvent {
                detail: format!("e-mail: {email} instead of {}", before.email),
                ..given.event(person.account, &person, AuditAction::EmailChanged)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(email)
        };
        self.transaction_with_ids(confirm).await
    }

    /// Keeps the address before, or restores it. All sessions end, and a link to reset the password is mailed to it: who
    /// changed the address knows the password.
    pub async fn cancel_address(&self, link: &str) -> Result<EmailAddress, PersonLinkError> {
        let target = self.target(link, LinkKind::AddressCancellation).await?;
        let cancel = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (link, before) = used_link(work.as_mut(), target, given.now).await?;
            let email = link.email.ok_or(PersonLinkError::LinkInvalid)?;
            let person = restored(work.as_mut(), &before, &email).await?;
            let action = AuditAction::EmailRestored;
            end_access(work.as_mut(), &mut given, &person, action).await?;
            // Another person took the address meanwhile: the reset would go to the one who changed it.
            let is_restored = person.email == email;
            if is_restored {
                queue_reset(work.as_mut(), &mut given, &person).await?;
            }
            work.commit().await?;
            is_restored
                .then_some(email)
                .ok_or(PersonLinkError::EmailTaken)
        };
        self.transaction_with_ids(cancel).await
    }

    /// After a sign-in that was not the person's: ends all sessions, restores the address of that time, and mails a link to
    /// reset the password.
    pub async fn disown_sign_in(&self, link: &str) -> Result<(), PersonLinkError> {
        let target = self.target(link, LinkKind::NotMe).await?;
        let disown = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let (link, before) = used_link(work.as_mut(), target, given.now).await?;
            // Who signed in may have changed the address since.
            let email = link.email.unwrap_or_else(|| before.email.clone());
            let person = restored(work.as_mut(), &before, &email).await?;
            let action = AuditAction::SessionsEnded;
            end_access(work.as_mut(), &mut given, &person, action).await?;
            if person.email == email {
                queue_reset(work.as_mut(), &mut given, &person).await?;
            }
            Ok(work.commit().await?)
        };
        self.transaction_with_ids(disown).await
    }

    /// The target of a link of that kind, whether it works or not.
    async fn target(&self, link: &str, kind: LinkKind) -> Result<LinkTarget, PersonLinkError> {
        let link = PlainLink::parse(link).map_err(|_| PersonLinkError::LinkInvalid)?;
        let mut read = self.storage.read().await?;
        let found = read.links().find(link.hash()).await?;
        let found = found.filter(|it| it.kind == kind);
        found.ok_or(PersonLinkError::LinkInvalid)
    }
}

/// Adds the event of a sign-in on a device that is not known, and queues a message with a link that undoes it.
pub(super) async fn note_new_device(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    person: &User,
    (browser, network): (Option<String>, AddressPrefix),
) -> Result<(), StorageError> {
    let access = AccessFact {
        browser: browser.clone(),
        network: Some(network.to_string()),
        count: 1,
    };
    add_new_device(work, person, access, given.now).await?;
    if !may_notify(work, given, person, Purpose::NewDevice).await? {
        return Ok(());
    }
    let link = PersonLink {
        email: Some(person.email.clone()),
        ..new_link(given, person, LinkKind::NotMe)
    };
    work.links().add(&link).await?;
    let message = Message::NewDevice {
        at: given.now,
        browser,
        network: network.to_string(),
    };
    let notice = Delivery {
        link_target: Some(link.id.0),
        ..given.personal_delivery(person, message)
    };
    given.queue(work, notice).await
}

/// At most one an hour.
pub(super) async fn queue_password_notice(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    person: &User,
    network: Option<AddressPrefix>,
) -> Result<(), StorageError> {
    if !may_notify(work, given, person, Purpose::PasswordChanged).await? {
        return Ok(());
    }
    let message = Message::PasswordChanged {
        at: given.now,
        network: network.map(|it| it.to_string()),
    };
    let notice = given.personal_delivery(person, message);
    given.queue(work, notice).await
}

async fn queue_reset(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    person: &User,
) -> Result<(), StorageError> {
    let link = begin_link(work, given, person, LinkKind::PasswordReset).await?;
    let reset = Delivery {
        link_target: Some(link.id.0),
        ..given.personal_delivery(person, Message::PasswordReset {})
    };
    given.queue(work, reset).await
}

/// Ends the links to reset the password and to confirm an address: they may lie in a mailbox that is not the person's any
/// more.
pub(super) async fn end_pending(
    work: &mut dyn Transaction,
    person: &User,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    let kinds = [LinkKind::PasswordReset, LinkKind::AddressConfirmation];
    let links = work.links();
    links.end(person.account, person.id, &kinds, now).await
}

/// The person with that address again, unless another person has it meanwhile.
async fn restored(
    work: &mut dyn Transaction,
    person: &User,
    email: &EmailAddress,
) -> Result<User, PersonLinkError> {
    if person.email == *email || work.members().find_by_email(email).await?.is_some() {
        return Ok(person.clone());
    }
    let restored = User {
        email: email.clone(),
        ..person.clone()
    };
    save_address(work, &restored).await?;
    Ok(restored)
}

/// Ends all sessions and pending links, and makes every device unknown.
async fn end_access(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    person: &User,
    action: AuditAction,
) -> Result<(), StorageError> {
    let home = person.account;
    let sessions = work.sessions().end_all(home, person.id, None).await?;
    { work.passwords() }
        .revoke_devices(home, person.id, given.now)
        .await?;
    let event = AuditEvent {
        detail: format!("by link to {}; {sessions} sessions ended", person.email),
        ..given.event(home, person, action)
    };
    work.audit().record(&event).await?;
    end_pending(work, person, given.now).await
}

fn new_link(given: &mut TransactionInput, person: &User, kind: LinkKind) -> PersonLink {
    PersonLink {
        home: person.account,
        id: PersonLinkId::take(&mut given.ids),
        person: person.id,
        kind,
        email: None,
        created_at: given.now,
        expires_at: given.now + kind.lifetime(),
        used_at: None,
    }
}

/// Stores a link in place of the person's earlier ones of its kind.
async fn replace_links(
    work: &mut dyn Transaction,
    link: &PersonLink,
    now: DateTime<Utc>,
) -> Result<(), StorageError> {
    { work.links() }
        .end(link.home, link.person, &[link.kind], now)
        .await?;
    work.links().add(link).await
}

async fn begin_link(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    person: &User,
    kind: LinkKind,
) -> Result<PersonLink, StorageError> {
    let link = new_link(given, person, kind);
    replace_links(work, &link, given.now).await?;
    Ok(link)
}

/// The link, locked, and its person as member of the home account; `None` if it does not work.
async fn open_link(
    work: &mut dyn Transaction,
    target: LinkTarget,
    now: DateTime<Utc>,
) -> Result<Option<(PersonLink, User)>, StorageError> {
    let link = work
        .links()
        .lock(target.account, PersonLinkId(target.id))
        .await?;
    let Some(link) = link.filter(|it| it.is_open(now)) else {
        return Ok(None);
    };
    let person = work.members().find(link.home, link.person).await?;
    Ok(person.map(|it| (link, it)))
}

/// Uses a link, which then works no more. Of two requests at once, one uses it.
async fn used_link(
    work: &mut dyn Transaction,
    target: LinkTarget,
    now: DateTime<Utc>,
) -> Result<(PersonLink, User), PersonLinkError> {
    let found = open_link(work, target, now).await?;
    let (link, person) = found.ok_or(PersonLinkError::LinkInvalid)?;
    work.links()
        .end(link.home, link.person, &[link.kind], now)
        .await?;
    Ok((link, person))
}

async fn save_address(work: &mut dyn Transaction, person: &User) -> Result<(), PersonLinkError> {
    match work.members().save_profile(person).await {
        Err(StorageError::Conflict { .. }) => Err(PersonLinkError::EmailTaken),
        outcome => Ok(outcome?),
    }
}

/// The link that restores the person's address of now.
async fn open_cancellation(
    work: &mut dyn Transaction,
    person: &User,
    now: DateTime<Utc>,
) -> Result<Option<PersonLink>, StorageError> {
    let unused = work.links().unused(person.account, person.id).await?;
    let is_cancellation = |it: &PersonLink| {
        let restores = it.email.as_ref() == Some(&person.email);
        it.kind == LinkKind::AddressCancellation && restores && it.is_open(now)
    };
    Ok(unused.into_iter().rfind(is_cancellation))
}
