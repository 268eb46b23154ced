//! First run: creates the owner's account while no account exists.

use super::sessions::{ClientInfo, Seat, SessionSecrets, SignedIn, begin_session};
use super::transaction_input::TransactionInput;
use super::{Core, impl_as_storage_error, sessions};
use crate::account::{Account, AccountStatus, AccountUsage};
use crate::audit::{AuditAction, AuditEvent};
use crate::email::EmailAddress;
use crate::ids::{AccountId, UserId};
use crate::password::{PasswordHash, PasswordRefusal};
use crate::ports::password_hasher::{HashingError, PasswordHasher};
use crate::ports::storage::{StorageError, Transaction};
use crate::report_settings::EffectiveReportSettings;
use crate::secret_text::hex;
use crate::text::Label;
use crate::user::User;
use std::fmt;
use subtle::ConstantTimeEq;
use thiserror::Error;

/// Key under which the first-run code is stored.
const CODE: &str = "welcome-code";
/// Key under which the first owner's mark is stored.
const FIRST: &str = "welcomed";

/// Shown to the operator and required to create the first account: strangers who reach a new server
/// first must not take it over.
#[derive(Clone, PartialEq, Eq)]
pub struct WelcomeCode(String);

impl WelcomeCode {
    fn of(secret: [u8; 32]) -> Self {
        Self(hex(&secret[..16]))
    }

    /// For the server's own terminal.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for WelcomeCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("WelcomeCode(…)")
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewOwner {
    pub code: String,
    pub email: EmailAddress,
    /// Name of the user and of the account.
    pub name: Label,
    pub password: String,
}

#[derive(Debug, Error)]
pub enum WelcomeError {
    #[error("the first account was created already")]
    Over,
    #[error("the code is not the one that the server shows when it starts")]
    WrongCode,
    #[error(transparent)]
    Unfit(#[from] PasswordRefusal),
    #[error(transparent)]
    Hashing(#[from] HashingError),
    #[error(transparent)]
    Storage(#[from] StorageError),
}
impl_as_storage_error!(WelcomeError);

impl Core {
    pub async fn awaits_owner(&self) -> Result<bool, StorageError> {
        Ok(!self.storage.read().await?.accounts().any().await?)
    }

    /// The same for every server on this storage; `None` if an account exists.
    pub async fn welcome_code(&self) -> Result<Option<WelcomeCode>, StorageError> {
        if !self.awaits_owner().await? {
            return Ok(None);
        }
        let fresh = self.fresh_secret();
        let keep = |mut work: Box<dyn Transaction>| async move {
            let secret = work.secrets().find_or_add(CODE, fresh).await?;
            work.commit().await?;
            Ok(Some(WelcomeCode::of(secret)))
        };
        self.storage.transaction(keep).await
    }

    /// Returns the owner, signed in. Of concurrent requests only one succeeds.
    pub async fn welcome_owner(
        &self,
        hasher: &dyn PasswordHasher,
        new: &NewOwner,
        client: &ClientInfo,
    ) -> Result<SignedIn, WelcomeError> {
        let code = self.welcome_code().await?.ok_or(WelcomeError::Over)?;
        if !bool::from(code.0.as_bytes().ct_eq(new.code.trim().as_bytes())) {
            return Err(WelcomeError::WrongCode);
        }
        let known = [new.email.as_str(), new.name.as_str()].map(str::to_owned);
        let hash = hasher.hash_new(&new.password, &known).await??;
        let mark = self.fresh_secret();
        self.storage
            .transaction_with(
                || self.input_with_secrets(),
                |work, given| self.welcomed(work, given, new, &hash, mark, client),
            )
            .await
    }

    pub(super) fn fresh_secret(&self) -> [u8; 32] {
        let mut fresh = [0; 32];
        self.randomness.fill(&mut fresh);
        fresh
    }

    async fn welcomed(
        &self,
        mut work: Box<dyn Transaction>,
        (mut given, secrets): (TransactionInput, SessionSecrets),
        new: &NewOwner,
        hash: &PasswordHash,
        mark: [u8; 32],
        client: &ClientInfo,
    ) -> Result<SignedIn, WelcomeError> {
        // The first stored mark wins; concurrent requests wait here for its commit.
        if work.secrets().find_or_add(FIRST, mark).await? != mark || work.accounts().any().await? {
            return Err(WelcomeError::Over);
        }
        let account = Account {
            id: AccountId::take(&mut given.ids),
            name: new.name.clone(),
            status: AccountStatus::Active,
            limits: self.policies.new_accounts,
            usage: AccountUsage::default(),
            report_defaults: EffectiveReportSettings::default(),
            audit_days: None,
            created_at: given.now,
        };
        let id = UserId::take(&mut given.ids);
        let person = (new.email.clone(), new.name.clone());
        let user = User::owner(account.id, id, person, given.now);
        work.accounts().add(&account, &user).await?;
        work.passwords().set(&user, hash, given.now).await?;
        let seat = Seat {
            home: account.id,
            account: &account,
            user: &user,
        };
        let signed_in = begin_session(work.as_mut(), seat, client, &mut given, secrets).await?;
        let events = [
            (AuditAction::AccountCreated, format!("for {}", user.email)),
            (
                AuditAction::SessionBegun,
                sessions::describe_session(&signed_in.session),
            ),
        ];
        for (action, detail) in events {
            let event = AuditEvent {
                detail,
                ..given.event(account.id, &user, action)
            };
            work.audit().record(&event).await?;
        }
        work.commit().await?;
        Ok(signed_in)
    }
}
