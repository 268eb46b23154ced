//! Runs a transaction's statements on the thread that asks: two changes of threads cost more than most statements take.

use domain::ports::storage::Work;
use std::cell::Cell;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

thread_local! {
    /// Whether whoever runs on this thread may wait for the database.
    static MAY_WAIT: Cell<bool> = const { Cell::new(false) };
}

pub fn may_wait() -> bool {
    MAY_WAIT.get()
}

/// The runtime gives up the work's thread while it goes on. Waits without a connection are as before.
pub struct Near<'w>(pub Work<'w>);

impl Future for Near<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let is_spare =
            Handle::try_current().is_ok_and(|it| it.runtime_flavor() == RuntimeFlavor::MultiThread);
        // A thread that has a runtime for itself, as Actix's have, keeps everybody on it waiting.
        if !is_spare {
            return self.0.as_mut().poll(context);
        }
        block_in_place(|| {
            let _here = Here::begin();
            self.0.as_mut().poll(context)
        })
    }
}

/// The thread may block while this lives; ends also when the work panics.
struct Here {
    before: bool,
}

impl Here {
    fn begin() -> Self {
        Self {
            before: MAY_WAIT.replace(true),
        }
    }
}

impl Drop for Here {
    fn drop(&mut self) {
        MAY_WAIT.set(self.before);
    }
}
