use super::{
    Citation, ItemType, METHOD_VERSION, OrganicItem, PreviousSerp, SerpAiOverview, SerpFeature,
    SerpInput, SerpItem, SerpRecord, difficulty, page_type, stability,
};
use crate::findings::envelope::Envelope;
use crate::findings::keyword_market::Measurement;
use crate::observation::search_page::{
    AiOverview, Block, BlockContent, DEPTH_CUT_SHORT, Feature, FeatureBlock, FeatureCoverage,
    OrganicResult, PageLink, SearchPage,
};
use crate::provenance::RecordStatus;
use crate::result_type::ResultType;
use crate::url_rules::SiteScope;
use crate::{search_intent, url_rules};
use std::collections::{BTreeMap, BTreeSet};

/// Snapshots with fewer organic results are `partial`.
const FEW_RESULTS: u32 = 5;

pub fn snapshot(input: &SerpInput<'_>) -> SerpRecord {
    let envelope = input
        .measurement
        .envelope(ResultType::Serp, METHOD_VERSION, input.keyword);
    match input.measurement {
        Measurement::Seen(page) if envelope.error.is_none() => {
            with_page(input, page, blank(input, envelope))
        }
        _ => blank(input, envelope),
    }
}

fn blank(input: &SerpInput<'_>, envelope: Envelope) -> SerpRecord {
    let at = input.measurement.at();
    SerpRecord {
        envelope,
        snapshot_id: format!("{}-{}", input.keyword.keyword_id, at.timestamp_micros()),
        market: input.keyword.market_on(input.measurement.engine()),
        fetched_at: at,
        total_results_estimate: None,
        organic_count: 0,
        items: Vec::new(),
        features: Vec::new(),
        feature_coverage: FeatureCoverage::Absent,
        ai_overview: None,
        related_searches: Vec::new(),
        questions: Vec::new(),
        page_types: Vec::new(),
        own_share: None,
        stability: None,
        intent: None,
        difficulty: None,
        pixel_offset: None,
    }
}

fn with_page(input: &SerpInput<'_>, page: &SearchPage, mut record: SerpRecord) -> SerpRecord {
    let now = PreviousSerp::of_page(page);
    record.total_results_estimate = page.total_results_estimate;
    record.organic_count = page.depth_checked();
    record.items = page.blocks.iter().map(|block| item(input, block)).collect();
    record.features = features(input.site, page);
    record.feature_coverage = page.feature_coverage;
    record.ai_overview = page
        .ai_overview
        .as_ref()
        .map(|it| ai_overview(input.site, it));
    record.related_searches.clone_from(&page.related);
    record.questions = questions(page);
    record.page_types = page_type::counts(&record.items);
    record.own_share = own_share(&record.items);
    record.stability = input
        .previous
        .map(|before| stability::compare(input.site, &now, before));
    record.intent =
        search_intent::classify(&input.keyword.keyword, &input.keyword.language, Some(page));
    let difficulty = difficulty::estimate(
        &input.keyword.keyword,
        page,
        input.prominence,
        month_between(input.site, &now, input.month_ago),
    );
    difficulty::warn(difficulty.score, &mut record.envelope.warnings);
    record.difficulty = Some(difficulty);
    add_warnings(&mut record, page);
    record
}

fn month_between(
    site: &SiteScope,
    now: &PreviousSerp,
    month_ago: Option<&PreviousSerp>,
) -> Option<f64> {
    stability::compare(site, now, month_ago?).rbo_with_previous
}

fn add_warnings(record: &mut SerpRecord, page: &SearchPage) {
    let few = record.organic_count < FEW_RESULTS;
    if few {
        record.envelope.warnings.push("fewResults".to_owned());
    }
    if few || page.warnings.iter().any(|it| it == DEPTH_CUT_SHORT) {
        record.envelope.status = RecordStatus::Partial;
    }
}

/// Unique questions of "People also ask".
fn questions(page: &SearchPage) -> Vec<String> {
    let mut questions: Vec<String> = Vec::new();
    let titles = page
        .features()
        .filter(|(_, block)| block.feature == Feature::PeopleAlsoAsk)
        .flat_map(|(_, block)| block.links.iter().map(|link| link.title.trim()));
    for question in titles.filter(|it| !it.is_empty()) {
        if !questions.iter().any(|known| known == question) {
            questions.push(question.to_owned());
        }
    }
    questions
}

fn item(input: &SerpInput<'_>, block: &Block) -> SerpItem {
    match &block.content {
        BlockContent::Organic(result) => organic_item(input, block, result),
        BlockContent::Feature(feature) => feature_item(input, block, feature),
    }
}

fn organic_item(input: &SerpInput<'_>, block: &Block, result: &OrganicResult) -> SerpItem {
    let domain = url_rules::domain_of_url(&result.url);
    SerpItem {
        absolute_position: block.absolute_position,
        item_type: ItemType::Organic(OrganicItem::Organic),
        page: Some(block.page),
        page_type: Some(page_type::classify(result, domain.as_deref())),
        organic_position: Some(result.position),
        url: Some(result.url.clone()),
        title: Some(result.title.clone()),
        displayed_url: result.displayed_url.clone(),
        snippet: result.snippet.clone(),
        highlighted: result.highlighted.clone(),
        sitelinks: result.sitelinks.clone(),
        rich_data: Some(&result.rich_data).filter(|it| !it.is_empty()).cloned(),
        is_own: input.site.owns(&result.url),
        leads_to_own: input.site.owns(&result.url),
        is_competitor: is_competitor(input, domain.iter()),
        domain,
    }
}

fn feature_item(input: &SerpInput<'_>, block: &Block, feature: &FeatureBlock) -> SerpItem {
    let first = feature.links.first();
    let domains = domains(&feature.links);
    SerpItem {
        absolute_position: block.absolute_position,
        item_type: ItemType::Feature(feature.feature),
        page: Some(block.page),
        page_type: None,
        organic_position: None,
        url: first.map(|link| link.url.clone()),
        domain: first.and_then(|link| url_rules::domain_of_url(&link.url)),
        title: feature.title.clone(),
        displayed_url: None,
        snippet: feature.text.clone(),
        highlighted: Vec::new(),
        sitelinks: Vec::new(),
        rich_data: None,
        is_own: first.is_some_and(|it| input.site.owns(&it.url)),
        leads_to_own: owns_any(input.site, &feature.links),
        is_competitor: is_competitor(input, domains.iter()),
    }
}

fn is_competitor<'d>(
    input: &SerpInput<'_>,
    mut domains: impl Iterator<Item = &'d String>,
) -> Option<bool> {
    input
        .competitors
        .map(|known| domains.any(|domain| known.contains(domain)))
}

fn owns_any(site: &SiteScope, links: &[PageLink]) -> bool {
    links.iter().any(|link| site.owns(&link.url))
}

fn domains(links: &[PageLink]) -> BTreeSet<String> {
    links
        .iter()
        .filter_map(|link| url_rules::domain_of_url(&link.url))
        .collect()
}

/// One entry per kind of feature.
fn features(site: &SiteScope, page: &SearchPage) -> Vec<SerpFeature> {
    let mut found: BTreeMap<Feature, SerpFeature> = BTreeMap::new();
    for (block, feature) in page.features() {
        let entry = found.entry(feature.feature).or_insert_with(|| SerpFeature {
            feature: feature.feature,
            absolute_position: block.absolute_position,
            own_present: false,
            domains: Vec::new(),
        });
        entry.own_present |= owns_any(site, &feature.links);
        let known: BTreeSet<String> = entry.domains.drain(..).collect();
        entry.domains = known.union(&domains(&feature.links)).cloned().collect();
    }
    found.into_values().collect()
}

fn ai_overview(site: &SiteScope, overview: &AiOverview) -> SerpAiOverview {
    let citations: Vec<Citation> = overview
        .citations
        .iter()
        .zip(1..)
        .map(|(link, index)| Citation {
            url: link.url.clone(),
            domain: url_rules::domain_of_url(&link.url),
            index,
        })
        .collect();
    let own = citations
        .iter()
        .find(|it| site.owns(&it.url))
        .map(|it| it.index);
    SerpAiOverview {
        present: overview.present,
        absolute_position: overview.absolute_position,
        text: overview.text.clone(),
        own_cited: own.is_some(),
        own_citation_index: own,
        citations,
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a page has a few hundred blocks"
)]
fn own_share(items: &[SerpItem]) -> Option<f64> {
    let own = items.iter().filter(|it| it.leads_to_own).count();
    (!items.is_empty()).then(|| own as f64 / items.len() as f64)
}
