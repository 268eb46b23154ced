//! Fetches every property that is due, one after the other. Any number of workers may look: whoever
//! takes a binding first has it.

use super::fetch_console_rows::{FetchConsoleError, FetchConsoleRows, Fetched};
use crate::{
    ids::AccountId,
    ports::{
        clock::Clock,
        storage::{Storage, StorageError},
    },
    search_console::Binding,
};
use std::sync::Arc;

/// How many accounts and bindings one look takes at the most; the next one goes on.
const AT_ONCE: u32 = 20;

pub struct FetchDueConsole {
    storage: Arc<dyn Storage>,
    clock: Arc<dyn Clock>,
    fetch: FetchConsoleRows,
}

#[derive(Debug)]
pub struct DueFetch {
    /// The binding before fetching.
    pub binding: Binding,
    /// What was fetched, or why nothing more was; the binding notes it.
    pub outcome: Result<Fetched, FetchConsoleError>,
}

impl FetchDueConsole {
    pub fn new(storage: Arc<dyn Storage>, clock: Arc<dyn Clock>, fetch: FetchConsoleRows) -> Self {
        Self {
            storage,
            clock,
            fetch,
        }
    }

    pub fn is_configured(&self) -> bool {
        self.fetch.missing().is_none()
    }

    pub async fn run(&self) -> Result<Vec<DueFetch>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let accounts = read.console_bindings().accounts_due(now, AT_ONCE).await?;
        drop(read);
        let mut fetched = Vec::new();
        for account in accounts {
            fetched.extend(self.of(account).await?);
        }
        Ok(fetched)
    }

    async fn of(&self, account: AccountId) -> Result<Vec<DueFetch>, StorageError> {
        let now = self.clock.now();
        let mut read = self.storage.read().await?;
        let due = read.console_bindings().due(account, now, AT_ONCE).await?;
        drop(read);
        let mut fetched = Vec::new();
        for binding in due {
            let outcome = match self.fetch.run_due(&binding).await {
                Ok(None) => continue,
                Ok(Some(it)) => Ok(it),
                Err(FetchConsoleError::Storage(error)) => return Err(error),
                Err(error) => Err(error),
            };
            fetched.push(DueFetch { binding, outcome });
        }
        Ok(fetched)
    }
}
