use crate::http_client::parse_json;
use crate::resilience::CallFailure;
use crate::search::result_page::{QuotedPage, ResultPage};
use analysis::observation::search_page::{
    Feature, FeatureBlock, OrganicResult, PageLink, RichData,
};
use analysis::url_rules::unwrapped;
use serde::Deserialize;
use serde_json::Value;

/// Every field but `organic` is optional.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    search_parameters: Option<Value>,
    organic: Option<Vec<Organic>>,
    answer_box: Option<AnswerBox>,
    knowledge_graph: Option<KnowledgeGraph>,
    #[serde(default)]
    people_also_ask: Vec<Entry>,
    #[serde(default)]
    related_searches: Vec<Related>,
    #[serde(default)]
    places: Vec<Entry>,
    #[serde(default)]
    top_stories: Vec<Entry>,
    #[serde(default)]
    images: Vec<Entry>,
    #[serde(default)]
    videos: Vec<Entry>,
    #[serde(default)]
    shopping: Vec<Entry>,
    message: Option<String>,
    error: Option<Value>,
    status_code: Option<u16>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Organic {
    #[serde(default)]
    title: String,
    link: String,
    snippet: Option<String>,
    date: Option<String>,
    #[serde(default)]
    sitelinks: Vec<Entry>,
    rating: Option<Value>,
    rating_count: Option<Value>,
    price: Option<Value>,
    currency: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct AnswerBox {
    title: Option<String>,
    snippet: Option<String>,
    answer: Option<String>,
    link: Option<String>,
    #[serde(default)]
    snippet_highlighted: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct KnowledgeGraph {
    title: Option<String>,
    website: Option<String>,
    description: Option<String>,
    description_source: Option<String>,
    description_link: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    question: Option<String>,
    title: Option<String>,
    link: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Related {
    query: String,
}

pub(super) fn parse(body: &[u8]) -> Result<Body, CallFailure> {
    let body: Body = parse_json(body)?;
    let is_answer = body.organic.is_some() || body.search_parameters.is_some();
    if is_answer || body.error().is_some() {
        Ok(body)
    } else {
        Err(CallFailure::malformed("it holds no results"))
    }
}

pub(super) fn message(body: &[u8]) -> String {
    serde_json::from_slice::<Body>(body)
        .ok()
        .and_then(|body| body.error())
        .unwrap_or_default()
}

impl Body {
    pub(super) fn error(&self) -> Option<String> {
        if self.organic.is_some() {
            return None;
        }
        let error = self
            .error
            .as_ref()
            .map(|it| it.as_str().map_or_else(|| it.to_string(), str::to_owned));
        self.message.clone().or(error)
    }

    pub(super) fn status(&self) -> Option<u16> {
        self.status_code
    }

    pub(super) fn into_page(self) -> ResultPage {
        let organic = self.organic.unwrap_or_default();
        let quoted = self.answer_box.as_ref().and_then(AnswerBox::quoted);
        let above = [
            self.answer_box.map(AnswerBox::into_feature),
            self.knowledge_graph.map(KnowledgeGraph::into_feature),
        ];
        let below = [
            (Feature::PeopleAlsoAsk, self.people_also_ask),
            (Feature::LocalPack, self.places),
            (Feature::TopStories, self.top_stories),
            (Feature::Images, self.images),
            (Feature::Video, self.videos),
            (Feature::Shopping, self.shopping),
        ];
        let below = below
            .into_iter()
            .filter(|(_, entries)| !entries.is_empty())
            .map(|(feature, entries)| block(feature, entries));
        let related: Vec<String> = { self.related_searches.into_iter() }
            .map(|it| it.query)
            .collect();
        let suggestions =
            (!related.is_empty()).then(|| block(Feature::RelatedSearches, Vec::new()));
        let mut page = ResultPage::in_order(
            above.into_iter().flatten(),
            organic.into_iter().map(Organic::into_result),
            below.chain(suggestions),
        );
        page.related = related;
        if let Some(quoted) = quoted {
            page.mark_featured(quoted);
        }
        page
    }
}

fn block(feature: Feature, entries: Vec<Entry>) -> FeatureBlock {
    let links = entries.into_iter().filter_map(Entry::into_link).collect();
    FeatureBlock {
        feature,
        title: None,
        text: None,
        links,
    }
}

impl Organic {
    fn into_result(self) -> OrganicResult {
        OrganicResult {
            url: unwrapped(&self.link).into_owned(),
            title: self.title,
            snippet: self.snippet,
            sitelinks: self
                .sitelinks
                .into_iter()
                .filter_map(Entry::into_link)
                .collect(),
            rich_data: RichData {
                rating: self.rating.as_ref().and_then(Value::as_f64),
                review_count: self.rating_count.as_ref().and_then(Value::as_u64),
                price: self.price.as_ref().and_then(Value::as_f64),
                currency: self.currency,
                date: self.date,
                faq: Vec::new(),
            },
            ..Default::default()
        }
    }
}

impl AnswerBox {
    fn quoted(&self) -> Option<QuotedPage> {
        Some(QuotedPage {
            url: self.link.clone()?,
            title: self.title.clone().unwrap_or_default(),
            passage: self.snippet.clone().or_else(|| self.answer.clone()),
            highlighted: self.snippet_highlighted.clone(),
        })
    }

    fn into_feature(self) -> FeatureBlock {
        let title = self.title.unwrap_or_default();
        let feature = if self.link.is_some() {
            Feature::FeaturedSnippet
        } else {
            Feature::KnowledgeCard
        };
        let links = self.link.map(|url| PageLink {
            title: title.clone(),
            url,
        });
        FeatureBlock {
            feature,
            title: Some(title),
            text: self.snippet.or(self.answer),
            links: links.into_iter().collect(),
        }
    }
}

impl KnowledgeGraph {
    fn into_feature(self) -> FeatureBlock {
        let title = self.title.unwrap_or_default();
        let site = self.website.map(|url| PageLink {
            title: title.clone(),
            url,
        });
        let source = self.description_link.map(|url| PageLink {
            title: self.description_source.unwrap_or_default(),
            url,
        });
        FeatureBlock {
            feature: Feature::KnowledgePanel,
            title: Some(title),
            text: self.description,
            links: site.into_iter().chain(source).collect(),
        }
    }
}

impl Entry {
    fn into_link(self) -> Option<PageLink> {
        let title = self.question.or(self.title).unwrap_or_default();
        self.link.map(|url| PageLink { title, url })
    }
}
