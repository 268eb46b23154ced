//! Projects: monitored sites and their owners' notes.

mod patch;

pub use patch::ReportSettingsPatch;

use crate::domain_name::SiteDomain;
use crate::email::EmailAddress;
use crate::ids::{AccountId, ProjectId};
use crate::patch::Change;
use crate::report_settings::ReportSettings;
use crate::text::{Label, Tag};
use chrono::{DateTime, TimeDelta, Utc};

analysis::wire_enum! {
    /// Callers delete nothing; deactivated projects are purged after a term ([`PurgeTerm`]).
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Status {
        Active = "active",
        /// Not counted in quotas of active items; can be reactivated with its history.
        Deactivated = "deactivated",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
    // Ascending.
    pub enum Priority {
        Low = "low",
        #[default]
        Normal = "normal",
        High = "high",
        Critical = "critical",
    }
}

analysis::wire_enum! {
    /// Status in the owner's workflow.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum WorkflowStatus {
        #[default]
        Onboarding = "onboarding",
        Active = "active",
        Paused = "paused",
        Review = "review",
        Completed = "completed",
    }
}

/// The owner's notes on a project; returned with every listing and every result.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectMeta {
    pub client_name: Option<Label>,
    pub category: Option<Label>,
    /// Free labels, unique, in the given order.
    pub tags: Vec<Tag>,
    pub favorite: bool,
    pub priority: Priority,
    pub workflow_status: WorkflowStatus,
    pub assigned_to_name: Option<Label>,
    /// Recipients of reports, unique, in the given order.
    pub report_recipients: Vec<EmailAddress>,
    /// Own report settings; `None` inherits all of the account's.
    pub report_settings: Option<ReportSettings>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectPatch {
    pub name: Change<Label>,
    pub status: Change<Status>,
    pub client_name: Change<Option<Label>>,
    pub category: Change<Option<Label>>,
    pub tags: Change<Vec<Tag>>,
    pub favorite: Change<bool>,
    pub priority: Change<Priority>,
    pub workflow_status: Change<WorkflowStatus>,
    pub assigned_to_name: Change<Option<Label>>,
    pub report_recipients: Change<Vec<EmailAddress>>,
    /// `None` inherits the account's again; a patch is merged into the current settings.
    pub report_settings: Change<Option<ReportSettingsPatch>>,
}

impl ProjectMeta {
    pub const MAX_TAGS: usize = 50;
    pub const MAX_RECIPIENTS: usize = 20;

    #[must_use]
    pub fn patched(mut self, patch: ProjectPatch) -> Self {
        patch.client_name.apply_to(&mut self.client_name);
        patch.category.apply_to(&mut self.category);
        patch.tags.apply_to(&mut self.tags);
        patch.favorite.apply_to(&mut self.favorite);
        patch.priority.apply_to(&mut self.priority);
        patch.workflow_status.apply_to(&mut self.workflow_status);
        patch.assigned_to_name.apply_to(&mut self.assigned_to_name);
        patch
            .report_recipients
            .apply_to(&mut self.report_recipients);
        match patch.report_settings {
            Change::Keep => {}
            Change::Set(None) => self.report_settings = None,
            Change::Set(Some(settings)) => {
                settings.apply_to(self.report_settings.get_or_insert_default());
            }
        }
        self
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    pub account: AccountId,
    pub id: ProjectId,
    pub domain: SiteDomain,
    pub name: Label,
    pub status: Status,
    pub meta: ProjectMeta,
    /// Active keywords.
    pub keyword_count: u32,
    /// Active keywords that count toward the AI visibility quota.
    pub ai_tracked_count: u32,
    /// When an analysis last ended with results.
    pub last_analysis_at: Option<DateTime<Utc>>,
    /// Incremented by each change that callers can see; the entity tag.
    pub row_version: i64,
    pub created_at: DateTime<Utc>,
    /// Last change by its owner.
    pub updated_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewProject {
    pub domain: SiteDomain,
    /// Defaults to the domain.
    pub name: Option<Label>,
    pub meta: ProjectMeta,
}

impl NewProject {
    pub fn begin(self, account: AccountId, id: ProjectId, now: DateTime<Utc>) -> Project {
        let name = self.name.unwrap_or_else(|| name_of(&self.domain));
        Project {
            account,
            id,
            domain: self.domain,
            name,
            status: Status::Active,
            meta: self.meta,
            keyword_count: 0,
            ai_tracked_count: 0,
            last_analysis_at: None,
            row_version: 1,
            created_at: now,
            updated_at: now,
            deactivated_at: None,
        }
    }
}

/// Default name of a project: its domain in Unicode.
fn name_of(domain: &SiteDomain) -> Label {
    let shown: String = domain.unicode().chars().take(Label::MAX).collect();
    Label::parse(&shown)
        .or_else(|_| Label::parse("site"))
        .expect("a domain name is a label")
}

impl Project {
    /// The project with the patch applied. Equal values change nothing, not even version and time;
    /// a change increments the version.
    #[must_use]
    pub fn patched(&self, patch: ProjectPatch, now: DateTime<Utc>) -> Self {
        let mut next = self.clone();
        patch.name.clone().apply_to(&mut next.name);
        let status = patch.status.clone();
        next.meta = next.meta.patched(patch);
        if let Change::Set(status) = status {
            next.take_status(status, now);
        }
        if next != *self {
            next.row_version += 1;
            next.updated_at = now;
        }
        next
    }

    /// The deactivated project; unchanged if it already is.
    #[must_use]
    pub fn deactivated(&self, now: DateTime<Utc>) -> Self {
        self.patched(
            ProjectPatch {
                status: Change::Set(Status::Deactivated),
                ..ProjectPatch::default()
            },
            now,
        )
    }

    fn take_status(&mut self, status: Status, now: DateTime<Utc>) {
        if self.status == status {
            return;
        }
        self.status = status;
        self.deactivated_at = (status == Status::Deactivated).then_some(now);
    }

    pub fn is_active(&self) -> bool {
        self.status == Status::Active
    }
}

/// Days for which a deactivated project can be reactivated; `None` is unlimited. Afterwards it is
/// purged with all its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PurgeTerm(pub Option<u32>);

impl Default for PurgeTerm {
    fn default() -> Self {
        Self(Some(365))
    }
}

impl PurgeTerm {
    pub(crate) fn length(self) -> Option<TimeDelta> {
        self.0.map(|days| TimeDelta::days(days.into()))
    }

    /// When the project may be purged; `None` if it is active or nothing is purged.
    pub fn purge_at(self, project: &Project) -> Option<DateTime<Utc>> {
        let since = project.deactivated_at.filter(|_| !project.is_active())?;
        since.checked_add_signed(self.length()?)
    }

    pub fn is_expired(self, project: &Project, now: DateTime<Utc>) -> bool {
        self.purge_at(project).is_some_and(|it| it <= now)
    }

    /// Projects deactivated at or before this time are purged now.
    pub fn cutoff(self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        now.checked_sub_signed(self.length()?)
    }
}

/// Keeps the first of each value, in order.
pub fn unique_in_order<T: PartialEq>(values: Vec<T>) -> Vec<T> {
    let mut kept = Vec::with_capacity(values.len());
    for value in values {
        if !kept.contains(&value) {
            kept.push(value);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::clock::Clock;
    use crate::report_settings::Section;
    use crate::test_support::{FrozenClock, a_project};
    use chrono::TimeDelta;
    use std::collections::BTreeMap;

    fn later() -> DateTime<Utc> {
        FrozenClock::default().now() + TimeDelta::hours(1)
    }

    #[test]
    fn a_deactivated_project_is_purged_when_its_term_is_over() {
        let now = FrozenClock::default().now();
        let gone = a_project().deactivated(now);
        let term = PurgeTerm(Some(30));
        let end = now + TimeDelta::days(30);
        assert_eq!(term.purge_at(&gone), Some(end));
        assert!(!term.is_expired(&gone, end - TimeDelta::microseconds(1)));
        assert!(term.is_expired(&gone, end));
        assert_eq!(term.cutoff(end), gone.deactivated_at);
        assert_eq!(term.purge_at(&a_project()), None);
        assert_eq!(PurgeTerm(None).purge_at(&gone), None);
        assert_eq!(PurgeTerm::default().0, Some(365));
    }

    #[test]
    fn an_empty_patch_and_the_same_values_change_nothing() {
        let project = a_project();
        assert_eq!(project.patched(ProjectPatch::default(), later()), project);
        let same = ProjectPatch {
            name: Change::Set(project.name.clone()),
            ..ProjectPatch::default()
        };
        assert_eq!(project.patched(same, later()), project);
    }

    #[test]
    fn a_change_gives_the_next_version() {
        let patch = ProjectPatch {
            favorite: Change::Set(true),
            ..ProjectPatch::default()
        };
        let changed = a_project().patched(patch, later());
        assert_eq!((changed.row_version, changed.updated_at), (2, later()));
    }

    #[test]
    fn report_settings_merge_by_member_and_clear_as_a_whole() {
        let enable = ReportSettingsPatch {
            enabled: Change::Set(Some(true)),
            ..Default::default()
        };
        let project = a_project().patched(
            ProjectPatch {
                report_settings: Change::Set(Some(enable)),
                ..ProjectPatch::default()
            },
            later(),
        );
        let hide = ReportSettingsPatch {
            content_overrides: Change::Set(Some(BTreeMap::from([(Section::Vitals, Some(false))]))),
            ..Default::default()
        };
        let project = project.patched(
            ProjectPatch {
                report_settings: Change::Set(Some(hide)),
                ..ProjectPatch::default()
            },
            later(),
        );
        let settings = project.meta.report_settings.clone().unwrap();
        assert_eq!(settings.enabled, Some(true));
        assert_eq!(
            settings.content_overrides,
            BTreeMap::from([(Section::Vitals, false)])
        );
        let cleared = project.patched(
            ProjectPatch {
                report_settings: Change::Set(None),
                ..ProjectPatch::default()
            },
            later(),
        );
        assert_eq!(cleared.meta.report_settings, None);
    }

    #[test]
    fn deactivating_twice_keeps_the_first_timestamp() {
        let once = a_project().deactivated(later());
        assert_eq!(once.deactivated(later() + TimeDelta::hours(1)), once);
        let back = ProjectPatch {
            status: Change::Set(Status::Active),
            ..ProjectPatch::default()
        };
        assert_eq!(once.patched(back, later()).deactivated_at, None);
    }

    #[test]
    fn the_first_of_equal_values_stays_in_its_place() {
        assert_eq!(unique_in_order(vec![3, 1, 3, 2, 1]), [3, 1, 2]);
    }
}
