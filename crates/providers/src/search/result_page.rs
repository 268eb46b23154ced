use analysis::observation::search_page::{
    AiOverview, BlockContent, FeatureBlock, OrganicResult, PageLink, RichData,
};
use analysis::url_rules::page_key;

/// Result of one call; organic positions are numbered later.
#[derive(Debug, Default)]
pub(super) struct ResultPage {
    /// From top to bottom, as far as the supplier reports the order.
    pub blocks: Vec<PlacedBlock>,
    pub total: Option<u64>,
    pub related: Vec<String>,
    pub overview: Overview,
    /// As reported by the supplier, in millionths of a US dollar.
    pub cost: Option<u64>,
}

#[derive(Debug)]
pub(super) struct PlacedBlock {
    /// Rank among all blocks, from 1.
    pub absolute: Option<u32>,
    /// The engine's result page, from 1, if one call returns several.
    pub page: Option<u32>,
    pub content: BlockContent,
}

#[derive(Debug, Default)]
pub(super) enum Overview {
    #[default]
    Unknown,
    Absent,
    Read(AiOverview),
    /// Present at that rank among all blocks; text and citations are unknown.
    Unread(Option<u32>),
    /// Present; a second call fetches it with this token.
    Announced(String),
}

#[derive(Debug)]
pub(super) struct OverviewAnswer {
    pub overview: Overview,
    pub cost: Option<u64>,
}

#[derive(Debug, Default)]
pub(super) struct QuotedPage {
    pub url: String,
    pub title: String,
    pub passage: Option<String>,
    pub highlighted: Vec<String>,
}

impl PlacedBlock {
    pub(super) fn feature(feature: FeatureBlock) -> Self {
        Self::without_position(BlockContent::Feature(feature))
    }

    pub(super) fn organic(result: OrganicResult) -> Self {
        Self::without_position(BlockContent::Organic(result))
    }

    fn without_position(content: BlockContent) -> Self {
        Self {
            absolute: None,
            page: None,
            content,
        }
    }
}

impl ResultPage {
    /// For suppliers that report no exact order.
    pub(super) fn in_order(
        above: impl IntoIterator<Item = FeatureBlock>,
        organic: impl IntoIterator<Item = OrganicResult>,
        below: impl IntoIterator<Item = FeatureBlock>,
    ) -> Self {
        let above = above.into_iter().map(PlacedBlock::feature);
        let organic = organic.into_iter().map(PlacedBlock::organic);
        let below = below.into_iter().map(PlacedBlock::feature);
        Self {
            blocks: above.chain(organic).chain(below).collect(),
            ..Self::default()
        }
    }

    /// Marks the quoted page's listing, or inserts it before the first result if it has none.
    pub(super) fn mark_featured(&mut self, quoted: QuotedPage) {
        let key = page_key(&quoted.url);
        let listed = self.blocks.iter_mut().find_map(|it| match &mut it.content {
            BlockContent::Organic(result) if page_key(&result.url) == key => Some(result),
            _ => None,
        });
        if let Some(result) = listed {
            result.in_featured_snippet = true;
            return;
        }
        let is_organic = |it: &PlacedBlock| matches!(it.content, BlockContent::Organic(_));
        let first = self.blocks.iter().position(is_organic);
        let place = first.unwrap_or(self.blocks.len());
        let result = OrganicResult {
            url: quoted.url,
            title: quoted.title,
            snippet: quoted.passage,
            highlighted: quoted.highlighted,
            rich_data: RichData::default(),
            in_featured_snippet: true,
            ..OrganicResult::default()
        };
        self.blocks.insert(place, PlacedBlock::organic(result));
    }
}

/// Keeps the order and drops repeated URLs.
pub(super) fn dedup_by_url(citations: impl IntoIterator<Item = PageLink>) -> Vec<PageLink> {
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<PageLink> = Vec::new();
    for citation in citations {
        if !citation.url.is_empty() && seen.insert(citation.url.clone()) {
            kept.push(citation);
        }
    }
    kept
}
