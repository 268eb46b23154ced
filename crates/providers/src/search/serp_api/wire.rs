use super::boxes::{Ad, AnswerBox, KnowledgeGraph, advertisements};
use super::{features, overview};
use crate::http_client::parse_json;
use crate::resilience::CallFailure;
use crate::search::result_page::{Overview, ResultPage};
use analysis::observation::search_page::{Feature, OrganicResult, RichData};
use analysis::url_rules::unwrapped;
use serde::{Deserialize, Deserializer, de::DeserializeOwned};
use serde_json::{Map, Value};

/// Every field is optional.
#[derive(Debug, Deserialize)]
pub(super) struct Body {
    search_metadata: Option<Metadata>,
    search_information: Option<Information>,
    organic_results: Option<Vec<Organic>>,
    #[serde(default, deserialize_with = "if_readable")]
    ads: Vec<Ad>,
    #[serde(default, deserialize_with = "if_readable")]
    answer_box: Option<AnswerBox>,
    ai_overview: Option<Value>,
    #[serde(default, deserialize_with = "if_readable")]
    knowledge_graph: Option<KnowledgeGraph>,
    #[serde(default, deserialize_with = "if_readable")]
    related_searches: Vec<Related>,
    error: Option<String>,
    #[serde(flatten)]
    elements: Map<String, Value>,
}

#[derive(Debug, Deserialize)]
struct Metadata {
    status: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Information {
    total_results: Option<Value>,
    organic_results_state: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Organic {
    #[serde(default)]
    title: String,
    link: String,
    displayed_link: Option<String>,
    snippet: Option<String>,
    #[serde(default)]
    snippet_highlighted_words: Vec<String>,
    date: Option<String>,
    /// `inline`, `expanded` or `list`, each a list of links.
    #[serde(default)]
    sitelinks: Map<String, Value>,
    rich_snippet: Option<Value>,
}

#[derive(Debug, Deserialize)]
struct Related {
    /// Missing for image suggestions.
    query: Option<String>,
}

/// Drops a malformed feature, so that the organic results stay readable.
fn if_readable<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: DeserializeOwned + Default,
{
    let element = Value::deserialize(deserializer)?;
    Ok(serde_json::from_value(element).unwrap_or_default())
}

pub(super) fn parse(body: &[u8]) -> Result<Body, CallFailure> {
    let body: Body = parse_json(body)?;
    let is_answer = body.organic_results.is_some()
        || body.ai_overview.is_some()
        || body.status() == Some("Success");
    if is_answer || body.error.is_some() {
        Ok(body)
    } else {
        Err(CallFailure::malformed("it holds no results"))
    }
}

pub(super) fn message(body: &[u8]) -> String {
    serde_json::from_slice::<Body>(body)
        .ok()
        .and_then(|body| body.error)
        .unwrap_or_default()
}

impl Body {
    fn status(&self) -> Option<&str> {
        self.search_metadata.as_ref()?.status.as_deref()
    }

    /// An empty result comes as an error too, but is none.
    pub(super) fn failure(&self) -> Option<&str> {
        self.error.as_deref().filter(|_| !self.is_empty())
    }

    fn is_empty(&self) -> bool {
        let error = self.error.as_deref().unwrap_or_default();
        let state =
            { self.search_information.as_ref() }.and_then(|it| it.organic_results_state.as_deref());
        error.contains("hasn't returned any results")
            || error.contains("has not returned any results")
            || state == Some("Fully empty")
    }

    fn total(&self) -> Option<u64> {
        if self.is_empty() {
            return Some(0);
        }
        self.search_information
            .as_ref()?
            .total_results
            .as_ref()?
            .as_u64()
    }

    pub(super) fn into_overview(self) -> Overview {
        match self.ai_overview.map(overview::read) {
            None | Some(Overview::Announced(_)) => Overview::Unread(None),
            Some(overview) => overview,
        }
    }

    pub(super) fn into_page(self) -> ResultPage {
        let total = self.total();
        let quoted = self.answer_box.as_ref().and_then(AnswerBox::quoted);
        let (top, bottom) = advertisements(self.ads);
        let above = [
            top,
            self.answer_box.map(AnswerBox::into_feature),
            self.knowledge_graph.map(KnowledgeGraph::into_feature),
        ];
        let suggested = { self.related_searches.into_iter() }.filter_map(|it| it.query);
        let related: Vec<String> = suggested.collect();
        let suggestions =
            (!related.is_empty()).then(|| features::block(Feature::RelatedSearches, Vec::new()));
        let organic = self.organic_results.unwrap_or_default();
        let mut page = ResultPage::in_order(
            above.into_iter().flatten(),
            organic.into_iter().map(Organic::into_result),
            features::collect_blocks(&self.elements)
                .into_iter()
                .chain(bottom)
                .chain(suggestions),
        );
        page.total = total;
        page.related = related;
        page.overview = self.ai_overview.map_or(Overview::Absent, overview::read);
        if let Some(quoted) = quoted {
            page.mark_featured(quoted);
        }
        page
    }
}

impl Organic {
    fn into_result(self) -> OrganicResult {
        let lists = ["inline", "expanded", "list"].into_iter();
        let sitelinks = lists
            .filter_map(|name| self.sitelinks.get(name))
            .flat_map(features::links);
        OrganicResult {
            url: unwrapped(&self.link).into_owned(),
            title: self.title,
            snippet: self.snippet,
            displayed_url: self.displayed_link,
            highlighted: self.snippet_highlighted_words,
            sitelinks: sitelinks.collect(),
            rich_data: RichData {
                date: self.date,
                ..rich_data(self.rich_snippet.as_ref())
            },
            ..Default::default()
        }
    }
}

/// SerpApi detects ratings and prices above or below the snippet.
fn rich_data(snippet: Option<&Value>) -> RichData {
    let detected = |name: &str| {
        ["top", "bottom"]
            .into_iter()
            .find_map(|place| snippet?.get(place)?.get("detected_extensions")?.get(name))
    };
    RichData {
        rating: detected("rating").and_then(Value::as_f64),
        review_count: detected("reviews").and_then(Value::as_u64),
        price: detected("price").and_then(Value::as_f64),
        currency: detected("currency")
            .and_then(Value::as_str)
            .map(str::to_owned),
        ..RichData::default()
    }
}
