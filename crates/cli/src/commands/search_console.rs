use super::{Outcome, UsageError, find_project, no_such_project};
use crate::cli::{ListArgs, ProjectArgs, SearchConsoleCommand};
use crate::terminal::{eprint_line, print_line, print_table, progress_bar};
use crate::wiring::{AppContext, console_fetcher};
use analysis::findings::suggestions::ConsoleRow;
use anyhow::Context;
use chrono::{DateTime, NaiveDate, Utc};
use domain::ports::search_console::{ConsoleExports, ExportFile, ReadExport};
use domain::search_console::{DimensionSet, MAX_BASIS_AGE, MAX_PERIOD_DAYS, RowSet, Span};
use domain::use_cases::search_console::fetch::{FetchConsoleError, FetchedDay};
use domain::use_cases::search_console::import::ImportConsoleError;
use domain::use_cases::search_console::{BindConsoleError, ConsoleState, ImportedSpan};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

pub async fn run(context: &AppContext, command: SearchConsoleCommand) -> anyhow::Result<Outcome> {
    match command {
        SearchConsoleCommand::Import {
            project_args,
            from,
            to,
            page,
            files,
        } => {
            import(
                context,
                &project_args,
                parse_period(from, to)?,
                page,
                &files,
            )
            .await?;
        }
        SearchConsoleCommand::Bind {
            project_args,
            property,
        } => bind(context, &project_args, &property).await?,
        SearchConsoleCommand::Unbind { project_args } => unbind(context, &project_args).await?,
        SearchConsoleCommand::Fetch {
            project_args,
            from,
            to,
        } => {
            fetch(context, &project_args, parse_period(from, to)?).await?;
        }
        SearchConsoleCommand::Rows {
            project_args,
            limit,
            json,
        } => {
            rows(context, &project_args, limit, json).await?;
        }
        SearchConsoleCommand::Status(args) => status(context, &args).await?,
    }
    Ok(Outcome::Done)
}

fn parse_period(
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
) -> Result<Option<Span>, UsageError> {
    match (from, to) {
        (None, None) => Ok(None),
        (Some(from), Some(to)) => Span::between(from, to)
            .map(Some)
            .ok_or_else(|| UsageError(format!("--from {from} is after --to {to}"))),
        _ => Err(UsageError(
            "--from and --to must be used together".to_owned(),
        )),
    }
}

async fn import(
    context: &AppContext,
    project_args: &ProjectArgs,
    span: Option<Span>,
    page: Option<String>,
    files: &[PathBuf],
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let bar = progress_bar("reading");
    bar.set_length(files.len() as u64);
    let mut sets: Vec<RowSet> = Vec::new();
    let mut names = Vec::new();
    for path in files {
        let export = read_export(path, span, page.clone()).await?;
        for left_out in &export.left_out {
            eprint_line(format!("Skipped: {left_out}."));
        }
        sets.extend(export.sets);
        names.push(file_name(path));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let (core, label) = (context.core(), names.join(", "));
    let import = core.import_console_rows(account, project, sets, &label);
    let imported = match import.await {
        Err(ImportConsoleError::NoSuchProject) => return Err(no_such_project(project_args).into()),
        Err(ImportConsoleError::Storage(error)) => return Err(error.into()),
        Err(refusal) => {
            let message = format!("nothing was imported: {refusal}");
            return Err(UsageError(message).into());
        }
        Ok(imported) => imported,
    };
    for (cut, spans) in rows_by_dimensions(&imported.spans) {
        print_line(format!("{cut}: {spans}"));
    }
    if imported.foreign > 0 {
        eprint_line(format!(
            "Skipped {} rows about pages of other sites.",
            imported.foreign
        ));
    }
    if imported.replaced > 0 {
        eprint_line(format!(
            "Replaced {} stored rows of the same days.",
            imported.replaced
        ));
    }
    report_usage(&imported.spans, context.clock.now().date_naive());
    Ok(())
}

fn report_usage(spans: &[(DimensionSet, Span, u64)], today: NaiveDate) {
    if let Some((cut, span, _)) = spans.iter().find(|it| it.1.is_too_long()) {
        eprint_line(format!(
            "{} of {span} is stored but not used: totals of more than {MAX_PERIOD_DAYS} days do not show recent changes. Export three months or less.",
            cut.name()
        ));
    }
    let usable = spans.iter().map(|it| it.1).filter(|it| !it.is_too_long());
    match usable.max_by_key(|it| it.last) {
        None => {}
        Some(newest) if !newest.is_fresh(today) => eprint_line(format!(
            "The rows end on {}, more than {} days ago, and are not used until newer rows are imported; then clicks are compared with them.",
            newest.last,
            MAX_BASIS_AGE.num_days()
        )),
        Some(_) => eprint_line("The next rank check uses the rows."),
    }
}

fn rows_by_dimensions(spans: &[(DimensionSet, Span, u64)]) -> Vec<(String, String)> {
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

fn file_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// Reads the file off the async threads.
async fn read_export(
    path: &Path,
    span: Option<Span>,
    page: Option<String>,
) -> anyhow::Result<ReadExport> {
    let name = file_name(path);
    let failure = || format!("cannot read {}", path.display());
    let metadata = tokio::fs::metadata(path).await.with_context(failure)?;
    if !metadata.is_file() || metadata.len() > MAX_FILE_BYTES {
        return Err(UsageError(format!(
            "nothing was imported: {} is not a file of at most 64 MiB; export and import shorter periods",
            path.display()
        ))
        .into());
    }
    let bytes = tokio::fs::read(path).await.with_context(failure)?;
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
        .map_err(|error| UsageError(format!("nothing was imported: {error}")).into())
}

async fn bind(
    context: &AppContext,
    project_args: &ProjectArgs,
    property: &str,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let core = context.core();
    let bind = core.bind_console(account, project, property);
    let binding = match bind.await {
        Err(BindConsoleError::NoSuchProject) => return Err(no_such_project(project_args).into()),
        Err(BindConsoleError::Property(refusal)) => {
            return Err(UsageError(format!("--property {property} {refusal}")).into());
        }
        outcome => outcome?,
    };
    print_line(format!("Bound {} to project {project}.", binding.property));
    match console_fetcher(context).missing() {
        Some(missing) => eprint_line(format!("The property is not fetched yet: {missing}.")),
        None => eprint_line(
            "A worker fetches it now and then once a day; `sightline search-console fetch` fetches it in this process.",
        ),
    }
    Ok(())
}

async fn unbind(context: &AppContext, project_args: &ProjectArgs) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let core = context.core();
    if !core.unbind_console(account, project).await? {
        return Err(no_binding(project_args).into());
    }
    eprint_line("Unbound the property; stored rows are kept.");
    Ok(())
}

fn no_binding(of: &ProjectArgs) -> UsageError {
    UsageError(format!(
        "no property is bound to project {0}: `sightline search-console bind --email {1} --project {0} --property sc-domain:example.com` binds one",
        of.project, of.email
    ))
}

async fn fetch(
    context: &AppContext,
    project_args: &ProjectArgs,
    span: Option<Span>,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let source = console_fetcher(context);
    if let Some(missing) = source.missing() {
        return Err(UsageError(format!("nothing was fetched: {missing}")).into());
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
        Err(FetchConsoleError::NotBound) => return Err(no_binding(project_args).into()),
        Err(FetchConsoleError::NoSuchProject) => return Err(no_such_project(project_args).into()),
        Err(refusal @ FetchConsoleError::TooOld(_)) => {
            return Err(UsageError(format!("nothing was fetched: {refusal}")).into());
        }
        outcome => outcome?,
    };
    let through = fetched.through.map_or_else(
        || "no final days yet".to_owned(),
        |day| format!("through {day}"),
    );
    print_line(format!(
        "{} days, {} rows, {through}",
        fetched.days, fetched.rows
    ));
    Ok(())
}

async fn rows(
    context: &AppContext,
    project_args: &ProjectArgs,
    limit: u32,
    as_json: bool,
) -> anyhow::Result<()> {
    let (account, project) = find_project(context, project_args).await?;
    let today = context.clock.now().date_naive();
    let core = context.core();
    let rows = core.console_rows(account, project, today, limit).await?;
    if as_json {
        print_line(serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    let Some(first) = rows.first() else {
        eprint_line(
            "No rows by query and page of recent weeks are stored; `sightline search-console status` shows the stored data.",
        );
        return Ok(());
    };
    eprint_line(format!(
        "From {} to {}, all countries and devices combined:",
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
    let header = ["query", "page", "impressions", "clicks", "position"];
    print_table(&header, rows.iter().map(row));
    Ok(())
}

async fn status(context: &AppContext, args: &ListArgs) -> anyhow::Result<()> {
    let (account, project) = find_project(context, &args.project_args).await?;
    let state = context.core().console_state(account, project).await?;
    let state = state.ok_or_else(|| no_such_project(&args.project_args))?;
    if args.json {
        print_line(serde_json::to_string_pretty(&as_value(&state))?);
        return Ok(());
    }
    show(&state, context.clock.now());
    if let Some(missing) = console_fetcher(context).missing() {
        eprint_line(format!("The property is not fetched: {missing}."));
    }
    Ok(())
}

fn show(state: &ConsoleState, now: DateTime<Utc>) {
    match &state.binding {
        None => eprint_line("No property is bound; rows come from imported files only."),
        Some(binding) => {
            let through = binding
                .fetched_through
                .map_or("never".to_owned(), |it| it.to_string());
            let last = binding.last_at.map_or("never".to_owned(), format_minute);
            let outcome = match &binding.last_failure {
                Some(failure) => format!("failed {} time(s): {failure}", binding.failures),
                None if binding.is_leased(now) => "in progress".to_owned(),
                None => "succeeded".to_owned(),
            };
            let header = ["property", "fetched through", "last", "last result", "next"];
            let row = [
                binding.property.to_string(),
                through,
                last,
                outcome,
                format_minute(binding.next_at),
            ];
            print_table(&header, [row]);
        }
    }
    let header = ["rows of", "days", "granularity", "rows", "from", "imported"];
    print_table(&header, state.imported.iter().map(span_row));
}

fn format_minute(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M UTC").to_string()
}

fn span_row(it: &ImportedSpan) -> [String; 6] {
    [
        it.dimensions.name(),
        it.span.to_string(),
        match it.days {
            Some(days) => format!("{days} of {} days", it.span.days()),
            None => "total of the period".to_owned(),
        },
        it.rows.to_string(),
        format!("{}: {}", it.origin.name(), it.label),
        format_minute(it.imported_at),
    ]
}

fn as_value(state: &ConsoleState) -> serde_json::Value {
    let binding = state.binding.as_ref().map(|it| {
        json!({
            "property": it.property.as_str(),
            "through": it.fetched_through,
            "nextAt": it.next_at,
            "lastAt": it.last_at,
            "lastFailure": it.last_failure,
            "failures": it.failures,
        })
    });
    let imported: Vec<_> = { state.imported.iter() }
        .map(|it| {
            json!({
                "cut": it.dimensions.name(),
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
