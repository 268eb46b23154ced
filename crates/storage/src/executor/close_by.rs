//! Several reads on one thread: they borrow one turn, and hop to the blocking threads once.

use super::pool::{Pool, Turn};
use super::session::blocking;
use domain::ports::storage::{Reading, StorageError};
use std::{cell::RefCell, sync::Arc};
use tokio::runtime::Handle;

thread_local! {
    /// The turn of the work that this thread is doing.
    static LENT: RefCell<Option<Turn>> = const { RefCell::new(None) };
}

/// Runs the work on a thread that may block, with a turn of its own.
pub async fn close_by(pool: &Arc<Pool>, reading: Reading) -> Result<(), StorageError> {
    let turn = pool.turn().await?;
    let runtime = Handle::current();
    blocking(move || {
        let _lent = Lent::of(turn);
        runtime.block_on(reading);
    })
    .await
}

/// Uses the turn lent to the work on this thread; `None` when there is none for this pool.
pub fn with_lent_turn<T>(pool: &Arc<Pool>, use_it: impl FnOnce(&Turn) -> T) -> Option<T> {
    LENT.with_borrow(|lent| {
        let turn = lent.as_ref()?;
        turn.is_of(pool).then(|| use_it(turn))
    })
}

/// Takes the turn back at the end, also when the work panics.
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
