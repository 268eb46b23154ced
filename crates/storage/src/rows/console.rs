use super::{count, counted, known, measurements::url_hash, stored::row};
use crate::instant::At;
use crate::schema::{console_bindings, console_rows, console_spans};
use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use domain::ids::{AccountId, ConsoleSpanId, ProjectId};
use domain::ports::storage::StorageError;
use domain::search_console::{
    Binding, ConsoleCountry, ConsoleDevice, DimensionSet, ImportInfo, Origin, Property, RowSet,
    RowSum, SearchRow, Span, StoredSpan,
};

#[derive(Queryable, Selectable, Insertable)]
#[diesel(table_name = console_spans, treat_none_as_default_value = false)]
pub struct SpanRow {
    pub account_id: i64,
    pub id: i64,
    pub project_id: i64,
    pub cut: String,
    pub first_day: NaiveDate,
    pub last_day: NaiveDate,
    pub row_count: i64,
    pub origin: String,
    pub label: String,
    pub imported_at: At,
    pub byte_count: Option<i64>,
}

/// Bytes of a row without a counted size, with texts of average length.
pub const BYTES_A_ROW: i64 = 270;

impl SpanRow {
    pub fn new(
        account: AccountId,
        project: ProjectId,
        id: ConsoleSpanId,
        set: &RowSet,
        import: &ImportInfo,
    ) -> Self {
        Self {
            account_id: account.0,
            id: id.0,
            project_id: project.0,
            cut: set.dimensions.name(),
            first_day: set.span.first,
            last_day: set.span.last,
            row_count: count(set.rows.len()),
            origin: import.origin.name().to_owned(),
            label: import.label.clone(),
            imported_at: import.at.into(),
            byte_count: Some(count(set.size().bytes)),
        }
    }

    pub fn size(&self) -> (i64, i64) {
        let rows = self.row_count + 1;
        (rows, self.byte_count.unwrap_or(rows * BYTES_A_ROW))
    }
}

impl TryFrom<SpanRow> for StoredSpan {
    type Error = StorageError;

    fn try_from(row: SpanRow) -> Result<Self, StorageError> {
        let span = Span::between(row.first_day, row.last_day);
        Ok(Self {
            id: ConsoleSpanId(row.id),
            dimensions: known(DimensionSet::named(&row.cut), "dimensions of rows")?,
            span: known(span, "days of rows")?,
            rows: counted(row.row_count, "a number of rows")?,
            origin: known(Origin::named(&row.origin), "an origin of rows")?,
            label: row.label,
            imported_at: row.imported_at.into(),
        })
    }
}

/// Hash of the normalized query.
pub fn query_hash(query: &str) -> i64 {
    url_hash(&analysis::keyword_text::normalized(query))
}

#[derive(Insertable)]
#[diesel(table_name = console_rows, treat_none_as_default_value = false)]
pub struct ConsoleRow {
    pub account_id: i64,
    pub span_id: i64,
    pub ordinal: i64,
    pub query_hash: Option<i64>,
    pub query: Option<String>,
    pub page: Option<String>,
    pub country: Option<String>,
    pub device: Option<String>,
    pub clicks: i64,
    pub impressions: i64,
    pub position: Option<f64>,
    pub place: Option<i64>,
}

pub const ROW_BINDS: usize = 12;

impl ConsoleRow {
    pub fn new(account: AccountId, span: ConsoleSpanId, place: usize, row: &SearchRow) -> Self {
        Self {
            account_id: account.0,
            span_id: span.0,
            ordinal: count(place),
            query_hash: row.query.as_deref().map(query_hash),
            query: row.query.clone(),
            page: row.page.clone(),
            country: row.country.map(|it| it.to_string()),
            device: row.device.map(|it| it.name().to_owned()),
            clicks: count(row.clicks),
            impressions: count(row.impressions),
            position: row.position,
            place: row.rounded_position().map(i64::from),
        }
    }
}

/// Query, page, country, device, clicks, impressions, position times impressions.
pub type SumRow = (
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
    i64,
    i64,
    f64,
);

pub fn row_sum(row: SumRow) -> Result<RowSum, StorageError> {
    let (query, page, country, device, clicks, impressions, weighted_position) = row;
    let country = country.map(|it| known(ConsoleCountry::parse(&it), "a country of a row"));
    let device = device.map(|it| known(ConsoleDevice::named(&it), "a device of a row"));
    Ok(RowSum {
        query,
        page,
        country: country.transpose()?,
        device: device.transpose()?,
        clicks: counted(clicks, "a number of clicks")?,
        impressions: counted(impressions, "a number of impressions")?,
        weighted_position,
    })
}

row! {
    struct BindingRow(console_bindings, key (account_id, project_id)) {
        account_id: AccountId,
        project_id: ProjectId,
        property: Property,
        bound_at: DateTime<Utc>,
        next_at: DateTime<Utc>,
        held_until: Option<DateTime<Utc>>,
        through_day: Option<NaiveDate>,
        last_at: Option<DateTime<Utc>>,
        last_failure: Option<String>,
        failures: u32 ["a number of failures"],
    }
    Binding {
        account: account_id, project: project_id, property, bound_at, next_at, leased_until: held_until, fetched_through: through_day,
        last_at, last_failure, failures,
    }
}
