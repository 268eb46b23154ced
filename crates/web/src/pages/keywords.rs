use super::components::{Row, Table};
use super::forms::options;
use super::markets::FieldNames;
use super::measures::{change_cell, position_cell};
use super::page_context::{ListRequest, PageContext};
use super::page_header::PageContent;
use super::{PageError, components, markets, page_header};
use crate::agent_api::StatusFilter;
use crate::contract::{StringEnum, parameters::Query};
use analysis::{
    findings::rankings::{RankState, RankingRecord},
    observation::search_page::Device,
};
use domain::ids::ProjectId;
use domain::keyword::Keyword;
use domain::keyword_metrics::Cpc;
use domain::page::{Direction, PageRequest};
use domain::ports::keywords::{KeywordFilter, KeywordSort};
use domain::project::{Project, Status};
use domain::rights::Right;
use domain::use_cases::keywords::KeywordBoard;
use maud::{Markup, html};
use std::collections::HashMap;

const KNOWN_PARAMETERS: [&str; 6] = ["search", "aiTracked", "status", "tag", "cursor", "sort"];
const SORTS: [(&str, KeywordSort); 3] = [
    ("position", KeywordSort::Position),
    ("text", KeywordSort::Text),
    ("createdAt", KeywordSort::CreatedAt),
];
const ROWS: u32 = 50;
const FIELDS: FieldNames = FieldNames {
    country: "market.country",
    language: "market.language",
};

pub async fn page(visit: &PageContext<'_>, id: ProjectId) -> Result<PageContent, PageError> {
    let query = visit.query(&KNOWN_PARAMETERS);
    let search = query.free_text("search", 200).unwrap_or_default();
    let status = query.text("status").unwrap_or("active");
    let filter = filter_of(&query, status, &search);
    let list_request = visit.list_request(&query, ROWS, &SORTS, Direction::Ascending);
    let board = { &visit.services.core }
        .keyword_board(visit.account(), id, &filter, &list_request.page)
        .await?;
    let board = board.ok_or(PageError::NotFound)?;
    let project = &board.project;
    let add = add_form(visit, &board);
    let lead = format!(
        "{} in use, {} of them measured in answers of AI engines.",
        project.keyword_count, project.ai_tracked_count
    );
    let simulated = board
        .head
        .as_ref()
        .is_some_and(|it| it.provenance.is_simulated());
    let may_write = visit.may(Right::KeywordsWrite);
    let action = may_write.then(|| html! {
        div .row {
            @if project.is_active() && project.keyword_count > 0 {
                (components::start_analysis_button("rankCheck", project.id.0, &format!("/projects/{id}"), "Check positions"))
            }
            (components::button_link("#add", "Add keywords"))
        }
    });
    let measured = board
        .head
        .as_ref()
        .map(|it| page_header::measurement_note(it, "keywords", visit.now));
    let mut body = vec![match measured {
        Some(measured) => page_header::head_with_measurement(
            page_header::crumbs(project),
            "Keywords",
            &lead,
            action,
            measured,
        ),
        None => page_header::head(page_header::crumbs(project), "Keywords", &lead, action),
    }];
    let is_plain = search.is_empty()
        && filter.ai_tracked.is_none()
        && status == "active"
        && filter.tag.is_none();
    if project.keyword_count == 0 && is_plain {
        let text = "Add the searches for which you want to be found. Sightline then follows your position for each of them.";
        let back = deactivated_link(visit, id).await?;
        body.push(components::empty_state(
            "keywords",
            "No keywords in use",
            text,
            back,
        ));
    } else {
        body.push(filters(&search, query.text("aiTracked"), status));
        if board.keywords.items.is_empty() {
            let text = "No keyword fits what you chose.";
            body.push(components::empty_state(
                "keywords",
                "Nothing fits",
                text,
                Some(components::main_link(visit.path, "Show all")),
            ));
        } else {
            let table = keyword_table(visit, &query, &list_request, &board);
            if may_write {
                body.push(bulk_actions());
            }
            body.push(components::table_card("", "", &table));
        }
    }
    if may_write {
        body.push(add);
    }
    Ok(PageContent {
        title: format!("Keywords · {}", project.name.as_str()),
        project: Some(project.clone()),
        simulated,
        parts: body,
    })
}

fn filters(search: &str, ai: Option<&str>, status: &str) -> Markup {
    let measured = [("", "Any"), ("true", "Measured"), ("false", "Not measured")];
    let shown = [
        ("active", "In use"),
        ("deactivated", "Deactivated"),
        ("all", "All"),
    ];
    html! {
        form .filter method="get" role="search" {
            label .field .grow {
                span { "Search keywords" }
                input type="search" name="search" value=(search) maxlength="200";
            }
            label .field {
                span { "AI answers" }
                select name="aiTracked" data-submit { (options(measured.map(|(value, name)| (value, name, ai == Some(value))))) }
            }
            label .field {
                span { "Show" }
                select name="status" data-submit { (options(shown.map(|(value, name)| (value, name, value == status)))) }
            }
            button type="submit" { "Show" }
        }
    }
}

fn bulk_actions() -> Markup {
    html! {
        div .bulk data-bulk-of="keywords" role="group" aria-label="What is done to the chosen keywords" {
            label .check { input type="checkbox" data-all="keywords"; " All of this page" }
            span .row {
                button type="button" .slim data-bulk="PATCH /api/keywords/{id}" data-body=r#"{"aiTracked":true}"# { "Measure in AI answers" }
                button type="button" .slim data-bulk="PATCH /api/keywords/{id}" data-body=r#"{"aiTracked":false}"# { "Not in AI answers" }
                button type="button" .slim data-bulk="POST /api/keywords/{id}/reactivate" data-body="{}" { "Bring back" }
                button type="button" .slim .danger data-bulk="DELETE /api/keywords/{id}" data-confirm="Stop tracking {n} keywords? Their history is kept." data-confirm-one="Stop tracking 1 keyword? Its history is kept." { "Deactivate" }
            }
            span .small .soft data-outcome role="status" {}
        }
    }
}

fn add_form(visit: &PageContext<'_>, board: &KeywordBoard) -> Markup {
    let project = &board.project;
    let used = project.keyword_count;
    let account = &visit.member.account;
    let allowance = account.project_keyword_allowance(used);
    let ai = account.ai_allowance();
    let market = board.usual_market.clone().unwrap_or_default();
    html! {
        details .card #add open[used == 0] {
            summary {
                b { "Add keywords" }
                " "
                span .soft .small { (used) " of " (allowance.limit) " used in this project, " (ai.used) " of " (ai.limit) " measured in AI answers" }
            }
            form .page method="post" data-keywords-into=(project.id.0) {
                label .field {
                    span { "Keywords" }
                    textarea name="keywords" data-as="numbered" required placeholder="running shoes\ntrail running shoes" {}
                    small { "One per line. Keywords that are tracked already are skipped; deactivated ones are restored with their history. Lines that cannot be added are listed with the reason." }
                }
                div .fields {
                    (markets::fields(FIELDS, market.country, market.language))
                    label .field {
                        span { "Device" }
                        select name="market.device" {
                            option value="desktop" { "Desktop" }
                            option value="mobile" selected[market.device == Device::Mobile] { "Mobile" }
                        }
                    }
                    label .field {
                        span { "Tags" }
                        input name="tags" data-as="commas" data-skip;
                        small { "Separate with commas." }
                    }
                }
                label .check { input type="checkbox" name="aiTracked"; " Measure them in answers of AI engines too" }
                div .row { button .main type="submit" { "Add them" } }
                div data-outcome {}
            }
        }
    }
}

/// `None` without deactivated keywords.
async fn deactivated_link(
    visit: &PageContext<'_>,
    id: ProjectId,
) -> Result<Option<Markup>, PageError> {
    let filter = KeywordFilter {
        status: Some(Status::Deactivated),
        ..KeywordFilter::default()
    };
    let one = PageRequest {
        sort: KeywordSort::Text,
        direction: Direction::Ascending,
        after: None,
        limit: 1,
        counted: false,
        bytes: None,
    };
    let found = { &visit.services.core }
        .keywords(visit.account(), id, &filter, &one)
        .await?;
    let found = found.filter(|it| !it.items.is_empty());
    Ok(found.map(|_| {
        let href = visit.url_with(&[("status", Some("deactivated"))]);
        components::link(&href, "Bring deactivated ones back")
    }))
}

fn filter_of(query: &Query, status: &str, search: &str) -> KeywordFilter {
    let normalised = analysis::keyword_text::normalized(search);
    KeywordFilter {
        status: StatusFilter::from_word(status).unwrap_or_default().0,
        ai_tracked: query.text("aiTracked").and_then(|it| it.parse().ok()),
        tag: query.free_text("tag", 50),
        search: Some(normalised).filter(|it| !it.is_empty()),
    }
}

fn keyword_table(
    visit: &PageContext<'_>,
    query: &Query,
    list_request: &ListRequest<KeywordSort>,
    board: &KeywordBoard,
) -> Table {
    let known: HashMap<i64, RankingRecord> = { board.records.iter() }
        .filter_map(|it| it.record.parse::<RankingRecord>().ok())
        .filter_map(|it| Some((it.envelope.keyword_id?, it)))
        .collect();
    let rows = board
        .keywords
        .items
        .iter()
        .map(|it| row(visit, &board.project, it, known.get(&it.id.0)));
    let sorted = |column: components::Column, name: &str| {
        let (href, order) = visit.sort_link(query, name, "position");
        column.sorted(href, order)
    };
    let columns = vec![
        sorted(components::text_column("Keyword"), "text"),
        sorted(components::number_column("Position"), "position"),
        components::number_column("vs previous check"),
        components::text_column("Best page"),
        components::text_column("On the search page"),
        components::number_column("Searches a month"),
        components::number_column("Visits a month"),
        components::text_column("AI answers"),
    ];
    let change = visit
        .may(Right::KeywordsWrite)
        .then(|| components::text_column("Change it"));
    let columns: Vec<components::Column> = columns.into_iter().chain(change).collect();
    let (first, next) = visit.page_links(list_request, &board.keywords);
    Table::new("Keywords of this project", columns, rows.collect())
        .hide_caption()
        .paged(format!("{ROWS} a page"), first, next)
}

fn row(
    visit: &PageContext<'_>,
    project: &Project,
    keyword: &Keyword,
    record: Option<&RankingRecord>,
) -> Row {
    let may_write = visit.may(Right::KeywordsWrite);
    let text = keyword.text.as_str();
    let href = format!(
        "/projects/{}/results/rankings?keyword={}",
        project.id, keyword.id
    );
    let market = &keyword.market;
    let name = html! {
        span .picks {
            @if may_write { input type="checkbox" data-row="keywords" value=(keyword.id.0) data-name=(text) aria-label={ "Choose “" (text) "”" }; }
            span {
                a href=(href) { (text) }
                span .sub { (market.country) ", " (market.language) ", " (market.device.name()) }
            }
        }
    };
    let position = match &keyword.latest {
        None => html! { span .soft .small { "not checked yet" } },
        Some(latest) if record.is_none() && latest.state == RankState::Error => {
            components::tag("bad", "not measured")
        }
        Some(latest) => position_cell(latest.position, record),
    };
    let page = keyword.latest.as_ref().and_then(|it| it.url.as_deref());
    let features = record.and_then(|it| it.features_present.as_ref());
    let features = { features.into_iter().flatten().take(3) }
        .map(|it| components::tag("", &components::humanize(it.name())));
    let (api, label) = if keyword.is_active() {
        (format!("DELETE /api/keywords/{}", keyword.id), "Deactivate")
    } else {
        (
            format!("POST /api/keywords/{}/reactivate", keyword.id),
            "Bring back",
        )
    };
    let mut cells = vec![
        name,
        position,
        change_cell(record),
        page.map_or_else(components::unknown, components::external_path_link),
        components::tags(features).unwrap_or_else(components::unknown),
        research_cell(keyword),
        components::optional_number(record.and_then(|it| it.estimated_clicks), 0),
        if may_write {
            html! {
                label .check {
                    input type="checkbox" name="aiTracked" data-api={ "PATCH /api/keywords/" (keyword.id.0) } checked[keyword.ai_tracked];
                    span .out { "Measure “" (text) "” in AI answers" }
                }
            }
        } else {
            components::text(if keyword.ai_tracked {
                "measured"
            } else {
                "not measured"
            })
        },
    ];
    if may_write {
        cells.push(components::api_button(
            "quiet slim",
            &api,
            "",
            "",
            "",
            label,
        ));
    }
    components::row(cells)
}

/// Search volume, with the other metrics of keyword research, their month, and whether they are simulated.
fn research_cell(keyword: &Keyword) -> Markup {
    let Some(it) = &keyword.metrics else {
        return components::optional_count(keyword.search_volume);
    };
    let volume = components::optional_count(it.search_volume.or(keyword.search_volume));
    let mut details = Vec::new();
    details.extend(it.difficulty.map(|it| format!("difficulty {it}")));
    details.extend({ it.cpc.as_ref() }.map(price));
    details.extend(it.intent.map(|it| components::humanize_value(&it)));
    details.push(it.researched_at.format("%b %Y").to_string());
    if it.provenance.is_simulated() {
        details.push("simulated".to_owned());
    }
    components::with_subtext(volume, details.join(" · "))
}

fn price(cpc: &Cpc) -> String {
    let cents = (cpc.micros + 5_000) / 10_000;
    format!("CPC {}.{:02} {}", cents / 100, cents % 100, cpc.currency)
}
