use super::events::add_of_token;
use super::sessions::{Member, still_signed_in};
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error};
use crate::account::{Account, AccountStatus};
use crate::audit::{Actor, AuditAction, AuditEvent, Author};
use crate::ids::{AccountId, TokenId};
use crate::mail::Message;
use crate::ports::storage::{StorageError, Transaction, run_with_retries};
use crate::rights::Right;
use crate::scope::Scopes;
use crate::text::Label;
use crate::token::{ApiToken, PlainToken, RevokeReason, TokenHash, TokenRefusal};
use crate::user::{User, present};
use analysis::events::EventKind;
use chrono::TimeDelta;
use thiserror::Error;

/// Maximum time that a rotated token is accepted beside the new one.
pub const MAX_GRACE: TimeDelta = TimeDelta::hours(24);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub account: Account,
    pub token: ApiToken,
    /// Whether to record this use, which is done off the request path.
    pub should_record_use: bool,
}

#[derive(Debug, Clone, Copy)]
pub enum TokenIssuer<'a> {
    /// The server's operator, on behalf of this user.
    Operator(&'a User),
    Owner(&'a Member),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    pub name: Label,
    pub scopes: Scopes,
    /// `None` is unlimited.
    pub lifetime: Option<TimeDelta>,
}

impl NewToken {
    pub const DEFAULT_LIFETIME: TimeDelta = TimeDelta::days(90);
    /// Maximum active tokens of an account.
    pub const MAX_PER_ACCOUNT: usize = 50;
}

#[derive(Debug, Error)]
pub enum AuthenticateError {
    /// Malformed, unknown, or of a disabled account.
    #[error("the token is not known")]
    Unknown,
    #[error(transparent)]
    Refused(#[from] TokenRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

#[derive(Debug, Error)]
pub enum IssueTokenError {
    #[error("a token needs at least one scope")]
    NoScopes,
    #[error("a token lasts {} days at the most on this server", .longest.num_days())]
    TooLong { longest: TimeDelta },
    #[error(
        "an account may have {} tokens that work; revoke one first",
        NewToken::MAX_PER_ACCOUNT
    )]
    TooMany,
    #[error("the session was ended")]
    SignedOut,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(IssueTokenError);

#[derive(Debug, Error)]
pub enum RotateTokenError {
    #[error("the account has no such token that works and was not rotated before")]
    NoSuchToken,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(RotateTokenError);

impl Core {
    /// Mistyped tokens are refused by checksum, without a query.
    pub async fn authenticate_agent(&self, bearer: &str) -> Result<Agent, AuthenticateError> {
        let token = PlainToken::parse(bearer).map_err(|_| AuthenticateError::Unknown)?;
        let mut read = self.storage.read().await?;
        let known = read.tokens().find_by_hash(token.hash()).await?;
        drop(read);
        let known = known.filter(|it| it.account.status == AccountStatus::Active);
        let known = known.ok_or(AuthenticateError::Unknown)?;

        let now = self.clock.now();
        let token = self.policies.tokens.applied(known.token);
        token.accept(now)?;
        let use_is_news = token.should_record_use(now);
        Ok(Agent {
            account: known.account,
            token,
            should_record_use: use_is_news,
        })
    }

    /// Called off the request path, if the use should be recorded.
    pub async fn note_token_use(
        &self,
        account: AccountId,
        token: TokenId,
    ) -> Result<(), StorageError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        work.tokens().note_use(account, token, now).await?;
        work.commit().await
    }

    /// Newest first.
    pub async fn tokens(&self, account: AccountId) -> Result<Vec<ApiToken>, StorageError> {
        let tokens = self.storage.read().await?.tokens().list(account).await?;
        let policy = &self.policies.tokens;
        Ok(tokens.into_iter().map(|it| policy.applied(it)).collect())
    }

    /// Only this response contains the plain token.
    pub async fn issue_token(
        &self,
        by: TokenIssuer<'_>,
        new: &NewToken,
    ) -> Result<(PlainToken, ApiToken), IssueTokenError> {
        let policy = &self.policies.tokens;
        if new.scopes.is_empty() {
            return Err(IssueTokenError::NoScopes);
        }
        if let Some(longest) = policy.longest
            && !policy.allows(new.lifetime)
        {
            return Err(IssueTokenError::TooLong { longest });
        }
        let prepare = || {
            (
                self.transaction_input(),
                PlainToken::generate(&*self.randomness),
            )
        };
        self.storage
            .transaction_with(prepare, |work, given| self.issued(work, given, by, new))
            .await
    }

    async fn issued(
        &self,
        mut work: Box<dyn Transaction>,
        (mut given, plain): (TransactionInput, PlainToken),
        by: TokenIssuer<'_>,
        new: &NewToken,
    ) -> Result<(PlainToken, ApiToken), IssueTokenError> {
        let now = given.now;
        let (by, owner): (Author, &User) = match by {
            TokenIssuer::Operator(owner) => (Actor::Operator.into(), owner),
            TokenIssuer::Owner(member) => {
                work.accounts().lock(member.account.id).await?;
                let now = work
                    .members()
                    .find(member.account.id, member.user.id)
                    .await?;
                let may_issue =
                    now.is_some_and(|it| !it.has_left() && it.role.holds(Right::TokensManage));
                if !may_issue || !still_signed_in(work.as_mut(), member).await? {
                    return Err(IssueTokenError::SignedOut);
                }
                ((&member.user).into(), &member.user)
            }
        };
        let tokens = work.tokens().list(owner.account).await?.into_iter();
        let policy = &self.policies.tokens;
        let working = tokens.filter(|it| policy.applied(it.clone()).accept(now).is_ok());
        if working.count() >= NewToken::MAX_PER_ACCOUNT {
            return Err(IssueTokenError::TooMany);
        }
        let token = ApiToken {
            account: owner.account,
            id: TokenId::take(&mut given.ids),
            name: new.name.clone(),
            scopes: new.scopes,
            last_four: plain.last_four().to_owned(),
            created_by: owner.id,
            created_at: now,
            expires_at: new.lifetime.map(|lifetime| now + lifetime),
            last_used_at: None,
            revoked_at: None,
            revoke_reason: None,
            rotated_from: None,
        };
        work.tokens().add(&token, plain.hash()).await?;
        let event = AuditEvent {
            token: Some(token.id),
            detail: format!(
                "{} with {}, ending with {}",
                token.name, token.scopes, token.last_four
            ),
            ..given.event(owner.account, by, AuditAction::TokenCreated)
        };
        work.audit().record(&event).await?;
        add_of_token(work.as_mut(), EventKind::TokenCreated, &token, now).await?;
        work.commit().await?;
        Ok((plain, token))
    }

    /// The new token has the old one's name, scopes and lifetime; the old one is accepted until the
    /// grace period ends. Only this response contains the plain token.
    pub async fn rotate_token(
        &self,
        account: AccountId,
        old: TokenId,
        grace: TimeDelta,
    ) -> Result<(PlainToken, ApiToken), RotateTokenError> {
        let prepare = || {
            (
                self.transaction_input(),
                PlainToken::generate(&*self.randomness),
            )
        };
        let rotate = |mut work: Box<dyn Transaction>, prepared: (TransactionInput, PlainToken)| async move {
            let (mut given, plain) = prepared;
            let now = given.now;
            let tokens = work.tokens().list(account).await?;
            let old = tokens
                .into_iter()
                .map(|it| self.policies.tokens.applied(it))
                .find(|it| it.id == old && it.accept(now).is_ok() && !it.is_superseded(now))
                .ok_or(RotateTokenError::NoSuchToken)?;
            let lifetime = old.expires_at.map(|end| end - old.created_at);
            let fresh = ApiToken {
                id: TokenId::take(&mut given.ids),
                last_four: plain.last_four().to_owned(),
                created_at: now,
                expires_at: lifetime.map(|lifetime| now + lifetime),
                last_used_at: None,
                rotated_from: Some(old.id),
                ..old.clone()
            };
            let grace = grace.clamp(TimeDelta::zero(), MAX_GRACE);
            let tokens = work.tokens();
            let (id, end) = (old.id, now + grace);
            if !tokens
                .revoke(account, id, end, RevokeReason::Rotated)
                .await?
            {
                return Err(RotateTokenError::NoSuchToken);
            }
            tokens.add(&fresh, plain.hash()).await?;
            let event = AuditEvent {
                token: Some(fresh.id),
                detail: format!(
                    "takes the place of {}, which is accepted for {} s more",
                    old.id,
                    grace.num_seconds()
                ),
                ..given.event(account, Actor::Operator, AuditAction::TokenRotated)
            };
            work.audit().record(&event).await?;
            add_of_token(work.as_mut(), EventKind::TokenCreated, &fresh, now).await?;
            work.commit().await?;
            Ok((plain, fresh))
        };
        self.storage.transaction_with(prepare, rotate).await
    }

    /// Ends the token from its next use on; `false` if there is no token to end.
    pub async fn revoke_token(
        &self,
        by: impl Into<Author>,
        account: AccountId,
        token: TokenId,
    ) -> Result<bool, StorageError> {
        let by = &by.into();
        let revoke = |mut work: Box<dyn Transaction>, mut given: TransactionInput| async move {
            let tokens = work.tokens();
            let was_ended = tokens
                .revoke(account, token, given.now, RevokeReason::Owner)
                .await?;
            if was_ended {
                let event = AuditEvent {
                    token: Some(token),
                    ..given.event(account, by.clone(), AuditAction::TokenRevoked)
                };
                work.audit().record(&event).await?;
            }
            work.commit().await?;
            Ok(was_ended)
        };
        self.transaction_with_ids(revoke).await
    }

    /// Holding a token's text is enough to revoke it, because the holder could do worse. Does not
    /// reveal whether the token existed.
    pub async fn report_leak(&self, text: &str) -> Result<(), StorageError> {
        let Ok(token) = PlainToken::parse(text) else {
            return Ok(());
        };
        run_with_retries(self.storage.as_ref(), || self.end_leaked(token.hash())).await
    }

    async fn end_leaked(&self, hash: TokenHash) -> Result<(), StorageError> {
        let mut read = self.storage.read().await?;
        let known = read.tokens().find_by_hash(hash).await?;
        drop(read);
        let Some(known) = known else {
            return Ok(());
        };
        let (account, token) = (known.token.account, known.token.id);
        let mut given = self.transaction_input();
        let mut work = self.storage.write().await?;
        let was_ended = work
            .tokens()
            .revoke(account, token, given.now, RevokeReason::Leaked)
            .await?;
        if was_ended {
            let event = AuditEvent {
                token: Some(token),
                detail: format!(
                    "{}, ending with {}",
                    known.token.name, known.token.last_four
                ),
                ..given.event(account, Actor::Finder, AuditAction::TokenLeaked)
            };
            work.audit().record(&event).await?;
            let leaked = EventKind::TokenLeaked;
            add_of_token(work.as_mut(), leaked, &known.token, given.now).await?;
            queue_leak(work.as_mut(), &mut given, &known.account, &known.token).await?;
        }
        work.commit().await
    }
}

/// A message to those who manage tokens.
async fn queue_leak(
    work: &mut dyn Transaction,
    given: &mut TransactionInput,
    account: &Account,
    token: &ApiToken,
) -> Result<(), StorageError> {
    if !given.sends_mail {
        return Ok(());
    }
    let members = work.members().list(account.id).await?;
    for member in present(&members).filter(|it| it.role.holds(Right::TokensManage)) {
        let message = Message::TokenLeaked {
            account: account.name.to_string(),
            token: format!("{}, ending with {}", token.name, token.last_four),
            at: given.now,
        };
        let notice = given.delivery(account.id, &member.email, message);
        given.queue(work, notice).await?;
    }
    Ok(())
}

/// Revokes all tokens of an account, in the caller's transaction. Returns how many; each gets an
/// audit event with the reason.
pub(super) async fn revoke_all_tokens(
    work: &mut dyn Transaction,
    account: AccountId,
    by: impl Into<Author>,
    reason: &str,
    given: &mut TransactionInput,
) -> Result<u64, StorageError> {
    let by = by.into();
    let tokens = work.tokens();
    let ended = tokens
        .revoke_all(account, given.now, RevokeReason::Owner)
        .await?;
    let event = |token| AuditEvent {
        token: Some(token),
        detail: reason.to_owned(),
        ..given.event(account, by.clone(), AuditAction::TokenRevoked)
    };
    let events: Vec<AuditEvent> = ended.into_iter().map(event).collect();
    if !events.is_empty() {
        work.audit().record_all(&events).await?;
    }
    Ok(events.len() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ports::{clock::Clock, tokens::KnownToken},
        test_support::{CountingRandomness, FakeStorage, FrozenClock, a_token, an_account, core},
    };
    use std::sync::Arc;

    async fn authenticated(storage: FakeStorage, bearer: &str) -> Result<Agent, AuthenticateError> {
        core(Arc::new(storage)).authenticate_agent(bearer).await
    }

    fn knowing(account: Account, token: ApiToken) -> FakeStorage {
        let storage = FakeStorage::default();
        let known = KnownToken { token, account };
        storage.expect(|read| {
            read.tokens
                .expect_find_by_hash()
                .once()
                .return_once(|_| Ok(Some(known)));
        });
        storage
    }

    fn plain() -> PlainToken {
        PlainToken::generate(&CountingRandomness::default())
    }

    #[tokio::test]
    async fn a_mistyped_token_is_not_looked_up() {
        let outcome = authenticated(FakeStorage::default(), "sightline_agt_nonsense").await;
        assert!(matches!(outcome, Err(AuthenticateError::Unknown)));
    }

    #[tokio::test]
    async fn a_good_token_opens_its_account() {
        let agent = authenticated(knowing(an_account(), a_token()), plain().reveal())
            .await
            .unwrap();
        assert_eq!(
            (agent.account, agent.should_record_use),
            (an_account(), true)
        );
    }

    #[tokio::test]
    async fn a_revoked_token_is_refused_as_revoked() {
        let revoked = ApiToken {
            revoked_at: Some(FrozenClock::default().now()),
            ..a_token()
        };
        let outcome = authenticated(knowing(an_account(), revoked), plain().reveal()).await;
        assert!(matches!(
            outcome,
            Err(AuthenticateError::Refused(TokenRefusal::Revoked))
        ));
    }

    #[tokio::test]
    async fn a_disabled_accounts_token_opens_nothing() {
        let disabled = Account {
            status: AccountStatus::Disabled,
            ..an_account()
        };
        let outcome = authenticated(knowing(disabled, a_token()), plain().reveal()).await;
        assert!(matches!(outcome, Err(AuthenticateError::Unknown)));
    }
}
