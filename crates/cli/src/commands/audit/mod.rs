//! `sightline audit`: audits one site without account and server.

mod changes;
mod details;
mod failure;
mod findings;
mod html;
mod journal;
mod json;
mod kept_site;
mod link_records;
mod locked_file;
mod progress;
mod rendering;
mod speed;
mod tables;

use super::{Outcome, UsageError};
use crate::cli::AuditArgs;
use crate::settings::{Loaded, Settings};
use crate::terminal::{check_output, eprint_line};
use crate::wiring::{site_services, system_ports};
use analysis::findings::broken_links::Severity;
use anyhow::Context;
use domain::ports::site_reader::{CrawlPlan, CrawlStart, Rendering};
use failure::explain;
use findings::{AuditExtras, AuditFindings};
use kept_site::KeptSite;
use locked_file::resolve_links;
use progress::ProgressBars;
use rendering::RenderStatus;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::as_owner_of;
use url::Url;

pub async fn run(loaded: Loaded, args: &AuditArgs) -> anyhow::Result<Outcome> {
    let settings = loaded.settings;
    let (clock, randomness) = system_ports();
    let site_services = site_services(&settings, &clock, &randomness, None);
    let reader = &*site_services.sites;
    let url = start_url(&args.url)?;
    let resolved = |path: &Option<PathBuf>| resolve_links(path.as_deref()?).ok();
    if args.snapshot.is_some() && resolved(&args.snapshot) == resolved(&args.html) {
        let message = "--snapshot and --html are the same file: choose two files";
        return Err(UsageError(message.to_owned()).into());
    }
    if let Some(folder) = args.html.as_deref().and_then(Path::parent)
        && !(folder.as_os_str().is_empty() || folder.is_dir())
    {
        let message = format!("--html: the directory {} does not exist", folder.display());
        return Err(UsageError(message).into());
    }
    let kept = args.snapshot.as_deref().map(KeptSite::open).transpose()?;
    let kept = kept.map(Arc::new);
    let plan = plan(args, &settings, url.clone());
    if plan.render != Rendering::No
        && let Some(missing) = reader.missing_browser()
    {
        eprint_line(format!(
            "No pages are rendered (rendererNotConfigured): {missing}."
        ));
    }
    let rendered = RenderStatus::detect(&plan, reader).await;
    let bars = ProgressBars::new(kept.clone())?;
    let read = reader.read(&plan, &bars).await;
    bars.clear();
    let observation = match read {
        Ok(observation) => observation,
        Err(error) => return Err(explain(&error, &url, &settings).await),
    };
    let vitals = match args.vitals {
        Some(max_pages) => {
            speed::measure_pages(&site_services, &clock, &plan.start, &bars, max_pages).await?
        }
        None => Vec::new(),
    };
    let now = clock.now();
    let extras = AuditExtras {
        vitals,
        kept: kept.as_deref(),
    };
    let (found, keeper, report) = tokio::task::block_in_place(|| {
        let report = args.json.then(|| json::JsonReport::start(&url, now));
        let mut report = report.transpose()?;
        let (found, keeper) = AuditFindings::collect(observation, &bars, extras, now, |record| {
            report.as_mut().map_or(Ok(()), |it| it.add(record))
        })?;
        let report = report.map(|it| it.finish(&found)).transpose()?;
        anyhow::Ok((found, keeper, report))
    })?;
    bars.clear();
    if let Some(file) = &args.html {
        let page = html::page(&url, now, &found, &rendered)?;
        as_owner_of(file, || std::fs::write(file, page.as_bytes()))
            .flatten()
            .with_context(|| format!("cannot write the report to {}", file.display()))?;
        eprint_line(format!("Wrote the report to {}.", file.display()));
    }
    match report {
        Some(report) => report.print(),
        None => tables::show(&url, &found, &rendered)?,
    }
    // If the report could not be printed, the next audit still compares with the previous one.
    check_output()?;
    keeper.map_or(Ok(()), |it| it.finish(now))?;
    Ok(outcome(&found, args.fail_on.as_deref()))
}

/// The command line overrides the settings.
pub fn plan(args: &AuditArgs, settings: &Settings, url: String) -> CrawlPlan {
    let set = &settings.crawler;
    CrawlPlan {
        start: CrawlStart::Url(url),
        max_pages: args.max_pages.unwrap_or(set.max_pages.0),
        max_depth: args.max_depth.unwrap_or(set.max_depth),
        check_external: set.check_external && !args.internal_only,
        render: Rendering::of(args.render.unwrap_or(set.render_pages.0)),
    }
}

/// Without user name and password: reports are shared.
fn start_url(url: &str) -> Result<String, UsageError> {
    let with_scheme = if url.contains("://") {
        url.to_owned()
    } else {
        format!("https://{url}")
    };
    let parsed = Url::parse(&with_scheme).ok();
    let mut parsed = parsed
        .filter(|it| matches!(it.scheme(), "http" | "https"))
        .ok_or_else(|| {
            let shown = without_userinfo(url);
            UsageError(format!(
                "`{shown}` is not an http or https URL such as https://example.com"
            ))
        })?;
    if parsed.username().is_empty() && parsed.password().is_none() {
        return Ok(with_scheme);
    }
    eprint_line(
        "The user name and password in the URL are not used: pages that require a login are not audited.",
    );
    // http and https URLs have a host, so this cannot fail.
    let _ = (parsed.set_username(""), parsed.set_password(None));
    Ok(parsed.into())
}

/// An invalid URL is shown without a possible password.
fn without_userinfo(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |it| it.1)
}

fn wire_name(value: impl Serialize) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Whether there is a finding of this severity or worse.
fn outcome(found: &AuditFindings, fail_on: Option<&str>) -> Outcome {
    let threshold = match fail_on {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some(_) => Severity::Notice,
        None => return Outcome::Done,
    };
    let all = [Severity::Error, Severity::Warning, Severity::Notice];
    let links = all
        .into_iter()
        .filter(|it| found.link_records.count(*it) > 0);
    let issues = found.content.issues.values().map(|count| count.severity);
    if links.chain(issues).any(|severity| severity <= threshold) {
        Outcome::Findings
    } else {
        Outcome::Done
    }
}
