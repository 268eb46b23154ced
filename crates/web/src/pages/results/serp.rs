use super::Found;
use crate::pages::{
    NoPage,
    charts::bars,
    parts::{self, Html, Table, fill, snippet},
};
use analysis::{
    findings::serp::{ItemType, SerpItem, SerpRecord, SerpSummary},
    observation::search_page::Feature,
};
use domain::{
    page::{Direction, PageRequest},
    ports::keywords::{KeywordFilter, KeywordSort},
    project::Status,
};

const SHOWN: usize = 30;
/// How many keywords can be chosen from.
const CHOICES: u32 = 60;

snippet!(Item { class: &'a str, at: &'a str, title: &'a Html, place: &'a str, snippet: &'a str, signs: &'a Html } = r#"<li class="{{ class }}"><span class="at">{{ at }}</span><div class="stack tight">{% if !place.is_empty() %}<cite>{{ place }}</cite>{% endif %}<h3>{{ title }}</h3>{% if !snippet.is_empty() %}<p>{{ snippet }}</p>{% endif %}{{ signs }}</div></li>"#);
snippet!(Choice { href: &'a str, text: &'a str, at: &'a str, current: bool } = r#"<a href="{{ href }}"{% if current %} aria-current="true"{% endif %}><span>{{ text }}</span><span class="soft">{{ at }}</span></a>"#);

pub async fn body(found: &Found<'_>) -> Result<Vec<Html>, NoPage> {
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
    let choices = keywords.iter().flat_map(|it| &it.items).map(|it| {
        let at = it.latest.as_ref().and_then(|it| it.position);
        fill!(Choice {
            href: &found.about("keyword", &it.id.to_string()),
            text: it.text.as_str(),
            at: &at.map_or_else(|| "–".to_owned(), |it| it.to_string()),
            current: shown == Some(it.id.0),
        })
    });
    let list = parts::wrapped("nav", "pick", &Html::all(choices));
    let list = parts::card("Keyword", "The number is our position.", list);
    let page = match &record {
        None => super::none("There is no page of this keyword", "Choose another one."),
        Some(record) => snapshot(record),
    };
    body.push(parts::side_by_side("split list", vec![list, page]));
    Ok(body)
}

fn figures(it: &SerpSummary) -> Html {
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
            parts::text(&format!(
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
    let rows: Vec<(Html, Html, f64, bool)> = { it.features.iter() }
        .map(|it| {
            let name = parts::text(&parts::headed(it.feature.name()));
            let own = parts::text(&format!("{} of {}", it.own_present, it.pages));
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
        let items: Vec<Html> = domains
            .iter()
            .take(8)
            .map(|it| parts::text(&format!("{} ({})", it.domain, it.pages)))
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
    Html::all([
        stats,
        parts::side_by_side("split even", vec![features, domains]),
    ])
}

fn snapshot(record: &SerpRecord) -> Html {
    let head = parts::pairs(vec![
        ("Fetched", parts::at(record.fetched_at)),
        (
            "Where",
            parts::text(&format!(
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
                .map_or_else(parts::unknown, |it| parts::text(&parts::said(it))),
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
    let mut inside = vec![head];
    if let Some(overview) = record.ai_overview.as_ref().filter(|it| it.present) {
        inside.push(ai_overview(overview));
    }
    // The overview is told above, with all that it cites.
    let is_shown_above = |it: &&SerpItem| {
        record.ai_overview.as_ref().is_some_and(|it| it.present)
            && it.item_type == ItemType::Feature(Feature::AiOverview)
    };
    let items = { record.items.iter() }
        .filter(|it| !is_shown_above(it))
        .take(SHOWN)
        .map(item);
    inside.push(parts::wrapped("ol", "serp", &Html::all(items)));
    if record.items.len() > SHOWN {
        inside.push(parts::paragraph(
            "soft small",
            &format!(
                "{} more results are further down.",
                record.items.len() - SHOWN
            ),
        ));
    }
    let mut cards = vec![parts::card(
        &format!("“{}”", record.market.keyword),
        "The page as it was returned: results, and what stands among them.",
        parts::wrapped("div", "page", &Html::all(inside)),
    )];
    if let Some(it) = &record.stability {
        let list = |urls: &[String]| {
            parts::list(
                "plain",
                &urls
                    .iter()
                    .take(10)
                    .map(|it| parts::outward(it))
                    .collect::<Vec<_>>(),
            )
        };
        cards.push(parts::card(
            "Since the look before",
            "",
            parts::pairs(vec![
                ("New", list(&it.new_urls)),
                ("Gone", list(&it.lost_urls)),
            ]),
        ));
    }
    if !record.questions.is_empty() {
        let rows = record
            .questions
            .iter()
            .map(|it| parts::row(vec![parts::text(it)]))
            .collect();
        let table = Table::new("Questions", vec![parts::words("Question")], rows).named_above();
        cards.push(parts::card_of("People also ask", "", &table));
    }
    Html::all(cards)
}

fn ai_overview(it: &analysis::findings::serp::SerpAiOverview) -> Html {
    let text = it.text.as_deref().unwrap_or("Its text was not returned.");
    let cited: Vec<Html> = it
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
    let inside = Html::all([
        parts::wrapped(
            "div",
            "row",
            &Html::all([parts::tag("info", "AI overview"), sign]),
        ),
        parts::paragraph("small wrap", text),
        parts::list("plain small", &cited),
    ]);
    parts::wrapped("div", "answer", &inside)
}

fn item(it: &SerpItem) -> Html {
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
    let mut signs = Vec::new();
    if !named.is_empty() {
        signs.push(parts::tag("", &named));
    }
    if it.is_own || it.leads_to_own {
        signs.push(parts::tag("own", "ours"));
    }
    if it.is_competitor == Some(true) {
        signs.push(parts::tag("warn", "competitor"));
    }
    let title = it
        .title
        .clone()
        .or_else(|| it.domain.clone())
        .unwrap_or(named);
    let url = it.url.as_deref().unwrap_or_default();
    let title = if url.starts_with("http") {
        parts::outward_as(url, &title)
    } else {
        parts::text(&title)
    };
    let place = it
        .displayed_url
        .clone()
        .unwrap_or_else(|| parts::shortened_url(url));
    let signs = if signs.is_empty() {
        Html::default()
    } else {
        parts::wrapped("div", "tags", &Html::all(signs))
    };
    fill!(Item {
        class,
        at: &at,
        title: &title,
        place: &place,
        snippet: it.snippet.as_deref().unwrap_or_default(),
        signs: &signs
    })
}
