mod change;
mod create;
mod deactivate;
mod list;
mod members;
mod read;

pub use change::{FIELDS as CHANGE_FIELDS, change, patch_of, unchanged};
pub use create::{FIELDS as CREATE_FIELDS, create};
pub use deactivate::deactivate;
pub use list::{LIST_LIMITS, list, status as status_filter};
pub use members::{EffectiveReportSettingsView, ProjectView, ReportSettingsView};
pub use read::read;

use crate::{
    fields::{Fields, Given},
    problem::FieldError,
};
use domain::{
    email::EmailAddress,
    patch::Change,
    project::{Priority, ProjectMeta, ReportSettingsPatch, WorkflowStatus, each_once},
    report_settings::{Frequency, ReportSettings, Section},
    text::{Label, Tag},
};
use std::collections::BTreeMap;

/// As JSON text, in bytes.
const MOST_CONTENT_OVERRIDES: usize = 16 * 1024;

/// `inherit` takes the account's default.
pub const FREQUENCIES: [&str; 5] = ["inherit", "daily", "weekly", "monthly", "quarterly"];
/// `inherit` takes the account's default.
pub const INCLUDE_PDF: [&str; 3] = ["inherit", "yes", "no"];

struct MetaFields {
    client_name: Given<Label>,
    category: Given<Label>,
    tags: Given<Vec<Tag>>,
    favorite: Given<bool>,
    priority: Given<Priority>,
    workflow_status: Given<WorkflowStatus>,
    assigned_to_name: Given<Label>,
    report_recipients: Given<Vec<EmailAddress>>,
    report_settings: Given<ReportSettingsPatch>,
}

impl MetaFields {
    fn read(fields: &Fields) -> Self {
        Self {
            client_name: fields.text("clientName", Label::parse),
            category: fields.text("category", Label::parse),
            tags: once(fields.texts("tags", ProjectMeta::MOST_TAGS, Tag::parse)),
            favorite: fields.flag("favorite"),
            priority: fields.choice("priority", &Priority::NAMES, Priority::named),
            workflow_status: fields.choice(
                "workflowStatus",
                &WorkflowStatus::NAMES,
                WorkflowStatus::named,
            ),
            assigned_to_name: fields.text("assignedToName", Label::parse),
            report_recipients: once(fields.texts(
                "reportRecipients",
                ProjectMeta::MOST_RECIPIENTS,
                EmailAddress::parse,
            )),
            report_settings: fields.object("reportSettings", report_settings),
        }
    }

    fn into_meta(self, fields: &Fields) -> ProjectMeta {
        let settings = self
            .report_settings
            .value()
            .map(|patch| patch.applied_to(ReportSettings::default()));
        ProjectMeta {
            client_name: self.client_name.value(),
            category: self.category.value(),
            tags: self.tags.value().unwrap_or_default(),
            favorite: fields
                .or_left_out("favorite", self.favorite)
                .unwrap_or_default(),
            priority: self.priority.value().unwrap_or_default(),
            workflow_status: self.workflow_status.value().unwrap_or_default(),
            assigned_to_name: self.assigned_to_name.value(),
            report_recipients: self.report_recipients.value().unwrap_or_default(),
            report_settings: settings,
        }
    }
}

fn once<T: PartialEq>(given: Given<Vec<T>>) -> Given<Vec<T>> {
    match given {
        Given::Value(values) => Given::Value(each_once(values)),
        other => other,
    }
}

fn report_settings(fields: &Fields) -> ReportSettingsPatch {
    fields.only(&["enabled", "frequency", "includePdf", "contentOverrides"]);
    ReportSettingsPatch {
        enabled: fields.flag("enabled").clearable(),
        frequency: inherited(fields.choice("frequency", &FREQUENCIES, frequency)),
        include_pdf: inherited(fields.choice("includePdf", &INCLUDE_PDF, include_pdf)),
        content_overrides: content_overrides(fields),
    }
}

enum Inherited<T> {
    FromAccount,
    Own(T),
}

fn frequency(name: &str) -> Option<Inherited<Frequency>> {
    match name {
        "inherit" => Some(Inherited::FromAccount),
        name => Frequency::named(name).map(Inherited::Own),
    }
}

fn include_pdf(name: &str) -> Option<Inherited<bool>> {
    match name {
        "inherit" => Some(Inherited::FromAccount),
        "yes" => Some(Inherited::Own(true)),
        "no" => Some(Inherited::Own(false)),
        _ => None,
    }
}

/// `inherit` and `null` mean the same.
fn inherited<T>(given: Given<Inherited<T>>) -> Change<Option<T>> {
    match given.clearable() {
        Change::Keep => Change::Keep,
        Change::Set(Some(Inherited::Own(value))) => Change::Set(Some(value)),
        Change::Set(_) => Change::Set(None),
    }
}

fn content_overrides(fields: &Fields) -> Change<Option<BTreeMap<Section, Option<bool>>>> {
    let size = fields
        .raw("contentOverrides")
        .map_or(0, |value| value.to_string().len());
    if size > MOST_CONTENT_OVERRIDES {
        let error = FieldError::at(
            fields.at("contentOverrides"),
            "too-large",
            "must not be larger than 16 KiB",
        );
        fields.note(error.with("max", MOST_CONTENT_OVERRIDES));
        return Change::Keep;
    }
    let sections = fields.object("contentOverrides", |sections| {
        sections.only(&Section::NAMES);
        let mut overrides = BTreeMap::new();
        for name in sections.names() {
            if let (Some(section), Change::Set(shown)) =
                (Section::named(name), sections.flag(name).clearable())
            {
                overrides.insert(section, shown);
            }
        }
        overrides
    });
    sections.clearable()
}
