use super::{Ended, WrongUsage, no_project, project};
use crate::cli::{ProjectArgs, SearchConsoleCommand};
use crate::terminal::{progress_bar, remark, say, show_table};
use crate::wiring::{Foundation, console_fetcher};
use analysis::findings::suggestions::ConsoleRow;
use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use domain::ports::search_console::{ConsoleExports, ExportFile, ReadExport};
use domain::search_console::{Cut, FRESH, LONGEST_PERIOD, RowSet, Span};
use domain::use_cases::search_console::fetch::{FetchConsoleError, FetchedDay};
use domain::use_cases::search_console::import::ImportConsoleError;
use domain::use_cases::search_console::{BindConsoleError, ConsoleState, ImportedSpan};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const LONGEST: u64 = 64 * 1024 * 1024;

pub async fn run(foundation: &Foundation, command: SearchConsoleCommand) -> anyhow::Result<Ended> {
    match command {
        SearchConsoleCommand::Import {
            of,
            from,
            to,
            page,
            files,
        } => import(foundation, &of, period(from, to)?, page, &files).await?,
        SearchConsoleCommand::Bind { of, property } => bind(foundation, &of, &property).await?,
        SearchConsoleCommand::Unbind { of } => unbind(foundation, &of).await?,
        SearchConsoleCommand::Fetch { of, from, to } => {
            fetch(foundation, &of, period(from, to)?).await?;
        }
        SearchConsoleCommand::Rows { of, limit, json } => {
            rows(foundation, &of, limit, json).await?;
        }
        SearchConsoleCommand::Status { of, json } => status(foundation, &of, json).await?,
    }
    Ok(Ended::Done)
}

fn period(from: Option<NaiveDate>, to: Option<NaiveDate>) -> Result<Option<Span>, WrongUsage> {
    match (from, to) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) => Span::between(from, to)
            .map(Some)
            .ok_or_else(|| WrongUsage(format!("--from {from} comes after --to {to}"))),
        _ => Err(WrongUsage("--from and --to belong together".to_owned())),
    }
}

async fn import(
    foundation: &Foundation,
    of: &ProjectArgs,
    span: Option<Span>,
    page: Option<String>,
    files: &[PathBuf],
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let bar = progress_bar("reading");
    bar.set_length(files.len() as u64);
    let mut sets: Vec<RowSet> = Vec::new();
    let mut names = Vec::new();
    for path in files {
        let export = read(path, span, page.clone()).await?;
        for left_out in &export.left_out {
            remark(format!("Left out of {left_out}."));
        }
        sets.extend(export.sets);
        names.push(name_of(path));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let (core, label) = (foundation.core(), names.join(", "));
    let import = core.import_console_rows(account, project, sets, &label);
    let imported = match import.await {
        Err(ImportConsoleError::NoSuchProject) => return Err(no_project(of).into()),
        Err(ImportConsoleError::Storage(error)) => return Err(error.into()),
        Err(refusal) => {
            let told = format!("Nothing is imported: {refusal}.");
            return Err(WrongUsage(told).into());
        }
        Ok(imported) => imported,
    };
    for (cut, spans) in by_cut(&imported.spans) {
        say(format!("{cut}: {spans}"));
    }
    if imported.foreign > 0 {
        remark(format!(
            "{} rows about pages of other sites are left out.",
            imported.foreign
        ));
    }
    if imported.replaced > 0 {
        remark(format!(
            "{} rows that were there for the same days are replaced.",
            imported.replaced
        ));
    }
    tell_use(&imported.spans, foundation.clock.now().date_naive());
    Ok(())
}

fn tell_use(spans: &[(Cut, Span, u64)], today: NaiveDate) {
    if let Some((cut, span, _)) = spans.iter().find(|it| it.1.is_too_long()) {
        remark(format!(
            "{} of {span} is kept, and no figure rests on it: a period of more than {LONGEST_PERIOD} days that is told as a whole says too little of its end. Export three months or less.",
            cut.name()
        ));
    }
    let of_use = spans.iter().map(|it| it.1).filter(|it| !it.is_too_long());
    match of_use.max_by_key(|it| it.last) {
        None => {}
        Some(newest) if !newest.is_fresh(today) => remark(format!(
            "They end on {}, more than {} days ago: no figure rests on them now; clicks of earlier days are compared with newer ones once there are some.",
            newest.last,
            FRESH.num_days()
        )),
        Some(_) => remark("The next rank check makes use of them."),
    }
}

fn by_cut(spans: &[(Cut, Span, u64)]) -> Vec<(String, String)> {
    let mut cuts: std::collections::BTreeMap<String, (Span, u64)> =
        std::collections::BTreeMap::new();
    for (cut, span, rows) in spans {
        let sum = cuts.entry(cut.name()).or_insert((*span, 0));
        sum.0.first = sum.0.first.min(span.first);
        sum.0.last = sum.0.last.max(span.last);
        sum.1 += rows;
    }
    cuts.into_iter()
        .map(|(cut, (span, rows))| (cut, format!("{rows} rows of {span}")))
        .collect()
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Reads the file off the async threads.
async fn read(path: &Path, span: Option<Span>, page: Option<String>) -> anyhow::Result<ReadExport> {
    let name = name_of(path);
    let unread = || format!("cannot read {}", path.display());
    let told = tokio::fs::metadata(path).await.with_context(unread)?;
    if !told.is_file() || told.len() > LONGEST {
        return Err(WrongUsage(format!(
            "Nothing is imported: {} is no file of at most 64 MiB. Export shorter periods and import them one after the other.",
            path.display()
        ))
        .into());
    }
    let bytes = tokio::fs::read(path).await.with_context(unread)?;
    let read = tokio::task::spawn_blocking(move || {
        let exports: Arc<dyn ConsoleExports> = providers::search_console::exports();
        exports.read(&ExportFile {
            name: &name,
            bytes: &bytes,
            span,
            page: page.as_deref(),
            unpacks: true,
        })
    });
    read.await?
        .map_err(|error| WrongUsage(format!("Nothing is imported: {error}")).into())
}

async fn bind(foundation: &Foundation, of: &ProjectArgs, property: &str) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let core = foundation.core();
    let bind = core.bind_console(account, project, property);
    let binding = match bind.await {
        Err(BindConsoleError::NoSuchProject) => return Err(no_project(of).into()),
        Err(BindConsoleError::Property(refusal)) => {
            return Err(WrongUsage(format!("--property {property} {refusal}")).into());
        }
        outcome => outcome?,
    };
    say(format!(
        "{} is fetched for project {project}.",
        binding.property
    ));
    match console_fetcher(foundation).missing() {
        Some(missing) => remark(format!("Not before something is done: {missing}.")),
        None => remark(
            "A worker begins at once and then looks once a day; `sightline search-console fetch` does not wait for it.",
        ),
    }
    Ok(())
}

async fn unbind(foundation: &Foundation, of: &ProjectArgs) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let core = foundation.core();
    if !core.unbind_console(account, project).await? {
        return Err(not_bound(of).into());
    }
    remark("Nothing more is fetched; what was fetched stays.");
    Ok(())
}

fn not_bound(of: &ProjectArgs) -> WrongUsage {
    WrongUsage(format!(
        "No property is bound to project {0}. `sightline search-console bind --email {1} --project {0} --property sc-domain:example.com` binds one.",
        of.project, of.email
    ))
}

async fn fetch(
    foundation: &Foundation,
    of: &ProjectArgs,
    span: Option<Span>,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let source = console_fetcher(foundation);
    if let Some(missing) = source.missing() {
        return Err(WrongUsage(format!("Nothing can be fetched: {missing}.")).into());
    }
    let bar = progress_bar("days");
    let shown = bar.clone();
    let on_day = move |it: FetchedDay| {
        shown.inc(1);
        shown.set_length(shown.position() + u64::from(it.left));
        shown.set_message(format!("{}: {} rows", it.day, it.rows));
    };
    let fetched = source.run(account, project, span, &on_day).await;
    bar.finish_and_clear();
    let fetched = match fetched {
        Err(FetchConsoleError::NotBound) => return Err(not_bound(of).into()),
        Err(FetchConsoleError::NoSuchProject) => return Err(no_project(of).into()),
        Err(refusal @ FetchConsoleError::TooOld(_)) => {
            return Err(WrongUsage(format!("Nothing is fetched: {refusal}.")).into());
        }
        outcome => outcome?,
    };
    let through = fetched.through.map_or_else(
        || "nothing is final yet".to_owned(),
        |day| format!("through {day}"),
    );
    say(format!(
        "{} days, {} rows, {through}",
        fetched.days, fetched.rows
    ));
    Ok(())
}

async fn rows(
    foundation: &Foundation,
    of: &ProjectArgs,
    limit: u32,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let today = foundation.clock.now().date_naive();
    let core = foundation.core();
    let rows = core.console_rows(account, project, today, limit).await?;
    if as_json {
        say(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let Some(first) = rows.first() else {
        remark(
            "There are no rows by search and page of the last weeks. `sightline search-console status` shows what there is.",
        );
        return Ok(());
    };
    remark(format!(
        "From {} to {}, all countries and devices together:",
        first.from, first.to
    ));
    let row = |it: &ConsoleRow| {
        [
            it.keyword.clone(),
            it.url.clone(),
            it.impressions.to_string(),
            it.clicks.to_string(),
            format!("{:.1}", it.position),
        ]
    };
    let header = ["search", "page", "shown", "clicked", "position"];
    show_table(&header, rows.iter().map(row));
    Ok(())
}

async fn status(foundation: &Foundation, of: &ProjectArgs, as_json: bool) -> anyhow::Result<()> {
    let (account, project) = project(foundation, of).await?;
    let state = foundation.core().console_state(account, project).await?;
    let state = state.ok_or_else(|| no_project(of))?;
    if as_json {
        say(serde_json::to_string_pretty(&as_value(&state))?);
        return Ok(());
    }
    show(&state, foundation.clock.now());
    if let Some(missing) = console_fetcher(foundation).missing() {
        remark(format!("Nothing is fetched: {missing}."));
    }
    Ok(())
}

fn show(state: &ConsoleState, now: DateTime<Utc>) {
    match &state.binding {
        None => remark("No property is bound: rows come from imported files alone."),
        Some(binding) => {
            let through = binding
                .through
                .map_or("never".to_owned(), |it| it.to_string());
            let last = binding.last_at.map_or("never".to_owned(), minute);
            let outcome = match &binding.last_failure {
                Some(failure) => format!("failed {} time(s): {failure}", binding.failures),
                None if binding.is_held(now) => "is being fetched".to_owned(),
                None => "fine".to_owned(),
            };
            let header = ["property", "fetched through", "last", "how it went", "next"];
            let row = [
                binding.property.to_string(),
                through,
                last,
                outcome,
                minute(binding.next_at),
            ];
            show_table(&header, [row]);
        }
    }
    let header = ["rows of", "days", "told", "rows", "from", "imported"];
    show_table(&header, state.imported.iter().map(span_row));
}

fn minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

fn span_row(it: &ImportedSpan) -> [String; 6] {
    [
        it.cut.name(),
        it.span.to_string(),
        match it.days {
            Some(days) => format!("{days} of {} days", it.span.days()),
            None => "as a whole".to_owned(),
        },
        it.rows.to_string(),
        format!("{}: {}", it.origin.name(), it.label),
        minute(it.imported_at),
    ]
}

fn as_value(state: &ConsoleState) -> serde_json::Value {
    let binding = state.binding.as_ref().map(|it| {
        json!({
            "property": it.property.as_str(),
            "through": it.through,
            "nextAt": it.next_at,
            "lastAt": it.last_at,
            "lastFailure": it.last_failure,
            "failures": it.failures,
        })
    });
    let imported: Vec<_> = { state.imported.iter() }
        .map(|it| {
            json!({
                "cut": it.cut.name(),
                "from": it.span.first,
                "to": it.span.last,
                "days": it.days,
                "rows": it.rows,
                "origin": it.origin.name(),
                "label": it.label,
                "importedAt": it.imported_at,
            })
        })
        .collect();
    json!({ "binding": binding, "imported": imported })
}
