//! Contents and schedule of a project's reports, and their inheritance.

use std::collections::BTreeMap;

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Frequency {
        Daily = "daily",
        Weekly = "weekly",
        Monthly = "monthly",
        Quarterly = "quarterly",
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    // In the order of a report.
    pub enum Section {
        Rankings = "rankings",
        Visibility = "visibility",
        ShareOfVoice = "shareOfVoice",
        AiVisibility = "aiVisibility",
        Competitors = "competitors",
        Technical = "technical",
        Vitals = "vitals",
        Content = "content",
        Suggestions = "suggestions",
        Forecast = "forecast",
    }
}

/// A project's own settings; `None` inherits the account's default.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReportSettings {
    pub enabled: Option<bool>,
    pub frequency: Option<Frequency>,
    pub include_pdf: Option<bool>,
    /// Sections switched on or off for this project only.
    pub content_overrides: BTreeMap<Section, bool>,
}

/// Settings after inheritance: an account's defaults, or those in effect for a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveReportSettings {
    pub enabled: bool,
    pub frequency: Frequency,
    pub include_pdf: bool,
    /// Every section, on or off.
    pub content: BTreeMap<Section, bool>,
}

impl Default for EffectiveReportSettings {
    /// A new account's defaults: monthly with all sections, but disabled.
    fn default() -> Self {
        let content = Section::ALL
            .into_iter()
            .map(|section| (section, true))
            .collect();
        Self {
            enabled: false,
            frequency: Frequency::Monthly,
            include_pdf: true,
            content,
        }
    }
}

impl EffectiveReportSettings {
    /// Settings in effect for a project: its own where set, else these defaults.
    #[must_use]
    pub fn overridden_by(&self, own: Option<&ReportSettings>) -> Self {
        let Some(own) = own else {
            return self.clone();
        };
        let mut content = self.content.clone();
        content.extend(&own.content_overrides);
        Self {
            enabled: own.enabled.unwrap_or(self.enabled),
            frequency: own.frequency.unwrap_or(self.frequency),
            include_pdf: own.include_pdf.unwrap_or(self.include_pdf),
            content,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_project_without_settings_inherits_the_accounts() {
        let account = EffectiveReportSettings::default();
        assert_eq!(account.overridden_by(None), account);
        assert_eq!(
            account.overridden_by(Some(&ReportSettings::default())),
            account
        );
    }

    #[test]
    fn project_settings_override_and_the_rest_is_inherited() {
        let own = ReportSettings {
            enabled: Some(true),
            content_overrides: BTreeMap::from([(Section::Vitals, false)]),
            ..ReportSettings::default()
        };
        let effective = EffectiveReportSettings::default().overridden_by(Some(&own));
        assert!(effective.enabled && effective.include_pdf);
        assert_eq!(effective.content.get(&Section::Vitals), Some(&false));
        assert_eq!(effective.content.get(&Section::Rankings), Some(&true));
    }
}
