//! Merge patches of projects and of their report settings.

use super::{Priority, Status, WorkflowStatus};
use crate::{
    email::EmailAddress,
    patch::Change,
    report_settings::{Frequency, ReportSettings, Section},
    text::{Label, Tag},
};
use std::collections::BTreeMap;

/// A merge patch of a project.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectPatch {
    /// See [`super::Project::name`].
    pub name: Change<Label>,
    /// See [`super::Project::status`].
    pub status: Change<Status>,
    /// See [`super::ProjectMeta::client_name`].
    pub client_name: Change<Option<Label>>,
    /// See [`super::ProjectMeta::category`].
    pub category: Change<Option<Label>>,
    /// See [`super::ProjectMeta::tags`].
    pub tags: Change<Vec<Tag>>,
    /// See [`super::ProjectMeta::favorite`].
    pub favorite: Change<bool>,
    /// See [`super::ProjectMeta::priority`].
    pub priority: Change<Priority>,
    /// See [`super::ProjectMeta::workflow_status`].
    pub workflow_status: Change<WorkflowStatus>,
    /// See [`super::ProjectMeta::assigned_to_name`].
    pub assigned_to_name: Change<Option<Label>>,
    /// See [`super::ProjectMeta::report_recipients`].
    pub report_recipients: Change<Vec<EmailAddress>>,
    /// See [`super::ProjectMeta::report_settings`]; `None` inherits the account's again, a patch is
    /// merged into what is there.
    pub report_settings: Change<Option<ReportSettingsPatch>>,
}

/// A merge patch of report settings; clearing a member inherits it again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportSettingsPatch {
    /// See [`ReportSettings::enabled`].
    pub enabled: Change<Option<bool>>,
    /// See [`ReportSettings::frequency`].
    pub frequency: Change<Option<Frequency>>,
    /// See [`ReportSettings::include_pdf`].
    pub include_pdf: Change<Option<bool>>,
    /// Sections to set, or (with `None`) to inherit again; the whole map cleared by `Set(None)`.
    pub content_overrides: Change<Option<BTreeMap<Section, Option<bool>>>>,
}

impl ReportSettingsPatch {
    /// Settings with the patch applied.
    #[must_use]
    pub fn applied_to(self, mut settings: ReportSettings) -> ReportSettings {
        self.apply_to(&mut settings);
        settings
    }

    pub(super) fn apply_to(self, settings: &mut ReportSettings) {
        self.enabled.apply_to(&mut settings.enabled);
        self.frequency.apply_to(&mut settings.frequency);
        self.include_pdf.apply_to(&mut settings.include_pdf);
        match self.content_overrides {
            Change::Keep => {}
            Change::Set(None) => settings.content_overrides.clear(),
            Change::Set(Some(sections)) => {
                for (section, shown) in sections {
                    match shown {
                        Some(shown) => settings.content_overrides.insert(section, shown),
                        None => settings.content_overrides.remove(&section),
                    };
                }
            }
        }
    }
}
