use crate::ToSchema;
use chrono::{DateTime, Utc};
use domain::{
    project::{Project, PurgeTerm},
    report_settings::{EffectiveReportSettings, ReportSettings},
};
use serde::Serialize;
use std::collections::BTreeMap;

/// A monitored site.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Project)]
pub struct ProjectView {
    /// Its id.
    #[schema(minimum = 1)]
    pub id: i64,
    /// The site's host, as ASCII.
    pub domain: String,
    /// The site's host, as people write it.
    pub domain_unicode: String,
    /// What it is called.
    pub name: String,
    /// `active` or `deactivated`.
    pub status: &'static str,
    /// Whose site it is.
    pub client_name: Option<String>,
    /// A free label.
    pub category: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Whether it stands first.
    pub favorite: bool,
    /// `low`, `normal`, `high` or `critical`.
    pub priority: &'static str,
    /// `onboarding`, `active`, `paused`, `review` or `completed`.
    pub workflow_status: &'static str,
    /// Who looks after it.
    pub assigned_to_name: Option<String>,
    /// Who gets its reports.
    pub report_recipients: Vec<String>,
    /// Its own report settings; null inherits the account's as a whole.
    pub report_settings: Option<ReportSettingsView>,
    /// What its reports end up with.
    pub effective_report_settings: EffectiveReportSettingsView,
    /// Active keywords.
    pub keyword_count: u32,
    /// Active keywords that count toward the AI visibility allowance.
    pub ai_tracked_count: u32,
    /// When an analysis last ended with results.
    pub last_analysis_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
    /// When it was deactivated.
    pub deactivated_at: Option<DateTime<Utc>>,
    /// When a deactivated project is removed with all its data; it can be brought back until then. Null while
    /// it is active, and where the server removes none.
    pub purge_at: Option<DateTime<Utc>>,
}

/// A project's own report settings.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ReportSettings)]
pub struct ReportSettingsView {
    /// Whether reports are sent; null inherits.
    pub enabled: Option<bool>,
    /// `inherit`, `daily`, `weekly`, `monthly` or `quarterly`.
    pub frequency: &'static str,
    /// `inherit`, `yes` or `no`.
    pub include_pdf: &'static str,
    /// Sections switched on or off for this project alone.
    pub content_overrides: BTreeMap<&'static str, bool>,
}

/// Report settings with nothing left to inherit.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = EffectiveReportSettings)]
pub struct EffectiveReportSettingsView {
    /// Whether reports are sent.
    pub enabled: bool,
    /// `daily`, `weekly`, `monthly` or `quarterly`.
    pub frequency: &'static str,
    /// `yes` or `no`.
    pub include_pdf: &'static str,
    /// Every section, on or off.
    pub content: BTreeMap<&'static str, bool>,
}

impl ProjectView {
    pub fn of(project: &Project, account: &EffectiveReportSettings, term: PurgeTerm) -> Self {
        let meta = &project.meta;
        let text = |label: &Option<domain::text::Label>| label.as_ref().map(ToString::to_string);
        Self {
            id: project.id.0,
            domain: project.domain.ascii().to_owned(),
            domain_unicode: project.domain.unicode().to_owned(),
            name: project.name.to_string(),
            status: project.status.name(),
            client_name: text(&meta.client_name),
            category: text(&meta.category),
            tags: meta.tags.iter().map(ToString::to_string).collect(),
            favorite: meta.favorite,
            priority: meta.priority.name(),
            workflow_status: meta.workflow_status.name(),
            assigned_to_name: text(&meta.assigned_to_name),
            report_recipients: meta
                .report_recipients
                .iter()
                .map(ToString::to_string)
                .collect(),
            report_settings: meta.report_settings.as_ref().map(ReportSettingsView::of),
            effective_report_settings: EffectiveReportSettingsView::of(
                &account.overridden_by(meta.report_settings.as_ref()),
            ),
            keyword_count: project.keyword_count,
            ai_tracked_count: project.ai_tracked_count,
            last_analysis_at: project.last_analysis_at,
            created_at: project.created_at,
            updated_at: project.updated_at,
            deactivated_at: project.deactivated_at,
            purge_at: term.purge_at(project),
        }
    }
}

const fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

impl ReportSettingsView {
    fn of(settings: &ReportSettings) -> Self {
        Self {
            enabled: settings.enabled,
            frequency: settings
                .frequency
                .map_or("inherit", domain::report_settings::Frequency::name),
            include_pdf: settings.include_pdf.map_or("inherit", yes_or_no),
            content_overrides: settings
                .content_overrides
                .iter()
                .map(|(section, shown)| (section.name(), *shown))
                .collect(),
        }
    }
}

impl EffectiveReportSettingsView {
    pub fn of(settings: &EffectiveReportSettings) -> Self {
        Self {
            enabled: settings.enabled,
            frequency: settings.frequency.name(),
            include_pdf: yes_or_no(settings.include_pdf),
            content: settings
                .content
                .iter()
                .map(|(section, shown)| (section.name(), *shown))
                .collect(),
        }
    }
}
