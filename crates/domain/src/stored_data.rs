//! Storage quotas for what callers write freely, deactivated projects and keywords included.

use crate::allowance::{Allowance, AllowanceName};
use thiserror::Error;

/// Stored data of a project, or of all projects of an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoredData {
    /// Keywords, deactivated ones included.
    pub keywords: u64,
    /// Rows of Search Console; each row set counts as one more.
    pub console_rows: u64,
    /// Estimated bytes of these rows, indexes included.
    pub console_bytes: u64,
    /// Bytes of the items of content plans.
    pub plan_bytes: u64,
    /// Bytes of events; counted for accounts alone.
    pub event_bytes: u64,
}

impl StoredData {
    pub const fn bytes(&self) -> u64 {
        let written = self.console_bytes.saturating_add(self.plan_bytes);
        written.saturating_add(self.event_bytes)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DataSize {
    pub rows: u64,
    pub bytes: u64,
}

impl DataSize {
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self {
            rows: self.rows.saturating_add(other.rows),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// Limits set by the operator; `None` is unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StorageLimits {
    /// An account may store this many times its limit of active projects and keywords.
    pub inactive_factor: Option<u32>,
    pub account_bytes: Option<u64>,
    pub project_rows: Option<u64>,
}

impl Default for StorageLimits {
    fn default() -> Self {
        Self {
            inactive_factor: Some(3),
            account_bytes: Some(2 * 1_024 * 1_024 * 1_024),
            project_rows: Some(5_000_000),
        }
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum StorageQuota {
        AccountBytes = "storedBytes",
        ProjectRows = "storedRowsPerProject",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{used} of {limit} {} are stored, and {requested} more do not fit", quota.name())]
pub struct StorageExceeded {
    pub quota: StorageQuota,
    pub limit: u64,
    /// Stored data, without what would be replaced.
    pub used: u64,
    pub requested: u64,
}

impl StorageLimits {
    /// Minimum number of deactivated items that an account may store beside its active ones.
    const MIN_INACTIVE: u32 = 10;

    /// Quota of projects, deactivated ones included, with `stored` used.
    pub fn projects(&self, active_limit: u32, stored: u32) -> Allowance {
        Allowance {
            name: AllowanceName::StoredProjects,
            limit: self.with_inactive(active_limit),
            used: stored,
        }
    }

    /// Quota of keywords, deactivated ones included, with `stored` used.
    pub fn keywords(&self, active_limit: u32, stored: u64) -> Allowance {
        Allowance {
            name: AllowanceName::StoredKeywords,
            limit: self.with_inactive(active_limit),
            used: stored.try_into().unwrap_or(u32::MAX),
        }
    }

    fn with_inactive(&self, active_limit: u32) -> u32 {
        let Some(factor) = self.inactive_factor else {
            return u32::MAX;
        };
        let min = active_limit.saturating_add(Self::MIN_INACTIVE);
        active_limit.saturating_mul(factor).max(min)
    }

    /// Whether `added` fits into a project after `freed` is removed. A change that increases
    /// nothing always fits, even above a lowered limit.
    ///
    /// # Errors
    /// The first exceeded quota.
    pub fn check(
        &self,
        account: StoredData,
        project: StoredData,
        added: DataSize,
        freed: DataSize,
    ) -> Result<(), StorageExceeded> {
        let fits = |quota, limit: Option<u64>, stored: u64, added: u64, freed: u64| {
            let (limit, used) = (limit.unwrap_or(u64::MAX), stored.saturating_sub(freed));
            if added > freed && used.saturating_add(added) > limit {
                return Err(StorageExceeded {
                    quota,
                    limit,
                    used,
                    requested: added,
                });
            }
            Ok(())
        };
        let (rows, bytes) = (self.project_rows, self.account_bytes);
        let quota = StorageQuota::ProjectRows;
        fits(quota, rows, project.console_rows, added.rows, freed.rows)?;
        let quota = StorageQuota::AccountBytes;
        fits(quota, bytes, account.bytes(), added.bytes, freed.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stored(console_rows: u64, console_bytes: u64, plan_bytes: u64) -> StoredData {
        StoredData {
            keywords: 0,
            console_rows,
            console_bytes,
            plan_bytes,
            event_bytes: 0,
        }
    }

    fn size(rows: u64, bytes: u64) -> DataSize {
        DataSize { rows, bytes }
    }

    #[test]
    fn deactivated_projects_have_a_limit_above_the_active_ones() {
        let limits = StorageLimits::default();
        assert_eq!(limits.projects(100, 0).limit, 300);
        assert_eq!(limits.projects(1, 0).limit, 11, "small accounts too");
        assert_eq!(limits.keywords(u32::MAX, u64::MAX).used, u32::MAX);
        let none = StorageLimits {
            inactive_factor: None,
            ..limits
        };
        assert_eq!(none.keywords(1, 5).limit, u32::MAX);
    }

    #[test]
    fn data_that_fits_exactly_is_stored_and_one_more_is_not() {
        let limits = StorageLimits {
            account_bytes: Some(100),
            project_rows: Some(10),
            ..StorageLimits::default()
        };
        let (account, project) = (stored(50, 60, 20), stored(7, 10, 0));
        let none = DataSize::default();
        let check = |added, freed| limits.check(account, project, added, freed);
        assert_eq!(check(size(3, 20), none), Ok(()));
        let rows = check(size(4, 1), none).unwrap_err();
        assert_eq!(rows.quota, StorageQuota::ProjectRows);
        assert_eq!((rows.limit, rows.used, rows.requested), (10, 7, 4));
        let bytes = check(size(1, 21), none).unwrap_err();
        assert_eq!(bytes.quota.name(), "storedBytes");
        assert_eq!((bytes.limit, bytes.used, bytes.requested), (100, 80, 21));
        assert_eq!(check(size(5, 25), size(2, 5)), Ok(()));
    }

    #[test]
    fn a_smaller_replacement_fits_above_a_lowered_limit() {
        let limits = StorageLimits {
            account_bytes: Some(1),
            project_rows: Some(1),
            ..StorageLimits::default()
        };
        let full = stored(9, 90, 9);
        assert_eq!(limits.check(full, full, size(2, 20), size(2, 20)), Ok(()));
        assert!(limits.check(full, full, size(2, 21), size(2, 20)).is_err());
    }
}
