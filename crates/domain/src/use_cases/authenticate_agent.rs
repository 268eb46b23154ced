use crate::{
    account::{Account, AccountStatus},
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
    token::{ApiToken, PlainToken, TokenPolicy, TokenRefusal},
};
use std::sync::Arc;
use thiserror::Error;

pub struct AuthenticateAgent {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    policy: TokenPolicy,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    pub account: Account,
    pub token: ApiToken,
    /// Whether this use is worth noting, which is done off the request's path.
    pub use_is_news: bool,
}

#[derive(Debug, Error)]
pub enum AuthenticateError {
    /// Malformed, unknown, or of an account that was switched off.
    #[error("the token is not known")]
    Unknown,
    #[error(transparent)]
    Refused(#[from] TokenRefusal),
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl AuthenticateAgent {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>) -> Self {
        Self {
            storage,
            clock,
            policy: TokenPolicy::default(),
        }
    }

    #[must_use]
    pub fn under(self, policy: TokenPolicy) -> Self {
        Self { policy, ..self }
    }

    /// A mistyped token is refused by its checksum, without asking the storage.
    pub async fn run(&self, bearer: &str) -> Result<Agent, AuthenticateError> {
        let token = PlainToken::parse(bearer).map_err(|_| AuthenticateError::Unknown)?;
        let known = self
            .storage
            .read()
            .await?
            .tokens()
            .find_by_hash(token.hash())
            .await?;
        let known = known.filter(|it| it.account.status == AccountStatus::Active);
        let known = known.ok_or(AuthenticateError::Unknown)?;

        let now = self.clock.now();
        let token = self.policy.applied(known.token);
        token.accept(now)?;
        let use_is_news = token.use_is_news(now);
        Ok(Agent {
            account: known.account,
            token,
            use_is_news,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        ports::tokens::KnownToken,
        test_support::{CountingRandomness, FakeStorage, FrozenClock, a_token, an_account},
    };

    fn authenticate(storage: FakeStorage) -> AuthenticateAgent {
        AuthenticateAgent::new(Arc::new(storage), Arc::new(FrozenClock::default()))
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
    async fn a_mistyped_token_costs_no_look_up() {
        let outcome = authenticate(FakeStorage::default())
            .run("sightline_agt_nonsense")
            .await;
        assert!(matches!(outcome, Err(AuthenticateError::Unknown)));
    }

    #[tokio::test]
    async fn a_good_token_opens_its_account() {
        let agent = authenticate(knowing(an_account(), a_token()))
            .run(plain().reveal())
            .await
            .unwrap();
        assert_eq!((agent.account, agent.use_is_news), (an_account(), true));
    }

    #[tokio::test]
    async fn a_revoked_token_is_told_apart_only_because_it_is_known() {
        let revoked = ApiToken {
            revoked_at: Some(FrozenClock::default().now()),
            ..a_token()
        };
        let outcome = authenticate(knowing(an_account(), revoked))
            .run(plain().reveal())
            .await;
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
        let outcome = authenticate(knowing(disabled, a_token()))
            .run(plain().reveal())
            .await;
        assert!(matches!(outcome, Err(AuthenticateError::Unknown)));
    }
}
