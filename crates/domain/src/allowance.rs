//! Quotas of an account. They limit a level, not a rate: waiting does not help, deactivating something does.

use thiserror::Error;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum AllowanceName {
        /// Active projects of the account.
        Projects = "projects",
        /// Active keywords of the account.
        Keywords = "keywords",
        /// Active keywords of one project.
        KeywordsPerProject = "keywordsPerProject",
        /// Active keywords that are measured in AI answers.
        AiTracked = "aiTracked",
        /// Content plans of one project.
        ContentPlans = "contentPlans",
        /// Projects of the account, deactivated ones included.
        StoredProjects = "storedProjects",
        /// Keywords of the account, deactivated ones included.
        StoredKeywords = "storedKeywords",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    pub name: AllowanceName,
    pub limit: u32,
    pub used: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{} of {} {} are used, and {requested} more were requested", .allowance.used, .allowance.limit, .allowance.name.name())]
pub struct AllowanceExceeded {
    pub allowance: Allowance,
    /// How many more were requested.
    pub requested: u32,
}

impl Allowance {
    /// Adds to what is used, or refuses. Requesting nothing succeeds even if a lowered limit is exceeded.
    pub fn reserve(self, requested: u32) -> Result<Self, AllowanceExceeded> {
        let used = self.used.saturating_add(requested);
        if requested > 0 && used > self.limit {
            return Err(AllowanceExceeded {
                allowance: self,
                requested,
            });
        }
        Ok(Self { used, ..self })
    }

    #[must_use]
    pub fn release(self, returned: u32) -> Self {
        Self {
            used: self.used.saturating_sub(returned),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowance(used: u32) -> Allowance {
        Allowance {
            name: AllowanceName::Keywords,
            limit: 3,
            used,
        }
    }

    #[test]
    fn the_last_unit_is_granted_and_the_next_is_refused() {
        assert_eq!(allowance(2).reserve(1), Ok(allowance(3)));
        assert_eq!(
            allowance(2).reserve(2),
            Err(AllowanceExceeded {
                allowance: allowance(2),
                requested: 2
            })
        );
    }

    #[test]
    fn nothing_is_granted_above_a_lowered_limit() {
        assert_eq!(allowance(5).reserve(0), Ok(allowance(5)));
        assert!(allowance(5).reserve(1).is_err());
        assert_eq!(allowance(5).release(9), allowance(0));
    }
}
