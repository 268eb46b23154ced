use super::wire::Item;
use crate::resilience::CallFailure;
use crate::search::result_page::{PlacedBlock, QuotedPage, ResultPage};
use analysis::observation::search_page::{
    BlockContent, Feature, FeatureBlock, OrganicResult, PageLink, RichData,
};
use analysis::url_rules::unwrapped;
use serde_json::Value;
use std::collections::HashSet;

/// Per element.
const MAX_LINKS: usize = 100;

/// The blocks in order, without the AI Overview.
pub(super) fn to_result_page(items: &[Item]) -> Result<ResultPage, CallFailure> {
    let mut page = ResultPage::default();
    // Ads below the first result of their page are bottom ads.
    let mut with_results = HashSet::new();
    for item in items {
        let number = item.number("page").unwrap_or(1);
        match item.kind() {
            "ai_overview" => {}
            "organic" => {
                with_results.insert(number);
                let result = BlockContent::Organic(organic(item)?);
                page.blocks.push(at(item, result));
            }
            "paid" if with_results.contains(&number) => add(&mut page, item, Feature::PaidBottom),
            "paid" => add(&mut page, item, Feature::PaidTop),
            kind => add(&mut page, item, feature(kind)),
        }
    }
    for item in items.iter().filter(|it| it.kind() == "related_searches") {
        let words = item.list("items").iter().filter_map(Value::as_str);
        page.related.extend(words.map(str::to_owned));
    }
    let mut snippets = items.iter().filter(|it| it.kind() == "featured_snippet");
    if let Some(quoted) = snippets.find_map(quoted) {
        page.mark_featured(quoted);
    }
    Ok(page)
}

pub(crate) fn feature(kind: &str) -> Feature {
    match kind {
        "featured_snippet" => Feature::FeaturedSnippet,
        "people_also_ask" => Feature::PeopleAlsoAsk,
        "knowledge_graph" => Feature::KnowledgePanel,
        "answer_box" => Feature::KnowledgeCard,
        "local_pack" | "local_services" => Feature::LocalPack,
        "map" => Feature::Map,
        "images" => Feature::Images,
        "video" | "short_videos" => Feature::Video,
        "top_stories" => Feature::TopStories,
        "shopping" | "popular_products" | "commercial_units" => Feature::Shopping,
        "google_reviews" | "third_party_reviews" => Feature::Reviews,
        "twitter" => Feature::Twitter,
        "related_searches" => Feature::RelatedSearches,
        "people_also_search" => Feature::PeopleAlsoSearch,
        "jobs" => Feature::Jobs,
        "events" => Feature::Events,
        "recipes" => Feature::Recipes,
        "google_flights" => Feature::Flights,
        "hotels_pack" | "google_hotels" => Feature::Hotels,
        "discussions_and_forums" => Feature::DiscussionsForums,
        "perspectives" => Feature::Perspectives,
        "dictionary" => Feature::Dictionary,
        "math_solver" | "currency_box" => Feature::Calculator,
        _ => Feature::Other,
    }
}

fn at(item: &Item, content: BlockContent) -> PlacedBlock {
    PlacedBlock {
        absolute: item.number("rank_absolute"),
        page: item.number("page"),
        content,
    }
}

/// Adjacent elements of one kind (local pack entries, ads) form one block at the first one's position.
fn add(page: &mut ResultPage, item: &Item, feature: Feature) {
    let block = block(item, feature);
    if let Some(BlockContent::Feature(last)) = page.blocks.last_mut().map(|it| &mut it.content)
        && last.feature == feature
        && feature != Feature::Other
    {
        last.links.extend(block.links);
        return;
    }
    page.blocks.push(at(item, BlockContent::Feature(block)));
}

fn block(item: &Item, feature: Feature) -> FeatureBlock {
    let own = item.text("url").map(|url| PageLink {
        title: item.owned("title").unwrap_or_default(),
        url: unwrapped(url).into_owned(),
    });
    let entries = item.list("items").iter().flat_map(entry_links);
    FeatureBlock {
        feature,
        title: item.owned("title"),
        text: item.owned("description"),
        links: own.into_iter().chain(entries).take(MAX_LINKS).collect(),
    }
}

/// The entry's own link, or those of a question's expanded answers.
fn entry_links(entry: &Value) -> Vec<PageLink> {
    let text = |entry: &Value, name: &str| entry.get(name)?.as_str().map(str::to_owned);
    let title = text(entry, "title").or_else(|| text(entry, "alt"));
    let title = title.unwrap_or_default();
    if let Some(url) = text(entry, "url") {
        let url = unwrapped(&url).into_owned();
        return vec![PageLink { title, url }];
    }
    let answers = entry.get("expanded_element").and_then(Value::as_array);
    let urls = answers
        .into_iter()
        .flatten()
        .filter_map(|it| text(it, "url"));
    let links = urls.map(|url| PageLink {
        title: title.clone(),
        url: unwrapped(&url).into_owned(),
    });
    links.collect()
}

fn quoted(item: &Item) -> Option<QuotedPage> {
    Some(QuotedPage {
        url: unwrapped(item.text("url")?).into_owned(),
        title: item.owned("title").unwrap_or_default(),
        passage: item.owned("description"),
        highlighted: Vec::new(),
    })
}

fn organic(item: &Item) -> Result<OrganicResult, CallFailure> {
    let url = item.text("url").filter(|it| !it.is_empty());
    let url = url.ok_or_else(|| CallFailure::malformed("a result has no address"))?;
    let words = item.list("highlighted").iter().filter_map(Value::as_str);
    Ok(OrganicResult {
        url: unwrapped(url).into_owned(),
        title: item.owned("title").unwrap_or_default(),
        snippet: item.owned("description"),
        displayed_url: item.owned("breadcrumb"),
        highlighted: words.map(str::to_owned).collect(),
        sitelinks: item.list("links").iter().flat_map(entry_links).collect(),
        rich_data: rich_data(item),
        ..OrganicResult::default()
    })
}

fn rich_data(item: &Item) -> RichData {
    let field = |group: &str, name: &str| item.0.get(group)?.get(name).filter(|it| !it.is_null());
    let questions = field("faq", "items").and_then(Value::as_array);
    let titles = questions
        .into_iter()
        .flatten()
        .filter_map(|it| it.get("title"));
    RichData {
        rating: field("rating", "value").and_then(Value::as_f64),
        review_count: field("rating", "votes_count").and_then(Value::as_u64),
        price: field("price", "current").and_then(Value::as_f64),
        currency: { field("price", "currency") }
            .and_then(Value::as_str)
            .map(str::to_owned),
        date: item.owned("timestamp"),
        faq: titles
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}
