//! Asks somebody who is signed in for the password again, before what matters most is changed.

pub use super::new_session::{Place, SignedIn};
use super::{
    authenticate_session::Member,
    guesses::{Counted, Guesses},
    new_session,
    revoke_tokens::revoke_all,
    sign_in::SignInError,
};
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::IdMint,
    password::{PasswordHash, TypedPassword},
    ports::{
        clock::Clock,
        password_hasher::{Compared, HashingError, PasswordHasher},
        randomness::Randomness,
        storage::{Storage, StorageError, retrying},
    },
    throttle::{GuessLimit, ThrottleKey},
};
use std::{fmt::Write as _, sync::Arc};

/// Another password, and what else ends with the old one.
pub(super) struct Change<'a> {
    pub hash: &'a PasswordHash,
    pub ends_others: bool,
    pub revokes_tokens: bool,
}

/// A password that was found to be right.
pub(super) struct Checked {
    hash: PasswordHash,
    guess: Counted,
}

pub struct Reauthenticate {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    hasher: Arc<dyn PasswordHasher>,
    guesses: Guesses,
}

impl Reauthenticate {
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
            self.once(member, &known.hash, None, place)
        })
        .await
        .map(|(signed_in, _)| signed_in)
    }

    /// As `run`, for a checked password, with a new one; also returns how many tokens were revoked.
    pub(super) async fn with_another(
        &self,
        member: &Member,
        known: &Checked,
        change: &Change<'_>,
        place: &Place,
    ) -> Result<(SignedIn, u64), SignInError> {
        retrying(self.storage.as_ref(), || {
            self.once(member, &known.hash, Some(change), place)
        })
        .await
    }

    /// Nothing comes of a password that was found to be right: it is no guess.
    pub(super) async fn give_back(&self, known: &Checked) -> Result<(), StorageError> {
        self.guesses.give_back(&known.guess).await
    }

    /// Counts a guess and looks whether the password is right.
    pub(super) async fn check(
        &self,
        member: &Member,
        password: &TypedPassword,
    ) -> Result<Checked, SignInError> {
        let key = ThrottleKey::of_session(member.session.id);
        let guess = self.guesses.count(&GuessLimit::alone(key)).await?;
        let mut read = self.storage.read().await?;
        let known = read.passwords().credentials(&member.user.email).await?;
        drop(read);
        let hash = known
            .filter(|it| it.user.id == member.user.id)
            .and_then(|it| it.password);
        let refused = || SignInError::Refused {
            whose: Some(member.account.id),
        };
        let Some(hash) = hash else {
            return Err(refused());
        };
        match self.hasher.compare(password, &hash).await {
            Err(HashingError::Busy) => {
                self.guesses.give_back(&guess).await?;
                Err(SignInError::Busy)
            }
            Err(error) => Err(error.into()),
            Ok(Compared::Wrong) => Err(refused()),
            Ok(Compared::Right { .. }) => Ok(Checked { hash, guess }),
        }
    }

    async fn once(
        &self,
        member: &Member,
        known: &PasswordHash,
        change: Option<&Change<'_>>,
        place: &Place,
    ) -> Result<(SignedIn, u64), SignInError> {
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
        let (mut told_others, mut revoked) = (String::new(), 0);
        if let Some(change) = change {
            work.passwords()
                .set(account, user, change.hash, now)
                .await?;
            if change.ends_others {
                let ended = work.sessions().end_all(account, user, None).await?;
                told_others = format!("; {ended} other sessions ended");
            }
            if change.revokes_tokens {
                let (mint, reason) = (&self.mint, "with the password");
                revoked =
                    revoke_all(work.as_mut(), mint, account, Actor::Owner, reason, now).await?;
                // Writing to a string cannot fail.
                let _ = write!(told_others, "; {revoked} tokens revoked");
            }
        }
        let action = change.map_or(AuditAction::SessionRenewed, |_| {
            AuditAction::PasswordChanged
        });
        let signed_in = new_session::begin(
            work.as_mut(),
            (self.randomness.as_ref(), &self.mint),
            (&member.account, &member.user),
            place,
            now,
        )
        .await?;
        let event = AuditEvent {
            detail: format!(
                "{}, in the place of session {}{told_others}",
                new_session::told(&signed_in.session),
                member.session.id
            ),
            ..AuditEvent::new(&self.mint, account, now, Actor::Owner, action)
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok((signed_in, revoked))
    }
}
