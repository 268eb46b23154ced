use crate::job::clock_watch::{ClockWatch, Distrust};
use crate::job::policy::QueuePolicy;
use crate::ports::clock::Clock;
use crate::ports::storage::{Storage, StorageError};

/// Why the machine's clock must not judge other workers' leases; `None` if it may. The core's clock
/// can differ: `sightline demo` simulates other days.
pub async fn distrust(
    storage: &dyn Storage,
    machines: &dyn Clock,
    policy: &QueuePolicy,
    seen: &mut ClockWatch,
) -> Result<Option<Distrust>, StorageError> {
    let shared = storage.now().await?;
    let (now, elapsed) = (machines.now(), machines.elapsed());
    Ok(seen.judge(now, elapsed, shared, policy).err())
}
