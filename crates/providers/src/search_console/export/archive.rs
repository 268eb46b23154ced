//! The archive exported by the web interface, one file per view. The dates file gives the period of the others.

use super::{MAX_FILE_BYTES, columns::Columns, export_error, rows, table::Table};
use analysis::table::records;
use domain::ports::search_console::{ExportError, ExportFile, ReadExport};
use domain::search_console::Span;
use std::collections::HashSet;
use std::io::{Cursor, Read};
use std::sync::LazyLock;
use zip::ZipArchive;

const MAX_FILES: usize = 64;

/// Search types other than web.
static OTHER_SEARCH_TYPES: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let kinds = records::<1>(include_str!("other_kinds.tsv"));
    kinds.map(|[kind]| kind).collect()
});

pub(super) fn is_archive(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

pub(super) fn read(file: &ExportFile<'_>) -> Result<ReadExport, ExportError> {
    let tables = tables(file)?;
    let mut export = ReadExport::default();
    let mut known = Vec::new();
    for table in &tables {
        if !Columns::is_known(table) {
            export.left_out.push(format!(
                "{}: the title of its first column is in an unknown language; import it separately",
                table.name
            ));
            continue;
        }
        refuse_filters(table, file.page)?;
        let columns = Columns::of(table)?;
        match columns.unsupported_subject() {
            Some(subject) => export
                .left_out
                .push(format!("{}: it reports only {subject}", table.name)),
            None => known.push((table, columns)),
        }
    }
    let mut period: Option<Span> = None;
    for (table, columns) in known.iter().filter(|it| it.1.has_days()) {
        let (sets, left_out) = rows(table, columns, None, file.page)?;
        for set in &sets {
            let span = period.get_or_insert(set.span);
            span.first = span.first.min(set.span.first);
            span.last = span.last.max(set.span.last);
        }
        export.sets.extend(sets);
        export.left_out.extend(left_out);
    }
    let span = file.span.or(period);
    for (table, columns) in known.iter().filter(|it| !it.1.has_days()) {
        let (sets, left_out) = rows(table, columns, span, file.page)?;
        export.sets.extend(sets);
        export.left_out.extend(left_out);
    }
    if known.is_empty() {
        return Err(export_error(
            file.name,
            "it holds no file of queries, pages or dates",
            "Export the performance report as CSV and import the archive as it comes.",
        ));
    }
    Ok(export)
}

/// Filtered data is not the site's: only dates, search type and the named page may be filters.
fn refuse_filters(table: &Table, page: Option<&str>) -> Result<(), ExportError> {
    let max_filters = if page.is_some() { 3 } else { 2 };
    if table.titles.len() != 2 {
        return Ok(());
    }
    let values = || {
        table
            .lines
            .iter()
            .map(|(_, line)| line.get(1).to_lowercase())
    };
    if let Some(kind) = values().find(|it| OTHER_SEARCH_TYPES.contains(it.as_str())) {
        return Err(export_error(
            &table.name,
            &format!("the report is about another kind of search than web pages (“{kind}”)"),
            "Choose the search type “Web” and export again: ranks and clicks of images, videos and news are not those of pages.",
        ));
    }
    // Filter names are localized; a page filter is recognized by its URL.
    let pages = || {
        values()
            .map(|it| it.trim_start_matches('+').to_owned())
            .filter(|it| it.contains("://"))
    };
    let is_about_the_page = match page.map(str::to_lowercase) {
        Some(page) => table.lines.len() < max_filters || pages().any(|it| it == page),
        None => pages().next().is_none(),
    };
    if table.lines.len() > max_filters || !is_about_the_page {
        return Err(export_error(
            &table.name,
            "the report was filtered before it was exported, so its figures are not those of the site or of the page that was named",
            "Take the filters away and export again; a report about one page alone is imported with --page and that page's address.",
        ));
    }
    Ok(())
}

fn tables(file: &ExportFile<'_>) -> Result<Vec<Table>, ExportError> {
    let broken = |reason: &str| {
        export_error(
            file.name,
            reason,
            "Export the performance report again, or extract the archive and import its files one by one.",
        )
    };
    let mut archive = ZipArchive::new(Cursor::new(file.bytes))
        .map_err(|_| broken("the archive cannot be read"))?;
    if archive.len() > MAX_FILES {
        return Err(broken("the archive holds more files than an export has"));
    }
    let (mut tables, mut left) = (Vec::new(), MAX_FILE_BYTES);
    for place in 0..archive.len() {
        let mut entry = archive
            .by_index(place)
            .map_err(|_| broken("a file in the archive cannot be read"))?;
        let name = entry
            .name()
            .map_err(|_| broken("a file in the archive has no name"))?;
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        let is_table = [".csv", ".tsv", ".txt"]
            .iter()
            .any(|it| name.to_lowercase().ends_with(it));
        if !entry.is_file() || !is_table || name.starts_with('.') {
            continue;
        }
        let mut bytes = Vec::new();
        // The declared size is not trusted.
        let max_bytes = left as u64 + 1;
        let read = entry.by_ref().take(max_bytes).read_to_end(&mut bytes);
        read.map_err(|_| broken("a file in the archive cannot be unpacked"))?;
        left = left
            .checked_sub(bytes.len())
            .ok_or_else(|| broken("the archive is larger than 64 MiB"))?;
        if bytes.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        tables.push(Table::of(&format!("{}/{name}", file.name), &bytes)?);
    }
    Ok(tables)
}
