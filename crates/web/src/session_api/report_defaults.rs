//! /api/settings/report-defaults.

use crate::agent_api::projects::{EffectiveReportSettingsView, YesOrNo};
use crate::contract::fields::{Fields, read_body};
use crate::contract::{body, values};
use crate::endpoint::MemberCall;
use crate::problem::Problem;
use crate::response::ApiResponse;
use crate::services::Services;
use domain::ports::storage::StorageError;
use domain::report_settings::{EffectiveReportSettings, Frequency, Section};
use serde_json::{Value, json};
use std::{collections::BTreeMap, sync::Arc};

body! {
    SetReportDefaults {
        enabled: bool = required "enabled";
        frequency: Frequency = required "frequency";
        include_pdf: YesOrNo = required "includePdf";
        content: Sections = optional "content";
    }
}

/// Given sections, on or off.
struct Sections;

values! {
    Sections => BTreeMap<Section, bool>: sections, json!({ "type": "object", "additionalProperties": { "type": "boolean" } });
}

fn sections(fields: &Fields, pointer: &str, value: &Value) -> Option<BTreeMap<Section, bool>> {
    let sections = fields.object(pointer, value)?;
    sections.reject_unknown(&Section::NAMES);
    let shown = |it: Section| Some((it, sections.optional::<bool>(it.name())?));
    Some(Section::ALL.into_iter().filter_map(shown).collect())
}

pub async fn read(_: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    Ok(response(&call.member.account.report_defaults))
}

/// Replaced as a whole; absent sections stay unchanged.
pub async fn set(services: Arc<Services>, call: MemberCall) -> Result<ApiResponse, Problem> {
    call.query.finish()?;
    let before = &call.member.account.report_defaults;
    let defaults = read_body(&call.body, |body| settings(body, before))?;
    let changed = services
        .core
        .change_report_defaults(&call.member.user, &defaults)
        .await?;
    let changed = changed.ok_or(StorageError::Corrupt {
        subject: "the account of a session",
    })?;
    Ok(response(&changed.report_defaults))
}

fn response(defaults: &EffectiveReportSettings) -> ApiResponse {
    ApiResponse::ok(&EffectiveReportSettingsView::of(defaults))
}

fn settings(
    body: &SetReportDefaults,
    before: &EffectiveReportSettings,
) -> Option<EffectiveReportSettings> {
    let (enabled, frequency) = (body.enabled(), body.frequency());
    let (include_pdf, shown) = (body.include_pdf(), body.content());
    let mut content = before.content.clone();
    content.extend(shown.unwrap_or_default());
    Some(EffectiveReportSettings {
        enabled: enabled?,
        frequency: frequency?,
        include_pdf: include_pdf?.is_yes(),
        content,
    })
}
