//! Passwords of signed-in users, and those set by the operator.

use super::guesses::CountedGuess;
use super::person_links::{end_pending, queue_password_notice};
use super::sessions::{
    ClientInfo, EndedAccess, Member, Seat, SessionSecrets, SignedIn, begin_session,
};
use super::sign_in::SignInError;
use super::tokens::revoke_all_tokens;
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error, sessions};
use crate::audit::{Actor, AuditAction, AuditEvent};
use crate::password::{PasswordHash, PasswordRefusal, TypedPassword};
use crate::ports::password_hasher::{HashingError, PasswordHasher, Verification};
use crate::ports::storage::{StorageError, Transaction};
use crate::throttle::{GuessLimit, ThrottleKey};
use crate::user::User;
use std::fmt::Write as _;
use thiserror::Error;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword {
    pub current: TypedPassword,
    pub new: String,
    /// Whether the user's other sessions end.
    pub ends_others: bool,
    /// Whether the account's tokens are revoked.
    pub revokes_tokens: bool,
}

#[derive(Debug, Error)]
pub enum ChangePasswordError {
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    /// The current password is wrong, or cannot be checked now.
    #[error(transparent)]
    NotChecked(#[from] SignInError),
}

#[derive(Debug, Error)]
pub enum SetPasswordError {
    #[error("the password {0}")]
    Unfit(#[from] PasswordRefusal),
    #[error(transparent)]
    Hashing(#[from] HashingError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(SetPasswordError);

/// A new password and what it invalidates.
struct PasswordUpdate<'a> {
    hash: &'a PasswordHash,
    ends_others: bool,
    revokes_tokens: bool,
}

/// A password that was verified.
struct Checked {
    hash: PasswordHash,
    guess: CountedGuess,
}

impl Core {
    /// Asks a signed-in user for the password again, before sensitive changes. The session continues
    /// under a new id, and the old id ends in the same transaction. A wrong password changes nothing.
    pub async fn reauthenticate(
        &self,
        hasher: &dyn PasswordHasher,
        member: &Member,
        password: &TypedPassword,
        place: &ClientInfo,
    ) -> Result<SignedIn, SignInError> {
        let known = self.check_password(hasher, member, password).await?;
        let (signed_in, _) = self.renew_session(member, &known, None, place).await?;
        Ok(signed_in)
    }

    /// Returns the session under its new id, and the number of revoked tokens.
    pub async fn change_password(
        &self,
        hasher: &dyn PasswordHasher,
        member: &Member,
        wish: &NewPassword,
        place: &ClientInfo,
    ) -> Result<(SignedIn, u64), ChangePasswordError> {
        let known = [
            member.user.email.as_str(),
            member.user.name.as_str(),
            member.account.name.as_str(),
        ]
        .map(str::to_owned);
        // Only after the current one is verified, because estimating and hashing the new one is expensive.
        let current = self.check_password(hasher, member, &wish.current).await?;
        let new_hash = hasher.hash_new(&wish.new, &known).await;
        let reason = match new_hash.map_err(SignInError::from) {
            Ok(Ok(hash)) => {
                let change = PasswordUpdate {
                    hash: &hash,
                    ends_others: wish.ends_others,
                    revokes_tokens: wish.revokes_tokens,
                };
                let changed = self.renew_session(member, &current, Some(&change), place);
                return Ok(changed.await?);
            }
            Ok(Err(refusal)) => refusal.into(),
            Err(error) => error.into(),
        };
        // The current password was right, so it is not counted as a guess.
        let given_back = self.give_back_guess(&current.guess).await;
        given_back.map_err(SignInError::from)?;
        Err(reason)
    }

    /// For the operator: accounts created by command, and owners who forgot their password. Ends
    /// all sessions of the user, and revokes the account's tokens if requested. Resets the guess
    /// counters, so that the owner can sign in at once.
    pub async fn set_password(
        &self,
        hasher: &dyn PasswordHasher,
        user: &User,
        password: &str,
        revokes_tokens: bool,
    ) -> Result<EndedAccess, SetPasswordError> {
        let known = [user.email.as_str(), user.name.as_str()].map(str::to_owned);
        let hash = &hasher.hash_new(password, &known).await??;
        let (account, by) = (user.account, Actor::Operator);
        let set = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            work.passwords().set(user, hash, given.now).await?;
            let key = ThrottleKey::of_email(&user.email);
            work.throttles().reset(key).await?;
            let sessions = work.sessions().end_all(account, user.id, None).await?;
            let (mut tokens, mut details) = (0, String::new());
            if revokes_tokens {
                let reason = "with the password";
                tokens = revoke_all_tokens(work.as_mut(), account, by, reason, &mut given).await?;
                details = format!("; {tokens} tokens revoked");
            }
            end_pending(work.as_mut(), user, given.now).await?;
            queue_password_notice(work.as_mut(), &mut given, user, None).await?;
            let event = AuditEvent {
                detail: format!("of {}; {sessions} sessions ended{details}", user.email),
                ..given.event(account, by, AuditAction::PasswordChanged)
            };
            work.audit().record(&event).await?;
            work.commit().await?;
            Ok(EndedAccess { sessions, tokens })
        };
        self.transaction_with_ids(set).await
    }

    /// Counts a guess and verifies the password.
    async fn check_password(
        &self,
        hasher: &dyn PasswordHasher,
        member: &Member,
        password: &TypedPassword,
    ) -> Result<Checked, SignInError> {
        let key = ThrottleKey::of_session(member.session.id);
        let guess = self.count_guess(&GuessLimit::single(key)).await?;
        let mut read = self.storage.read().await?;
        // The address in other accounts is a copy.
        let at_home = read.members();
        let at_home = at_home.find(member.session.home, member.user.id).await?;
        let known = match at_home {
            Some(person) => read.passwords().credentials(&person.email).await?,
            None => None,
        };
        drop(read);
        let hash = known
            .filter(|it| it.user.id == member.user.id)
            .and_then(|it| it.password);
        let refused = || refused_member(member);
        let Some(hash) = hash else {
            return Err(refused());
        };
        match hasher.verify(password, &hash).await {
            Err(HashingError::Busy) => {
                self.give_back_guess(&guess).await?;
                Err(SignInError::Busy)
            }
            Err(error) => Err(error.into()),
            Ok(Verification::Wrong) => Err(refused()),
            Ok(Verification::Right { .. }) => Ok(Checked { hash, guess }),
        }
    }

    async fn renew_session(
        &self,
        member: &Member,
        known: &Checked,
        change: Option<&PasswordUpdate<'_>>,
        place: &ClientInfo,
    ) -> Result<(SignedIn, u64), SignInError> {
        self.storage
            .transaction_with(
                || self.input_with_secrets(),
                |work, given| renewed(work, given, member, known, change, place),
            )
            .await
    }
}

fn refused_member(member: &Member) -> SignInError {
    SignInError::Refused {
        person: Some((member.session.home, member.user.id)),
    }
}

async fn renewed(
    mut work: Box<dyn Transaction>,
    (mut given, secrets): (TransactionInput, SessionSecrets),
    member: &Member,
    known: &Checked,
    change: Option<&PasswordUpdate<'_>>,
    place: &ClientInfo,
) -> Result<(SignedIn, u64), SignInError> {
    let (home, user) = (member.session.home, member.user.id);
    let refused = || refused_member(member);
    if work.passwords().lock(home, user).await?.as_ref() != Some(&known.hash) {
        return Err(refused());
    }
    work.throttles()
        .reset(ThrottleKey::of_session(member.session.id))
        .await?;
    let before = [member.session.id];
    // A session ended meanwhile must not be revived.
    if work.sessions().end(home, user, &before).await? == 0 {
        return Err(refused());
    }
    let (mut details, mut revoked) = (String::new(), 0);
    if let Some(change) = change {
        let at_home = work.members().find(home, user).await?;
        let at_home = at_home.ok_or_else(refused)?;
        { work.passwords() }
            .set(&at_home, change.hash, given.now)
            .await?;
        end_pending(work.as_mut(), &at_home, given.now).await?;
        let from = Some(place.network);
        queue_password_notice(work.as_mut(), &mut given, &at_home, from).await?;
        if change.ends_others {
            let ended = work.sessions().end_all(home, user, None).await?;
            details = format!("; {ended} other sessions ended");
        }
        if change.revokes_tokens {
            let (account, by) = (member.account.id, &member.user);
            let reason = "with the password";
            revoked = revoke_all_tokens(work.as_mut(), account, by, reason, &mut given).await?;
            // Writing to a string cannot fail.
            let _ = write!(details, "; {revoked} tokens revoked");
        }
    }
    let action = change.map_or(AuditAction::SessionRenewed, |_| {
        AuditAction::PasswordChanged
    });
    let seat = Seat {
        home,
        account: &member.account,
        user: &member.user,
    };
    let signed_in = begin_session(work.as_mut(), seat, place, &mut given, secrets).await?;
    let event = AuditEvent {
        detail: format!(
            "{}, in the place of session {}{details}",
            sessions::describe_session(&signed_in.session),
            member.session.id
        ),
        ..given.event(home, &member.user, action)
    };
    work.audit().record(&event).await?;
    work.commit().await?;
    Ok((signed_in, revoked))
}
