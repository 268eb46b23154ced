//! Every row that is read can be stored, no row is duplicated, and a generated export is read completely.

use crate::SeededRandom;
use analysis::keyword_text::normalized;
use chrono::NaiveDate;
use domain::{
    ports::search_console::{ExportError, ExportFile, ReadExport},
    search_console::Span,
};
use providers::search_console::exports;
use std::{collections::BTreeSet, fmt::Write};

pub(crate) fn check(bytes: &[u8]) {
    let days = [1, 28].map(|day| NaiveDate::from_ymd_opt(2026, 11, day).expect("a day"));
    let span = Span::between(days[0], days[1]);
    let read = read(bytes, span, None);
    match &read {
        Ok(export) => assert_storable(export),
        Err(error) => assert_described(error),
    }
    let about_a_page = self::read(bytes, None, Some("https://shop.example.com/a"));
    if let Ok(export) = &about_a_page {
        assert_storable(export);
    }
    check_written_export(bytes, span);
    // Other tools use other line ends.
    let is_plain = !bytes
        .iter()
        .any(|it| matches!(it, b'\r' | b'"' | 0 | 0x80..));
    if is_plain
        && !bytes.starts_with(b"PK")
        && let Ok(export) = read
    {
        let text = String::from_utf8_lossy(bytes).replace('\n', "\r\n");
        let other = self::read(text.as_bytes(), span, None);
        assert_eq!(other.expect("line ends"), export);
    }
}

fn read(bytes: &[u8], span: Option<Span>, page: Option<&str>) -> Result<ReadExport, ExportError> {
    exports().read(&ExportFile {
        name: "export",
        bytes,
        span,
        page,
        unpacks: true,
    })
}

/// Every line as a query with random figures, in the format of Search Console.
fn check_written_export(bytes: &[u8], span: Option<Span>) {
    let (text, mut chance) = (
        String::from_utf8_lossy(bytes),
        SeededRandom::from_bytes(bytes),
    );
    let mut file = "Top queries,Clicks,Impressions,CTR,Position\n".to_owned();
    let (mut seen, mut wanted) = (BTreeSet::new(), Vec::new());
    for query in text.lines().map(str::trim) {
        let is_one = !query.is_empty() && !query.chars().any(char::is_control);
        if !is_one || query.len() > 1_000 || !seen.insert(normalized(query)) {
            continue;
        }
        let impressions = 1 + chance.next_u64() % 100_000;
        let clicks = chance.next_u64() % (impressions + 1);
        let tenths = 10 + chance.next_u64() % 990;
        let quoted = query.replace('"', "\"\"");
        let rate = hundredths(clicks, impressions);
        let position = format!("{}.{}", tenths / 10, tenths % 10);
        let _ = writeln!(
            file,
            "\"{quoted}\",{clicks},{impressions},{rate},{position}"
        );
        wanted.push((query, clicks, impressions, position.parse().ok()));
    }
    if wanted.is_empty() {
        return;
    }
    let export = read(file.as_bytes(), span, None);
    let export = export.unwrap_or_else(|error| panic!("{error}:\n{file}"));
    let rows = export.sets.iter().flat_map(|it| &it.rows);
    let parsed: Vec<_> = rows
        .map(|it| {
            (
                it.query.as_deref().unwrap_or_default(),
                it.clicks,
                it.impressions,
                it.position,
            )
        })
        .collect();
    assert_eq!(parsed, wanted, "of\n{file}");
}

/// A rate in percent, rounded like the report.
fn hundredths(clicks: u64, impressions: u64) -> String {
    let hundredths = (clicks * 10_000 + impressions / 2) / impressions;
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

fn assert_storable(export: &ReadExport) {
    for set in &export.sets {
        assert_eq!(set.refusal(), None, "rows are such as can be stored");
        assert!(set.span.first <= set.span.last);
    }
}

fn assert_described(error: &ExportError) {
    assert!(!error.problem.is_empty() && !error.remedy.is_empty());
    assert!(error.line != Some(0), "{error:?}");
    assert!(error.to_string().len() < 4_096, "{error}");
}
