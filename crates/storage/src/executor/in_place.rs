//! Runs a transaction's statements on the calling thread: two thread hops cost more than most statements.

use domain::ports::storage::InPlaceWork;
use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

thread_local! {
    /// Whether code on this thread may block on the database.
    static MAY_BLOCK: Cell<bool> = const { Cell::new(false) };
}

pub fn may_block() -> bool {
    MAY_BLOCK.get()
}

/// The runtime hands its other tasks to another thread meanwhile. Waits for a permit stay asynchronous.
pub struct InPlace<'w>(pub InPlaceWork<'w>);

impl Future for InPlace<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let is_spare =
            Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
        // Blocking a single-threaded runtime, as Actix's workers have, would stall all of its tasks.
        if !is_spare {
            return self.0.as_mut().poll(context);
        }
        block_in_place(|| {
            let _here = BlockingScope::begin();
            self.0.as_mut().poll(context)
        })
    }
}

/// The thread may block while this lives; ends also with a panic.
struct BlockingScope {
    before: bool,
}

impl BlockingScope {
    fn begin() -> Self {
        Self {
            before: MAY_BLOCK.replace(true),
        }
    }
}

impl Drop for BlockingScope {
    fn drop(&mut self) {
        MAY_BLOCK.set(self.before);
    }
}
