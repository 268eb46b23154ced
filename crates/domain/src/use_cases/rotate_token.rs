use super::may_be_storage;
use crate::{
    audit::{Actor, AuditAction, AuditEvent},
    ids::{AccountId, IdMint, TokenId},
    ports::{
        clock::Clock,
        randomness::Randomness,
        storage::{Storage, StorageError, retrying},
    },
    token::{ApiToken, PlainToken, RevokeReason, TokenPolicy},
};
use chrono::TimeDelta;
use std::sync::Arc;
use thiserror::Error;

pub struct RotateToken {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    randomness: Arc<dyn Randomness>,
    mint: Arc<IdMint>,
    policy: TokenPolicy,
}

#[derive(Debug, Error)]
pub enum RotateTokenError {
    #[error("the account has no such token that works and was not rotated before")]
    NoSuchToken,
    #[error(transparent)]
    Storage(#[from] StorageError),
}
may_be_storage!(RotateTokenError);

impl RotateToken {
    /// How long the old token may be accepted beside the new one.
    pub const LONGEST_GRACE: TimeDelta = TimeDelta::hours(24);

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

    /// The new token has the old one's name, scopes and lifetime; the old one is accepted until
    /// the grace is over. The plain token is in this one answer only.
    pub async fn run(
        &self,
        account: AccountId,
        old: TokenId,
        grace: TimeDelta,
    ) -> Result<(PlainToken, ApiToken), RotateTokenError> {
        retrying(self.storage.as_ref(), || self.once(account, old, grace)).await
    }

    async fn once(
        &self,
        account: AccountId,
        old: TokenId,
        grace: TimeDelta,
    ) -> Result<(PlainToken, ApiToken), RotateTokenError> {
        let now = self.clock.now();
        let mut work = self.storage.write().await?;
        let tokens = work.tokens().list(account).await?;
        let old = tokens
            .into_iter()
            .map(|it| self.policy.applied(it))
            .find(|it| it.id == old && it.accept(now).is_ok() && !it.is_superseded(now))
            .ok_or(RotateTokenError::NoSuchToken)?;
        let plain = PlainToken::generate(self.randomness.as_ref());
        let lifetime = old.expires_at.map(|end| end - old.created_at);
        let fresh = ApiToken {
            id: TokenId::mint(&self.mint),
            last_four: plain.last_four().to_owned(),
            created_at: now,
            expires_at: lifetime.map(|lifetime| now + lifetime),
            last_used_at: None,
            rotated_from: Some(old.id),
            ..old.clone()
        };
        let grace = grace.clamp(TimeDelta::zero(), Self::LONGEST_GRACE);
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
            ..AuditEvent::new(
                &self.mint,
                account,
                now,
                Actor::Operator,
                AuditAction::TokenRotated,
            )
        };
        work.audit().record(&event).await?;
        work.commit().await?;
        Ok((plain, fresh))
    }
}
