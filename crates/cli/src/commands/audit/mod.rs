//! `sightline audit`: audits one site without account and server.

mod changes;
mod details;
mod failure;
mod findings;
mod held_file;
mod html;
mod journal;
mod json;
mod kept_site;
mod link_records;
mod progress;
mod rendering;
mod speed;
mod tables;

use super::{Ended, WrongUsage};
use crate::cli::AuditArgs;
use crate::settings::{Loaded, Settings};
use crate::terminal::{all_is_said, remark};
use crate::wiring::{machine, site_tools};
use analysis::findings::broken_links::Severity;
use anyhow::Context;
use domain::ports::site_reader::{CrawlPlan, CrawlStart, Rendering};
use failure::explained;
use findings::{Beside, Found};
use held_file::followed;
use kept_site::KeptSite;
use progress::Bars;
use rendering::Rendered;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use storage::as_owner_of;
use url::Url;

pub async fn run(loaded: Loaded, args: &AuditArgs) -> anyhow::Result<Ended> {
    let settings = loaded.settings;
    let (clock, randomness) = machine();
    let tools = site_tools(&settings, &clock, &randomness, None);
    let reader = &*tools.sites;
    let url = start(&args.url)?;
    let end_of = |path: &Option<PathBuf>| followed(path.as_deref()?).ok();
    if args.keep.is_some() && end_of(&args.keep) == end_of(&args.html) {
        let told = "--keep and --html name the same file; name two";
        return Err(WrongUsage(told.to_owned()).into());
    }
    if let Some(folder) = args.html.as_deref().and_then(Path::parent)
        && !(folder.as_os_str().is_empty() || folder.is_dir())
    {
        let told = format!("--html: there is no folder {}", folder.display());
        return Err(WrongUsage(told).into());
    }
    let kept = args.keep.as_deref().map(KeptSite::open).transpose()?;
    let kept = kept.map(Arc::new);
    let plan = plan(args, &settings, url.clone());
    if plan.render != Rendering::No
        && let Some(missing) = reader.missing_browser()
    {
        remark(format!(
            "No page is rendered (rendererNotConfigured): {missing}."
        ));
    }
    let rendered = Rendered::of(&plan, reader).await;
    let bars = Bars::new(kept.clone())?;
    let read = reader.read(&plan, &bars).await;
    bars.clear();
    let observation = match read {
        Ok(observation) => observation,
        Err(error) => return Err(explained(&error, &url, &settings).await),
    };
    let vitals = match args.vitals {
        Some(most) => speed::measured(&tools, &clock, &plan.start, &bars, most).await?,
        None => Vec::new(),
    };
    let now = clock.now();
    let beside = Beside {
        vitals,
        kept: kept.as_deref(),
    };
    let (found, keeper, report) = tokio::task::block_in_place(|| {
        let report = args.json.then(|| json::Report::begin(&url, now));
        let mut report = report.transpose()?;
        let (found, keeper) = Found::of(observation, &bars, beside, now, |record| {
            report.as_mut().map_or(Ok(()), |it| it.add(record))
        })?;
        let report = report.map(|it| it.end(&found)).transpose()?;
        anyhow::Ok((found, keeper, report))
    })?;
    bars.clear();
    if let Some(file) = &args.html {
        let page = html::page(&url, now, &found, &rendered)?;
        as_owner_of(file, || std::fs::write(file, page.as_bytes()))
            .flatten()
            .with_context(|| format!("the report cannot be written to {}", file.display()))?;
        remark(format!("The report is in {}.", file.display()));
    }
    match report {
        Some(report) => report.print(),
        None => tables::show(&url, &found, &rendered)?,
    }
    // If the report could not be printed, the next audit still compares with the previous one.
    all_is_said()?;
    keeper.map_or(Ok(()), |it| it.finish(now))?;
    Ok(verdict(&found, args.fail_on.as_deref()))
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
fn start(url: &str) -> Result<String, WrongUsage> {
    let with_scheme = if url.contains("://") {
        url.to_owned()
    } else {
        format!("https://{url}")
    };
    let parsed = Url::parse(&with_scheme).ok();
    let mut parsed = parsed
        .filter(|it| matches!(it.scheme(), "http" | "https"))
        .ok_or_else(|| {
            let told = without_userinfo(url);
            WrongUsage(format!(
                "`{told}` is no http or https address, for example https://example.com"
            ))
        })?;
    if parsed.username().is_empty() && parsed.password().is_none() {
        return Ok(with_scheme);
    }
    remark(
        "The user name and password of the address are not used: what is behind a login is not audited.",
    );
    // http and https URLs have a host, so this cannot fail.
    let _ = (parsed.set_username(""), parsed.set_password(None));
    Ok(parsed.into())
}

/// An invalid URL is shown without a possible password.
fn without_userinfo(text: &str) -> &str {
    text.rsplit_once('@').map_or(text, |it| it.1)
}

fn word(of: impl Serialize) -> String {
    let value = serde_json::to_value(of).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Whether there is a finding of this severity or worse.
fn verdict(found: &Found, fail_on: Option<&str>) -> Ended {
    let least = match fail_on {
        Some("error") => Severity::Error,
        Some("warning") => Severity::Warning,
        Some(_) => Severity::Notice,
        None => return Ended::Done,
    };
    let all = [Severity::Error, Severity::Warning, Severity::Notice];
    let links = all
        .into_iter()
        .filter(|it| found.link_records.count(*it) > 0);
    let issues = found.content.issues.values().map(|count| count.severity);
    if links.chain(issues).any(|severity| severity <= least) {
        Ended::Findings
    } else {
        Ended::Done
    }
}
