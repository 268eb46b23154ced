use super::chance::Chance;
use super::market;
use super::market::{COMPETITORS, Entry, Ranking};
use analysis::observation::search_page::{
    AiOverview, Block, BlockContent, Feature, FeatureBlock, FeatureCoverage, OrganicResult,
    PageLink, SearchPage,
};
use analysis::provenance::Provenance;
use chrono::{DateTime, Utc};
use domain::ports::search_results::SearchQuery;

pub(super) const PROVIDER: &str = "sandbox";
pub(super) const RESULTS_PER_CALL: u32 = 100;

/// Features above the results, with their probability.
const FEATURES_ABOVE: [(Feature, f64); 4] = [
    (Feature::PaidTop, 0.25),
    (Feature::AiOverview, 0.35),
    (Feature::FeaturedSnippet, 0.15),
    (Feature::KnowledgePanel, 0.06),
];

/// Features between the results: after which position, with what probability.
const FEATURES_AMONG: [(Feature, usize, f64); 6] = [
    (Feature::PeopleAlsoAsk, 3, 0.6),
    (Feature::LocalPack, 4, 0.15),
    (Feature::Shopping, 5, 0.1),
    (Feature::Images, 6, 0.2),
    (Feature::Video, 8, 0.15),
    (Feature::RelatedSearches, 10, 1.0),
];

/// A page without results; `total` is `Some(0)` if the engine reports none.
pub(super) fn empty(total: Option<u64>, now: DateTime<Utc>) -> SearchPage {
    SearchPage {
        engine: PROVIDER.to_owned(),
        provider: PROVIDER.to_owned(),
        provenance: Provenance::Simulated,
        fetched_at: now,
        calls: 1,
        total_results_estimate: total,
        feature_coverage: FeatureCoverage::Complete,
        blocks: Vec::new(),
        ai_overview: Some(AiOverview::absent()),
        related: Vec::new(),
        warnings: Vec::new(),
    }
}

pub(super) fn page(
    ranking: &Ranking,
    keyword: Chance,
    query: &SearchQuery,
    now: DateTime<Utc>,
) -> SearchPage {
    let total = 10_000 + keyword.derive("total").below(5_000_000) as u64;
    let mut page = empty(Some(total), now);
    page.calls = query.depth.div_ceil(RESULTS_PER_CALL).max(1);
    page.blocks.reserve(ranking.entries.len() + 8);
    page.related = ["online", "near me", "comparison"]
        .iter()
        .map(|more| format!("{} {more}", query.keyword))
        .collect();
    let mut writer = Writer {
        ranking,
        keyword,
        query,
        slug: slug(&query.keyword),
        page,
    };
    writer.write();
    writer.page
}

struct Writer<'a> {
    ranking: &'a Ranking,
    keyword: Chance,
    query: &'a SearchQuery,
    slug: String,
    page: SearchPage,
}

impl Writer<'_> {
    fn write(&mut self) {
        for (feature, often) in FEATURES_ABOVE {
            self.write_if_shown(feature, often);
        }
        for (index, entry) in self.ranking.entries.iter().enumerate() {
            let result = self.organic(index, *entry);
            self.add(index / 10 + 1, BlockContent::Organic(result));
            for (feature, after, often) in FEATURES_AMONG {
                if after == index + 1 {
                    self.write_if_shown(feature, often);
                }
            }
        }
    }

    fn write_if_shown(&mut self, feature: Feature, often: f64) {
        if !self.shows(feature, often) {
            return;
        }
        if feature == Feature::AiOverview {
            self.page.ai_overview = Some(self.overview());
        }
        let block = self.feature(feature);
        self.add(1, BlockContent::Feature(block));
    }

    /// Depends on the keyword; near the threshold also on the day.
    fn shows(&self, feature: Feature, often: f64) -> bool {
        let chance = self.keyword.derive(feature.name());
        often >= 1.0 || chance.fraction() + 0.08 * chance.walk(self.query.day) < often
    }

    fn add(&mut self, page: usize, content: BlockContent) {
        let counted = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        let absolute_position = Some(counted(self.page.blocks.len() + 1));
        self.page.blocks.push(Block {
            absolute_position,
            page: counted(page),
            content,
        });
    }

    fn organic(&self, index: usize, entry: Entry) -> OrganicResult {
        let host = self.host(entry);
        let url = self.url(entry, &host);
        let sitelinks = index == 0 && self.keyword.derive("sitelinks").fraction() < 0.25;
        OrganicResult {
            position: u32::try_from(index + 1).unwrap_or(u32::MAX),
            title: format!("{} – {host}", self.query.keyword),
            snippet: Some(format!("Simulated: what {host} has to say about it.")),
            sitelinks: if sitelinks { links(&host) } else { Vec::new() },
            displayed_url: Some(host),
            url,
            in_featured_snippet: index == self.snippet_index()
                && self.shows(Feature::FeaturedSnippet, FEATURES_ABOVE[2].1),
            ..Default::default()
        }
    }

    fn host(&self, entry: Entry) -> String {
        match entry {
            Entry::Competitor(number) => market::host(number, &self.query.country),
            Entry::Own | Entry::OwnSecond => self.query.site.clone(),
        }
    }

    fn url(&self, entry: Entry, host: &str) -> String {
        match entry {
            Entry::Competitor(number) if number % 7 == 0 => format!("https://{host}/"),
            Entry::Competitor(_) | Entry::Own => format!("https://{host}/{}", self.slug),
            Entry::OwnSecond => format!("https://{host}/blog/{}", self.slug),
        }
    }

    fn snippet_index(&self) -> usize {
        self.keyword
            .derive("quoted")
            .below(3.min(self.ranking.entries.len()))
    }

    fn feature(&self, feature: Feature) -> FeatureBlock {
        let links = match feature {
            Feature::FeaturedSnippet => vec![self.link_to(self.snippet_index())],
            Feature::AiOverview => self
                .page
                .ai_overview
                .as_ref()
                .map(|it| it.citations.clone())
                .unwrap_or_default(),
            Feature::RelatedSearches => Vec::new(),
            _ => self.advertised(feature, 3),
        };
        FeatureBlock {
            feature,
            title: None,
            text: Some("Simulated.".to_owned()),
            links,
        }
    }

    fn link_to(&self, index: usize) -> PageLink {
        let entry = self.ranking.entries[index];
        let host = self.host(entry);
        PageLink {
            url: self.url(entry, &host),
            title: host,
        }
    }

    fn advertised(&self, feature: Feature, count: u64) -> Vec<PageLink> {
        let chance = self.keyword.derive(feature.name());
        (0..count)
            .map(|number| market::host(chance.nth(number).below(COMPETITORS), &self.query.country))
            .map(|host| PageLink {
                url: format!("https://{host}/{}", self.slug),
                title: host,
            })
            .collect()
    }

    /// Cites three to five top results, and sometimes the own page in the top twenty.
    fn overview(&self) -> AiOverview {
        let chance = self.keyword.derive("overview");
        let count = (3 + chance.below(3)).min(self.ranking.entries.len());
        let mut citations: Vec<PageLink> = (0..count).map(|index| self.link_to(index)).collect();
        let own = self
            .ranking
            .own_index
            .filter(|place| (count..20).contains(place));
        if let Some(place) = own.filter(|_| chance.derive("own").fraction() < 0.4) {
            citations.push(self.link_to(place));
        }
        AiOverview {
            present: true,
            absolute_position: u32::try_from(self.page.blocks.len() + 1).ok(),
            text: Some(format!("Simulated overview of “{}”.", self.query.keyword)),
            citations,
        }
    }
}

fn links(host: &str) -> Vec<PageLink> {
    ["about", "prices", "contact"]
        .iter()
        .map(|name| PageLink {
            title: (*name).to_owned(),
            url: format!("https://{host}/{name}"),
        })
        .collect()
}

fn slug(keyword: &str) -> String {
    let plain = keyword.chars().map(|it| {
        if it.is_ascii_alphanumeric() {
            it.to_ascii_lowercase()
        } else {
            ' '
        }
    });
    let plain: String = plain.collect();
    let words: Vec<&str> = plain.split_whitespace().take(8).collect();
    if words.is_empty() {
        "page".to_owned()
    } else {
        words.join("-")
    }
}
