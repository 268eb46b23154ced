//! Search Console rows as JSON: summed for reading, single rows for import.

use crate::agent_api::{linked, paging, tagged, written};
use crate::answer::Answer;
use crate::contract::fields::{Fields, whole};
use crate::contract::{Body, Words, body, member, parsed, query, values, within};
use crate::endpoint::Call;
use crate::paging::{Limits, bound_part, pages, wanted};
use crate::problem::{FieldError, Problem};
use crate::refusals;
use crate::services::Services;
use analysis::findings::envelope::rounded;
use chrono::{Days, NaiveDate};
use domain::page::Direction;
use domain::search_console::{
    About, ConsoleCountry, ConsoleDevice, Cut, MOST_POSITION, RowSet, RowSum, SearchRow, Span,
};
use serde::Serialize;
use serde_json::{Value, json, value::RawValue};
use std::{collections::BTreeMap, sync::Arc};

pub const LIST_LIMITS: Limits = Limits {
    default: 100,
    most: 1_000,
};
/// Maximum period: as far back as Search Console goes.
const MOST_DAYS: i64 = 500;
/// Default period if only `to` is given, in days before it.
const USUAL: Days = Days::new(27);
/// Per request; long rows reach the body limit earlier.
pub(super) const MOST_ROWS: usize = 20_000;

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
        ..pages(LIST_LIMITS);
        from: NaiveDate = optional "from", "The first day; four weeks before `to` when left out.";
        to: NaiveDate = optional "to", "The last day; today when left out.";
    }
}

/// Queries with their pages, most impressions first, summed over the given days or the newest weeks.
pub async fn read(services: Arc<Services>, call: Call) -> Result<Answer, Problem> {
    let project = call.project(&services).await?.id;
    let (key, now) = (&services.config.cursor_key, services.core.clock.now());
    let bound_to = bound_part(&call.path, &call.query_text);
    let sorts = [("impressions", ())];
    let paging = paging(&call, &bound_to, LIST_LIMITS, &sorts, Direction::Descending);
    let period = period(&call, now.date_naive());
    let request = wanted(paging.request(key, now), &call.query)?;
    let mut found = services
        .core
        .console_searches(call.account(), project, period, &request)
        .await?
        .ok_or_else(refusals::no_project)?;
    let items = written(call.telling, &mut found.sums, None, RowView::of);
    let next = paging.next_cursor(&found.sums, key, now);
    let basis = found.basis.as_ref();
    let body = RowsBody {
        project_id: project.0,
        cut: basis.map(|it| it.cut.name()),
        from: basis.map(|it| it.span.first),
        to: basis.map(|it| it.span.last),
        days: basis.map_or(0, |it| it.days),
        items,
        next_cursor: next.as_deref(),
        limit: request.limit,
    };
    let answer = tagged(Answer::ok(&body), next.as_deref(), now);
    Ok(linked(answer, &call, next.as_deref()))
}

fn period(call: &Call, today: NaiveDate) -> Option<Span> {
    let query = &call.query;
    let asked = ReadConsoleRows(query);
    let (from, to) = (asked.from(), asked.to());
    if from.is_none() && to.is_none() {
        return None;
    }
    let to = to.unwrap_or(today);
    let from = from.or_else(|| to.checked_sub_days(USUAL))?;
    let span = Span::between(from, to);
    match span {
        None => query.wrong("to", "must not lie before `from`"),
        Some(span) if span.days() > MOST_DAYS => {
            let rule = format!("must not lie more than {MOST_DAYS} days behind `from`");
            query.note(FieldError::in_query("to", "too-many", rule).with("max", MOST_DAYS));
        }
        Some(_) => {}
    }
    span
}

/// Indexes of a set's rows in the request, in order.
type Places = Vec<usize>;

/// Groups rows by dimensions and day. Errors name the row's index.
pub(super) fn sent(fields: &Fields, rows: Vec<(NaiveDate, SearchRow)>) -> Vec<RowSet> {
    let mut sets: BTreeMap<(Cut, NaiveDate), (Vec<SearchRow>, Places)> = BTreeMap::new();
    for (place, (day, row)) in rows.into_iter().enumerate() {
        let cut = Cut {
            about: About::of(row.query.is_some(), row.page.is_some()),
            by_country: row.country.is_some(),
            by_device: row.device.is_some(),
        };
        if let Some(refusal) = row.refusal(cut) {
            let pointer = format!("{}/{place}/{}", fields.at("rows"), refusal.field.name());
            fields.note(FieldError::at(pointer, "invalid-value", refusal.what));
        }
        let (of_the_day, places) = sets.entry((cut, day)).or_default();
        of_the_day.push(row);
        places.push(place);
    }
    let sets = sets.into_iter().map(|((cut, day), (rows, places))| {
        let set = RowSet {
            cut,
            span: Span::day(day),
            rows,
        };
        if let Some((first, second)) = set.repeated() {
            let pointer = format!("{}/{}", fields.at("rows"), places[second]);
            let rule = format!(
                "is about the same as row {}: sum them up first",
                places[first]
            );
            fields.note(FieldError::at(pointer, "repeated", rule));
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
member!(RowMembers => (NaiveDate, SearchRow): row);

impl Words for ConsoleDevice {
    fn words() -> Vec<&'static str> {
        Self::NAMES.to_vec()
    }

    fn of_word(word: &str) -> Option<Self> {
        Self::in_any_case(word)
    }
}

within! {
    Position => f64: 1.0..=MOST_POSITION;
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
    let found = whole(value).and_then(|it| u64::try_from(it).ok());
    if found.is_none() {
        let rule = "must be a whole number, 0 or more";
        fields.note(FieldError::at(pointer, "invalid-value", rule));
    }
    found
}

/// `None` if a member is invalid: checks across rows need complete ones.
fn row(it: &RowMembers) -> Option<(NaiveDate, SearchRow)> {
    let before = it.fields().noted();
    let (date, query, page) = (it.date(), it.query(), it.page());
    let (country, device, position) = (it.country(), it.device(), it.position());
    let (clicks, impressions) = (it.clicks(), it.impressions());
    if it.fields().noted() > before {
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
