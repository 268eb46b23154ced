use super::{
    authenticate_session::{Member, still_signed_in},
    may_be_storage,
};
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{IdMint, TokenId},
    ports::{
        clock::Clock,
        randomness::Randomness,
        storage::{Storage, StorageError, retrying},
    },
    scope::Scopes,
    text::Label,
    token::{ApiToken, PlainToken, TokenPolicy},
    user::User,
};
use chrono::TimeDelta;
use std::sync::Arc;
use thiserror::Error;

pub struct IssueToken {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    policy: TokenPolicy,
}

#[derive(Debug, Clone, Copy)]
pub enum Asker<'a> {
    /// Whoever runs the server, for this person.
    Operator(&'a User),
    Owner(&'a Member),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    pub name: Label,
    pub scopes: Scopes,
    /// How long it lives; `None` is for ever.
    pub lifetime: Option<TimeDelta>,
}

impl NewToken {
    pub const DEFAULT_LIFETIME: TimeDelta = TimeDelta::days(90);
    /// How many tokens that are neither revoked nor expired an account may have.
    pub const MOST_PER_ACCOUNT: usize = 50;
}

#[derive(Debug, Error)]
pub enum IssueTokenError {
    #[error("a token needs at least one scope")]
    NoScopes,
    #[error("a token lasts {} days at the most on this server", .longest.num_days())]
    TooLong { longest: TimeDelta },
    #[error(
        "an account may have {} tokens that work; revoke one first",
        NewToken::MOST_PER_ACCOUNT
    )]
    TooMany,
    #[error("the session was ended")]
    SignedOut,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(IssueTokenError);

impl IssueToken {
    pub fn new(
        storage: Arc<dyn Storage>,
        clock: Arc<dyn Clock>,
        randomness: Arc<dyn Randomness>,
        mint: Arc<IdMint>,
    ) -> Self {
        Self {
            storage,
            clock,
            randomness,
            mint,
            policy: TokenPolicy::default(),
        }
    }

    #[must_use]
    pub fn under(self, policy: TokenPolicy) -> Self {
        Self { policy, ..self }
    }

    /// The plain token is in this one answer only.
    pub async fn run(
        &self,
        by: Asker<'_>,
        new: &NewToken,
    ) -> Result<(PlainToken, ApiToken), IssueTokenError> {
        if new.scopes.is_empty() {
            return Err(IssueTokenError::NoScopes);
        }
        if let Some(longest) = self.policy.longest
            && !self.policy.allows(new.lifetime)
        {
            return Err(IssueTokenError::TooLong { longest });
        }
        retrying(self.storage.as_ref(), || self.once(by, new)).await
    }

    async fn once(
        &self,
        by: Asker<'_>,
        new: &NewToken,
    ) -> Result<(PlainToken, ApiToken), IssueTokenError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        let (actor, owner) = match by {
            Asker::Operator(owner) => (Actor::Operator, owner),
            Asker::Owner(member) => {
                if !still_signed_in(work.as_mut(), member).await? {
                    return Err(IssueTokenError::SignedOut);
                }
                (Actor::Owner, &member.user)
            }
        };
        let working = work
            .tokens()
            .list(owner.account)
            .await?
            .into_iter()
            .filter(|it| self.policy.applied(it.clone()).accept(now).is_ok());
        if working.count() >= NewToken::MOST_PER_ACCOUNT {
            return Err(IssueTokenError::TooMany);
        }
        let plain = PlainToken::generate(self.randomness.as_ref());
        let token = ApiToken {
            account: owner.account,
            id: TokenId::mint(&self.mint),
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
            ..AuditEvent::new(
                &self.mint,
                owner.account,
                now,
                actor,
                AuditAction::TokenCreated,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok((plain, token))
    }
}
