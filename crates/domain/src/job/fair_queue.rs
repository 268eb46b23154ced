//! Start-time fair queuing over accounts: the account with the least service is served next, and a new
//! account starts at the current minimum (Goyal, Vin and Cheng, "Start-time Fair Queuing", SIGCOMM 1996).

use super::account_queue::AccountQueue;

/// Service that a job counts when it is claimed.
pub const SERVICE_PER_JOB: f64 = 1.0;

/// Number of accounts examined, least served first; more are tried while no job can be claimed,
/// because other workers have locked them or they need a newer version.
pub const CANDIDATES: [u32; 3] = [16, 128, 512];

/// Number of jobs per account if `wanted` jobs are taken one by one, each from the account with the
/// least service so far, up to `max_jobs` of each. `accounts` are ordered by service, least first.
pub fn allocate(
    accounts: &[AccountQueue],
    min_virtual_time: f64,
    max_jobs: impl Fn(&AccountQueue) -> u32,
    wanted: u32,
) -> Vec<u32> {
    let mut allocated = vec![0_u32; accounts.len()];
    for _ in 0..wanted {
        let open = accounts.iter().zip(&allocated).enumerate();
        let open = open.filter(|(_, (queue, taken))| **taken < max_jobs(queue).min(queue.waiting));
        let service = |queue: &AccountQueue, taken: u32| {
            f64::from(taken).mul_add(SERVICE_PER_JOB, queue.virtual_time.max(min_virtual_time))
        };
        let next = open.min_by(|(_, (one, one_took)), (_, (other, other_took))| {
            service(one, **one_took).total_cmp(&service(other, **other_took))
        });
        let Some((place, _)) = next else { break };
        allocated[place] += 1;
    }
    allocated
}

pub fn free_capacity(queue: &AccountQueue, cap: u32) -> u32 {
    cap.saturating_sub(queue.running)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::AccountId;

    fn queue(account: i64, waiting: u32, running: u32, virtual_time: f64) -> AccountQueue {
        AccountQueue {
            account: AccountId(account),
            waiting,
            running,
            next_run_at: None,
            next_short_run_at: None,
            attention_at: None,
            virtual_time,
        }
    }

    fn in_all(queue: &AccountQueue) -> u32 {
        free_capacity(queue, 4)
    }

    #[test]
    fn an_account_at_its_share_leaves_slots_to_others() {
        let accounts = [queue(1, 9, 0, 0.0), queue(2, 9, 0, 50.0)];
        let share = |queue: &AccountQueue| if queue.account.0 == 1 { 3 } else { 1 };
        assert_eq!(allocate(&accounts, 0.0, share, 4), [3, 1]);
        assert_eq!(allocate(&accounts[..1], 0.0, share, 4), [3]);
    }

    #[test]
    fn jobs_are_allocated_to_the_least_served_account_first() {
        let accounts = [
            queue(1, 9, 0, 5.0),
            queue(2, 9, 0, 5.0),
            queue(3, 9, 0, 7.0),
        ];
        let of = |wanted| allocate(&accounts, 5.0, in_all, wanted);
        assert_eq!(of(0), [0, 0, 0]);
        assert_eq!(of(1), [1, 0, 0]);
        assert_eq!(of(2), [1, 1, 0]);
        assert_eq!(of(4), [2, 2, 0]);
        assert_eq!(of(5), [3, 2, 0]);
        // Now equal to the third; on ties the first is next.
        assert_eq!(of(6), [3, 3, 0]);
        assert_eq!(of(7), [3, 3, 1]);
        // No account exceeds its limit.
        assert_eq!(of(99), [4, 4, 4]);
    }

    #[test]
    fn no_account_gets_more_than_waits_or_fits() {
        let accounts = [
            queue(1, 1, 0, 0.0),
            queue(2, 9, 3, 0.0),
            queue(3, 9, 5, 0.0),
        ];
        assert_eq!(allocate(&accounts, 0.0, in_all, 10), [1, 1, 0]);
        assert_eq!(allocate(&[], 0.0, in_all, 10), Vec::<u32>::new());
    }

    #[test]
    fn a_late_account_does_not_get_all_jobs() {
        // Its virtual time is far behind, so it starts at the minimum of the others.
        let accounts = [queue(1, 9, 0, 100.0), queue(2, 9, 0, 3.0)];
        assert_eq!(allocate(&accounts, 100.0, in_all, 4), [2, 2]);
    }
}
