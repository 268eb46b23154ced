//! /api/settings/report-defaults.

use crate::{
    agent_api::projects::EffectiveReportSettingsView,
    answer::Answer,
    endpoint::MemberCall,
    fields::{Fields, read_body},
    problem::Problem,
    services::Services,
};
use domain::{
    ports::storage::StorageError,
    report_settings::{EffectiveReportSettings, Frequency, Section},
};
use std::sync::Arc;

const INCLUDE_PDF: [&str; 2] = ["yes", "no"];

pub async fn read(_: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    call.query.finish()?;
    Ok(answer(&call.member.account.report_defaults))
}

/// As a whole; a section that is left out stays as it was.
pub async fn set(services: Arc<Services>, call: MemberCall) -> Result<Answer, Problem> {
    call.query.finish()?;
    let before = &call.member.account.report_defaults;
    let defaults = read_body(&call.body, |fields| settings(fields, before))?;
    let account = call.member.account.id;
    let changed = services
        .core
        .change_report_defaults(account, &defaults)
        .await?;
    let changed = changed.ok_or(StorageError::Corrupt {
        what: "the account of a session",
    })?;
    Ok(answer(&changed.report_defaults))
}

fn answer(defaults: &EffectiveReportSettings) -> Answer {
    Answer::ok(&EffectiveReportSettingsView::of(defaults))
}

fn settings(fields: &Fields, before: &EffectiveReportSettings) -> Option<EffectiveReportSettings> {
    fields.only(&["enabled", "frequency", "includePdf", "content"]);
    let enabled = fields.required("enabled", fields.flag("enabled"));
    let frequency = fields.choice("frequency", &Frequency::NAMES, Frequency::named);
    let frequency = fields.required("frequency", frequency);
    let pdf = |name: &str| INCLUDE_PDF.contains(&name).then_some(name == "yes");
    let include_pdf = fields.required("includePdf", fields.choice("includePdf", &INCLUDE_PDF, pdf));
    let content = fields.object("content", |sections| {
        sections.only(&Section::NAMES);
        let mut content = before.content.clone();
        for section in Section::ALL {
            let shown = sections.or_left_out(section.name(), sections.flag(section.name()));
            content.extend(shown.map(|shown| (section, shown)));
        }
        content
    });
    let content = fields.or_left_out("content", content);
    Some(EffectiveReportSettings {
        enabled: enabled?,
        frequency: frequency?,
        include_pdf: include_pdf?,
        content: content.unwrap_or_else(|| before.content.clone()),
    })
}
