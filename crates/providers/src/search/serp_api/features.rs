use analysis::observation::search_page::{Feature, FeatureBlock, PageLink};
use analysis::url_rules::unwrapped;
use serde_json::{Map, Value};

/// Response keys by feature. Some features have several keys, for Google's layout tests.
const ELEMENTS: [(&str, Feature); 24] = [
    ("related_questions", Feature::PeopleAlsoAsk),
    ("local_results", Feature::LocalPack),
    ("local_map", Feature::Map),
    ("inline_images", Feature::Images),
    ("inline_videos", Feature::Video),
    ("short_videos", Feature::Video),
    ("video_results", Feature::Video),
    ("top_stories", Feature::TopStories),
    ("news_results", Feature::TopStories),
    ("shopping_results", Feature::Shopping),
    ("inline_shopping_results", Feature::Shopping),
    ("immersive_products", Feature::Shopping),
    ("popular_products", Feature::Shopping),
    ("twitter_results", Feature::Twitter),
    ("inline_people_also_search_for", Feature::PeopleAlsoSearch),
    ("jobs_results", Feature::Jobs),
    ("events_results", Feature::Events),
    ("recipes_results", Feature::Recipes),
    ("flights_results", Feature::Flights),
    ("hotels_results", Feature::Hotels),
    ("discussions_and_forums", Feature::DiscussionsForums),
    ("perspectives", Feature::Perspectives),
    ("sports_results", Feature::Sports),
    ("reviews_results", Feature::Reviews),
];

const MAX_LINKS: usize = 100;

/// One block per feature.
pub(super) fn collect_blocks(answer: &Map<String, Value>) -> Vec<FeatureBlock> {
    let mut blocks: Vec<FeatureBlock> = Vec::new();
    for (key, feature) in ELEMENTS {
        let Some(element) = answer.get(key).filter(|it| is_something(it)) else {
            continue;
        };
        let links = links(element);
        match blocks.iter_mut().find(|it| it.feature == feature) {
            Some(block) => block.links.extend(links),
            None => blocks.push(block(feature, links)),
        }
    }
    blocks
}

fn is_something(element: &Value) -> bool {
    match element {
        Value::Array(entries) => !entries.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        _ => false,
    }
}

pub(super) fn links(element: &Value) -> Vec<PageLink> {
    let lists: Vec<&Value> = match element {
        Value::Object(fields) => fields.values().collect(),
        list => vec![list],
    };
    let entries = lists.into_iter().filter_map(Value::as_array).flatten();
    entries.filter_map(link).take(MAX_LINKS).collect()
}

fn link(entry: &Value) -> Option<PageLink> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str);
    let source = || text("source").filter(|it| it.starts_with("http"));
    let url = text("link").or_else(source)?;
    let title = text("question").or_else(|| text("title"));
    Some(PageLink {
        title: title.unwrap_or_default().to_owned(),
        url: unwrapped(url).into_owned(),
    })
}

pub(super) fn block(feature: Feature, links: Vec<PageLink>) -> FeatureBlock {
    FeatureBlock {
        feature,
        title: None,
        text: None,
        links,
    }
}
