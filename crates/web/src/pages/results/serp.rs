use super::{Found, Group, ResultPage};
use crate::pages::charts::bars;
use crate::pages::parts::Table;
use crate::pages::{NoPage, parts};
use analysis::findings::serp::{ItemType, SerpItem, SerpRecord, SerpSummary};
use analysis::observation::search_page::Feature;
use domain::page::{Direction, PageRequest};
use domain::ports::keywords::{KeywordFilter, KeywordSort};
use domain::project::Status;
use maud::{Markup, html};

pub const PAGE: ResultPage = ResultPage {
    group: Group::Search,
    title: "Search pages",
    short: None,
    question: "What does a searcher see, and what changed on the page?",
    unit: "keywords",
    icon: "serp",
    rows: 1,
};

const SHOWN: usize = 30;
/// Keywords to choose from.
const CHOICES: u32 = 60;

pub async fn body(found: &Found<'_>) -> Result<Vec<Markup>, NoPage> {
    let record: Option<SerpRecord> = found.records().into_iter().next();
    let mut body = Vec::new();
    if let Some(summary) = found.summary::<SerpSummary>() {
        body.push(figures(&summary));
    }
    let filter = KeywordFilter {
        status: Some(Status::Active),
        ..KeywordFilter::default()
    };
    let page = PageRequest {
        sort: KeywordSort::Position,
        direction: Direction::Ascending,
        after: None,
        limit: CHOICES,
        counted: false,
        bytes: None,
    };
    let keywords = { &found.visit.services.core }
        .keywords(found.visit.account(), found.project.id, &filter, &page)
        .await?;
    let shown = record.as_ref().and_then(|it| it.envelope.keyword_id);
    let choices = html! {
        nav .pick {
            @for it in keywords.iter().flat_map(|it| &it.items) {
                a href=(found.about("keyword", &it.id.to_string())) aria-current=[(shown == Some(it.id.0)).then_some("true")] {
                    span { (it.text.as_str()) }
                    span .soft {
                        @if let Some(at) = it.latest.as_ref().and_then(|it| it.position) { (at) } @else { "–" }
                    }
                }
            }
        }
    };
    let list = parts::card("Keyword", "The number is our position.", choices);
    let page = match &record {
        None => super::none("There is no page of this keyword", "Choose another one."),
        Some(record) => snapshot(record),
    };
    body.push(parts::side_by_side("split list", list, page));
    Ok(body)
}

fn figures(it: &SerpSummary) -> Markup {
    let stats = parts::stats(vec![
        parts::stat(
            "Volatility",
            parts::maybe(it.volatility, 1),
            &format!(
                "of 10: how much pages changed, the middle of {} keywords",
                it.volatility_keywords
            ),
        ),
        parts::stat(
            "Our part of the pages",
            parts::percent(it.average_own_share),
            "of all blocks that are shown",
        ),
        parts::stat(
            "With an AI overview",
            parts::text(format_args!(
                "{} of {}",
                it.ai_overview_present, it.ai_overview_known
            )),
            &format!("{} of them cite us", it.ai_overview_own_cited),
        ),
        parts::stat(
            "Questions",
            parts::count(it.questions),
            "that searchers also ask",
        ),
    ]);
    let rows: Vec<(Markup, Markup, f64, bool)> = { it.features.iter() }
        .map(|it| {
            let name = parts::text(parts::headed(it.feature.name()));
            let own = parts::text(format_args!("{} of {}", it.own_present, it.pages));
            #[expect(clippy::cast_precision_loss, reason = "a count of pages")]
            (name, own, it.pages as f64, it.own_present > 0)
        })
        .collect();
    let features = parts::card(
        "What stands beside the results",
        "Bars tell on how many pages; the figures, on how many of them we are in it.",
        bars(&rows),
    );
    let moved = |domains: &[analysis::findings::serp::MovedDomain]| {
        let items: Vec<Markup> = domains
            .iter()
            .take(8)
            .map(|it| parts::text(format_args!("{} ({})", it.domain, it.pages)))
            .collect();
        parts::list("plain", &items)
    };
    let domains = parts::card(
        "Sites that came and went",
        "",
        parts::pairs(vec![
            ("Came", moved(&it.new_domains)),
            ("Went", moved(&it.lost_domains)),
        ]),
    );
    html! { (stats) (parts::side_by_side("split even", features, domains)) }
}

fn snapshot(record: &SerpRecord) -> Markup {
    let head = parts::pairs(vec![
        ("Fetched", parts::at(record.fetched_at)),
        (
            "Where",
            parts::text(format_args!(
                "{}, {}, {}, {}",
                record.market.engine,
                record.market.country,
                record.market.language,
                parts::said(&record.market.device)
            )),
        ),
        (
            "Intent",
            record
                .intent
                .as_ref()
                .map_or_else(parts::unknown, |it| parts::text(parts::said(it))),
        ),
        (
            "Difficulty",
            parts::maybe(record.difficulty.as_ref().and_then(|it| it.score), 0),
        ),
        ("Results seen", parts::count(record.organic_count.into())),
        (
            "Same as last time",
            record
                .stability
                .as_ref()
                .map_or_else(parts::unknown, |it| parts::percent(Some(it.overlap_top10))),
        ),
    ]);
    let overview = record.ai_overview.as_ref().filter(|it| it.present);
    // The AI overview is shown above with its citations.
    let is_shown_above = |it: &&SerpItem| {
        overview.is_some() && it.item_type == ItemType::Feature(Feature::AiOverview)
    };
    let items = { record.items.iter() }
        .filter(|it| !is_shown_above(it))
        .take(SHOWN);
    let inside = html! {
        div .page {
            (head)
            @if let Some(overview) = overview { (ai_overview(overview)) }
            ol .serp { @for it in items { (item(it)) } }
            @if record.items.len() > SHOWN {
                p .soft .small { (record.items.len() - SHOWN) " more results are further down." }
            }
        }
    };
    let note = "The page as it was returned: results, and what stands among them.";
    html! {
        (parts::card(&format!("“{}”", record.market.keyword), note, inside))
        @if let Some(it) = &record.stability {
            (parts::card("Since the look before", "", changes(&it.new_urls, &it.lost_urls)))
        }
        @if !record.questions.is_empty() { (parts::card_of("People also ask", "", &questions(&record.questions))) }
    }
}

fn changes(new: &[String], gone: &[String]) -> Markup {
    let list = |urls: &[String]| {
        let urls: Vec<Markup> = urls.iter().take(10).map(|it| parts::outward(it)).collect();
        parts::list("plain", &urls)
    };
    parts::pairs(vec![("New", list(new)), ("Gone", list(gone))])
}

fn questions(questions: &[String]) -> Table {
    let rows = questions.iter().map(|it| parts::row(vec![parts::text(it)]));
    Table::new("Questions", vec![parts::words("Question")], rows.collect()).named_above()
}

fn ai_overview(it: &analysis::findings::serp::SerpAiOverview) -> Markup {
    let text = it.text.as_deref().unwrap_or("Its text was not returned.");
    let cited: Vec<Markup> = it
        .citations
        .iter()
        .take(8)
        .map(|it| parts::outward(&it.url))
        .collect();
    let sign = if it.own_cited {
        parts::tag("good", "cites us")
    } else {
        parts::tag("", "does not cite us")
    };
    html! {
        div .answer {
            div .row { (parts::tag("info", "AI overview")) (sign) }
            p .small .wrap { (text) }
            (parts::list("plain small", &cited))
        }
    }
}

fn item(it: &SerpItem) -> Markup {
    let (class, at) = match (&it.item_type, it.organic_position) {
        (ItemType::Feature(_), _) => ("feature", String::new()),
        (ItemType::Organic(_), at) => (
            if it.is_own { "own" } else { "" },
            at.map_or_else(String::new, |it| it.to_string()),
        ),
    };
    let named = match &it.item_type {
        ItemType::Feature(feature) => parts::headed(feature.name()),
        ItemType::Organic(_) => String::new(),
    };
    let is_ours = it.is_own || it.leads_to_own;
    let is_competitor = it.is_competitor == Some(true);
    let title = it.title.as_deref().or(it.domain.as_deref());
    let title = title.unwrap_or(&named);
    let url = it.url.as_deref().unwrap_or_default();
    let place = it
        .displayed_url
        .clone()
        .unwrap_or_else(|| parts::shortened_url(url));
    html! {
        li class=(class) {
            span .at { (at) }
            div .stack .tight {
                @if !place.is_empty() { cite { (place) } }
                h3 { @if url.starts_with("http") { (parts::outward_as(url, title)) } @else { (title) } }
                @if let Some(snippet) = it.snippet.as_deref().filter(|it| !it.is_empty()) { p { (snippet) } }
                @if !named.is_empty() || is_ours || is_competitor {
                    div .tags {
                        @if !named.is_empty() { (parts::tag("", &named)) }
                        @if is_ours { (parts::tag("own", "ours")) }
                        @if is_competitor { (parts::tag("warn", "competitor")) }
                    }
                }
            }
        }
    }
}
