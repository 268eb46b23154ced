use crate::job::clock_check::{ClockCheck, ClockFault};
use crate::job::policy::QueuePolicy;
use crate::ports::clock::Clock;
use crate::ports::storage::{Storage, StorageError};

/// Why the machine's clock must not evaluate other workers' leases; `None` if it may. The core's clock
/// can differ: `sightline demo` simulates other days.
pub async fn clock_fault(
    storage: &dyn Storage,
    machine_clock: &dyn Clock,
    policy: &QueuePolicy,
    seen: &mut ClockCheck,
) -> Result<Option<ClockFault>, StorageError> {
    let shared = storage.now().await?;
    let (now, elapsed) = (machine_clock.now(), machine_clock.elapsed());
    Ok(seen.check(now, elapsed, shared, policy).err())
}
