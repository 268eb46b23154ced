use super::{from_json, json, known};
use domain::ports::storage::StorageError;
use domain::report_settings::{EffectiveReportSettings, Frequency, ReportSettings, Section};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const SUBJECT: &str = "report settings";

#[derive(Serialize, Deserialize)]
struct Own {
    enabled: Option<bool>,
    frequency: Option<String>,
    include_pdf: Option<bool>,
    content: BTreeMap<String, bool>,
}

#[derive(Serialize, Deserialize)]
struct Defaults {
    enabled: bool,
    frequency: String,
    include_pdf: bool,
    content: BTreeMap<String, bool>,
}

fn named(content: &BTreeMap<Section, bool>) -> BTreeMap<String, bool> {
    let named = content.iter();
    named
        .map(|(section, shown)| (section.name().to_owned(), *shown))
        .collect()
}

fn sections(content: &BTreeMap<String, bool>) -> Result<BTreeMap<Section, bool>, StorageError> {
    let sections = content.iter();
    sections
        .map(|(name, shown)| Ok((known(Section::named(name), SUBJECT)?, *shown)))
        .collect()
}

pub fn own_text(settings: &ReportSettings) -> String {
    json(&Own {
        enabled: settings.enabled,
        frequency: settings.frequency.map(|it| it.name().to_owned()),
        include_pdf: settings.include_pdf,
        content: named(&settings.content_overrides),
    })
}

pub fn own(text: &str) -> Result<ReportSettings, StorageError> {
    let stored: Own = from_json(text, SUBJECT)?;
    let frequency = stored.frequency.as_deref();
    Ok(ReportSettings {
        enabled: stored.enabled,
        frequency: frequency
            .map(|name| known(Frequency::named(name), SUBJECT))
            .transpose()?,
        include_pdf: stored.include_pdf,
        content_overrides: sections(&stored.content)?,
    })
}

pub fn defaults_text(settings: &EffectiveReportSettings) -> String {
    json(&Defaults {
        enabled: settings.enabled,
        frequency: settings.frequency.name().to_owned(),
        include_pdf: settings.include_pdf,
        content: named(&settings.content),
    })
}

pub fn defaults(text: &str) -> Result<EffectiveReportSettings, StorageError> {
    let stored: Defaults = from_json(text, SUBJECT)?;
    Ok(EffectiveReportSettings {
        enabled: stored.enabled,
        frequency: known(Frequency::named(&stored.frequency), SUBJECT)?,
        include_pdf: stored.include_pdf,
        content: sections(&stored.content)?,
    })
}
