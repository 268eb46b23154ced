use super::{Group, ResultContext, ResultPage};
use crate::pages::charts::bars;
use crate::pages::components::Table;
use crate::pages::{PageError, components};
use analysis::findings::serp::{ItemType, SerpItem, SerpRecord, SerpSummary, Stability};
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

const MAX_ITEMS_SHOWN: usize = 30;
/// Keywords to choose from.
const CHOICES: u32 = 60;

pub async fn body(found: &ResultContext<'_>) -> Result<Vec<Markup>, PageError> {
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
                a href=(found.url_with_parameter("keyword", &it.id.to_string())) aria-current=[(shown == Some(it.id.0)).then_some("true")] {
                    span { (it.text.as_str()) }
                    span .soft {
                        @if let Some(at) = it.latest.as_ref().and_then(|it| it.position) { (at) } @else { "–" }
                    }
                }
            }
        }
    };
    let list = components::card(
        "Keyword",
        "The number is our position; a dash: not found, or not measured.",
        choices,
    );
    let page = match &record {
        None => super::no_results("There is no page of this keyword", "Choose another one."),
        Some(record) => snapshot(record),
    };
    body.push(components::side_by_side("split list", list, page));
    Ok(body)
}

fn figures(it: &SerpSummary) -> Markup {
    let stats = components::stats(vec![
        components::stat(
            "Volatility",
            components::optional_number(it.volatility, 1),
            &format!(
                "of 10: how much pages changed, the middle of {} keywords",
                it.volatility_keywords
            ),
        ),
        components::stat(
            "Our part of the pages",
            components::percent(it.average_own_share),
            "of all blocks that are shown",
        ),
        components::stat(
            "With an AI overview",
            components::text(format_args!(
                "{} of {}",
                it.ai_overview_present, it.ai_overview_known
            )),
            &format!("{} of them cite us", it.ai_overview_own_cited),
        ),
        components::stat(
            "Questions",
            components::count(it.questions),
            "that searchers also ask",
        ),
    ]);
    let rows: Vec<(Markup, Markup, f64, bool)> = { it.features.iter() }
        .map(|it| {
            let name = components::text(components::humanize_capitalized(it.feature.name()));
            let own = components::text(format_args!("{} of {}", it.own_present, it.pages));
            #[expect(clippy::cast_precision_loss, reason = "a count of pages")]
            (name, own, it.pages as f64, it.own_present > 0)
        })
        .collect();
    let features = components::card(
        "What stands beside the results",
        "Bars tell on how many pages; the figures, on how many of them we are in it.",
        bars(&rows),
    );
    let moved = |domains: &[analysis::findings::serp::MovedDomain]| {
        let items: Vec<Markup> = domains
            .iter()
            .take(8)
            .map(|it| components::text(format_args!("{} ({})", it.domain, it.pages)))
            .collect();
        components::list("plain", &items)
    };
    let domains = components::card(
        "Sites that came and went",
        "",
        components::pairs(vec![
            ("Came", moved(&it.new_domains)),
            ("Went", moved(&it.lost_domains)),
        ]),
    );
    html! { (stats) (components::side_by_side("split even", features, domains)) }
}

fn snapshot(record: &SerpRecord) -> Markup {
    let head = components::pairs(vec![
        ("Fetched", components::date_time(record.fetched_at)),
        (
            "Where",
            components::text(format_args!(
                "{}, {}, {}, {}",
                record.market.engine,
                record.market.country,
                record.market.language,
                components::humanize_value(&record.market.device)
            )),
        ),
        (
            "Intent",
            record
                .intent
                .as_ref()
                .map_or_else(components::unknown, |it| {
                    components::text(components::humanize_value(it))
                }),
        ),
        (
            "Difficulty",
            components::optional_number(record.difficulty.as_ref().and_then(|it| it.score), 0),
        ),
        (
            "Results seen",
            components::count(record.organic_count.into()),
        ),
        (
            "Same as last time",
            record
                .stability
                .as_ref()
                .map_or_else(components::unknown, |it| {
                    components::percent(Some(it.overlap_top10))
                }),
        ),
    ]);
    let overview = record.ai_overview.as_ref().filter(|it| it.present);
    // The AI overview is shown above with its citations.
    let is_shown_above = |it: &&SerpItem| {
        overview.is_some() && it.item_type == ItemType::Feature(Feature::AiOverview)
    };
    let items = { record.items.iter() }
        .filter(|it| !is_shown_above(it))
        .take(MAX_ITEMS_SHOWN);
    let inside = html! {
        div .page {
            (head)
            @if let Some(overview) = overview { (ai_overview(overview)) }
            ol .serp { @for it in items { (item(it)) } }
            @if record.items.len() > MAX_ITEMS_SHOWN {
                p .soft .small { (record.items.len() - MAX_ITEMS_SHOWN) " more results are further down." }
            }
        }
    };
    let note = "The page as it was returned: results, and what stands among them.";
    html! {
        @if let Some(it) = &record.stability {
            (components::card("Since the check before", "Among the first 20 results.", changes(it)))
        }
        (components::card(&format!("“{}”", record.market.keyword), note, inside))
        @if !record.questions.is_empty() { (components::table_card("People also ask", "", &questions(&record.questions))) }
    }
}

fn changes(since: &Stability) -> Markup {
    let list = |texts: Option<&[String]>, show: fn(&str) -> Markup| match texts {
        None => components::unknown(),
        Some([]) => components::text("none"),
        Some(texts) => {
            let shown: Vec<Markup> = texts.iter().take(10).map(|it| show(it)).collect();
            components::list("plain", &shown)
        }
    };
    let features = |found: &Option<Vec<Feature>>| {
        let names = found.as_ref().map(|all| {
            let names = all.iter().map(components::humanize_value);
            names.collect::<Vec<String>>()
        });
        list(names.as_deref(), |it| components::text(it))
    };
    let text: fn(&str) -> Markup = |it| components::text(it);
    let link: fn(&str) -> Markup = |it| components::external_link(it);
    let domains = |found: &Option<Vec<String>>| match found {
        None => components::text(
            "not known: you are below the first 20, or an earlier version measured it",
        ),
        Some(found) => list(Some(found), text),
    };
    components::pairs(vec![
        ("You overtook", domains(&since.overtaken_domains)),
        ("Overtook you", domains(&since.overtaken_by_domains)),
        ("New pages", list(Some(&since.new_urls), link)),
        ("Pages gone", list(Some(&since.lost_urls), link)),
        ("New features", features(&since.features_added)),
        ("Features gone", features(&since.features_removed)),
    ])
}

fn questions(questions: &[String]) -> Table {
    let rows = questions
        .iter()
        .map(|it| components::row(vec![components::text(it)]));
    Table::new(
        "Questions",
        vec![components::text_column("Question")],
        rows.collect(),
    )
    .hide_caption()
}

fn ai_overview(it: &analysis::findings::serp::SerpAiOverview) -> Markup {
    let text = it.text.as_deref().unwrap_or("Its text was not returned.");
    let cited: Vec<Markup> = it
        .citations
        .iter()
        .take(8)
        .map(|it| components::external_link(&it.url))
        .collect();
    let sign = if it.own_cited {
        components::tag("good", "cites us")
    } else {
        components::tag("", "does not cite us")
    };
    html! {
        div .answer {
            div .row { (components::tag("info", "AI overview")) (sign) }
            p .small .wrap { (text) }
            (components::list("plain small", &cited))
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
        ItemType::Feature(feature) => components::humanize_capitalized(feature.name()),
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
        .unwrap_or_else(|| components::shortened_url(url));
    html! {
        li class=(class) {
            span .at { (at) }
            div .stack .tight {
                @if !place.is_empty() { cite { (place) } }
                h3 { @if url.starts_with("http") { (components::external_link_named(url, title)) } @else { (title) } }
                @if let Some(snippet) = it.snippet.as_deref().filter(|it| !it.is_empty()) { p { (snippet) } }
                @if !named.is_empty() || is_ours || is_competitor {
                    div .tags {
                        @if !named.is_empty() { (components::tag("", &named)) }
                        @if is_ours { (components::tag("own", "ours")) }
                        @if is_competitor { (components::tag("warn", "competitor")) }
                    }
                }
            }
        }
    }
}
