//! Column detection: by title in any language of `columns.tsv`, else by position if the table has the report's shape.

use super::export_error;
use super::figures::{parse_count, parse_day, parse_decimal, parse_rate};
use super::table::{Record, Table};
use analysis::table::records;
use chrono::NaiveDate;
use domain::{
    ports::search_console::ExportError,
    search_console::{
        ConsoleCountry, ConsoleDevice, DimensionSet, RowField, RowKey, RowSubject, SearchRow,
    },
};
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ColumnKind {
    Query,
    Page,
    Day,
    Country,
    Device,
    Appearance,
    Filter,
    Clicks,
    Impressions,
    Rate,
    Position,
}

impl ColumnKind {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "query" => Self::Query,
            "page" => Self::Page,
            "day" => Self::Day,
            "country" => Self::Country,
            "device" => Self::Device,
            "appearance" => Self::Appearance,
            "filter" => Self::Filter,
            "clicks" => Self::Clicks,
            "impressions" => Self::Impressions,
            "rate" => Self::Rate,
            "position" => Self::Position,
            _ => return None,
        })
    }
}

/// By title in lower case.
static TITLES: LazyLock<HashMap<&'static str, ColumnKind>> = LazyLock::new(|| {
    let titles = records::<2>(include_str!("columns.tsv"));
    titles
        .map(|[column, title]| (title, ColumnKind::parse(column).expect("a known column")))
        .collect()
});

#[derive(Debug, Clone, Default)]
pub(super) struct Columns {
    query: Option<usize>,
    page: Option<usize>,
    day: Option<usize>,
    country: Option<usize>,
    device: Option<usize>,
    has_appearance: bool,
    clicks: usize,
    impressions: usize,
    rate: Option<usize>,
    position: Option<usize>,
}

/// Rows of a table, grouped by day if it has a day column.
pub(super) struct ParsedRows {
    pub cut: DimensionSet,
    pub days: Option<BTreeMap<NaiveDate, Vec<SearchRow>>>,
    pub rows: Vec<SearchRow>,
    pub without_query: u64,
}

fn column_kind(title: &str) -> Option<ColumnKind> {
    let title: String = title
        .chars()
        .filter(|it| !matches!(it, '\u{200e}' | '\u{200f}'))
        .collect();
    let title = title.trim().to_lowercase();
    let title = title.replace(['_', '\u{a0}'], " ");
    TITLES.get(title.as_str()).copied()
}

impl Columns {
    pub fn of(table: &Table) -> Result<Self, ExportError> {
        let named: Vec<Option<ColumnKind>> =
            table.titles.iter().map(|it| column_kind(it)).collect();
        let place = |of: ColumnKind| named.iter().position(|it| *it == Some(of));
        for of in [
            ColumnKind::Query,
            ColumnKind::Page,
            ColumnKind::Day,
            ColumnKind::Clicks,
            ColumnKind::Impressions,
            ColumnKind::Rate,
            ColumnKind::Position,
        ] {
            if named.iter().filter(|it| **it == Some(of)).count() > 1 {
                let first = place(of).unwrap_or(0);
                return Err(table.cell_error(
                    1,
                    first,
                    "two columns hold the same field",
                    "Leave one of them out; export without comparing periods.",
                ));
            }
        }
        let mut columns = Self {
            query: place(ColumnKind::Query),
            page: place(ColumnKind::Page),
            day: place(ColumnKind::Day),
            country: place(ColumnKind::Country),
            device: place(ColumnKind::Device),
            has_appearance: place(ColumnKind::Appearance).is_some()
                || place(ColumnKind::Filter).is_some(),
            clicks: 0,
            impressions: 0,
            rate: place(ColumnKind::Rate),
            position: place(ColumnKind::Position),
        };
        let figures = place(ColumnKind::Clicks).zip(place(ColumnKind::Impressions));
        if let Some((clicks, impressions)) = figures {
            (columns.clicks, columns.impressions) = (clicks, impressions);
        } else if columns.has_appearance {
            // The filters table has another shape.
            return Ok(columns);
        } else if has_report_shape(table) {
            (columns.clicks, columns.impressions) = (1, 2);
            (columns.rate, columns.position) = (Some(3), Some(4));
        } else {
            return Err(export_error(
                &table.name,
                &format!(
                    "its columns are not those of the performance report: {}",
                    shortened(&table.titles)
                ),
                "It takes the columns clicks, impressions, CTR and position behind those of queries, pages or dates, as the export has them; export without comparing periods.",
            ));
        }
        if columns.position.is_none() {
            return Err(export_error(
                &table.name,
                "no column holds the position",
                "Switch on “average position” in the report before exporting it.",
            ));
        }
        columns.guess_first(table, &named);
        Ok(columns)
    }

    /// For an unknown first title: URLs and days are recognized, anything else is a query.
    fn guess_first(&mut self, table: &Table, named: &[Option<ColumnKind>]) {
        let nothing = self
            .query
            .or(self.page)
            .or(self.day)
            .or(self.country)
            .or(self.device);
        let is_unknown = named.first() == Some(&None) && nothing.is_none() && !self.has_appearance;
        if !is_unknown || self.clicks == 0 || self.impressions == 0 {
            return;
        }
        let all = |test: fn(&str) -> bool| {
            let mut cells = table.lines.iter().map(|(_, it)| it.get(0));
            cells.all(test)
        };
        if all(|it| it.starts_with("http://") || it.starts_with("https://")) {
            self.page = Some(0);
        } else if all(|it| parse_day(it).is_some()) {
            self.day = Some(0);
        } else {
            self.query = Some(0);
        }
    }

    /// Whether the titles alone identify the subject of the rows.
    pub fn is_known(table: &Table) -> bool {
        table
            .titles
            .first()
            .is_some_and(|it| column_kind(it).is_some())
    }

    /// Subject of a table that is not imported.
    pub fn unsupported_subject(&self) -> Option<&'static str> {
        let is_about_something = self.query.is_some() || self.page.is_some();
        match (self.has_appearance, self.country, self.device) {
            (true, ..) => Some("search appearances or filters"),
            _ if is_about_something => None,
            (_, Some(_), _) => Some("countries"),
            (_, _, Some(_)) => Some("devices"),
            _ => None,
        }
    }

    pub const fn has_days(&self) -> bool {
        self.day.is_some()
    }

    fn cut(&self, page: Option<&str>) -> DimensionSet {
        DimensionSet {
            subject: RowSubject::of(self.query.is_some(), self.page.is_some() || page.is_some()),
            by_country: self.country.is_some(),
            by_device: self.device.is_some(),
        }
    }

    /// `None` if there are no rows. `page` is the page that all of them are about.
    pub fn read(
        &self,
        table: &Table,
        page: Option<&str>,
    ) -> Result<Option<ParsedRows>, ExportError> {
        let cut = self.cut(page);
        let mut read = ParsedRows {
            cut,
            days: self.day.map(|_| BTreeMap::new()),
            rows: Vec::new(),
            without_query: 0,
        };
        let mut seen: BTreeMap<Option<NaiveDate>, HashMap<RowKey, u64>> = BTreeMap::new();
        for (line, record) in &table.lines {
            if self.query.is_some_and(|it| cell(record, it).is_empty()) {
                read.without_query += 1;
                continue;
            }
            let day = self.day_of(table, *line, record)?;
            let row = self.row(table, *line, record, page)?;
            if let Some(refusal) = row.refusal(cut) {
                let column = self.column_of(refusal.field);
                return Err(table.cell_error(
                    *line,
                    column,
                    refusal.reason,
                    "Correct the cell, or export the report again.",
                ));
            }
            match seen.entry(day).or_default().insert(row.key(), *line) {
                None => {}
                Some(first) => {
                    return Err(table.cell_error(
                        *line,
                        self.query.or(self.page).unwrap_or(0),
                        &format!("it is about the same as line {first}: one would be counted twice"),
                        "Leave out unknown columns that distinguish rows, and sum up such rows first.",
                    ));
                }
            }
            match (day, read.days.as_mut()) {
                (Some(day), Some(days)) => match days.entry(day) {
                    Entry::Occupied(mut there) => there.get_mut().push(row),
                    Entry::Vacant(free) => {
                        free.insert(vec![row]);
                    }
                },
                _ => read.rows.push(row),
            }
        }
        let is_empty = read.rows.is_empty() && read.days.as_ref().is_none_or(BTreeMap::is_empty);
        Ok((!is_empty).then_some(read))
    }

    fn day_of(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
    ) -> Result<Option<NaiveDate>, ExportError> {
        let Some(column) = self.day else {
            return Ok(None);
        };
        let Some(day) = parse_day(cell(record, column)) else {
            let reason = format!("“{}” is not a day", truncated(cell(record, column)));
            return Err(table.cell_error(
                line,
                column,
                &reason,
                "Write days as 2026-11-22; 01/02/2026 could be two.",
            ));
        };
        Ok(Some(day))
    }

    fn row(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
        page: Option<&str>,
    ) -> Result<SearchRow, ExportError> {
        let mistake = |column: usize, expected: &str, remedy: &str| {
            let reason = format!("“{}” is not a {expected}", truncated(cell(record, column)));
            table.cell_error(line, column, &reason, remedy)
        };
        let whole = |column: usize, of: &str| {
            parse_count(cell(record, column)).ok_or_else(|| {
                mistake(
                    column,
                    &format!("number of {of}"),
                    "It takes a whole number such as 1234 or 1,234.",
                )
            })
        };
        let clicks = whole(self.clicks, "clicks")?;
        let impressions = whole(self.impressions, "impressions")?;
        self.check_rate(table, line, record, (clicks, impressions))?;
        let position = match self.position {
            None => None,
            Some(_) if impressions == 0 => None,
            Some(column) => {
                let position = parse_decimal(cell(record, column));
                Some(position.ok_or_else(|| {
                    mistake(column, "position", "It takes a number such as 3.4 or 3,4.")
                })?)
            }
        };
        let country = self.country.map(|column| {
            let country = ConsoleCountry::parse(cell(record, column));
            country.ok_or_else(|| {
                let remedy = "Write countries as codes such as usa or us (ISO 3166-1), or leave the column out and sum up its rows.";
                mistake(column, "country code", remedy)
            })
        });
        let device = self.device.map(|column| {
            let device = ConsoleDevice::parse_ignore_case(cell(record, column));
            device.ok_or_else(|| {
                let remedy = "Write devices as DESKTOP, MOBILE or TABLET, or leave the column out and sum up its rows.";
                mistake(column, "device", remedy)
            })
        });
        let own_page = self.page.map(|it| cell(record, it).to_owned());
        Ok(SearchRow {
            query: self.query.map(|it| cell(record, it).to_owned()),
            page: own_page.or_else(|| page.map(str::to_owned)),
            country: country.transpose()?,
            device: device.transpose()?,
            clicks,
            impressions,
            position,
        })
    }

    /// A CTR that does not match the counts reveals swapped columns.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn check_rate(
        &self,
        table: &Table,
        line: u64,
        record: &Record,
        (clicks, impressions): (u64, u64),
    ) -> Result<(), ExportError> {
        let Some(column) = self.rate.filter(|it| !cell(record, *it).is_empty()) else {
            return Ok(());
        };
        let stated = parse_rate(cell(record, column));
        let follows =
            |it: f64| impressions == 0 || (it - clicks as f64 / impressions as f64).abs() <= 0.0061;
        if stated.is_some_and(follows) {
            return Ok(());
        }
        let reason = match stated {
            None => format!("“{}” is not a rate", truncated(cell(record, column))),
            Some(_) => format!(
                "{} is not what {clicks} clicks of {impressions} impressions make",
                truncated(cell(record, column))
            ),
        };
        let remedy =
            "Check that the columns are in the order of their titles; it takes 12.3% or 0.123.";
        Err(table.cell_error(line, column, &reason, remedy))
    }

    fn column_of(&self, field: RowField) -> usize {
        let column = match field {
            RowField::Query => self.query,
            RowField::Page => self.page,
            RowField::Country => self.country,
            RowField::Device => self.device,
            RowField::Clicks => Some(self.clicks),
            RowField::Impressions => Some(self.impressions),
            RowField::Position => self.position,
        };
        column.unwrap_or(0)
    }
}

/// Whether it has the report's shape: a label, two counts, a CTR and a position.
fn has_report_shape(table: &Table) -> bool {
    let fits = |record: &Record| {
        let counts = [1, 2].map(|it| parse_count(cell(record, it)));
        let is_ordered = matches!(counts, [Some(clicks), Some(shown)] if clicks <= shown);
        let has_rate = parse_rate(cell(record, 3)).is_some() || cell(record, 3).is_empty();
        is_ordered && has_rate && parse_decimal(cell(record, 4)).is_some()
    };
    table.titles.len() == 5
        && !table.lines.is_empty()
        && table.lines.iter().take(50).all(|(_, it)| fits(it))
}

fn cell(record: &Record, column: usize) -> &str {
    record.get(column)
}

fn truncated(cell: &str) -> String {
    cell.chars().take(60).collect()
}

fn shortened(titles: &[String]) -> String {
    let titles: Vec<String> = titles.iter().take(8).map(|it| truncated(it)).collect();
    titles.join(", ")
}
