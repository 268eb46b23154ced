//! Asks somebody who is signed in for the password again, before what matters most is changed.

pub use super::new_session::{Place, SignedIn};
use super::{authenticate_session::Member, guesses::Guesses, new_session, sign_in::SignInError};
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::IdMint,
    password::{PasswordHash, TypedPassword},
    ports::{
        clock::Clock,
        password_hasher::{Compared, HashingError, PasswordHasher},
        randomness::Randomness,
        storage::{Storage, retrying},
    },
    throttle::ThrottleKey,
};
use std::sync::Arc;

/// Asks again.
pub struct Reauthenticate {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    hasher: Arc<dyn PasswordHasher>,
    guesses: Guesses,
}

impl Reauthenticate {
    /// On this storage, clock, randomness, mint and hasher.
    #[must_use]
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        mint: Arc<IdMint>,
        hasher: Arc<dyn PasswordHasher>,
    ) -> Self {
        Self {
            guesses: Guesses::new(&storage, &clock),
            storage,
            clock,
            randomness,
            mint,
            hasher,
        }
    }

    /// The session goes on under a new id, and the old one is gone in the same transaction. A
    /// wrong password leaves it as it was.
    pub async fn run(
        &self,
        member: &Member,
        password: &TypedPassword,
        place: &Place,
    ) -> Result<SignedIn, SignInError> {
        let known = self.check(member, password).await?;
        retrying(self.storage.as_ref(), || {
            self.once(member, &known, None, AuditAction::SessionRenewed, place)
        })
        .await
    }

    /// The same, with another password from now on; the person's other sessions end when asked.
    pub(super) async fn with_another(
        &self,
        member: &Member,
        password: &TypedPassword,
        new: &PasswordHash,
        ends_others: bool,
        place: &Place,
    ) -> Result<SignedIn, SignInError> {
        let known = self.check(member, password).await?;
        let change = Some((new, ends_others));
        retrying(self.storage.as_ref(), || {
            self.once(member, &known, change, AuditAction::PasswordChanged, place)
        })
        .await
    }

    /// The hash that the password was found to be right for.
    async fn check(
        &self,
        member: &Member,
        password: &TypedPassword,
    ) -> Result<PasswordHash, SignInError> {
        let key = ThrottleKey::of_session(member.session.id);
        let before = self.guesses.count(key).await?;
        let mut read = self.storage.read().await?;
        let known = read.passwords().credentials(&member.user.email).await?;
        drop(read);
        let hash = known
            .filter(|it| it.user.id == member.user.id)
            .and_then(|it| it.password);
        let refused = || SignInError::Refused {
            whose: Some(member.account.id),
        };
        match self.hasher.compare(password, hash.clone()).await {
            Err(HashingError::Busy) => {
                self.guesses.give_back(key, before).await?;
                Err(SignInError::Busy)
            }
            Err(error) => Err(error.into()),
            Ok(Compared::Wrong) => Err(refused()),
            Ok(Compared::Right { .. }) => hash.ok_or_else(refused),
        }
    }

    async fn once(
        &self,
        member: &Member,
        known: &PasswordHash,
        change: Option<(&PasswordHash, bool)>,
        action: AuditAction,
        place: &Place,
    ) -> Result<SignedIn, SignInError> {
        let (account, user, now) = (member.account.id, member.user.id, self.clock.now());
        let refused = || SignInError::Refused {
            whose: Some(account),
        };
        let mut work = self.storage.write().await?;
        if work.passwords().lock(account, user).await?.as_ref() != Some(known) {
            return Err(refused());
        }
        work.throttles()
            .forget(ThrottleKey::of_session(member.session.id))
            .await?;
        let before = [member.session.id];
        // A session that was ended meanwhile does not come back to life.
        if work.sessions().end(account, user, &before).await? == 0 {
            return Err(refused());
        }
        let mut told_others = String::new();
        if let Some((hash, ends_others)) = change {
            work.passwords().set(account, user, hash, now).await?;
            if ends_others {
                let ended = work.sessions().end_all(account, user, None).await?;
                told_others = format!("; {ended} other sessions ended");
            }
        }
        let (secret, session) = new_session::begin(
            work.as_mut(),
            (self.randomness.as_ref(), &self.mint),
            (account, user),
            place,
            now,
        )
        .await?;
        let event = AuditEvent {
            detail: format!(
                "{}, in the place of session {}{told_others}",
                new_session::told(&session),
                member.session.id
            ),
            ..AuditEvent::new(&self.mint, account, now, Actor::Owner, action)
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok(SignedIn {
            secret,
            session,
            user: member.user.clone(),
            account: member.account.clone(),
        })
    }
}
