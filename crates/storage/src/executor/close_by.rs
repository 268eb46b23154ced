//! Runs several reads in one blocking task: one permit and one thread hop for all of them.

use super::pool::{Pool, Turn};
use super::session::blocking;
use domain::ports::storage::{Reading, StorageError};
use std::{cell::RefCell, sync::Arc};
use tokio::runtime::Handle;

thread_local! {
    /// The permit of the reads that run on this thread.
    static LENT: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

/// Runs the reads on a blocking thread with one permit.
pub async fn close_by(pool: &Arc<Pool>, reading: Reading) -> Result<(), StorageError> {
    let turn = pool.turn().await?;
    let runtime = Handle::current();
    blocking(move || {
        let _lent = Lent::of(turn);
        runtime.block_on(reading);
    })
    .await
}

/// Uses the permit of this thread; `None` when it has none for this pool.
pub fn with_lent_turn<T>(pool: &Arc<Pool>, use_it: impl FnOnce(&Turn) -> T) -> Option<T> {
    LENT.with_borrow(|lent| {
        let turn = lent.as_ref()?;
        turn.is_of(pool).then(|| use_it(turn))
    })
}

/// Takes the permit back at the end, also after a panic.
struct Lent;

impl Lent {
    fn of(turn: Turn) -> Self {
        LENT.set(Some(turn));
        Self
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        LENT.set(None);
    }
}
