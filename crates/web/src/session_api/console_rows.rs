//! Search Console rows as JSON: summed for reading, single rows for import.

use crate::agent_api::{paging, render_rows, with_list_etag, with_next_link};
use crate::contract::fields::{Fields, whole_number};
use crate::contract::{
    Body, StringEnum, body, bounded_numbers, nested_body, parsed, query, values,
};
use crate::endpoint::Call;
use crate::paging::{PageLimits, bound_query, finish_query, page_parameters};
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::response::ApiResponse;
use crate::services::Services;
use analysis::findings::envelope::rounded;
use chrono::{Days, NaiveDate};
use domain::page::Direction;
use domain::search_console::{
    ConsoleCountry, ConsoleDevice, DimensionSet, MAX_POSITION, RowSet, RowSubject, RowSum,
    SearchRow, Span,
};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};
use std::{collections::BTreeMap, sync::Arc};

pub const LIST_LIMITS: PageLimits = PageLimits {
    default: 100,
    max: 1_000,
};
/// Maximum period: as far back as Search Console goes.
const MAX_DAYS: i64 = 500;
/// Default period if only `to` is given, in days before it.
const DEFAULT_PERIOD: Days = Days::new(27);
/// Per request; long rows reach the body limit earlier.
pub(super) const MAX_ROWS: usize = 20_000;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowsBody<'a> {
    project_id: i64,
    /// Dimensions of the rows; null if nothing was imported for these days.
    cut: Option<String>,
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    days: u64,
    items: Vec<Box<RawValue>>,
    next_cursor: Option<&'a str>,
    limit: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowView {
    query: Option<String>,
    page: Option<String>,
    clicks: u64,
    impressions: u64,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    ctr: Option<f64>,
    #[serde(serialize_with = "rounded::fraction_or_null")]
    position: Option<f64>,
}

impl RowView {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn of(sum: &RowSum) -> Self {
        let is_shown = sum.impressions > 0;
        Self {
            query: sum.query.clone(),
            page: sum.page.clone(),
            clicks: sum.clicks,
            impressions: sum.impressions,
            ctr: is_shown.then(|| sum.clicks as f64 / sum.impressions as f64),
            position: sum.position(),
        }
    }
}

query! {
    pub(crate) ReadConsoleRows {
        ..page_parameters(LIST_LIMITS);
        from: NaiveDate = optional "from", "The first day; four weeks before `to` when left out.";
        to: NaiveDate = optional "to", "The last day; today when left out.";
    }
}

/// Queries with their pages, most impressions first, summed over the given days or the newest weeks.
pub async fn read(services: Arc<Services>, call: Call) -> Result<ApiResponse, Problem> {
    let project = call.project(&services).await?.id;
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let bound_to = bound_query(&call.path, &call.query_text);
    let sorts = [("impressions", ())];
    let paging = paging(&call, &bound_to, LIST_LIMITS, &sorts, Direction::Descending);
    let period = period(&call, now.date_naive());
    let request = finish_query(paging.request(key, now), &call.query)?;
    let mut found = services
        .core
        .console_searches(call.account(), project, period, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = render_rows(call.verbosity, &mut found.sums, None, RowView::of);
    let next = paging.next_cursor(&found.sums, key, now);
    let basis = found.basis.as_ref();
    let body = RowsBody {
        project_id: project.0,
        cut: basis.map(|it| it.dimensions.name()),
        from: basis.map(|it| it.span.first),
        to: basis.map(|it| it.span.last),
        days: basis.map_or(0, |it| it.days),
        items,
        next_cursor: next.as_deref(),
        limit: request.limit,
    };
    let answer = with_list_etag(ApiResponse::ok(&body), next.as_deref(), now);
    Ok(with_next_link(answer, &call, next.as_deref()))
}

fn period(call: &Call, today: NaiveDate) -> Option<Span> {
    let query = &call.query;
    let parameters = ReadConsoleRows(query);
    let (from, to) = (parameters.from(), parameters.to());
    if from.is_none() && to.is_none() {
        return None;
    }
    let to = to.unwrap_or(today);
    let from = from.or_else(|| to.checked_sub_days(DEFAULT_PERIOD))?;
    let span = Span::between(from, to);
    match span {
        None => query.note_invalid("to", "must not lie before `from`"),
        Some(span) if span.days() > MAX_DAYS => {
            let rule = format!("must not lie more than {MAX_DAYS} days behind `from`");
            query.note(FieldError::in_query("to", "too-many", rule).with("max", MAX_DAYS));
        }
        Some(_) => {}
    }
    span
}

/// Indexes of a set's rows in the request, in order.
type RowIndexes = Vec<usize>;

/// Groups rows by dimensions and day. Errors name the row's index.
pub(super) fn group_rows(fields: &Fields, rows: Vec<(NaiveDate, SearchRow)>) -> Vec<RowSet> {
    let mut sets: BTreeMap<(DimensionSet, NaiveDate), (Vec<SearchRow>, RowIndexes)> =
        BTreeMap::new();
    for (index, (day, row)) in rows.into_iter().enumerate() {
        let cut = DimensionSet {
            subject: RowSubject::of(row.query.is_some(), row.page.is_some()),
            by_country: row.country.is_some(),
            by_device: row.device.is_some(),
        };
        if let Some(refusal) = row.refusal(cut) {
            let pointer = format!("{}/{index}/{}", fields.at("rows"), refusal.field.name());
            fields.note(FieldError::in_body(
                pointer,
                "invalid-value",
                refusal.reason,
            ));
        }
        let (of_the_day, indexes) = sets.entry((cut, day)).or_default();
        of_the_day.push(row);
        indexes.push(index);
    }
    let sets = sets.into_iter().map(|((cut, day), (rows, indexes))| {
        let set = RowSet {
            dimensions: cut,
            span: Span::day(day),
            rows,
        };
        if let Some((first, second)) = set.first_duplicate() {
            let pointer = format!("{}/{}", fields.at("rows"), indexes[second]);
            let rule = format!(
                "is about the same as row {}: sum them up first",
                indexes[first]
            );
            fields.note(FieldError::in_body(pointer, "repeated", rule));
        }
        set
    });
    sets.collect()
}

body! {
    pub(crate) RowMembers {
        date: NaiveDate = required "date";
        query: String = nullable "query";
        page: String = nullable "page";
        country: CountryCode = nullable "country";
        device: ConsoleDevice = nullable "device";
        clicks: Count = required "clicks";
        impressions: Count = required "impressions";
        position: Position = nullable "position";
    }
}
nested_body!(RowMembers => (NaiveDate, SearchRow): row);

impl StringEnum for ConsoleDevice {
    fn words() -> Vec<&'static str> {
        Self::NAMES.to_vec()
    }

    fn from_word(word: &str) -> Option<Self> {
        Self::parse_ignore_case(word)
    }
}

bounded_numbers! {
    Position => f64: 1.0..=MAX_POSITION;
}

struct CountryCode;

parsed! {
    CountryCode => ConsoleCountry: country, json!({ "type": "string", "minLength": 2, "maxLength": 3 });
}

fn country(text: &str) -> Result<ConsoleCountry, &'static str> {
    ConsoleCountry::parse(text).ok_or("must be a country, for example deu")
}

struct Count;

values! {
    Count => u64: count, json!({ "type": "integer", "minimum": 0 });
}

fn count(fields: &Fields, pointer: &str, value: &Value) -> Option<u64> {
    let found = whole_number(value).and_then(|it| u64::try_from(it).ok());
    if found.is_none() {
        let rule = "must be a whole number, 0 or more";
        fields.note(FieldError::in_body(pointer, "invalid-value", rule));
    }
    found
}

/// `None` if a member is invalid: checks across rows need complete ones.
fn row(it: &RowMembers) -> Option<(NaiveDate, SearchRow)> {
    let before = it.fields().error_count();
    let (date, query, page) = (it.date(), it.query(), it.page());
    let (country, device, position) = (it.country(), it.device(), it.position());
    let (clicks, impressions) = (it.clicks(), it.impressions());
    if it.fields().error_count() > before {
        return None;
    }
    let row = SearchRow {
        query: query.value(),
        page: page.value(),
        country: country.value(),
        device: device.value(),
        position: position.value(),
        clicks: clicks?,
        impressions: impressions?,
    };
    Some((date?, row))
}
