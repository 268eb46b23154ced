use super::{Priority, Status, WorkflowStatus};
use crate::{
    email::EmailAddress,
    patch::Change,
    report_settings::{Frequency, ReportSettings, Section},
    text::{Label, Tag},
};
use std::collections::BTreeMap;

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
    /// `None` inherits the account's again; a patch is merged into what is there.
    pub report_settings: Change<Option<ReportSettingsPatch>>,
}

/// A merge patch of report settings; clearing a member inherits it again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportSettingsPatch {
    pub enabled: Change<Option<bool>>,
    pub frequency: Change<Option<Frequency>>,
    pub include_pdf: Change<Option<bool>>,
    /// Sections to set, or (with `None`) to inherit again; the whole map cleared by `Set(None)`.
    pub content_overrides: Change<Option<BTreeMap<Section, Option<bool>>>>,
}

impl ReportSettingsPatch {
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
