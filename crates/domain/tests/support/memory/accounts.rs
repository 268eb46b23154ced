//! Accounts, passwords and tokens.

use super::state::{PasswordRow, add};
use super::{Session, Stored};
use crate::account::{Account, AccountStatus, AccountUsage};
use crate::email::EmailAddress;
use crate::ids::{AccountId, TokenId, UserId};
use crate::password::{HashCost, PasswordHash};
use crate::ports::accounts::AccountRepository;
use crate::ports::passwords::{Credentials, PasswordRepository};
use crate::ports::tokens::{KnownToken, TokenRepository};
use crate::token::{ApiToken, RevokeReason, TokenHash};
use crate::user::User;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

#[async_trait]
impl AccountRepository for Session {
    async fn add(&mut self, account: &Account, owner: &User) -> Stored<()> {
        self.change(|state| {
            add(&mut state.accounts, account.id, account.clone())?;
            state.check_free(&owner.email, owner)?;
            add(&mut state.users, (owner.account, owner.id), owner.clone())
        })
    }

    async fn find(&mut self, account: AccountId) -> Stored<Option<Account>> {
        self.query(|state| state.accounts.get(&account).cloned())
    }

    async fn lock(&mut self, account: AccountId) -> Stored<Option<Account>> {
        self.change(|state| Ok(state.accounts.get(&account).cloned()))
    }

    async fn any(&mut self) -> Stored<bool> {
        self.query(|state| !state.users.is_empty())
    }

    async fn save(&mut self, account: &Account) -> Stored<()> {
        self.change(|state| {
            if let Some(known) = state.accounts.get_mut(&account.id) {
                *known = Account {
                    usage: known.usage,
                    created_at: known.created_at,
                    ..account.clone()
                };
            }
            Ok(())
        })
    }

    async fn save_usage(&mut self, account: AccountId, usage: AccountUsage) -> Stored<()> {
        self.change(|state| {
            if let Some(known) = state.accounts.get_mut(&account) {
                known.usage = usage;
            }
            Ok(())
        })
    }

    async fn count_without_budget(&mut self) -> Stored<u64> {
        self.query(|state| {
            let unbounded = state.accounts.values().filter(|it| {
                it.status == AccountStatus::Active
                    && it.limits.monthly_budget.is_none()
                    && it.limits.daily_budget.is_none()
            });
            unbounded.count() as u64
        })
    }

    async fn list(&mut self) -> Stored<Vec<(Account, Vec<User>)>> {
        self.query(|state| {
            let mut accounts: Vec<&Account> = state.accounts.values().collect();
            accounts.sort_by_key(|it| (it.created_at, it.id));
            let with_members = |it: &Account| (it.clone(), state.members(it.id));
            accounts.into_iter().map(with_members).collect()
        })
    }
}

#[async_trait]
impl PasswordRepository for Session {
    async fn credentials(&mut self, email: &EmailAddress) -> Stored<Option<Credentials>> {
        self.query(|state| {
            let user = state.user_of(email)?.clone();
            let password = state.passwords.get(&(user.account, user.id));
            Some(Credentials {
                account: state.accounts.get(&user.account)?.clone(),
                password: password.map(|it| it.hash.clone()),
                user,
            })
        })
    }

    async fn devices_valid_from(
        &mut self,
        account: AccountId,
        user: UserId,
    ) -> Stored<Option<DateTime<Utc>>> {
        self.query(|state| {
            let password = state.passwords.get(&(account, user))?;
            password.devices_from.max(Some(password.changed_at))
        })
    }

    async fn revoke_devices(
        &mut self,
        account: AccountId,
        user: UserId,
        before: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            if let Some(password) = state.passwords.get_mut(&(account, user)) {
                password.devices_from = Some(before);
            }
            Ok(())
        })
    }

    async fn costs(&mut self, limit: u32) -> Stored<Vec<HashCost>> {
        self.query(|state| {
            let hashes = state.passwords.values().take(limit as usize);
            hashes.filter_map(|it| HashCost::of(&it.hash)).collect()
        })
    }

    async fn lock(&mut self, account: AccountId, user: UserId) -> Stored<Option<PasswordHash>> {
        self.change(|state| {
            let password = state.passwords.get(&(account, user));
            Ok(password.map(|it| it.hash.clone()))
        })
    }

    async fn set(&mut self, user: &User, hash: &PasswordHash, at: DateTime<Utc>) -> Stored<()> {
        let key = (user.account, user.id);
        self.change(|state| {
            let known = state.passwords.get(&key);
            let password = PasswordRow {
                hash: hash.clone(),
                changed_at: at,
                devices_from: known.and_then(|it| it.devices_from),
            };
            state.passwords.insert(key, password);
            Ok(())
        })
    }
}

#[async_trait]
impl TokenRepository for Session {
    async fn add(&mut self, token: &ApiToken, hash: TokenHash) -> Stored<()> {
        let key = (token.account, token.id);
        self.change(|state| add(&mut state.tokens, key, (token.clone(), hash)))
    }

    async fn find_by_hash(&mut self, hash: TokenHash) -> Stored<Option<KnownToken>> {
        self.query(|state| {
            let (token, _) = state.tokens.values().find(|it| it.1 == hash)?;
            Some(KnownToken {
                token: token.clone(),
                account: state.accounts.get(&token.account)?.clone(),
            })
        })
    }

    async fn list(&mut self, account: AccountId) -> Stored<Vec<ApiToken>> {
        self.query(|state| {
            let tokens = state.tokens.values().map(|it| &it.0);
            let own = tokens.filter(|it| it.account == account);
            let mut own: Vec<ApiToken> = own.cloned().collect();
            own.sort_by_key(|it| std::cmp::Reverse((it.created_at, it.id)));
            own
        })
    }

    async fn revoke(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Stored<bool> {
        self.change(|state| {
            let found = state.tokens.get_mut(&(account, token));
            Ok(found.is_some_and(|(token, _)| end(token, at, reason)))
        })
    }

    async fn revoke_all(
        &mut self,
        account: AccountId,
        at: DateTime<Utc>,
        reason: RevokeReason,
    ) -> Stored<Vec<TokenId>> {
        self.change(|state| {
            let tokens = state.tokens.values_mut().map(|it| &mut it.0);
            let own = tokens.filter(|it| it.account == account);
            let ended = own.filter_map(|it| end(it, at, reason).then_some(it.id));
            Ok(ended.collect())
        })
    }

    async fn note_use(
        &mut self,
        account: AccountId,
        token: TokenId,
        at: DateTime<Utc>,
    ) -> Stored<()> {
        self.change(|state| {
            if let Some((token, _)) = state.tokens.get_mut(&(account, token)) {
                token.last_used_at = token.last_used_at.max(Some(at));
            }
            Ok(())
        })
    }
}

/// Ends a token that would end later or never.
fn end(token: &mut ApiToken, at: DateTime<Utc>, reason: RevokeReason) -> bool {
    let ends = [token.revoked_at, token.expires_at].into_iter().flatten();
    let is_later = ends.min().is_none_or(|it| it > at);
    if is_later {
        (token.revoked_at, token.revoke_reason) = (Some(at), Some(reason));
    }
    is_later
}
