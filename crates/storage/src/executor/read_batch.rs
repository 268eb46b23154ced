//! Runs several reads in one blocking task: one permit and one thread hop for all of them.

use super::pool::{Permit, Pool};
use super::session::blocking;
use domain::ports::storage::{BatchRead, StorageError};
use std::{cell::RefCell, sync::Arc};
use tokio::runtime::Handle;

thread_local! {
    /// The permit of the reads that run on this thread.
    static BORROWED_PERMIT: RefCell<Option<Permit>> = const { RefCell::new(None) };
}

/// Runs the reads on a blocking thread with one permit.
pub async fn run_blocking_batch(pool: &Arc<Pool>, reading: BatchRead) -> Result<(), StorageError> {
    let permit = pool.acquire().await?;
    let runtime = Handle::current();
    blocking(move || {
        let _lent = BorrowedPermit::of(permit);
        runtime.block_on(reading);
    })
    .await
}

/// Uses the permit of this thread; `None` when it has none for this pool.
pub fn with_borrowed_permit<T>(pool: &Arc<Pool>, use_it: impl FnOnce(&Permit) -> T) -> Option<T> {
    BORROWED_PERMIT.with_borrow(|borrowed| {
        let permit = borrowed.as_ref()?;
        permit.belongs_to(pool).then(|| use_it(permit))
    })
}

/// Takes the permit back at the end, also after a panic.
struct BorrowedPermit;

impl BorrowedPermit {
    fn of(permit: Permit) -> Self {
        BORROWED_PERMIT.set(Some(permit));
        Self
    }
}

impl Drop for BorrowedPermit {
    fn drop(&mut self) {
        BORROWED_PERMIT.set(None);
    }
}
