//! Project members: those that callers set, and those in responses.

use crate::ToSchema;
use crate::contract::fields::Fields;
use crate::contract::{
    FieldType, StringEnum, UniqueList, body, nested_body, or_null, string_enums,
};
use crate::problem::FieldError;
use chrono::{DateTime, Utc};
use domain::email::EmailAddress;
use domain::patch::Change;
use domain::project::{
    Priority, Project, ProjectMeta, ProjectPatch, PurgeTerm, ReportSettingsPatch, WorkflowStatus,
};
use domain::report_settings::{EffectiveReportSettings, Frequency, ReportSettings, Section};
use domain::text::{Label, Tag};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// As JSON text, in bytes.
const MAX_CONTENT_OVERRIDES: usize = 16 * 1024;

body! {
    /// Members accepted when a project is created or changed.
    pub(crate) ProjectMembers {
        client_name: Label = nullable "clientName";
        category: Label = nullable "category";
        tags: UniqueList<Tag, { ProjectMeta::MAX_TAGS }> = nullable "tags";
        favorite: bool = change "favorite";
        priority: Priority = nullable "priority";
        workflow_status: WorkflowStatus = nullable "workflowStatus";
        assigned_to_name: Label = nullable "assignedToName";
        report_recipients: UniqueList<EmailAddress, { ProjectMeta::MAX_RECIPIENTS }> = nullable "reportRecipients";
        report_settings: ReportSettingsMembers = nullable "reportSettings", "Left out or null: the account's default report settings apply.";
    }
}

impl ProjectMembers<'_> {
    /// For a new project, applied to the default metadata.
    pub(super) fn patch(&self) -> ProjectPatch {
        ProjectPatch {
            client_name: self.client_name().clearable(),
            category: self.category().clearable(),
            tags: self.tags().resettable(),
            favorite: self.favorite(),
            priority: self.priority().resettable(),
            workflow_status: self.workflow_status().resettable(),
            assigned_to_name: self.assigned_to_name().clearable(),
            report_recipients: self.report_recipients().resettable(),
            report_settings: self.report_settings().clearable(),
            ..ProjectPatch::default()
        }
    }
}

body! {
    ReportSettingsMembers {
        enabled: bool = nullable "enabled";
        frequency: Inherited<Frequency> = nullable "frequency";
        include_pdf: Inherited<YesOrNo> = nullable "includePdf";
        content_overrides: ContentOverrides = nullable "contentOverrides";
    }
}
nested_body!(ReportSettingsMembers => ReportSettingsPatch: report_settings);

fn report_settings(of: &ReportSettingsMembers) -> ReportSettingsPatch {
    ReportSettingsPatch {
        enabled: of.enabled().clearable(),
        frequency: own(of.frequency().clearable()),
        include_pdf: own(of.include_pdf().clearable()).map(|it| it.map(YesOrNo::is_yes)),
        content_overrides: of.content_overrides().clearable(),
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum YesOrNo {
        Yes = "yes",
        No = "no",
    }
}
string_enums!(YesOrNo);

impl YesOrNo {
    pub(crate) fn is_yes(self) -> bool {
        self == Self::Yes
    }

    const fn of(yes: bool) -> Self {
        if yes { Self::Yes } else { Self::No }
    }
}

/// `inherit` selects the account's default.
enum Inherited<W> {
    FromAccount,
    Own(W),
}

impl<W> Inherited<W> {
    const WORD: &str = "inherit";
}

impl<W: StringEnum> StringEnum for Inherited<W> {
    fn words() -> Vec<&'static str> {
        [vec![Self::WORD], W::words()].concat()
    }

    fn from_word(word: &str) -> Option<Self> {
        if word == Self::WORD {
            return Some(Self::FromAccount);
        }
        W::from_word(word).map(Self::Own)
    }
}

/// `inherit` and `null` mean the same.
fn own<W>(change: Change<Option<Inherited<W>>>) -> Change<Option<W>> {
    change.map(|it| match it {
        Some(Inherited::Own(value)) => Some(value),
        Some(Inherited::FromAccount) | None => None,
    })
}

/// Sections on or off; null inherits from the account.
struct ContentOverrides;

impl FieldType for ContentOverrides {
    type Value = BTreeMap<Section, Option<bool>>;

    fn of(fields: &Fields, pointer: &str, value: &Value) -> Option<Self::Value> {
        if value.to_string().len() > MAX_CONTENT_OVERRIDES {
            let rule = "must not be larger than 16 KiB";
            let error = FieldError::in_body(pointer, "too-large", rule);
            fields.note(error.with("max", MAX_CONTENT_OVERRIDES));
            return None;
        }
        let sections = fields.object(pointer, value)?;
        sections.reject_unknown(&Section::NAMES);
        let mut overrides = BTreeMap::new();
        for name in sections.names() {
            if let (Some(section), Change::Set(shown)) = (
                Section::named(name),
                sections.nullable::<bool>(name).clearable(),
            ) {
                overrides.insert(section, shown);
            }
        }
        Some(overrides)
    }

    fn schema() -> Value {
        let shown = or_null(<bool as FieldType>::schema());
        let sections: Map<String, Value> = { Section::NAMES.into_iter() }
            .map(|it| (it.to_owned(), shown.clone()))
            .collect();
        json!({ "type": "object", "additionalProperties": false, "properties": sections })
    }
}

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
    /// The client that owns the site.
    pub client_name: Option<String>,
    /// A free label.
    pub category: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// Whether it is listed first.
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

impl ReportSettingsView {
    fn of(settings: &ReportSettings) -> Self {
        Self {
            enabled: settings.enabled,
            frequency: settings
                .frequency
                .map_or(Inherited::<Frequency>::WORD, Frequency::name),
            include_pdf: settings
                .include_pdf
                .map_or(Inherited::<YesOrNo>::WORD, |it| YesOrNo::of(it).name()),
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
            include_pdf: YesOrNo::of(settings.include_pdf).name(),
            content: settings
                .content
                .iter()
                .map(|(section, shown)| (section.name(), *shown))
                .collect(),
        }
    }
}
