//! AI Overview from SerpApi: in the response, or as a token for another call.

use crate::search::result_page::{Overview, dedup_by_url};
use analysis::observation::search_page::{AiOverview, PageLink};
use analysis::url_rules::unwrapped;
use serde::Deserialize;
use serde_json::Value;

const DEEPEST_LIST: usize = 8;

#[derive(Debug, Deserialize)]
struct OverviewBody {
    #[serde(default)]
    text_blocks: Vec<TextBlock>,
    #[serde(default)]
    references: Vec<Reference>,
    page_token: Option<String>,
    error: Option<String>,
}

#[derive(Debug, Deserialize)]
struct TextBlock {
    title: Option<String>,
    snippet: Option<String>,
    #[serde(default)]
    list: Vec<TextBlock>,
    #[serde(default)]
    text_blocks: Vec<TextBlock>,
}

#[derive(Debug, Deserialize)]
struct Reference {
    title: Option<String>,
    link: Option<String>,
    source: Option<String>,
    #[serde(default)]
    index: u32,
}

/// One of unknown shape was present, but is unread.
pub(super) fn read(overview: Value) -> Overview {
    serde_json::from_value(overview).map_or(Overview::Unread(None), OverviewBody::read)
}

impl OverviewBody {
    fn read(self) -> Overview {
        let has_content = !self.text_blocks.is_empty() || !self.references.is_empty();
        match self.page_token.filter(|_| !has_content) {
            Some(token) => Overview::Announced(token),
            None if !has_content || self.error.is_some() => Overview::Unread(None),
            None => {
                let mut lines = Vec::new();
                collect(&self.text_blocks, DEEPEST_LIST, &mut lines);
                Overview::Read(AiOverview {
                    present: true,
                    absolute_position: None,
                    text: (!lines.is_empty()).then(|| lines.join("\n")),
                    citations: citations(self.references),
                })
            }
        }
    }
}

fn collect<'t>(blocks: &'t [TextBlock], deeper: usize, lines: &mut Vec<&'t str>) {
    for block in blocks {
        lines.extend(
            [&block.title, &block.snippet]
                .into_iter()
                .flatten()
                .map(String::as_str),
        );
        if deeper > 0 {
            collect(&block.list, deeper - 1, lines);
            collect(&block.text_blocks, deeper - 1, lines);
        }
    }
}

fn citations(mut references: Vec<Reference>) -> Vec<PageLink> {
    references.sort_by_key(|it| it.index);
    dedup_by_url(references.into_iter().filter_map(|it| {
        Some(PageLink {
            title: it.title.or(it.source).unwrap_or_default(),
            url: unwrapped(&it.link?).into_owned(),
        })
    }))
}
