use super::features;
use crate::search::result_page::QuotedPage;
use analysis::observation::search_page::{Feature, FeatureBlock, PageLink};
use analysis::url_rules::unwrapped;
use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Deserialize)]
pub(super) struct Ad {
    block_position: Option<String>,
    #[serde(default)]
    title: String,
    link: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct AnswerBox {
    #[serde(rename = "type", default)]
    kind: String,
    title: Option<String>,
    snippet: Option<String>,
    answer: Option<Value>,
    link: Option<String>,
    #[serde(default)]
    snippet_highlighted_words: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct KnowledgeGraph {
    title: Option<String>,
    website: Option<String>,
    description: Option<String>,
    source: Option<Source>,
}

#[derive(Debug, Deserialize)]
struct Source {
    name: Option<String>,
    link: Option<String>,
}

pub(super) fn advertisements(ads: Vec<Ad>) -> (Option<FeatureBlock>, Option<FeatureBlock>) {
    let is_top = |ad: &Ad| ad.block_position.as_deref() != Some("bottom");
    let (top, bottom): (Vec<_>, Vec<_>) = ads.into_iter().partition(is_top);
    let as_block = |feature, ads: Vec<Ad>| {
        let links = ads.into_iter().filter_map(|ad| {
            let url = unwrapped(&ad.link?).into_owned();
            let title = ad.title;
            Some(PageLink { title, url })
        });
        features::block(feature, links.collect())
    };
    (
        (!top.is_empty()).then(|| as_block(Feature::PaidTop, top)),
        (!bottom.is_empty()).then(|| as_block(Feature::PaidBottom, bottom)),
    )
}

impl AnswerBox {
    fn feature(&self) -> Feature {
        match self.kind.as_str() {
            "weather_result" => Feature::Weather,
            "dictionary_results" => Feature::Dictionary,
            "calculator_result" | "currency_converter" | "unit_converter" | "converter" => {
                Feature::Calculator
            }
            "google_flights" => Feature::Flights,
            "hotels" | "google_hotels" => Feature::Hotels,
            "sports_results" => Feature::Sports,
            "" | "organic_result" | "featured_snippet" if self.link.is_some() => {
                Feature::FeaturedSnippet
            }
            _ => Feature::KnowledgeCard,
        }
    }

    pub(super) fn quoted(&self) -> Option<QuotedPage> {
        let is_quotation = self.feature() == Feature::FeaturedSnippet;
        let url = self.link.as_deref().filter(|_| is_quotation)?;
        Some(QuotedPage {
            url: unwrapped(url).into_owned(),
            title: self.title.clone().unwrap_or_default(),
            passage: self.text(),
            highlighted: self.snippet_highlighted_words.clone(),
        })
    }

    fn text(&self) -> Option<String> {
        let answer = self.answer.as_ref().and_then(Value::as_str);
        self.snippet.clone().or(answer.map(str::to_owned))
    }

    pub(super) fn into_feature(self) -> FeatureBlock {
        let (feature, text) = (self.feature(), self.text());
        let title = self.title.clone().unwrap_or_default();
        let link = self.link.map(|url| PageLink { title, url });
        FeatureBlock {
            title: self.title,
            text,
            ..features::block(feature, link.into_iter().collect())
        }
    }
}

impl KnowledgeGraph {
    pub(super) fn into_feature(self) -> FeatureBlock {
        let title = self.title.clone().unwrap_or_default();
        let site = self.website.map(|url| PageLink { title, url });
        let source = self.source.and_then(|it| {
            let title = it.name.unwrap_or_default();
            it.link.map(|url| PageLink { title, url })
        });
        FeatureBlock {
            title: self.title,
            text: self.description,
            ..features::block(
                Feature::KnowledgePanel,
                site.into_iter().chain(source).collect(),
            )
        }
    }
}
