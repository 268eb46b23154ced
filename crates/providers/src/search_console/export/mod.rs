//! Export of the performance report: a file or the whole archive, in any language, and similar exports of other tools.

mod archive;
mod columns;
mod figures;
mod table;
mod text;

use columns::Columns;
use domain::ports::search_console::{ConsoleExports, ExportError, ExportFile, ReadExport};
use domain::search_console::{DimensionSet, RowSet, Span};
use table::Table;

/// In bytes. Smaller in tests, which unpack without optimization.
const MAX_FILE_BYTES: usize = if cfg!(test) { 1 } else { 64 } * 1024 * 1024;

pub(super) struct Exports;

impl ConsoleExports for Exports {
    fn read(&self, file: &ExportFile<'_>) -> Result<ReadExport, ExportError> {
        if file.bytes.len() > MAX_FILE_BYTES {
            return Err(export_error(
                file.name,
                "it is larger than 64 MiB",
                "Export shorter periods and import them one after the other.",
            ));
        }
        if archive::is_archive(file.bytes) {
            if !file.unpacks {
                return Err(export_error(
                    file.name,
                    "it is an archive",
                    "Send one of its CSV files, or use `sightline search-console import`.",
                ));
            }
            return archive::read(file);
        }
        let table = Table::of(file.name, file.bytes)?;
        let columns = Columns::of(&table)?;
        if let Some(subject) = columns.unsupported_subject() {
            return Err(export_error(
                file.name,
                &format!("it reports only {subject}, which no result is computed from"),
                "Import the file of queries, of pages or of dates.",
            ));
        }
        let (sets, left_out) = rows(&table, &columns, file.span, file.page)?;
        Ok(ReadExport { sets, left_out })
    }
}

fn rows(
    table: &Table,
    columns: &Columns,
    span: Option<Span>,
    page: Option<&str>,
) -> Result<(Vec<RowSet>, Vec<String>), ExportError> {
    let Some(read) = columns.read(table, page)? else {
        return Ok((Vec::new(), Vec::new()));
    };
    let mut left_out = Vec::new();
    if read.without_query > 0 {
        left_out.push(format!(
            "{}: {} rows without a query (searches that few people make, or totals)",
            table.name, read.without_query
        ));
    }
    let sets = match (read.days, span) {
        (Some(days), _) => days
            .into_iter()
            .map(|(day, rows)| set(read.cut, Span::day(day), rows))
            .collect(),
        (None, Some(span)) => vec![set(read.cut, span, read.rows)],
        (None, None) => {
            return Err(export_error(
                &table.name,
                "no column holds days",
                "State the days that the rows sum up (From and To; on the command line --from and --to), or import the whole archive, which contains them, with the command `sightline search-console import`.",
            ));
        }
    };
    Ok((sets, left_out))
}

fn set(cut: DimensionSet, span: Span, rows: Vec<domain::search_console::SearchRow>) -> RowSet {
    RowSet {
        dimensions: cut,
        span,
        rows,
    }
}

fn export_error(file: &str, reason: &str, remedy: &str) -> ExportError {
    ExportError {
        file: file.to_owned(),
        line: None,
        column: None,
        problem: reason.to_owned(),
        remedy: remedy.to_owned(),
    }
}

#[cfg(test)]
mod tests;
