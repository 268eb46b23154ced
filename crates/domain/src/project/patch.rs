use crate::patch::Change;
use crate::report_settings::{Frequency, ReportSettings, Section};
use std::collections::BTreeMap;

/// Merge patch of report settings; clearing a member inherits it again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportSettingsPatch {
    pub enabled: Change<Option<bool>>,
    pub frequency: Change<Option<Frequency>>,
    pub include_pdf: Change<Option<bool>>,
    /// Sections to set, or (with `None`) to inherit again; the whole map cleared by `Set(None)`.
    pub content_overrides: Change<Option<BTreeMap<Section, Option<bool>>>>,
}

impl ReportSettingsPatch {
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
