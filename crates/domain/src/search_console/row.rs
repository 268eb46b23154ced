use super::{ConsoleCountry, dimensions::DimensionSet};
use crate::stored_data::DataSize;
use analysis::observation::search_page::Device;
use chrono::{DateTime, NaiveDate, Utc};
use std::{collections::HashMap, fmt};
use thiserror::Error;

/// Maximum per row, so that sums over all rows of a project stay far below 2^63.
const MAX_COUNT: u64 = 10_000_000_000;

/// Maximum bytes of queries and URLs.
pub const MAX_TEXT: usize = 4_096;
/// Maximum average position.
pub const MAX_POSITION: f64 = 10_000.0;

/// Days that a row covers, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// The first day, in Search Console's time zone (Pacific).
    pub first: NaiveDate,
    pub last: NaiveDate,
}

impl Span {
    pub const fn day(day: NaiveDate) -> Self {
        Self {
            first: day,
            last: day,
        }
    }

    /// `None` if `last` is before `first`.
    pub fn between(first: NaiveDate, last: NaiveDate) -> Option<Self> {
        (first <= last).then_some(Self { first, last })
    }

    pub fn is_day(self) -> bool {
        self.first == self.last
    }

    pub fn days(self) -> i64 {
        (self.last - self.first).num_days() + 1
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_day() {
            write!(f, "{}", self.first)
        } else {
            write!(f, "{} to {}", self.first, self.last)
        }
    }
}

analysis::wire_enum! {
    /// Search Console writes them in capitals.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum ConsoleDevice {
        Desktop = "desktop",
        Mobile = "mobile",
        Tablet = "tablet",
    }
}

impl ConsoleDevice {
    pub fn parse_ignore_case(name: &str) -> Option<Self> {
        { Self::ALL.into_iter() }.find(|it| it.name().eq_ignore_ascii_case(name))
    }

    pub const fn of(device: Device) -> Self {
        match device {
            Device::Desktop => Self::Desktop,
            Device::Mobile => Self::Mobile,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct SearchRow {
    pub query: Option<String>,
    pub page: Option<String>,
    pub country: Option<ConsoleCountry>,
    pub device: Option<ConsoleDevice>,
    pub clicks: u64,
    pub impressions: u64,
    /// Average position of the topmost link, weighted by impressions, from 1; `None` without impressions.
    pub position: Option<f64>,
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RowField {
        Query = "query",
        Page = "page",
        Country = "country",
        Device = "device",
        Clicks = "clicks",
        Impressions = "impressions",
        Position = "position",
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}: {reason}", field.name())]
pub struct RowRefusal {
    pub field: RowField,
    /// What is wrong, and what is allowed.
    pub reason: &'static str,
}

/// Normalized query, page, country, device.
pub type RowKey = (
    Option<String>,
    Option<String>,
    Option<ConsoleCountry>,
    Option<ConsoleDevice>,
);

impl SearchRow {
    pub fn refusal(&self, cut: DimensionSet) -> Option<RowRefusal> {
        let refused = |field, reason| Some(RowRefusal { field, reason });
        if self.query.is_some() != cut.subject.has_query() {
            return refused(
                RowField::Query,
                "rows of one kind all name a search, or none does",
            );
        }
        if self.page.is_some() != cut.subject.has_page() {
            return refused(
                RowField::Page,
                "rows of one kind all name a page, or none does",
            );
        }
        if self.country.is_some() != cut.by_country {
            return refused(
                RowField::Country,
                "rows of one kind all name a country, or none does",
            );
        }
        if self.device.is_some() != cut.by_device {
            return refused(
                RowField::Device,
                "rows of one kind all name a device, or none does",
            );
        }
        if self.query.as_deref().is_some_and(is_invalid_text) {
            return refused(
                RowField::Query,
                "must be text of 1 to 4096 bytes without control characters",
            );
        }
        if self.page.as_deref().is_some_and(is_invalid_url) {
            return refused(
                RowField::Page,
                "must be an http or https address of at most 4096 bytes",
            );
        }
        if self.clicks > self.impressions {
            return refused(
                RowField::Clicks,
                "cannot be more than impressions: what was clicked was shown",
            );
        }
        if self.impressions > MAX_COUNT {
            return refused(
                RowField::Impressions,
                "is more than ten billion, which nobody counts in a row",
            );
        }
        match self.position {
            Some(it) if !(1.0..=MAX_POSITION).contains(&it) => {
                refused(RowField::Position, "must be from 1 to 10000")
            }
            Some(_) if self.impressions == 0 => {
                refused(RowField::Position, "what was never shown has none")
            }
            None if self.impressions > 0 => refused(RowField::Position, "what was shown has one"),
            _ => None,
        }
    }

    /// The average position, rounded.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positions are checked to be from 1 to 10000"
    )]
    pub fn rounded_position(&self) -> Option<u32> {
        self.position.map(|it| it.round() as u32)
    }

    /// Unique among rows of the same dimensions and days.
    pub fn key(&self) -> RowKey {
        let query = self
            .query
            .as_deref()
            .map(analysis::keyword_text::normalized);
        (query, self.page.clone(), self.country, self.device)
    }
}

fn is_invalid_text(text: &str) -> bool {
    text.trim().is_empty() || text.len() > MAX_TEXT || text.chars().any(char::is_control)
}

fn is_invalid_url(text: &str) -> bool {
    let is_web = ["http://", "https://"]
        .iter()
        .any(|it| text.starts_with(it));
    !is_web || is_invalid_text(text) || analysis::url_rules::host_of_url(text).is_none()
}

/// All rows of one set of dimensions for some days: the unit that is imported and replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSet {
    pub dimensions: DimensionSet,
    pub span: Span,
    pub rows: Vec<SearchRow>,
}

impl RowSet {
    /// Estimated bytes of a row set, and of each row, besides their texts: columns, keys and index entries.
    const OVERHEAD: u64 = 200;

    /// Size in storage; the set itself counts as a row.
    pub fn size(&self) -> DataSize {
        let texts = self.rows.iter().map(|row| {
            let text = |it: &Option<String>| it.as_ref().map_or(0, |it| it.len() as u64);
            text(&row.query) + text(&row.page)
        });
        let rows = self.rows.len() as u64 + 1;
        DataSize {
            rows,
            bytes: rows * Self::OVERHEAD + texts.sum::<u64>(),
        }
    }

    /// The first invalid row, with its index in `rows`.
    pub fn refusal(&self) -> Option<(usize, RowRefusal)> {
        let rows = self.rows.iter().enumerate();
        rows.into_iter()
            .find_map(|(place, row)| Some((place, row.refusal(self.dimensions)?)))
    }

    /// Indexes of two rows with the same key: one would be counted twice.
    pub fn first_duplicate(&self) -> Option<(usize, usize)> {
        let mut seen = HashMap::with_capacity(self.rows.len());
        for (place, row) in self.rows.iter().enumerate() {
            if let Some(first) = seen.insert(row.key(), place) {
                return Some((first, place));
            }
        }
        None
    }
}

analysis::wire_enum! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Origin {
        Export = "export",
        Api = "api",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportInfo {
    pub origin: Origin,
    /// Name of the file, or the property.
    pub label: String,
    pub at: DateTime<Utc>,
}

/// Rows of several days or markets, summed.
#[derive(Debug, Clone, PartialEq)]
pub struct RowSum {
    pub query: Option<String>,
    pub page: Option<String>,
    /// Country of the search, if it is a dimension.
    pub country: Option<ConsoleCountry>,
    /// Device of the search, if it is a dimension.
    pub device: Option<ConsoleDevice>,
    pub clicks: u64,
    pub impressions: u64,
    /// Sum of position times impressions.
    pub weighted_position: f64,
}

/// A page's figures on one day, over all queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageDay {
    pub page: String,
    pub day: NaiveDate,
    pub clicks: u64,
    pub impressions: u64,
}

impl RowSum {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn position(&self) -> Option<f64> {
        (self.impressions > 0).then(|| self.weighted_position / self.impressions as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search_console::RowSubject;

    fn row(query: &str, clicks: u64, impressions: u64, position: f64) -> SearchRow {
        SearchRow {
            query: Some(query.to_owned()),
            page: None,
            country: None,
            device: None,
            clicks,
            impressions,
            position: Some(position),
        }
    }

    const QUERIES: DimensionSet = DimensionSet::aggregated(RowSubject::Query);

    #[test]
    fn an_impossible_row_is_refused_with_its_field() {
        assert_eq!(row("rust", 3, 10, 1.0).refusal(QUERIES), None);
        let field = |row: SearchRow| row.refusal(QUERIES).map(|it| it.field);
        assert_eq!(field(row(" ", 0, 1, 1.0)), Some(RowField::Query));
        assert_eq!(field(row("a\0b", 0, 1, 1.0)), Some(RowField::Query));
        assert_eq!(field(row("rust", 2, 1, 1.0)), Some(RowField::Clicks));
        let max = 10_000_000_000;
        assert_eq!(field(row("rust", max, max, 1.0)), None);
        assert_eq!(
            field(row("rust", 1, max + 1, 1.0)),
            Some(RowField::Impressions)
        );
        assert_eq!(field(row("rust", 0, 1, 0.9)), Some(RowField::Position));
        assert_eq!(field(row("rust", 0, 1, f64::NAN)), Some(RowField::Position));
        assert_eq!(field(row("rust", 0, 0, 1.0)), Some(RowField::Position));
        let page = |page: &str| SearchRow {
            page: Some(page.to_owned()),
            query: None,
            ..row("", 0, 1, 1.0)
        };
        let pages = DimensionSet::aggregated(RowSubject::Page);
        assert_eq!(page("https://acme.com/a").refusal(pages), None);
        for bad in ["/a", "javascript:alert(1)", "https://", "ftp://acme.com/"] {
            let refused = page(bad).refusal(pages).map(|it| it.field);
            assert_eq!(refused, Some(RowField::Page), "{bad}");
        }
        assert_eq!(
            page("https://acme.com/a").refusal(QUERIES).unwrap().field,
            RowField::Query
        );
    }

    #[test]
    fn the_size_of_a_set_grows_with_rows_and_their_texts() {
        let mut set = RowSet {
            dimensions: QUERIES,
            span: Span::day(NaiveDate::default()),
            rows: vec![],
        };
        let bytes = RowSet::OVERHEAD;
        assert_eq!(set.size(), DataSize { rows: 1, bytes });
        set.rows.push(row("žluté boty", 0, 1, 1.0));
        let bytes = 2 * bytes + 12;
        assert_eq!(set.size(), DataSize { rows: 2, bytes });
    }

    #[test]
    fn duplicate_rows_are_found() {
        let mut set = RowSet {
            dimensions: QUERIES,
            span: Span::day(NaiveDate::default()),
            rows: vec![row("rust", 0, 1, 1.0), row("seo", 0, 1, 1.0)],
        };
        assert_eq!(set.first_duplicate(), None);
        set.rows.push(row("Rust ", 0, 1, 1.0));
        assert_eq!(set.first_duplicate(), Some((0, 2)));
    }
}
