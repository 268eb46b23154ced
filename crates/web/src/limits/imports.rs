//! Imports at the same time: each holds a file and its rows in memory, several times over.

use domain::ids::AccountId;
use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};
use tokio::{
    sync::{AcquireError, OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Imports of all accounts at the same time, in this process.
const MAX_IMPORTS: usize = 2;
/// Imports of one account at the same time.
const MAX_PER_ACCOUNT: usize = 1;
/// How long an import waits for others to end.
const WAIT: Duration = Duration::from_secs(5);

/// Counts imports under way.
pub struct ImportSlots {
    wait: Duration,
    all: Arc<Semaphore>,
    accounts: Mutex<HashMap<AccountId, Weak<Semaphore>>>,
}

/// An import under way; it ends when this is dropped.
pub struct ImportSlot {
    _of_account: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
}

/// Why an import may not begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TooManyImports {
    /// The account's other imports take too long.
    OfAccount,
    /// Those of all accounts do.
    InAll,
}

impl Default for ImportSlots {
    fn default() -> Self {
        Self::waiting(WAIT)
    }
}

impl ImportSlots {
    fn waiting(wait: Duration) -> Self {
        Self {
            wait,
            all: Arc::new(Semaphore::new(MAX_IMPORTS)),
            accounts: Mutex::default(),
        }
    }

    /// A slot, once one is free.
    ///
    /// # Errors
    /// None is free within five seconds.
    pub async fn enter(&self, account: AccountId) -> Result<ImportSlot, TooManyImports> {
        let of_account = self.of(account).acquire_owned();
        let of_account = self.permit(of_account, TooManyImports::OfAccount).await?;
        let of_all = Arc::clone(&self.all).acquire_owned();
        Ok(ImportSlot {
            _of_account: of_account,
            _of_all: self.permit(of_all, TooManyImports::InAll).await?,
        })
    }

    /// The account's semaphore, which lives as long as one of its imports holds or awaits it.
    fn of(&self, account: AccountId) -> Arc<Semaphore> {
        let mut accounts = { self.accounts.lock() }.unwrap_or_else(PoisonError::into_inner);
        if let Some(there) = accounts.get(&account).and_then(Weak::upgrade) {
            return there;
        }
        accounts.retain(|_, it| it.strong_count() > 0);
        let semaphore = Arc::new(Semaphore::new(MAX_PER_ACCOUNT));
        accounts.insert(account, Arc::downgrade(&semaphore));
        semaphore
    }

    async fn permit(
        &self,
        acquired: impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>>,
        otherwise: TooManyImports,
    ) -> Result<OwnedSemaphorePermit, TooManyImports> {
        let acquired = timeout(self.wait, acquired).await.map_err(|_| otherwise)?;
        // The semaphores are never closed.
        acquired.map_err(|_| otherwise)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: AccountId = AccountId(1);
    const BOB: AccountId = AccountId(2);
    const CAY: AccountId = AccountId(3);
    const SHORT: Duration = Duration::from_millis(20);

    #[tokio::test]
    async fn an_account_imports_one_file_at_a_time() {
        let slots = ImportSlots::waiting(SHORT);
        let first = slots.enter(ANN).await.ok();
        let second = slots.enter(ANN).await;
        assert_eq!(second.err(), Some(TooManyImports::OfAccount));
        assert!(slots.enter(BOB).await.is_ok(), "others are not held up");
        drop(first);
        assert!(slots.enter(ANN).await.is_ok());
    }

    #[tokio::test]
    async fn a_process_imports_two_files_at_a_time() {
        let slots = ImportSlots::waiting(SHORT);
        let (first, second) = (slots.enter(ANN).await.ok(), slots.enter(BOB).await.ok());
        let third = slots.enter(CAY).await;
        assert_eq!(third.err(), Some(TooManyImports::InAll));
        drop(first);
        assert!(slots.enter(CAY).await.is_ok());
        drop(second);
        assert!(slots.of(ANN).available_permits() > 0);
    }

    #[tokio::test]
    async fn accounts_without_an_import_take_no_memory() {
        let slots = ImportSlots::default();
        for number in 0..100 {
            drop(slots.enter(AccountId(number)).await);
        }
        assert_eq!(slots.accounts.lock().unwrap().len(), 1);
    }
}
