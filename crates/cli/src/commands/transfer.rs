use super::{Outcome, UsageError, require_database};
use crate::cli::TransferArgs;
use crate::settings::Settings;
use crate::terminal::{eprint_line, print_line};
use crate::wiring::create_data_folder;
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};
use storage::{DatabaseUrl, TransferProgress, TransferStep};

const REPORT_INTERVAL: Duration = Duration::from_secs(3);

pub struct Endpoints {
    pub from: DatabaseUrl,
    pub to: DatabaseUrl,
}

/// Opens neither database.
pub fn resolve_endpoints(settings: &Settings, args: &TransferArgs) -> anyhow::Result<Endpoints> {
    let from = parse_endpoint("--from", args.from.as_deref(), args.from_file.as_deref())?;
    let to = parse_endpoint("--to", args.to.as_deref(), args.to_file.as_deref())?;
    if from.is_none() && to.is_none() {
        return Err(UsageError(
            "`sightline transfer` requires --from, --to, or both; the omitted one defaults to the database of the settings".to_owned(),
        )
        .into());
    }
    if from.is_none() {
        require_database(settings)?;
    }
    Ok(Endpoints {
        from: from.unwrap_or_else(|| settings.database()),
        to: to.unwrap_or_else(|| settings.database()),
    })
}

fn parse_endpoint(
    flag: &str,
    url: Option<&str>,
    file: Option<&Path>,
) -> anyhow::Result<Option<DatabaseUrl>> {
    let content = match file {
        Some(file) => {
            let content = fs::read_to_string(file);
            Some(content.with_context(|| format!("cannot read {}", file.display()))?)
        }
        None => None,
    };
    let url = url.or(content.as_deref().map(str::trim));
    let parsed = url.map(DatabaseUrl::parse).transpose();
    Ok(parsed.map_err(|error| UsageError(format!("{flag} {error}")))?)
}

pub async fn run(
    settings: &Settings,
    endpoints: Endpoints,
    args: &TransferArgs,
) -> anyhow::Result<Outcome> {
    let Endpoints { from, to } = endpoints;
    if args.to.is_none() && args.to_file.is_none() {
        create_data_folder(settings)?;
    }
    let place = to.to_string();
    eprint_line(format!("Reading {from}; it is not changed."));
    let transferred = storage::transfer(from, to, progress_reporter(place.clone())).await?;
    if args.json {
        print_line(serde_json::to_string_pretty(&transferred)?);
        return Ok(Outcome::Done);
    }
    print_line(format!(
        "Transferred {} rows in {} tables to {place}, each read back and equal to the source.",
        transferred.rows,
        transferred.tables.len()
    ));
    if transferred.rows_before > 0 {
        print_line(format!(
            "{} of these rows were copied by an earlier run.",
            transferred.rows_before
        ));
    }
    Ok(Outcome::Done)
}

fn progress_reporter(place: String) -> impl FnMut(&TransferProgress<'_>) + Send + 'static {
    let mut step = TransferStep::Reading;
    let (mut began, mut rows_at_begin) = (Instant::now(), 0);
    let mut last = began;
    move |now| {
        if now.step != step {
            (step, began, rows_at_begin) = (now.step, Instant::now(), now.all_rows);
            eprint_line(match step {
                TransferStep::Reading => unreachable!("it is the first"),
                TransferStep::Copying => format!("Copying to {place}."),
                TransferStep::Verifying => format!("Verifying {place}."),
            });
        }
        if last.elapsed() < REPORT_INTERVAL {
            return;
        }
        last = Instant::now();
        let of = |of: Option<u64>| of.map(|it| format!(" of {it}")).unwrap_or_default();
        let rows = u128::from(now.all_rows - rows_at_begin);
        let rate = rows * 1_000 / began.elapsed().as_millis().max(1);
        eprint_line(format!(
            "{} {}: {}{} rows; all tables: {}{} rows, {rate} rows/s.",
            match now.step {
                TransferStep::Reading => "Read",
                TransferStep::Copying => "Copied",
                TransferStep::Verifying => "Compared",
            },
            now.table,
            now.rows,
            of(now.of),
            now.all_rows,
            of(now.of_all),
        ));
    }
}
